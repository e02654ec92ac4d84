//! An MCP client of a server process: lines as they are, every line looked at.

use std::collections::{HashMap, VecDeque};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Longer than anything takes that does not hang.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// A server, and the client that speaks to it. Dropped, it is killed.
pub(crate) struct Server {
    child: Child,
    to: Option<ChildStdin>,
    from: Receiver<Value>,
    came: HashMap<String, Value>,
    next: u64,
    stderr: Arc<Mutex<String>>,
    /// What the person says to the next questions; without one, they are left open.
    pub(crate) answers: VecDeque<Value>,
    /// The questions that were asked.
    pub(crate) questions: Vec<Value>,
    /// Done while a question is open.
    pub(crate) meanwhile: Option<Box<dyn FnOnce() + Send>>,
}

/// What came of a call.
#[derive(Clone, Debug)]
pub(crate) struct Answer(pub(crate) Value);

impl Server {
    /// Starts the server; `asks` says whether the client can ask its user.
    pub(crate) fn start(mut command: Command, asks: bool) -> Self {
        let mut server = Self::silent(&mut command);
        let capabilities = if asks { json!({"elicitation": {}}) } else { json!({}) };
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": {"name": "box", "version": "1"}});
        let id = server.send("initialize", &hello);
        assert_eq!(server.wait(&id)["result"]["protocolVersion"], "2025-11-25");
        server.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        server
    }

    /// Starts the server and says nothing.
    pub(crate) fn silent(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (lines, from) = channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in out.split(b'\n').map_while(Result::ok) {
                // Whatever is no message of the protocol comes as null and fails the test.
                let message: Value = serde_json::from_slice(&line).unwrap_or_default();
                if lines.send(message).is_err() {
                    return;
                }
            }
        });
        let stderr = Arc::new(Mutex::new(String::new()));
        let (mut err, said) = (child.stderr.take().unwrap(), Arc::clone(&stderr));
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = err.read(&mut buffer) {
                *said.lock().unwrap() += &String::from_utf8_lossy(&buffer[..read]);
            }
        });
        Self {
            to: child.stdin.take(),
            child,
            from,
            came: HashMap::new(),
            next: 0,
            stderr,
            answers: VecDeque::new(),
            questions: Vec::new(),
            meanwhile: None,
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn line(&mut self, line: &str) {
        let to = self.to.as_mut().unwrap();
        // A server that was killed does not read; the test sees that by the missing answer.
        let _ = to.write_all(format!("{line}\n").as_bytes()).and_then(|()| to.flush());
    }

    pub(crate) fn send(&mut self, method: &str, params: &Value) -> String {
        self.next += 1;
        let id = self.next.to_string();
        let message =
            json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        self.line(&message.to_string());
        id
    }

    /// Sends a call and does not wait for its answer.
    pub(crate) fn begin(&mut self, tool: &str, arguments: &Value) -> String {
        self.send("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Answer {
        let id = self.begin(tool, arguments);
        self.answer(&id)
    }

    pub(crate) fn answer(&mut self, id: &str) -> Answer {
        Answer(self.wait(id))
    }

    /// The answer to the request of this id.
    pub(crate) fn wait(&mut self, id: &str) -> Value {
        let until = Instant::now() + LONG;
        loop {
            if let Some(answer) = self.came.remove(id) {
                return answer;
            }
            match self.from.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(message) => self.take(message),
                Err(RecvTimeoutError::Timeout) => panic!("no answer to {id}; {}", self.said()),
                Err(RecvTimeoutError::Disconnected) => panic!("the server ended; {}", self.said()),
            }
        }
    }

    /// What came until the server is silent for `time` or ended.
    pub(crate) fn drain(&mut self, time: Duration) -> Vec<Value> {
        let mut all = Vec::new();
        while let Ok(message) = self.from.recv_timeout(time) {
            all.push(message.clone());
            self.take(message);
        }
        all
    }

    fn take(&mut self, message: Value) {
        if let Value::Array(batch) = message {
            return batch.into_iter().for_each(|message| self.take(message));
        }
        assert_eq!(message["jsonrpc"], "2.0", "not a line of the protocol: {message}");
        if message["method"] == "elicitation/create" {
            self.questions.push(message["params"].clone());
            if let Some(work) = self.meanwhile.take() {
                work();
            }
            if let Some(said) = self.answers.pop_front() {
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": said});
                self.line(&answer.to_string());
            }
        } else if message["method"].is_null() {
            self.came.insert(message["id"].to_string(), message);
        }
    }

    fn said(&self) -> String {
        self.stderr.lock().unwrap().clone()
    }

    /// Closes the input.
    pub(crate) fn close(&mut self) {
        self.to = None;
    }

    /// Waits for the end, at most `time`; how it ended.
    pub(crate) fn ended(&mut self, time: Duration) -> Option<std::process::ExitStatus> {
        let until = Instant::now() + time;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return Some(status);
            }
            if Instant::now() > until {
                return None;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// SIGKILL, at once.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn signal(&self, signal: &str) {
        let status = Command::new("kill").args([signal, &self.pid().to_string()]).status();
        assert!(status.unwrap().success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if !std::thread::panicking() {
            assert!(!self.said().contains("panicked"), "{}", self.said());
        }
    }
}

impl Answer {
    pub(crate) fn text(&self) -> &str {
        self.0["result"]["content"][0]["text"].as_str().unwrap_or_default()
    }

    pub(crate) fn failed(&self) -> bool {
        self.0["result"]["isError"] == true || self.0["error"].is_object()
    }

    /// The text of a success.
    #[track_caller]
    pub(crate) fn ok(&self) -> &str {
        assert!(!self.failed(), "{}", self.0);
        self.text()
    }

    /// The fields of a success.
    #[track_caller]
    pub(crate) fn fields(&self) -> Value {
        serde_json::from_str(self.ok()).unwrap()
    }

    /// The code of a failure, empty for a success.
    pub(crate) fn code(&self) -> String {
        let result = &self.0["result"];
        let own: Value = serde_json::from_str(self.text()).unwrap_or_default();
        let places = [
            &result["structuredContent"]["error"]["code"],
            &self.0["error"]["data"]["code"],
            &own["code"],
        ];
        places.iter().find_map(|p| p.as_str()).unwrap_or_default().to_owned()
    }

    /// Asserts the code of a failure; gives its message.
    #[track_caller]
    pub(crate) fn fails(&self, code: &str) -> String {
        assert!(self.failed(), "no failure: {}", self.0);
        assert_eq!(self.code(), code, "{}", self.0);
        match self.0["error"]["message"].as_str() {
            Some(message) => message.to_owned(),
            None => self.text().to_owned(),
        }
    }
}
