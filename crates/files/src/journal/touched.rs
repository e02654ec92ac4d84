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
    /// Most notes that are taken; `None` for any number.
    most: Option<usize>,
    notes: usize,
    paths: BTreeMap<PathBuf, Touch>,
    /// Those of files with several names.
    inodes: BTreeSet<i64>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Touch {
    /// With all below it.
    whole: bool,
    /// How often it was opened to be written.
    pub(super) written: u32,
    /// How often something was moved there.
    pub(super) moved: u32,
    /// What was moved there. What is reported of it may be reported of those names.
    pub(super) from: BTreeSet<PathBuf>,
}

impl Touched {
    /// With at most so many notes: with more nobody can tell what is touched.
    pub(super) fn with_most(most: usize) -> Self {
        Self(Arc::new(Mutex::new(Touches { most: Some(most), ..Touches::default() })))
    }

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
        self.lock().note(path, |touch| touch.whole |= whole);
    }

    /// A file is opened to be written.
    pub fn write(&self, path: PathBuf) {
        self.lock().note(path, |touch| touch.written += 1);
    }

    /// Something is moved to another path. Who has it open may write it there.
    pub fn rename(&self, from: PathBuf, to: PathBuf, whole: bool) {
        let mut touches = self.lock();
        touches.note(from.clone(), |source| source.whole |= whole);
        let has_room = touches.has_room();
        let is_new = touches.note(to, |target| {
            target.whole |= whole;
            target.moved += 1;
            has_room && target.from.insert(from)
        });
        touches.notes += usize::from(is_new == Some(true));
    }

    /// A file with several names may change by any of them.
    pub fn touch_linked(&self, inode: i64) {
        let mut touches = self.lock();
        if touches.has_room() && touches.inodes.insert(inode) {
            touches.notes += 1;
        }
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

    /// How a path was touched; `None` if nobody can tell, as of these inodes that have several
    /// names: what is done by another name is not reported there.
    pub(super) fn of(&self, path: &Path, inodes: [Option<i64>; 2]) -> Option<Touch> {
        let touches = self.lock();
        let is_linked = inodes.iter().flatten().any(|inode| touches.inodes.contains(inode));
        if touches.seen != Some(true) || touches.is_in_whole(path) || is_linked {
            return None;
        }
        Some(touches.paths.get(path).cloned().unwrap_or_default())
    }
}

impl Touches {
    /// Notes something of a path; gives what `how` does, if there was room for it.
    fn note<T>(&mut self, path: PathBuf, how: impl FnOnce(&mut Touch) -> T) -> Option<T> {
        if !self.paths.contains_key(&path) {
            if !self.has_room() {
                return None;
            }
            self.notes += 1;
        }
        Some(how(self.paths.entry(path).or_default()))
    }

    /// Whether one more note can be taken; if not, not all is seen.
    fn has_room(&mut self) -> bool {
        let has_room = self.most.is_none_or(|most| self.notes < most);
        if !has_room {
            self.seen = Some(false);
        }
        has_room
    }

    fn is_in_whole(&self, path: &Path) -> bool {
        path.ancestors().any(|above| self.paths.get(above).is_some_and(|touch| touch.whole))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_more_than_can_be_noted_it_is_not_known_what_was_touched() {
        let touched = Touched::with_most(4);
        touched.begin(true);
        touched.write("a".into());
        touched.rename("a".into(), "b".into(), false);
        touched.rename("a".into(), "b".into(), false);
        assert!(!touched.is_blind(), "these are two names and one move");
        touched.write("b".into());
        touched.touch_linked(1);
        assert!(!touched.is_blind() && touched.has(Path::new("c"), [Some(1); 2]));
        touched.touch("d".into(), false);
        assert!(touched.is_blind() && touched.has(Path::new("b"), [None; 2]));
        assert!(!touched.has(Path::new("d"), [None; 2]), "there was no room for it");
    }
}
