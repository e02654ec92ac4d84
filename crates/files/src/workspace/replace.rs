//! Changing what is at a place, each step old or new and never in between.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::fd::{AsFd, AsRawFd as _};
use std::os::unix::ffi::OsStrExt as _;

use rustix::fs::{Access, AtFlags, FileType, Gid, Mode, OFlags, Uid, XattrFlags};
use rustix::io::Errno;

use super::exchange::{Unnamed, link_at, put_in_place, staged_name};
use super::expected::Expected;
use super::resolve::Spot;

/// What is at a place, without its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Nothing,
    File { size: u64, mode: u32 },
    Directory { mode: u32 },
    Link,
    Special,
}

/// The permission bits that a file is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileMode {
    /// These.
    Exact(u32),
    /// Those of a new file under the umask, with or without the right to run it.
    New {
        /// Whether it can be run.
        executable: bool,
    },
}

impl FileMode {
    /// The bits, those of the usual umask for a new file.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Self::Exact(bits) => bits,
            Self::New { executable: true } => 0o755,
            Self::New { executable: false } => 0o644,
        }
    }
}

impl Spot {
    /// What is here; a link is not followed.
    pub(crate) fn look(&self) -> io::Result<Found> {
        let stat = match rustix::fs::statat(&self.parent, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return Ok(Found::Nothing),
            other => other?,
        };
        let mode = stat.st_mode & 0o7777;
        Ok(match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Found::File { size: stat.st_size as u64, mode },
            FileType::Directory => Found::Directory { mode },
            FileType::Symlink => Found::Link,
            _ => Found::Special,
        })
    }

    /// The content of the regular file that is here, at most `limit` bytes of it.
    pub(crate) fn read(&self, limit: u64) -> io::Result<Vec<u8>> {
        let file = self.open()?;
        let size = rustix::fs::fstat(&file)?.st_size as u64;
        let mut bytes = Vec::with_capacity(size.min(limit) as usize + 1);
        file.take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Opens the regular file that is here.
    pub(crate) fn open(&self) -> io::Result<File> {
        self.regular(open_to_read(&self.parent, &self.name)?)
    }

    /// The same for the journal: also a file that its owner, who this is, may not read.
    pub(crate) fn open_own(&self) -> io::Result<File> {
        self.regular(open_own(&self.parent, &self.name)?)
    }

    fn regular(&self, file: File) -> io::Result<File> {
        let stat = rustix::fs::fstat(&file)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(io::Error::other("no longer a regular file"));
        }
        Ok(file)
    }

    /// Whether what is here may be written to. Putting a file in its place needs no leave of
    /// the file, so this has to be asked.
    pub(crate) fn may_write(&self) -> bool {
        let flags = AtFlags::EACCESS | AtFlags::SYMLINK_NOFOLLOW;
        let asked = rustix::fs::accessat(&self.parent, &self.name, Access::WRITE_OK, flags);
        !matches!(asked, Err(Errno::ACCESS | Errno::PERM))
    }

    /// Puts a file with these bytes here, in one step, in place of what is expected here. Mode,
    /// owner and extended attributes of a file that is here are kept; `mode` overrules the
    /// mode, `None` leaves a new one to the umask. Gives the file that stood here: closing it frees
    /// its space, which can wait until nobody waits for an answer.
    pub(crate) fn put_file(
        &self,
        bytes: &[u8],
        mode: Option<FileMode>,
        expected: Expected<'_>,
        durable: bool,
    ) -> io::Result<Option<File>> {
        self.put(|mut file| file.write_all(bytes), mode, expected, durable)
    }

    /// The same with what is in another file, all of it.
    pub(crate) fn put_copy(
        &self,
        source: &File,
        mode: Option<FileMode>,
        expected: Expected<'_>,
        durable: bool,
    ) -> io::Result<Option<File>> {
        let copy = |mut file: &File| {
            let mut source = source;
            source.seek(io::SeekFrom::Start(0))?;
            io::copy(&mut source, &mut file).map(drop)
        };
        self.put(copy, mode, expected, durable)
    }

    fn put(
        &self,
        fill: impl FnOnce(&File) -> io::Result<()>,
        mode: Option<FileMode>,
        expected: Expected<'_>,
        durable: bool,
    ) -> io::Result<Option<File>> {
        let old = self.open_own().ok();
        let bits = match mode {
            Some(FileMode::New { executable: true }) => 0o777,
            Some(FileMode::New { executable: false }) => 0o666,
            _ if old.is_some() => 0o600,
            _ => 0o666,
        };
        let new = Unnamed::create(&self.parent, bits)?;
        let file = &new.file;
        fill(file)?;
        if let (Some(old), None | Some(FileMode::Exact(_))) = (&old, mode) {
            copy_meta(old, file)?;
        }
        if let Some(FileMode::Exact(mode)) = mode {
            rustix::fs::fchmod(file, Mode::from_raw_mode(mode))?;
        }
        if durable {
            file.sync_all()?;
        }
        new.name_it(&self.parent, &self.name, expected)?;
        self.settle(durable)?;
        Ok(old)
    }

    /// Makes a directory into which its owner can put things; without a mode the umask decides.
    pub(crate) fn put_directory(&self, mode: Option<u32>, durable: bool) -> io::Result<()> {
        let mode = mode.map_or(0o777, |mode| mode & 0o777 | 0o700);
        rustix::fs::mkdirat(&self.parent, &self.name, Mode::from_raw_mode(mode))?;
        self.settle(durable)
    }

    /// Sets the mode of the directory that is here.
    pub(crate) fn set_mode(&self, mode: u32) -> io::Result<()> {
        // A handle for paths alone can be had of what may not be read.
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::openat(&self.parent, &self.name, flags, Mode::empty()) {
            Ok(folder) => {
                let own = format!("/proc/self/fd/{}", folder.as_raw_fd());
                Ok(rustix::fs::chmod(own.as_str(), Mode::from_raw_mode(mode))?)
            }
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(()),
            Err(e) => Err(e.into()),
        }
    }

    /// Puts a link here, in one step, in place of what is expected here.
    pub(crate) fn put_link(
        &self,
        target: &OsStr,
        expected: Expected<'_>,
        durable: bool,
    ) -> io::Result<()> {
        let staged = staged_name(&self.name);
        rustix::fs::symlinkat(target, &self.parent, &staged)?;
        put_in_place(&self.parent, &staged, &self.name, expected)?;
        self.settle(durable)
    }

    /// The target of the link that is here, as it is written.
    pub(crate) fn link(&self) -> io::Result<OsString> {
        link_at(&self.parent, &self.name)
    }

    /// Takes away an empty directory.
    pub(crate) fn remove_directory(&self, durable: bool) -> io::Result<()> {
        rustix::fs::unlinkat(&self.parent, &self.name, AtFlags::REMOVEDIR)?;
        self.settle(durable)
    }
}

fn open_to_read(at: impl AsFd, name: &OsStr) -> rustix::io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | super::OPEN;
    rustix::fs::openat(at, name, flags, Mode::empty()).map(File::from)
}

/// Opens what has this name for reading. A file that its owner may not read is first opened to its
/// owner, who this is, and then closed again: that changes nothing which its owner could not.
pub(crate) fn open_own(at: impl AsFd, name: &OsStr) -> io::Result<File> {
    match open_to_read(at.as_fd(), name) {
        Err(Errno::ACCESS) => {}
        other => return Ok(other?),
    }
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = rustix::fs::openat(at, name, flags, Mode::empty())?;
    let stat = rustix::fs::fstat(&handle)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(Errno::ACCESS.into());
    }
    let (own, mode) = (format!("/proc/self/fd/{}", handle.as_raw_fd()), stat.st_mode & 0o7777);
    rustix::fs::chmod(own.as_str(), Mode::from_raw_mode(mode | 0o400))?;
    let opened = rustix::fs::open(own.as_str(), OFlags::RDONLY | super::OPEN, Mode::empty());
    rustix::fs::chmod(own.as_str(), Mode::from_raw_mode(mode))?;
    Ok(opened?.into())
}

/// Gives `to` the owner, mode and extended attributes of `from`. Where this user may not give it
/// that owner it keeps its own, and gets no set-ID bit, by which it would run with the rights of this
/// user. The mode is set last, since changing the owner clears parts of it.
fn copy_meta(from: &File, to: &File) -> io::Result<()> {
    let (old, new) = (rustix::fs::fstat(from)?, rustix::fs::fstat(to)?);
    let mut mode = Mode::from_raw_mode(old.st_mode & 0o7777);
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid) {
        let (uid, gid) = (Uid::from_raw(old.st_uid), Gid::from_raw(old.st_gid));
        if rustix::fs::fchown(to, Some(uid), Some(gid)).is_err() {
            mode.remove(Mode::SUID);
            if rustix::fs::fchown(to, None, Some(gid)).is_err() {
                mode.remove(Mode::SGID);
            }
        }
    }
    let mut names = vec![0u8; rustix::fs::flistxattr_query(from).unwrap_or_default()];
    if let Ok(size @ 1..) = rustix::fs::flistxattr(from, &mut names[..]) {
        let mut value = vec![0u8; 64 << 10];
        for name in names[..size].split(|b| *b == 0).filter(|n| !n.is_empty()) {
            let name = OsStr::from_bytes(name);
            if let Ok(size) = rustix::fs::fgetxattr(from, name, &mut value[..]) {
                let set = rustix::fs::fsetxattr(to, name, &value[..size], XattrFlags::empty());
                if let Err(e) = set {
                    tracing::warn!(?name, "an extended attribute was not kept: {e}");
                }
            }
        }
    }
    Ok(rustix::fs::fchmod(to, mode)?)
}
