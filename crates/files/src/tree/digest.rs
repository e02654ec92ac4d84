//! What an index may keep of files beside the words in them. What that is, others know; here is
//! when it is still right.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use postings::Query;

use super::words::{Held, Texts};
use super::{Current, Shared, Tree, View, Which, Words, watches};

/// Makes of a file what is kept of it.
pub trait Digest: Send + Sync {
    /// What tells the digests of this maker from those of others and of other versions of it; a
    /// few letters and digits.
    fn name(&self) -> &str;

    /// What is kept of a file with this content; `None` if that cannot be said now. It is of no
    /// use any more once `stop` says so.
    fn of(&self, path: &Path, content: &[u8], stop: &dyn Fn() -> bool) -> Option<Digested>;
}

/// What is kept of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digested {
    /// What it is found by.
    pub words: Vec<u8>,
    /// What is said of it then.
    pub body: Vec<u8>,
}

/// The digest of a file as it is now.
#[derive(Clone, Debug)]
pub struct Known {
    /// Its path below the directory that was asked about.
    pub rel: PathBuf,
    pub(crate) texts: Arc<Texts>,
    pub(crate) text: usize,
}

impl Known {
    /// What the maker kept of it.
    pub fn body(&self) -> &[u8] {
        self.texts.segment.body(self.text)
    }
}

/// Which files of a directory the digests name, and which have none.
#[derive(Clone, Debug, Default)]
pub struct Digests {
    /// Files whose digest can hold what is asked for, by path.
    pub known: Vec<Known>,
    /// Files that have no digest of their content now and can hold the text asked for; those in fewer directories first.
    pub unknown: Vec<PathBuf>,
    /// Files of the root that have one, of so many.
    pub covered: (usize, usize),
}

/// The indexes of a tree at one moment.
pub(crate) struct Indexes {
    pub(crate) view: Arc<View>,
    pub(crate) words: Held,
    pub(crate) digests: Held,
    /// Files that the index of words does not cover, if they are few.
    pub(crate) changed: Vec<OsString>,
    /// Files that it covers, of so many.
    pub(crate) covered: (usize, usize),
}

impl Tree {
    /// The files in a directory that the digests name for a query, or all, about `most` of them;
    /// and those without a digest that can hold `text`. `None` while all would have to be looked
    /// at.
    pub(crate) fn digests(
        &self,
        place: &OsStr,
        text: &Query,
        query: Option<&Query>,
        most: usize,
    ) -> Option<Digests> {
        self.shared.digest.as_ref()?;
        self.ask(place, |current| {
            self.shared.want_digests(current);
            let (_, _, covered, uncovered) = current.words.size();
            let digests = current.digests.as_ref().filter(|_| covered > uncovered)?;
            Some(digests.digests(place, query, most, (&current.words, text)))
        })?
    }

    /// Both indexes as they are now.
    pub(crate) fn indexes(&self, place: &OsStr) -> Option<Indexes> {
        self.shared.digest.as_ref()?;
        self.ask(place, |current| {
            self.shared.want_digests(current);
            let (_, _, covered, uncovered) = current.words.size();
            let few = uncovered < self.shared.workspace.limits().words_changed_files;
            let changed = current.words.uncovered().filter(|path| watches::is_in(path, place));
            Indexes {
                view: Arc::clone(&current.view),
                words: current.words.held(),
                digests: current.digests.as_ref().map(Words::held).unwrap_or_default(),
                changed: changed.filter(|_| few).map(OsStr::to_owned).collect(),
                covered: (covered, covered + uncovered),
            }
        })
    }
}

impl Shared {
    /// Digests are made once somebody asks for them.
    fn want_digests(&self, current: &mut Current) {
        if current.digests.is_none() {
            let mut digests = Words::new(&current.view);
            digests.read(&current.view, &self.kept[Which::Digests as usize]);
            current.digests = Some(digests);
            self.bell.ring();
        }
    }
}
