//! Taking things away so that they can come back.

use std::ffi::OsString;

use fault::{Code, Error, Result};

use super::planned::After;
use super::{Altered, Image, Step, hash};
use crate::workspace::{Found, Last, Spot};

impl Step<'_> {
    /// Takes away a file, or a link and not what it leads to.
    ///
    /// # Errors
    /// `FileNotFound`, `IsDirectory`; else as for [`Step::write`].
    pub fn remove_file(&self, path: &str) -> Result<()> {
        let spot = self.spot_to_remove(path, Error::file_not_found)?;
        match spot.look().map_err(|e| Error::io(path, &e))? {
            // The reading error has near names.
            Found::Nothing => Err(self
                .workspace
                .open_file(path)
                .err()
                .unwrap_or_else(|| Error::file_not_found(path, &[]))),
            Found::Directory { .. } => Err(Error::is_directory(path)),
            _ => self.take_away(&spot, path),
        }
    }

    /// Takes away a directory with all that is in it.
    ///
    /// # Errors
    /// `DirectoryNotFound`, `NotADirectory`; `InvalidInput` for the root itself.
    pub fn remove_directory(&self, path: &str) -> Result<()> {
        self.workspace.must_not_be_root(path)?;
        let spot = self.spot_to_remove(path, |p, _| Error::directory_not_found(p))?;
        match spot.look().map_err(|e| Error::io(path, &e))? {
            Found::Nothing => Err(Error::directory_not_found(path)),
            Found::Directory { .. } => self.take_away(&spot, path),
            _ => Err(Error::not_a_directory(path)),
        }
    }

    fn spot_to_remove(&self, path: &str, missing: fn(&str, &[String]) -> Error) -> Result<Spot> {
        let spot = self.workspace.spot(path, Last::Keep).map_err(|e| {
            if e.code == Code::ParentDirectoryNotFound { missing(path, &[]) } else { e }
        })?;
        self.lock_spot(&spot, path)?;
        Ok(spot)
    }

    /// Moves what is at `spot` into the trash; where that is another file system, keeps the
    /// contents as blobs and takes it away piece by piece.
    pub(super) fn take_away(&self, spot: &Spot, path: &str) -> Result<()> {
        let trash = self.journal.trash()?;
        let name = crate::journal::new_id();
        let change = Altered {
            path: spot.path.clone(),
            before: Image::Trash { name: name.clone() },
            after: Image::Absent,
        };
        let target = OsString::from(&name);
        if trash.takes(spot) {
            self.alter(spot, path, None, After::Nothing, change, |_, d| {
                spot.move_to(&trash.dir, &target, d).map(|()| None)
            })
        } else {
            self.take_apart(spot, path)
        }
    }

    fn take_apart(&self, spot: &Spot, path: &str) -> Result<()> {
        let limits = self.workspace.limits();
        let found = spot.look().map_err(|e| Error::io(path, &e))?;
        let mut content = None;
        let before = match found {
            Found::Nothing => return Ok(()),
            Found::File { size, .. } if size > limits.trash_bytes => {
                return Err(Error::file_too_large(
                    path,
                    size,
                    limits.trash_bytes,
                    "too much to keep for undo; remove it with a program",
                ));
            }
            Found::File { mode, .. } => {
                let bytes = spot.read(limits.trash_bytes).map_err(|e| Error::io(path, &e))?;
                let hash = hash(&bytes);
                content = Some(bytes);
                Image::File { hash, mode: Some(mode) }
            }
            Found::Link => Image::Link { target: spot.link().map_err(|e| Error::io(path, &e))? },
            Found::Special => return Err(Error::not_a_file(path, "a pipe, socket or device")),
            Found::Directory { mode } => {
                for name in self.workspace.names(&spot.path)? {
                    let inner = spot.path.join(name);
                    self.take_apart(
                        &self.workspace.spot_of(&inner)?,
                        &self.workspace.show(&inner),
                    )?;
                }
                Image::Directory { mode: Some(mode) }
            }
        };
        let change = Altered { path: spot.path.clone(), before, after: Image::Absent };
        self.alter(spot, path, content, After::Nothing, change, |expected, durable| match found {
            Found::Directory { .. } => spot.remove_directory(durable).map(|()| None),
            _ => spot.remove_file(expected, durable).map(|()| None),
        })
    }
}
