//! Indexes of git and packed refs are turned under git's own locks: a git that runs would write over what
//! undo put there, and undo over what it did.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use fault::{Error, Result};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::super::StepId;
use super::super::image::Image;
use super::super::layer::is_index;
use super::super::refs;
use super::super::store::Phase;
use super::Turn;
use crate::workspace::{Access, Spot};

/// What is in one of ours. Whoever changes the index of a repository holds the journal's lock of its
/// path, so one that is found was left by a process that was killed.
const OURS: &[u8] = b"kitbag undo\n";

/// Locks of git, each with what it is for; removed with this.
#[derive(Default)]
pub(super) struct GitLocks(Vec<(PathBuf, Spot)>);

impl GitLocks {
    /// Gives back the lock of a path: its directory may be removed next.
    pub(super) fn release(&mut self, path: &Path) {
        for (_, Spot { parent, name, .. }) in self.0.extract_if(.., |(of, _)| of == path) {
            // One that stays is known as ours the next time.
            let _ = rustix::fs::unlinkat(parent, name, rustix::fs::AtFlags::empty());
        }
    }
}

impl Drop for GitLocks {
    fn drop(&mut self) {
        let all: Vec<PathBuf> = self.0.iter().map(|(of, _)| of.clone()).collect();
        all.iter().for_each(|path| self.release(path));
    }
}

impl Turn<'_> {
    /// Makes git's files ready to be turned: locked, and none of them packed.
    ///
    /// # Errors
    /// `UndoConflict` while git works on one of them; `Io`.
    pub(in crate::journal) fn take_git(
        &mut self,
        id: StepId,
        during: Phase,
        start: usize,
    ) -> Result<()> {
        let locked = self.to_lock(start)?;
        if !locked.is_empty() {
            // Before the locks are there, so that whoever comes after a kill gives them back.
            self.journal.store_now()?.write(|tx| tx.set_turning(id, during, start))?;
        }
        self.lock_git(locked)?;
        self.unpack(start)
    }

    /// The indexes that are left to be turned, and the packed refs that one is taken out of.
    fn to_lock(&self, applied: usize) -> Result<BTreeSet<PathBuf>> {
        let mut all = BTreeSet::new();
        for at in self.left(applied) {
            let path = &self.changes[at].path;
            if is_index(path) {
                all.insert(path.clone());
            } else if *self.images(at).1 == Image::Absent
                && let Some((git, _)) = path.to_str().and_then(refs::in_repository)
                && self.packed(path)?.is_some()
            {
                all.insert(Path::new(git).join(refs::PACKED));
            }
        }
        Ok(all)
    }

    fn lock_git(&self, paths: BTreeSet<PathBuf>) -> Result<()> {
        for path in paths {
            // Where its directory is gone there is nothing to be locked.
            let Some(locked) = self.spot(&path)? else { continue };
            let own = path.with_added_extension("lock");
            let name = own.file_name().unwrap_or_default().to_owned();
            let lock = Spot { parent: locked.parent, name, path: own, access: Access::Write };
            let shown = self.workspace.show(&lock.path);
            match make(&lock) {
                Err(Errno::EXIST) if !is_ours(&lock) => {
                    return Err(Error::git_at_work(self.direction.word(), &shown));
                }
                Ok(()) | Err(Errno::EXIST) => self.locks.borrow_mut().0.push((path, lock)),
                Err(error) => return Err(Error::io(&shown, &error.into())),
            }
        }
        Ok(())
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
