//! An MCP client of a server process: lines as they are, every line looked at.

use std::collections::{HashMap, VecDeque};
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use test_client::{Came, Client};

/// Longer than anything takes that does not hang.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// A server, and the client that speaks to it. Dropped, it is killed.
pub(crate) struct Server {
    client: Client,
    came: HashMap<String, Value>,
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
        let hello = server.client.shake_hands("box", capabilities, LONG);
        let hello = hello.unwrap_or_else(|e| panic!("{e}; {}", server.said()));
        assert_eq!(hello["protocolVersion"], "2025-11-25");
        server
    }

    /// Starts the server and says nothing.
    pub(crate) fn silent(command: &mut Command) -> Self {
        let mut client = Client::start(command.stderr(Stdio::piped())).unwrap();
        let stderr = Arc::new(Mutex::new(String::new()));
        let (mut err, said) = (client.process().stderr.take().unwrap(), Arc::clone(&stderr));
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = err.read(&mut buffer) {
                *said.lock().unwrap() += &String::from_utf8_lossy(&buffer[..read]);
            }
        });
        Self {
            client,
            came: HashMap::new(),
            stderr,
            answers: VecDeque::new(),
            questions: Vec::new(),
            meanwhile: None,
        }
    }

    pub(crate) fn pid(&mut self) -> u32 {
        self.client.process().id()
    }

    pub(crate) fn line(&mut self, line: &str) {
        // A server that was killed does not read; the test sees that by the missing answer.
        let _ = self.client.line(line);
    }

    pub(crate) fn send(&mut self, method: &str, params: &Value) -> String {
        self.client.send(method, params).unwrap_or_default().to_string()
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
            match self.client.next_line(until.saturating_duration_since(Instant::now())) {
                Came::Line(line) => self.take(message(&line)),
                Came::Silence => panic!("no answer to {id}; {}", self.said()),
                Came::End => panic!("the server ended; {}", self.said()),
            }
        }
    }

    /// What came until the server is silent for `time` or ended.
    pub(crate) fn drain(&mut self, time: Duration) -> Vec<Value> {
        let mut all = Vec::new();
        while let Came::Line(line) = self.client.next_line(time) {
            let message = message(&line);
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
        self.client.close();
    }

    /// Waits for the end, at most `time`; how it ended.
    pub(crate) fn ended(&mut self, time: Duration) -> Option<std::process::ExitStatus> {
        let until = Instant::now() + time;
        loop {
            if let Some(status) = self.client.process().try_wait().unwrap() {
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
        self.client.kill().unwrap();
    }

    pub(crate) fn signal(&mut self, signal: &str) {
        let status = Command::new("kill").args([signal, &self.pid().to_string()]).status();
        assert!(status.unwrap().success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.client.kill(); // what it says to the end is looked at
        if !std::thread::panicking() {
            assert!(!self.said().contains("panicked"), "{}", self.said());
        }
    }
}

/// Whatever is no message of the protocol comes as null and fails the test.
fn message(line: &[u8]) -> Value {
    serde_json::from_slice(line).unwrap_or_default()
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
