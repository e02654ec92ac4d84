//! The line endings of an edit: callers write the line breaks they like; they are found whatever the
//! file has, and what is put has those of its place.

use std::borrow::Cow;
use std::ops::Range;

use crate::text::{self, Ending};

/// A text in which every line break is `\n`, and the way back to the text as it is.
pub(super) struct Normal<'t> {
    text: Cow<'t, str>,
    /// Where in the new text the `\n` stands that had a `\r` before it.
    dropped: Vec<usize>,
}

impl<'t> Normal<'t> {
    /// `is_cr` says that the lines of the file end with `\r` alone.
    pub(super) fn new(text: &'t str, is_cr: bool) -> Self {
        let mut all = Self::of(text);
        if is_cr && all.text.contains('\r') {
            all.text = Cow::Owned(all.text.replace('\r', "\n"));
        }
        all
    }

    fn of(text: &'t str) -> Self {
        let mut dropped = Vec::new();
        let mut out = String::new();
        let mut copied = 0;
        for at in memchr::memmem::find_iter(text.as_bytes(), "\r\n") {
            out.push_str(&text[copied..at]);
            dropped.push(out.len());
            copied = at + 1;
        }
        if dropped.is_empty() {
            return Self { text: Cow::Borrowed(text), dropped };
        }
        out.push_str(&text[copied..]);
        Self { text: Cow::Owned(out), dropped }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Where `at` is in the text as it is; before a line break that is before the whole of it.
    pub(super) fn original(&self, at: usize) -> usize {
        at + self.dropped.partition_point(|dropped| *dropped < at)
    }
}

/// `given` with the line endings of the place it goes to: those of the replaced span one by one,
/// then as around it; in a text without any, its own.
pub(super) fn with_endings_of(text: &str, span: &Range<usize>, given: &str) -> String {
    if text::ends_with_cr(text) {
        return given.replace("\r\n", "\r").replace('\n', "\r");
    }
    let old = &text[span.clone()];
    let mut replaced = text::lines(old).filter(|line| line.text.end < line.whole.end).map(|line| {
        if line.whole.len() - line.text.len() == 2 { Ending::CrLf } else { Ending::Lf }
    });
    let mut otherwise = None;
    let mut out = String::with_capacity(given.len() + 16);
    for line in text::lines(given) {
        out.push_str(&given[line.text.clone()]);
        let own = &given[line.text.end..line.whole.end];
        if own.is_empty() {
            continue;
        }
        let ending = replaced.next().or_else(|| {
            *otherwise.get_or_insert_with(|| {
                Ending::last(old)
                    .or_else(|| Ending::first(&text[span.end..]))
                    .or_else(|| Ending::last(&text[..span.start]))
            })
        });
        out.push_str(match ending {
            Some(ending) => ending.as_str(),
            None => own,
        });
    }
    out
}
