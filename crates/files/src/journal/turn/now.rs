//! What is at the paths of a step: what it made, what was there before, or somebody's work.

use std::path::Path;

use fault::{Code, Error, Result};

use super::super::StepId;
use super::super::blobs::hash_file;
use super::super::image::Image;
use super::super::layer::{is_index, is_object, staged, staged_in};
use super::super::undo::Direction;
use super::Turn;
use super::put::mode_to_set;
use super::same::{MOST_LEVELS, same};
use crate::workspace::{Found, Spot, Stamp};

/// What is at the path of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::journal) enum Now {
    /// What is there before it is turned.
    ToTurn,
    /// What it is turned to.
    Turned,
    /// Something else.
    Other,
}

impl Turn<'_> {
    /// The place of a path, if there is a directory for it.
    pub(super) fn spot(&self, path: &Path) -> Result<Option<Spot>> {
        match self.workspace.spot_of(path) {
            Ok(spot) => Ok(Some(spot)),
            // A directory above it is missing, a file, or a link, perhaps by this step.
            Err(e)
                if matches!(
                    e.code,
                    Code::ParentDirectoryNotFound | Code::NotADirectory | Code::FileChanged
                ) =>
            {
                Ok(None)
            }
            Err(e) => Err(e),
        }
    }

    pub(in crate::journal) fn is_there(&self, path: &Path) -> Result<bool> {
        Ok(self.spot(path)?.is_some_and(|spot| spot.inode().is_some()))
    }

    /// What is at the path of a change now.
    pub(in crate::journal) fn now(&self, at: usize) -> Result<Now> {
        let change = &self.changes[at];
        let (expected, wanted) = self.images(at);
        if is_object(&change.path) && change.before != Image::Absent {
            // A later commit may need what was removed once, and one object too many does no harm.
            let stays = *wanted == Image::Absent;
            if stays || *expected == Image::Absent && self.is_there(&change.path)? {
                return Ok(Now::Turned);
            }
        }
        let (to_turn, turned) = match (expected, wanted) {
            (Image::Moved { path: from }, Image::Moved { path: to }) => {
                let (from, to) = (self.is_there(from)?, self.is_there(to)?);
                (from && !to, to && !from)
            }
            (Image::Trash { name }, Image::Absent) => {
                let (slot, path) = (self.trash.inode(name), self.is_there(&change.path)?);
                (slot.is_none() && self.is_as_kept(at)?, !path && slot.is_some())
            }
            (Image::Absent, Image::Trash { name }) => {
                let (slot, path) = (self.trash.inode(name), self.is_there(&change.path)?);
                let there = slot.is_some() && (!path || self.is_put_back(at, name)?);
                (there, path && slot.is_none())
            }
            (Image::Trash { name }, later) => {
                let before = self.slot_is_before(at, name, later)?;
                (before && self.is_as_kept(at)?, !before && self.stands(&change.path, later)?)
            }
            (later, Image::Trash { name }) => {
                let before = self.slot_is_before(at, name, later)?;
                let made_room = self.forced && !self.is_there(&change.path)?;
                let there = made_room || self.stands(&change.path, later)?;
                (!before && there, before || !there && self.is_put_back(at, name)?)
            }
            _ => {
                let is_wanted = self.stands(&change.path, wanted)?;
                let mode = mode_to_set(expected, wanted);
                let done = is_wanted
                    && (mode.is_none()
                        || matches!(wanted, Image::Directory { .. })
                        || mode == self.mode(&change.path)?);
                // Git may have put what the step made into one file with the other refs.
                if done && *wanted == Image::Absent && self.packed(&change.path)?.is_some() {
                    let is_as_made = self.ref_as_expected(at)?.is_some();
                    return Ok(if is_as_made { Now::ToTurn } else { Now::Other });
                }
                (!done && (is_wanted || self.stands(&change.path, expected)?), done)
            }
        };
        Ok(if turned {
            Now::Turned
        } else if to_turn || self.same_index(at)?.is_some() {
            Now::ToTurn
        } else {
            Now::Other
        })
    }

    /// Whether a change still applies after another of the step left `became` at its path: two programs of
    /// one call may write one file.
    pub(super) fn follows(&self, at: usize, became: &Image) -> bool {
        let (expected, wanted) = self.images(at);
        let is_index = is_index(&self.changes[at].path);
        let holds = |slot: &str, image: &Image| match image {
            Image::File { .. } if is_index => self.trash.inode(slot).is_some(),
            Image::File { .. } | Image::Link { .. } => {
                image.expected().is_at(&self.trash.dir, slot.as_ref())
            }
            _ => false,
        };
        match (became, expected) {
            _ if became == expected => true,
            (Image::Trash { name }, later) => holds(name, later),
            (Image::File { .. } | Image::Link { .. }, Image::Trash { name }) => holds(name, wanted),
            _ => false,
        }
    }

    /// The moves of this step whose file or directory later steps changed where it is now: these
    /// would not find it any more. Steps that are turned before it do not count.
    pub(in crate::journal) fn built_on(
        &self,
        step: StepId,
        before: &[StepId],
    ) -> Result<Vec<usize>> {
        let place = |at: usize| match self.images(at).0 {
            Image::Moved { path } => Some((at, path.as_path())),
            _ => None,
        };
        let moved: Vec<_> = (0..self.changes.len()).filter_map(place).collect();
        if moved.is_empty() {
            return Ok(Vec::new());
        }
        let places: Vec<_> = moved.iter().map(|(_, place)| *place).collect();
        let journal = self.journal;
        let later =
            journal.store_now()?.read(|tx| tx.later(&journal.root, step, &places, before))?;
        let is_later =
            |(_, place): &(usize, &Path)| later.iter().any(|(changed, _)| changed == place);
        Ok(moved.into_iter().filter(is_later).map(|(at, _)| at).collect())
    }

    /// By what the index of a repository is known that stages what the change expects to be there:
    /// git writes it also to look.
    pub(super) fn same_index(&self, at: usize) -> Result<Option<Stamp>> {
        let path = &self.changes[at].path;
        let Some(spot) = self.spot(path)?.filter(|_| is_index(path)) else { return Ok(None) };
        let noted = self.notes.get(at).and_then(|note| match self.direction {
            Direction::Undo => note.staged.after,
            Direction::Redo => note.staged.before,
        });
        let expected = match (noted, self.images(at).0) {
            (None, Image::File { hash, .. }) => {
                let kept = self.journal.store_now()?.read(|tx| tx.get(hash));
                kept.ok().and_then(|bytes| staged_in(&bytes))
            }
            (noted, _) => noted,
        };
        let stamp = Stamp::of(&spot.parent, &spot.name);
        let is_same = expected.is_some() && staged(&spot.parent, &spot.name) == expected;
        Ok(stamp.filter(|_| is_same))
    }

    /// Whether what a slot keeps is at the path, and `later`, the other thing, in the slot or not
    /// made yet.
    fn slot_is_before(&self, at: usize, name: &str, later: &Image) -> Result<bool> {
        let noted = self.notes.get(at).and_then(|note| note.inode);
        Ok(match self.trash.inode(name) {
            None => true,
            Some(slot) if noted.is_some() => noted == Some(slot),
            // Killed after it was made and before that was noted.
            Some(_) => {
                later.expected().is_at(&self.trash.dir, name.as_ref())
                    && !self.stands(&self.changes[at].path, later)?
            }
        })
    }

    /// Whether somebody put back all that a slot keeps, as `git checkout` does. Of an index another rule
    /// tells.
    pub(super) fn is_put_back(&self, at: usize, name: &str) -> Result<bool> {
        let path = &self.changes[at].path;
        let Some(spot) = self.spot(path)?.filter(|_| !is_index(path)) else { return Ok(false) };
        let (here, kept) = ((&spot.parent, &*spot.name), (&self.trash.dir, name.as_ref()));
        Ok(same(here, kept, MOST_LEVELS).unwrap_or(false))
    }

    /// Whether something is at the path of a change, and nobody saved it since it was given back.
    fn is_as_kept(&self, at: usize) -> Result<bool> {
        if self.ref_as_expected(at)?.is_some() {
            return Ok(true);
        }
        let Some(spot) = self.spot(&self.changes[at].path)? else { return Ok(false) };
        let kept = self.notes.get(at).and_then(|note| note.stamp);
        Ok(match kept {
            Some(kept) => Stamp::of(&spot.parent, &spot.name) == Some(kept),
            None => spot.inode().is_some(),
        })
    }

    /// Whether `image` is at the path.
    pub(super) fn stands(&self, path: &Path, image: &Image) -> Result<bool> {
        let Some(spot) = self.spot(path)? else {
            return Ok(*image == Image::Absent || self.is_packed(path, image)?);
        };
        let fail = |e: std::io::Error| Error::io(&self.workspace.show(path), &e);
        Ok(match (image, spot.look().map_err(fail)?) {
            (Image::Absent, Found::Nothing)
            | (Image::Directory { .. }, Found::Directory { .. }) => true,
            (Image::File { hash: wanted, .. }, Found::File { .. }) => {
                hash_file(&spot.open_own().map_err(fail)?).map_err(fail)? == *wanted
            }
            (Image::File { .. }, Found::Nothing) => self.is_packed(path, image)?,
            (Image::Link { target }, Found::Link) => spot.link().map_err(fail)? == *target,
            _ => false,
        })
    }

    /// The mode of the file or directory at a path.
    fn mode(&self, path: &Path) -> Result<Option<u32>> {
        Ok(match self.spot(path)?.map(|spot| spot.look()) {
            Some(Ok(Found::File { mode, .. } | Found::Directory { mode })) => Some(mode),
            _ => None,
        })
    }

    pub(super) fn is_directory(&self, path: &Path) -> Result<bool> {
        let found = self.spot(path)?.map(|spot| spot.look());
        Ok(matches!(found, Some(Ok(Found::Directory { .. }))))
    }

    /// Whether what a change is to be turned to is not there whole.
    pub(super) fn is_damaged(&self, at: usize) -> Result<bool> {
        let is_index = is_index(&self.changes[at].path);
        match self.images(at) {
            // Whatever git has written there since is as good.
            (Image::Trash { name }, _) if is_index && self.trash.inode(name).is_some() => Ok(false),
            // Only its mode is to be turned.
            (Image::File { hash: now, .. }, Image::File { hash, .. }) if now == hash => Ok(false),
            (Image::Trash { name }, Image::File { hash, .. })
                if self.trash.inode(name).is_some() =>
            {
                let content = self.trash.spot(name).and_then(|slot| hash_file(&slot.open_own()?));
                Ok(content.ok() != Some(*hash))
            }
            (_, Image::File { hash, .. }) => {
                match self.journal.store_now()?.read(|tx| tx.verify(hash)) {
                    Err(e) if e.code == Code::ContentDamaged => Ok(true),
                    other => other.map(|()| false),
                }
            }
            (_, Image::Trash { name }) => Ok(self.trash.inode(name).is_none()),
            _ => Ok(false),
        }
    }
}
