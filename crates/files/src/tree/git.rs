//! What git would say of the files of a work tree, from the view of the root and git's index.
//!
//! Git looks at every tracked file and lists every directory each time. Here the index is compared
//! with the view once; after that a question costs what changed since the last one. Nothing is guessed:
//! where only git can tell (submodules, conflicts, filters, other repositories inside), there is no
//! answer, and git is asked.

mod basis;
mod compare;
mod index;
mod listing;
mod patterns;
#[cfg(test)]
mod tests;
mod wild;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;

pub use self::basis::Basis;
use self::compare::{Compare, Conversions, Verdict};
use self::index::Index;
pub use self::index::Mark;
use self::listing::{Listing, Seen, read};
use super::view::below;
use crate::workspace::Folder;

/// Longest ignore file or file of attributes outside of the work tree, in bytes.
const LONGEST: u64 = 1 << 20;
/// Most files of attributes that are looked at for each question.
const MOST_ATTRIBUTES: usize = 100;
/// Most tracked files that are looked at for each question because nobody reports their changes.
const MOST_UNWATCHED: usize = 500;

/// What decides beside the files of a work tree what git says of them.
#[derive(Clone, Copy, Debug)]
pub struct Rules<'a> {
    /// Further ignore files, the one that counts most first. They need not exist.
    pub ignores: &'a [PathBuf],
    /// Further files of attributes. They need not exist.
    pub attributes: &'a [PathBuf],
    /// Whether git is configured to convert line endings.
    pub converts: bool,
}

/// How a work tree differs from its index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differences {
    /// Tracked files that were changed, deleted or replaced by another kind, each with the letter of
    /// git; by path.
    pub changed: Vec<(OsString, char)>,
    /// Files that git neither tracks nor ignores, by path.
    pub untracked: Vec<OsString>,
    /// The index that was compared.
    pub index: Mark,
}

/// The state of the index of a work tree; `None` if there is none.
pub fn mark(top: &Folder) -> Option<Mark> {
    Mark::of(top)
}

/// Has the root of a work tree watched, if it is to be and is not yet.
pub fn expect(top: &Folder) {
    if let Some((tree, place)) = top.tree() {
        drop(tree.view(place));
    }
}

/// How the work tree at `top` differs from its index; `None` where it is not watched, or where only
/// git can say it.
///
/// The repository must name files by SHA-1 and keep modes, links and the case of names as they are.
pub fn differences(top: &Folder, rules: &Rules<'_>) -> Option<Differences> {
    let (tree, place) = top.tree()?;
    let mut kept = tree.shared.git.lock().unwrap_or_else(PoisonError::into_inner);
    let mark = Mark::of(top)?;
    if kept.refused == Some(mark) {
        return None;
    }
    let since = tree.since(place)?;
    let seen = Seen { view: &since.view, place, top };
    let outer = texts(rules.ignores)?;
    let known = kept.work.take().filter(|own| {
        own.number == since.number
            && own.place == place
            && own.outer == outer
            && own.converts == rules.converts
    });
    let mut work = match (known, since.changed) {
        (Some(mut work), Some(changed)) => {
            let files = changed.files.iter().filter_map(|path| seen.in_work_tree(path));
            work.doubtful.extend(files);
            let listed = changed.listed.iter().filter_map(|path| seen.in_work_tree(path));
            listed.for_each(|directory| work.list(seen, directory));
            work
        }
        _ => Work::new(seen, since.number, outer, rules.converts),
    };
    let trouble = seen.view.trouble.keys().any(|path| path.starts_with(top.path()));
    let is_plain = !trouble && work.listing.strange.is_empty();
    let answer = if is_plain { work.settle(seen, rules, mark) } else { Answer::Git };
    let found = match answer {
        Answer::Known => work.answer(seen),
        Answer::Git => None,
        Answer::Never => {
            kept.refused = Some(mark);
            None
        }
    };
    kept.work = Some(work);
    found
}

/// What is kept from one question to the next.
#[derive(Debug, Default)]
pub(super) struct Kept {
    work: Option<Work>,
    /// An index of which only git can say what differs.
    refused: Option<Mark>,
}

/// Who answers.
enum Answer {
    Known,
    /// Git, this time.
    Git,
    /// Git, as long as the index is this one.
    Never,
}

/// What is known of a work tree.
#[derive(Debug)]
struct Work {
    /// The view that it rests on.
    number: usize,
    place: OsString,
    /// The further ignore files.
    outer: Vec<Vec<u8>>,
    converts: bool,
    listing: Listing,
    /// What was compared with the index; `None` if that has to be done anew.
    compared: Option<Compared>,
    /// Paths that may differ now, or no longer.
    doubtful: BTreeSet<OsString>,
    /// Directories in which other files may be untracked now.
    listed: BTreeSet<OsString>,
    /// With this index, and all else as it was, only git can answer.
    stuck: Option<Mark>,
}

/// The index, and what differs from it.
#[derive(Debug)]
struct Compared {
    index: Index,
    /// The content of all files of attributes.
    attributes: Vec<Vec<u8>>,
    /// Directories with a tracked file of attributes.
    tracked_attributes: BTreeSet<OsString>,
    conversions: Conversions,
    /// Entries whose files differ.
    changed: BTreeMap<usize, char>,
    /// Entries whose files must be looked at each time.
    unwatched: BTreeSet<usize>,
    /// Names by directory.
    untracked: BTreeMap<OsString, Vec<OsString>>,
}

impl Work {
    fn new(seen: Seen<'_>, number: usize, outer: Vec<Vec<u8>>, converts: bool) -> Self {
        Self {
            number,
            place: seen.place.to_owned(),
            listing: Listing::new(seen, &outer),
            outer,
            converts,
            compared: None,
            doubtful: BTreeSet::new(),
            listed: BTreeSet::new(),
            stuck: None,
        }
    }

    /// Lists a directory that changed; what is above it was listed before.
    fn list(&mut self, seen: Seen<'_>, directory: OsString) {
        for name in self.listing.look(seen, &directory) {
            self.doubtful.insert(below(&directory, &name));
        }
        self.listed.insert(directory);
    }

    /// Compares what may differ from the index, or all of it if that is another one.
    fn settle(&mut self, seen: Seen<'_>, rules: &Rules<'_>, mark: Mark) -> Answer {
        let doubtful = std::mem::take(&mut self.doubtful);
        let listed = std::mem::take(&mut self.listed);
        if self.stuck == Some(mark) && doubtful.is_empty() && listed.is_empty() {
            return Answer::Git;
        }
        let known = self.compared.take().filter(|own| {
            let attributes = || attributes(seen, &self.listing, &own.tracked_attributes, rules);
            own.index.mark == mark && attributes().as_ref() == Some(&own.attributes)
        });
        let compared = match known {
            Some(known) => known.again(seen, &self.listing, &doubtful, &listed),
            None => {
                let Some(index) = Index::read(seen.top) else { return Answer::Never };
                Compared::new(seen, &self.listing, rules, index)
            }
        };
        self.stuck = compared.is_none().then_some(mark);
        self.compared = compared;
        if self.compared.is_some() { Answer::Known } else { Answer::Git }
    }

    /// What is known, with a look at what nobody reports.
    fn answer(&self, seen: Seen<'_>) -> Option<Differences> {
        let own = self.compared.as_ref()?;
        let mut compare = own.comparing(seen, &self.listing);
        let mut changed = own.changed.clone();
        for at in &own.unwatched {
            changed.extend(compare.look(*at)?.map(|letter| (*at, letter)));
        }
        let path = |(at, letter): (usize, char)| (own.index.path(at).to_owned(), letter);
        let untracked = own.untracked.iter();
        let mut untracked: Vec<OsString> = untracked
            .flat_map(|(directory, names)| names.iter().map(|name| below(directory, name)))
            .collect();
        untracked.sort_unstable();
        Some(Differences {
            changed: changed.into_iter().map(path).collect(),
            untracked,
            index: own.index.mark,
        })
    }
}

impl Compared {
    /// `None` if only git can say it.
    fn new(seen: Seen<'_>, listing: &Listing, rules: &Rules<'_>, index: Index) -> Option<Self> {
        let mut tracked_attributes = BTreeSet::new();
        for at in 0..index.len() {
            let path = Path::new(index.path(at));
            if index.path(at).as_bytes().ends_with(b".gitattributes")
                && path.file_name() == Some(OsStr::new(".gitattributes"))
            {
                let directory = path.parent().unwrap_or(Path::new(""));
                tracked_attributes.insert(directory.as_os_str().to_owned());
            }
        }
        let attributes = attributes(seen, listing, &tracked_attributes, rules)?;
        let conversions = Conversions::of(&attributes, rules.converts);
        let mut compared = Self {
            index,
            attributes,
            tracked_attributes,
            conversions,
            changed: BTreeMap::new(),
            unwatched: BTreeSet::new(),
            untracked: BTreeMap::new(),
        };
        compared.compare(seen, listing, 0..compared.index.len())?;
        for directory in seen.directories() {
            compared.list(seen, listing, &directory);
        }
        Some(compared)
    }

    /// The same after these paths and what was in these directories may have changed.
    fn again(
        mut self,
        seen: Seen<'_>,
        listing: &Listing,
        doubtful: &BTreeSet<OsString>,
        listed: &BTreeSet<OsString>,
    ) -> Option<Self> {
        let index = &self.index;
        let entries =
            doubtful.iter().flat_map(|path| index.find(path).into_iter().chain(index.within(path)));
        let entries: BTreeSet<usize> = entries.collect();
        self.compare(seen, listing, entries)?;
        listed.iter().for_each(|directory| self.list(seen, listing, directory));
        Some(self)
    }

    fn comparing<'a>(&'a self, seen: Seen<'a>, listing: &'a Listing) -> Compare<'a> {
        let (index, conversions) = (&self.index, &self.conversions);
        Compare { seen, listing, index, conversions, read: 0 }
    }

    /// `None` if of one of them only git can say it.
    fn compare(
        &mut self,
        seen: Seen<'_>,
        listing: &Listing,
        entries: impl IntoIterator<Item = usize>,
    ) -> Option<()> {
        let mut compare = self.comparing(seen, listing);
        let verdicts = entries.into_iter().map(|at| Some((at, compare.verdict(at)?)));
        let verdicts: Option<Vec<_>> = verdicts.collect();
        for (at, verdict) in verdicts? {
            self.changed.remove(&at);
            self.unwatched.remove(&at);
            match verdict {
                Verdict::Known(letter) => self.changed.extend(letter.map(|letter| (at, letter))),
                Verdict::Unwatched => drop(self.unwatched.insert(at)),
            }
        }
        (self.unwatched.len() <= MOST_UNWATCHED).then_some(())
    }

    /// Finds the untracked files of a directory.
    fn list(&mut self, seen: Seen<'_>, listing: &Listing, directory: &OsStr) {
        let is_untracked = |name: &OsString| {
            let path = below(directory, name);
            self.index.find(&path).is_none() && !listing.is_ignored(&path, false)
        };
        let names: Vec<_> =
            listing.files(seen, directory).into_iter().filter(is_untracked).collect();
        match names.is_empty() {
            true => drop(self.untracked.remove(directory)),
            false => drop(self.untracked.insert(directory.to_owned(), names)),
        }
    }
}

/// The content of all files of attributes. A tracked one that is not there is read by git from the
/// index: then `None`.
fn attributes(
    seen: Seen<'_>,
    listing: &Listing,
    tracked: &BTreeSet<OsString>,
    rules: &Rules<'_>,
) -> Option<Vec<Vec<u8>>> {
    let mut all = texts(rules.attributes)?;
    let directories: BTreeSet<_> = tracked.union(&listing.attributes).collect();
    if directories.len() > MOST_ATTRIBUTES {
        return None;
    }
    for directory in directories {
        all.push(read(seen.top, &below(directory, ".gitattributes".as_ref()))?);
    }
    Some(all)
}

/// The content of files outside of the work tree; nothing of one that is not there.
fn texts(paths: &[PathBuf]) -> Option<Vec<Vec<u8>>> {
    let text = |path: &PathBuf| {
        let mut text = Vec::new();
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        match rustix::fs::open(path, flags, Mode::empty()) {
            Ok(file) => {
                let stat = rustix::fs::fstat(&file).ok()?;
                let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
                let file = std::fs::File::from(file);
                let read = file.take(LONGEST).read_to_end(&mut text).ok()?;
                (is_file && (read as u64) < LONGEST).then_some(text)
            }
            Err(Errno::NOENT | Errno::NOTDIR) => Some(text),
            Err(_) => None,
        }
    };
    paths.iter().map(text).collect()
}
