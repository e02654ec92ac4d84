//! A server of either kind at the other end of two pipes.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use test_client::{Came, Client};

use crate::{Result, test};

/// Which server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Kitbag,
    /// With the toolset kit instead of fiz.
    Kit,
    /// With every change on the disk before its call is answered.
    Synced,
    Echo,
}

/// Longer than anything takes that is measured.
const PATIENCE: Duration = Duration::from_secs(600);

/// A running server.
pub(super) struct Peer(Client);

impl Peer {
    /// Starts a server in `root`; with it the time until `initialize` was answered.
    pub(super) fn start(kind: Kind, root: &Path) -> Result<(Self, Duration)> {
        let release = test::target()?.join("release");
        let mut command = match kind {
            Kind::Echo => Command::new(release.join("examples/echo_server")),
            Kind::Kitbag | Kind::Kit | Kind::Synced => {
                let mut command = Command::new(release.join("kitbag"));
                let fsync = if kind == Kind::Synced { "on" } else { "off" };
                command
                    .args([
                        "serve",
                        "--toolset",
                        if kind == Kind::Kit { "kit" } else { "fiz" },
                        "--policy",
                        "trust",
                        "--network",
                        "off",
                        "--fsync",
                        fsync,
                        "--root",
                    ])
                    .arg(root);
                command.arg("--state").arg(root.join("../state"));
                command
            }
        };
        let started = Instant::now();
        let peer = Self::spawn(command.current_dir(root))?;
        Ok((peer, started.elapsed()))
    }

    /// Starts a server and waits until it has answered `initialize`.
    pub(super) fn spawn(command: &mut Command) -> Result<Self> {
        let mut client = Client::start(command)?;
        client.shake_hands("bench", json!({}), PATIENCE)?;
        Ok(Self(client))
    }

    /// The number of its process.
    pub(super) fn id(&mut self) -> u32 {
        self.0.process().id()
    }

    /// Sends a request and waits for its answer.
    pub(super) fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        let id = self.0.send(method, params)?;
        Ok(self.0.answer(id, PATIENCE)?["result"].clone())
    }

    /// Calls a tool; its text, and the time from the first byte sent to the last byte received.
    /// Making the request and reading the answer are the harness's own affair.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<(String, Duration)> {
        let id = 1_000_000_000;
        let params = json!({"name": tool, "arguments": arguments});
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        let request = request.to_string();
        let started = Instant::now();
        self.0.line(&request)?;
        loop {
            let line = self.line()?;
            let time = started.elapsed();
            let message: Value = serde_json::from_slice(&line).map_err(|e| e.to_string())?;
            if message["id"] != id {
                continue;
            }
            let result = &message["result"];
            let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
            let failed = result["isError"] == true;
            return if failed { Err(format!("{tool}: {text}")) } else { Ok((text, time)) };
        }
    }

    /// Sends a message without waiting.
    pub(super) fn send(&mut self, message: &Value) -> Result {
        self.0.line(&message.to_string())
    }

    fn line(&mut self) -> Result<Vec<u8>> {
        match self.0.next_line(PATIENCE) {
            Came::Line(line) => Ok(line),
            other => Err(format!("the server says nothing: {other:?}")),
        }
    }

    /// Waits for a message.
    pub(super) fn receive(&mut self) -> Result<Value> {
        serde_json::from_slice(&self.line()?).map_err(|e| e.to_string())
    }

    /// Sends `count` calls at once and waits for all answers.
    pub(super) fn pipeline(
        &mut self,
        count: u64,
        tool: &str,
        arguments: &Value,
    ) -> Result<Duration> {
        let lines: String = (0..count)
            .map(|n| format!("{}\n", json!({"jsonrpc": "2.0", "id": 1_000_000 + n, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})))
            .collect();
        let started = Instant::now();
        std::thread::scope(|scope| {
            let (input, output) = self.0.pipes();
            let input = input.ok_or("the input was closed")?;
            let mut output = BufReader::new(output);
            scope.spawn(move || input.write_all(lines.as_bytes()));
            let mut line = Vec::new();
            for _ in 0..count {
                line.clear();
                if output.read_until(b'\n', &mut line).map_err(|e| e.to_string())? == 0 {
                    return Err("the server ended".to_owned());
                }
            }
            Ok(started.elapsed())
        })
    }

    /// Resident memory, in bytes.
    pub(super) fn memory(&mut self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.process().id()))
            .map_err(|e| e.to_string())?;
        let line = status.lines().find(|l| l.starts_with("VmRSS:")).unwrap_or_default();
        let kb = line.split_whitespace().nth(1).and_then(|n| n.parse::<u64>().ok());
        kb.map(|kb| kb * 1024).ok_or_else(|| "the system tells no memory".to_owned())
    }
}
