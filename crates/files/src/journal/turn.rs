//! Turning the changes of a step: back to what was there before, or forward again.
//!
//! How far a turn has come is in the database, so that what a crash or a full disk interrupts is
//! gone on with or taken back. A change is made only where one of its two sides is found; whatever
//! else is there is somebody's work and stays.

mod aside;
mod commits;
mod locked;
mod now;
mod put;
mod restamp;
mod same;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::ops::Bound;
use std::path::{Path, PathBuf};

use fault::{Error, Result};

use super::closed::Opened;
use super::image::Image;
use super::layer::stays_as_it_is;
use super::store::{Altered, Note, Phase, Tx};
use super::trash::Trash;
use super::undo::Direction;
use super::{Journal, StepId};
use crate::workspace::{Found, Workspace};

pub(super) use now::Now;

/// Up to so many files are brought to the disk one by one.
const SYNCED_ALONE: usize = 8;
/// How many changes are turned between two notes of how far it has come.
const NOTED_TOGETHER: usize = 1024;

/// What keeps a step from being turned, as positions of its changes.
#[derive(Debug, Default)]
pub(super) struct Obstacles {
    /// Something else is there.
    pub(super) conflicts: Vec<usize>,
    /// Those of them that belong to another commit than is checked out: to which.
    pub(super) of_commit: BTreeMap<usize, String>,
    /// What is to be put back was kept and is damaged.
    pub(super) damaged: BTreeSet<usize>,
}

/// The changes of one step, to be turned one way.
pub(super) struct Turn<'a> {
    pub(super) journal: &'a Journal,
    pub(super) workspace: &'a Workspace,
    pub(super) direction: Direction,
    pub(super) changes: &'a [Altered],
    /// Changes that are left as they are.
    pub(super) skip: BTreeSet<usize>,
    /// Changes that are turned whatever is there instead, which goes to the slot.
    pub(super) any: BTreeSet<usize>,
    /// Whether what was in the way has been moved aside.
    pub(super) forced: bool,
    id: Option<StepId>,
    /// What is noted of each change, by position.
    notes: Vec<Note>,
    trash: Trash,
    opened: RefCell<Opened>,
    locks: RefCell<locked::GitLocks>,
}

impl<'a> Turn<'a> {
    pub(super) fn new(
        journal: &'a Journal,
        workspace: &'a Workspace,
        direction: Direction,
        id: Option<StepId>,
        changes: &'a [Altered],
    ) -> Result<Self> {
        let notes = match id {
            Some(id) => journal.store_now()?.read(|tx| tx.notes(id))?,
            None => Vec::new(),
        };
        let trash = journal.trash()?;
        let mut opened = Opened::default();
        for change in changes {
            opened.along(workspace, &change.path);
            for image in [&change.before, &change.after] {
                match image {
                    Image::Moved { path } => opened.along(workspace, path),
                    Image::Trash { name } => opened.slot(&trash, name),
                    _ => {}
                }
            }
        }
        let (skip, any, forced) = (BTreeSet::new(), BTreeSet::new(), false);
        let (opened, locks) = (RefCell::new(opened), RefCell::default());
        Ok(Self {
            journal,
            workspace,
            direction,
            changes,
            skip,
            any,
            forced,
            id,
            notes,
            trash,
            opened,
            locks,
        })
    }

    /// What is not turned yet when the first `applied` changes are in place, in order.
    pub(super) fn left(&self, applied: usize) -> Vec<usize> {
        match self.direction {
            Direction::Undo => (0..applied).rev().collect(),
            Direction::Redo => (applied..self.changes.len()).collect(),
        }
    }

    /// What is there before the change is turned, and what it is turned to.
    pub(super) fn images(&self, at: usize) -> (&'a Image, &'a Image) {
        let change = &self.changes[at];
        match self.direction {
            Direction::Undo => (&change.after, &change.before),
            Direction::Redo => (&change.before, &change.after),
        }
    }

    /// What keeps the rest from being turned. Nothing is touched.
    pub(super) fn obstacles(&self, applied: usize) -> Result<Obstacles> {
        let mut found = Obstacles::default();
        // A path that this step turned already is judged by what it became, not by the disk; and
        // nothing is in a directory that is yet to come.
        let mut became: BTreeMap<&Path, &Image> = BTreeMap::new();
        let mut fresh: BTreeMap<&Path, ()> = BTreeMap::new();
        // Where what the turn moves is now, by where it will be.
        let mut moved: BTreeMap<&Path, &Path> = BTreeMap::new();
        let left = self.left(applied);
        for at in left.iter().copied() {
            let (expected, wanted) = self.images(at);
            let path = self.changes[at].path.as_path();
            let above = nearest_above(&became, path);
            // A new directory that takes the place of another begins empty.
            let anew = nearest_above(&fresh, path).is_some();
            let now = match (became.get(path), above) {
                (None, _) if anew => match expected {
                    Image::Absent => Now::ToTurn,
                    _ => Now::Other,
                },
                _ if matches!(expected, Image::Moved { .. }) => self.may_move(at, &became)?,
                (Some(image), _) if self.follows(at, image) => Now::ToTurn,
                (Some(Image::Moved { .. }), _) => match moved.get(path) {
                    Some(from) if self.stands(from, expected)? => Now::ToTurn,
                    Some(from) if self.stands(from, wanted)? => Now::Turned,
                    _ => Now::Other,
                },
                (Some(_), _) => Now::Other,
                (None, Some((_, Image::Moved { .. } | Image::Trash { .. }))) => Now::ToTurn,
                (None, Some((above, _))) if !self.is_directory(above)? => match expected {
                    Image::Absent => Now::ToTurn,
                    _ => Now::Other,
                },
                _ => self.now(at)?,
            };
            let must_be_whole = now != Now::Turned && !(now == Now::Other && stays_as_it_is(path));
            if must_be_whole && (self.is_damaged(at)? || self.is_without_commit(at)?) {
                found.damaged.insert(at);
            } else if now == Now::Other {
                found.conflicts.push(at);
            } else if now == Now::ToTurn
                && let Some(commit) = self.of_other_commit(at, &left)
            {
                found.conflicts.push(at);
                found.of_commit.insert(at, commit.to_owned());
            }
            if let (Image::Moved { path: from }, Image::Moved { path: to }) = (expected, wanted) {
                let was = became.insert(from, &Image::Absent);
                match was.filter(|image| !matches!(image, Image::Moved { .. })) {
                    // What it became there goes with it.
                    Some(image) => {
                        became.insert(to, image);
                    }
                    None => {
                        let from = moved.get(from.as_path()).copied().unwrap_or(from);
                        moved.insert(to, if now == Now::Turned { to } else { from });
                        became.insert(to, wanted);
                    }
                }
                continue;
            }
            if now == Now::ToTurn
                && matches!((expected, wanted), (Image::Trash { .. }, Image::Directory { .. }))
            {
                fresh.insert(path, ());
            }
            became.insert(path, wanted);
        }
        Ok(found)
    }

    fn may_move(&self, at: usize, became: &BTreeMap<&Path, &Image>) -> Result<Now> {
        let (Image::Moved { path: from }, Image::Moved { path: to }) = self.images(at) else {
            return Ok(Now::Other);
        };
        let there = |path: &PathBuf| match became.get(path.as_path()) {
            Some(image) => Ok(**image != Image::Absent),
            None => self.is_there(path),
        };
        Ok(match (there(from)?, there(to)?) {
            (true, false) => Now::ToTurn,
            (false, true) => Now::Turned,
            _ => Now::Other,
        })
    }

    /// Notes which of two things each slot is to hold, and what the earlier is known by, before the
    /// first is exchanged.
    pub(super) fn note_slots(&mut self, applied: usize) -> Result<()> {
        let mut noted = Vec::new();
        for at in self.left(applied) {
            let (inode, stamp) = match self.images(at) {
                (Image::Absent, Image::Trash { name }) => (None, self.trash.stamp(name)),
                (Image::Trash { .. }, Image::Absent) => (None, None),
                (_, Image::Trash { name }) => {
                    let inode = self.spot(&self.changes[at].path)?.and_then(|spot| spot.inode());
                    (inode, self.trash.stamp(name))
                }
                (Image::Trash { name }, _) => (self.trash.inode(name), None),
                _ => (None, None),
            };
            if (inode.is_some() || stamp.is_some()) && self.now(at)? == Now::ToTurn {
                noted.push((at, inode, stamp));
            }
        }
        if let (Some(id), false) = (self.id, noted.is_empty()) {
            let seq = |at: &usize| self.notes[*at].seq;
            self.journal.store_now()?.write(|tx| {
                noted.iter().try_for_each(|(at, inode, stamp)| {
                    inode.map_or(Ok(()), |inode| tx.set_inode(id, seq(at), inode))?;
                    stamp.map_or(Ok(()), |stamp| tx.set_stamp(id, seq(at), &stamp))
                })
            })?;
        }
        for (at, inode, stamp) in noted {
            if let Some(note) = self.notes.get_mut(at) {
                note.inode = inode.or(note.inode);
                note.stamp = stamp.or(note.stamp);
            }
        }
        Ok(())
    }

    /// Keeps what is about to go and is needed to come back later.
    pub(super) fn remember(&self, tx: &Tx<'_>, applied: usize) -> Result<()> {
        for at in self.left(applied) {
            let (Image::File { .. }, Image::Absent | Image::File { .. } | Image::Link { .. }) =
                self.images(at)
            else {
                continue;
            };
            let path = &self.changes[at].path;
            if let Some(spot) = self.spot(path)?
                && let Ok(Found::File { size, .. }) = spot.look()
            {
                let fail = |e: std::io::Error| Error::io(&self.workspace.show(path), &e);
                let mut file = spot.open_own().map_err(fail)?;
                if size > self.workspace.limits().file_bytes {
                    tx.put_file(&file, &fault::Bound::NONE)?;
                } else {
                    let mut bytes = Vec::new();
                    file.read_to_end(&mut bytes).map_err(fail)?;
                    tx.put(&bytes)?;
                }
            }
        }
        Ok(())
    }

    /// Notes the inode of what a slot is about to give to its path.
    fn note_slot(&self, at: usize, inode: Option<u64>) -> Result<()> {
        match (self.id, self.notes.get(at), inode) {
            (Some(id), Some(note), Some(inode)) => {
                self.journal.store_now()?.write(|tx| tx.set_inode(id, note.seq, inode))
            }
            _ => Ok(()),
        }
    }

    /// Turns what is left, and keeps `applied` right. What is turned already stays, so that it can
    /// be repeated after a crash.
    pub(super) fn run(&self, applied: &mut usize) -> Result<()> {
        self.run_synced(applied, self.left(*applied).len() <= SYNCED_ALONE)
    }

    /// The same; the changes reach the disk each by itself, or together at the end: a crash before
    /// that finds the step unfinished.
    pub(super) fn run_synced(&self, applied: &mut usize, each: bool) -> Result<()> {
        let left = self.left(*applied);
        let each = self.journal.durable && each;
        for (count, at) in left.into_iter().enumerate() {
            if !self.skip.contains(&at) {
                self.turn_one(at, each)?;
            }
            self.locks.borrow_mut().release(&self.changes[at].path);
            *applied = if self.direction == Direction::Undo { at } else { at + 1 };
            if let Some(id) = self.id
                && (count + 1) % NOTED_TOGETHER == 0
            {
                self.journal.store_now()?.write(|tx| tx.set_applied(id, *applied))?;
            }
        }
        self.set_modes()?;
        if self.journal.durable && !each { self.workspace.sync() } else { Ok(()) }
    }

    /// How many changes are in place: `applied`, or what there are if a turn the other way stopped with
    /// it. How far that came is noted now and then, and if it was killed it may have come further, up
    /// to the end.
    pub(super) fn start(&self, phase: Phase, applied: usize) -> Result<usize> {
        let (beyond, step): (Vec<usize>, usize) = match (self.direction, phase) {
            (Direction::Redo, Phase::Undoing) => ((0..applied).collect(), 0),
            (Direction::Undo, Phase::Redoing) => ((applied..self.changes.len()).rev().collect(), 1),
            _ => return Ok(applied),
        };
        for at in beyond {
            if self.now(at)? == Now::ToTurn {
                return Ok(at + step);
            }
        }
        Ok(applied)
    }

    /// Whether any change is turned already, if `applied` was noted last.
    pub(super) fn is_begun(&self, applied: Option<usize>) -> Result<bool> {
        let start = match self.direction {
            Direction::Undo => self.changes.len(),
            Direction::Redo => 0,
        };
        if applied != Some(start) {
            return Ok(true);
        }
        for at in self.left(start) {
            if self.now(at)? == Now::Turned {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the next change to be turned is as it was before the turn.
    pub(super) fn is_untouched(&self, applied: usize) -> bool {
        let next = self.left(applied).first().copied();
        next.is_none_or(|at| matches!(self.now(at), Ok(Now::ToTurn | Now::Other)))
    }

    /// Takes back every change that was made; gives those where somebody else's work is, which are
    /// left alone, in their order.
    pub(super) fn take_back(&self) -> Result<Vec<usize>> {
        let mut left = Vec::new();
        let each = self.journal.durable && self.changes.len() <= SYNCED_ALONE;
        for at in self.left(self.changes.len()) {
            match self.now(at)? {
                Now::Other => left.insert(0, at),
                Now::Turned => {}
                Now::ToTurn => self.turn_one(at, each)?,
            }
        }
        self.set_modes()?;
        if self.journal.durable && !each {
            self.workspace.sync()?;
        }
        Ok(left)
    }
}

/// The nearest directory above a path that a map has, with its value: at a cost that grows with the
/// length of the path and not with its square.
fn nearest_above<'m, V: Copy>(map: &BTreeMap<&'m Path, V>, path: &Path) -> Option<(&'m Path, V)> {
    let mut limit = Bound::Excluded(path);
    loop {
        // Paths are in the order of their names, so that a directory comes before what is in it.
        let (found, value) = map.range::<Path, _>((Bound::Unbounded, limit)).next_back()?;
        if path.starts_with(found) {
            return Some((found, *value));
        }
        let both = path.components().zip(found.components());
        let common = both.take_while(|(a, b)| a == b).count();
        limit = Bound::Included(path.ancestors().nth(path.components().count() - common)?);
    }
}
