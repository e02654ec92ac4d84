//! Files that an ordinary user may change and a layer cannot.
//!
//! In a user namespace only the user's own ids have a meaning. To copy a file of another group up
//! into the layer, the kernel would have to give it an owner that does not exist there: EOVERFLOW.
//! Such files mostly come as whole trees, shared by a group, so a look at the upper levels finds
//! them.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, Dir, FileType, Stat};

use crate::journal::layer::open_directory;

/// How far is looked for them: levels of directories, and files at most.
#[derive(Clone, Copy)]
pub(super) struct Depth {
    levels: usize,
    files: usize,
}

/// Before the first program: some milliseconds.
pub(super) const UPPER: Depth = Depth { levels: 3, files: 4096 };

/// Once a program failed and printed [`OVERFLOW`]: about a second.
pub(super) const ALL: Depth = Depth { levels: usize::MAX, files: 500_000 };

/// What programs print of such a file, in lower case.
pub const OVERFLOW: &str = "value too large for defined data type";

/// The first file found in a root that a layer cannot take, by its path there.
pub(super) fn find(root: &OwnedFd, passed: &[PathBuf], far: Depth) -> Option<PathBuf> {
    if rustix::process::geteuid().is_root() {
        return None; // for whom all ids have a meaning
    }
    let mut waiting = vec![(PathBuf::new(), 1)];
    let mut left = far.files;
    while let Some((path, depth)) = waiting.pop() {
        let here = if depth == 1 { Path::new(".") } else { path.as_path() };
        // What cannot be read cannot be copied up either, and fails by itself.
        let Ok(directory) = open_directory(root, here) else { continue };
        let Ok(entries) = Dir::read_from(&directory) else { continue };
        for entry in entries.flatten() {
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            let stat = rustix::fs::statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW);
            let (Ok(stat), false) = (stat, name == "..") else { continue };
            let here = path.join(name);
            if passed.contains(&here) {
                continue;
            }
            if is_foreign(&stat) && may_change(&directory, name, &stat) {
                return Some(here);
            }
            left = left.checked_sub(1)?;
            let is_directory = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
            if is_directory && name != "." && depth < far.levels {
                waiting.push((here, depth + 1));
            }
        }
    }
    None
}

/// Why a root has no layer, if that is one of them.
pub(super) fn why(file: &Path) -> String {
    format!("{} belongs to another user or group", file.display())
}

fn is_foreign(stat: &Stat) -> bool {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    stat.st_uid != user.as_raw() || stat.st_gid != group.as_raw()
}

fn may_change(directory: &OwnedFd, name: &OsStr, stat: &Stat) -> bool {
    let flags = AtFlags::EACCESS | AtFlags::SYMLINK_NOFOLLOW;
    stat.st_uid == rustix::process::geteuid().as_raw()
        || FileType::from_raw_mode(stat.st_mode) != FileType::Symlink
            && rustix::fs::accessat(directory, name, Access::WRITE_OK, flags).is_ok()
}
