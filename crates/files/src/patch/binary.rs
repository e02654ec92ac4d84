//! Binary content in a diff: whole, or as copies out of the content before.

use fault::{Error, Result};
use sha1_smol::Sha1;

use super::base85;
use super::parse::Reader;

/// Most bytes of one binary content; a few letters of a diff can claim any size.
const MOST: usize = 64 << 20;

/// A binary change, with git's hashes of the content before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Binary {
    pub(super) change: Change,
    pub(super) old: String,
    pub(super) new: String,
}

/// How the content comes about; compressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    delta: bool,
    size: usize,
    packed: Vec<u8>,
}

/// Reads what follows `GIT binary patch`: the change, and the way back, which is not needed.
pub(super) fn read(reader: &mut Reader<'_>) -> Result<Change> {
    let change = block(reader)?.ok_or_else(|| {
        Error::no_valid_diff(
            reader.number(),
            "binary content is missing",
            "`literal SIZE` or `delta SIZE`",
        )
    })?;
    block(reader)?;
    Ok(change)
}

fn block(reader: &mut Reader<'_>) -> Result<Option<Change>> {
    let Some(head) = reader.peek().and_then(|l| std::str::from_utf8(l).ok()) else {
        return Ok(None);
    };
    let (delta, size) = match head.trim_end().split_once(' ') {
        Some(("literal", size)) => (false, size.parse().ok()),
        Some(("delta", size)) => (true, size.parse().ok()),
        _ => return Ok(None),
    };
    let Some(size) = size else { return Ok(None) };
    reader.skip();
    let mut packed = Vec::new();
    while let Some(line) = reader.peek().map(<[u8]>::trim_ascii_end).filter(|l| !l.is_empty()) {
        let bytes = base85::line(line).ok_or_else(|| {
            Error::no_valid_diff(
                reader.number(),
                "the binary content is damaged",
                "a line of base 85 as `git diff --binary` writes it, then an empty line",
            )
        })?;
        packed.extend_from_slice(&bytes);
        reader.skip();
    }
    reader.skip(); // the empty line
    Ok(Some(Change { delta, size, packed }))
}

impl Binary {
    /// The content after, from the content before; or why it cannot be made.
    pub(super) fn apply(&self, before: Option<&[u8]>) -> Result<Vec<u8>, String> {
        let full = |hash: &str| hash.len() == 40 && hash.bytes().all(|b| b.is_ascii_hexdigit());
        if !full(&self.old) || !full(&self.new) {
            return Err(
                "its `index` line has no full hashes, so nothing tells whether the binary \
                        content fits; make the diff with `git diff --binary`"
                    .to_owned(),
            );
        }
        if blob_hash(before) != self.old {
            return Err("the binary file is not the one that the diff was made from".to_owned());
        }
        let damaged = || "the binary content is damaged".to_owned();
        let after = self.change.apply(before.unwrap_or_default()).ok_or_else(damaged)?;
        // A deleted file has no content, and no hash either.
        let gone = after.is_empty() && is_null(&self.new);
        if gone || blob_hash(Some(&after)) == self.new { Ok(after) } else { Err(damaged()) }
    }
}

impl Change {
    fn apply(&self, before: &[u8]) -> Option<Vec<u8>> {
        if self.size > MOST {
            return None;
        }
        let inflate = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
        let bytes =
            inflate(&self.packed, self.size.max(1)).ok().filter(|b| b.len() == self.size)?;
        if self.delta { apply_delta(before, &bytes) } else { Some(bytes) }
    }
}

fn is_null(hash: &str) -> bool {
    hash.bytes().all(|b| b == b'0')
}

/// The hash that git gives to a content; zeros for none.
fn blob_hash(bytes: Option<&[u8]>) -> String {
    let Some(bytes) = bytes else { return "0".repeat(40) };
    let mut hash = Sha1::new();
    hash.update(format!("blob {}\0", bytes.len()).as_bytes());
    hash.update(bytes);
    hash.digest().to_string()
}

/// A delta of git: sizes before and after, then pieces to copy and pieces to insert.
fn apply_delta(before: &[u8], delta: &[u8]) -> Option<Vec<u8>> {
    let mut delta = delta.iter().copied();
    let mut size = || {
        let mut value = 0_usize;
        for shift in (0..).step_by(7) {
            let byte = delta.next()?;
            value |= usize::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                break;
            }
        }
        Some(value)
    };
    let (old, new) = (size()?, size()?);
    if old != before.len() || new > MOST {
        return None;
    }
    let mut out = Vec::with_capacity(new);
    while let Some(code) = delta.next() {
        if code & 0x80 == 0 {
            let start = out.len();
            out.extend(delta.by_ref().take(usize::from(code)));
            (code != 0 && out.len() == start + usize::from(code)).then_some(())?;
        } else {
            let mut number = |bits: std::ops::Range<u32>| {
                let mut value = 0;
                for (at, bit) in bits.enumerate() {
                    if code & 1 << bit != 0 {
                        value |= usize::from(delta.next()?) << (8 * at);
                    }
                }
                Some(value)
            };
            let (offset, length) = (number(0..4)?, number(4..7)?);
            let length = if length == 0 { 0x10000 } else { length };
            out.extend_from_slice(before.get(offset..offset.checked_add(length)?)?);
        }
        (out.len() <= new).then_some(())?;
    }
    (out.len() == new).then_some(out)
}
