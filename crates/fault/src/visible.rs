//! Text as it may be shown to a person who decides by it.
//!
//! A terminal obeys control characters, and some characters turn the order of others around; in a
//! question or a diff they must be seen, not obeyed.

use std::borrow::Cow;
use std::fmt::Write as _;

/// `text` with control characters other than tab and line feed, and invisible ones, written out as
/// `\r`, `\x1b` or `\u{202e}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    let hidden = |c: char| (c.is_control() && c != '\n' && c != '\t') || is_invisible(c);
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            c if !hidden(c) => out.push(c),
            '\r' => out.push_str("\\r"),
            c if c.is_ascii() => drop(write!(out, "\\x{:02x}", u32::from(c))),
            c => drop(write!(out, "\\u{{{:x}}}", u32::from(c))),
        }
    }
    Cow::Owned(out)
}

/// A number of things as a sentence has it: `1 file`, `2 files`.
pub fn count(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

/// `line 3`, or `lines 3-5`.
pub fn lines(first: usize, last: usize) -> String {
    if first == last { format!("line {first}") } else { format!("lines {}", range(first, last)) }
}

/// `3`, or `3-5`.
pub fn range(first: usize, last: usize) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// The first `most` bytes of `line` or a little less, with a mark that says how long it is.
pub fn cut(line: &str, most: usize) -> Cow<'_, str> {
    if line.len() <= most {
        return Cow::Borrowed(line);
    }
    let head = &line[..line.floor_char_boundary(most)];
    Cow::Owned(format!("{head}… [{} bytes]", line.len()))
}

/// Characters that change how text is shown without being seen: directions, joiners, separators of
/// lines, fillers, tags. Selectors of a variant are not among them, which are part of many signs.
pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e007f}')
}
