//! The demo's MCP host: starts the server as a child and speaks the protocol with it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use fault::{Error, Result};
use toolkit::serde_json::{self, Value, json};
use toolkit::{Answer, Policy, Question, Wants};

use crate::terminal;

/// A running server and its streams.
pub(super) struct Host {
    server: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
    /// Whether the person refused a call.
    pub(super) declined: bool,
}

impl Host {
    /// Starts `kitbag serve` in `root` and opens the conversation.
    pub(super) fn start(root: &Path, state: &Path, policy: Policy) -> Result<Self> {
        let fail =
            |e: std::io::Error| Error::internal(format!("the demo's server does not start: {e}"));
        let program = std::env::current_exe().map_err(fail)?;
        let mut server = Command::new(program)
            .args(["serve", "--toolset", "kit", "--policy", policy.as_str(), "--root"])
            .arg(root)
            .arg("--state")
            .arg(state)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(fail)?;
        let (input, output) = (server.stdin.take(), server.stdout.take());
        let output = BufReader::new(
            output.ok_or_else(|| Error::internal("the demo's server has no output"))?,
        );
        let mut host = Self { server, input, output, next: 0, declined: false };
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "kitbag-demo", "version": env!("CARGO_PKG_VERSION")},
        });
        host.request("initialize", &hello)?;
        host.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(host)
    }

    /// Calls a tool; the result, and how long it took on the wire.
    pub(super) fn tool(&mut self, name: &str, input: &Value) -> Result<(Value, Duration)> {
        let started = Instant::now();
        let result = self.request("tools/call", &json!({"name": name, "arguments": input}))?;
        Ok((result, started.elapsed()))
    }

    /// Ends the conversation as hosts do, by ending the server's input.
    pub(super) fn end(mut self) -> Result<()> {
        drop(self.input.take());
        let status =
            self.server.wait().map_err(|e| Error::internal(format!("the demo's server: {e}")))?;
        if status.success() {
            Ok(())
        } else {
            Err(Error::internal(format!("the demo's server ended with {status}")))
        }
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let message = self.receive()?;
            if message["method"] == "elicitation/create" {
                self.answer(&message)?;
            } else if message["id"] == id {
                return match message.get("result") {
                    Some(result) => Ok(result.clone()),
                    None => Err(Error::internal(format!("{method} failed: {}", message["error"]))),
                };
            }
        }
    }

    /// Puts the server's question to the person at the terminal.
    fn answer(&mut self, message: &Value) -> Result<()> {
        let question = Question {
            tool: "The server".to_owned(),
            reason: "may this call run?".to_owned(),
            shown: message["params"]["message"].as_str().unwrap_or_default().to_owned(),
            wants: Wants::Decision { may_last: false },
            digest: String::new(),
        };
        let yes = terminal::is_attended()
            && terminal::ask(&question, &AtomicBool::new(true)) == Answer::Yes;
        self.declined |= !yes;
        let field = message["params"]["requestedSchema"]["properties"].as_object();
        let field = field.and_then(|p| p.keys().next()).cloned().unwrap_or_default();
        let result = if yes {
            json!({"action": "accept", "content": {field: "allow"}})
        } else {
            json!({"action": "decline"})
        };
        self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let fail =
            |e: std::io::Error| Error::internal(format!("the demo's server took no message: {e}"));
        let input =
            self.input.as_mut().ok_or_else(|| Error::internal("the conversation has ended"))?;
        input
            .write_all(format!("{message}\n").as_bytes())
            .and_then(|()| input.flush())
            .map_err(fail)
    }

    fn receive(&mut self) -> Result<Value> {
        let mut line = String::new();
        let read = self.output.read_line(&mut line);
        if read.map_err(|e| Error::internal(format!("the demo's server: {e}")))? == 0 {
            return Err(Error::internal("the demo's server ended early"));
        }
        serde_json::from_str(&line)
            .map_err(|e| Error::internal(format!("the demo's server wrote no JSON ({e}): {line}")))
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.server.wait();
    }
}
