//! What matches, as it is shown.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// One line with at least one match, or the lines of a match that goes over several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Where the file really is.
    pub path: Arc<Path>,
    /// How its path is shown.
    pub shown: Arc<str>,
    /// The line, from 1; of several the first.
    pub line: u64,
    /// The last of several lines.
    pub last: u64,
    /// The character of the line at which the first match begins, from 1.
    pub column: usize,
    /// The line without its ending, as its file reads; what is no text as U+FFFD. If it is longer than
    /// `Limits::hit_line_bytes`, the part around the first match with a mark that says how long
    /// the line is. Of several lines the first twenty, with `\n` between them.
    pub text: String,
    /// Bytes of `text` that are the first match, as far as they are shown in its first line.
    pub span: Range<usize>,
    /// The lines before it, as many as were asked for and there are.
    pub before: Vec<String>,
    /// The lines after it.
    pub after: Vec<String>,
}

/// Most lines of one hit that are shown.
pub(super) const MOST_LINES: usize = 20;

/// The parts of a [`Hit`] that depend on the line alone.
pub(super) struct Shown {
    pub(super) column: usize,
    pub(super) text: String,
    pub(super) span: Range<usize>,
}

/// Shows at most about `most` bytes of `line`, which matches in `found`.
pub(super) fn show(line: &[u8], found: Range<usize>, most: usize) -> Shown {
    // Patterns of bytes match parts of characters, which are shown whole.
    let found = character(line, found.start).start..character(line, found.end).end;
    let column = 1 + chars(&line[..found.start]);
    let whole = line.len() <= most;
    let (start, end) = if whole {
        (0, line.len())
    } else {
        let start = found.start.saturating_sub(most / 4).min(line.len() - most);
        (boundary(line, start), boundary(line, start + most))
    };
    let found = found.start..found.end.min(end);
    let mut text = if start > 0 { "…".to_owned() } else { String::new() };
    text += &String::from_utf8_lossy(&line[start..found.start]);
    let from = text.len();
    text += &String::from_utf8_lossy(&line[found.clone()]);
    let span = from..text.len();
    text += &String::from_utf8_lossy(&line[found.end..end]);
    if !whole {
        let dots = if end < line.len() { "…" } else { "" };
        text += &format!("{dots} [line of {} bytes]", line.len());
    }
    Shown { column, text, span }
}

/// The character that has `at` within it; nothing if one begins or ends there.
fn character(line: &[u8], at: usize) -> Range<usize> {
    let is_one = |range: &Range<usize>| {
        let text = line.get(range.clone()).and_then(|bytes| str::from_utf8(bytes).ok());
        range.end > at && text.is_some_and(|text| text.chars().count() == 1)
    };
    let starts = at.saturating_sub(3)..at;
    let mut ranges = starts.flat_map(|start| (start + 2..=start + 4).map(move |end| start..end));
    ranges.find(is_one).unwrap_or(at..at)
}

/// The first start of a character at or after `at`.
fn boundary(line: &[u8], at: usize) -> usize {
    let inside = |b: &&u8| **b & 0xc0 == 0x80;
    at + line[at..].iter().take(3).take_while(inside).count()
}

fn chars(bytes: &[u8]) -> usize {
    bytes
        .utf8_chunks()
        .map(|c| c.valid().chars().count() + usize::from(!c.invalid().is_empty()))
        .sum()
}
