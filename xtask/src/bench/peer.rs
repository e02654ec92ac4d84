//! A server of either kind at the other end of two pipes.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{Result, test};

/// Which server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Kitbag,
    /// With every change on the disk before its call is answered.
    Synced,
    Echo,
}

/// A running server.
pub(super) struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Peer {
    /// Starts a server in `root`; with it the time until `initialize` was answered.
    pub(super) fn start(kind: Kind, root: &Path) -> Result<(Self, Duration)> {
        let release = test::target()?.join("release");
        let mut command = match kind {
            Kind::Echo => Command::new(release.join("examples/echo_server")),
            Kind::Kitbag | Kind::Synced => {
                let mut command = Command::new(release.join("kitbag"));
                let fsync = if kind == Kind::Synced { "on" } else { "off" };
                command
                    .args([
                        "serve",
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
        command.current_dir(root);
        let started = Instant::now();
        let peer = Self::spawn(command)?;
        Ok((peer, started.elapsed()))
    }

    /// Starts a server and waits until it has answered `initialize`.
    pub(super) fn spawn(mut command: Command) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|e| format!("{command:?} does not start: {e}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("{command:?} has no pipes"));
        };
        let mut peer = Self { child, input, output: BufReader::new(output), next: 0 };
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}});
        peer.request("initialize", &hello)?;
        peer.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(peer)
    }

    /// Sends a request and waits for its answer.
    pub(super) fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let message = self.receive()?;
            if message["id"] == id {
                return Ok(message["result"].clone());
            }
        }
    }

    /// Calls a tool; its text, and the time from the first byte sent to the last byte received.
    /// Making the request and reading the answer are the harness's own affair.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<(String, Duration)> {
        self.next += 1;
        let id = self.next;
        let params = json!({"name": tool, "arguments": arguments});
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        let request = format!("{request}\n");
        let started = Instant::now();
        self.write(&request)?;
        loop {
            let line = self.line()?;
            let time = started.elapsed();
            let message: Value = serde_json::from_str(&line).map_err(|e| format!("{e}: {line}"))?;
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
        self.write(&format!("{message}\n"))
    }

    fn write(&mut self, line: &str) -> Result {
        self.input.write_all(line.as_bytes()).map_err(|e| format!("the server takes nothing: {e}"))
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(1..) => Ok(line),
            other => Err(format!("the server ended: {other:?}")),
        }
    }

    /// Waits for a message.
    pub(super) fn receive(&mut self) -> Result<Value> {
        let line = self.line()?;
        serde_json::from_str(&line).map_err(|e| format!("{e}: {line}"))
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
            let (input, output) = (&mut self.input, &mut self.output);
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
    pub(super) fn memory(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))
            .map_err(|e| e.to_string())?;
        let line = status.lines().find(|l| l.starts_with("VmRSS:")).unwrap_or_default();
        let kb = line.split_whitespace().nth(1).and_then(|n| n.parse::<u64>().ok());
        kb.map(|kb| kb * 1024).ok_or_else(|| "the system tells no memory".to_owned())
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
