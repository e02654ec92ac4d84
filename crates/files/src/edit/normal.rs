//! A text in which every line break is `\n`, and the way back to the text as it is.
//!
//! Callers write the line breaks they like; looking for them in this form finds them whatever the
//! file has.

use std::borrow::Cow;

pub(super) struct Normal<'t> {
    text: Cow<'t, str>,
    /// Where in the new text the `\n` stands that had a `\r` before it.
    dropped: Vec<usize>,
}

impl<'t> Normal<'t> {
    pub(super) fn new(text: &'t str) -> Self {
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
