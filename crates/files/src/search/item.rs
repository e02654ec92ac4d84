//! What a walk comes to, whether it looked or knew.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use ignore::DirEntry;

use super::Stamp;
use crate::workspace::Kind;

/// What a walk comes to.
pub(crate) struct Item<'a> {
    /// Its path below the directory of the walk.
    pub(crate) rel: &'a Path,
    /// What it is; links are not followed.
    pub(crate) kind: Kind,
    stamp: Known<'a>,
}

enum Known<'a> {
    Stamp(Stamp),
    Entry(&'a DirEntry),
}

impl<'a> Item<'a> {
    pub(super) fn of(rel: &'a Path, entry: &'a DirEntry) -> Self {
        Self { rel, kind: kind(entry), stamp: Known::Entry(entry) }
    }

    pub(crate) fn known(rel: &'a Path, kind: Kind, stamp: Stamp) -> Self {
        Self { rel, kind, stamp: Known::Stamp(stamp) }
    }

    /// How many directories below that of the walk it is, from 1.
    pub(crate) fn depth(&self) -> usize {
        memchr::memchr_iter(b'/', self.rel.as_os_str().as_bytes()).count() + 1
    }

    pub(crate) fn name(&self) -> &OsStr {
        name(self.rel)
    }

    /// Whether it has other names too, as far as a walk sees it.
    pub(crate) fn is_linked(&self) -> bool {
        match self.stamp {
            Known::Stamp(_) => false,
            Known::Entry(entry) => entry.metadata().is_ok_and(|data| data.nlink() > 1),
        }
    }

    /// Which state it is in.
    pub(crate) fn stamp(&self) -> Result<Stamp, ignore::Error> {
        match self.stamp {
            Known::Stamp(stamp) => Ok(stamp),
            Known::Entry(entry) => entry.metadata().map(|data| Stamp::of(&data)),
        }
    }
}

/// The last part of a path below a directory; taking paths apart costs more than the match.
pub(crate) fn name(rel: &Path) -> &OsStr {
    let bytes = rel.as_os_str().as_bytes();
    let start = memchr::memrchr(b'/', bytes).map_or(0, |slash| slash + 1);
    OsStr::from_bytes(&bytes[start..])
}

fn kind(entry: &DirEntry) -> Kind {
    match entry.file_type() {
        Some(t) if t.is_file() => Kind::File,
        Some(t) if t.is_dir() => Kind::Directory,
        Some(t) if t.is_symlink() => Kind::Link,
        _ => Kind::Special,
    }
}
