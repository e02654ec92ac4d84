//! What git would say of the files of a work tree, from the view of the root and git's index.
//!
//! Git looks at every tracked file and lists every directory each time. Here the index is compared
//! with the view once; after that a question costs what changed since the last one. Nothing is guessed:
//! where only git can tell (submodules, conflicts, filters, other repositories inside), there is no
//! answer, and git is asked.

mod basis;
mod compare;
mod compared;
mod index;
mod listing;
mod patterns;
#[cfg(test)]
mod tests;
mod wild;

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;

pub use self::basis::Basis;
use self::compared::{Compared, attributes};
pub(crate) use self::index::Index;
pub use self::index::Mark;
use self::listing::{Listing, Seen};
use super::change::Changed;
use super::view::below;
use super::{Tree, View};
use crate::search::PASSED_OVER;
use crate::workspace::Folder;

/// Longest ignore file or file of attributes outside of the work tree, in bytes.
const LONGEST: u64 = 1 << 20;
/// Longest wait for a view that is being made right.
const MOST_WAIT: Duration = Duration::from_millis(20);

/// What decides beside the files of a work tree what git says of them.
#[derive(Clone, Copy, Debug)]
pub struct Rules<'a> {
    /// Further ignore files, the one that counts most first. They need not exist.
    pub ignores: &'a [PathBuf],
    /// Further files of attributes. They need not exist.
    pub attributes: &'a [PathBuf],
    /// Whether git is configured to convert line endings.
    pub converts: bool,
    /// What the index is compared with.
    pub base: Option<Base<'a>>,
}

/// What is checked out.
#[derive(Clone, Copy, Debug)]
pub enum Base<'a> {
    /// A commit.
    Commit(&'a str),
    /// What an earlier index held.
    Index(Mark),
}

/// How a work tree differs from its index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differences {
    /// Tracked files that were changed, deleted or replaced by another kind, each with the letter of
    /// git; by path.
    pub changed: Vec<(OsString, char)>,
    /// Files that git neither tracks nor ignores, by path.
    pub untracked: Vec<OsString>,
    /// How the index differs from the base; `None` if only git can say it.
    pub staged: Option<Vec<(OsString, char)>>,
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
    let outer = texts(rules.ignores)?;
    let since = tree.since(place)?;
    let seen = Seen { view: &since.view, place, top };
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
    let mut trouble = seen.view.trouble.iter().filter(|(_, kind)| **kind != PASSED_OVER);
    let trouble = trouble.any(|(path, _)| path.starts_with(top.path()));
    let is_plain = !trouble && work.listing.strange.is_empty();
    let answer = if is_plain { work.settle(seen, rules, mark) } else { Answer::Git };
    let found = match answer {
        Answer::Known => work.answer(seen, rules, &mut kept.base),
        Answer::Git => None,
        Answer::Never => {
            kept.refused = Some(mark);
            None
        }
    };
    kept.work = Some(work);
    found
}

/// A view, and what in it is other than when it was last asked for.
struct Since {
    /// Which view it is.
    number: usize,
    view: Arc<View>,
    /// `None` if that may be everything.
    changed: Option<Changed>,
}

impl Tree {
    /// The view as it is now, with what changed since the last call of this. It waits while somebody
    /// looks at what changed: to do without the view takes longer.
    fn since(&self, place: &OsStr) -> Option<Since> {
        let until = Instant::now() + MOST_WAIT;
        while matches!(self.shared.phase.try_lock(), Err(TryLockError::WouldBlock))
            && Instant::now() < until
        {
            std::thread::sleep(MOST_WAIT / 100);
        }
        self.ask(place, |current| Since {
            number: current.number,
            view: Arc::clone(&current.view),
            changed: current.changed.replace(Changed::default()),
        })
    }
}

/// What is kept from one question to the next.
#[derive(Debug, Default)]
pub(super) struct Kept {
    work: Option<Work>,
    /// An index of which only git can say what differs.
    refused: Option<Mark>,
    /// The index that was the base last.
    base: Option<Arc<Index>>,
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
    fn answer(
        &mut self,
        seen: Seen<'_>,
        rules: &Rules<'_>,
        base: &mut Option<Arc<Index>>,
    ) -> Option<Differences> {
        let own = self.compared.as_mut()?;
        let staged = match rules.base {
            None => None,
            Some(Base::Commit(commit)) => {
                let tree = commit_tree(seen.top, commit);
                let is_same = tree.is_some() && tree == own.index.tree;
                *base = is_same.then(|| Arc::clone(&own.index));
                is_same.then(Vec::new)
            }
            Some(Base::Index(mark)) => {
                let mut known = std::iter::once(&own.index).chain(base.as_ref());
                let found = known.find(|index| index.mark == mark).cloned();
                *base = found;
                base.as_ref().and_then(|base| own.staged(base))
            }
        };
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
            staged,
            index: own.index.mark,
        })
    }
}

/// The tree of a commit that is in a file of its own, as new ones are.
fn commit_tree(top: &Folder, commit: &str) -> Option<[u8; 20]> {
    let (first, rest) = commit.split_at_checked(2)?;
    let file = Path::new(".git/objects").join(first).join(rest);
    let mut packed = Vec::new();
    top.open(&file).ok()?.take(LONGEST).read_to_end(&mut packed).ok()?;
    let inflate = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
    let content = inflate(&packed, LONGEST as usize).ok()?;
    let (header, text) = content.split_at_checked(memchr::memchr(0, &content)? + 1)?;
    let tree = text.strip_prefix(b"tree ").filter(|_| header.starts_with(b"commit "))?;
    let digits = std::str::from_utf8(tree.get(..40)?).ok()?;
    digits.parse::<sha1_smol::Digest>().ok().map(|tree| tree.bytes())
}

/// The content of files outside of the work tree; nothing of one that is not there.
pub(crate) fn texts(paths: &[PathBuf]) -> Option<Vec<Vec<u8>>> {
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
