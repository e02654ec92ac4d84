//! One line for every call, refused ones too: who called what, what was decided, what came of it.

use std::fs::File;
use std::io::Write as _;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use engine::{Code, State};
use serde_json::json;

/// The audit log of a session: JSON lines in the state folder, `audit.jsonl`.
#[derive(Debug)]
pub(crate) struct Audit {
    state: State,
    session: String,
    /// Opened by the first call; `None` if it could not be, which never fails a call.
    file: OnceLock<Option<Mutex<File>>>,
}

/// What is noted of a call.
pub(crate) struct Line<'a> {
    pub(crate) toolset: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) decision: &'static str,
    pub(crate) code: Option<Code>,
    pub(crate) step: Option<i64>,
    pub(crate) bytes: usize,
    pub(crate) wall: Duration,
}

impl Audit {
    pub(crate) fn new(state: State, session: String) -> Self {
        Self { state, session, file: OnceLock::new() }
    }

    pub(crate) fn write(&self, line: &Line<'_>) {
        let file = self.file.get_or_init(|| self.state.append("audit.jsonl").ok().map(Mutex::new));
        let Some(file) = file else { return };
        let mut text = json!({
            "time": jiff::Timestamp::now().to_string(),
            "session": self.session,
            "toolset": line.toolset,
            "tool": line.tool,
            "decision": line.decision,
            "code": line.code.map(Code::as_str),
            "step": line.step,
            "bytes": line.bytes,
            "ms": line.wall.as_secs_f64() * 1000.0,
        })
        .to_string();
        text.push('\n');
        // One write a line, so that lines of several servers do not mix.
        let _ = file.lock().unwrap_or_else(PoisonError::into_inner).write_all(text.as_bytes());
    }
}
