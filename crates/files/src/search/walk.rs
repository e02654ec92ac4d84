//! The walk over a tree in parallel, and what it passes over.

use std::ffi::{OsStr, OsString};
use std::num::NonZero;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fault::Cancel;
use ignore::{DirEntry, WalkBuilder, WalkState};
use rustix::fs::FileType;

use super::{Ignore, SKIPPED_FOLDERS, Skipped};
use crate::workspace::{Folder, Workspace};

/// More threads than this only wait for each other.
const MOST_THREADS: usize = 12;
/// Files counted to say how many were ignored.
const COUNTED: usize = 100_000;
/// Unreadable paths that are named.
const NAMED: usize = 5;

/// Longest file of patterns that a walk obeys, in bytes; thousands of patterns make each file slow
/// to match.
const LONGEST_IGNORE: u64 = 1 << 20;

/// What version control keeps for itself.
const INTERNALS: [&str; 3] = [".git", ".hg", ".svn"];

/// Where and how to walk.
pub(super) struct Tree<'a> {
    pub(super) folder: &'a Folder,
    pub(super) ignore: Ignore<'a>,
    pub(super) recursive: bool,
    pub(super) cancel: &'a Cancel,
}

impl Tree<'_> {
    /// Calls the visitor that each thread gets from `visitor` for all that is not ignored, the
    /// directory itself aside, with the path relative to the directory.
    pub(super) fn walk<'v, V>(&self, visitor: impl Fn() -> V)
    where
        V: FnMut(Result<(&Path, &DirEntry), &ignore::Error>) -> WalkState + Send + 'v,
    {
        let long = Arc::default();
        let builder = self.builder(self.ignore, &long);
        let around = std::iter::once(self.folder.path()).chain(self.folder.above());
        let obeyed = around.filter(|_| self.ignore != Ignore::Nothing);
        lock(&long).extend(obeyed.filter_map(long_ignore));
        if lock(&long).is_empty() {
            self.run(&builder, &visitor);
        }
        let mut visit = visitor();
        for path in lock(&long).drain(..) {
            let err = ignore::Error::Io(std::io::ErrorKind::FileTooLarge.into());
            visit(Err(&ignore::Error::WithPath { path, err: Box::new(err) }));
        }
    }

    fn run<'v, V>(&self, builder: &WalkBuilder, visitor: &impl Fn() -> V)
    where
        V: FnMut(Result<(&Path, &DirEntry), &ignore::Error>) -> WalkState + Send + 'v,
    {
        let cancel = self.cancel.clone();
        let skip = self.folder.path().as_os_str().len();
        builder.build_parallel().run(|| {
            let (mut visit, cancel) = (visitor(), cancel.clone());
            Box::new(move |entry| {
                if cancel.is_cancelled() {
                    return WalkState::Quit;
                }
                match &entry {
                    Ok(entry) if entry.depth() == 0 => WalkState::Continue,
                    Ok(entry) => {
                        // Cut by hand: comparing paths part by part costs more than the match.
                        let rel = &entry.path().as_os_str().as_bytes()[skip..];
                        let rel = rel.strip_prefix(b"/").unwrap_or(rel);
                        visit(Ok((Path::new(OsStr::from_bytes(rel)), entry)))
                    }
                    Err(error) => visit(Err(error)),
                }
            })
        });
    }

    /// A directory whose ignore files are too long to be obeyed is left out, and the file noted.
    fn builder(&self, ignore: Ignore<'_>, long: &LongIgnores) -> WalkBuilder {
        let mut builder = WalkBuilder::new(self.folder.path());
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
        builder
            .standard_filters(ignore != Ignore::Nothing)
            .hidden(false)
            .git_global(false) // the home of whoever runs the server is not the project's
            .current_dir(self.folder.path())
            .follow_links(false)
            .threads(threads.min(MOST_THREADS))
            .max_depth((!self.recursive).then_some(1));
        if ignore != Ignore::Nothing && !self.folder.is_in_repository() {
            // Nothing says where the project begins but the root: a `.gitignore` above it (many
            // keep one with `*` in their home) has no say, those from the root down have.
            builder.require_git(false).parents(false);
            for dir in self.folder.above() {
                builder.current_dir(dir);
                for name in [".gitignore", ".ignore"] {
                    let _ = builder.add_ignore(dir.join(name)); // mostly there is none
                }
            }
        }
        let (skipped, long) = (skipped_folders(ignore), Arc::clone(long));
        let obeys = ignore != Ignore::Nothing;
        builder.filter_entry(move |entry| {
            let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
            if is_skipped(entry, &skipped) || obeys && !is_directory && is_backup(entry.path()) {
                return false;
            }
            let found = if is_directory && obeys { long_ignore(entry.path()) } else { None };
            let is_short = found.is_none();
            lock(&long).extend(found);
            is_short
        });
        builder
    }

    /// Counts the wanted files that the walk passed over, `seen` of them being known. What is
    /// in a skipped `.git` is nothing a person would miss.
    pub(super) fn count_ignored(
        &self,
        skipped: &mut Skipped,
        seen: usize,
        wanted: impl Fn(&Path, &DirEntry) -> bool + Sync,
    ) {
        if self.ignore == Ignore::Nothing {
            return;
        }
        let mut internals = skipped_folders(self.ignore);
        internals.retain(|name| INTERNALS.iter().any(|internal| name == internal));
        let mut builder = self.builder(Ignore::Nothing, &Arc::default());
        builder.filter_entry(move |entry| !is_skipped(entry, &internals));
        let total = AtomicUsize::new(0);
        self.run(&builder, &|| {
            |entry| {
                if let Ok((rel, entry)) = entry
                    && wanted(rel, entry)
                    && total.fetch_add(1, Ordering::Relaxed) >= COUNTED + seen
                {
                    return WalkState::Quit;
                }
                WalkState::Continue
            }
        });
        let ignored = total.into_inner().saturating_sub(seen);
        skipped.ignored = ignored.min(COUNTED);
        skipped.ignored_more = ignored > COUNTED;
    }
}

/// Ignore files that are too long to be obeyed.
type LongIgnores = Arc<Mutex<Vec<PathBuf>>>;

fn lock(long: &LongIgnores) -> MutexGuard<'_, Vec<PathBuf>> {
    long.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The ignore file of a directory that is longer than what is obeyed, or that is no file: reading
/// it might never end.
pub(crate) fn long_ignore(directory: &Path) -> Option<PathBuf> {
    let is_long = |path: &PathBuf| {
        rustix::fs::stat(path).is_ok_and(|stat| {
            FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile
                || stat.st_size as u64 > LONGEST_IGNORE
        })
    };
    let files = [".gitignore", ".ignore", ".git/info/exclude"];
    files.iter().map(|name| directory.join(name)).find(is_long)
}

fn skipped_folders(ignore: Ignore<'_>) -> Vec<OsString> {
    match ignore {
        Ignore::Standard => SKIPPED_FOLDERS.iter().map(OsString::from).collect(),
        Ignore::Folders(names) => {
            names.iter().map(|n| OsString::from(n.trim_end_matches('/'))).collect()
        }
        Ignore::Nothing => Vec::new(),
    }
}

/// In a worktree or a submodule `.git` is a file; other names are skipped as directories alone.
fn is_skipped(entry: &DirEntry, names: &[OsString]) -> bool {
    let name = entry.file_name();
    entry.depth() > 0
        && names.iter().any(|skipped| skipped == name)
        && (name == ".git" || entry.file_type().is_some_and(|t| t.is_dir()))
}

/// Whether a file is a copy that an edit left beside its original, which says everything twice.
fn is_backup(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str);
    let original = name.and_then(crate::journal::backup_of).map(|of| path.with_file_name(of));
    original.is_some_and(|original| rustix::fs::lstat(original).is_ok())
}

/// What the walk could not read, and which paths those are.
#[derive(Debug, Default)]
pub(super) struct Unreadable {
    count: usize,
    paths: Vec<PathBuf>,
    long_ignores: Vec<PathBuf>,
}

impl Unreadable {
    fn add(&mut self, path: &Path) {
        self.count += 1;
        let place = self.paths.partition_point(|p| p.as_path() < path);
        self.paths.insert(place, path.to_owned());
        self.paths.truncate(NAMED);
    }

    /// A file that is gone since the walk saw it is nothing missed.
    pub(super) fn add_io(&mut self, path: &Path, error: &std::io::Error) {
        match error.kind() {
            std::io::ErrorKind::NotFound => {}
            std::io::ErrorKind::FileTooLarge => self.long_ignores.push(path.to_owned()),
            _ => self.add(path),
        }
    }

    pub(super) fn add_error(&mut self, error: &ignore::Error) {
        let (mut error, mut path) = (error, Path::new(""));
        loop {
            error = match error {
                ignore::Error::WithPath { path: at, err } => {
                    path = at;
                    err
                }
                ignore::Error::WithDepth { err, .. } => err,
                ignore::Error::Io(e) => return self.add_io(path, e),
                _ => return self.add(path),
            };
        }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.paths.extend(other.paths);
        self.paths.sort_unstable();
        self.paths.truncate(NAMED);
        self.long_ignores.extend(other.long_ignores);
        self.long_ignores.sort_unstable();
    }

    pub(super) fn tell(&self, workspace: &Workspace, skipped: &mut Skipped) {
        skipped.unreadable = self.count;
        skipped.unreadable_names = self.paths.iter().map(|p| workspace.show(p)).collect();
        skipped.long_ignores = self.long_ignores.iter().map(|p| workspace.show(p)).collect();
    }
}
