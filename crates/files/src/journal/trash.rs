//! Where removed and replaced things are kept whole, each in a slot with a name of its own.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use fault::{Error, Result};
use rustix::fs::{AtFlags, Mode, OFlags, StatxFlags};

use super::Journal;
use crate::workspace::{Access, Spot, Stamp};

pub(super) struct Trash {
    pub(super) dir: OwnedFd,
    path: PathBuf,
}

impl Trash {
    /// Whether what is at `spot` can be moved here: only within one mount.
    pub(super) fn takes(&self, spot: &Spot) -> bool {
        self.is_on_mount(&spot.parent, &spot.name)
    }

    /// Whether what is in a directory can be moved here.
    pub(super) fn is_on_mount_of(&self, directory: &OwnedFd) -> bool {
        self.is_on_mount(directory, OsStr::new(""))
    }

    fn is_on_mount(&self, dir: &OwnedFd, name: &OsStr) -> bool {
        let here = mount(&self.dir, OsStr::new(""));
        here.is_some() && here == mount(dir, name)
    }

    /// The inode of what a slot holds.
    pub(super) fn inode(&self, name: &str) -> Option<u64> {
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        rustix::fs::statat(&self.dir, name, flags).ok().map(|stat| stat.st_ino)
    }

    /// What the content of a slot is known by.
    pub(super) fn stamp(&self, name: &str) -> Option<Stamp> {
        Stamp::of(&self.dir, OsStr::new(name))
    }

    /// A slot as a place.
    pub(super) fn spot(&self, name: &str) -> io::Result<Spot> {
        let parent = self.dir.try_clone()?;
        let path = self.path.join(name);
        Ok(Spot { parent, name: name.into(), path, access: Access::Write })
    }
}

/// By what a mount is known.
fn mount(dir: &OwnedFd, name: &OsStr) -> Option<(u64, u32, u32)> {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::EMPTY_PATH;
    let stat = rustix::fs::statx(dir, name, flags, StatxFlags::MNT_ID).ok()?;
    Some((stat.stx_mnt_id, stat.stx_dev_major, stat.stx_dev_minor))
}

impl Journal {
    pub(super) fn trash(&self) -> Result<Trash> {
        let path = self.state.folder("journal/trash")?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir =
            rustix::fs::open(&path, flags, Mode::empty()).map_err(|e| Error::state(&path, &e))?;
        Ok(Trash { dir, path })
    }
}
