//! The record of a session: a file of JSON lines in the state directory, written line by line, so
//! that what was written before a kill can be read after it.

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;

use fault::{Code, Error, Result};
use files::State;
use serde::Serialize;

use crate::event::{Event, Line, Reason};
use crate::model::Usage;

/// The directory of the records, below the state directory.
const FOLDER: &str = "sessions";

/// The record of a session that goes on.
#[derive(Debug)]
pub struct Record {
    file: File,
    path: PathBuf,
}

impl Record {
    /// Begins the record of the session `id`.
    ///
    /// # Errors
    /// `Io` with the path if it cannot be opened.
    pub fn begin(state: &State, id: &str) -> Result<Self> {
        let path = state.folder(FOLDER)?.join(format!("{id}.jsonl"));
        let file = state.append(&format!("{FOLDER}/{id}.jsonl"))?;
        Ok(Self { file, path })
    }

    /// Where it is.
    pub fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// Adds an event; one write for its line.
    pub(crate) fn write(&mut self, event: &Event) -> Result<()> {
        #[derive(Serialize)]
        struct Timed<'a> {
            time: jiff::Timestamp,
            #[serde(flatten)]
            event: &'a Event,
        }
        let timed = Timed { time: jiff::Timestamp::now(), event };
        let mut line = serde_json::to_vec(&timed).map_err(Error::internal)?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(|e| Error::state_io(&self.path, &e))
    }
}

/// Reads a record. A last line without its end was being written when the process was killed, and
/// is left out.
///
/// # Errors
/// `InvalidJSON` with the number of a line that is no event.
pub fn read(name: &str, text: &str) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    for (at, line) in text.split_inclusive('\n').enumerate() {
        match serde_json::from_str(line) {
            Ok(event) => lines.push(event),
            Err(_) if line.trim().is_empty() || !line.ends_with('\n') => {}
            Err(e) => {
                let problem = format!("{name}:{}: not an event of a session ({e})", at + 1);
                return Err(Error::new(Code::InvalidJSON, problem));
            }
        }
    }
    Ok(lines)
}

/// A session in short.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// The session.
    pub session: String,
    /// When it began.
    pub time: Option<jiff::Timestamp>,
    /// Its root.
    pub root: String,
    /// Which model.
    pub model: String,
    /// Its first prompt.
    pub prompt: String,
    /// Why it ended; nothing if it goes on or was killed.
    pub reason: Option<Reason>,
    /// How many requests there were.
    pub turns: u32,
    /// How many calls were made.
    pub calls: usize,
    /// What all answers took, if it ended.
    pub usage: Option<Usage>,
    /// The record.
    pub path: PathBuf,
}

/// Every recorded session, oldest first.
///
/// # Errors
/// `Io` if the records cannot be read.
pub fn summaries(state: &State) -> Result<Vec<Summary>> {
    let mut all = Vec::new();
    for file in state.contents(FOLDER)? {
        let (path, bytes) = file?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut summary = Summary { session: name, path, ..Summary::default() };
        // A line that a newer Kitbag wrote does not hide the session.
        let text = String::from_utf8_lossy(&bytes);
        for line in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
            note(&mut summary, line);
        }
        all.push(summary);
    }
    all.sort_by(|a, b| (a.time, &a.session).cmp(&(b.time, &b.session)));
    Ok(all)
}

fn note(summary: &mut Summary, Line { time, event }: Line) {
    match event {
        Event::Start { model, root, .. } => {
            (summary.time, summary.model, summary.root) = (time, model, root);
        }
        Event::Prompt { text } if summary.prompt.is_empty() => summary.prompt = text,
        Event::Prompt { .. } => summary.reason = None, // it goes on
        Event::Request { turn, .. } => summary.turns = turn,
        Event::Result { .. } => summary.calls += 1,
        Event::End { reason, usage, .. } => {
            (summary.reason, summary.usage) = (Some(reason), Some(usage));
        }
        _ => {}
    }
}
