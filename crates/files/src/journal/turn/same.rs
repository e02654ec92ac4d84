//! Whether two places hold the same: files with these contents, links, and directories with all in them.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};

use super::super::blobs::hash_file;
use crate::workspace::open_own;

/// Deeper directories are not compared.
pub(super) const MOST_LEVELS: usize = 64;

type Place<'a> = (&'a OwnedFd, &'a OsStr);

/// Whether these hold the same, as git would see it. Stops at the first difference.
pub(super) fn same(one: Place<'_>, other: Place<'_>, levels: usize) -> io::Result<bool> {
    const RUNS: u32 = 0o100;
    let look = |(dir, name): Place<'_>| rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW);
    let (a, b) = (look(one)?, look(other)?);
    let kind = FileType::from_raw_mode(a.st_mode);
    if kind != FileType::from_raw_mode(b.st_mode) {
        return Ok(false);
    }
    match kind {
        FileType::RegularFile => {
            if a.st_size != b.st_size || (a.st_mode ^ b.st_mode) & RUNS != 0 {
                return Ok(false);
            }
            let hash = |(dir, name): Place<'_>| hash_file(&open_own(dir, name)?);
            Ok(hash(one)? == hash(other)?)
        }
        FileType::Symlink => {
            let target = |(dir, name): Place<'_>| rustix::fs::readlinkat(dir, name, Vec::new());
            Ok(target(one)? == target(other)?)
        }
        FileType::Directory => {
            let Some(levels) = levels.checked_sub(1) else { return Ok(false) };
            let (one, other) = (open(one)?, open(other)?);
            let inside = names(&one)?;
            if inside != names(&other)? {
                return Ok(false);
            }
            for name in inside {
                if !same((&one, &name), (&other, &name), levels)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        _ => Ok(false),
    }
}

fn open((dir, name): Place<'_>) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(dir, name, flags, Mode::empty())
}

fn names(directory: &OwnedFd) -> io::Result<BTreeSet<OsString>> {
    let mut all = BTreeSet::new();
    for entry in Dir::read_from(directory)? {
        let name = OsString::from_vec(entry?.file_name().to_bytes().to_vec());
        all.extend((name != "." && name != "..").then_some(name));
    }
    Ok(all)
}
