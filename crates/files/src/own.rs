//! Small files of Kitbag's own that no journal covers, such as those of a cache.

use std::path::Path;

use fault::{Code, Error, Result};

use crate::limits::Limits;
use crate::workspace::{Entry, Expected, FileMode, Last, Workspace};

/// A directory of such files. No path and no link leads out of it.
#[derive(Debug)]
pub struct OwnFiles(Workspace);

impl OwnFiles {
    /// The directory `path`; `None` if there is none.
    ///
    /// # Errors
    /// `PermissionDenied`, `Io`.
    pub fn open(path: &Path, limits: Limits) -> Result<Option<Self>> {
        Self::opened(Workspace::open(path, &[], limits))
    }

    /// The directory `rel` of a project; `None` if there is none. Whoever made the project chose
    /// what is in it, so a link on the way is not followed.
    ///
    /// # Errors
    /// `PermissionDenied`, `Io`.
    pub fn open_beneath(project: &Path, rel: &Path, limits: Limits) -> Result<Option<Self>> {
        Self::opened(Workspace::open_beneath(project, rel, limits))
    }

    fn opened(opened: Result<Workspace>) -> Result<Option<Self>> {
        match opened {
            Ok(workspace) => Ok(Some(Self(workspace))),
            Err(e) if matches!(e.code, Code::DirectoryNotFound | Code::NotADirectory) => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// What is in the directory `name`; nothing if there is none.
    ///
    /// # Errors
    /// `PermissionDenied`, `Io`.
    pub fn list(&self, name: &str) -> Result<Vec<Entry>> {
        match self.0.list(name) {
            Err(e) if matches!(e.code, Code::DirectoryNotFound | Code::NotADirectory) => {
                Ok(Vec::new())
            }
            entries => entries,
        }
    }

    /// The content of a file; `None` if there is none.
    ///
    /// # Errors
    /// As for [`Workspace::read`].
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        match self.0.read(name) {
            Ok(contents) => Ok(Some(contents.bytes)),
            Err(e) if e.code == Code::FileNotFound => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Puts a file in place of whatever has its name, at once, readable by its owner alone.
    ///
    /// # Errors
    /// `ParentDirectoryNotFound`, `PermissionDenied`, `DiskFull`, `Io`.
    pub fn put(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let spot = self.0.spot(name, Last::Keep)?;
        let put = spot.put_file(bytes, Some(FileMode::Exact(0o600)), Expected::Anything, false);
        put.map(drop).map_err(|e| Error::io(name, &e))
    }

    /// Removes a file, if it is there.
    ///
    /// # Errors
    /// `PermissionDenied`, `Io`.
    pub fn remove(&self, name: &str) -> Result<()> {
        let spot = match self.0.spot(name, Last::Keep) {
            Err(e) if e.code == Code::ParentDirectoryNotFound => return Ok(()),
            spot => spot?,
        };
        match spot.remove_file(Expected::Anything, false) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::io(name, &e)),
            _ => Ok(()),
        }
    }
}
