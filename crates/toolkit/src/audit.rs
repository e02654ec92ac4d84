//! One line for every call, refused ones too: who called what, what was decided, what came of it.

use std::fs::File;
use std::io::Write as _;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use files::State;
use parking_lot::Mutex;
use serde::Serialize;

/// Lines of calls that only looked wait for company up to this size,
const WAITING_BYTES: usize = 16 << 10;
/// and up to this time as long as calls come. All others are written at once.
const WAITING_TIME: Duration = Duration::from_secs(1);

/// The audit log of a project: JSON lines in the state directory, `audit.jsonl`.
#[derive(Debug)]
pub(crate) struct Audit {
    state: State,
    /// Opened by the first call; `None` if it could not be, which never fails a call.
    log: OnceLock<Option<Mutex<Log>>>,
}

#[derive(Debug)]
struct Log {
    file: File,
    waiting: Vec<u8>,
    since: Instant,
}

/// What is noted of a call.
#[derive(Serialize)]
pub(crate) struct Line<'a> {
    pub(crate) session: &'a str,
    pub(crate) toolset: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) decision: &'static str,
    pub(crate) code: Option<&'static str>,
    pub(crate) step: Option<i64>,
    pub(crate) bytes: usize,
    pub(crate) ms: f64,
}

/// A line with its time.
#[derive(Serialize)]
struct Timed<'a> {
    time: jiff::Timestamp,
    #[serde(flatten)]
    line: &'a Line<'a>,
}

impl Audit {
    pub(crate) fn new(state: State) -> Self {
        Self { state, log: OnceLock::new() }
    }

    /// Notes a call. A call that changed nothing and was not refused can wait.
    pub(crate) fn write(&self, line: &Line<'_>, can_wait: bool) {
        let open = || {
            let file = self.state.append("audit.jsonl");
            let file = file.inspect_err(|e| tracing::error!("calls are not audited: {e}")).ok()?;
            Some(Mutex::new(Log { file, waiting: Vec::new(), since: Instant::now() }))
        };
        let Some(log) = self.log.get_or_init(open) else { return };
        let mut log = log.lock();
        let timed = Timed { time: jiff::Timestamp::now(), line };
        if serde_json::to_writer(&mut log.waiting, &timed).is_ok() {
            log.waiting.push(b'\n');
        }
        if !can_wait || log.waiting.len() > WAITING_BYTES || log.since.elapsed() > WAITING_TIME {
            log.flush();
        }
    }

    /// Writes what waits.
    pub(crate) fn flush(&self) {
        if let Some(Some(log)) = self.log.get() {
            log.lock().flush();
        }
    }
}

impl Drop for Audit {
    fn drop(&mut self) {
        self.flush();
    }
}

impl Log {
    /// One write for whole lines, so that lines of several servers do not mix.
    fn flush(&mut self) {
        if let Err(e) = self.file.write_all(&self.waiting) {
            tracing::error!("lines of the audit log are lost: {e}");
        }
        self.waiting.clear();
        self.since = Instant::now();
    }
}
