//! What differs from the index, kept right file by file.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use super::compare::{Compare, Conversions, Verdict};
use super::index::{Index, Mark};
use super::listing::{Listing, Seen, read};
use super::{Rules, texts};
use crate::tree::view::below;

/// Most files of attributes that are looked at for each question.
const MOST_ATTRIBUTES: usize = 100;
/// Most tracked files that are looked at for each question because nobody reports their changes.
const MOST_UNWATCHED: usize = 500;

/// What differs between two indexes, with the letters of git; `None` if only git can say it.
type Staged = Option<Vec<(OsString, char)>>;

/// The index, and what differs from it.
#[derive(Debug)]
pub(super) struct Compared {
    pub(super) index: Arc<Index>,
    /// The content of all files of attributes.
    pub(super) attributes: Vec<Vec<u8>>,
    /// Directories with a tracked file of attributes.
    pub(super) tracked_attributes: BTreeSet<OsString>,
    conversions: Conversions,
    /// How it differs from another index.
    staged: Option<(Mark, Staged)>,
    /// Entries whose files differ.
    pub(super) changed: BTreeMap<usize, char>,
    /// Entries whose files must be looked at each time.
    pub(super) unwatched: BTreeSet<usize>,
    /// Names by directory.
    pub(super) untracked: BTreeMap<OsString, Vec<OsString>>,
}

impl Compared {
    /// `None` if only git can say it.
    pub(super) fn new(
        seen: Seen<'_>,
        listing: &Listing,
        rules: &Rules<'_>,
        index: Index,
    ) -> Option<Self> {
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
            index: Arc::new(index),
            attributes,
            tracked_attributes,
            conversions,
            staged: None,
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
    pub(super) fn again(
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

    pub(super) fn comparing<'a>(&'a self, seen: Seen<'a>, listing: &'a Listing) -> Compare<'a> {
        let (index, conversions) = (&self.index, &self.conversions);
        Compare { seen, listing, index, conversions, read: 0 }
    }

    /// How the index differs from another one.
    pub(super) fn staged(&mut self, base: &Index) -> Staged {
        if self.staged.as_ref().is_none_or(|(mark, _)| *mark != base.mark) {
            self.staged = Some((base.mark, self.index.differs(base)));
        }
        self.staged.as_ref().and_then(|(_, staged)| staged.clone())
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
pub(super) fn attributes(
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
