//! The letters in which git writes bytes: five of them for four bytes.

const LETTERS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// The bytes of one line: a letter for their number, then groups of five.
pub(super) fn line(text: &[u8]) -> Option<Vec<u8>> {
    let (length, rest) = text.split_first()?;
    let length = match length {
        b'A'..=b'Z' => length - b'A' + 1,
        b'a'..=b'z' => length - b'a' + 27,
        _ => return None,
    };
    let length = usize::from(length);
    if rest.len() != length.div_ceil(4) * 5 {
        return None;
    }
    let mut out = Vec::with_capacity(length + 3);
    for group in rest.chunks(5) {
        let mut value = 0_u64;
        for letter in group {
            value = value * 85 + LETTERS.iter().position(|l| l == letter)? as u64;
        }
        out.extend_from_slice(&u32::try_from(value).ok()?.to_be_bytes());
    }
    out.truncate(length);
    Some(out)
}
