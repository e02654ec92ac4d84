//! Directories that are closed to their owner, opened while something in them is changed.
//!
//! An ordinary user can do nothing in a directory of mode 555, nor move it elsewhere; but its owner
//! may open it and close it again, as a program did that left it so. For root nothing is closed.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags};

use super::trash::Trash;
use crate::workspace::Workspace;

/// What its owner needs of a directory.
const OPEN: u32 = 0o700;

/// A directory that is open as long as this lives. A process that is killed meanwhile leaves it
/// open to its owner.
#[derive(Debug)]
pub(super) struct Closed {
    directory: OwnedFd,
    /// What it was, and will be again.
    mode: u32,
}

impl Closed {
    /// Opens the directory of this name if it is this user's and closed to them.
    pub(super) fn open(at: &OwnedFd, name: &OsStr) -> Option<Self> {
        let user = rustix::process::geteuid();
        let stat = rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        if user.is_root() || stat.st_uid != user.as_raw() || stat.st_mode & OPEN == OPEN {
            return None;
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let directory = rustix::fs::openat(at, name, flags, Mode::empty()).ok()?;
        let closed = Self { mode: stat.st_mode & 0o7777, directory };
        // Where that fails, whatever is done in it next fails too, and says why.
        let _ = closed.set(closed.mode | OPEN);
        Some(closed)
    }

    fn set(&self, mode: u32) -> rustix::io::Result<()> {
        let own = format!("/proc/self/fd/{}", self.directory.as_raw_fd());
        rustix::fs::chmod(own, Mode::from_raw_mode(mode))
    }
}

impl Drop for Closed {
    fn drop(&mut self) {
        if let Err(e) = self.set(self.mode) {
            let mode = self.mode;
            tracing::warn!(
                "a directory opened for a change did not get its mode {mode:o} back: {e}"
            );
        }
    }
}

/// The closed directories on the way to what is changed, and those that are changed themselves.
#[derive(Debug, Default)]
pub(super) struct Opened(HashMap<PathBuf, Option<Closed>>);

impl Opened {
    /// Opens the directories of a root above a path, and one at the path.
    pub(super) fn along(&mut self, workspace: &Workspace, path: &Path) {
        let root = workspace.roots().map(|(root, _)| root).find(|root| path.starts_with(root));
        let inside = |above: &&Path| root.is_some_and(|root| *above != root);
        let new =
            path.ancestors().take_while(|above| inside(above) && !self.0.contains_key(*above));
        // From the top: below a closed directory nothing can be looked at.
        for directory in new.collect::<Vec<_>>().into_iter().rev() {
            let spot = workspace.spot_of(directory).ok();
            let closed = spot.and_then(|spot| Closed::open(&spot.parent, &spot.name));
            self.0.insert(directory.to_owned(), closed);
        }
    }

    /// Opens a directory that is in the trash, to be moved back.
    pub(super) fn slot(&mut self, trash: &Trash, name: &str) {
        if let Some(closed) = Closed::open(&trash.dir, OsStr::new(name)) {
            self.0.insert(PathBuf::from(name), Some(closed));
        }
    }

    /// What the mode of a directory was before it was opened; nothing if it was open.
    pub(super) fn mode(&self, path: &Path) -> Option<u32> {
        Some(self.0.get(path)?.as_ref()?.mode)
    }

    /// Decides with which mode a directory is closed again; false if it was open.
    pub(super) fn set_mode(&mut self, path: &Path, mode: u32) -> bool {
        let closed = self.0.get_mut(path).and_then(Option::as_mut);
        closed.map(|closed| closed.mode = mode).is_some()
    }
}
