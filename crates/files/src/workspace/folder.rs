//! A directory in which something happens, held open.
//!
//! A search walks by path, and a path can be swapped for a link between the walk and the read. So
//! each file is opened from the handle of the directory, beneath it and through no link at all.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use fault::{Code, Error, Result};
use rustix::fs::{OFlags, ResolveFlags, Stat};
use rustix::io::Errno;

use super::resolve::{Spot, near_names, open_resolved, real_path};
use super::{Access, Node, OPEN, RESOLVE, Root, Workspace};
use crate::tree::Tree;

/// A directory held open, so that what it is reached by can be swapped without harm.
#[derive(Debug)]
pub struct Folder {
    dir: OwnedFd,
    path: PathBuf,
    root: PathBuf,
    access: Access,
    /// The roots beneath it, whose access is their own.
    inner: Vec<(PathBuf, Access)>,
    /// The tree of the main root, if it lies in that.
    tree: Option<Arc<OnceLock<Tree>>>,
}

impl Workspace {
    /// Opens a directory to search in or to start a program in.
    ///
    /// # Errors
    /// `DirectoryNotFound` with near names, `NotADirectory`, `PathOutsideWorkspace`.
    pub fn folder(&self, path: &str) -> Result<Folder> {
        let (dir, root) = self.open_directory(path, OFlags::PATH)?;
        let real = real_path(&dir).map_err(|e| Error::io(path, &e))?;
        let access = self.access_of(&real)?;
        let inner = self.roots().filter(|(root, _)| *root != real && root.starts_with(&real));
        let inner = inner.map(|(root, access)| (root.to_owned(), access)).collect();
        let tree = (root.path == self.root()).then(|| Arc::clone(&self.tree));
        Ok(Folder { dir, path: real, root: root.path.clone(), access, inner, tree })
    }

    /// Holds a directory against other calls that hold it too, of this server and of others, until
    /// what is given is dropped; none if it was not to be had in `Limits::lock_wait`.
    ///
    /// # Errors
    /// As for opening it.
    pub fn hold(&self, path: &str) -> Result<Option<File>> {
        let (dir, _) = self.open_directory(path, OFlags::RDONLY)?;
        let dir = File::from(dir);
        Ok(crate::state::hold(&dir, self.limits.lock_wait).then_some(dir))
    }

    /// Other ways to write the real path of a directory: beneath a root as the operator named it.
    pub fn spellings(&self, real: &Path) -> Vec<PathBuf> {
        let spelt = |root: &Root| Some(root.given.join(real.strip_prefix(&root.path).ok()?));
        self.roots.iter().filter_map(spelt).collect()
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
}

impl Folder {
    /// Fails if what is in it may not be listed. `path` is for messages.
    ///
    /// # Errors
    /// `PermissionDenied`.
    pub fn check_readable(&self, path: &str) -> Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let opened = open_resolved(&self.dir, Path::new("."), flags, RESOLVE);
        opened.map(drop).map_err(|e| Error::io(path, &e.into()))
    }

    /// The tree that it lies in, and its place in that.
    pub(crate) fn tree(&self) -> Option<(&Tree, &OsStr)> {
        let place = self.path.strip_prefix(&self.root).ok()?.as_os_str();
        Some((self.tree.as_ref()?.get()?, place))
    }

    /// The handle, and where it really is.
    pub fn into_parts(self) -> (OwnedFd, PathBuf) {
        (self.dir, self.path)
    }

    /// Where it really is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The directories above it that belong to the workspace, from the root down.
    pub(crate) fn above(&self) -> Vec<&Path> {
        let above = self.path.ancestors().skip(1).take_while(|a| a.starts_with(&self.root));
        let mut above: Vec<&Path> = above.collect();
        above.reverse();
        above
    }

    /// The root that it lies in.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// What may be done in it.
    pub fn access(&self) -> Access {
        self.access
    }

    /// Whether a link at `rel` with this target leads to a place inside the root: only leading
    /// `..` are followed, since what is before another may be a link itself.
    pub(crate) fn holds_link(&self, rel: &Path, target: &Path) -> bool {
        if target.is_absolute() {
            let plain = !target.components().any(|c| c == Component::ParentDir);
            return plain && target.starts_with(&self.root);
        }
        let up = target.components().take_while(|c| *c == Component::ParentDir).count();
        let plain = !target.components().skip(up).any(|c| c == Component::ParentDir);
        let from = self.path.join(rel);
        plain && from.ancestors().nth(up + 1).is_some_and(|top| top.starts_with(&self.root))
    }

    /// The place of a path beneath the directory, reached through no link; `None` if what it would
    /// stand in is no directory or is missing.
    pub(crate) fn spot(&self, rel: &Path) -> Result<Option<Spot>> {
        let shown = || super::quote(rel.as_os_str());
        let name = rel.file_name().ok_or_else(|| Error::is_directory(&shown()))?.to_owned();
        let above = rel.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let resolve = RESOLVE.union(ResolveFlags::NO_SYMLINKS);
        match open_resolved(&self.dir, above, OFlags::PATH | OFlags::DIRECTORY, resolve) {
            Ok(parent) => {
                let path = self.path.join(rel);
                let inner = self.inner.iter().filter(|(root, _)| path.starts_with(root));
                let inner = inner.max_by_key(|(root, _)| root.components().count());
                let access = inner.map_or(self.access, |(_, access)| *access);
                Ok(Some(Spot { parent, name, path, access }))
            }
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(Errno::LOOP) => Err(Error::through_link(&shown())),
            Err(e) => Err(Error::io(&shown(), &e.into())),
        }
    }

    /// What is at a path beneath the directory, reached through no link.
    pub(crate) fn node(&self, rel: &Path, limit: u64) -> Result<Option<Node>> {
        match self.spot(rel)? {
            Some(spot) => spot.node(&super::quote(rel.as_os_str()), limit),
            None => Ok(None),
        }
    }

    /// Whether it belongs to a git repository, which may begin above the root.
    pub fn is_in_repository(&self) -> bool {
        self.path.ancestors().any(|above| above.join(".git").exists())
    }

    /// Whether its root does: so a search below a directory obeys the rules that a search of the
    /// root obeys there, also if another repository begins on the way.
    pub(crate) fn is_root_in_repository(&self) -> bool {
        self.root.ancestors().any(|above| above.join(".git").exists())
    }

    /// Opens a file by its path beneath the directory; any trouble is the caller's to count.
    pub(crate) fn open(&self, rel: &Path) -> std::io::Result<File> {
        let resolve = RESOLVE.union(ResolveFlags::NO_SYMLINKS);
        Ok(File::from(open_resolved(&self.dir, rel, OFlags::RDONLY | OPEN, resolve)?))
    }

    /// The state of what is at a path beneath it, reached through no link; of a link its own.
    pub(crate) fn stat(&self, rel: &Path) -> Result<Stat, Errno> {
        rustix::fs::fstat(self.handle(rel)?)
    }

    /// Where a link leads that is reached through no link.
    pub(crate) fn link_target(&self, rel: &Path) -> Result<OsString, Errno> {
        let target = rustix::fs::readlinkat(self.handle(rel)?, "", Vec::new())?;
        Ok(OsString::from_vec(target.into_bytes()))
    }

    fn handle(&self, rel: &Path) -> Result<OwnedFd, Errno> {
        let resolve = RESOLVE.union(ResolveFlags::NO_SYMLINKS);
        open_resolved(&self.dir, rel, OFlags::PATH | OFlags::NOFOLLOW, resolve)
    }
}
