//! A server over standard streams, and SIGKILL for it while a program runs.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::calls::same;
use crate::place::Place;
use crate::{Result, Round, said};

/// Longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server and its client.
pub(crate) struct Server {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    came: HashMap<u64, Value>,
    next: u64,
}

impl Server {
    pub(crate) fn start(place: &Place, toolset: &str) -> Result<Self> {
        let mut command = place.command(&["serve", "--toolset", toolset, "--policy", "trust"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(said)?;
        let to = child.stdin.take().ok_or("no stdin")?;
        let out = BufReader::new(child.stdout.take().ok_or("no stdout")?);
        let (lines, from) = channel();
        std::thread::spawn(move || {
            let messages = out.lines().map_while(std::io::Result::ok);
            let messages = messages.filter_map(|line| serde_json::from_str(&line).ok());
            messages.take_while(|message| lines.send(Value::clone(message)).is_ok()).for_each(drop);
        });
        let mut server = Self { child, to, from, came: HashMap::new(), next: 0 };
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "torture", "version": "1"}});
        let id = server.send("initialize", &hello)?;
        server.wait(id)?;
        server.line(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(server)
    }

    fn line(&mut self, message: &Value) -> Result {
        writeln!(self.to, "{message}").and_then(|()| self.to.flush()).map_err(said)
    }

    fn send(&mut self, method: &str, params: &Value) -> Result<u64> {
        self.next += 1;
        let message =
            json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        self.line(&message)?;
        Ok(self.next)
    }

    pub(crate) fn begin(&mut self, tool: &str, input: &Value) -> Result<u64> {
        self.send("tools/call", &json!({"name": tool, "arguments": input}))
    }

    fn wait(&mut self, id: u64) -> Result<Value> {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(answer) = self.came.remove(&id) {
                return Ok(answer);
            }
            let left = until.saturating_duration_since(Instant::now());
            let message = self.from.recv_timeout(left);
            let message = message.map_err(|e| format!("no answer of the server: {e}"))?;
            if let Some(id) = message["id"].as_u64() {
                self.came.insert(id, message);
            }
        }
    }

    /// Whether the call succeeded.
    pub(crate) fn call(&mut self, tool: &str, input: &Value) -> Result<bool> {
        let id = self.begin(tool, input)?;
        let answer = self.wait(id)?;
        Ok(answer["result"].is_object() && answer["result"]["isError"] != true)
    }

    pub(crate) fn kill(&mut self) -> Result {
        self.child.kill().and_then(|()| self.child.wait()).map(drop).map_err(said)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

pub(crate) fn round(round: &mut Round<'_>) -> Result {
    for n in 0..round.points.div_ceil(2) {
        let wait = Duration::from_millis(if n % 2 == 0 { 0 } else { 100 });
        let place = Place::new(round.program)?;
        for n in 0..40 {
            place.write(format!("d/{n}"), format!("{n} {}\n", round.dice.token()))?;
        }
        let first = place.tree()?;
        let mut server = Server::start(&place, "fiz")?;
        // One call before, so that the journal knows the project.
        let told = server.call("bash", &json!({"command": "echo 1 > told"}))?;
        let before = place.tree()?;
        let script = "for i in $(seq 0 39); do rm d/$i; echo $i > new$i; echo more >> told; sleep 0.004; done; sleep 60";
        server.begin("bash", &json!({"command": script}))?;
        std::thread::sleep(Duration::from_micros(round.dice.below(220_000) as u64));
        server.kill()?;
        round.kills += 1;
        std::thread::sleep(wait);
        let came = (|| {
            if !told {
                return Err("the first call failed".into());
            }
            place.must(&["log"])?;
            settle(&place)?;
            if place.tree()? != before {
                place.must(&["undo"])?;
                same(&place.tree()?, &before, "after undo of the killed program")?;
            }
            place.must(&["undo"])?;
            same(&place.tree()?, &first, "after undo of the call before")
        })();
        round.case(|| format!("journal opened {} ms after the kill", wait.as_millis()), came);
    }
    Ok(())
}

/// Waits until nobody changes anything.
fn settle(place: &Place) -> Result {
    let mut tree = place.tree()?;
    for _ in 0..100 {
        std::thread::sleep(Duration::from_millis(40));
        let now = place.tree()?;
        if now == tree {
            return Ok(());
        }
        tree = now;
    }
    Err("the program of the killed server goes on".into())
}
