//! Changes that were reported, until they are looked at.

use std::collections::{BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::view::{Directory, Entry, View, below, parent};
use super::watches::{Event, Watches, is_in};
use crate::search::{Stamp, name};
use crate::workspace::{Folder, Kind};

/// Files that decide what is ignored below the directory they are in. A `.git` begins a
/// repository, whose ignore files count for themselves.
const RULES: [&str; 3] = [".gitignore", ".ignore", ".git"];
/// And one that is in no directory that is watched.
const EXCLUDE: &str = ".git/info/exclude";

/// What has to be looked at anew; paths are below the root.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// Directories with all below them.
    deep: BTreeSet<OsString>,
    /// Directories alone.
    shallow: BTreeSet<OsString>,
    /// Directories that may be others than those of the same name before.
    fresh: BTreeSet<OsString>,
    /// Files of which only the content or the attributes changed.
    files: BTreeSet<OsString>,
    /// The root was moved, removed or unmounted.
    pub(crate) is_end: bool,
    /// Something ignored appeared or vanished.
    pub(crate) ignored: bool,
}

impl Changes {
    pub(crate) fn add(&mut self, view: &View, event: Event) {
        let Event { directory, name, is_listing, is_directory, is_end } = event;
        let Some(name) = name else {
            self.is_end |= is_end && directory.is_empty();
            // Its own permissions; of other directories their parent is told.
            if directory.is_empty() {
                self.deep.insert(directory);
            }
            return;
        };
        let path = below(&directory, &name);
        if RULES.iter().any(|rule| name == *rule) {
            self.deep.insert(directory);
        } else if is_listing {
            self.ignored |= view.entry(&path).is_none();
            if is_directory {
                self.fresh.insert(path);
            }
            self.shallow.insert(directory);
        } else if is_directory {
            // Whether it may be read may have changed.
            self.fresh.insert(path);
            self.shallow.insert(directory);
        } else if view.entry(&path).is_some() {
            self.files.insert(path);
        }
    }

    /// Whether what is ignored may have changed.
    pub(crate) fn touches_rules(&self) -> bool {
        !self.deep.is_empty()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0 && self.files.is_empty() && !self.is_end
    }

    /// How many looks they take.
    pub(crate) fn len(&self) -> usize {
        self.deep.len() + self.shallow.len() + self.files.len() / 16
    }

    /// Adds files that may be changed without a report.
    pub(crate) fn add_files(&mut self, view: &View) {
        self.files.extend(view.linked.iter().cloned());
    }

    /// Looks at all of it. Gives the files that are other than before, or gone, or new.
    pub(crate) fn apply(
        self,
        view: &mut View,
        root: &Folder,
        watches: &Arc<Watches>,
    ) -> Vec<OsString> {
        let mut update = Update { view, root, watches, touched: Vec::new() };
        let is_deep = |path: &OsStr| self.deep.iter().any(|deep| is_in(path, deep));
        for directory in &self.deep {
            let above = Path::new(directory).ancestors().skip(1);
            if !above.map(Path::as_os_str).any(|above| self.deep.contains(above)) {
                // One that was left out for its long ignore files may be in now.
                let known = update.view.directories.contains_key(directory);
                update.deep(if known { directory } else { parent(directory) });
            }
        }
        for directory in self.shallow.iter().filter(|path| !is_deep(path)) {
            update.shallow(directory, &self.fresh);
        }
        for file in self.files.iter().filter(|path| !is_deep(path)) {
            update.file(file);
        }
        update.touched
    }
}

struct Update<'a> {
    view: &'a mut View,
    root: &'a Folder,
    watches: &'a Arc<Watches>,
    touched: Vec<OsString>,
}

impl Update<'_> {
    /// Looks at a directory and all below it.
    fn deep(&mut self, directory: &OsStr) {
        let found = self.look(directory, false);
        let mut new = found.directories;
        for old in self.view.below(directory) {
            let now = new.remove(&old);
            self.put(&old, now);
        }
        for (path, entries) in new {
            self.put(&path, Some(entries));
        }
        let path = self.root.path().join(directory);
        self.view.trouble.retain(|own, _| !own.starts_with(&path));
        self.view.trouble.extend(found.trouble);
        self.link(found.linked);
    }

    /// Looks at a directory alone, and deeply at those in it that are new.
    fn shallow(&mut self, directory: &OsStr, fresh: &BTreeSet<OsString>) {
        let Some(old) = self.view.directories.get(directory).cloned() else { return };
        let found = self.look(directory, true);
        let Some(now) = found.directories.get(directory).cloned() else {
            return self.deep(directory);
        };
        let is_kept = |name: &OsStr| {
            let known = |entries: &Directory| {
                entries.get(name).is_some_and(|entry| entry.kind == Kind::Directory)
            };
            known(&old) && known(&now) && !fresh.contains(&below(directory, name))
        };
        let directories = |entries: &Arc<Directory>| -> Vec<OsString> {
            let own = entries.iter().filter(|(_, entry)| entry.kind == Kind::Directory);
            own.map(|(name, _)| name.to_os_string()).collect()
        };
        for name in directories(&old).iter().filter(|name| !is_kept(name)) {
            let path = below(directory, name);
            self.watches.remove(&path);
            for gone in self.view.below(&path) {
                self.put(&gone, None);
            }
            let path = self.root.path().join(&path);
            self.view.trouble.retain(|own, _| !own.starts_with(&path));
        }
        for name in directories(&now).iter().filter(|name| !is_kept(name)) {
            self.deep(&below(directory, name));
        }
        self.put(directory, Some(now));
        self.view.trouble.extend(found.trouble);
        self.link(found.linked);
    }

    /// Takes note of files with several names. Another name of one may be known: what is done by
    /// this name is not reported there, the making of the link included.
    fn link(&mut self, found: BTreeSet<OsString>) {
        let new: Vec<_> = found.difference(&self.view.linked).cloned().collect();
        self.view.linked.extend(new.iter().cloned());
        let inode = |path: &OsString| Some(self.view.entry(path)?.stamp.inode);
        let inodes: HashSet<u64> = new.iter().filter_map(inode).collect();
        if inodes.is_empty() {
            return;
        }
        let mut names = Vec::new();
        for (directory, entries) in &self.view.directories {
            let same = entries.iter().filter(|(_, entry)| {
                entry.kind == Kind::File && inodes.contains(&entry.stamp.inode)
            });
            names.extend(same.map(|(name, _)| below(directory, name)));
        }
        for name in names {
            self.file(&name);
            self.view.linked.insert(name);
        }
    }

    fn look(&self, directory: &OsStr, alone: bool) -> View {
        self.watches.add(&self.root.path().join(directory));
        View::look(self.root, directory, alone, self.watches)
    }

    fn file(&mut self, path: &OsStr) {
        let Some(directory) = self.view.directories.get_mut(parent(path)) else { return };
        let full = self.root.path().join(path);
        let name = name(Path::new(path));
        let Some(old) = directory.get(name).copied() else { return };
        // What vanished meanwhile is reported by itself.
        let Ok(stamp) = Stamp::at(&full) else { return };
        if old.stamp != stamp {
            self.touched.push(path.to_owned());
            Arc::make_mut(directory).insert(name, Entry { stamp, ..old });
        }
    }

    /// Puts what is in a directory now in the place of what was.
    fn put(&mut self, path: &OsStr, now: Option<Arc<Directory>>) {
        let old = match now.clone() {
            Some(now) => self.view.directories.insert(path.to_owned(), now),
            None => self.view.directories.remove(path),
        };
        let (old, now) = (old.unwrap_or_default(), now.unwrap_or_default());
        for (name, _) in old.iter().filter(|(name, _)| now.get(name).is_none()) {
            self.view.linked.remove(&below(path, name));
        }
        let other = |a: &Arc<Directory>, b: &Arc<Directory>| -> Vec<OsString> {
            let differs = a.iter().filter(|(name, entry)| b.get(name) != Some(entry));
            differs.map(|(name, _)| below(path, name)).collect()
        };
        self.touched.extend(other(&old, &now));
        self.touched.extend(other(&now, &old));
    }
}

/// Files outside of the watched directories that decide what is ignored, each with its state.
#[derive(Debug)]
pub(crate) struct Outside(Vec<(PathBuf, Option<Stamp>)>);

impl Outside {
    /// Those of a root: ignore files above it, and the exclude files of the repositories.
    pub(crate) fn of(root: &Path, view: &View) -> Self {
        let above = root.ancestors().skip(1);
        let mut paths: Vec<PathBuf> =
            above.flat_map(|dir| RULES.map(|rule| dir.join(rule))).collect();
        paths.extend(root.ancestors().map(|dir| dir.join(EXCLUDE)));
        let inner = view.directories.keys().filter(|dir| !dir.is_empty());
        let inner = inner.map(|dir| root.join(dir).join(EXCLUDE));
        paths.extend(inner.filter(|exclude| Stamp::at(exclude).is_ok()));
        let state = |path: PathBuf| (Self::state(&path), path);
        Self(paths.into_iter().map(state).map(|(state, path)| (path, state)).collect())
    }

    pub(crate) fn changed(&self) -> bool {
        self.0.iter().any(|(path, state)| Self::state(path) != *state)
    }

    fn state(path: &Path) -> Option<Stamp> {
        let stamp = Stamp::at(path).ok()?;
        // Of a repository it matters only that it is there: git writes in it all the time.
        let is_repository = name(path) == ".git";
        Some(if is_repository { Stamp { size: 0, changed: 0, ..stamp } } else { stamp })
    }
}
