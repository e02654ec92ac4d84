//! The files that hold outputs too large for memory: one folder for a session, removed with it.

#![expect(clippy::disallowed_methods, reason = "the spill files stand in the state folder")]

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::FlockOperation;

use crate::state::State;

/// A locked file of this name in a session's folder says that the session lives.
const LOCK: &str = "lock";

/// The spill files of one session, `spill/<session>/<n>.<stream>` in the state folder.
pub(super) struct Spills {
    state: State,
    folder: String,
    next: AtomicU64,
    lock: OnceLock<Option<File>>,
}

impl Spills {
    pub(super) fn new(state: State, session: &str) -> Self {
        let folder = format!("spill/{}", session.replace(['/', '.'], "_"));
        Self { state, folder, next: AtomicU64::new(1), lock: OnceLock::new() }
    }

    /// Where the files of this session are, or will be.
    pub(super) fn folder(&self) -> PathBuf {
        self.state.dir().join(&self.folder)
    }

    /// A new file, readable by its owner alone. `None` if it cannot be made: the call goes on, and
    /// its output says that there is no file.
    pub(super) fn create(&self, stream: &str) -> Option<(PathBuf, File)> {
        self.lock.get_or_init(|| {
            remove_dead(&self.state.dir().join("spill"));
            let file = self.state.file(&self.folder, LOCK).ok()?;
            rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
            Some(file)
        });
        let name = format!("{}.{stream}", self.next.fetch_add(1, Ordering::Relaxed));
        let file = self.state.file(&self.folder, &name).ok()?;
        file.set_len(0).ok()?;
        Some((self.folder().join(name), file))
    }
}

impl Drop for Spills {
    fn drop(&mut self) {
        if self.lock.get().is_some() {
            let _ = std::fs::remove_dir_all(self.folder());
        }
    }
}

/// The beginning of a spill file, at most `most` bytes, which is then removed.
pub(super) fn take(path: &Path, most: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(most as u64).read_to_end(&mut bytes));
    let _ = std::fs::remove_file(path);
    read.ok().map(|_| bytes)
}

/// Removes what sessions left that were killed: their locks are free.
fn remove_dead(spill: &Path) {
    for session in std::fs::read_dir(spill).into_iter().flatten().flatten() {
        let Ok(lock) = File::open(session.path().join(LOCK)) else { continue };
        if rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok() {
            let _ = std::fs::remove_dir_all(session.path());
        }
    }
}
