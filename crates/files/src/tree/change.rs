//! Changes that were reported, until they are looked at.

use std::collections::{BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use super::view::{Directory, Entry, View, below, parent};
use super::watches::{Event, Watches, is_in};
use crate::search::{PASSED_OVER, Stamp, name};
use crate::workspace::{Folder, Kind};

/// Files that decide what is ignored below the directory they are in. A `.git` begins a
/// repository, whose ignore files count for themselves.
pub(crate) const RULES: [&str; 3] = [".gitignore", ".ignore", ".git"];

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
        let Event { directory, name, is_listing, is_directory, is_end, .. } = event;
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

    /// Adds files that were changed without a report, by another of their names.
    pub(crate) fn add_files(&mut self, view: &View, root: &Path) {
        let changed = view.linked.iter().filter(|path| {
            let known = view.entry(path).map(|entry| entry.stamp);
            Stamp::at(&root.join(path)).ok() != known
        });
        self.files.extend(changed.cloned());
    }

    /// Looks at all of it.
    pub(crate) fn apply(self, view: &mut View, root: &Folder, watches: &Arc<Watches>) -> Applied {
        let mut update = Update { view, root, watches, done: Applied::default() };
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
        update.done
    }
}

/// What came of looking.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    /// Files that are other than before, or gone, or new.
    pub(crate) touched: Vec<OsString>,
    /// Files that were reported to be changed.
    pub(crate) reported: Vec<OsString>,
    /// Directories that were looked at with all below them.
    pub(crate) looked: Vec<OsString>,
    /// All directories that were listed, or are gone.
    pub(crate) listed: Vec<OsString>,
}

/// What changed since somebody asked, of files and what is in directories.
#[derive(Debug, Default)]
pub(crate) struct Changed {
    pub(crate) files: BTreeSet<OsString>,
    /// Those above before those in them.
    pub(crate) listed: BTreeSet<OsString>,
}

impl Changed {
    pub(super) fn add(&mut self, applied: &Applied) {
        self.files.extend(applied.touched.iter().chain(&applied.reported).cloned());
        self.listed.extend(applied.listed.iter().cloned());
    }

    pub(super) fn len(&self) -> usize {
        self.files.len() + self.listed.len()
    }
}

struct Update<'a> {
    view: &'a mut View,
    root: &'a Folder,
    watches: &'a Arc<Watches>,
    done: Applied,
}

impl Update<'_> {
    /// Looks at a directory and all below it.
    fn deep(&mut self, directory: &OsStr) {
        let found = self.look(directory, false);
        self.view.is_cut |= found.is_cut;
        self.done.looked.push(directory.to_owned());
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
        let path = self.root.path().join(directory);
        let is_its = |own: &Path| own.parent() == Some(&path);
        self.view.trouble.retain(|own, kind| *kind != PASSED_OVER || !is_its(own));
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

    /// Looks at a file that was reported. It counts as changed even if its state is the same: some
    /// file systems have times of whole seconds.
    fn file(&mut self, path: &OsStr) {
        let Some(directory) = self.view.directories.get_mut(parent(path)) else { return };
        let full = self.root.path().join(path);
        let name = name(Path::new(path));
        let Some(old) = directory.get(name).copied() else { return };
        // What vanished meanwhile is reported by itself.
        let Ok(stat) = rustix::fs::lstat(&full) else { return };
        let stamp = Stamp::of_stat(&stat);
        self.done.reported.push(path.to_owned());
        if old.stamp != stamp {
            Arc::make_mut(directory).insert(name, Entry { stamp, ..old });
        }
        if stat.st_nlink > 1 && old.kind == Kind::File {
            self.view.linked.insert(path.to_owned());
        }
    }

    /// Puts what is in a directory now in the place of what was.
    fn put(&mut self, path: &OsStr, now: Option<Arc<Directory>>) {
        self.done.listed.push(path.to_owned());
        let old = match now.clone() {
            Some(now) => self.view.directories.insert(path.to_owned(), now),
            None => {
                self.watches.remove(path);
                self.view.directories.remove(path)
            }
        };
        let (old, now) = (old.unwrap_or_default(), now.unwrap_or_default());
        for (name, _) in old.iter().filter(|(name, _)| now.get(name).is_none()) {
            self.view.linked.remove(&below(path, name));
        }
        let other = |a: &Arc<Directory>, b: &Arc<Directory>| -> Vec<OsString> {
            let differs = a.iter().filter(|(name, entry)| b.get(name) != Some(entry));
            differs.map(|(name, _)| below(path, name)).collect()
        };
        self.done.touched.extend(other(&old, &now));
        self.done.touched.extend(other(&now, &old));
    }
}
