//! Whether files that decide what git says are as they were.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::texts;
use crate::search::Stamp;

/// A file that was changed longer ago than this has another state once it is changed again: clocks
/// of file systems tick a hundred times a second or more.
const SETTLED: Duration = Duration::from_millis(100);

/// The state of files that an answer rests on, whether they exist or not.
#[derive(Debug, PartialEq, Eq)]
pub struct Basis {
    owned: Vec<(PathBuf, Option<(u32, u64)>)>,
    stamps: Vec<(PathBuf, Option<Stamp>)>,
    texts: Vec<(PathBuf, Vec<u8>)>,
}

impl Basis {
    /// Looks at files: of the first only whose and which ones they are matters, of the second whether
    /// they changed, of the third what is in them. `None` if one of those cannot be read.
    pub fn of(owned: Vec<PathBuf>, stamped: Vec<PathBuf>, read: Vec<PathBuf>) -> Option<Self> {
        let owner = |path: PathBuf| {
            let stat = rustix::fs::lstat(&path).ok();
            (path, stat.map(|stat| (stat.st_uid, stat.st_ino)))
        };
        let stamp = |path: PathBuf| {
            let stat = rustix::fs::stat(&path).ok();
            (path, stat.map(|stat| Stamp::of_stat(&stat)))
        };
        let texts = texts(&read)?;
        Some(Self {
            owned: owned.into_iter().map(owner).collect(),
            stamps: stamped.into_iter().map(stamp).collect(),
            texts: read.into_iter().zip(texts).collect(),
        })
    }

    /// Whether all is as it was.
    pub fn holds(&self) -> bool {
        let paths = |stamps: &[(PathBuf, Option<Stamp>)]| -> Vec<PathBuf> {
            stamps.iter().map(|(path, _)| path.clone()).collect()
        };
        let owned = self.owned.iter().map(|(path, _)| path.clone()).collect();
        let read = self.texts.iter().map(|(path, _)| path.clone()).collect();
        Self::of(owned, paths(&self.stamps), read).as_ref() == Some(self)
    }

    /// Whether nothing but what is in files that are read is other than it was.
    pub fn differs_in_texts_alone(&self, other: &Self) -> bool {
        let paths = |own: &Self| -> Vec<PathBuf> {
            own.texts.iter().map(|(path, _)| path.clone()).collect()
        };
        (&self.owned, &self.stamps) == (&other.owned, &other.stamps) && paths(self) == paths(other)
    }

    /// Whether a change from now on will be seen; to be asked right after looking.
    pub fn is_settled(&self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let latest = now.saturating_sub(SETTLED).as_nanos();
        let is_old = |stamp: &Stamp| u128::try_from(stamp.changed).is_ok_and(|at| at < latest);
        self.stamps.iter().filter_map(|(_, stamp)| stamp.as_ref()).all(is_old)
    }

    /// Whether there is one of those whose changes matter.
    pub fn has(&self, path: &Path) -> bool {
        self.stamps.iter().any(|(own, stamp)| own == path && stamp.is_some())
    }

    /// What was in a file that was read.
    pub fn text(&self, at: usize) -> &[u8] {
        self.texts.get(at).map_or(&[], |(_, text)| text)
    }
}
