//! A folder in which something happens, held open.
//!
//! A search walks by path, and a path can be swapped for a link between the walk and the read. So
//! each file is opened from the handle of the folder, beneath it and through no link at all.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{OFlags, ResolveFlags};

use super::resolve::{near_names, open_resolved, real_path};
use super::{OPEN, RESOLVE, Root, Workspace};
use crate::error::{Code, Error, Result};

#[derive(Debug)]
pub(crate) struct Folder {
    dir: OwnedFd,
    path: PathBuf,
    root: PathBuf,
}

impl Workspace {
    /// Opens a folder to search in or to start a program in.
    ///
    /// # Errors
    /// `DirectoryNotFound` with near names, `NotADirectory`, `PathOutsideWorkspace`.
    pub(crate) fn folder(&self, path: &str) -> Result<Folder> {
        let (dir, root) = self.open_directory(path, OFlags::PATH)?;
        let real = real_path(&dir).map_err(|e| Error::io(path, &e))?;
        Ok(Folder { dir, path: real, root: root.path.clone() })
    }

    pub(super) fn open_directory(&self, path: &str, flags: OFlags) -> Result<(OwnedFd, &Root)> {
        self.open_path(path, flags | OFlags::DIRECTORY).map_err(|e| {
            if e.code != Code::FileNotFound {
                return e;
            }
            let near = self.place(path).map(|(root, rel)| near_names(root, &rel));
            Error::directory_not_found_near(path, &near.unwrap_or_default())
        })
    }

    /// Opens a regular file to search in; with it where it really is.
    pub(crate) fn file(&self, path: &str) -> Result<(File, PathBuf)> {
        let (file, _) = self.open_file(path)?;
        let real = real_path(&file).map_err(|e| Error::io(path, &e))?;
        Ok((file, real))
    }
}

impl Folder {
    /// The handle, and where it really is.
    pub(crate) fn into_parts(self) -> (OwnedFd, PathBuf) {
        (self.dir, self.path)
    }

    /// Where it really is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The folders above it that belong to the workspace, from the root down.
    pub(crate) fn above(&self) -> Vec<&Path> {
        let above = self.path.ancestors().skip(1).take_while(|a| a.starts_with(&self.root));
        let mut above: Vec<&Path> = above.collect();
        above.reverse();
        above
    }

    /// Whether it belongs to a git repository, which may begin above the root.
    pub(crate) fn is_in_repository(&self) -> bool {
        self.path.ancestors().any(|above| above.join(".git").exists())
    }

    /// Opens a file by its path beneath the folder; any trouble is the caller's to count.
    pub(crate) fn open(&self, rel: &Path) -> std::io::Result<File> {
        let resolve = RESOLVE.union(ResolveFlags::NO_SYMLINKS);
        Ok(File::from(open_resolved(&self.dir, rel, OFlags::RDONLY | OPEN, resolve)?))
    }
}
