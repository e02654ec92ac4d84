//! Listing a directory.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use fault::{Code, Error, Result};
use rustix::fs::{AtFlags, Dir, FileType, OFlags};
use rustix::io::Errno;

use super::Workspace;
use super::resolve::open_beneath;

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file, or a link inside the workspace to one.
    File,
    /// A directory, or a link inside the workspace to one.
    Directory,
    /// A link that leads nowhere or out of the workspace.
    Link,
    /// A pipe, socket or device.
    Special,
}

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name alone, quoted as git quotes it where it could be misread.
    pub name: String,
    /// What it is, links followed.
    pub kind: Kind,
}

impl Workspace {
    /// The entries of a directory, by name in the order of their bytes, without `.` and `..`.
    ///
    /// # Errors
    /// `DirectoryNotFound`, `NotADirectory`, `PathOutsideWorkspace`, `PermissionDenied`.
    pub fn list(&self, path: &str) -> Result<Vec<Entry>> {
        let (fd, root) = self.open_directory(path, OFlags::RDONLY)?;
        let real = super::resolve::real_path(&fd).map_err(|e| Error::io(path, &e))?;
        let dir = Dir::read_from(&fd).map_err(|e| Error::io(path, &e.into()))?;
        let mut entries = Vec::new();
        for entry in dir {
            let entry = entry.map_err(|e| Error::io(path, &e.into()))?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let mut kind = entry.file_type();
            if kind == FileType::Unknown {
                kind = rustix::fs::statat(&fd, name, AtFlags::SYMLINK_NOFOLLOW)
                    .map_or(FileType::Unknown, |s| FileType::from_raw_mode(s.st_mode));
            }
            let kind = match kind {
                FileType::RegularFile => Kind::File,
                FileType::Directory => Kind::Directory,
                FileType::Symlink => real
                    .join(name)
                    .strip_prefix(&root.path)
                    .ok()
                    .and_then(|rel| open_beneath(&root.dir, rel, OFlags::PATH).ok())
                    .map_or(Kind::Link, |target| kind_of(&target)),
                _ => Kind::Special,
            };
            entries.push((name.as_bytes().to_vec(), kind));
        }
        entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let entry = |(name, kind): (Vec<u8>, Kind)| Entry {
            name: super::quote(OsStr::from_bytes(&name)),
            kind,
        };
        Ok(entries.into_iter().map(entry).collect())
    }

    /// What is at a path, links followed; `None` if nothing does.
    ///
    /// # Errors
    /// `PathOutsideWorkspace` and what the operating system refuses.
    pub fn kind(&self, path: &str) -> Result<Option<Kind>> {
        let (root, rel) = self.place(path)?;
        // The error would look for names that are near.
        if let Err(Errno::NOENT) = open_beneath(&root.dir, &rel, OFlags::PATH) {
            return Ok(None);
        }
        match self.open_path(path, OFlags::PATH) {
            Ok((fd, _)) => Ok(Some(kind_of(&fd))),
            Err(e) if e.code == Code::FileNotFound => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Where `path` really is or will be, links followed: one for all spellings.
    ///
    /// # Errors
    /// As for writing to the path.
    pub fn real(&self, path: &str) -> Result<std::path::PathBuf> {
        self.future_path(path)
    }
}

fn kind_of(fd: &std::os::fd::OwnedFd) -> Kind {
    match rustix::fs::fstat(fd).map(|s| FileType::from_raw_mode(s.st_mode)) {
        Ok(FileType::RegularFile) => Kind::File,
        Ok(FileType::Directory) => Kind::Directory,
        Ok(FileType::Symlink) => Kind::Link,
        _ => Kind::Special,
    }
}
