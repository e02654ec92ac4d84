//! Git's index: which files it tracks, and how they were when it last looked.

use std::cmp::Ordering;
use std::ffi::{OsStr, OsString};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::FileType;

use crate::search::Stamp;
use crate::workspace::{Folder, Kind};

/// Where it is in the work tree.
const PLACE: &str = ".git/index";
/// Bytes of the checksum that it ends with, and of the names of objects.
const HASH: usize = 20;
/// Bytes of an entry before its name.
const FIXED: usize = 42 + HASH;

/// Flags of an entry: its file is taken to be unchanged, more flags follow, it is a side of a
/// conflict, the length of its name.
const VALID: u16 = 0x8000;
const EXTENDED: u16 = 0x4000;
const STAGE: u16 = 0x3000;
const LENGTH: u16 = 0x0fff;

/// The name of the empty content.
const EMPTY: [u8; 20] = [
    0xe6, 0x9d, 0xe2, 0x9b, 0xb2, 0xd1, 0xd6, 0x43, 0x4b, 0x8b, 0x29, 0xae, 0x77, 0x5a, 0xd8, 0xc2,
    0xe4, 0x8c, 0x53, 0x91,
];

/// What tells one state of the index from another: git writes a new file each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    stamp: Stamp,
    checksum: [u8; HASH],
}

impl Mark {
    /// That of the index of a work tree as it is now; `None` if there is none.
    pub(super) fn of(top: &Folder) -> Option<Self> {
        let mut file = top.open(Path::new(PLACE)).ok()?;
        let stamp = Stamp::of_stat(&rustix::fs::fstat(&file).ok()?);
        let mut checksum = [0; HASH];
        file.seek(SeekFrom::End(-(HASH as i64))).ok()?;
        file.read_exact(&mut checksum).ok()?;
        Some(Self { stamp, checksum })
    }
}

/// One tracked file.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Where its name ends.
    end: u32,
    /// Its state when git looked; of the size and the inode the lower bits.
    pub(super) changed: i64,
    pub(super) size: u32,
    pub(super) inode: u32,
    pub(super) mode: u32,
    pub(crate) id: [u8; HASH],
    /// It was changed so shortly before the index was written that it may have changed again in
    /// the same second.
    pub(crate) is_racy: bool,
}

impl Entry {
    /// Whether nothing at all was done to a file since git looked at it, as far as its times tell.
    pub(crate) fn is_untouched(&self, kind: Kind, stamp: Stamp) -> bool {
        let wanted = FileType::from_raw_mode(self.mode);
        let is_kind = match kind {
            Kind::File => wanted == FileType::RegularFile,
            Kind::Link => wanted == FileType::Symlink,
            _ => false,
        };
        // A size of zero stands for one that is not known as well.
        is_kind
            && (self.size != 0 || self.id == EMPTY)
            && (u64::from(self.size), self.changed, self.inode)
                == (stamp.size, stamp.changed, stamp.inode as u32)
    }
}

/// The index, if it has nothing but files: no submodules, conflicts, files that are left out or
/// taken to be unchanged, or only meant to be added.
#[derive(Debug)]
pub(crate) struct Index {
    pub(super) mark: Mark,
    /// The tree that holds the same and nothing else, if git noted which one that is.
    pub(super) tree: Option<[u8; HASH]>,
    names: Vec<u8>,
    entries: Vec<Entry>,
}

impl Index {
    /// `None` if it has more than that, or if it is not understood.
    pub(crate) fn read(top: &Folder) -> Option<Self> {
        let mut file = top.open(Path::new(PLACE)).ok()?;
        let stat = rustix::fs::fstat(&file).ok()?;
        let mut bytes = Vec::with_capacity(stat.st_size as usize);
        file.read_to_end(&mut bytes).ok()?;
        let written = u32::try_from(stat.st_mtime).ok()?;
        let checksum = *bytes.last_chunk()?;
        let mark = Mark { stamp: Stamp::of_stat(&stat), checksum };
        let mut left = Left(bytes.get(..bytes.len() - HASH)?);
        if left.take(4)? != b"DIRC" {
            return None;
        }
        let (version, count) = (left.number()?, left.number()? as usize);
        if !(2..=4).contains(&version) {
            return None;
        }
        let mut index = Self { mark, tree: None, names: Vec::new(), entries: Vec::new() };
        index.entries.reserve(count.min(bytes.len() / FIXED));
        for _ in 0..count {
            index.entry(&mut left, version == 4, written)?;
        }
        // A part whose name begins with a small letter has to be understood: the rest of a split
        // index, directories that are left out.
        while !left.0.is_empty() {
            let name = left.take(4)?;
            if !name[0].is_ascii_uppercase() {
                return None;
            }
            let length = left.number()? as usize;
            let part = left.take(length)?;
            if name == b"TREE" {
                index.tree = top_tree(part);
            }
        }
        Some(index)
    }

    fn entry(&mut self, left: &mut Left<'_>, is_short: bool, written: u32) -> Option<()> {
        let whole = left.0;
        let mut number = || left.number();
        let (changed, fraction, modified) = (number()?, number()?, number()?);
        let (_, _, inode, mode) = (number()?, number()?, number()?, number()?);
        let (_, _, size) = (number()?, number()?, number()?);
        let id = *left.take(HASH)?.first_chunk()?;
        let flags = u16::from_be_bytes(*left.take(2)?.first_chunk()?);
        if !matches!(mode, 0o100_644 | 0o100_755 | 0o120_000) || flags & (VALID | STAGE) != 0 {
            return None;
        }
        if flags & EXTENDED != 0 && left.take(2)? != [0, 0] {
            return None;
        }
        if is_short {
            // How much of the name before it is cut off, and what follows the rest.
            let last = self.entries.len().checked_sub(1).map_or(0..0, |last| self.range(last));
            let kept = last.end.checked_sub(left.varying()?).filter(|end| *end >= last.start)?;
            let end = memchr::memchr(0, left.0)?;
            self.names.extend_from_within(last.start..kept);
            self.names.extend(&left.take(end + 1)?[..end]);
        } else {
            let length = match flags & LENGTH {
                LENGTH => memchr::memchr(0, left.0)?,
                length => length as usize,
            };
            self.names.extend(left.take(length)?);
            // Zeros follow, at least one, until the length is a multiple of eight.
            let used = whole.len() - left.0.len();
            left.take(8 - used % 8)?;
        }
        let changed = i64::from(changed) * 1_000_000_000 + i64::from(fraction);
        let end = u32::try_from(self.names.len()).ok()?;
        let is_racy = modified >= written;
        self.entries.push(Entry { end, changed, size, inode, mode, id, is_racy });
        Some(())
    }

    fn range(&self, at: usize) -> Range<usize> {
        let start = at.checked_sub(1).map_or(0, |before| self.entries[before].end as usize);
        start..self.entries[at].end as usize
    }

    /// The path of an entry in the work tree.
    pub(super) fn path(&self, at: usize) -> &OsStr {
        OsStr::from_bytes(&self.names[self.range(at)])
    }

    /// How it differs from another one, with the letters of git; `None` if a file may have been
    /// renamed, which git tells by the contents.
    pub(super) fn differs(&self, from: &Self) -> Option<Vec<(OsString, char)>> {
        let (mut at, mut before, mut found) = (0, 0, Vec::new());
        while at < self.len() || before < from.len() {
            let own = (at < self.len()).then(|| self.path(at));
            let other = (before < from.len()).then(|| from.path(before));
            let order = match (own, other) {
                (Some(own), Some(other)) => own.cmp(other),
                (Some(_), None) => Ordering::Less,
                _ => Ordering::Greater,
            };
            let letter = match order {
                Ordering::Less => Some('A'),
                Ordering::Greater => Some('D'),
                Ordering::Equal => {
                    let (now, was) = (&self.entries[at], &from.entries[before]);
                    let kind = |entry: &Entry| FileType::from_raw_mode(entry.mode);
                    let differs = (now.mode, now.id) != (was.mode, was.id);
                    differs.then(|| if kind(now) == kind(was) { 'M' } else { 'T' })
                }
            };
            let path = if order == Ordering::Greater { other } else { own };
            found.extend(path.zip(letter).map(|(path, letter)| (path.to_owned(), letter)));
            at += usize::from(order != Ordering::Greater);
            before += usize::from(order != Ordering::Less);
        }
        let has = |wanted: char| found.iter().any(|(_, letter)| *letter == wanted);
        (!has('A') || !has('D')).then_some(found)
    }

    /// That of a path.
    pub(crate) fn entry_of(&self, path: &OsStr) -> Option<&Entry> {
        self.find(path).map(|at| self.entry_at(at))
    }

    pub(super) fn entry_at(&self, at: usize) -> &Entry {
        &self.entries[at]
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Where a path is in it.
    pub(super) fn find(&self, path: &OsStr) -> Option<usize> {
        let at = self.first(path.as_bytes());
        (at < self.len() && self.path(at) == path).then_some(at)
    }

    /// Those in a directory and below it.
    pub(super) fn within(&self, directory: &OsStr) -> Range<usize> {
        let name = directory.as_bytes();
        self.first(&[name, b"/"].concat())..self.first(&[name, b"0"].concat())
    }

    /// The first entry whose path is not before this one.
    fn first(&self, path: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.path(middle).as_bytes() < path {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// The tree at the top of those that git noted: no name, how many entries, how many trees in it,
/// its id; the number of entries is negative if there is none.
fn top_tree(noted: &[u8]) -> Option<[u8; HASH]> {
    let noted = noted.strip_prefix(b"\0")?;
    let line = memchr::memchr(b'\n', noted)?;
    noted[line + 1..].first_chunk().filter(|_| noted[0] != b'-').copied()
}

/// What is not read yet.
struct Left<'a>(&'a [u8]);

impl<'a> Left<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(*self.take(4)?.first_chunk()?))
    }

    /// A number of seven bits a byte, the highest first, in which each byte but the last counts one
    /// more.
    fn varying(&mut self) -> Option<usize> {
        let mut value = 0_usize;
        loop {
            let byte = self.take(1)?[0];
            value |= usize::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                return Some(value);
            }
            value = value.checked_add(1)?.checked_mul(0x80)?;
        }
    }
}
