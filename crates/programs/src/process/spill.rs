//! The files that hold outputs too large for memory: one directory for a session, removed with it.

#![expect(clippy::disallowed_methods, reason = "the spill files stand in the state directory")]

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use files::state::{OwnDirectory, State};

/// Where the files of all sessions are in the state directory.
const SPILL: &str = "spill";

/// The spill files of one session, `spill/<session>/<n>.<stream>` in the state directory.
pub(super) struct Spills {
    state: State,
    session: String,
    next: AtomicU64,
    held: OnceLock<Option<OwnDirectory>>,
}

impl Spills {
    pub(super) fn new(state: State, session: &str) -> Self {
        let session = session.replace(['/', '.'], "_");
        Self { state, session, next: AtomicU64::new(1), held: OnceLock::new() }
    }

    /// Where the files of this session are, or will be.
    pub(super) fn folder(&self) -> PathBuf {
        self.state.dir().join(SPILL).join(&self.session)
    }

    /// A new file, readable by its owner alone. `None` if it cannot be made: the call goes on, and
    /// its output says that there is no file.
    pub(super) fn create(&self, stream: &str) -> Option<(PathBuf, File)> {
        self.held.get_or_init(|| {
            let untold = |e: &dyn std::fmt::Display| tracing::warn!("no spill files: {e}");
            let all = self.state.folder(SPILL).inspect_err(|e| untold(e)).ok()?;
            OwnDirectory::remove_abandoned(&all, "", |directory| {
                drop(std::fs::remove_dir_all(directory))
            });
            OwnDirectory::make(&all, &self.session).inspect_err(|e| untold(e)).ok()
        });
        let name = format!("{}.{stream}", self.next.fetch_add(1, Ordering::Relaxed));
        let file = self.state.file(&format!("{SPILL}/{}", self.session), &name).ok()?;
        file.set_len(0).ok()?;
        Some((self.folder().join(name), file))
    }
}

impl Drop for Spills {
    fn drop(&mut self) {
        if self.held.get().is_some() {
            let _ = std::fs::remove_dir_all(self.folder()); // else the next session does
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
