//! Reading a file whole.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use fault::{Error, Result};
use rustix::fs::{FileType, OFlags, ResolveFlags};
use rustix::io::Errno;

use super::resolve::open_resolved;
use super::{ContentHash, OPEN, RESOLVE, Workspace};

/// A file as it was read.
#[derive(Clone, Debug)]
pub struct Contents {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Where it really is, links followed.
    pub path: PathBuf,
}

/// A regular file that was opened.
#[derive(Debug)]
pub struct Opened {
    /// It, at its beginning.
    pub file: File,
    /// Its size in bytes.
    pub size: u64,
    /// Where it really is, links followed.
    pub path: PathBuf,
}

/// What is at a path, without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glance {
    /// Where it really is, links followed.
    pub path: PathBuf,
    /// Its size in bytes; of a directory that of its list of names.
    pub size: u64,
    /// Whether it is a directory.
    pub folder: bool,
}

impl Workspace {
    /// Reads a regular file whole and remembers what the session saw.
    ///
    /// # Errors
    /// `FileNotFound` with near names, `IsDirectory`, `NotAFile` for pipes and devices (they are
    /// never read), `FileTooLarge` over `Limits::file_bytes`, `PathOutsideWorkspace`.
    pub fn read(&self, path: &str) -> Result<Contents> {
        let contents = self.look(path)?;
        self.note_seen(&contents.path, hash(&contents));
        Ok(contents)
    }

    /// Reads a regular file whole for a purpose that shows the model only a part of it, if any:
    /// the session has not seen it.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn look(&self, path: &str) -> Result<Contents> {
        let Opened { file, size, path: real } = self.open_file(path)?;
        let limit = self.limits.file_bytes;
        let too_large = |size| {
            Error::file_too_large(
                path,
                size,
                limit,
                "search it, or cut a part of it out with a program",
            )
        };
        if size > limit {
            return Err(too_large(size));
        }
        let mut bytes = Vec::with_capacity(size as usize + 1);
        // The file may grow while it is read: the bound holds all the same.
        file.take(limit + 1).read_to_end(&mut bytes).map_err(|e| Error::io(path, &e))?;
        if bytes.len() as u64 > limit {
            return Err(too_large(bytes.len() as u64));
        }
        Ok(Contents { bytes, path: real })
    }

    /// What is at a path at a glance; `None` if nothing does or it cannot be reached.
    pub fn glance(&self, path: &str) -> Option<Glance> {
        let (fd, real) = self.open_real(path, OFlags::PATH).ok()?;
        let stat = rustix::fs::fstat(&fd).ok()?;
        let folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        Some(Glance { path: real, size: stat.st_size as u64, folder })
    }

    /// Whether looking at a path waits for nobody but this machine: its root is on no file system
    /// of the network or of a program, and there is no mount between them. A file system whose
    /// server does not answer holds whoever touches it, and no signal ends that.
    pub fn is_at_hand(&self, path: &str) -> bool {
        let Ok((root, rel)) = self.place(path) else { return true };
        let within = RESOLVE.union(ResolveFlags::NO_XDEV);
        root.local
            && !matches!(open_resolved(&root.dir, &rel, OFlags::PATH, within), Err(Errno::XDEV))
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub fn open_file(&self, path: &str) -> Result<Opened> {
        let (fd, real) = self.open_real(path, OFlags::RDONLY | OPEN)?;
        let stat = rustix::fs::fstat(&fd).map_err(|e| Error::io(path, &e.into()))?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => {
                Ok(Opened { file: File::from(fd), size: stat.st_size as u64, path: real })
            }
            FileType::Directory => Err(Error::is_directory(path)),
            FileType::Fifo => Err(Error::not_a_file(path, "a named pipe")),
            FileType::Socket => Err(Error::not_a_file(path, "a socket")),
            _ => Err(Error::not_a_file(path, "a device")),
        }
    }
}

/// Whether a directory is on a file system of this machine's own, as far as is known of its kind.
pub(super) fn is_local(dir: &OwnedFd) -> bool {
    /// NFS, SMB (three), FUSE, 9P, Ceph, AFS (two), Coda, Lustre, GFS2, autofs.
    const REMOTE: [u32; 13] = [
        0x6969,
        0x517B,
        0xFF53_4D42,
        0xFE53_4D42,
        0x6573_5546,
        0x0102_1997,
        0x00C3_6400,
        0x5346_414F,
        0x6B41_4653,
        0x7375_7245,
        0x0BD0_0BD0,
        0x0116_1970,
        0x0187,
    ];
    rustix::fs::fstatfs(dir).is_ok_and(|found| !REMOTE.contains(&(found.f_type as u32)))
}

pub(super) fn hash(contents: &Contents) -> ContentHash {
    *blake3::hash(&contents.bytes).as_bytes()
}
