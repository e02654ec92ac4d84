//! What an index of git stages, without what git keeps there to be fast.

use std::io::Read as _;
use std::path::Path;

use rustix::fs::CWD;

use crate::workspace::open_own;

/// Length of what precedes the hash of an entry: two times, device, inode, mode, owner, group, size.
const STAT: usize = 40;
/// Where the mode is in it.
const MODE: std::ops::Range<usize> = 24..28;
/// In the flags: the stage, whether they are longer, and how long the name is, if less than this.
const STAGE: u16 = 0x3000;
const LONGER: u16 = 0x4000;

/// Whether two indexes stage the same: the same names with the same contents and modes. What is not
/// understood is not the same.
pub(super) fn same(one: &Path, other: &Path) -> bool {
    let read = |path: &Path| {
        let mut bytes = Vec::new();
        open_own(CWD, path.as_os_str()).ok()?.read_to_end(&mut bytes).ok()?;
        Some(bytes)
    };
    let (Some(one), Some(other)) = (read(one), read(other)) else { return false };
    matches!((entries(&one), entries(&other)), (Some(one), Some(other)) if one == other)
}

/// Mode, hash, stage and name.
type Entry<'b> = (&'b [u8], &'b [u8], u16, &'b [u8]);

/// Each entry of a version 2 or 3 index with SHA-1.
fn entries(bytes: &[u8]) -> Option<Vec<Entry<'_>>> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    if bytes.get(..4)? != b"DIRC" || !matches!(number(4)?, 2 | 3) {
        return None;
    }
    let (count, mut at, mut all) = (number(8)?, 12, Vec::new());
    for _ in 0..count {
        let (stat, rest) = bytes.get(at..)?.split_at_checked(STAT)?;
        let (hash, rest) = rest.split_at_checked(20)?;
        let flags = u16::from_be_bytes(rest.get(..2)?.try_into().ok()?);
        let start = if flags & LONGER == 0 { 2 } else { 4 };
        let name = rest.get(start..)?;
        let name = &name[..memchr::memchr(0, name)?];
        all.push((&stat[MODE], hash, flags & STAGE, name));
        // Padded with one to eight NULs.
        at += (STAT + 20 + start + name.len() + 8) & !7;
    }
    Some(all)
}
