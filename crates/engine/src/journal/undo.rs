//! Looking at the journal, and going back and forth in it.

use super::blobs::hash_file;
use super::image::Image;
use super::recover::reaching;
use super::store::{Altered, Phase, StepRow};
use super::{Approved, Journal, Label, StepId};
use crate::error::{Code, Error, Result};
use crate::workspace::{FileMode, Found, Spot, Workspace};

/// Up to so many files are brought to the disk one by one.
const SYNCED_ALONE: usize = 8;

/// Which way a step is turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Back to what was there before the call.
    Undo,
    /// Forward again to what the call made.
    Redo,
}

/// What a step did to one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path as it is shown.
    pub path: String,
    /// `created`, `changed` or `removed`.
    pub what: &'static str,
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
    /// Whether it was undone.
    pub undone: bool,
    /// What undo does not cover, in words; empty if it covers all.
    pub missed: String,
    /// What it did.
    pub changes: Vec<Change>,
}

impl Direction {
    fn phases(self) -> (Phase, Phase, Phase) {
        match self {
            Self::Undo => (Phase::Done, Phase::Undoing, Phase::Undone),
            Self::Redo => (Phase::Undone, Phase::Redoing, Phase::Done),
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Undo => "undo",
            Self::Redo => "redo",
        }
    }

    /// The changes in the order in which they are turned: path, what is there, what shall be.
    fn plan(self, changes: &[Altered]) -> Vec<(&Altered, &Image, &Image)> {
        match self {
            Self::Undo => changes.iter().rev().map(|c| (c, &c.after, &c.before)).collect(),
            Self::Redo => changes.iter().map(|c| (c, &c.before, &c.after)).collect(),
        }
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

    /// Undoes or redoes one step: the newest that can be, if no number is given. All of it or
    /// nothing: if a file was changed since, none is touched.
    ///
    /// # Errors
    /// `NothingToUndo` if there is no such step or it is not in the state for it; `UndoConflict`
    /// with the files that were changed since.
    pub fn turn(
        &self,
        workspace: &Workspace,
        direction: Direction,
        id: Option<StepId>,
    ) -> Result<Record> {
        let (from, during, to) = direction.phases();
        let (row, changes) = self.store()?.read(|tx| {
            let row = match id {
                Some(id) => tx.step(&self.root, id)?.filter(|row| row.phase == from),
                None => tx.last(&self.root, from)?,
            };
            let row = row.ok_or_else(|| Error::nothing_to_turn(direction.word(), id))?;
            let changes = tx.changes(row.id)?;
            Ok((row, changes))
        })?;
        let wider = reaching(&self.root, &changes)?;
        // A step that changes nothing itself: it holds the locks until this is done.
        let label = Label { tool: row.tool.clone(), about: String::new() };
        let step = self.begin(&wider, label, Approved::default());
        step.hold_all(changes.iter().map(|change| change.path.clone()).collect())?;
        self.refuse_conflicts(&wider, direction, row.id, &changes)?;
        self.store()?.write(|tx| tx.set_phase(row.id, during))?;
        self.finish_turn(&wider, direction, &changes)?;
        changes.iter().for_each(|change| workspace.forget_seen(&change.path));
        self.store()?.write(|tx| tx.set_phase(row.id, to))?;
        let mut record = record(workspace, &changes, row);
        record.undone = direction == Direction::Undo;
        Ok(record)
    }

    fn refuse_conflicts(
        &self,
        workspace: &Workspace,
        direction: Direction,
        id: StepId,
        changes: &[Altered],
    ) -> Result<()> {
        let mut conflicts = Vec::new();
        let mut settled = std::collections::HashMap::new();
        for (change, expected, wanted) in direction.plan(changes) {
            // A path that this step turned already is judged by what it became, not by the disk; and
            // nothing is in a folder that is yet to come.
            let above = change.path.ancestors().skip(1).find(|a| settled.contains_key(*a));
            let fits = match settled.insert(change.path.as_path(), wanted) {
                Some(became) => became == expected,
                None if above.is_some_and(|a| !is_folder(workspace, a)) => {
                    *expected == Image::Absent
                }
                None => self.fits(&workspace.spot_of(&change.path), expected, wanted)?,
            };
            if !fits {
                conflicts.push(workspace.show(&change.path));
            }
        }
        if conflicts.is_empty() {
            Ok(())
        } else {
            Err(Error::undo_conflict(direction.word(), id, &conflicts))
        }
    }

    /// Turns each change that is not turned yet, so that it can be repeated after a crash.
    pub(super) fn finish_turn(
        &self,
        workspace: &Workspace,
        direction: Direction,
        changes: &[Altered],
    ) -> Result<()> {
        // Many files reach the disk together: a crash before that finds the step unfinished.
        let each = self.durable && changes.len() <= SYNCED_ALONE;
        for (change, expected, wanted) in direction.plan(changes) {
            let spot = workspace.spot_of(&change.path);
            let mode = mode_to_set(expected, wanted);
            let done = self.stands(&spot, wanted)? && (mode.is_none() || mode == mode_of(&spot));
            if done && !matches!(wanted, Image::Trash { .. }) {
                continue;
            }
            let spot = match spot {
                Err(e) if e.code == Code::ParentDirectoryNotFound => {
                    self.make_folders(workspace, &change.path)?;
                    workspace.spot_of(&change.path)?
                }
                other => other?,
            };
            self.remember(workspace, &spot, expected)?;
            self.put_image(workspace, &spot, expected, wanted, each)?;
        }
        // Last, since a folder may be one that nothing can be put into. Deepest first.
        let mut folders = direction.plan(changes);
        folders.sort_by(|a, b| b.0.path.cmp(&a.0.path));
        for (change, expected, wanted) in folders {
            if let (Image::Directory { .. }, Some(mode)) = (wanted, mode_to_set(expected, wanted))
                && let Ok(spot) = workspace.spot_of(&change.path)
            {
                let failed = |e| Error::io(&workspace.show(&change.path), &e);
                spot.set_directory_mode(mode).map_err(failed)?;
            }
        }
        if self.durable && !each {
            workspace.sync()?;
        }
        Ok(())
    }

    /// What is about to go is needed to come back later.
    fn remember(&self, workspace: &Workspace, spot: &Spot, expected: &Image) -> Result<()> {
        if let Image::File { .. } = expected
            && let Ok(Found::File { size, .. }) = spot.look()
        {
            let shown = workspace.show(&spot.path);
            let fail = |e: std::io::Error| Error::io(&shown, &e);
            if size > workspace.limits().file_bytes {
                let file = spot.open().map_err(fail)?;
                return self.store()?.write(|tx| tx.put_file(&file));
            }
            let bytes = spot.read(u64::MAX).map_err(fail)?;
            self.store()?.write(|tx| tx.put(&bytes))?;
        }
        Ok(())
    }

    /// Whether a path is as it must be to be turned. Where a folder was made and others put files
    /// into it since, it stays; so instead of nothing, a folder will do where one is wanted.
    fn fits(&self, spot: &Result<Spot>, expected: &Image, wanted: &Image) -> Result<bool> {
        let folder = matches!((expected, wanted), (Image::Absent, Image::Directory { .. }));
        Ok(self.stands(spot, expected)? || folder && self.stands(spot, wanted)?)
    }

    /// Whether `image` stands at the place.
    fn stands(&self, spot: &Result<Spot>, image: &Image) -> Result<bool> {
        let Ok(spot) = spot else { return Ok(*image == Image::Absent) };
        let fail = |e: std::io::Error| Error::io(&spot.path.display().to_string(), &e);
        let found = spot.look().map_err(fail)?;
        Ok(match (image, found) {
            (Image::Absent, Found::Nothing)
            | (Image::Directory { .. }, Found::Directory { .. }) => true,
            (Image::File { hash: wanted, .. }, Found::File { .. }) => {
                hash_file(&spot.open().map_err(fail)?).map_err(fail)? == *wanted
            }
            (Image::Link { target }, Found::Link) => spot.link().map_err(fail)? == *target,
            (Image::Trash { .. }, found) => found != Found::Nothing,
            _ => false,
        })
    }

    fn put_image(
        &self,
        workspace: &Workspace,
        spot: &Spot,
        now: &Image,
        wanted: &Image,
        durable: bool,
    ) -> Result<()> {
        let shown = workspace.show(&spot.path);
        workspace.forget_seen(&spot.path);
        let done = match (wanted, now) {
            (Image::Absent, Image::Trash { name }) => {
                spot.move_to(&self.trash()?.dir, name.as_ref(), durable)
            }
            (Image::Absent, Image::Directory { .. }) => match spot.remove_directory(durable) {
                Err(e) if e.kind() == std::io::ErrorKind::DirectoryNotEmpty => Ok(()),
                other => other,
            },
            (Image::Absent, _) => match spot.remove_file(durable) {
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(()),
                other => other,
            },
            (Image::File { hash, .. }, _) => {
                let mode = mode_to_set(now, wanted).map(FileMode::Exact);
                let large = self.store()?.read(|tx| Ok(tx.open(hash)))?;
                match large {
                    Some(file) => spot.put_copy(&file, mode, durable).map(drop),
                    None => {
                        let bytes = self.store()?.read(|tx| tx.get(hash))?;
                        spot.put_file(&bytes, mode, durable).map(drop)
                    }
                }
            }
            (Image::Directory { mode }, _) => match spot.put_directory(*mode, durable) {
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
                other => other,
            },
            (Image::Link { target }, _) => spot.put_link(target, durable),
            (Image::Trash { name }, _) => {
                match spot.move_from(&self.trash()?.dir, name.as_ref(), durable) {
                    // It is back already, put there before a crash.
                    Err(e)
                        if e.kind() == std::io::ErrorKind::NotFound
                            && !matches!(spot.look(), Ok(Found::Nothing)) =>
                    {
                        Ok(())
                    }
                    other => other,
                }
            }
        };
        done.map_err(|e| Error::io(&shown, &e))
    }

    /// Makes the folders above a path that is put back.
    fn make_folders(&self, workspace: &Workspace, path: &std::path::Path) -> Result<()> {
        let Some(parent) = path.parent() else { return Ok(()) };
        match workspace.spot_of(parent) {
            Err(e) if e.code == Code::ParentDirectoryNotFound => {
                self.make_folders(workspace, parent)?
            }
            _ => {}
        }
        let spot = workspace.spot_of(parent)?;
        let image = Image::Directory { mode: None };
        self.put_image(workspace, &spot, &Image::Absent, &image, self.durable)
    }

    /// Takes back the changes of a step that failed and forgets it.
    pub(super) fn roll_back(
        &self,
        workspace: &Workspace,
        id: StepId,
        changes: &[Altered],
    ) -> Result<()> {
        for change in changes.iter().rev() {
            let one = std::slice::from_ref(change);
            let spot = workspace.spot_of(&change.path);
            // Somebody else's work after ours is left alone.
            if self.stands(&spot, &change.after)? {
                self.finish_turn(workspace, Direction::Undo, one)?;
            }
        }
        self.store()?.write(|tx| tx.forget_step(id))
    }
}

fn is_folder(workspace: &Workspace, real: &std::path::Path) -> bool {
    let look = workspace.spot_of(real).map(|spot| spot.look());
    matches!(look, Ok(Ok(Found::Directory { .. })))
}

/// The mode that turning `now` into `wanted` must set. Where both have the same, a mode that
/// somebody set since stays.
fn mode_to_set(now: &Image, wanted: &Image) -> Option<u32> {
    let mode = |image: &Image| match image {
        Image::File { mode, .. } | Image::Directory { mode } => *mode,
        _ => None,
    };
    mode(wanted).filter(|wanted| mode(now) != Some(*wanted))
}

/// The mode of the file or folder that stands at a place.
fn mode_of(spot: &Result<Spot>) -> Option<u32> {
    match spot.as_ref().ok()?.look().ok()? {
        Found::File { mode, .. } | Found::Directory { mode } => Some(mode),
        _ => None,
    }
}

pub(super) fn what(change: &Altered) -> &'static str {
    match (&change.before, &change.after) {
        (Image::Absent, _) => "created",
        (_, Image::Absent) => "removed",
        _ => "changed",
    }
}

fn record(workspace: &Workspace, changes: &[Altered], row: StepRow) -> Record {
    let change = |c: &Altered| Change { path: workspace.show(&c.path), what: what(c) };
    Record {
        id: row.id,
        tool: row.tool,
        about: row.about,
        time: row.time,
        undone: matches!(row.phase, Phase::Undone | Phase::Undoing),
        missed: row.missed,
        changes: changes.iter().map(change).collect(),
    }
}
