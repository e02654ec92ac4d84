//! The record of a session: a file of JSON lines in the state directory, written line by line, so
//! that what was written before a kill can be read after it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fault::{Code, Error, Result};
use files::{State, state};
use jiff::Timestamp;
use serde::Serialize;

use crate::event::{Event, Line, Reason};
use crate::model::Usage;

/// The directory of the records, below the state directory.
const FOLDER: &str = "sessions";
/// How the names of records end.
const SUFFIX: &str = ".jsonl";
/// How many characters of the name of a session name its record.
const NAME: usize = 8;

/// The record of a session that goes on.
#[derive(Debug)]
pub struct Record {
    file: File,
    path: PathBuf,
}

impl Record {
    /// Begins the record of a session, which is named by the end of the session's own name.
    ///
    /// # Errors
    /// `Io` with the path if it cannot be opened.
    pub fn begin(state: &State, session: &str) -> Result<Self> {
        let id = session.get(session.len().saturating_sub(NAME)..).unwrap_or(session);
        let path = state.folder(FOLDER)?.join(format!("{id}{SUFFIX}"));
        let file = state.append(&format!("{FOLDER}/{id}{SUFFIX}"))?;
        state::hold(&file, Duration::ZERO);
        Ok(Self { file, path })
    }

    /// Goes on with a record, and gives what it has. A line that was being written when its process
    /// was killed is removed.
    ///
    /// # Errors
    /// `InvalidInput` if a process still writes it; as for [`read`].
    pub fn resume(state: &State, id: &str) -> Result<(Self, Vec<Line>)> {
        let name = format!("{id}{SUFFIX}");
        let path = state.folder(FOLDER)?.join(&name);
        let file = state.append(&format!("{FOLDER}/{name}"))?;
        if !state::hold(&file, Duration::ZERO) {
            return Err(Error::session_in_use(id));
        }
        let text = text(state, id)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        file.set_len(whole as u64).map_err(|e| Error::state_io(&path, &e))?;
        let lines = read(&name, &text)?;
        Ok((Self { file, path }, lines))
    }

    /// The name of the session on the command line.
    pub fn id(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds an event; one write for its line.
    pub(crate) fn write(&mut self, event: &Event) -> Result<()> {
        #[derive(Serialize)]
        struct Timed<'a> {
            time: Timestamp,
            #[serde(flatten)]
            event: &'a Event,
        }
        let timed = Timed { time: Timestamp::now(), event };
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

/// The text of a record.
///
/// # Errors
/// `Io` with the path if it cannot be read.
pub fn text(state: &State, id: &str) -> Result<String> {
    let bytes = state.read(FOLDER, &format!("{id}{SUFFIX}"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The one session whose name begins with `wanted`.
///
/// # Errors
/// `InvalidInput` if there is none, or more than one.
pub fn find(state: &State, wanted: &str) -> Result<String> {
    let all = state.names(FOLDER)?;
    let names = all.iter().filter_map(|name| name.strip_suffix(SUFFIX));
    let found: Vec<_> = names.filter(|name| name.starts_with(wanted)).collect();
    match found.as_slice() {
        [one] => Ok((*one).to_owned()),
        // The whole name of one may be the beginning of others.
        many if many.contains(&wanted) => Ok(wanted.to_owned()),
        many => Err(Error::no_such_session(wanted, many.len())),
    }
}

/// How many records are kept, and how long.
#[derive(Clone, Copy, Debug)]
pub struct Keep {
    /// Most records.
    pub count: usize,
    /// Longest time since something was written to one.
    pub age: Duration,
}

/// Removes the records that are too many or too old, oldest first, and gives how many. One that a
/// process writes is never removed.
///
/// # Errors
/// `Io` if the records cannot be listed.
pub fn prune(state: &State, keep: Keep) -> Result<usize> {
    state.keep_newest(FOLDER, keep.count, keep.age)
}

/// A session in short.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Its name on the command line.
    pub session: String,
    /// When it began.
    pub time: Option<Timestamp>,
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
    /// What all answers took.
    pub usage: Option<Usage>,
    /// What they cost in US dollars; nothing if a price is not known.
    pub usd: Option<f64>,
    /// The record.
    pub path: PathBuf,
}

/// Every recorded session, oldest first.
///
/// # Errors
/// `Io` if the records cannot be read.
pub fn summaries(state: &State) -> Result<Vec<Summary>> {
    let mut all = Vec::new();
    each(state, |name, path, lines| {
        let mut summary = Summary { session: name, path, ..Summary::default() };
        let mut spent = Spent::default();
        for line in lines {
            spent.add(&line.event);
            note(&mut summary, line);
        }
        (summary.usage, summary.usd) = (spent.usage, spent.usd);
        all.push(summary);
    })?;
    all.sort_by(|a, b| (a.time, &a.session).cmp(&(b.time, &b.session)));
    Ok(all)
}

fn each(state: &State, mut of: impl FnMut(String, PathBuf, Vec<Line>)) -> Result<()> {
    for file in state.contents(FOLDER)? {
        let (path, bytes) = file?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        // A line that a newer Kitbag wrote does not hide the session.
        let text = String::from_utf8_lossy(&bytes);
        of(name, path, text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect());
    }
    Ok(())
}

fn note(summary: &mut Summary, Line { time, event }: Line) {
    match event {
        Event::Start { model, root, .. } => {
            summary.time = summary.time.or(time);
            (summary.model, summary.root) = (model, root);
        }
        Event::Prompt { text } => {
            summary.reason = None; // it goes on
            if summary.prompt.is_empty() {
                summary.prompt = text;
            }
        }
        Event::Request { turn, .. } => summary.turns = turn,
        Event::Result { .. } => summary.calls += 1,
        Event::End { reason, .. } => summary.reason = Some(reason),
        _ => {}
    }
}

/// What answers took.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Spent {
    /// How many answers.
    pub requests: u32,
    /// The tokens of all of them; nothing if there were none.
    pub usage: Option<Usage>,
    /// What they cost in US dollars; nothing if the cost of one is not known.
    pub usd: Option<f64>,
}

impl Spent {
    /// Counts an answer.
    pub(crate) fn add(&mut self, event: &Event) {
        if let Event::Reply { reply, usd, .. } | Event::Compaction { reply, usd, .. } = event {
            let first = self.requests == 0;
            self.usd = if first { *usd } else { self.usd.zip(*usd).map(|(a, b)| a + b) };
            self.usage = Some(self.usage.map_or(reply.usage, |sum| sum.and(reply.usage)));
            self.requests += 1;
        }
    }
}

/// What was spent since a moment, by model.
///
/// # Errors
/// `Io` if the records cannot be read.
pub fn spent(state: &State, since: Timestamp) -> Result<BTreeMap<String, Spent>> {
    let mut all: BTreeMap<String, Spent> = BTreeMap::new();
    each(state, |_, _, lines| {
        let mut of = String::new();
        for Line { time, event } in lines {
            if let Event::Start { model, .. } = event {
                of = model;
            } else if time.is_some_and(|time| time >= since)
                && matches!(event, Event::Reply { .. } | Event::Compaction { .. })
            {
                all.entry(of.clone()).or_default().add(&event);
            }
        }
    })?;
    Ok(all)
}
