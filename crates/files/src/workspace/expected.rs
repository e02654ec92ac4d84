//! What has to be at a place for it to be changed.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;

use rustix::fs::{AtFlags, FileType, Mode, OFlags};

use super::ContentHash;
use super::exchange::inode;

/// By what the content of a file or link is known without reading it: neither a move nor an exchange
/// changes these, a save does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    /// In nanoseconds since 1970.
    pub(crate) mtime: i64,
}

impl Stamp {
    /// That of a file or link. A directory has none: what is in it is not seen in its own.
    pub(crate) fn of(dir: &OwnedFd, name: &OsStr) -> Option<Self> {
        let stat = rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
            return None;
        }
        let mtime = stat.st_mtime * 1_000_000_000 + stat.st_mtime_nsec as i64;
        Some(Self { size: stat.st_size as u64, mtime })
    }
}

/// What has to be at a place for it to be changed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expected<'a> {
    /// Whatever is there.
    Anything,
    /// Nothing at all.
    Nothing,
    /// A regular file with this content.
    File(&'a ContentHash),
    /// A link that leads there.
    Link(&'a OsStr),
    /// A file or link that nobody saved since this was noted.
    Unsaved(Stamp),
}

impl Expected<'_> {
    /// Whether it is what has this name.
    pub(crate) fn is_at(self, parent: &OwnedFd, name: &OsStr) -> bool {
        let open = || {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | super::OPEN;
            let file = File::from(rustix::fs::openat(parent, name, flags, Mode::empty()).ok()?);
            let stat = rustix::fs::fstat(&file).ok()?;
            (FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile).then_some(file)
        };
        match self {
            Self::Anything => true,
            Self::Nothing => inode(parent, name).is_none(),
            Self::File(hash) => open().is_some_and(|file| {
                let mut hasher = blake3::Hasher::new();
                hasher.update_reader(file).is_ok() && hasher.finalize().as_bytes() == hash
            }),
            Self::Link(target) => rustix::fs::readlinkat(parent, name, Vec::new())
                .is_ok_and(|found| found.to_bytes() == target.as_bytes()),
            Self::Unsaved(stamp) => Stamp::of(parent, name) == Some(stamp),
        }
    }
}
