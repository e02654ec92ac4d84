//! What is at a path with all that is needed to put it elsewhere or back.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use fault::{Error, Result};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags};

use super::replace::{FileMode, Found};
use super::resolve::Spot;

/// What is at a path, with its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A regular file.
    File {
        /// Its content.
        bytes: Vec<u8>,
        /// Its permission bits.
        mode: FileMode,
    },
    /// A link.
    Link {
        /// Where it leads, as written.
        target: OsString,
    },
    /// A directory.
    Folder {
        /// What is in it.
        names: Vec<OsString>,
        /// Its permission bits.
        mode: u32,
    },
}

impl Spot {
    /// What is here; a link is not followed. `path` is for messages.
    pub(crate) fn node(&self, path: &str, limit: u64) -> Result<Option<Node>> {
        let io = |e: std::io::Error| Error::io(path, &e);
        Ok(Some(match self.look().map_err(io)? {
            Found::Nothing => return Ok(None),
            Found::File { size, .. } if size > limit => {
                return Err(Error::file_too_large(path, size, limit, "change it with a program"));
            }
            Found::File { mode, .. } => {
                Node::File { bytes: self.read(limit).map_err(io)?, mode: FileMode::Exact(mode) }
            }
            Found::Link => Node::Link { target: self.link().map_err(io)? },
            Found::Directory { mode } => {
                Node::Folder { names: self.names().map_err(io)?, mode: mode & 0o7777 }
            }
            Found::Special => return Err(Error::not_a_file(path, "a pipe, socket or device")),
        }))
    }

    /// Gives everything below the directory that is here, by its path below it and whether it is a
    /// directory, until `each` says no. Links are not followed.
    pub(crate) fn below(&self, mut each: impl FnMut(&Path, bool) -> bool) -> std::io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let top = rustix::fs::openat(&self.parent, &self.name, flags, Mode::empty())?;
        let resolve = ResolveFlags::BENEATH.union(ResolveFlags::NO_SYMLINKS);
        let mut waiting = vec![PathBuf::new()];
        while let Some(below) = waiting.pop() {
            let at = if below.as_os_str().is_empty() { Path::new(".") } else { &below };
            let fd = rustix::fs::openat2(&top, at, flags, Mode::empty(), resolve)?;
            for entry in Dir::read_from(&fd)? {
                let entry = entry?;
                let name = OsStr::from_bytes(entry.file_name().to_bytes());
                if name == "." || name == ".." {
                    continue;
                }
                let path = below.join(name);
                let kind = match entry.file_type() {
                    FileType::Unknown => {
                        let stat = rustix::fs::statat(&fd, name, AtFlags::SYMLINK_NOFOLLOW)?;
                        FileType::from_raw_mode(stat.st_mode)
                    }
                    kind => kind,
                };
                if !each(&path, kind == FileType::Directory) {
                    return Ok(());
                }
                if kind == FileType::Directory {
                    waiting.push(path);
                }
            }
        }
        Ok(())
    }

    fn names(&self) -> std::io::Result<Vec<OsString>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(&self.parent, &self.name, flags, Mode::empty())?;
        let mut names = Vec::new();
        for entry in Dir::read_from(&fd)? {
            let name = entry?.file_name().to_bytes().to_vec();
            if name != b"." && name != b".." {
                names.push(OsString::from_vec(name));
            }
        }
        Ok(names)
    }
}
