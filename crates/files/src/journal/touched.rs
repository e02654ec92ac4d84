//! What a program may have changed, as is told by whoever sees its system calls.
//!
//! Without this module what a person saves while a command runs without a layer would be taken for
//! the work of the command.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the programs of one step may have changed. As long as nobody says that they are seen, it
/// may be anything.
#[derive(Clone, Debug, Default)]
pub struct Touched(Arc<Mutex<Touches>>);

#[derive(Debug, Default)]
struct Touches {
    /// Whether all programs were seen, if there were any.
    seen: Option<bool>,
    paths: BTreeMap<PathBuf, Touch>,
    /// Those of files with several names.
    inodes: BTreeSet<i64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Touch {
    /// With all below it.
    whole: bool,
    /// How often it was opened to be written.
    written: u32,
    /// How often something was moved there.
    moved: u32,
}

impl Touched {
    fn lock(&self) -> MutexGuard<'_, Touches> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A program begins, and is `seen` or not.
    pub fn begin(&self, seen: bool) {
        let mut touches = self.lock();
        touches.seen = Some(touches.seen.unwrap_or(true) && seen);
    }

    /// A call was seen of which cannot be told what it changes.
    pub fn lose(&self) {
        self.begin(false);
    }

    /// A path may change. With `whole`, so may all below it.
    pub fn touch(&self, path: PathBuf, whole: bool) {
        self.lock().paths.entry(path).or_default().whole |= whole;
    }

    /// A file is opened to be written.
    pub fn write(&self, path: PathBuf) {
        self.lock().paths.entry(path).or_default().written += 1;
    }

    /// Something is moved to another path. Who has it open may write it there.
    pub fn rename(&self, from: PathBuf, to: PathBuf, whole: bool) {
        let mut touches = self.lock();
        let source = touches.paths.entry(from).or_default();
        source.whole |= whole;
        let written = source.written;
        let target = touches.paths.entry(to).or_default();
        target.whole |= whole;
        target.written += written;
        target.moved += 1;
    }

    /// A file with several names may change by any of them.
    pub fn touch_linked(&self, inode: i64) {
        self.lock().inodes.insert(inode);
    }

    /// Whether a program was not seen, so that everything may be its work.
    pub(super) fn is_blind(&self) -> bool {
        self.lock().seen != Some(true)
    }

    /// Whether a path was touched, or a file of these inodes that has several names.
    pub(super) fn has(&self, path: &Path, inodes: [Option<i64>; 2]) -> bool {
        let touches = self.lock();
        touches.paths.contains_key(path)
            || touches.is_in_whole(path)
            || inodes.iter().flatten().any(|inode| touches.inodes.contains(inode))
    }

    /// How often a path was opened to be written, and moved to; `None` if nobody can tell.
    pub(super) fn counts(&self, path: &Path) -> Option<(u32, u32)> {
        let touches = self.lock();
        if touches.seen != Some(true) || touches.is_in_whole(path) || !touches.inodes.is_empty() {
            return None;
        }
        let touch = touches.paths.get(path).copied().unwrap_or_default();
        Some((touch.written, touch.moved))
    }
}

impl Touches {
    fn is_in_whole(&self, path: &Path) -> bool {
        path.ancestors().any(|above| self.paths.get(above).is_some_and(|touch| touch.whole))
    }
}
