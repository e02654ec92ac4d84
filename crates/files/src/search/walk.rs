//! The walk over a tree in parallel, and what it passes over.
//!
//! Where the tree is watched and what is known of it is what a walk would see, nothing is walked.

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fault::Cancel;
use ignore::{DirEntry, WalkBuilder, WalkState};
use postings::Query;
use rustix::fs::FileType;

use super::item::Item;
use super::unreadable::{Unreadable, cause};
use super::{Ignore, SKIPPED_FOLDERS, Skipped, Stamp, processors};
use crate::tree::{Candidates, Directory, View, Watches};
use crate::workspace::{Folder, Workspace};

/// More threads than this only wait for each other.
const MOST_THREADS: usize = 12;
/// Files counted to say how many were ignored.
const COUNTED: usize = 100_000;

/// Longest file of patterns that a walk obeys, in bytes; thousands of patterns make each file slow
/// to match.
const LONGEST_IGNORE: u64 = 1 << 20;

/// What version control keeps for itself.
pub const INTERNALS: [&str; 3] = [".git", ".hg", ".svn"];

/// Where and how to walk.
pub(crate) struct Walk<'a> {
    pub(crate) folder: &'a Folder,
    pub(crate) ignore: Ignore<'a>,
    pub(crate) recursive: bool,
    pub(crate) cancel: &'a Cancel,
    /// What is told of each directory before it is read.
    pub(crate) watches: Option<Arc<Watches>>,
    /// Only this directory below it, and what is in that; empty for all.
    pub(crate) only: &'a Path,
    /// What has not this in its name need not be visited.
    pub(crate) part: Option<&'a [u8]>,
}

/// What is known of a walk without looking, all of one moment.
pub(crate) struct Known<'a> {
    view: Arc<View>,
    /// The directory of the walk below the root.
    place: &'a OsStr,
    candidates: Option<Candidates>,
}

impl Known<'_> {
    /// What the index of words says, if it says something: the files that can match, by path, and
    /// those with a NUL byte that cannot.
    pub(crate) fn narrowed(&self) -> Option<(Vec<&Path>, Vec<&Path>)> {
        let Candidates { files, binary } = self.candidates.as_ref()?;
        Some((self.below(files), self.below(binary)))
    }

    /// All directories, each with its path below that of the walk.
    pub(crate) fn directories<'k>(&'k self) -> Vec<(&'k OsStr, &'k Directory)> {
        let cut = if self.place.is_empty() { 0 } else { self.place.len() + 1 };
        let rel = |(path, entries): (&'k OsStr, &'k Directory)| {
            (OsStr::from_bytes(path.as_bytes().get(cut..).unwrap_or_default()), entries)
        };
        self.view.within(self.place).map(rel).collect()
    }

    fn below<'k>(&self, paths: &'k [Arc<OsStr>]) -> Vec<&'k Path> {
        let cut = if self.place.is_empty() { 0 } else { self.place.len() + 1 };
        let rel = |path: &'k Arc<OsStr>| Path::new(OsStr::from_bytes(&path.as_bytes()[cut..]));
        paths.iter().map(rel).collect()
    }
}

impl<'a> Walk<'a> {
    /// A walk that passes over what is usually passed over.
    pub(crate) fn new(folder: &'a Folder, cancel: &'a Cancel) -> Self {
        Self {
            folder,
            ignore: Ignore::Standard,
            recursive: true,
            cancel,
            watches: None,
            only: Path::new(""),
            part: None,
        }
    }

    /// Calls the visitor that each thread gets from `visitor` for all that is not ignored, the
    /// directory itself aside, with the path relative to the directory.
    pub(crate) fn walk<'v, V>(&self, visitor: impl Fn() -> V)
    where
        V: FnMut(Result<Item<'_>, &ignore::Error>) -> WalkState + Send + 'v,
    {
        if let Some(known) = self.known(|| None) {
            return self.replay(&known, visitor());
        }
        let left = LeftOut::default();
        let around = std::iter::once(self.folder.path()).chain(self.folder.above());
        let obeyed = around.filter(|_| self.ignore != Ignore::Nothing);
        lock(&left).extend(obeyed.filter_map(long_ignore).map(too_long));
        if lock(&left).is_empty() {
            // From the root down, since what is above a directory decides which rules count in it.
            let (top, path) = (self.folder.root(), self.folder.path());
            let reached = self.run(&self.builder(top, self.ignore, &left), &visitor);
            // What is ignored itself can be looked into by who names it.
            if !reached && top != path && lock(&left).is_empty() {
                self.run(&self.builder(path, self.ignore, &left), &visitor);
            }
        }
        let mut visit = visitor();
        for left in lock(&left).drain(..).filter(|left| self.matters(left)) {
            visit(Err(&error(left)));
        }
    }

    /// What is known of it, with the files that a `query` narrows it to; `None` if it must look.
    pub(crate) fn known(&self, query: impl FnOnce() -> Option<Query>) -> Option<Known<'a>> {
        if self.ignore != Ignore::Standard || self.watches.is_some() {
            return None;
        }
        let (tree, place) = self.folder.tree()?;
        let query = if self.recursive { query() } else { None };
        let (view, candidates) = tree.look(place, query.as_ref())?;
        Some(Known { view, place, candidates })
    }

    /// What a walk would tell that it did not look at, as far as it is known without one.
    pub(crate) fn left_out(&self, workspace: &Workspace) -> Skipped {
        let (mut unreadable, mut skipped) = (Unreadable::default(), Skipped::default());
        if let Some(known) = self.known(|| None) {
            self.trouble(&known).iter().for_each(|error| unreadable.add_error(error));
        }
        unreadable.tell(workspace, &mut skipped);
        skipped
    }

    /// Does without a walk what it would do.
    pub(crate) fn replay<V>(&self, known: &Known<'_>, mut visit: V)
    where
        V: FnMut(Result<Item<'_>, &ignore::Error>) -> WalkState,
    {
        for error in self.trouble(known) {
            visit(Err(&error));
        }
        known.view.visit(known.place, self.recursive, self.part, &mut |item| {
            if self.cancel.is_cancelled() { WalkState::Quit } else { visit(Ok(item)) }
        });
    }

    /// Calls the visitors for everything there is, the internals of version control aside.
    pub(crate) fn walk_all<'v, V>(&self, visitor: impl Fn() -> V)
    where
        V: FnMut(Result<Item<'_>, &ignore::Error>) -> WalkState + Send + 'v,
    {
        let mut internals = skipped_folders(self.ignore);
        internals.retain(|name| INTERNALS.iter().any(|internal| name == internal));
        let mut builder = self.builder(self.folder.path(), Ignore::Nothing, &Arc::default());
        builder.filter_entry(move |entry| !is_skipped(entry, &internals));
        self.run(&builder, &visitor);
    }

    /// Visits what is below the directory; false if the walk did not come to it.
    fn run<'v, V>(&self, builder: &WalkBuilder, visitor: &impl Fn() -> V) -> bool
    where
        V: FnMut(Result<Item<'_>, &ignore::Error>) -> WalkState + Send + 'v,
    {
        let cancel = self.cancel.clone();
        let (path, reached) = (self.folder.path(), AtomicBool::new(false));
        let skip = path.as_os_str().len();
        builder.build_parallel().run(|| {
            let (mut visit, cancel, reached) = (visitor(), cancel.clone(), &reached);
            Box::new(move |entry| {
                if cancel.is_cancelled() {
                    return WalkState::Quit;
                }
                match &entry {
                    // Nothing is visited on the way there, and where it begins.
                    Ok(entry) if entry.path().as_os_str().len() <= skip => {
                        reached.fetch_or(entry.path() == path, Ordering::Relaxed);
                        WalkState::Continue
                    }
                    Ok(entry) => {
                        // Cut by hand: comparing paths part by part costs more than the match.
                        let rel = &entry.path().as_os_str().as_bytes()[skip..];
                        let rel = rel.strip_prefix(b"/").unwrap_or(rel);
                        visit(Ok(Item::of(Path::new(OsStr::from_bytes(rel)), entry)))
                    }
                    Err(error) if cause(error).0.starts_with(path) => visit(Err(error)),
                    Err(_) => WalkState::Continue,
                }
            })
        });
        reached.into_inner()
    }

    /// A directory whose ignore files are too long to be obeyed is left out, and the file noted; so
    /// is one noted that is passed over by its name alone. The walk begins at `top`.
    fn builder(&self, top: &Path, ignore: Ignore<'_>, left: &LeftOut) -> WalkBuilder {
        let mut builder = WalkBuilder::new(top);
        let only = self.folder.path().join(self.only);
        let depth = only.strip_prefix(top).map_or(0, |below| below.components().count());
        // The threads of a walk wait for each other by the millisecond, more than one directory takes.
        let threads = if self.recursive { processors().min(MOST_THREADS) } else { 1 };
        builder
            .standard_filters(ignore != Ignore::Nothing)
            .hidden(false)
            .git_global(false) // the home of whoever runs the server is not the project's
            .current_dir(top)
            .follow_links(false)
            .threads(threads)
            .max_depth((!self.recursive).then_some(depth + 1));
        if ignore != Ignore::Nothing && !self.folder.is_root_in_repository() {
            // Nothing says where the project begins but the root: a `.gitignore` above it (many
            // keep one with `*` in their home) has no say, those from the root down have.
            builder.require_git(false).parents(false);
            let above = self.folder.above();
            for dir in above.into_iter().filter(|dir| !dir.starts_with(top)) {
                builder.current_dir(dir);
                for name in [".gitignore", ".ignore"] {
                    let _ = builder.add_ignore(dir.join(name)); // mostly there is none
                }
            }
        }
        let (skipped, left) = (skipped_folders(ignore), Arc::clone(left));
        let tells = ignore == Ignore::Standard;
        let obeys = ignore != Ignore::Nothing;
        let watches = self.watches.clone();
        builder.filter_entry(move |entry| {
            if !only.starts_with(entry.path()) && !entry.path().starts_with(&only) {
                return false;
            }
            let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
            if is_skipped(entry, &skipped) {
                // What an ignore file names does not come here.
                if tells && is_directory && is_content(entry) && entry.path() != only {
                    lock(&left).push((entry.path().to_owned(), PASSED_OVER));
                }
                return false;
            }
            if obeys && !is_directory && is_backup(entry.path()) {
                return false;
            }
            let found = if is_directory && obeys { long_ignore(entry.path()) } else { None };
            let is_short = found.is_none();
            lock(&left).extend(found.map(too_long));
            if let Some(watches) = watches.as_ref().filter(|_| is_directory && is_short) {
                watches.add(entry.path());
            }
            is_short
        });
        builder
    }

    /// What could not be looked at, or was passed over.
    pub(crate) fn trouble(&self, known: &Known<'_>) -> Vec<ignore::Error> {
        let all = known.view.trouble.iter().map(|(path, kind)| (path.clone(), *kind));
        let own = all.filter(|(path, _)| path.starts_with(self.folder.path()));
        own.filter(|left| self.matters(left)).map(error).collect()
    }

    /// Who looks into no directory passes none over.
    fn matters(&self, (_, kind): &(PathBuf, ErrorKind)) -> bool {
        self.recursive || self.watches.is_some() || *kind != PASSED_OVER
    }

    fn count(&self, wanted: &(impl Fn(&Item<'_>) -> bool + Sync)) -> usize {
        let count = AtomicUsize::new(0);
        self.walk(|| {
            |item| {
                let more = item.is_ok_and(|item| wanted(&item));
                count.fetch_add(usize::from(more), Ordering::Relaxed);
                WalkState::Continue
            }
        });
        count.into_inner()
    }

    /// Counts the wanted files that are ignored, `seen` of them being known not to be among those if
    /// it is known. What is in a skipped `.git` is nothing a person would miss, and directories that are
    /// passed over for their names are told by these.
    pub(crate) fn count_ignored(
        &self,
        workspace: &Workspace,
        skipped: &mut Skipped,
        seen: Option<usize>,
        wanted: impl Fn(&Item<'_>) -> bool + Sync,
    ) {
        if self.ignore == Ignore::Nothing {
            return;
        }
        let told = std::mem::take(&mut skipped.passed_over);
        let is_told = |above: &Path| {
            let is_named = above
                .file_name()
                .is_some_and(|name| SKIPPED_FOLDERS.iter().any(|skipped| name == *skipped));
            is_named && told.contains(&workspace.show(&self.folder.path().join(above)))
        };
        let wanted = |item: &Item<'_>| {
            wanted(item) && (told.is_empty() || !item.rel.ancestors().any(is_told))
        };
        let mut more = false;
        let ignored;
        if self.ignore == Ignore::Standard
            && self.recursive
            && let Some((tree, place)) = self.folder.tree()
            && let Some(known) = tree.ignored(place, self.cancel)
        {
            let items =
                known.below(place).map(|(rel, kind)| Item::known(rel, kind, Stamp::default()));
            ignored = items.filter(|item| wanted(item)).count();
            more = known.more;
        } else {
            let seen = seen.unwrap_or_else(|| self.count(&wanted));
            let total = AtomicUsize::new(0);
            self.walk_all(|| {
                |item| {
                    if item.is_ok_and(|item| wanted(&item))
                        && total.fetch_add(1, Ordering::Relaxed) >= COUNTED + seen
                    {
                        return WalkState::Quit;
                    }
                    WalkState::Continue
                }
            });
            ignored = total.into_inner().saturating_sub(seen);
        }
        skipped.passed_over = told;
        skipped.ignored = ignored.min(COUNTED);
        skipped.ignored_more = more || ignored > COUNTED;
    }
}

/// Stands among the reasons why something was not looked at for the one that it has one of the names
/// of [`SKIPPED_FOLDERS`]; no look at a file fails with it.
pub(crate) const PASSED_OVER: ErrorKind = ErrorKind::WriteZero;

/// Ignore files that are too long to be obeyed, and directories that are passed over by their names.
type LeftOut = Arc<Mutex<Vec<(PathBuf, ErrorKind)>>>;

fn lock(left: &LeftOut) -> MutexGuard<'_, Vec<(PathBuf, ErrorKind)>> {
    left.lock().unwrap_or_else(PoisonError::into_inner)
}

fn too_long(ignore_file: PathBuf) -> (PathBuf, ErrorKind) {
    (ignore_file, ErrorKind::FileTooLarge)
}

fn error((path, kind): (PathBuf, ErrorKind)) -> ignore::Error {
    ignore::Error::WithPath { path, err: Box::new(ignore::Error::Io(kind.into())) }
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

/// What version control keeps for itself is nothing that a person would miss.
fn is_content(entry: &DirEntry) -> bool {
    INTERNALS.iter().all(|internal| entry.file_name() != *internal)
}

/// Whether a file is a copy that an edit left beside its original, which says everything twice.
fn is_backup(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str);
    let original = name.and_then(crate::journal::backup_of).map(|of| path.with_file_name(of));
    original.is_some_and(|original| rustix::fs::lstat(original).is_ok())
}
