//! Where the lines of a text begin and end, and how they end.
//!
//! A line ends with `\n` or `\r\n`; a lone `\r` is a character like others. What follows the last
//! line break is a line only if there is something: `a\nb\n` has two lines.

use std::ops::Range;

/// What ends a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
}

impl Ending {
    /// The ending itself.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }

    /// The ending whose `\n` is at `at` of `text`.
    fn of(text: &str, at: usize) -> Self {
        if text.as_bytes()[..at].ends_with(b"\r") { Self::CrLf } else { Self::Lf }
    }

    /// How the first line of `text` that has an end ends.
    pub fn first(text: &str) -> Option<Self> {
        memchr::memchr(b'\n', text.as_bytes()).map(|at| Self::of(text, at))
    }

    /// How the last line of `text` that has an end ends.
    pub fn last(text: &str) -> Option<Self> {
        memchr::memrchr(b'\n', text.as_bytes()).map(|at| Self::of(text, at))
    }

    /// How lines end at `at` of `text`: as the next one does, else as the one before.
    pub fn around(text: &str, at: usize) -> Option<Self> {
        Self::first(&text[at..]).or_else(|| Self::last(&text[..at]))
    }
}

/// Whether the lines of a text end with `\r` alone, as on an old Mac: for [`lines`] it is one. A single
/// `\r` in the middle is a character.
pub fn ends_with_cr(text: &str) -> bool {
    let bytes = text.as_bytes();
    let many = || memchr::memchr_iter(b'\r', bytes).nth(1).is_some();
    memchr::memchr(b'\n', bytes).is_none() && (text.ends_with('\r') || many())
}

/// One line, as spans of bytes of the text it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The characters without the ending.
    pub text: Range<usize>,
    /// The whole line with its ending.
    pub whole: Range<usize>,
}

/// The lines of `text` in order.
pub fn lines(text: &str) -> impl Iterator<Item = Line> + '_ {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let line = match memchr::memchr(b'\n', rest.as_bytes()) {
            Some(at) => {
                let end = start + at + 1;
                Line { text: start..end - Ending::of(rest, at).as_str().len(), whole: start..end }
            }
            None => Line { text: start..text.len(), whole: start..text.len() },
        };
        start = line.whole.end;
        Some(line)
    })
}
