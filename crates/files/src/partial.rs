//! What came so far of a file from outside, kept until it is whole.
//!
//! It is in the state directory, so that the workspace never holds half a file, and stays there if
//! the rest does not come, so that the next try need not begin at the start.

#![expect(clippy::disallowed_methods, reason = "files of our own in the state directory")]

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use fault::{Error, Result};

use crate::state::{State, hold};

/// The directory in the state directory.
const FOLDER: &str = "partial";

/// How long something is kept that nobody goes on with.
const KEPT: Duration = Duration::from_secs(7 * 86_400);

/// A file that is not whole yet. Nobody else has it open.
#[derive(Debug)]
pub struct Partial {
    file: File,
    length: u64,
    path: PathBuf,
    /// Where it is noted what the first bytes are of.
    version: PathBuf,
}

impl Partial {
    /// What is there of the thing of this name, or nothing yet.
    ///
    /// # Errors
    /// `FileBusy` if another call is at it; `Io` if the state directory cannot be written.
    pub fn open(state: &State, name: &str) -> Result<Self> {
        let folder = state.folder(FOLDER)?;
        remove_old(&folder);
        let key = crate::journal::digest(&[name]);
        let file = state.file(FOLDER, &key)?;
        if !hold(&file, Duration::ZERO) {
            return Err(Error::file_busy(name));
        }
        let path = folder.join(&key);
        let length = file.metadata().map_err(|e| Error::state(&path, &e))?.len();
        Ok(Self { file, length, version: folder.join(format!("{key}.version")), path })
    }

    /// The file itself.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// How many bytes are there.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// What the bytes are the beginning of, if that was said.
    pub fn version(&self) -> Option<String> {
        std::fs::read_to_string(&self.version).ok().filter(|version| !version.is_empty())
    }

    /// Forgets what is there; what follows is of this version.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn restart(&mut self, version: Option<&str>) -> io::Result<()> {
        self.file.set_len(0)?;
        self.length = 0;
        std::fs::write(&self.version, version.unwrap_or_default())
    }

    /// Adds bytes at the end.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.length))?;
        self.file.write_all(bytes)?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Forgets it: it is where it should be.
    pub fn discard(mut self) {
        self.length = 0;
    }
}

impl Drop for Partial {
    /// Nothing is nothing to go on with.
    fn drop(&mut self) {
        if self.length == 0 {
            // What stays is found by its age.
            let _ = std::fs::remove_file(&self.version);
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn remove_old(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let changed = entry.metadata().and_then(|m| m.modified());
        let age = changed.map(|at| SystemTime::now().duration_since(at).unwrap_or_default());
        if age.is_ok_and(|age| age > KEPT) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests;
