//! A folder in which is searched, held open.
//!
//! A search walks by path, and a path can be swapped for a link between the walk and the read. So
//! each file is opened from the handle of the folder, beneath it and through no link at all.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use super::resolve::{near_names, real_path};
use super::{OPEN, RESOLVE, Workspace};
use crate::error::{Code, Error, Result};

#[derive(Debug)]
pub(crate) struct Folder {
    dir: OwnedFd,
    path: PathBuf,
}

impl Workspace {
    /// Opens a folder to search in.
    ///
    /// # Errors
    /// `DirectoryNotFound` with near names, `NotADirectory`, `PathOutsideWorkspace`.
    pub(crate) fn folder(&self, path: &str) -> Result<Folder> {
        let (dir, _) = self.open_path(path, OFlags::PATH | OFlags::DIRECTORY).map_err(|e| {
            if e.code != Code::FileNotFound {
                return e;
            }
            let near = self.place(path).map(|(root, rel)| near_names(root, &rel));
            Error::directory_not_found_near(path, &near.unwrap_or_default())
        })?;
        let path = real_path(&dir).map_err(|e| Error::io(path, &e))?;
        Ok(Folder { dir, path })
    }
}

impl Folder {
    /// Where it really is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a file by its path beneath the folder; any trouble is the caller's to count.
    pub(crate) fn open(&self, rel: &Path) -> std::io::Result<File> {
        let resolve = RESOLVE.union(ResolveFlags::NO_SYMLINKS);
        let mut tries = 0;
        loop {
            match rustix::fs::openat2(&self.dir, rel, OFlags::RDONLY | OPEN, Mode::empty(), resolve)
            {
                Err(Errno::AGAIN) if tries < 100 => tries += 1, // a rename disturbed the kernel
                other => return Ok(File::from(other?)),
            }
        }
    }
}
