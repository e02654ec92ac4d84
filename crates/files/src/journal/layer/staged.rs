//! What an index of git stages, without what git keeps there to be fast.

use std::ffi::OsStr;
use std::io::Read as _;
use std::os::fd::AsFd;

use crate::journal::blobs::Hash;
use crate::workspace::open_own;

/// Bytes of an index that is read: that of some two million files.
const MOST: u64 = 256 << 20;
/// Length of what precedes the hash of an entry: two times, device, inode, mode, owner, group, size.
const STAT: usize = 40;
/// Where the mode is in it.
const MODE: std::ops::Range<usize> = 24..28;
/// In the flags: what a person sets and the stage, and whether there are more flags.
const SET: u16 = 0xb000;
const LONGER: u16 = 0x4000;
/// Lengths of the names of objects, of which the checksum at the end is one: SHA-1 and SHA-256.
const NAMES: [usize; 2] = [20, 32];

/// The digest of an index: that of two is the same if they stage the same names with the same
/// contents and modes. None of what is not understood.
pub(in crate::journal) fn digest(dir: impl AsFd, name: &OsStr) -> Option<Hash> {
    let mut bytes = Vec::new();
    open_own(dir, name).ok()?.take(MOST).read_to_end(&mut bytes).ok()?;
    digest_of(&bytes)
}

/// The same of a version 2, 3 or 4 index, whole in itself.
pub(in crate::journal) fn digest_of(bytes: &[u8]) -> Option<Hash> {
    NAMES.iter().find_map(|length| digest_with(bytes, *length))
}

/// The same, if it ends where it does with names of this length.
fn digest_with(bytes: &[u8], object_length: usize) -> Option<Hash> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let version = number(4).filter(|version| (2..=4).contains(version))?;
    if !bytes.starts_with(b"DIRC") {
        return None;
    }
    let (mut at, mut name, mut hasher) = (12, Vec::new(), blake3::Hasher::new());
    for _ in 0..number(8)? {
        let entry = bytes.get(at..)?;
        let (stat, rest) = entry.split_at_checked(STAT)?;
        let (object, rest) = rest.split_at_checked(object_length)?;
        let (flags, rest) = rest.split_first_chunk().map(|(f, r)| (u16::from_be_bytes(*f), r))?;
        let (more, rest) = rest.split_at_checked(if flags & LONGER == 0 { 0 } else { 2 })?;
        let (end, rest) = if version == 4 { shared(rest)? } else { (name.len(), rest) };
        name.truncate(name.len().checked_sub(end)?);
        let tail = &rest[..memchr::memchr(0, rest)?];
        name.extend_from_slice(tail);
        hasher.update(&stat[MODE]).update(object).update(&(flags & SET).to_be_bytes());
        hasher.update(&[more.len() as u8]).update(more).update(&name).update(&[0]);
        let length = entry.len() - rest.len() + tail.len();
        // Padded with one to eight NULs, but in version 4.
        at += if version == 4 { length + 1 } else { (length + 8) & !7 };
    }
    // Extensions; one in lower case says where further entries are.
    while at + object_length < bytes.len() {
        let kind = bytes.get(at..at + 4)?;
        if kind[0].is_ascii_lowercase() && kind != b"sdir" {
            return None;
        }
        at = at.checked_add(8)?.checked_add(number(at + 4)? as usize)?;
    }
    (at + object_length == bytes.len()).then(|| *hasher.finalize().as_bytes())
}

/// How many bytes of the end of the previous name a name of version 4 does not share, and what
/// follows this number.
fn shared(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (first, mut rest) = bytes.split_first()?;
    let (mut byte, mut value) = (*first, usize::from(first & 0x7f));
    while byte & 0x80 != 0 {
        (byte, rest) = rest.split_first().map(|(byte, rest)| (*byte, rest))?;
        value = value.checked_add(1)?.checked_mul(128)? | usize::from(byte & 0x7f);
    }
    Some((value, rest))
}
