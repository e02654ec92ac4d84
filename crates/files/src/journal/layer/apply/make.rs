//! Making one change of a layer in the root: whole, or not at all.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::rc::Rc;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use super::{Coming, is_object_directory, set_mode, stat};
use crate::journal::closed::{Closed, Opened};
use crate::journal::layer::look::{Item, Lower, Mark, SET_ID, What};
use crate::journal::layer::open_directory;
use crate::workspace::{Spot, open_own};
use fault::Bound;

/// A setting of the kernel's overlay that means nothing outside of it.
const MARKS: &str = "user.overlay.";

impl Coming<'_> {
    /// Makes one change; false if somebody else changed the path meanwhile, which then stays theirs.
    /// The mode of a directory is set later, see [`Coming::set_modes`].
    pub(super) fn make(
        &self,
        item: &Item,
        slot: Option<&str>,
        opened: &Opened,
        durable: bool,
    ) -> io::Result<bool> {
        let real = self.layer.root.join(&item.path);
        let Ok(spot) = self.workspace.spot_of(&real) else { return Ok(false) };
        self.workspace.forget_seen(&real);
        if let What::Mode { old, new, content } = &item.what {
            let now = stat(&spot.parent, Path::new(&spot.name))?;
            let mode = opened.mode(&real).unwrap_or(now.st_mode & 0o7777);
            let is_it = mode == *old && item.lower.is_none_or(|mark| mark.inode == now.st_ino);
            if is_it && content.is_some() {
                set_mode(&spot, *new)?;
            }
            return Ok(is_it);
        }
        let is_objects = is_object_directory(item);
        let is_emptied = slot.is_none() && item.lower.is_some();
        if matches!(item.what, What::Removed) && (is_objects || is_emptied) {
            let remove = || rustix::fs::unlinkat(&spot.parent, &spot.name, AtFlags::REMOVEDIR);
            return match remove() {
                Ok(()) | Err(Errno::NOENT) => Ok(true),
                // Objects that came since stay; what else came is somebody else's.
                Err(Errno::NOTEMPTY) => Ok(is_objects),
                Err(error) => Err(error.into()),
            };
        }
        if let Some(mark) = &item.lower
            && slot.is_some()
            && !self.is_still(&spot, mark)?
        {
            return Ok(false);
        }
        let from_layer = self.fit_from_layer(item, durable)?;
        if let Some((mark, slot)) = item.lower.as_ref().zip(slot) {
            let slot = Path::new(slot);
            if matches!(item.what, What::File { .. } | What::Link { .. } | What::Directory { .. }) {
                return self.exchange(&spot, from_layer, (item, mark), slot, durable);
            }
            let keep = RenameFlags::NOREPLACE;
            let (dir, trash) = (&spot.parent, &self.trash.dir);
            rustix::fs::renameat_with(dir, &spot.name, trash, slot, keep)?;
            if !self.came_out(item, slot, mark)? {
                rustix::fs::renameat_with(trash, slot, dir, &spot.name, keep)?;
                return Ok(false);
            }
        }
        let made = match (&item.what, &from_layer) {
            (_, Some(FromLayer { above, name, .. })) => {
                let keep = RenameFlags::NOREPLACE;
                rustix::fs::renameat_with(above, *name, &spot.parent, &spot.name, keep)
            }
            (What::Directory { mode }, None) => {
                // Its owner must be able to put into it what belongs there.
                rustix::fs::mkdirat(&spot.parent, &spot.name, Mode::from_raw_mode(mode | 0o700))
                    .and_then(|()| set_mode(&spot, *mode | 0o700))
            }
            (_, None) => Ok(()),
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

    /// The directory of the layer that holds this path, and its name there.
    fn in_upper<'p>(&self, path: &'p Path) -> io::Result<(OwnedFd, &'p Path)> {
        let name = Path::new(path.file_name().unwrap_or_default());
        let above = self.layer.upper.join(path.parent().unwrap_or(Path::new("")));
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok((rustix::fs::open(above, flags, Mode::empty())?, name))
    }

    /// What is renamed out of the layer, fit to be brought in, before anything of the root is moved.
    fn fit_from_layer<'i>(
        &self,
        item: &'i Item,
        durable: bool,
    ) -> io::Result<Option<FromLayer<'i>>> {
        if !matches!(item.what, What::File { .. } | What::Link { .. } | What::Whole) {
            return Ok(None);
        }
        let (above, name) = self.in_upper(&item.path)?;
        let closed = Closed::open(&above, name.as_os_str());
        strip(&above, name, durable)?;
        Ok(Some(FromLayer { above, name, _closed: closed }))
    }

    /// Puts a file or link of the layer in the place of what the root has, which goes to the slot. A
    /// directory was made in the slot already.
    fn exchange(
        &self,
        spot: &Spot,
        from_layer: Option<FromLayer<'_>>,
        (item, mark): (&Item, &Mark),
        slot: &Path,
        durable: bool,
    ) -> io::Result<bool> {
        let trash = &self.trash.dir;
        if let Some(FromLayer { above, name, .. }) = &from_layer {
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
                let came_out = self.came_out(item, slot, mark)?;
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
            Some(FromLayer { above, name, .. }) => {
                rustix::fs::renameat_with(trash, slot, above, *name, RenameFlags::NOREPLACE)?;
            }
            None => rustix::fs::unlinkat(trash, slot, AtFlags::REMOVEDIR)?,
        }
        Ok(swapped)
    }

    /// Whether what went to a slot is what was seen in the root. Into a directory something may have
    /// been saved just before.
    fn came_out(&self, item: &Item, slot: &Path, mark: &Mark) -> io::Result<bool> {
        let trash = &self.trash.dir;
        if Mark::of(&stat(trash, slot)?) != *mark {
            return Ok(false);
        }
        // Where the program wrote directly, what is new is its own work.
        if mark.kind != FileType::Directory || self.layer.passed.contains(&item.path) {
            return Ok(true);
        }
        // What cannot be looked at may hold a save.
        let changed = Lower::open(trash, slot)
            .map_err(io::Error::from)
            .and_then(|top| top.has_changed(self.began, &Bound::NONE));
        Ok(!changed.unwrap_or(true))
    }

    fn is_still(&self, spot: &Spot, mark: &Mark) -> io::Result<bool> {
        match stat(&spot.parent, Path::new(&spot.name)) {
            Ok(now) => Ok(Mark::of(&now) == *mark),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(e) => Err(e),
        }
    }
}

/// Something in a layer that is about to be renamed into the root.
struct FromLayer<'i> {
    above: OwnedFd,
    name: &'i Path,
    /// Only what is open to its owner can get another parent.
    _closed: Option<Closed>,
}

/// Takes the kernel's marks off what is brought in, and what would make it run as its owner; with
/// `durable`, a file is on the disk then.
fn strip(above: &OwnedFd, name: &Path, durable: bool) -> io::Result<()> {
    let mode = stat(above, name)?.st_mode;
    match FileType::from_raw_mode(mode) {
        FileType::RegularFile => {
            let file = open_own(above, name.as_os_str())?;
            if mode & SET_ID != 0 {
                rustix::fs::fchmod(&file, Mode::from_raw_mode(mode & 0o7777 & !SET_ID))?;
            }
            if durable {
                file.sync_all()?;
            }
            strip_marks(&file)
        }
        FileType::Directory => strip_all(above, name),
        _ => Ok(()),
    }
}

/// The same for a directory with all that is in it.
fn strip_all(above: &OwnedFd, name: &Path) -> io::Result<()> {
    let mut waiting = vec![(Rc::new((above.try_clone()?, None)), name.as_os_str().to_owned())];
    while let Some((above, name)) = waiting.pop() {
        let closed = Closed::open(&above.0, &name);
        let level = Rc::new((open_directory(&above.0, Path::new(&name))?, closed));
        drop(above);
        strip_marks(&level.0)?;
        for entry in Dir::read_from(&level.0)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            match entry.file_type() {
                FileType::Directory => waiting.push((Rc::clone(&level), name.to_owned())),
                _ => strip(&level.0, Path::new(name), false)?,
            }
        }
    }
    Ok(())
}

fn sync_directory(spot: &Spot) -> io::Result<()> {
    Ok(rustix::fs::fsync(open_directory(&spot.parent, Path::new("."))?)?)
}

fn strip_marks(file: impl AsFd) -> io::Result<()> {
    let mut names = [0_u8; 4096];
    let Ok(size) = rustix::fs::flistxattr(&file, &mut names[..]) else { return Ok(()) };
    for name in names[..size].split(|b| *b == 0).filter(|name| name.starts_with(MARKS.as_bytes())) {
        let remove = || rustix::fs::fremovexattr(&file, OsStr::from_bytes(name));
        match remove() {
            // Not even its owner may write to it.
            Err(Errno::ACCESS) => {
                let mode = rustix::fs::fstat(&file)?.st_mode & 0o7777;
                rustix::fs::fchmod(&file, Mode::from_raw_mode(mode | 0o200))?;
                let removed = remove();
                rustix::fs::fchmod(&file, Mode::from_raw_mode(mode))?;
                removed?;
            }
            other => other?,
        }
    }
    Ok(())
}
