//! What is in the directories of a work tree beside what a view holds, and what git ignores there.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::FileType;

use super::patterns::Patterns;
use crate::tree::view::{below, parent};
use crate::tree::{Directory, View};
use crate::workspace::{Folder, Kind};

/// The work tree as the view of the root holds it.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) view: &'a View,
    /// The top of the work tree in the root.
    pub(super) place: &'a OsStr,
    pub(super) top: &'a Folder,
}

impl Seen<'_> {
    /// A directory of the work tree.
    pub(super) fn directory(&self, path: &OsStr) -> Option<&Directory> {
        let found = match (self.place.is_empty(), path.is_empty()) {
            (true, _) => self.view.directories.get(path),
            (_, true) => self.view.directories.get(self.place),
            _ => self.view.directories.get(&below(self.place, path)),
        };
        found.map(|own| &**own)
    }

    /// All of them, those above before those in them.
    pub(super) fn directories(&self) -> impl Iterator<Item = OsString> {
        let all = self.view.within(self.place).map(|(path, _)| path);
        all.filter_map(|path| self.in_work_tree(path))
    }

    /// The path in the work tree of a path in the root.
    pub(super) fn in_work_tree(&self, path: &OsStr) -> Option<OsString> {
        let rest = path.as_bytes().strip_prefix(self.place.as_bytes())?;
        match rest {
            _ if self.place.is_empty() || rest.is_empty() => Some(OsStr::from_bytes(rest).into()),
            [b'/', rest @ ..] => Some(OsStr::from_bytes(rest).into()),
            _ => None,
        }
    }
}

/// What a view passes over and git may not.
#[derive(Debug)]
pub(super) struct Hidden {
    pub(super) name: OsString,
    pub(super) kind: Kind,
    is_ignored: bool,
}

/// What is known of the directories, by their paths in the work tree.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// Ignore files that count for all of it, the one that counts most first.
    outer: Vec<Patterns>,
    patterns: HashMap<OsString, Patterns>,
    /// Directories that git ignores.
    ignored: HashSet<OsString>,
    hidden: HashMap<OsString, Vec<Hidden>>,
    /// Directories of which what git sees in them is not known: they hold another repository, or a
    /// directory that is neither watched nor ignored by git.
    pub(super) strange: BTreeSet<OsString>,
    /// Directories with a file of attributes.
    pub(super) attributes: BTreeSet<OsString>,
}

impl Listing {
    pub(super) fn new(seen: Seen<'_>, outer: &[Vec<u8>]) -> Self {
        let outer = outer.iter().map(|text| Patterns::parse(text)).collect();
        let mut listing = Self { outer, ..Self::default() };
        for directory in seen.directories() {
            listing.look(seen, &directory);
        }
        listing
    }

    /// Looks at a directory, of which what is above it is known; gives the names that are hidden
    /// and were not, or the other way around.
    pub(super) fn look(&mut self, seen: Seen<'_>, directory: &OsStr) -> Vec<OsString> {
        let before = self.hidden.remove(directory).unwrap_or_default();
        self.patterns.remove(directory);
        self.ignored.remove(directory);
        self.strange.remove(directory);
        self.attributes.remove(directory);
        if let Some(known) = seen.directory(directory)
            && self.add(seen, directory, known).is_none()
        {
            self.strange.insert(directory.to_owned());
        }
        let names = |all: &[Hidden]| -> BTreeSet<OsString> {
            all.iter().map(|own| own.name.clone()).collect()
        };
        let (before, now) = (names(&before), names(self.hidden(directory)));
        before.symmetric_difference(&now).cloned().collect()
    }

    /// `None` if it cannot be read.
    fn add(&mut self, seen: Seen<'_>, directory: &OsStr, known: &Directory) -> Option<()> {
        if self.is_ignored(directory, true) {
            self.ignored.insert(directory.to_owned());
        }
        let mut hidden = names(seen.top, directory)?;
        hidden.retain(|(name, _)| known.get(name).is_none());
        let has = |own: &str| {
            let file = |(name, kind): &(OsString, Kind)| name == own && *kind == Kind::File;
            known.get(own.as_ref()).is_some_and(|own| own.kind == Kind::File)
                || hidden.iter().any(file)
        };
        if has(".gitignore") {
            let text = read(seen.top, &below(directory, ".gitignore".as_ref()))?;
            self.patterns.insert(directory.to_owned(), Patterns::parse(&text));
        }
        if has(".gitattributes") {
            self.attributes.insert(directory.to_owned());
        }
        let is_outer = directory.is_empty();
        let mut all = Vec::new();
        for (name, kind) in hidden {
            let is_directory = kind == Kind::Directory;
            let is_repository = name == ".git";
            if is_repository && is_outer {
                continue;
            }
            let is_ignored = self.is_ignored(&below(directory, &name), is_directory);
            if is_directory && !is_ignored || is_repository && !self.ignored.contains(directory) {
                self.strange.insert(directory.to_owned());
            }
            all.push(Hidden { name, kind, is_ignored });
        }
        if !all.is_empty() {
            self.hidden.insert(directory.to_owned(), all);
        }
        Some(())
    }

    /// What is in a directory beside what the view holds.
    pub(super) fn hidden(&self, directory: &OsStr) -> &[Hidden] {
        self.hidden.get(directory).map_or(&[], Vec::as_slice)
    }

    /// The files in a directory that git would name if it did not track them.
    pub(super) fn files(&self, seen: Seen<'_>, directory: &OsStr) -> Vec<OsString> {
        let is_file = |kind: Kind| matches!(kind, Kind::File | Kind::Link);
        if self.ignored.contains(directory) {
            return Vec::new();
        }
        let known = seen.directory(directory).into_iter().flat_map(Directory::iter);
        let known = known.filter(|(_, own)| is_file(own.kind)).map(|(name, _)| name.to_owned());
        let hidden = self.hidden(directory).iter();
        let hidden = hidden.filter(|own| is_file(own.kind) && !own.is_ignored);
        known.chain(hidden.map(|own| own.name.clone())).collect()
    }

    /// Whether git ignores a path, if it does not track it.
    pub(super) fn is_ignored(&self, path: &OsStr, is_directory: bool) -> bool {
        if path.is_empty() {
            return false;
        }
        let mut above = path;
        while !above.is_empty() {
            above = parent(above);
            if self.ignored.contains(above) {
                return true;
            }
            let start = if above.is_empty() { 0 } else { above.len() + 1 };
            let said = self.patterns.get(above);
            let said = said.and_then(|own| own.say(&path.as_bytes()[start..], is_directory));
            if let Some(said) = said {
                return said;
            }
        }
        self.outer.iter().find_map(|own| own.say(path.as_bytes(), is_directory)).unwrap_or(false)
    }
}

/// What is in a directory, by name.
fn names(top: &Folder, directory: &OsStr) -> Option<Vec<(OsString, Kind)>> {
    let place = if directory.is_empty() { OsStr::new(".") } else { directory };
    let opened = top.open(Path::new(place)).ok()?;
    let mut names = Vec::new();
    for entry in rustix::fs::Dir::new(opened).ok()? {
        let entry = entry.ok()?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        names.push((
            name.to_owned(),
            match entry.file_type() {
                FileType::RegularFile => Kind::File,
                FileType::Directory => Kind::Directory,
                FileType::Symlink => Kind::Link,
                // The file system does not say.
                FileType::Unknown => return None,
                _ => Kind::Special,
            },
        ));
    }
    Some(names)
}

/// A file of the work tree that git reads too, reached through no link.
pub(super) fn read(top: &Folder, path: &OsStr) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    top.open(Path::new(path)).ok()?.read_to_end(&mut text).ok()?;
    Some(text)
}
