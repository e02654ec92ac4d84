//! The packs that git keeps objects in, read without git.
//!
//! They are held open: what was in one when it was looked for is still there after a program has
//! removed the repository.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZFlush};
use rustix::fs::Dir;

use crate::search::Stamp;
use crate::workspace::Folder;

/// Where they are in a work tree.
const PLACE: &str = ".git/objects/pack";
/// Bytes of the name of an object.
const NAME: usize = 20;
/// Most differences between an object and the one that is stored whole; git makes 250 at most.
const MOST_DELTAS: usize = 500;
/// Longest header of an entry, and bytes from whose beginning the size of a result is told.
const HEAD: usize = 64;

/// Longest index that is read into memory: of some four million objects.
const MOST_LOADED: u64 = 128 << 20;
/// Where in an index the names begin.
const NAMES: u64 = 8 + 1024;

/// Kinds of entries.
const BLOB: u8 = 3;
const DELTA_AT: u8 = 6;
const DELTA_OF: u8 = 7;

type Result<T> = std::io::Result<T>;

/// The name of an object.
pub(super) type Name = [u8; NAME];

/// The packs of one repository.
#[derive(Debug)]
pub(super) struct Packs {
    /// Each with its index.
    packs: Vec<(Index, File)>,
    /// The state of their directory.
    stamp: Stamp,
}

/// The index of a pack.
#[derive(Debug)]
pub(super) enum Index {
    OnDisk(File),
    InMemory(Vec<u8>),
}

/// Where an object is.
#[derive(Clone, Copy)]
struct Place<'a> {
    index: &'a Index,
    pack: &'a File,
    at: u64,
}

/// The beginning of an object in a pack.
struct Entry<'a> {
    pack: &'a File,
    kind: u8,
    /// Of what is stored: the content, or the differences.
    size: usize,
    /// What it differs from.
    base: Option<Place<'a>>,
    /// Where what is stored begins.
    start: u64,
}

impl Packs {
    /// Those of the repository at `top`; `None` if there is none.
    pub(super) fn open(top: &Folder) -> Option<Self> {
        let stamp = Self::stamp(top)?;
        let mut packs = Vec::new();
        let directory = top.open(Path::new(PLACE)).ok()?;
        for entry in Dir::read_from(&directory).ok()?.flatten() {
            let path = Path::new(PLACE).join(OsStr::from_bytes(entry.file_name().to_bytes()));
            if path.extension().is_some_and(|end| end == "idx") {
                let (index, pack) = (top.open(&path), top.open(&path.with_extension("pack")));
                packs.extend(index.ok().map(Index::OnDisk).zip(pack.ok()));
            }
        }
        Some(Self { packs, stamp })
    }

    /// The same with the indexes in memory unless they are too long, for many questions.
    pub(super) fn loaded(&self) -> Result<Self> {
        let load = |(index, pack): &(Index, File)| Ok((index.loaded()?, pack.try_clone()?));
        let packs: Result<_> = self.packs.iter().map(load).collect();
        Ok(Self { packs: packs?, stamp: self.stamp })
    }

    /// Whether the same packs are there.
    pub(super) fn is_current(&self, top: &Folder) -> bool {
        Self::stamp(top) == Some(self.stamp)
    }

    fn stamp(top: &Folder) -> Option<Stamp> {
        Some(Stamp::of_stat(&top.stat(Path::new(PLACE)).ok()?))
    }

    /// Whether one of them has an object.
    pub(super) fn has(&self, name: &Name) -> bool {
        self.find(name).is_some()
    }

    /// How long the content of this name is; `None` if it is in no pack.
    pub(super) fn size(&self, name: &Name) -> Option<u64> {
        let entry = self.find(name)?.entry().ok()?;
        if entry.kind == BLOB {
            return Some(entry.size as u64);
        }
        entry.base?;
        let mut head = Bytes(&entry.inflate_beginning()?, 0);
        head.number()?; // the size of the other
        head.number()
    }

    /// The content of this name; `None` if it is not there whole.
    pub(super) fn read(&self, name: &Name) -> Option<Vec<u8>> {
        let mut entry = self.find(name)?.entry().ok()?;
        let mut deltas = Vec::new();
        while let Some(base) = entry.base {
            deltas.push(entry.inflate()?);
            entry = base.entry().ok().filter(|_| deltas.len() < MOST_DELTAS)?;
        }
        let whole = entry.inflate().filter(|_| entry.kind == BLOB)?;
        let content = deltas.iter().rev().try_fold(whole, |base, delta| apply(&base, delta))?;
        let mut hash = sha1_smol::Sha1::new();
        hash.update(format!("blob {}\0", content.len()).as_bytes());
        hash.update(&content);
        (hash.digest().bytes() == *name).then_some(content)
    }

    fn find(&self, name: &Name) -> Option<Place<'_>> {
        self.packs.iter().find_map(|(index, pack)| Place::of(index, pack, name))
    }
}

impl<'a> Place<'a> {
    fn of(index: &'a Index, pack: &'a File, name: &Name) -> Option<Self> {
        let found = index.position(name).ok()??;
        let at = index.offset(found).ok()?;
        Some(Self { index, pack, at })
    }

    fn entry(self) -> Result<Entry<'a>> {
        let wrong = || std::io::Error::from(std::io::ErrorKind::InvalidData);
        let mut head = [0; HEAD];
        let read = self.pack.read_at(&mut head, self.at)?;
        let mut bytes = Bytes(&head[..read], 0);
        let first = bytes.next().ok_or_else(wrong)?;
        let (kind, mut size) = (first >> 4 & 7, usize::from(first & 15));
        if first & 0x80 != 0 {
            let more = bytes.number().ok_or_else(wrong)?;
            size |= usize::try_from(more << 4).map_err(|_| wrong())?;
        }
        let base = match kind {
            DELTA_AT => {
                let back = bytes.distance().ok_or_else(wrong)?;
                let at = self.at.checked_sub(back).filter(|_| back > 0).ok_or_else(wrong)?;
                Some(Self { at, ..self })
            }
            DELTA_OF => {
                let name = bytes.take(NAME).and_then(|name| Name::try_from(name).ok());
                let base = name.and_then(|name| Place::of(self.index, self.pack, &name));
                Some(base.ok_or_else(wrong)?)
            }
            _ => None,
        };
        Ok(Entry { pack: self.pack, kind, size, base, start: self.at + bytes.1 as u64 })
    }
}

impl Entry<'_> {
    /// What is stored.
    fn inflate(&self) -> Option<Vec<u8>> {
        // What cannot be made smaller is stored in pieces, with a few bytes for each.
        let mut stored = vec![0; self.size + self.size / 1000 + HEAD];
        let read = self.pack.read_at(&mut stored, self.start).ok()?;
        let limit = self.size;
        let found = decompress_to_vec_zlib_with_limit(&stored[..read], limit).ok()?;
        (found.len() == self.size).then_some(found)
    }

    /// Its first bytes, which tell of differences how long the result is.
    fn inflate_beginning(&self) -> Option<[u8; 20]> {
        let (mut stored, mut beginning) = ([0; 512], [0; 20]);
        let read = self.pack.read_at(&mut stored, self.start).ok()?;
        let mut state = InflateState::new_boxed(DataFormat::Zlib);
        inflate(&mut state, &stored[..read], &mut beginning, MZFlush::None).status.ok()?;
        Some(beginning)
    }
}

/// Bytes, and how many of them are read.
struct Bytes<'a>(&'a [u8], usize);

impl<'a> Bytes<'a> {
    fn next(&mut self) -> Option<u8> {
        self.take(1).map(|byte| byte[0])
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let taken = self.0.get(self.1..self.1.checked_add(count)?)?;
        self.1 += count;
        Some(taken)
    }

    /// A number of seven bits a byte, the lowest first.
    fn number(&mut self) -> Option<u64> {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.next()?;
            value |= u64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
    }

    /// A number of seven bits a byte, the highest first, in which each byte but the last counts one
    /// more.
    fn distance(&mut self) -> Option<u64> {
        let mut byte = self.next()?;
        let mut value = u64::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = self.next()?;
            value = value.checked_add(1)?.checked_mul(0x80)? | u64::from(byte & 0x7f);
        }
        Some(value)
    }
}

/// What differences make of a content: they copy pieces of it and add new ones.
fn apply(base: &[u8], delta: &[u8]) -> Option<Vec<u8>> {
    let mut left = Bytes(delta, 0);
    let (from, size) = (left.number()?, usize::try_from(left.number()?).ok()?);
    let mut made = Vec::new();
    while let Some(what) = left.next().filter(|_| from == base.len() as u64) {
        if what & 0x80 == 0 {
            made.extend(left.take(usize::from(what)).filter(|_| what > 0)?);
            continue;
        }
        // Which bytes of the place and the length follow, the lowest first; the others are zero.
        let mut number = |bits: std::ops::Range<u32>| {
            let mut value = 0_usize;
            for bit in bits.clone().filter(|bit| what & 1 << bit != 0) {
                value |= usize::from(left.next()?) << (8 * (bit - bits.start));
            }
            Some(value)
        };
        let start = number(0..4)?;
        let length = Some(number(4..7)?).filter(|length| *length > 0).unwrap_or(0x1_0000);
        made.extend(base.get(start..start.checked_add(length)?)?);
        if made.len() > size {
            return None;
        }
    }
    (made.len() == size).then_some(made)
}

impl Index {
    fn loaded(&self) -> Result<Self> {
        match self {
            Self::OnDisk(file) => {
                let length = file.metadata()?.len();
                if length > MOST_LOADED {
                    return file.try_clone().map(Self::OnDisk);
                }
                let mut bytes = vec![0; length as usize];
                file.read_exact_at(&mut bytes, 0)?;
                Ok(Self::InMemory(bytes))
            }
            Self::InMemory(bytes) => Ok(Self::InMemory(bytes.clone())),
        }
    }

    /// Where it has the name of an object; also one of SHA-256. It is in version 2, as git writes it.
    pub(super) fn position(&self, name: &[u8]) -> Result<Option<u64>> {
        let wrong = || std::io::Error::from(std::io::ErrorKind::InvalidData);
        if (self.word(0)?, self.word(4)?) != (0xff74_4f63, 2) {
            return Err(wrong());
        }
        // How many names begin with a byte up to this one; then the names, in order.
        let up_to = |first: u8| self.word(8 + 4 * u64::from(first));
        let first = *name.first().ok_or_else(wrong)?;
        let mut low = if first == 0 { 0 } else { up_to(first - 1)? };
        let mut high = up_to(first)?;
        let mut here = vec![0; name.len()];
        while low < high {
            let middle = low.midpoint(high);
            self.read(&mut here, NAMES + middle * name.len() as u64)?;
            match (*here).cmp(name) {
                std::cmp::Ordering::Equal => return Ok(Some(middle)),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }

    /// Where in the pack the object is whose name is at this position.
    fn offset(&self, position: u64) -> Result<u64> {
        let count = self.word(NAMES - 4)?;
        // After the names come their checksums.
        let offsets = NAMES + count * (NAME as u64 + 4);
        let short = self.word(offsets + 4 * position)?;
        if short & 0x8000_0000 == 0 {
            return Ok(short);
        }
        let long = offsets + 4 * count + 8 * (short & 0x7fff_ffff);
        Ok(self.word(long)? << 32 | self.word(long + 4)?)
    }

    fn word(&self, at: u64) -> Result<u64> {
        let mut word = [0; 4];
        self.read(&mut word, at).map(|()| u64::from(u32::from_be_bytes(word)))
    }

    fn read(&self, into: &mut [u8], at: u64) -> Result<()> {
        match self {
            Self::OnDisk(file) => file.read_exact_at(into, at),
            Self::InMemory(bytes) => {
                let found = bytes.get(at as usize..).and_then(|rest| rest.get(..into.len()));
                into.copy_from_slice(found.ok_or(std::io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
        }
    }
}
