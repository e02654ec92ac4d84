//! Chromium alone, driven over its pipes: its own share of the measured times.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::{Result, test};

/// A running one. Dropped, it is killed.
pub(super) struct Chromium {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
    session: String,
    profile: PathBuf,
}

impl Chromium {
    pub(super) fn start() -> Result<Self> {
        let profile = test::target()?.join(format!("bench-browser/{}", std::process::id()));
        let script = "exec chromium --headless=new --no-sandbox --disable-gpu --no-first-run \
            --disable-dev-shm-usage --no-startup-window --remote-debugging-pipe \
            --user-data-dir=\"$0\" 3<&0 4>&1 </dev/null >/dev/null 2>&1";
        let mut child = Command::new("sh")
            .args(["-c", script, &profile.display().to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("chromium: {e}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("chromium has no pipes".into());
        };
        let output = BufReader::new(output);
        Ok(Self { child, input, output, next: 0, session: String::new(), profile })
    }

    fn message(&mut self) -> Result<Value> {
        let mut text = Vec::new();
        self.output.read_until(0, &mut text).map_err(|e| e.to_string())?;
        text.pop();
        serde_json::from_slice(&text).map_err(|e| format!("chromium: {e}"))
    }

    fn call(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.next += 1;
        let mut message = json!({"id": self.next, "method": method, "params": params});
        if !self.session.is_empty() {
            message["sessionId"] = self.session.as_str().into();
        }
        let text = format!("{message}\0");
        self.input.write_all(text.as_bytes()).map_err(|e| e.to_string())?;
        loop {
            let mut message = self.message()?;
            if message["id"] == self.next {
                return Ok(message["result"].take());
            }
        }
    }

    /// Opens a tab.
    pub(super) fn open(&mut self) -> Result {
        let target = self.call("Target.createTarget", &json!({"url": "about:blank"}))?;
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let attached = self.call("Target.attachToTarget", &attach)?;
        self.session = attached["sessionId"].as_str().unwrap_or_default().to_owned();
        self.call("Page.enable", &json!({})).map(drop)
    }

    /// Opens a page and waits until it is loaded.
    pub(super) fn navigate(&mut self, url: &str) -> Result {
        self.call("Page.navigate", &json!({"url": url}))?;
        while self.message()?["method"] != "Page.loadEventFired" {}
        Ok(())
    }

    /// Reads the tree; how many nodes it has.
    pub(super) fn tree(&mut self) -> Result<usize> {
        let tree = self.call("Accessibility.getFullAXTree", &json!({}))?;
        Ok(tree["nodes"].as_array().map_or(0, Vec::len))
    }

    /// The tree as it is.
    pub(super) fn raw_tree(&mut self) -> Result<String> {
        Ok(self.call("Accessibility.getFullAXTree", &json!({}))?["nodes"].to_string())
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}
