//! Keeps what the index knows the same as what the files say.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use fault::{Cancel, Result};
use files::search::{FileList, Stamp, in_parallel, list_files};
use files::{Limits, State, Workspace};
use syntax::{Grammars, Language};

use crate::document::{Document, Fields, Reader};
use crate::place::{Place, is_documentation};
use crate::rank::Ranking;
use crate::store::{Entry, Store};
use crate::table::Table;

/// Longest that one file may take to parse; then it is cut into windows.
const PARSE_TIME: Duration = Duration::from_secs(2);
/// Files of a root that are looked at.
const MOST_LISTED: usize = 500_000;
/// Files that are kept at once: so much of a build is lost at most when it is stopped.
const BATCH: usize = 500;
/// Changes whenever the same file would give another document.
const FORMAT: u32 = 1;

/// What is known of one root.
pub(crate) struct Known {
    /// By path, in the order of its bytes: comparing paths part by part costs more than the rest.
    files: BTreeMap<OsString, (Stamp, Arc<Document>)>,
    store: Option<Store>,
    pub(crate) ranking: Ranking,
    /// The documents of the ranking, in its order.
    pub(crate) places: Vec<Place>,
    /// What the files say that are not in it.
    pub(crate) left: Left,
    /// Files of code that were cut into windows.
    refused: usize,
}

/// What is not in the index though it could be asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Left {
    /// More files than the index takes.
    pub(crate) more: bool,
    /// Files beyond the bytes that the index takes.
    pub(crate) beyond: usize,
    pub(crate) large: usize,
    pub(crate) unreadable: usize,
    /// Code that could not be parsed and was cut into windows.
    pub(crate) refused: usize,
    /// It is only in memory.
    pub(crate) unkept: bool,
}

/// What reading needs beside the files.
pub(crate) struct Means<'a> {
    pub(crate) table: &'a Table,
    pub(crate) grammars: &'a Grammars,
    pub(crate) fields: Fields,
}

impl Known {
    pub(crate) fn open(state: &State, root: &Path) -> Self {
        let version = FORMAT ^ Table::version();
        let (store, entries) = Store::open(state, root, version).unzip();
        let entries = entries.unwrap_or_default();
        let files =
            entries.into_iter().map(|(path, stamp, document)| (path.into(), (stamp, document)));
        let mut known = Self {
            files: files.collect(),
            store,
            ranking: Ranking::default(),
            places: Vec::new(),
            left: Left::default(),
            refused: 0,
        };
        known.rank();
        known
    }

    /// Looks at every file and reads those that changed. Gives the list, to read from.
    pub(crate) fn refresh(
        &mut self,
        workspace: &Workspace,
        root: &str,
        means: &Means<'_>,
        cancel: &Cancel,
    ) -> Result<FileList> {
        let limits = workspace.limits();
        let list = list_files(workspace, root, MOST_LISTED, cancel)?;
        let mut left = Left { more: list.more, unreadable: list.unreadable, ..Left::default() };
        let mut bytes = 0;
        let mut wanted = Vec::new();
        for (path, stamp) in in_order(&list.files, limits) {
            if stamp.size > limits.index_file_bytes {
                // A picture or an archive is nothing that anybody misses.
                let text = Language::of(&path.to_string_lossy(), b"").is_some();
                left.large += usize::from(text || is_documentation(path));
            } else if wanted.len() == limits.index_files || bytes + stamp.size > limits.index_bytes
            {
                left.beyond += 1;
            } else {
                bytes += stamp.size;
                wanted.push((path, *stamp));
            }
        }
        wanted.sort_unstable_by(|a, b| a.0.as_os_str().cmp(b.0.as_os_str()));
        let mut stopped = Ok(());
        if !self.knows(&wanted) {
            stopped = self.catch_up(&list, &wanted, means, limits.index_file_bytes, cancel);
            let missed =
                |(path, _): &&(&PathBuf, Stamp)| !self.files.contains_key(path.as_os_str());
            left.unreadable += wanted.iter().filter(missed).count();
        }
        stopped?;
        left.refused = self.refused;
        left.unkept = self.store.is_none();
        self.left = left;
        Ok(list)
    }

    /// Whether these are all files and none has changed; both are in the order of their bytes.
    fn knows(&self, wanted: &[(&PathBuf, Stamp)]) -> bool {
        let mut known = self.files.iter();
        let is_next = |(path, stamp): &(&PathBuf, Stamp)| {
            known.next().is_some_and(|(at, (old, _))| path.as_os_str() == at && stamp == old)
        };
        wanted.len() == self.files.len() && wanted.iter().all(is_next)
    }

    /// Reads what changed, forgets what is gone.
    fn catch_up(
        &mut self,
        list: &FileList,
        wanted: &[(&PathBuf, Stamp)],
        means: &Means<'_>,
        most: u64,
        cancel: &Cancel,
    ) -> Result<()> {
        let is_known = |(path, stamp): &(&PathBuf, Stamp)| {
            self.files.get(path.as_os_str()).is_some_and(|(known, _)| known == stamp)
        };
        let stale: Vec<_> = wanted.iter().filter(|file| !is_known(file)).copied().collect();
        let gone: Vec<PathBuf> = {
            let mut there = wanted.iter().map(|(path, _)| path.as_os_str()).peekable();
            let gone = |path: &&OsString| {
                while there.next_if(|at| *at < path.as_os_str()).is_some() {}
                there.peek() != Some(&path.as_os_str())
            };
            self.files.keys().filter(gone).map(PathBuf::from).collect()
        };
        for path in &gone {
            self.files.remove(path.as_os_str());
        }
        let changed = !stale.is_empty() || !gone.is_empty();
        self.keep(&[], &gone);
        let stopped = stale.chunks(BATCH).try_for_each(|batch| {
            let read = read(list, batch, means, most, cancel);
            self.keep(&read, &[]);
            let read = read.into_iter();
            self.files.extend(read.map(|(path, stamp, document)| (path.into(), (stamp, document))));
            cancel.check()
        });
        if changed {
            self.rank();
        }
        stopped
    }

    /// Without a disk to keep it on, the index lives in memory alone.
    fn keep(&mut self, read: &[Entry], gone: &[PathBuf]) {
        let nothing = read.is_empty() && gone.is_empty();
        if !nothing && self.store.as_mut().is_some_and(|store| store.keep(read, gone).is_err()) {
            self.store = None;
        }
    }

    fn rank(&mut self) {
        self.refused = self.files.values().filter(|(_, document)| document.refused).count();
        self.places = self.files.keys().map(|path| Place::new(path.into())).collect();
        self.ranking = Ranking::new(self.files.values().map(|(_, d)| Arc::clone(d)).collect());
    }
}

/// The files by path; if they are more than the index takes, code before tests before data before
/// documentation, so that what is left out is missed least.
fn in_order<'l>(files: &'l [(PathBuf, Stamp)], limits: &Limits) -> Vec<&'l (PathBuf, Stamp)> {
    let mut files: Vec<_> = files.iter().collect();
    let bytes: u64 = files.iter().map(|(_, stamp)| stamp.size).sum();
    if files.len() > limits.index_files || bytes > limits.index_bytes {
        files.sort_by_cached_key(|(path, _)| {
            let place = Place::new(path.clone());
            let code = Language::of(&path.to_string_lossy(), b"").is_some();
            (place.documentation, !code, place.test)
        });
    }
    files
}

/// Reads files on all cores; those that cannot be read are left out.
fn read(
    list: &FileList,
    files: &[(&PathBuf, Stamp)],
    means: &Means<'_>,
    most: u64,
    cancel: &Cancel,
) -> Vec<Entry> {
    let (next, all) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        let mut reader = Reader::new(means.table, means.grammars, means.fields);
        let mut mine = Vec::new();
        while let Some((path, stamp)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let started = Instant::now();
            let stop = || cancel.is_cancelled() || started.elapsed() > PARSE_TIME;
            let Ok(bytes) = list.read(path, most) else { continue };
            let document = reader.read(path, &bytes, &stop);
            if cancel.is_cancelled() {
                break;
            }
            mine.push(((*path).clone(), settled(*stamp), Arc::new(document)));
        }
        all.lock().unwrap_or_else(PoisonError::into_inner).extend(mine);
    };
    in_parallel(files.len(), work);
    all.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// A file that was changed just now may change again without its time telling: it is read once
/// more the next time.
fn settled(stamp: Stamp) -> Stamp {
    if stamp.is_settled() { stamp } else { Stamp { changed: i64::MIN, ..stamp } }
}
