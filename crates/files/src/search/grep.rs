//! Lines that match a pattern, in the files of a directory.

mod worker;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fault::{Cancel, Code, Result};
use ignore::WalkState;
use postings::Query;

use self::worker::Worker;
use super::hit::{Hit, Shown};
use super::item::Item;
use super::pattern::{self, Glob};
use super::unreadable::Unreadable;
use super::walk::{Known, Walk};
use super::{Ignore, Skipped, Stamp, in_parallel};
use crate::workspace::{Folder, Kind, Workspace};

/// Most lines of context on each side.
pub const MOST_CONTEXT: usize = 20;
/// Fewer files are searched before another thread has started.
const FILES_OF_A_THREAD: usize = 8;

/// What to look for, and where.
#[derive(Clone, Copy, Debug)]
pub struct Grep<'a> {
    /// A regular expression in Rust's syntax, or plain text.
    pub pattern: &'a str,
    /// The pattern is plain text.
    pub literal: bool,
    /// A match may go over several lines; else lines are searched one by one. A line break of plain
    /// text stands for either kind.
    pub multiline: bool,
    /// Upper and lower case are the same.
    pub ignore_case: bool,
    /// The directory, or the one file, which is then searched whatever it is called.
    pub dir: &'a str,
    /// Only files whose name matches; with a slash in it, whose path below `dir` matches.
    pub glob: Option<&'a str>,
    /// What is passed over.
    pub ignore: Ignore<'a>,
    /// Most hits in the result.
    pub max_hits: usize,
    /// Directories below `dir` are searched too.
    pub recursive: bool,
    /// Lines shown before and after each hit; at most [`MOST_CONTEXT`].
    pub context: usize,
}

impl<'a> Grep<'a> {
    /// Lines of the files below `dir` that match a regular expression, without what is usually
    /// passed over.
    pub fn new(pattern: &'a str, dir: &'a str, max_hits: usize) -> Self {
        Self {
            pattern,
            literal: false,
            multiline: false,
            ignore_case: false,
            dir,
            glob: None,
            ignore: Ignore::Standard,
            max_hits,
            recursive: true,
            context: 0,
        }
    }
}

/// The lines that match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// By path in the order of its bytes, then by line; the first `max_hits` of all there are.
    pub hits: Vec<Hit>,
    /// There are more than these.
    pub more: bool,
    /// What was not looked at.
    pub skipped: Skipped,
}

/// Searches files, several at a time. What it returns is the same every time.
///
/// # Errors
/// `InvalidRegex`, `InvalidGlob`, `InvalidInput` for an empty pattern, `DirectoryNotFound`,
/// `PathOutsideWorkspace`, `NotAFile`, `Cancelled`.
pub fn grep(workspace: &Workspace, grep: &Grep<'_>, cancel: &Cancel) -> Result<Found> {
    let (matcher, longest) = pattern::regex(grep)?;
    let total = Total::new(grep.max_hits);
    let limits = workspace.limits();
    let worker = || Worker::new(&total, grep, (&matcher, longest), limits, cancel);
    let folder = match workspace.folder(grep.dir) {
        Err(e) if e.code == Code::NotADirectory => {
            let opened = workspace.open_file(grep.dir)?;
            worker().search(opened.file, opened.path.as_os_str());
            cancel.check()?;
            return Ok(total.found(workspace, Path::new("/")));
        }
        folder => folder?,
    };
    folder.check_readable(grep.dir)?;
    let glob = grep.glob.map(|glob| Glob::new(glob, folder.path(), true, false)).transpose()?;
    let (ignore, recursive) = (grep.ignore, grep.recursive);
    let tree = Walk { ignore, recursive, ..Walk::new(&folder, cancel) };
    let wanted = |item: &Item<'_>| {
        item.kind == Kind::File && glob.as_ref().is_none_or(|g| g.matches(item.rel, item.name()))
    };
    let known = tree.known(|| Query::new(grep.pattern, grep.literal, grep.ignore_case));
    let (mut binary, mut seen) = (0, None);
    if let Some(known) = known {
        binary = search_known(&tree, &known, &wanted, &worker);
    } else {
        tree.walk(|| {
            let (mut worker, wanted, folder) = (worker(), &wanted, &folder);
            move |entry| {
                match entry {
                    // A directory after the last hit that counts holds no earlier one.
                    Ok(item) if worker.total.ends_before(item.rel) => return WalkState::Skip,
                    Ok(item) if wanted(&item) => worker.search_below(folder, item.rel),
                    Ok(_) => {}
                    Err(error) => worker.counts.unreadable.add_error(error),
                }
                WalkState::Continue
            }
        });
        seen = Some(total.lock().counts.wanted);
    }
    cancel.check()?;
    let mut found = total.found(workspace, folder.path());
    found.skipped.binary += binary;
    if found.hits.is_empty() && !found.more {
        tree.count_ignored(workspace, &mut found.skipped, seen, wanted);
        cancel.check()?;
    }
    Ok(found)
}

/// Searches the wanted files of what is known of the tree; gives how many there are with a NUL byte
/// that need not be searched.
fn search_known<'s>(
    tree: &Walk<'_>,
    known: &Known<'_>,
    wanted: &(impl Fn(&Item<'_>) -> bool + Sync),
    worker: &(impl Fn() -> Worker<'s> + Sync),
) -> usize {
    let is_wanted = |rel: &Path| wanted(&Item::known(rel, Kind::File, Stamp::default()));
    let mut first = worker();
    if let Some((files, binary)) = known.narrowed() {
        tree.trouble(known).iter().for_each(|error| first.counts.unreadable.add_error(error));
        search_all(&files, is_wanted, tree.folder, worker);
        return binary.into_iter().filter(|rel| is_wanted(rel)).count();
    }
    let mut files = Vec::new();
    tree.replay(known, |item| {
        match item {
            Ok(item) if wanted(&item) => files.push(item.rel.to_owned()),
            Ok(_) => {}
            Err(error) => first.counts.unreadable.add_error(error),
        }
        WalkState::Continue
    });
    search_all(&files, |_| true, tree.folder, worker);
    0
}

/// Searches those of the files that are wanted, on all processors.
fn search_all<'s>(
    files: &[impl AsRef<Path> + Sync],
    is_wanted: impl Fn(&Path) -> bool + Sync,
    folder: &Folder,
    worker: &(impl Fn() -> Worker<'s> + Sync),
) {
    let next = AtomicUsize::new(0);
    in_parallel(files.len() / FILES_OF_A_THREAD, || {
        let mut worker = worker();
        while !worker.cancel.is_cancelled()
            && let Some(rel) = files.get(next.fetch_add(1, Ordering::Relaxed))
        {
            let rel = rel.as_ref();
            if !worker.total.ends_before(rel) && is_wanted(rel) {
                worker.search_below(folder, rel);
            }
        }
    });
}

/// What all threads have found so far: of each file its lines, of all files the first ones.
struct Total {
    /// Lines that are kept: one more than asked for, to know whether there are more.
    most: usize,
    /// So many are kept already, so that only files before the last of them matter.
    full: AtomicBool,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    files: BTreeMap<OsString, Vec<Line>>,
    lines: usize,
    counts: Counts,
}

#[derive(Default)]
struct Counts {
    wanted: usize,
    binary: usize,
    too_large: usize,
    unconverted: usize,
    unreadable: Unreadable,
}

struct Line {
    number: u64,
    last: u64,
    shown: Shown,
    before: Vec<String>,
    after: Vec<String>,
}

impl Total {
    fn new(max_hits: usize) -> Self {
        let most = max_hits.saturating_add(1);
        Self { most, full: AtomicBool::new(false), kept: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether enough lines are kept and all of them stand before `rel`.
    fn ends_before(&self, rel: &Path) -> bool {
        self.full.load(Ordering::Relaxed)
            && self.lock().files.last_key_value().is_some_and(|(last, _)| **last < *rel.as_os_str())
    }

    fn add(&self, rel: &OsStr, lines: Vec<Line>) {
        let kept = &mut *self.lock();
        kept.lines += lines.len();
        kept.files.insert(rel.to_owned(), lines);
        while let Some(last) = kept.files.last_entry()
            && kept.lines - last.get().len() >= self.most
        {
            kept.lines -= last.remove().len();
        }
        self.full.store(kept.lines >= self.most, Ordering::Relaxed);
    }

    fn found(&self, workspace: &Workspace, folder: &Path) -> Found {
        let kept = std::mem::take(&mut *self.lock());
        let mut skipped = Skipped {
            binary: kept.counts.binary,
            too_large: kept.counts.too_large,
            unconverted: kept.counts.unconverted,
            ..Skipped::default()
        };
        kept.counts.unreadable.tell(workspace, &mut skipped);
        let mut hits = Vec::with_capacity(kept.lines);
        for (rel, lines) in kept.files {
            let path: Arc<Path> = folder.join(rel).into();
            let shown: Arc<str> = workspace.show(&path).into();
            hits.extend(lines.into_iter().map(|line| Hit {
                path: Arc::clone(&path),
                shown: Arc::clone(&shown),
                line: line.number,
                last: line.last,
                column: line.shown.column,
                text: line.shown.text,
                span: line.shown.span,
                before: line.before,
                after: line.after,
            }));
        }
        let more = hits.len() >= self.most;
        hits.truncate(self.most - 1);
        Found { hits, more, skipped }
    }
}
