//! The steps of the journal as they are shown.

use std::collections::HashSet;
use std::path::Path;

use fault::Result;

use super::image::Image;
use super::store::{Altered, Phase, StepRow};
use super::undo::Direction;
use super::{Journal, StepId};
use crate::workspace::Workspace;

/// Whether the changes of a step are in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All of them.
    Done,
    /// None of them.
    Undone,
    /// Some of them: something stopped a call, an undo or a redo half way.
    Half,
    /// Somebody works on it.
    Running,
}

/// What can be done to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It was not there before.
    Created,
    /// It has another content or mode.
    Changed,
    /// It is gone.
    Removed,
    /// It is elsewhere: [`Change::to`].
    Moved,
}

impl ChangeKind {
    /// The kind as a word: `created`, `changed`, `removed` or `moved`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Removed => "removed",
            Self::Moved => "moved",
        }
    }

    /// What a path is once such a change of it was turned, in a few words.
    pub(super) fn turned(self, direction: Direction) -> &'static str {
        match (direction, self) {
            (Direction::Undo, Self::Created) => "removed",
            (Direction::Undo, Self::Removed) => "brought back",
            (Direction::Undo, Self::Moved) => "moved back",
            (Direction::Undo, Self::Changed) => "as it was before",
            (Direction::Redo, Self::Created) => "created again",
            (Direction::Redo, Self::Removed) => "removed again",
            (Direction::Redo, Self::Moved) => "moved again",
            (Direction::Redo, Self::Changed) => "changed again",
        }
    }
}

/// What a step did to one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path as it is shown.
    pub path: String,
    /// What was done to it.
    pub what: ChangeKind,
    /// Where it was moved.
    pub to: Option<String>,
    /// Whether it is a directory in which there was nothing that undo could bring back.
    pub empty: bool,
}

/// One step as the journal remembers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its number.
    pub id: StepId,
    /// The tool that made it.
    pub tool: String,
    /// The paths or the command line.
    pub about: String,
    /// When, in microseconds since 1970.
    pub time: i64,
    /// The session that made it: all calls of one conversation have the same.
    pub session: String,
    /// Whether its changes are in place.
    pub status: Status,
    /// Whether it never was made: a person can have it made by its number.
    pub held_back: bool,
    /// Why it is half done, or what of a failed call could not be taken back, and what to do; mostly
    /// empty.
    pub trouble: String,
    /// What undo does not cover, in words; empty if it covers all.
    pub missed: String,
    /// What it did.
    pub changes: Vec<Change>,
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.path)?;
        self.to.as_ref().map_or(Ok(()), |to| write!(f, " to {to}"))
    }
}

impl Journal {
    /// The newest steps in this root, newest first.
    ///
    /// # Errors
    /// `Io` if the journal cannot be read.
    pub fn log(&self, workspace: &Workspace, most: usize) -> Result<Vec<Record>> {
        self.store()?.read(|tx| {
            let rows = tx.steps(&self.root, most)?;
            rows.into_iter().map(|row| Ok(record(workspace, &tx.changes(row.id)?, row))).collect()
        })
    }

    /// One step in this root; `None` if it changed nothing or was pruned.
    ///
    /// # Errors
    /// `Io` if the journal cannot be read.
    pub fn step(&self, workspace: &Workspace, id: StepId) -> Result<Option<Record>> {
        self.store()?.read(|tx| {
            let Some(row) = tx.step(&self.root, id)? else { return Ok(None) };
            Ok(Some(record(workspace, &tx.changes(id)?, row)))
        })
    }
}

pub(super) fn what(change: &Altered) -> ChangeKind {
    match (&change.before, &change.after) {
        (Image::Moved { .. }, _) => ChangeKind::Moved,
        (Image::Absent, _) => ChangeKind::Created,
        (_, Image::Absent) => ChangeKind::Removed,
        _ => ChangeKind::Changed,
    }
}

/// What undo does not cover, and what it may cover too much.
fn missed(missed: String, is_unsure: bool) -> String {
    const UNSURE: &str = "what somebody else changed while the command ran may be among these";
    match missed.is_empty() {
        _ if !is_unsure => missed,
        true => UNSURE.to_owned(),
        false => format!("{missed}; {UNSURE}"),
    }
}

pub(super) fn record(workspace: &Workspace, changes: &[Altered], row: StepRow) -> Record {
    let to = |c: &Altered| match &c.after {
        Image::Moved { path } => Some(workspace.show(path)),
        _ => None,
    };
    let above: HashSet<&Path> = changes.iter().filter_map(|c| c.path.parent()).collect();
    let empty = |c: &Altered| {
        matches!((&c.before, &c.after), (Image::Directory { .. }, Image::Absent))
            && !above.contains(c.path.as_path())
    };
    let change = |c: &Altered| {
        let (path, what, to) = (workspace.show(&c.path), what(c), to(c));
        Change { path, what, to, empty: empty(c) }
    };
    let id = row.id;
    let advice = match row.phase {
        _ if row.trouble.is_empty() => String::new(),
        Phase::Open => format!("; `kitbag undo {id}` takes the call back"),
        Phase::Undoing => {
            format!("; `kitbag undo {id}` goes on with it, `kitbag redo {id}` takes it back")
        }
        Phase::Redoing => {
            format!("; `kitbag redo {id}` goes on with it, `kitbag undo {id}` takes it back")
        }
        Phase::Done | Phase::Undone => String::new(),
    };
    Record {
        id,
        tool: row.tool,
        about: row.about,
        time: row.time,
        session: row.session,
        held_back: row.phase == Phase::Undone && row.turned == 0,
        status: match row.phase {
            Phase::Done => Status::Done,
            Phase::Undone => Status::Undone,
            _ if row.trouble.is_empty() => Status::Running,
            _ => Status::Half,
        },
        trouble: row.trouble + &advice,
        missed: missed(row.missed, row.is_unsure),
        changes: changes.iter().map(change).collect(),
    }
}
