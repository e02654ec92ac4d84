//! The directories that are looked at, in a layer and below it, and what they have under a name.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use fault::Bound;
use rustix::fs::{AtFlags, Dir, FileType, Stat};
use rustix::io::Errno;

use crate::journal::closed::Closed;
use crate::journal::layer::ignores::Ignoring;
use crate::journal::layer::open_directory;

/// A directory of the layer.
pub(super) struct Level {
    pub(super) upper: OwnedFd,
    /// What the root has there, unless the program put another in its place.
    pub(super) lower: Option<Lower>,
    pub(super) path: PathBuf,
    pub(super) repository: Option<Repository>,
    /// Whether everything in it is protected.
    pub(super) protected: bool,
    pub(super) ignoring: Ignoring,
}

/// A git directory: one called `.git`, or one with what makes a repository, under whatever name.
#[derive(Clone)]
pub(super) struct Repository {
    pub(super) path: Rc<Path>,
    pub(super) named: bool,
}

/// What a directory of the layer has under a name.
pub(super) struct Entry<'a> {
    pub(super) above: &'a Level,
    pub(super) name: &'a Path,
    pub(super) path: PathBuf,
    pub(super) stat: Stat,
    /// What the root has there.
    pub(super) below: Option<Stat>,
}

impl<'a> Entry<'a> {
    pub(super) fn of(above: &'a Level, name: &'a Path) -> io::Result<Self> {
        let stat = rustix::fs::statat(&above.upper, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let below = above.lower.as_ref();
        let below = below
            .and_then(|at| rustix::fs::statat(&at.directory, name, AtFlags::SYMLINK_NOFOLLOW).ok());
        Ok(Self { above, name, path: above.path.join(name), stat, below })
    }

    pub(super) fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.stat.st_mode)
    }

    pub(super) fn repository(&self) -> Option<Repository> {
        let is_git = self.name.as_os_str().eq_ignore_ascii_case(".git");
        match &self.above.repository {
            Some(above) if above.named || !is_git => Some(above.clone()),
            _ if is_git => Some(Repository { path: self.path.as_path().into(), named: true }),
            _ => None,
        }
    }
}

/// A directory of the root that can be listed, also if it is closed to its owner.
pub(in crate::journal::layer) struct Lower {
    pub(super) directory: OwnedFd,
    /// Nanoseconds since 1970 when a name in it was last made or removed, or it was changed itself.
    pub(super) changed: i64,
    _closed: Option<Closed>,
}

impl Lower {
    pub(in crate::journal::layer) fn open(at: &OwnedFd, name: &Path) -> rustix::io::Result<Self> {
        let stat = rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let closed = Closed::open(at, name.as_os_str());
        let directory = open_directory(at, name)?;
        Ok(Self { directory, changed: changed(&stat), _closed: closed })
    }

    /// Whether a file in it, or in a directory below, was changed at this time or later, or may have
    /// been since a directory cannot be looked at.
    ///
    /// # Errors
    /// If the bound is over.
    pub(in crate::journal::layer) fn has_changed(
        self,
        since: i64,
        bound: &Bound<'_>,
    ) -> io::Result<bool> {
        let mut waiting = vec![(Rc::new(self), OsString::from("."))];
        while let Some((above, name)) = waiting.pop() {
            bound.check()?;
            let level = match Self::open(&above.directory, Path::new(&name)) {
                Ok(level) => Rc::new(level),
                // Who removed it changed the directory above, which is looked at when it is moved.
                Err(Errno::NOENT | Errno::NOTDIR) => continue,
                Err(_) => return Ok(true), // it may hold a save
            };
            drop(above);
            let directory = &level.directory;
            let Ok(entries) = Dir::read_from(directory) else { return Ok(true) };
            for entry in entries {
                let Ok(entry) = entry else { return Ok(true) };
                let name = OsStr::from_bytes(entry.file_name().to_bytes());
                let stat = rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW);
                let Some(stat) = stat.ok().filter(|_| name != "." && name != "..") else {
                    continue;
                };
                if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
                    waiting.push((Rc::clone(&level), name.to_owned()));
                } else if changed(&stat) >= since {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

pub(in crate::journal::layer) fn changed(stat: &Stat) -> i64 {
    stat.st_ctime * 1_000_000_000 + stat.st_ctime_nsec as i64
}
