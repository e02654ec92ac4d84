//! A server in a process of its own, and the client at its pipes: for tests, torture and benchmarks,
//! which would each have a client of MCP of their own without it.
//!
//! Nothing lies between the pipes and the caller, neither a thread nor a queue, so what is measured
//! is the server.

use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};

/// What went wrong, for a developer.
pub type Result<T = ()> = std::result::Result<T, String>;

/// As much as a pipe that can be written to takes at once.
const PIPE_BUF: usize = 4096;

/// A running server and its client. Dropped, the server is killed.
#[derive(Debug)]
pub struct Client {
    child: Child,
    to: Option<ChildStdin>,
    from: ChildStdout,
    /// What was read of lines that were not asked for yet.
    read: Vec<u8>,
    next: u64,
}

/// What came from a server.
#[derive(Debug)]
pub enum Came {
    /// A line without its end.
    Line(Vec<u8>),
    /// Nothing, as long as it was waited for.
    Silence,
    /// The end of its output.
    End,
}

impl Client {
    /// Starts a server and says nothing. Where its standard error goes, the command says.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(command: &mut Command) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|e| format!("the server does not start: {e}"))?;
        let to = child.stdin.take();
        let from = child.stdout.take().ok_or("the server has no output")?;
        Ok(Self { child, to, from, read: Vec::new(), next: 0 })
    }

    /// Shakes hands in the older era; gives the result of `initialize`.
    ///
    /// # Errors
    /// As for [`Client::answer`].
    pub fn shake_hands(
        &mut self,
        name: &str,
        capabilities: Value,
        patience: Duration,
    ) -> Result<Value> {
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": {"name": name, "version": "1"}});
        let id = self.send("initialize", &hello)?;
        let answer = self.answer(id, patience)?;
        self.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)?;
        Ok(answer["result"].clone())
    }

    /// The process of the server.
    pub fn process(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Sends a line. What comes meanwhile is kept, so that neither side waits for the other.
    ///
    /// # Errors
    /// If the server does not read any more, or the input was closed.
    pub fn line(&mut self, line: &str) -> Result {
        let fail = |e: std::io::Error| format!("the server takes nothing: {e}");
        let text = format!("{line}\n");
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let to = self.to.as_mut().ok_or("the input was closed")?;
            let mut ends =
                [PollFd::new(&*to, PollFlags::OUT), PollFd::new(&self.from, PollFlags::IN)];
            poll(&mut ends, None).map_err(|e| fail(e.into()))?;
            let (takes, has) = (!ends[0].revents().is_empty(), ends[1].revents());
            if takes {
                let part = &rest[..rest.len().min(PIPE_BUF)];
                rest = &rest[to.write(part).map_err(fail)?..];
            } else if has.contains(PollFlags::IN) {
                self.fill().map_err(fail)?;
            } else {
                return Err("the server closed its output and takes nothing".to_owned());
            }
        }
        Ok(())
    }

    /// Sends a request; gives its id.
    ///
    /// # Errors
    /// As for [`Client::line`].
    pub fn send(&mut self, method: &str, params: &Value) -> Result<u64> {
        self.next += 1;
        let id = self.next;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.line(&message.to_string())?;
        Ok(id)
    }

    /// Sends a call and does not wait for its answer; gives its id.
    ///
    /// # Errors
    /// As for [`Client::line`].
    pub fn begin(&mut self, tool: &str, arguments: &Value) -> Result<u64> {
        self.send("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// Waits for the answer to a request; other messages are passed over.
    ///
    /// # Errors
    /// If the server is silent for `patience` or ends, or says what is no JSON.
    pub fn answer(&mut self, id: u64, patience: Duration) -> Result<Value> {
        loop {
            match self.next_line(patience) {
                Came::Line(line) => {
                    let message: Value = serde_json::from_slice(&line)
                        .map_err(|e| format!("{e}: {}", String::from_utf8_lossy(&line)))?;
                    if message["id"] == id && message["method"].is_null() {
                        return Ok(message);
                    }
                }
                Came::Silence => return Err(format!("no answer within {patience:?}")),
                Came::End => return Err("the server ended".to_owned()),
            }
        }
    }

    /// The next line, waited for as long as `patience` at the most.
    pub fn next_line(&mut self, patience: Duration) -> Came {
        let until = Instant::now() + patience;
        let mut searched = 0;
        loop {
            if let Some(at) = self.read[searched..].iter().position(|byte| *byte == b'\n') {
                let rest = self.read.split_off(searched + at + 1);
                let mut line = std::mem::replace(&mut self.read, rest);
                line.pop();
                return Came::Line(line);
            }
            searched = self.read.len();
            let left = Timespec::try_from(until.saturating_duration_since(Instant::now()));
            let mut end = [PollFd::new(&self.from, PollFlags::IN)];
            match poll(&mut end, left.ok().as_ref()) {
                Ok(0) => return Came::Silence,
                Ok(_) if matches!(self.fill(), Ok(1..)) => {}
                Err(rustix::io::Errno::INTR) => {}
                Ok(_) | Err(_) => return Came::End,
            }
        }
    }

    /// Reads what is there; nothing at the end.
    fn fill(&mut self) -> std::io::Result<usize> {
        let mut chunk = [0; 64 << 10];
        let read = self.from.read(&mut chunk)?;
        self.read.extend_from_slice(&chunk[..read]);
        Ok(read)
    }

    /// The pipes themselves, for who reads and writes at the same time.
    pub fn pipes(&mut self) -> (Option<&mut ChildStdin>, &mut ChildStdout) {
        (self.to.as_mut(), &mut self.from)
    }

    /// Closes the input.
    pub fn close(&mut self) {
        self.to = None;
    }

    /// SIGKILL, at once.
    ///
    /// # Errors
    /// If the system does not end it.
    pub fn kill(&mut self) -> Result {
        self.child.kill().and_then(|()| self.child.wait()).map(drop).map_err(|e| e.to_string())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.kill(); // it may have ended by itself
    }
}
