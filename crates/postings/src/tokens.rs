//! What a text is cut into: words, and pairs of punctuation marks.

/// What a byte is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// A letter, a digit, an underscore, or a byte beyond ASCII.
    Word,
    /// A blank or an end of line: part of nothing.
    Space,
    /// Everything else.
    Mark,
}

/// Length of the windows that a longer word is cut into. Every word of this length is such a
/// window: what is next to it is not known.
pub(crate) const WINDOW: usize = 64;
/// From one window to the next.
const STRIDE: usize = 48;
/// Any part of a long word that is not longer than this lies in one of its windows.
pub(crate) const IN_WINDOW: usize = WINDOW - STRIDE + 1;

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Mark; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        if b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80 {
            classes[byte] = Class::Word;
        } else if matches!(b, b' ' | b'\t' | b'\n' | b'\r') {
            classes[byte] = Class::Space;
        }
        byte += 1;
    }
    classes
};

pub(crate) fn class(byte: u8) -> Class {
    CLASSES[byte as usize]
}

/// Two punctuation marks in a row, as the index keeps them.
pub(crate) fn pair(first: u8, second: u8) -> u16 {
    u16::from_be_bytes([first, second])
}

/// Calls `word` for every word and `marks` for every pair of marks, as often as they occur.
pub(crate) fn tokens<'t>(
    text: &'t [u8],
    mut word: impl FnMut(&'t [u8]),
    mut marks: impl FnMut(u16),
) {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match class(byte) {
            Class::Word => {
                let start = at;
                while text.get(at).is_some_and(|b| class(*b) == Class::Word) {
                    at += 1;
                }
                windows(&text[start..at], &mut word);
            }
            Class::Mark => {
                at += 1;
                if let Some(&next) = text.get(at)
                    && class(next) == Class::Mark
                {
                    marks(pair(byte, next));
                }
            }
            Class::Space => at += 1,
        }
    }
}

fn windows<'t>(run: &'t [u8], word: &mut impl FnMut(&'t [u8])) {
    if run.len() < WINDOW {
        return word(run);
    }
    let mut start = 0;
    while start + WINDOW < run.len() {
        word(&run[start..start + WINDOW]);
        start += STRIDE;
    }
    word(&run[run.len() - WINDOW..]);
}
