//! Where a whole file goes, and one too large for memory.

use std::fs::File;

use fault::{Code, Error, Result};

use super::planned::After;
use super::{Altered, Image, Parents, Step, Stood, Written, hash};
use crate::journal::blobs::hash_file;
use crate::text::{self, Rewritten};
use crate::workspace::{Kind, Last, Spot};

/// The place of a file that is to be put whole, locked, and what is there.
pub(super) type Aim = (Spot, Option<Stood>);

impl Step<'_> {
    /// Fails if a file may not be put at `path`, before there is one: getting it may take long.
    ///
    /// # Errors
    /// As for [`Step::write`].
    pub fn expect(&self, path: &str) -> Result<()> {
        if path.ends_with('/') || self.workspace.kind(path)? == Some(Kind::Directory) {
            return Err(Error::is_directory(path));
        }
        let real = self.workspace.real(path)?;
        self.check(&real, self.workspace.access_of(&real)?, path, false)
    }

    /// Puts a copy of `source`, a file from outside the workspace, at `path`. It appears whole or
    /// not at all.
    ///
    /// # Errors
    /// As for [`Step::write`].
    pub fn adopt(&self, path: &str, source: &File, parents: Parents) -> Result<Written> {
        let Some((spot, before)) = self.aim(path, parents)? else {
            return Err(Error::internal("a file from outside is put without being tried before"));
        };
        let fail = |e: std::io::Error| Error::io(path, &e);
        let after = hash_file(source).map_err(fail)?;
        let (before, mode) = before.unzip();
        let stood = before.as_deref().map(hash);
        let change = Altered {
            path: spot.path.clone(),
            before: stood.map_or(Image::Absent, |hash| Image::File { hash, mode }),
            after: Image::File { hash: after, mode },
        };
        let new = before.is_none();
        let wanted = After::File(Vec::new(), None);
        self.alter(&spot, path, before, wanted, change, |expected, durable| {
            spot.put_copy(source, None, expected, durable)
        })?;
        self.workspace.note_seen(&spot.path, after);
        Ok(Written { path: spot.path, new })
    }

    /// Puts a file with this text at `path`, written as a text that is there: in its encoding, with
    /// its byte order mark and its line endings.
    ///
    /// # Errors
    /// As for [`Step::write`].
    pub fn write_text(
        &self,
        path: &str,
        text: &str,
        parents: Parents,
    ) -> Result<(Written, Rewritten)> {
        let plain = || Rewritten { bytes: text.as_bytes().to_vec(), note: None };
        let Some((spot, before)) = self.aim(path, parents)? else {
            return Ok((self.plan_in_new_folder(path, text.as_bytes())?, plain()));
        };
        let new = before.is_none();
        let mut rewritten =
            before.as_ref().map_or_else(plain, |(old, _)| text::rewritten(old, text));
        let names = spot.links();
        self.put(&spot, path, before, &rewritten.bytes)?;
        if names > 1 {
            let parted = format!("it had {names} names (hard links); the others keep the old text");
            let notes = rewritten.note.into_iter().chain([parted]).collect::<Vec<_>>();
            rewritten.note = Some(notes.join("; "));
        }
        Ok((Written { path: spot.path, new }, rewritten))
    }

    /// Finds the place; missing directories are made. `None` if they would be made, and nothing is
    /// done.
    pub(super) fn aim(&self, path: &str, parents: Parents) -> Result<Option<Aim>> {
        if path.ends_with('/') {
            return Err(Error::is_directory(path));
        }
        let spot = loop {
            let Some(spot) = self.find(path, parents)? else { return Ok(None) };
            match self.lock_spot(&spot, path) {
                // Somebody removed or moved its directory before the lock was had: look again.
                Err(e) if e.code == Code::FileChanged => {}
                other => break other.map(|()| spot)?,
            }
        };
        let before = self.content(&spot, path)?;
        if let Some((before, _)) = &before {
            self.workspace.refuse_stale(path, &spot.path, hash(before))?;
        }
        Ok(Some((spot, before)))
    }

    fn find(&self, path: &str, parents: Parents) -> Result<Option<Spot>> {
        match self.workspace.spot(path, Last::Follow) {
            Err(e) if e.code == Code::ParentDirectoryNotFound && parents == Parents::Create => {
                if self.dry {
                    return Ok(None);
                }
                self.create_parents(path)?;
                self.workspace.spot(path, Last::Follow).map(Some)
            }
            other => other.map(Some),
        }
    }
}
