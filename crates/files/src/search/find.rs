//! Files and directories by name.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use fault::{Cancel, Result};
use ignore::WalkState;

use super::item::Item;
use super::pattern::Glob;
use super::unreadable::Unreadable;
use super::walk::Walk;
use super::{Ignore, Skipped};
use crate::workspace::{Kind, Workspace};

/// What a [`Find`] returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kinds {
    /// Files alone, and links, which are not followed.
    Files,
    /// Whatever has a name.
    All,
}

/// Which names to look for, and where.
#[derive(Clone, Copy, Debug)]
pub struct Find<'a> {
    /// A glob: `*` within a name, `**` across directories, `?`, `[abc]`, `{a,b}`.
    pub pattern: &'a str,
    /// The directory; the pattern is for paths below it.
    pub dir: &'a str,
    /// A pattern without a slash is for names, at any depth.
    pub names: bool,
    /// Upper and lower case are the same.
    pub ignore_case: bool,
    /// Which kinds of things.
    pub kinds: Kinds,
    /// What is passed over.
    pub ignore: Ignore<'a>,
    /// Most paths in the result.
    pub max: usize,
    /// Directories below `dir` are looked into too.
    pub recursive: bool,
    /// Globs like the pattern: what one of them matches is passed over, a directory with all in it.
    pub exclude: &'a [String],
}

impl<'a> Find<'a> {
    /// Files below `dir`, without what is usually passed over; a pattern without a slash is for
    /// names.
    pub fn files(pattern: &'a str, dir: &'a str, max: usize) -> Self {
        Self {
            pattern,
            dir,
            names: true,
            ignore_case: false,
            kinds: Kinds::Files,
            ignore: Ignore::Standard,
            max,
            recursive: true,
            exclude: &[],
        }
    }
}

impl Places {
    /// What the one who asked must know: that there is more, or why nothing was found.
    pub fn note(&self) -> Option<String> {
        let shown = self.spots.len();
        if self.more {
            return Some(format!("only the first {shown} files; use a narrower pattern"));
        }
        self.skipped.beside(shown > 0)
    }
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Where it is.
    pub path: PathBuf,
    /// How its path is shown.
    pub shown: String,
    /// What it is; links are not followed.
    pub kind: Kind,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// By path in the order of its bytes; the first `max` of all there are.
    pub spots: Vec<Spot>,
    /// There are more than these.
    pub more: bool,
    /// What was not looked at; only names are read, so of the counts `ignored` and `unreadable`.
    pub skipped: Skipped,
}

#[derive(Default)]
struct Names {
    /// The first ones by path, each with its kind.
    first: BTreeMap<OsString, Kind>,
    /// Matches seen, also those no longer kept.
    count: usize,
    unreadable: Unreadable,
}

impl Names {
    fn add(&mut self, rel: &OsStr, kind: Kind, max: usize) {
        if self.first.len() >= max && self.first.last_key_value().is_some_and(|(l, _)| **l < *rel) {
            return;
        }
        self.first.insert(rel.to_owned(), kind);
        if self.first.len() > max {
            self.first.pop_last();
        }
    }
}

/// Finds files and directories by name. What it returns is the same every time.
///
/// # Errors
/// `InvalidGlob`, `DirectoryNotFound`, `NotADirectory`, `PathOutsideWorkspace`, `Cancelled`.
pub fn find(workspace: &Workspace, find: &Find<'_>, cancel: &Cancel) -> Result<Places> {
    let folder = workspace.folder(find.dir)?;
    folder.check_readable(find.dir)?;
    let glob = |pattern: &str, names| Glob::new(pattern, folder.path(), names, find.ignore_case);
    let excluded = find.exclude.iter().map(|pattern| glob(pattern, true));
    let excluded = excluded.collect::<Result<Vec<_>>>()?;
    let glob = glob(find.pattern, find.names)?;
    let is_excluded = |item: &Item<'_>| {
        let is_folder = item.kind == Kind::Directory;
        excluded.iter().any(|glob| {
            glob.matches(item.rel, item.name()) || is_folder && glob.matches_all_in(item.rel)
        })
    };
    let (ignore, recursive) = (find.ignore, find.recursive);
    // An excluded directory must be visited, for what is in it not to be.
    let part = glob.part().filter(|_| excluded.is_empty());
    let tree = Walk { ignore, recursive, part, ..Walk::new(&folder, cancel) };
    let wanted = |item: &Item<'_>| {
        (find.kinds == Kinds::All || matches!(item.kind, Kind::File | Kind::Link))
            && glob.matches(item.rel, item.name())
    };
    let all = Mutex::new(Names::default());
    tree.walk(|| {
        let mut mine = Share { names: Names::default(), all: &all, max: find.max };
        let (wanted, is_excluded) = (&wanted, &is_excluded);
        move |entry| {
            match entry {
                Ok(item) if is_excluded(&item) => return WalkState::Skip,
                Ok(item) if wanted(&item) => {
                    mine.names.count += 1;
                    mine.names.add(item.rel.as_os_str(), item.kind, mine.max);
                }
                Ok(_) => {}
                Err(error) => mine.names.unreadable.add_error(error),
            }
            WalkState::Continue
        }
    });
    cancel.check()?;
    let names = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut skipped = Skipped::default();
    names.unreadable.tell(workspace, &mut skipped);
    if names.count == 0 {
        let missed = |item: &Item<'_>| wanted(item) && !is_excluded(item);
        tree.count_ignored(workspace, &mut skipped, Some(0), missed);
        cancel.check()?;
    }
    let spot = |(rel, kind)| {
        let path = folder.path().join::<OsString>(rel);
        Spot { shown: workspace.show(&path), path, kind }
    };
    let more = names.count > names.first.len();
    Ok(Places { spots: names.first.into_iter().map(spot).collect(), more, skipped })
}

/// One thread's names, put to those of the others when the thread ends.
struct Share<'a> {
    names: Names,
    all: &'a Mutex<Names>,
    max: usize,
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        let mine = std::mem::take(&mut self.names);
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.count += mine.count;
        all.unreadable.merge(mine.unreadable);
        for (rel, kind) in mine.first {
            all.add(&rel, kind, self.max);
        }
    }
}
