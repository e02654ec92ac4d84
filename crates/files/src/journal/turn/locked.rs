//! Indexes of git are turned under git's own lock: a git that runs would write over what undo put
//! there, and undo over what it did.

use std::io::{Read as _, Write as _};

use fault::{Error, Result};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::super::layer::is_index;
use super::Turn;
use crate::workspace::{Access, Spot};

/// The file whose presence tells git that somebody changes the index.
const LOCK: &str = "index.lock";
/// What is in one of ours. Whoever changes the index of a repository holds the journal's lock of its
/// path, so one that is found was left by a process that was killed.
const OURS: &[u8] = b"kitbag undo\n";

/// Locks of git, removed with this.
#[derive(Default)]
pub(in crate::journal) struct IndexLocks(Vec<Spot>);

impl Drop for IndexLocks {
    fn drop(&mut self) {
        for Spot { parent, name, .. } in &self.0 {
            // One that stays is known as ours the next time.
            let _ = rustix::fs::unlinkat(parent, name, rustix::fs::AtFlags::empty());
        }
    }
}

impl Turn<'_> {
    /// Locks the indexes that are left to be turned.
    ///
    /// # Errors
    /// `UndoConflict` while git works on one of them.
    pub(in crate::journal) fn lock_indexes(&self, applied: usize) -> Result<IndexLocks> {
        let mut locks = IndexLocks::default();
        let indexes = self.left(applied).into_iter().map(|at| self.changes[at].path.as_path());
        for path in indexes.filter(|path| is_index(path)) {
            // Where its directory is gone there is nothing to be locked.
            let Some(index) = self.spot(path)? else { continue };
            let (name, path) = (LOCK.into(), path.with_file_name(LOCK));
            let lock = Spot { parent: index.parent, name, path, access: Access::Write };
            if locks.0.iter().any(|known| known.path == lock.path) {
                continue;
            }
            let shown = self.workspace.show(&lock.path);
            match make(&lock) {
                Ok(()) => locks.0.push(lock),
                Err(Errno::EXIST) if is_ours(&lock) => locks.0.push(lock),
                Err(Errno::EXIST) => {
                    return Err(Error::git_at_work(self.direction.word(), &shown));
                }
                Err(error) => return Err(Error::io(&shown, &error.into())),
            }
        }
        Ok(locks)
    }
}

fn make(lock: &Spot) -> rustix::io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let made = rustix::fs::openat(&lock.parent, &lock.name, flags, Mode::from_raw_mode(0o666))?;
    std::fs::File::from(made).write_all(OURS).map_err(|_| Errno::IO)
}

fn is_ours(lock: &Spot) -> bool {
    let mut bytes = Vec::new();
    let read = lock.open().and_then(|file| file.take(64).read_to_end(&mut bytes));
    // Killed before it was written.
    read.is_ok() && bytes == OURS
}
