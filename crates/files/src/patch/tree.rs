//! The files as the diff leaves them, in memory.
//!
//! As in git, the parts of one diff build on each other, but a rename or copy starts from what was
//! there before the diff; so two files can swap their names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fault::{Error, Result};

use super::Kind;
use super::plan::Change;
use crate::workspace::{Node, quote};

/// How what is at a path is found out.
pub(super) type Read<'r> = &'r dyn Fn(&Path) -> Result<Option<Node>>;

pub(super) struct Tree<'r> {
    read: Read<'r>,
    /// What was there before the diff, as far as it was looked at.
    before: BTreeMap<PathBuf, Option<Node>>,
    /// What the diff made so far.
    made: BTreeMap<PathBuf, Made>,
    /// What the diff takes away somewhere.
    leaving: BTreeSet<PathBuf>,
    /// What it took away so far.
    gone: BTreeSet<PathBuf>,
}

struct Made {
    node: Node,
    kind: Kind,
    from: Option<PathBuf>,
}

impl<'r> Tree<'r> {
    pub(super) fn new(read: Read<'r>) -> Self {
        Self {
            read,
            before: BTreeMap::new(),
            made: BTreeMap::new(),
            leaving: BTreeSet::new(),
            gone: BTreeSet::new(),
        }
    }

    /// Notes a path that a part of the diff takes away.
    pub(super) fn will_leave(&mut self, path: &Path) {
        self.leaving.insert(path.to_owned());
    }

    /// What stood at a path before the diff.
    pub(super) fn before(&mut self, path: &Path) -> Result<Option<&Node>> {
        if folders(path).any(|above| self.leaving.contains(above)) {
            return Ok(None); // above it is a file, as yet
        }
        if !self.before.contains_key(path) {
            let node = (self.read)(path)?;
            self.before.insert(path.to_owned(), node);
        }
        Ok(self.before.get(path).and_then(Option::as_ref))
    }

    /// What is at a path after the parts of the diff so far.
    pub(super) fn now(&mut self, path: &Path) -> Result<Option<Node>> {
        if let Some(made) = self.made.get(path) {
            return Ok(Some(made.node.clone()));
        }
        if self.gone.contains(path) {
            let why = "removed or renamed by an earlier part of the diff";
            return Err(Error::patch_failed(&shown(path), why));
        }
        self.before(path).map(Option::<&Node>::cloned)
    }

    /// Refuses a path where something is that does not leave.
    pub(super) fn refuse_taken(&mut self, path: &Path) -> Result<()> {
        let stands = matches!(self.before(path)?, Some(Node::File { .. } | Node::Link { .. }));
        if self.made.contains_key(path) || stands && !self.leaving.contains(path) {
            return Err(Error::file_exists(&shown(path)));
        }
        Ok(())
    }

    /// Takes a file away.
    pub(super) fn remove(&mut self, path: &Path, kind: Kind) -> Result<()> {
        // Of a file that comes by a rename another one may go by one: they swap their names.
        let changed = self.made.get(path).is_some_and(|made| {
            kind == Kind::Delete || !matches!(made.kind, Kind::Rename | Kind::Copy)
        });
        if changed {
            let why = "changed by one part of the diff and taken away by another; which comes first \
                       is not clear, so make two diffs";
            return Err(Error::patch_failed(&shown(path), why));
        }
        self.gone.insert(path.to_owned());
        Ok(())
    }

    /// Puts what a part of the diff makes of a file.
    pub(super) fn put(&mut self, path: &Path, node: Node, kind: Kind, from: Option<&Path>) {
        let made = Made { node, kind, from: from.map(Path::to_owned) };
        match self.made.get_mut(path) {
            Some(old) => old.node = made.node,
            None => drop(self.made.insert(path.to_owned(), made)),
        }
    }

    /// What is to be done, in this order: files go, directories that are left empty go, files come.
    pub(super) fn finish(mut self) -> Result<Vec<Change>> {
        self.gone.retain(|path| !self.made.contains_key(path));
        let gone: Vec<PathBuf> = self.gone.iter().cloned().collect();
        let mut changes = Vec::new();
        for path in &gone {
            let before = self.before(path)?.cloned();
            changes.push(removal(path, before));
        }
        let emptied = self.emptied(&gone)?;
        for path in emptied.iter().rev() {
            let before = Some(Node::Folder { names: Vec::new(), mode: 0o755 });
            changes.push(removal(path, before));
        }
        let paths: Vec<PathBuf> = self.made.keys().cloned().collect();
        paths.iter().try_for_each(|path| self.refuse_misplaced(path))?;
        for (path, made) in std::mem::take(&mut self.made) {
            let before = match self.before(&path)? {
                Some(Node::Folder { .. }) if emptied.contains(&path) => None,
                Some(Node::Folder { .. }) => return Err(Error::is_directory(&shown(&path))),
                before => before.cloned(),
            };
            if before.as_ref() == Some(&made.node) {
                continue;
            }
            let source = match &made.from {
                Some(from) => self.before(from)?.cloned(),
                None => None,
            };
            let note = note(&path, source.as_ref().or(before.as_ref()), &made);
            changes.push(Change { path, before, after: Some(made.node), source, note });
        }
        Ok(changes)
    }

    /// The directories in which nothing is left.
    fn emptied(&mut self, gone: &[PathBuf]) -> Result<BTreeSet<PathBuf>> {
        let mut emptied = BTreeSet::new();
        let mut left: BTreeSet<PathBuf> = gone.iter().cloned().collect();
        let mut queue: Vec<PathBuf> = left.iter().filter_map(|path| folder(path)).collect();
        // The deepest first: one that goes may be the last thing in the one above it.
        while let Some(deepest) = queue.iter().max_by_key(|p| p.components().count()).cloned() {
            queue.retain(|path| *path != deepest);
            let used = self.made.keys().any(|p| *p != deepest && p.starts_with(&deepest));
            let Some(Node::Folder { names, .. }) = self.before(&deepest)? else { continue };
            let all_left = names.iter().all(|name| left.contains(&deepest.join(name)));
            if all_left && !used {
                queue.extend(folder(&deepest));
                left.insert(deepest.clone());
                emptied.insert(deepest);
            }
        }
        Ok(emptied)
    }

    /// Refuses a file that would stand in another one.
    fn refuse_misplaced(&mut self, path: &Path) -> Result<()> {
        for above in folders(path) {
            let is_file = match self.made.get(above) {
                Some(Made { node: Node::Link { .. }, .. }) => {
                    return Err(Error::through_link(&shown(path)));
                }
                Some(_) => true,
                None if self.gone.contains(above) => false,
                None => matches!(self.before(above)?, Some(Node::File { .. })),
            };
            if is_file {
                return Err(Error::not_a_directory(&shown(above)));
            }
        }
        Ok(())
    }
}

fn removal(path: &Path, before: Option<Node>) -> Change {
    Change { path: path.to_owned(), before, after: None, source: None, note: String::new() }
}

/// What the contents of a file do not show, for a person: where it comes from, whether it can run.
fn note(path: &Path, source: Option<&Node>, made: &Made) -> String {
    let runs = |node: &Node| match node {
        Node::File { mode, .. } => mode.bits() & 0o111 != 0,
        _ => false,
    };
    let path = shown(path);
    let mut notes = Vec::new();
    if let Some(from) = &made.from {
        let word = if made.kind == Kind::Copy { "copy" } else { "rename" };
        notes.push(format!("{word} {} to {path}", shown(from)));
    }
    match (source.is_some_and(runs), runs(&made.node)) {
        (false, true) => notes.push(format!("make {path} executable")),
        (true, false) => notes.push(format!("make {path} not executable")),
        _ => {}
    }
    notes.join("\n")
}

/// A path as it is named in messages.
pub(super) fn shown(path: &Path) -> String {
    quote(path.as_os_str())
}

/// The directories that a path leads through, the nearest first.
fn folders(path: &Path) -> impl Iterator<Item = &Path> {
    path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty())
}

fn folder(path: &Path) -> Option<PathBuf> {
    folders(path).next().map(Path::to_owned)
}
