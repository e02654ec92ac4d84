//! Indexes of git and packed refs are turned under git's own locks: a git that runs would write over what
//! undo put there, and undo over what it did.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use fault::{Error, Result};
use rustix::fs::{AtFlags, CWD, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::super::layer::is_index;
use super::super::refs;
use super::super::store::{Altered, Phase};
use super::super::{Journal, StepId};
use super::Turn;
use crate::workspace::{Access, Spot, Workspace};

/// What is in one of ours. Whoever made it holds a lock of the kernel on it as long as it lives: one
/// that is free was left by a process that was killed, and is taken over.
const OURS: &[u8] = b"kitbag undo\n";

/// Locks of git, each with what it is for; removed with this.
#[derive(Default)]
pub(super) struct GitLocks(Vec<(PathBuf, Lock)>);

struct Lock {
    spot: Spot,
    _held: File,
}

impl GitLocks {
    /// Gives back the lock of a path: its directory may be removed next.
    pub(super) fn release(&mut self, path: &Path) {
        for (_, lock) in self.0.extract_if(.., |(of, _)| of == path) {
            lock.remove();
        }
    }
}

impl Drop for GitLocks {
    fn drop(&mut self) {
        self.0.drain(..).for_each(|(_, lock)| lock.remove());
    }
}

impl Journal {
    /// Gives back the locks that a process left which was killed while it turned these changes.
    pub(in crate::journal) fn free_git(&self, workspace: &Workspace, changes: &[Altered]) {
        let paths: BTreeSet<PathBuf> = changes.iter().filter_map(|c| locked(&c.path)).collect();
        for path in paths {
            let Ok(spot) = workspace.spot_of(&path) else { continue };
            if let Some(lock) = Lock::take_over(beside(spot, &path)) {
                lock.remove();
            }
        }
    }
}

/// The file whose lock may be taken while a path is turned.
fn locked(path: &Path) -> Option<PathBuf> {
    if is_index(path) {
        return Some(path.to_owned());
    }
    let (git, name) = path.to_str().and_then(refs::in_repository)?;
    refs::is_alone(name).then(|| refs::place(git, refs::PACKED))
}

/// Where git has the lock of a path.
fn beside(locked: Spot, path: &Path) -> Spot {
    let own = path.with_added_extension("lock");
    let name = own.file_name().unwrap_or_default().to_owned();
    Spot { parent: locked.parent, name, path: own, access: Access::Write }
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
        let locked = self.to_lock(start);
        if !locked.is_empty() {
            // Before the locks are there, so that whoever comes after a kill gives them back.
            self.journal.store_now()?.write(|tx| tx.set_turning(id, during, start))?;
        }
        self.lock_git(locked)?;
        self.unpack(start)
    }

    /// The indexes that are left to be turned, and the packed refs that one is taken out of.
    fn to_lock(&self, applied: usize) -> BTreeSet<PathBuf> {
        let mut all = BTreeSet::new();
        for at in self.left(applied) {
            let path = &self.changes[at].path;
            if is_index(path) {
                all.insert(path.clone());
            } else {
                all.extend(self.goes_from(at));
            }
        }
        all
    }

    fn lock_git(&self, paths: BTreeSet<PathBuf>) -> Result<()> {
        for path in paths {
            // Where its directory is gone there is nothing to be locked.
            let Some(locked) = self.spot(&path)? else { continue };
            let spot = beside(locked, &path);
            let shown = self.workspace.show(&spot.path);
            let lock = match make(&spot) {
                Ok(held) => Lock { spot, _held: held },
                Err(Errno::EXIST) => Lock::take_over(spot)
                    .ok_or_else(|| Error::git_at_work(self.direction.word(), &shown))?,
                Err(error) => return Err(Error::io(&shown, &error.into())),
            };
            self.locks.borrow_mut().0.push((path, lock));
        }
        Ok(())
    }
}

/// Makes a lock that is ours from its first moment, where the file system can: an empty one is git's.
fn make(lock: &Spot) -> rustix::io::Result<File> {
    let (flags, mode) = (OFlags::WRONLY | OFlags::CLOEXEC, Mode::from_raw_mode(0o666));
    let held = |file: OwnedFd| {
        rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        let mut file = File::from(file);
        file.write_all(OURS).map_err(|_| Errno::IO)?;
        Ok(file)
    };
    if let Ok(unnamed) = rustix::fs::openat(&lock.parent, ".", flags | OFlags::TMPFILE, mode) {
        let file = held(unnamed)?;
        let own = format!("/proc/self/fd/{}", file.as_raw_fd());
        let follow = AtFlags::SYMLINK_FOLLOW;
        match rustix::fs::linkat(CWD, own, &lock.parent, &lock.name, follow) {
            Ok(()) => return Ok(file),
            Err(Errno::EXIST) => return Err(Errno::EXIST),
            Err(_) => {}
        }
    }
    let flags = flags | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
    held(rustix::fs::openat(&lock.parent, &lock.name, flags, mode)?)
}

impl Lock {
    /// One of ours that nobody holds.
    fn take_over(spot: Spot) -> Option<Self> {
        let file = spot.open().ok()?;
        rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
        let mut bytes = Vec::new();
        (&file).take(64).read_to_end(&mut bytes).ok()?;
        // Its holder may have removed it before the lock was had, and git made one of its own.
        let is_there = spot.inode() == file.metadata().ok().map(|data| data.ino());
        (bytes == OURS && is_there).then_some(Self { spot, _held: file })
    }

    fn remove(self) {
        // One that stays is known as ours the next time.
        let _ = rustix::fs::unlinkat(&self.spot.parent, &self.spot.name, AtFlags::empty());
    }
}
