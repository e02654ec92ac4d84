//! One thing for another at a path, provided that the first still is there.
//!
//! For changes that were worked out beforehand over many files: a patch looks at all of them, then
//! writes; what somebody changed in between is found here and not overwritten.

use std::path::Path;

use fault::{Error, Result};

use super::planned::{After, Plan};
use super::{Altered, Image, Step, hash};
use crate::workspace::{FileMode, Folder, Node, Spot, Workspace};

/// What is to be changed at one path beneath a directory.
#[derive(Debug)]
pub(crate) struct Swap<'a> {
    pub(crate) path: &'a Path,
    /// What is there; of a directory only that it is one.
    pub(crate) before: Option<&'a Node>,
    /// What is to stand there: nothing, a file or a link.
    pub(crate) after: Option<&'a Node>,
    /// What it was made from, if that is elsewhere.
    pub(crate) source: Option<&'a Node>,
    /// What the bytes do not show, a line.
    pub(crate) note: &'a str,
}

impl Step<'_> {
    /// The files that the step may change.
    pub(crate) fn workspace(&self) -> &'_ Workspace {
        self.workspace
    }

    /// Refuses a path beneath a directory that may not be written, or only if a person allows it.
    pub(crate) fn permits(&self, folder: &Folder, swap: &Swap<'_>) -> Result<()> {
        let real = folder.path().join(swap.path);
        let path = self.workspace.show(&real);
        self.check(&real, folder.access(), &path, after(swap).is_folder())
    }

    /// Makes one change; directories for it are made. A directory goes only if it is empty.
    ///
    /// # Errors
    /// `FileChanged` if something else than `before` is there; else as for [`Step::write`].
    pub(crate) fn swap(&self, folder: &Folder, swap: &Swap<'_>) -> Result<()> {
        let real = folder.path().join(swap.path);
        let path = self.workspace.show(&real);
        self.permits(folder, swap)?;
        if self.dry {
            let after = after(swap);
            let before = if swap.after.is_some() { content(swap.before) } else { None };
            let (source, note) = (content(swap.source), swap.note.to_owned());
            self.lock().planned.0.push(Plan {
                path: real,
                before,
                after,
                source,
                note,
                protected: Vec::new(),
            });
            return Ok(());
        }
        let spot = match folder.spot(swap.path)? {
            None if swap.after.is_some() => {
                let parent = real.parent().unwrap_or(&real);
                self.create_directory(&self.workspace.show(parent))?;
                folder.spot(swap.path)?
            }
            spot => spot,
        };
        let spot = spot.ok_or_else(|| Error::file_changed(&path))?;
        self.lock_spot(&spot, &path)?;
        let now = spot.node(&path, self.workspace.limits().file_bytes)?;
        if matches!((&now, swap.after), (Some(Node::File { .. }), Some(_))) && !spot.may_write() {
            return Err(Error::read_only_file(&path));
        }
        match (&now, swap.before) {
            (Some(Node::Folder { .. }), Some(Node::Folder { .. })) => {}
            (now, before) if now.as_ref() == before => {}
            _ => return Err(Error::file_changed(&path)),
        }
        self.exchange(&spot, &path, now, swap)
    }

    fn exchange(&self, spot: &Spot, path: &str, now: Option<Node>, swap: &Swap<'_>) -> Result<()> {
        let image = match &now {
            None => Image::Absent,
            Some(Node::File { bytes, mode }) => file_image(bytes, *mode),
            Some(Node::Link { target }) => Image::Link { target: target.clone() },
            Some(Node::Folder { .. }) => match spot.look() {
                Ok(crate::workspace::Found::Directory { mode }) => {
                    Image::Directory { mode: Some(mode) }
                }
                _ => return Err(Error::file_changed(path)),
            },
        };
        let change = |after| Altered { path: spot.path.clone(), before: image, after };
        let wanted = after(swap);
        let content = content(now.as_ref());
        match swap.after {
            None if matches!(wanted, After::Emptied) => {
                self.alter(spot, path, None, wanted, change(Image::Absent), |_, durable| {
                    match spot.remove_directory(durable) {
                        // Somebody put a file into it meanwhile: then it stays.
                        Err(e) if e.kind() == std::io::ErrorKind::DirectoryNotEmpty => Ok(None),
                        other => other.map(|()| None),
                    }
                })
            }
            None => {
                self.workspace.forget_seen(&spot.path);
                self.take_away(spot, path)
            }
            Some(Node::File { bytes, mode }) => {
                let change = change(file_image(bytes, *mode));
                let stood = content.as_deref().map(hash);
                self.alter(spot, path, content, wanted, change, |expected, durable| {
                    spot.put_file(bytes, Some(*mode), expected, durable)
                })?;
                self.workspace.note_written(&spot.path, stood, hash(bytes));
                Ok(())
            }
            Some(Node::Link { target }) => {
                let change = change(Image::Link { target: target.clone() });
                self.alter(spot, path, content, wanted, change, |expected, durable| {
                    spot.put_link(target, expected, durable).map(|()| None)
                })
            }
            Some(Node::Folder { .. }) => Err(Error::internal("a swap that makes a directory")),
        }
    }
}

fn file_image(bytes: &[u8], mode: FileMode) -> Image {
    let mode = match mode {
        FileMode::New { executable: false } => None, // the umask decides
        mode => Some(mode.bits()),
    };
    Image::File { hash: hash(bytes), mode }
}

fn content(node: Option<&Node>) -> Option<Vec<u8>> {
    match node {
        Some(Node::File { bytes, .. }) => Some(bytes.clone()),
        _ => None,
    }
}

fn after(swap: &Swap<'_>) -> After {
    match (swap.after, swap.before) {
        (Some(Node::File { bytes, mode }), _) => After::File(bytes.clone(), Some(*mode)),
        (Some(Node::Link { target }), _) => After::Link(target.clone()),
        (Some(Node::Folder { .. }), _) => After::Directory,
        (None, Some(Node::Folder { .. })) => After::Emptied,
        (None, _) => After::Nothing,
    }
}
