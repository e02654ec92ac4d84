//! What has to be at a place for it to be changed.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;

use rustix::fs::{AtFlags, FileType, Mode, OFlags};

use super::ContentHash;
use super::exchange::inode;
use super::replace::open_own;

/// By what the content of a file, a link or a directory is known without reading it: neither a move
/// nor an exchange changes these, a save does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Bytes of a file, entries of a directory at all depths.
    pub(crate) size: u64,
    /// In nanoseconds since 1970; of a directory the latest of all that is in it.
    pub(crate) mtime: i64,
}

impl Stamp {
    /// That of what has this name; none of a directory that is deeper than anybody makes by hand.
    pub(crate) fn of(dir: &OwnedFd, name: &OsStr) -> Option<Self> {
        Self::within(dir, name, 64)
    }

    fn within(dir: &OwnedFd, name: &OsStr, levels: usize) -> Option<Self> {
        let stat = rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let mtime = stat.st_mtime * 1_000_000_000 + stat.st_mtime_nsec as i64;
        if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
            return Some(Self { size: stat.st_size as u64, mtime });
        }
        let (mut all, levels) = (Self { size: 0, mtime }, levels.checked_sub(1)?);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let directory = rustix::fs::openat(dir, name, flags, Mode::empty()).ok()?;
        for entry in rustix::fs::Dir::read_from(&directory).ok()? {
            let entry = entry.ok()?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name != "." && name != ".." {
                let one = Self::within(&directory, name, levels)?;
                let below = if entry.file_type() == FileType::Directory { one.size } else { 0 };
                all = Self { size: all.size + 1 + below, mtime: all.mtime.max(one.mtime) };
            }
        }
        Some(all)
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
            let file = open_own(parent, name).ok()?;
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
