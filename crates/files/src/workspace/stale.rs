//! What a session has read of files, and the refusal of a file that changed since. Without this module
//! a session would overwrite what somebody else saved meanwhile.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use fault::{Error, Result};

use super::read::hash;
use super::{ContentHash, Contents, Workspace};

/// What files held when a session last read or wrote them, by real path.
pub(super) type Seen = Mutex<HashMap<PathBuf, ContentHash>>;

impl Workspace {
    /// Reads a file of which the session knows places by their number alone.
    ///
    /// # Errors
    /// `FileChanged` if the session read it and it is another one now; else as for
    /// [`Workspace::read`].
    pub fn read_as_seen(&self, path: &str) -> Result<Contents> {
        let contents = self.look(path)?;
        self.refuse_stale(path, &contents.path, hash(&contents))?;
        Ok(contents)
    }

    /// Refuses a file that holds something else `now` than when the session last saw it, if it did;
    /// `path` is for the message.
    ///
    /// # Errors
    /// `FileChanged`.
    pub(crate) fn refuse_stale(&self, path: &str, real: &Path, now: ContentHash) -> Result<()> {
        match self.last_seen(real) {
            Some(seen) if seen != now => Err(Error::file_changed(path)),
            _ => Ok(()),
        }
    }

    pub(crate) fn note_seen(&self, path: &Path, hash: ContentHash) {
        let mut seen = self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if seen.len() > 10_000 {
            seen.clear(); // a bound; forgetting only means that a write is not held against a read
        }
        seen.insert(path.to_owned(), hash);
    }

    /// What the session wrote it has seen, unless what stood there `before` it had not.
    pub(crate) fn note_written(
        &self,
        path: &Path,
        before: Option<ContentHash>,
        after: ContentHash,
    ) {
        if self.last_seen(path).is_none_or(|seen| Some(seen) == before) {
            self.note_seen(path, after);
        }
    }

    /// What this session last saw in the file at the real path `path`, if it did.
    fn last_seen(&self, path: &Path) -> Option<ContentHash> {
        let seen = self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        seen.get(path).copied()
    }

    /// Forgets what was seen in a file, or in those below a directory.
    pub(crate) fn forget_below(&self, path: &Path) {
        let mut seen = self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        seen.retain(|known, _| !known.starts_with(path));
    }

    pub(crate) fn forget_seen(&self, path: &Path) {
        let mut seen = self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        seen.remove(path);
    }
}
