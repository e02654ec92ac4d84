//! Making one change of a layer in the root: whole, or not at all.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, Mode, RenameFlags};
use rustix::io::Errno;

use super::{Coming, set_mode, stat};
use crate::journal::layer::look::{Item, Mark, What, open_file, open_up};
use crate::journal::layer::open_directory;
use crate::workspace::Spot;

/// A setting of the kernel's overlay that means nothing outside of it.
const MARKS: &str = "user.overlay.";

impl Coming<'_> {
    /// Makes one change; false if somebody else changed the path meanwhile, which then stays theirs.
    pub(super) fn make(&self, item: &Item, slot: Option<&str>, durable: bool) -> io::Result<bool> {
        let real = self.layer.root.join(&item.path);
        let Ok(spot) = self.workspace.spot_of(&real) else { return Ok(false) };
        self.workspace.forget_seen(&real);
        if let What::Mode { old, new, .. } = item.what {
            return self.change_mode(&spot, item, old, new);
        }
        if let Some((mark, slot)) = item.lower.as_ref().zip(slot) {
            if !self.is_still(&spot, mark)? {
                return Ok(false);
            }
            let slot = Path::new(slot);
            if matches!(item.what, What::File { .. } | What::Link { .. } | What::Directory { .. }) {
                return self.exchange(&spot, item, mark, slot, durable);
            }
            let keep = RenameFlags::NOREPLACE;
            let (dir, trash) = (&spot.parent, &self.trash.dir);
            rustix::fs::renameat_with(dir, &spot.name, trash, slot, keep)?;
            if Mark::of(&stat(trash, slot)?) != *mark {
                rustix::fs::renameat_with(trash, slot, dir, &spot.name, keep)?;
                return Ok(false);
            }
        }
        let made = match &item.what {
            What::Removed => Ok(()),
            What::Directory { mode } => {
                // Its owner must be able to put into it what belongs there.
                rustix::fs::mkdirat(&spot.parent, &spot.name, Mode::from_raw_mode(mode | 0o700))
                    .and_then(|()| set_mode(&spot, *mode | 0o700))
            }
            _ => {
                let (above, name) = self.in_upper(&item.path)?;
                self.strip(&above, name, matches!(item.what, What::Whole))?;
                if durable && matches!(item.what, What::File { .. }) {
                    open_file(&above, name)?.sync_all()?;
                }
                rustix::fs::renameat_with(
                    &above,
                    name,
                    &spot.parent,
                    &spot.name,
                    RenameFlags::NOREPLACE,
                )
            }
        };
        match made {
            Err(Errno::EXIST) => Ok(false),
            other => {
                other?;
                if durable {
                    sync_directory(&spot)?;
                }
                Ok(true)
            }
        }
    }

    /// Puts a file or link of the layer in the place of what the root has, which goes to the slot.
    fn exchange(
        &self,
        spot: &Spot,
        item: &Item,
        mark: &Mark,
        slot: &Path,
        durable: bool,
    ) -> io::Result<bool> {
        let trash = &self.trash.dir;
        let from_layer = match item.what {
            What::Directory { .. } => None, // made in the slot already
            _ => Some(self.in_upper(&item.path)?),
        };
        if let Some((above, name)) = &from_layer {
            self.strip(above, name, false)?;
            if durable && matches!(item.what, What::File { .. }) {
                open_file(above, name)?.sync_all()?;
            }
            rustix::fs::renameat_with(above, *name, trash, slot, RenameFlags::NOREPLACE)?;
        }
        let swap = || {
            let exchange = RenameFlags::EXCHANGE;
            rustix::fs::renameat_with(trash, slot, &spot.parent, &spot.name, exchange)
        };
        let swapped = match swap() {
            Err(Errno::NOENT) => false, // somebody removed it
            other => {
                other?;
                let came_out = Mark::of(&stat(trash, slot)?) == *mark;
                if !came_out {
                    swap()?;
                }
                came_out
            }
        };
        match &from_layer {
            _ if swapped => {
                if durable {
                    sync_directory(spot)?;
                }
            }
            // Where it is looked for when it is kept aside.
            Some((above, name)) => {
                rustix::fs::renameat_with(trash, slot, above, *name, RenameFlags::NOREPLACE)?;
            }
            None => rustix::fs::unlinkat(trash, slot, AtFlags::REMOVEDIR)?,
        }
        Ok(swapped)
    }

    fn change_mode(&self, spot: &Spot, item: &Item, old: u32, new: u32) -> io::Result<bool> {
        let now = stat(&spot.parent, Path::new(&spot.name))?;
        if now.st_mode & 0o7777 != old || item.lower.is_some_and(|mark| mark.inode != now.st_ino) {
            return Ok(false);
        }
        set_mode(spot, new)?;
        Ok(true)
    }

    fn is_still(&self, spot: &Spot, mark: &Mark) -> io::Result<bool> {
        match stat(&spot.parent, Path::new(&spot.name)) {
            Ok(now) => Ok(Mark::of(&now) == *mark),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(e) => Err(e),
        }
    }

    /// Takes the kernel's marks off what is brought in.
    fn strip(&self, above: &OwnedFd, name: &Path, whole: bool) -> io::Result<()> {
        let found = stat(above, name)?;
        match rustix::fs::FileType::from_raw_mode(found.st_mode) {
            rustix::fs::FileType::RegularFile => strip_marks(&open_file(above, name)?.into()),
            rustix::fs::FileType::Directory if whole => {
                let directory = open_up(above, name)?;
                strip_marks(&directory)?;
                for entry in rustix::fs::Dir::read_from(&directory)? {
                    let entry = entry?;
                    let child = entry.file_name().to_bytes();
                    if child != b"." && child != b".." {
                        use std::os::unix::ffi::OsStrExt as _;
                        let child = Path::new(std::ffi::OsStr::from_bytes(child));
                        self.strip(&directory, child, true)?;
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

fn sync_directory(spot: &Spot) -> io::Result<()> {
    Ok(rustix::fs::fsync(open_directory(&spot.parent, Path::new("."))?)?)
}

fn strip_marks(file: &OwnedFd) -> io::Result<()> {
    let mut names = [0_u8; 4096];
    let Ok(size) = rustix::fs::flistxattr(file, &mut names[..]) else { return Ok(()) };
    for name in names[..size].split(|b| *b == 0).filter(|name| name.starts_with(MARKS.as_bytes())) {
        use std::os::unix::ffi::OsStrExt as _;
        rustix::fs::fremovexattr(file, std::ffi::OsStr::from_bytes(name))?;
    }
    Ok(())
}
