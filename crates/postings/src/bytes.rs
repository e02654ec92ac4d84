//! Numbers in bytes: fixed ones in little endian, others seven bits a byte.

#[inline]
pub(crate) fn put(number: u32, out: &mut Vec<u8>) {
    let mut rest = number;
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

/// How many bytes [`put`] writes.
pub(crate) fn length(number: u32) -> usize {
    (number | 1).ilog2() as usize / 7 + 1
}

/// Takes a number off the front; `None` if the bytes end before it does.
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u32> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(number);
        }
        shift += 7;
    }
}

pub(crate) fn fixed(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}
