//! Copying and moving files and folders, so that it can be undone.
//!
//! A move is a copy and a removal: what was there goes to the trash and can come back, and another
//! file system makes no difference.

use std::path::{Component, Path, PathBuf};

use super::planned::After;
use super::{Altered, Image, Step, hash};
use crate::error::{Code, Error, Result};
use crate::workspace::{FileMode, Kind, Last, Node, Spot};

/// Most things that are copied in one call.
const MOST_ENTRIES: usize = 10_000;
/// Most bytes that are copied in one call.
const MOST_BYTES: u64 = 256 << 20;

/// What its owner may always do in a new folder: put there what belongs in it.
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
struct Item {
    to: PathBuf,
    node: Node,
}

impl Step<'_> {
    /// Copies a file or a folder with all that is in it. A folder at `to` gets it under its own
    /// name; folders that are missing are made.
    ///
    /// # Errors
    /// `FileNotFound`, `FileExists` if something stands where it would go, `FileTooLarge`,
    /// `NotAFile`; `InvalidInput` for a root, a folder into itself, or a link that leads out of
    /// what is copied; else as for [`Step::write`].
    pub fn copy(&self, from: &str, to: &str) -> Result<Transfer> {
        self.transfer(from, to, Last::Follow).map(|(transfer, _)| transfer)
    }

    /// Moves a file, a link itself, or a folder with all that is in it; else as [`Step::copy`].
    ///
    /// # Errors
    /// As for [`Step::copy`], and for removing what was there.
    pub fn relocate(&self, from: &str, to: &str) -> Result<Transfer> {
        let (transfer, is_folder) = self.transfer(from, to, Last::Keep)?;
        if is_folder {
            self.remove_directory(from)?;
        } else {
            self.remove_file(from)?;
        }
        Ok(transfer)
    }

    fn transfer(&self, from: &str, to: &str, last: Last) -> Result<(Transfer, bool)> {
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
        let limit = self.workspace.limits().file_bytes;
        let top = source.node(from, limit)?.ok_or_else(|| self.missing(from))?;
        let (to, target) = self.target(&source, to)?;
        if target.starts_with(&source.path) {
            return Err(Error::invalid_input(
                "destination",
                format!("{to}: inside of what is to go there; choose a place outside of {from}"),
            ));
        }
        let is_folder = matches!(top, Node::Folder { .. });
        let items = self.gather(&source.path, &target, top)?;
        let files = items.iter().filter(|item| !matches!(item.node, Node::Folder { .. })).count();
        items.iter().try_for_each(|item| self.place(item))?;
        Ok((Transfer { to, files }, is_folder))
    }

    /// The reading error has near names.
    fn missing(&self, path: &str) -> Error {
        let error = self.workspace.open_file(path).err();
        error.unwrap_or_else(|| Error::file_not_found(path, &[]))
    }

    /// Where `source` goes: to `to`, or into the folder that is there.
    fn target(&self, source: &Spot, to: &str) -> Result<(String, PathBuf)> {
        let name = source.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let into = to.ends_with('/') || self.workspace.kind(to)? == Some(Kind::Directory);
        let to = if into { format!("{}/{name}", to.trim_end_matches('/')) } else { to.to_owned() };
        let real = self.workspace.real(&to)?;
        self.lock_path(&real, &to)?;
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
        if !self.dry {
            self.create_parents_of(&to)?;
        }
        Ok((to, real))
    }

    fn create_parents_of(&self, path: &str) -> Result<()> {
        match Path::new(path).parent().and_then(Path::to_str) {
            None | Some("") => Ok(()),
            Some(_) => self.create_parents(path),
        }
    }

    /// All that is to be put somewhere, folders before what is in them.
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
        self.alter(&spot, &shown, None, wanted, change, |durable| match &item.node {
            Node::File { bytes, .. } => {
                spot.put_file(bytes, mode.or(Some(FileMode::Exact(0o644))), durable)
            }
            Node::Link { target } => spot.put_link(target, durable).map(|()| None),
            Node::Folder { mode, .. } => {
                spot.put_directory(None, durable)?;
                spot.set_directory_mode(mode | OWNERS).map(|()| None)
            }
        })
    }
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
