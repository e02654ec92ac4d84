//! What is known of a tree: every directory with what is in it and not ignored.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::Bound;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use fault::Cancel;
use ignore::WalkState;
use memchr::memmem::Finder;

use super::watches::{Watches, is_in};
use crate::search::{Item, Stamp, Walk, cause, name};
use crate::workspace::{Folder, Kind};

/// Most things in a root that are kept in memory, at about 100 bytes each.
pub(crate) const MOST_ENTRIES: usize = 500_000;

/// What is in a directory, in the order of the names: it is read through far more often than
/// changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Directory {
    /// The names in one piece, a slash after each, so that a part of one is found at once.
    names: Vec<u8>,
    /// Where each ends.
    ends: Vec<u32>,
    entries: Vec<Entry>,
}

impl Directory {
    fn name(&self, at: usize) -> &OsStr {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize + 1);
        OsStr::from_bytes(&self.names[start..self.ends[at] as usize])
    }

    fn find(&self, name: &OsStr) -> Result<usize, usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.name(middle).cmp(name) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Ok(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Err(low)
    }

    pub(crate) fn get(&self, name: &OsStr) -> Option<&Entry> {
        Some(&self.entries[self.find(name).ok()?])
    }

    pub(crate) fn insert(&mut self, name: &OsStr, entry: Entry) {
        let is_last = self.len().checked_sub(1).is_none_or(|last| self.name(last) < name);
        match if is_last { Err(self.len()) } else { self.find(name) } {
            Ok(at) => self.entries[at] = entry,
            Err(at) => {
                let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize + 1);
                let own = name.as_bytes().iter().copied().chain([b'/']);
                self.names.splice(start..start, own);
                self.ends.insert(at, (start + name.len()) as u32);
                self.ends[at + 1..].iter_mut().for_each(|end| *end += name.len() as u32 + 1);
                self.entries.insert(at, entry);
            }
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&OsStr, &Entry)> {
        self.entries.iter().enumerate().map(|(at, entry)| (self.name(at), entry))
    }

    /// Those whose name has this in it.
    fn with(&self, part: &Finder<'_>) -> impl Iterator<Item = (&OsStr, &Entry)> {
        let mut from = 0;
        std::iter::from_fn(move || {
            let found = from + part.find(self.names.get(from..)?)?;
            let at = self.ends.partition_point(|end| (*end as usize) <= found);
            from = *self.ends.get(at)? as usize + 1;
            Some((self.name(at), &self.entries[at]))
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }
}

/// A thing in a directory; links are not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) kind: Kind,
    pub(crate) stamp: Stamp,
}

/// Directories by their path below the root, each also if nothing is in it; and what could not be
/// looked at.
#[derive(Clone, Debug, Default)]
pub(crate) struct View {
    pub(crate) directories: BTreeMap<OsString, Arc<Directory>>,
    pub(crate) trouble: BTreeMap<PathBuf, io::ErrorKind>,
    /// Files with more than one hard link: a change by a name in another directory is reported
    /// there alone.
    pub(crate) linked: BTreeSet<OsString>,
    /// There is more than is kept in memory, so that this is not all.
    pub(crate) is_cut: bool,
}

impl View {
    /// Looks at the directory `place` below the root, and unless `alone` at all below it; at
    /// nothing if it is not there or ignored. Directories are watched before they are read.
    ///
    /// The walk begins at the root even so: which rules count below a directory depends on what is
    /// above it.
    pub(crate) fn look(root: &Folder, place: &OsStr, alone: bool, watches: &Arc<Watches>) -> Self {
        let (all, count) = (Mutex::new(Found::default()), AtomicUsize::new(0));
        let cancel = Cancel::default();
        let (watches, only) = (Some(Arc::clone(watches)), Path::new(place));
        let walk = Walk { recursive: !alone, watches, only, ..Walk::new(root, &cancel) };
        walk.walk(|| {
            let (mut mine, count) = (Share { found: Found::default(), all: &all }, &count);
            move |item| {
                if count.fetch_add(1, Ordering::Relaxed) > MOST_ENTRIES {
                    return WalkState::Quit;
                }
                match item {
                    Ok(item) if is_in(item.rel.as_os_str(), place) => mine.found.add_item(&item),
                    Ok(_) => {}
                    Err(error) => mine.found.add_error(error),
                }
                WalkState::Continue
            }
        });
        let mut found = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.items.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut directories: BTreeMap<OsString, Directory> = BTreeMap::new();
        if place.is_empty() {
            directories.insert(OsString::new(), Directory::default());
        }
        for (rel, entry) in found.items {
            if rel != place {
                let (above, name) = (parent(&rel), name(Path::new(&rel)));
                directories.entry(above.to_owned()).or_default().insert(name, entry);
            }
            if entry.kind == Kind::Directory && (!alone || rel == place) {
                directories.entry(rel).or_default();
            }
        }
        let directories = directories.into_iter().map(|(path, own)| (path, Arc::new(own)));
        Self {
            directories: directories.collect(),
            trouble: found.trouble.into_iter().collect(),
            linked: found.linked.into_iter().collect(),
            is_cut: count.into_inner() > MOST_ENTRIES,
        }
    }

    /// The directories from this one down, by path.
    pub(crate) fn within<'v>(
        &'v self,
        directory: &'v OsStr,
    ) -> impl Iterator<Item = (&'v OsStr, &'v Directory)> {
        let from = (Bound::Included(directory), Bound::Unbounded);
        let near = self.directories.range::<OsStr, _>(from);
        near.take_while(|(path, _)| path.as_bytes().starts_with(directory.as_bytes()))
            .filter(|(path, _)| is_in(path, directory))
            .map(|(path, entries)| (path.as_os_str(), &**entries))
    }

    /// Their paths.
    pub(crate) fn below(&self, directory: &OsStr) -> Vec<OsString> {
        self.within(directory).map(|(path, _)| path.to_owned()).collect()
    }

    /// What is at a path below the root.
    pub(crate) fn entry(&self, rel: &OsStr) -> Option<&Entry> {
        self.directories.get(parent(rel))?.get(name(Path::new(rel)))
    }

    /// Calls `visit` for all below a directory as a walk does, directory by directory; or for what
    /// has `part` in its name, which holds no slash.
    pub(crate) fn visit(
        &self,
        directory: &OsStr,
        recursive: bool,
        part: Option<&[u8]>,
        visit: &mut dyn FnMut(Item<'_>) -> WalkState,
    ) {
        let cut = if directory.is_empty() { 0 } else { directory.len() + 1 };
        let (mut rel, mut passed) = (Vec::new(), Vec::new());
        let part = part.map(Finder::new);
        for (path, entries) in self.within(directory) {
            // What contains a directory comes before it.
            if passed.iter().any(|over: &OsString| is_in(path, over)) {
                continue;
            }
            rel.clear();
            rel.extend(path.as_bytes().get(cut..).unwrap_or_default());
            if !rel.is_empty() {
                rel.push(b'/');
            }
            let start = rel.len();
            let all = part.is_none().then(|| entries.iter()).into_iter().flatten();
            let some = part.as_ref().map(|part| entries.with(part)).into_iter().flatten();
            for (name, entry) in all.chain(some) {
                rel.truncate(start);
                rel.extend(name.as_bytes());
                let item = Path::new(OsStr::from_bytes(&rel));
                match visit(Item::known(item, entry.kind, entry.stamp)) {
                    WalkState::Quit => return,
                    WalkState::Skip if entry.kind == Kind::Directory => {
                        passed.push(below(path, name));
                    }
                    WalkState::Skip | WalkState::Continue => {}
                }
            }
            if !recursive {
                return;
            }
        }
    }
}

/// A path below a directory, both below the root.
pub(crate) fn below(directory: &OsStr, rel: &OsStr) -> OsString {
    if directory.is_empty() {
        return rel.to_owned();
    }
    OsString::from_vec([directory.as_bytes(), b"/", rel.as_bytes()].concat())
}

/// The directory that a path below the root is in.
pub(crate) fn parent(rel: &OsStr) -> &OsStr {
    let bytes = rel.as_bytes();
    OsStr::from_bytes(&bytes[..memchr::memrchr(b'/', bytes).unwrap_or(0)])
}

#[derive(Default)]
struct Found {
    items: Vec<(OsString, Entry)>,
    trouble: Vec<(PathBuf, io::ErrorKind)>,
    linked: Vec<OsString>,
}

impl Found {
    fn add_item(&mut self, item: &Item<'_>) {
        let rel = item.rel.as_os_str();
        match item.stamp() {
            Ok(stamp) => {
                if item.kind == Kind::File && item.is_linked() {
                    self.linked.push(rel.to_owned());
                }
                self.items.push((rel.to_owned(), Entry { kind: item.kind, stamp }));
            }
            // Its directory may be listed and not entered.
            Err(error) if cause(&error).1 == io::ErrorKind::PermissionDenied => {
                self.items
                    .push((rel.to_owned(), Entry { kind: item.kind, stamp: Stamp::default() }));
            }
            Err(error) => self.add_error(&error),
        }
    }

    fn add_error(&mut self, error: &ignore::Error) {
        let (path, kind) = cause(error);
        // What is gone is nothing missed.
        if kind != io::ErrorKind::NotFound {
            self.trouble.push((path.to_owned(), kind));
        }
    }
}

/// One thread's part, put to those of the others when the thread ends.
struct Share<'a> {
    found: Found,
    all: &'a Mutex<Found>,
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        let mine = std::mem::take(&mut self.found);
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.items.extend(mine.items);
        all.trouble.extend(mine.trouble);
        all.linked.extend(mine.linked);
    }
}
