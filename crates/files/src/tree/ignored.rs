//! What a search passes over because it is ignored, to be counted when nothing was found.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use fault::Cancel;
use ignore::WalkState;

use super::view::View;
use crate::search::{Item, Walk};
use crate::workspace::{Folder, Kind};

/// How long what is in ignored directories, which are not watched, is taken to be as it was.
const AGE: Duration = Duration::from_secs(10);
/// Most files that are kept.
const MOST: usize = 100_000;

/// Everything in a root that is ignored.
#[derive(Debug)]
pub(crate) struct Ignored {
    /// Below the root, by path.
    files: Vec<(PathBuf, Kind)>,
    /// There are more.
    pub(crate) more: bool,
    /// Some of it is in directories that are ignored as a whole.
    unwatched: bool,
    looked: Instant,
}

impl Ignored {
    /// Looks for it: a walk over all that is in the root.
    pub(crate) fn look(root: &Folder, view: &View, cancel: &Cancel) -> Self {
        let files = Mutex::new(Vec::new());
        let walk = Walk::new(root, cancel);
        walk.walk_all(|| {
            |item: Result<Item<'_>, &ignore::Error>| {
                let Ok(item) = item else { return WalkState::Continue };
                if view.entry(item.rel.as_os_str()).is_some() {
                    return WalkState::Continue;
                }
                let mut files = files.lock().unwrap_or_else(PoisonError::into_inner);
                files.push((item.rel.to_owned(), item.kind));
                if files.len() > MOST { WalkState::Quit } else { WalkState::Continue }
            }
        });
        let mut files = files.into_inner().unwrap_or_else(PoisonError::into_inner);
        files.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let is_watched = |path: &PathBuf| {
            path.parent().is_some_and(|above| view.directories.contains_key(above.as_os_str()))
        };
        let unwatched = files.iter().any(|(path, _)| !is_watched(path));
        let more = files.len() > MOST;
        files.truncate(MOST);
        Self { files, more, unwatched, looked: Instant::now() }
    }

    /// Those below a directory, each with its path below it.
    pub(crate) fn below<'a>(&'a self, place: &'a OsStr) -> impl Iterator<Item = (&'a Path, Kind)> {
        let below =
            move |(path, kind): &'a (PathBuf, Kind)| Some((path.strip_prefix(place).ok()?, *kind));
        self.files.iter().filter_map(below)
    }

    pub(crate) fn is_stale(&self) -> bool {
        self.unwatched && self.looked.elapsed() > AGE
    }
}
