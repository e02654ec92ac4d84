//! Ignored directories, to which a program writes directly: which of them it changed.
//!
//! Without this module undo of a call would be silent about what it does not cover.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType};

use super::Coming;
use crate::journal::layer::Layer;
use crate::journal::layer::look::changed;
use crate::journal::layer::open_directory;

/// Entries of each that are looked at: about a millisecond.
const MOST: usize = 1000;

impl Coming<'_> {
    /// Notes which of them the program changed, as far as that can be told at once.
    pub(super) fn note_direct(&self) {
        let Layer { root, passed, .. } = self.layer;
        let Some(handle) = self.workspace.root_handle(root) else { return };
        let (changed, unknown) = changed_in(handle, passed, self.began);
        let shown = |path: &&PathBuf| format!("{}/", self.workspace.show(&root.join(path)));
        let mut inner = self.step.lock();
        inner.direct.changed.extend(changed.iter().map(shown));
        inner.direct.unknown.extend(unknown.iter().map(shown));
    }
}

/// Those that changed since a time, and those that are too large to tell.
fn changed_in<'p>(
    root: &OwnedFd,
    passed: &'p [PathBuf],
    since: i64,
) -> (Vec<&'p PathBuf>, Vec<&'p PathBuf>) {
    let found = passed.iter().map(|path| (path, has_changed(root, path, since)));
    let (known, unknown): (Vec<_>, Vec<_>) = found.partition(|(_, changed)| changed.is_some());
    let changed = known.into_iter().filter(|(_, changed)| *changed == Some(true));
    (changed.map(|(path, _)| path).collect(), unknown.into_iter().map(|(path, _)| path).collect())
}

/// Whether a directory or anything in it changed; the upper levels first.
fn has_changed(root: &OwnedFd, top: &Path, since: i64) -> Option<bool> {
    let (mut waiting, mut left) = (VecDeque::from([top.to_owned()]), MOST);
    while let Some(path) = waiting.pop_front() {
        let directory = open_directory(root, &path).ok()?;
        for entry in Dir::read_from(&directory).ok()? {
            let entry = entry.ok()?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == ".." {
                continue;
            }
            left = left.checked_sub(1)?;
            let stat = rustix::fs::statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
            if changed(&stat) >= since {
                return Some(true);
            }
            if FileType::from_raw_mode(stat.st_mode) == FileType::Directory && name != "." {
                waiting.push_back(path.join(name));
            }
        }
    }
    Some(false)
}

/// Whether nothing is in a directory.
pub(super) fn is_empty(directory: &Path) -> bool {
    std::fs::read_dir(directory).is_ok_and(|mut inner| inner.next().is_none())
}
