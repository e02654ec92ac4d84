//! What the journal notes of a change before it is brought in.

use std::io;
use std::path::{Path, PathBuf};

use fault::Result;
use rustix::fs::{AtFlags, FileType, Mode};

use super::{Coming, Noted, direct, is_object_directory, stat};
use crate::journal::image::Image;
use crate::journal::layer::git;
use crate::journal::layer::look::{Item, What};
use crate::journal::new_id;
use crate::journal::refs;
use crate::journal::store::Altered;
use crate::workspace::Stamp;

impl Coming<'_> {
    /// What the journal notes of a change; the place for what it replaces is made ready.
    pub(super) fn note(&self, item: Item, is_look: bool) -> io::Result<Noted> {
        let path = self.layer.root.join(&item.path);
        let emptied = self.emptied(&item);
        let slot = (item.lower.is_some() && emptied.is_none()).then(new_id);
        let before = match slot.clone() {
            Some(name) => Image::Trash { name },
            // A packed branch comes back as a file of its own: git may pack it anew meanwhile.
            None => self.packed(&item.path)?.unwrap_or(Image::Absent),
        };
        let one = |before, after| vec![Altered { path: path.clone(), before, after }];
        let altered = match &item.what {
            // Taking an object away could break a commit that was made later; one too many does no
            // harm, and git clears it up.
            _ if item.lower.is_none() && git::is_object(&item.path) => Vec::new(),
            // Its objects are noted, each by itself.
            What::Removed if is_object_directory(&item) => Vec::new(),
            _ if is_look => Vec::new(),
            What::Removed => one(emptied.unwrap_or(before), Image::Absent),
            What::File { hash, mode } => {
                self.keep_packed(&item)?;
                one(before, Image::File { hash: *hash, mode: Some(*mode) })
            }
            What::Link { target } => one(before, Image::Link { target: target.clone() }),
            What::Directory { mode } => one(before, Image::Directory { mode: Some(*mode) }),
            What::Mode { old, new, content: Some(hash) } => one(
                Image::File { hash: *hash, mode: Some(*old) },
                Image::File { hash: *hash, mode: Some(*new) },
            ),
            What::Mode { old, new, content: None } => {
                one(Image::Directory { mode: Some(*old) }, Image::Directory { mode: Some(*new) })
            }
            What::Whole => {
                let mut steps = one(Image::Absent, Image::Trash { name: new_id() });
                if item.lower.is_some() {
                    steps.splice(..0, one(before, Image::Absent));
                }
                steps
            }
        };
        let inode = match (&item.what, &slot) {
            (What::File { .. } | What::Link { .. }, Some(_)) => Some(item.inode),
            (What::Directory { mode }, Some(slot)) => {
                // Its owner must be able to put into it what belongs there.
                let mode = Mode::from_raw_mode(mode | 0o700);
                rustix::fs::mkdirat(&self.trash.dir, slot.as_str(), mode)?;
                rustix::fs::chmodat(&self.trash.dir, slot.as_str(), mode, AtFlags::empty())?;
                Some(stat(&self.trash.dir, Path::new(slot))?.st_ino)
            }
            _ => None,
        };
        Ok(Noted { item, altered, slot, inode })
    }

    /// Keeps packed refs as the program made them: which of them it changed is known by that, also when git
    /// has packed others.
    fn keep_packed(&self, item: &Item) -> io::Result<()> {
        let found = item.path.to_str().and_then(refs::in_repository);
        if found.is_none_or(|(_, file)| file != refs::PACKED) {
            return Ok(());
        }
        let bytes = refs::read(&self.layer.upper.join(&item.path)).unwrap_or_default();
        let kept = self.step.journal.store().and_then(|mut store| store.write(|tx| tx.put(&bytes)));
        kept.map(drop).map_err(|e| io::Error::other(e.message))
    }

    /// A directory that is removed and that the program had written to directly: what was in it is gone,
    /// and nothing is to be kept.
    fn emptied(&self, item: &Item) -> Option<Image> {
        let is_direct = matches!(item.what, What::Removed)
            && self.layer.passed.contains(&item.path)
            && item.lower.is_some_and(|mark| mark.kind == FileType::Directory);
        let real = self.layer.root.join(&item.path);
        let stat =
            rustix::fs::lstat(&real).ok().filter(|_| is_direct && direct::is_empty(&real))?;
        Some(Image::Directory { mode: Some(stat.st_mode & 0o7777) })
    }

    /// Notes by what directories are known that were brought in as they are, so that undo does not
    /// remove what somebody puts into them.
    pub(super) fn note_whole(&self, all: Vec<(usize, PathBuf)>) -> Result<()> {
        let stamps = all.into_iter().filter_map(|(seq, path)| {
            let spot = self.workspace.spot_of(&self.layer.root.join(path)).ok()?;
            Some((seq, Stamp::of(&spot.parent, &spot.name)?))
        });
        self.step.set_stamps(stamps.collect())
    }
}
