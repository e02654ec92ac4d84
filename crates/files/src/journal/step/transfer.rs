//! Copying and moving files and directories, so that it can be undone.
//!
//! A move is a rename, at any size; only to another file system it is a copy and a removal.

use std::cell::Cell;
use std::path::{Component, Path, PathBuf};

use fault::{Code, Error, Result};

use super::planned::After;
use super::{Altered, Image, Step, hash};
use crate::workspace::{FileMode, Found, Kind, Last, Node, Spot};

/// Most things that are copied in one call.
const MOST_ENTRIES: usize = 10_000;
/// Most bytes that are copied in one call.
const MOST_BYTES: u64 = 256 << 20;

/// What its owner may always do in a new directory: put there what belongs in it.
const OWNERS: u32 = 0o700;

/// What was copied or moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Where it is now, as the caller spells it.
    pub to: String,
    /// How many files it has.
    pub files: usize,
}

/// One thing to be put somewhere.
#[derive(PartialEq)]
struct Item {
    to: PathBuf,
    node: Node,
}

impl Step<'_> {
    /// Copies a file or a directory with all that is in it. A directory at `to` gets it under its
    /// own name; directories that are missing are made.
    ///
    /// # Errors
    /// `FileNotFound`, `FileExists` if something is where it would go, `FileTooLarge`,
    /// `NotAFile`; `InvalidInput` for a root, a directory into itself, or a link that leads out of
    /// what is copied; else as for [`Step::write`].
    pub fn copy(&self, from: &str, to: &str) -> Result<Transfer> {
        let (source, to, target) = self.ends(from, to, Last::Follow)?;
        let top = self.top(&source, from)?;
        let items = self.gather(&source.path, &target, top)?;
        items.iter().try_for_each(|item| self.place(item))?;
        Ok(Transfer { to, files: files(&items) })
    }

    /// Moves a file, a link itself, or a directory with all that is in it. A directory at `to` gets
    /// it under its own name; directories that are missing are made.
    ///
    /// # Errors
    /// `FileNotFound`, `FileExists` if something is where it would go; `InvalidInput` for a
    /// root or a directory into itself; to another file system what [`Step::copy`] fails with, and
    /// `FileChanged` if somebody changed it while it was copied; else as for [`Step::write`].
    pub fn relocate(&self, from: &str, to: &str) -> Result<Transfer> {
        let (source, to, target) = self.ends(from, to, Last::Keep)?;
        let files = self.survey(&source, from, &target)?;
        self.check(&source.path, source.access, from, false)?;
        if self.dry {
            self.check(&target, self.workspace.access_of(&target)?, &to, false)?;
            self.plan(source.path, None, After::Moved(target));
            return Ok(Transfer { to, files });
        }
        let place = self.workspace.spot_of(&target)?;
        self.check(&target, place.access, &to, false)?;
        let change = Altered {
            path: source.path.clone(),
            before: Image::Moved { path: source.path.clone() },
            after: Image::Moved { path: target.clone() },
        };
        let crossed = Cell::new(false);
        let wanted = After::Moved(target.clone());
        let moved = self.alter(&source, from, None, wanted, change, |_, durable| {
            let moved = source.move_to(&place.parent, &place.name, durable);
            let kind = moved.as_ref().err().map(std::io::Error::kind);
            crossed.set(kind == Some(std::io::ErrorKind::CrossesDevices));
            moved.map(|()| None)
        });
        if crossed.get() {
            self.forget_last()?;
            self.move_by_copy(&source, from, &target)?;
        } else {
            moved?;
        }
        self.workspace.forget_below(&source.path);
        Ok(Transfer { to, files })
    }

    /// Moves to another file system.
    fn move_by_copy(&self, source: &Spot, from: &str, target: &Path) -> Result<()> {
        self.lock().moves_by_copy = true;
        let items = self.gather(&source.path, target, self.top(source, from)?)?;
        items.iter().try_for_each(|item| self.place(item))?;
        // What was saved while it was copied is not in the copy.
        if self.gather(&source.path, target, self.top(source, from)?)? != items {
            return Err(Error::file_changed(from));
        }
        self.take_away(source, from)
    }

    /// How many files are moved. Fails if one of them is protected where it goes.
    fn survey(&self, source: &Spot, from: &str, target: &Path) -> Result<usize> {
        let io = |e: std::io::Error| Error::io(from, &e);
        match source.look().map_err(io)? {
            Found::Nothing => return Err(self.missing(from)),
            Found::Directory { .. } => {}
            _ => return Ok(1),
        }
        let (mut files, mut refused) = (0, Ok(()));
        let access = self.workspace.access_of(target)?;
        let walked = source.below(|below, is_directory| {
            files += usize::from(!is_directory);
            let real = target.join(below);
            refused = self.check(&real, access, &self.workspace.show(&real), is_directory);
            refused.is_ok()
        });
        walked.map_err(io)?;
        refused.map(|()| files)
    }

    /// What is to be copied or moved, locked, and where it goes.
    fn ends(&self, from: &str, to: &str, last: Last) -> Result<(Spot, String, PathBuf)> {
        if self.workspace.is_root(from) {
            return Err(Error::invalid_input(
                "source",
                format!("{from}: a root of the workspace; name what is in it"),
            ));
        }
        let missing = |e: Error| match e.code {
            Code::ParentDirectoryNotFound => Error::file_not_found(from, &[]),
            _ => e,
        };
        let source = self.workspace.spot(from.trim_end_matches('/'), last).map_err(missing)?;
        if source.inode().is_none() {
            return Err(self.missing(from));
        }
        let (to, target) = self.target(&source, to)?;
        if target.starts_with(&source.path) {
            return Err(Error::invalid_input(
                "",
                format!("{to}: inside of what is to go there; choose a place outside of {from}"),
            ));
        }
        if !self.dry {
            self.create_parents_of(&to)?;
        }
        Ok((source, to, target))
    }

    fn top(&self, source: &Spot, from: &str) -> Result<Node> {
        let limit = self.workspace.limits().file_bytes;
        source.node(from, limit)?.ok_or_else(|| self.missing(from))
    }

    /// The reading error has near names.
    fn missing(&self, path: &str) -> Error {
        let error = self.workspace.open_file(path).err();
        error.unwrap_or_else(|| Error::file_not_found(path, &[]))
    }

    /// Where `source` goes: to `to`, or into the directory that is there.
    fn target(&self, source: &Spot, to: &str) -> Result<(String, PathBuf)> {
        let name = source.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let into = to.ends_with('/') || self.workspace.kind(to)? == Some(Kind::Directory);
        let to = if into { format!("{}/{name}", to.trim_end_matches('/')) } else { to.to_owned() };
        let real = self.workspace.real(&to)?;
        self.hold_all(vec![source.path.clone(), real.clone()])?;
        if !self.dry && !source.is_current() {
            return Err(Error::file_changed(&self.workspace.show(&source.path)));
        }
        match self.workspace.spot(&to, Last::Keep) {
            Err(e) if e.code == Code::ParentDirectoryNotFound => {}
            Err(e) => return Err(e),
            Ok(spot) => {
                if spot.look().map_err(|e| Error::io(&to, &e))? != crate::workspace::Found::Nothing
                {
                    return Err(Error::file_exists(&to));
                }
            }
        }
        Ok((to, real))
    }

    fn create_parents_of(&self, path: &str) -> Result<()> {
        match crate::workspace::plain(path).parent() {
            None => Ok(()),
            Some(parent) if parent.as_os_str().is_empty() => Ok(()),
            Some(_) => self.create_parents(path),
        }
    }

    /// All that is to be put somewhere, directories before what is in them.
    fn gather(&self, from: &Path, to: &Path, top: Node) -> Result<Vec<Item>> {
        let limit = self.workspace.limits().file_bytes;
        let (mut items, mut bytes) = (Vec::new(), 0);
        let mut waiting = vec![(from.to_owned(), to.to_owned(), top)];
        while let Some((at, to, node)) = waiting.pop() {
            match &node {
                Node::File { bytes: content, .. } => bytes += content.len() as u64,
                Node::Link { target } if at != from && !stays(from, &at, Path::new(target)) => {
                    let shown = self.workspace.show(&at);
                    return Err(Error::invalid_input(
                        "source",
                        format!(
                            "{shown}: a link that leads out of what is copied; copy the rest alone"
                        ),
                    ));
                }
                Node::Link { .. } => {}
                Node::Folder { names, .. } => {
                    for name in names {
                        let (child, to) = (at.join(name), to.join(name));
                        let shown = self.workspace.show(&child);
                        let node = self.workspace.spot_of(&child)?.node(&shown, limit)?;
                        let node = node.ok_or_else(|| Error::file_changed(&shown))?;
                        waiting.push((child, to, node));
                    }
                }
            }
            items.push(Item { to, node });
            if items.len() > MOST_ENTRIES || bytes > MOST_BYTES {
                let shown = self.workspace.show(from);
                return Err(Error::too_much_to_copy(&shown, MOST_ENTRIES, MOST_BYTES));
            }
        }
        Ok(items)
    }

    /// Puts one thing to its place, where nothing is.
    fn place(&self, item: &Item) -> Result<()> {
        let shown = self.workspace.show(&item.to);
        let (image, wanted, mode) = match &item.node {
            Node::File { bytes, mode } => {
                let image = Image::File { hash: hash(bytes), mode: Some(mode.bits()) };
                (image, After::File(bytes.clone(), Some(*mode)), Some(*mode))
            }
            Node::Link { target } => {
                (Image::Link { target: target.clone() }, After::Link(target.clone()), None)
            }
            Node::Folder { mode, .. } => {
                (Image::Directory { mode: Some(mode | OWNERS) }, After::Directory, None)
            }
        };
        if self.dry {
            let access = self.workspace.access_of(&item.to)?;
            self.check(&item.to, access, &shown, wanted.is_folder())?;
            self.plan(item.to.clone(), None, wanted);
            return Ok(());
        }
        let spot = self.workspace.spot_of(&item.to)?;
        let change = Altered { path: spot.path.clone(), before: Image::Absent, after: image };
        self.alter(&spot, &shown, None, wanted, change, |expected, durable| match &item.node {
            Node::File { bytes, .. } => {
                spot.put_file(bytes, mode.or(Some(FileMode::Exact(0o644))), expected, durable)
            }
            Node::Link { target } => spot.put_link(target, expected, durable).map(|()| None),
            Node::Folder { mode, .. } => {
                spot.put_directory(None, durable)?;
                spot.set_mode(mode | OWNERS).map(|()| None)
            }
        })
    }
}

fn files(items: &[Item]) -> usize {
    items.iter().filter(|item| !matches!(item.node, Node::Folder { .. })).count()
}

/// Whether a link at `at` leads to a place below `top`, by its spelling.
fn stays(top: &Path, at: &Path, target: &Path) -> bool {
    if target.is_absolute() {
        return false;
    }
    let mut depth = at.strip_prefix(top).map_or(0, |rel| rel.components().count()) - 1;
    for part in target.components() {
        match part {
            Component::ParentDir if depth == 0 => return false,
            Component::ParentDir => depth -= 1,
            Component::Normal(_) => depth += 1,
            _ => {}
        }
    }
    true
}
