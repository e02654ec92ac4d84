//! Turning one change, in one step of the file system where it can be.

use std::path::Path;

use fault::{Code, Error, Result};

use super::super::image::Image;
use super::super::layer::{remove_tree, stays_as_it_is};
use super::{Now, Turn};
use crate::workspace::{Expected, FileMode, Found, Spot};

impl Turn<'_> {
    /// Turns one change, if it is not turned yet. What git writes beside everything else, its logs, stays
    /// where git wrote it meanwhile.
    pub(in crate::journal) fn turn_one(&self, at: usize, durable: bool) -> Result<()> {
        match self.turn_now(at, durable) {
            Err(e) if e.code == Code::FileChanged && stays_as_it_is(&self.changes[at].path) => {
                Ok(())
            }
            other => other,
        }
    }

    fn turn_now(&self, at: usize, durable: bool) -> Result<()> {
        let change = &self.changes[at];
        match self.now(at)? {
            Now::Turned => return Ok(()),
            Now::Other if self.any.contains(&at) => {}
            Now::Other => return Err(Error::file_changed(&self.workspace.show(&change.path))),
            Now::ToTurn => {}
        }
        let (expected, wanted) = self.images(at);
        self.workspace.forget_seen(&change.path);
        match (expected, wanted) {
            (Image::Moved { path: from }, Image::Moved { path: to }) => {
                let (from, to) = (self.workspace.spot_of(from)?, self.place(to)?);
                let moved = from.move_to(&to.parent, &to.name, durable);
                moved.map_err(|e| Error::io(&self.workspace.show(&to.path), &e))
            }
            (Image::Trash { name }, _) | (_, Image::Trash { name }) => {
                self.turn_slot(at, &self.place(&change.path)?, name, durable)
            }
            (Image::Directory { .. }, Image::Absent) => {
                match self.place(&change.path)?.remove_directory(durable) {
                    // Somebody put files into it since: it stays.
                    Err(e) if e.kind() == std::io::ErrorKind::DirectoryNotEmpty => Ok(()),
                    other => other.map_err(|e| Error::io(&self.workspace.show(&change.path), &e)),
                }
            }
            (Image::File { hash: now, .. }, Image::File { hash, mode: Some(mode) })
                if now == hash =>
            {
                let set = self.place(&change.path)?.set_mode(*mode);
                set.map_err(|e| Error::io(&self.workspace.show(&change.path), &e))
            }
            _ => {
                let spot = self.place(&change.path)?;
                // Only its mode is to be turned.
                let now = if self.stands(&change.path, wanted)? { wanted } else { expected };
                let mode = mode_to_set(expected, wanted).map(FileMode::Exact);
                // One that was made anew does not keep the mode of what was there before.
                let anew = match (expected, wanted) {
                    (Image::File { mode: Some(_), .. }, Image::File { mode: None, .. }) => {
                        Some(FileMode::New { executable: false })
                    }
                    _ => None,
                };
                let index = self.same_index(at)?.map(Expected::Unsaved);
                let expected = index.unwrap_or_else(|| now.expected());
                self.put(&spot, expected, wanted, mode.or(anew), durable)
            }
        }
    }

    /// The place of a path; directories above it that are missing are made.
    pub(super) fn place(&self, path: &Path) -> Result<Spot> {
        match self.workspace.spot_of(path) {
            Err(e) if e.code == Code::ParentDirectoryNotFound => {}
            other => return other,
        }
        if let Some(parent) = path.parent() {
            match self.place(parent)?.put_directory(None, self.journal.durable) {
                Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => {
                    return Err(Error::io(&self.workspace.show(parent), &e));
                }
                _ => {}
            }
        }
        self.workspace.spot_of(path)
    }

    /// Turns a change of which one side is in the trash: the two change places, nothing is copied.
    fn turn_slot(&self, at: usize, spot: &Spot, name: &str, durable: bool) -> Result<()> {
        let (expected, wanted) = self.images(at);
        let slot = name.as_ref();
        let fail = |e: std::io::Error| Error::io(&self.workspace.show(&spot.path), &e);
        match (expected, wanted) {
            (_, Image::Absent) => {
                return spot.move_to(&self.trash.dir, slot, durable).map_err(fail);
            }
            (_, Image::Trash { .. }) if spot.inode().is_none() => {
                return spot.move_from(&self.trash.dir, slot, durable).map_err(fail);
            }
            (Image::Absent, Image::Trash { .. }) => return self.replace_put_back(at, spot, name),
            (Image::Trash { .. }, later) if self.trash.inode(name).is_none() => {
                // For the first time: what takes the place is made beside, then exchanged.
                let made = self.trash.spot(name).map_err(fail)?;
                let mode = mode_to_set(&Image::Absent, later).map(FileMode::Exact);
                self.put(&made, Expected::Nothing, later, mode, durable)?;
                self.note_slot(at, made.inode())?;
            }
            _ => {}
        }
        let kept = self.notes.get(at).and_then(|note| note.stamp);
        let index = self.same_index(at)?;
        let expected = match (expected, kept) {
            _ if self.any.contains(&at) => Expected::Anything,
            _ if let Some(index) = index => Expected::Unsaved(index),
            (Image::File { .. } | Image::Link { .. }, _) => expected.expected(),
            (Image::Trash { .. }, Some(stamp)) => Expected::Unsaved(stamp),
            _ => Expected::Anything,
        };
        spot.exchange(&self.trash.dir, slot, expected, durable).map_err(fail)
    }

    /// Gives back what a slot keeps in place of what somebody put back, which is the same.
    fn replace_put_back(&self, at: usize, spot: &Spot, name: &str) -> Result<()> {
        let fail = |e: std::io::Error| Error::io(&self.workspace.show(&spot.path), &e);
        let swap = || spot.exchange(&self.trash.dir, name.as_ref(), Expected::Anything, false);
        swap().map_err(fail)?;
        if !self.is_put_back(at, name)? {
            swap().map_err(fail)?;
            return Err(Error::file_changed(&self.workspace.show(&spot.path)));
        }
        let slot = self.trash.spot(name).map_err(fail)?;
        let removed = match slot.look().map_err(fail)? {
            Found::Directory { .. } => remove_tree(&slot.path),
            _ => slot.remove_file(Expected::Anything, self.journal.durable),
        };
        removed.map_err(fail)
    }

    /// Puts what `wanted` describes to a place, if that holds what is expected.
    fn put(
        &self,
        spot: &Spot,
        expected: Expected<'_>,
        wanted: &Image,
        mode: Option<FileMode>,
        durable: bool,
    ) -> Result<()> {
        let put = match wanted {
            Image::Absent => spot.remove_file(expected, durable),
            Image::File { hash, .. } => {
                let large = self.journal.store_now()?.read(|tx| tx.open(hash))?;
                match large {
                    Some(file) => spot.put_copy(&file, mode, expected, durable).map(drop),
                    None => {
                        let bytes = self.journal.store_now()?.read(|tx| tx.get(hash))?;
                        spot.put_file(&bytes, mode, expected, durable).map(drop)
                    }
                }
            }
            Image::Directory { mode } => match spot.put_directory(*mode, durable) {
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => match spot.look() {
                    Ok(Found::Directory { .. }) => Ok(()),
                    _ => Err(e),
                },
                other => other,
            },
            Image::Link { target } => spot.put_link(target, expected, durable),
            Image::Trash { .. } | Image::Moved { .. } => {
                return Err(Error::internal("a thing of the trash is made from a description"));
            }
        };
        put.map_err(|e| Error::io(&self.workspace.show(&spot.path), &e))
    }

    /// Sets the modes of directories: last, since one may be such that nothing can be put into it.
    /// The deepest first.
    pub(super) fn set_modes(&self) -> Result<()> {
        let mut all: Vec<usize> = (0..self.changes.len()).collect();
        all.sort_by(|a, b| self.changes[*b].path.cmp(&self.changes[*a].path));
        for at in all {
            let (expected, wanted) = self.images(at);
            let path = &self.changes[at].path;
            if let (Image::Directory { .. }, Some(mode)) = (wanted, mode_to_set(expected, wanted))
                && !self.opened.borrow_mut().set_mode(path, mode)
                && let Some(spot) = self.spot(path)?
            {
                let set = spot.set_mode(mode);
                set.map_err(|e| Error::io(&self.workspace.show(path), &e))?;
            }
        }
        Ok(())
    }
}

/// The mode that turning `now` into `wanted` must set. Where both have the same, a mode that
/// somebody set since stays.
pub(super) fn mode_to_set(now: &Image, wanted: &Image) -> Option<u32> {
    let mode = |image: &Image| match image {
        Image::File { mode, .. } | Image::Directory { mode } => *mode,
        _ => None,
    };
    mode(wanted).filter(|wanted| mode(now) != Some(*wanted))
}
