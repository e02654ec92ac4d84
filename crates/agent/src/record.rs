//! The record of a session: a file of JSON lines in the state directory, written line by line, so
//! that what was written before a kill can be read after it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use fault::{Error, Result};
use files::{State, state};
use jiff::Timestamp;
use serde::Serialize;

use crate::event::{Event, Line, Reason};
use crate::history::History;
use crate::lines::Lines;
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

    /// Goes on with a record, and gives the conversation that it tells. A line that was being written
    /// when its process was killed is removed.
    ///
    /// # Errors
    /// `InvalidInput` if a process still writes it; `InvalidJSON` with the number of a line that is no
    /// event, and the record stays as it is.
    pub fn resume(state: &State, id: &str) -> Result<(Self, History)> {
        let name = format!("{FOLDER}/{id}{SUFFIX}");
        let mut lines = lines(state, id)?;
        let mut file = state.append(&name)?;
        if !state::hold(&file, Duration::ZERO) {
            return Err(Error::session_in_use(id));
        }
        let history = History::of(&mut lines)?;
        let path = state.folder(FOLDER)?.join(format!("{id}{SUFFIX}"));
        let (whole, open) = lines.good();
        let ended = file.set_len(whole).and_then(|()| match open {
            true => file.write_all(b"\n"),
            false => Ok(()),
        });
        ended.map_err(|e| Error::state_io(&path, &e))?;
        Ok((Self { file, path }, history))
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

/// The lines of a record.
///
/// # Errors
/// `Io` with the path if it cannot be opened.
pub fn lines(state: &State, id: &str) -> Result<Lines<BufReader<File>>> {
    let name = format!("{id}{SUFFIX}");
    let file = state.open(FOLDER, &name)?;
    let path = state.dir().join(FOLDER).join(name);
    Ok(Lines::new(path.display().to_string(), BufReader::new(file)))
}

/// The bytes of a record, which may be anything if somebody else wrote it.
///
/// # Errors
/// `Io` with the path if it cannot be read.
pub fn bytes(state: &State, id: &str) -> Result<Vec<u8>> {
    let (name, mut bytes) = (format!("{id}{SUFFIX}"), Vec::new());
    let read = state.open(FOLDER, &name)?.read_to_end(&mut bytes);
    read.map_err(|e| Error::state_io(&state.dir().join(FOLDER).join(name), &e))?;
    Ok(bytes)
}

/// The root of a session and when it began: the first line of its record, and no more is read.
///
/// # Errors
/// `Io` if the record cannot be opened, `InvalidJSON` if it begins with anything else.
pub fn root(state: &State, id: &str) -> Result<(String, Option<Timestamp>)> {
    match lines(state, id)?.next().transpose()? {
        Some(Line { time, event: Event::Start { root, .. } }) => Ok((root, time)),
        _ => Err(Error::no_start(&format!("{id}{SUFFIX}"))),
    }
}

/// The session that began last in a root.
///
/// # Errors
/// `Io` if the records cannot be listed.
pub fn last(state: &State, wanted: &str) -> Result<Option<String>> {
    let began = |id: String| {
        let (root, time) = root(state, &id).ok()?; // of one that cannot be read no root is known
        (root == wanted).then_some((time, id))
    };
    Ok(names(state)?.filter_map(began).max().map(|(_, id)| id))
}

/// The names of all sessions.
fn names(state: &State) -> Result<impl Iterator<Item = String>> {
    let all = state.names(FOLDER)?.into_iter();
    Ok(all.filter_map(|name| name.strip_suffix(SUFFIX).map(str::to_owned)))
}

/// The one session whose name begins with `wanted`.
///
/// # Errors
/// `InvalidInput` if there is none, or more than one.
pub fn find(state: &State, wanted: &str) -> Result<String> {
    let found: Vec<_> = names(state)?.filter(|name| name.starts_with(wanted)).collect();
    match found.as_slice() {
        [one] => Ok(one.clone()),
        // The whole name of one may be the beginning of others.
        _ if found.iter().any(|name| name == wanted) => Ok(wanted.to_owned()),
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

/// Every recorded session, oldest first, and what of the records cannot be read.
///
/// # Errors
/// `Io` if the records cannot be listed.
pub fn summaries(state: &State) -> Result<(Vec<Summary>, Vec<Error>)> {
    let mut all = Vec::new();
    let problems = each(state, |session, lines| {
        let path = state.dir().join(FOLDER).join(format!("{session}{SUFFIX}"));
        let mut summary = Summary { session, path, ..Summary::default() };
        let mut spent = Spent::default();
        for line in lines {
            spent.add(&line.event);
            note(&mut summary, line);
        }
        (summary.usage, summary.usd) = (spent.usage, spent.usd());
        all.push(summary);
    })?;
    all.sort_by(|a, b| (a.time, &a.session).cmp(&(b.time, &b.session)));
    Ok((all, problems))
}

/// Reads all records. One that is damaged, or has lines of a newer Kitbag, counts as far as it can be
/// read; the first problem of each is given.
fn each(
    state: &State,
    mut of: impl FnMut(String, &mut dyn Iterator<Item = Line>),
) -> Result<Vec<Error>> {
    let mut problems = Vec::new();
    for name in names(state)? {
        let mut first = None;
        match lines(state, &name) {
            Ok(lines) => of(
                name,
                &mut lines.filter_map(|line| {
                    line.map_err(|error| first = first.take().or(Some(error))).ok()
                }),
            ),
            Err(error) => first = Some(error),
        }
        problems.extend(first);
    }
    Ok(problems)
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
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    /// How many answers.
    pub requests: u32,
    /// The tokens of all of them; nothing if there were none.
    pub usage: Option<Usage>,
    /// What those cost in US dollars whose cost is known.
    pub usd_known: f64,
    /// How many answers there are whose cost is not known.
    pub unpriced: u32,
}

impl Spent {
    /// What all of them cost in US dollars; nothing if the cost of one is not known.
    pub fn usd(&self) -> Option<f64> {
        (self.requests > 0 && self.unpriced == 0).then_some(self.usd_known)
    }

    /// Counts an answer.
    pub(crate) fn add(&mut self, event: &Event) {
        if let Event::Reply { reply, usd, .. } | Event::Compaction { reply, usd, .. } = event {
            let unpriced = u32::from(usd.is_none());
            let usd_known = usd.unwrap_or(0.0);
            self.sum(&Self { requests: 1, usage: Some(reply.usage), usd_known, unpriced });
        }
    }

    fn sum(&mut self, other: &Self) {
        self.requests = self.requests.saturating_add(other.requests);
        self.usage = match (self.usage, other.usage) {
            (Some(a), Some(b)) => Some(a.and(b)),
            (a, b) => a.or(b),
        };
        self.usd_known += other.usd_known;
        self.unpriced = self.unpriced.saturating_add(other.unpriced);
    }
}

/// What sessions took together.
#[derive(Clone, Copy, Debug, Default)]
pub struct Total {
    /// All their answers.
    pub spent: Spent,
    /// How many sessions.
    pub sessions: u32,
    /// How many of them have an answer whose cost is not known.
    pub unpriced: u32,
}

impl Total {
    fn add(&mut self, session: &Spent) {
        self.spent.sum(session);
        self.sessions += 1;
        self.unpriced += u32::from(session.unpriced > 0);
    }
}

/// What was spent since a moment, by model and in all, and what of the records cannot be read.
///
/// # Errors
/// `Io` if the records cannot be listed.
pub fn spent(
    state: &State,
    since: Timestamp,
) -> Result<(BTreeMap<String, Total>, Total, Vec<Error>)> {
    let (mut models, mut all) = (BTreeMap::<String, Total>::new(), Total::default());
    let problems = each(state, |_, lines| {
        let (mut model, mut by_model) = (String::new(), BTreeMap::<String, Spent>::new());
        for Line { time, event } in lines {
            if let Event::Start { model: named, .. } = event {
                model = named;
            } else if time.is_some_and(|time| time >= since)
                && matches!(event, Event::Reply { .. } | Event::Compaction { .. })
            {
                by_model.entry(model.clone()).or_default().add(&event);
            }
        }
        let mut whole = Spent::default();
        for (model, spent) in by_model {
            whole.sum(&spent);
            models.entry(model).or_default().add(&spent);
        }
        if whole.requests > 0 {
            all.add(&whole);
        }
    })?;
    Ok((models, all, problems))
}
