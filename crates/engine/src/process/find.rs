//! Where a program is. It is found before it is started, so that a name that does not exist is
//! told apart from a program that fails.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, FileType};

use crate::error::{Error, Result};

/// A program by its name, looked for in the folders of `path`, or by its path relative to `dir`.
pub(super) fn find(name: &str, path: Option<&OsStr>, dir: &OwnedFd) -> Result<OsString> {
    if name.is_empty() {
        return Err(Error::invalid_input("command", "empty; name a program"));
    }
    if name.contains('/') {
        return if runs(dir, Path::new(name)) {
            Ok(name.into())
        } else {
            Err(Error::command_not_found(name, "the file system"))
        };
    }
    // A folder of PATH that is not absolute would be one of the workspace.
    let folders: Vec<PathBuf> = path
        .map(|p| std::env::split_paths(p).filter(|f| f.is_absolute()).collect())
        .unwrap_or_default();
    let found = folders.iter().map(|folder| folder.join(name)).find(|path| runs(CWD, path));
    found.map(PathBuf::into_os_string).ok_or_else(|| {
        let folders: Vec<_> = folders.iter().map(|f| f.display().to_string()).collect();
        Error::command_not_found(name, &format!("PATH ({})", folders.join(":")))
    })
}

/// Whether a file that may be executed stands there.
fn runs(dir: impl std::os::fd::AsFd, path: &Path) -> bool {
    rustix::fs::accessat(&dir, path, Access::EXEC_OK, AtFlags::EACCESS).is_ok()
        && rustix::fs::statat(&dir, path, AtFlags::empty())
            .is_ok_and(|s| FileType::from_raw_mode(s.st_mode) == FileType::RegularFile)
}
