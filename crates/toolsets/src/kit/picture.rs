//! Pictures that models can see, known by their first bytes.

/// Largest picture that is shown, in bytes: model providers take 5 MiB in base64, or less.
pub(super) const MOST_BYTES: usize = 3 << 20;

/// What kind of picture these bytes are; `None` if they are none that models take.
pub(super) fn kind(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}
