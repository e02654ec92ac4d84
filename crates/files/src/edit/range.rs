//! Edits by line number: lines replaced, inserted or taken away, counted from 0.
//!
//! For callers that know where and not what. A text of `a\nb\n` has two lines, as has `a\rb\r`;
//! whether the file ends with a line break stays as it is.

use std::borrow::Cow;
use std::ops::Range;

use fault::{Error, Result};

use super::{Applied, Change, apply, with_endings_of};
use crate::text::{self, Ending, Line, Text};

/// A file after an edit by line number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranged {
    /// Its new content.
    pub bytes: Vec<u8>,
    /// The lines that were there, without their endings.
    pub old: Vec<String>,
    /// The lines that came in their place, without their endings.
    pub new: Vec<String>,
}

/// Replaces the lines `start` to `end`, both counted from 0 and included, by those of `content`,
/// whose last line may end with a line break or not. An empty content is one empty line. Endings
/// become those of the place. `path` is for messages.
///
/// # Errors
/// `InvalidLineRange` with the number of lines, `InvalidInput` for a NUL character,
/// `InvalidEncoding`, `BinaryFile`.
pub fn replace_lines(
    path: &str,
    bytes: &[u8],
    start: usize,
    end: usize,
    content: &str,
) -> Result<Ranged> {
    let text = text::decode(path, bytes)?;
    let lines = in_range(path, &like_others(&text), start, end)?;
    replace(path, &text, &lines[start..=end], content)
}

/// As [`replace_lines`], in a text that is decoded, and a lone `\r` is no line break.
///
/// # Errors
/// As [`replace_lines`].
pub fn replace_lines_in(
    path: &str,
    text: &Text<'_>,
    start: usize,
    end: usize,
    content: &str,
) -> Result<Ranged> {
    let lines = in_range(path, text.as_str(), start, end)?;
    replace(path, text, &lines[start..=end], content)
}

fn replace(path: &str, text: &Text<'_>, lines: &[Line], content: &str) -> Result<Ranged> {
    let span = lines[0].text.start..lines[lines.len() - 1].text.end;
    let content = without_last_break(content);
    change(path, text, span, content, lists(text, lines, content))
}

/// Inserts the lines of `content` before line `line`, counted from 0; the number of lines is the
/// end of the file. Else as [`replace_lines`].
///
/// # Errors
/// `InvalidLineNumber` with the number of lines, `InvalidInput` for a NUL character,
/// `InvalidEncoding`, `BinaryFile`.
pub fn insert_lines(path: &str, bytes: &[u8], line: usize, content: &str) -> Result<Ranged> {
    let text = text::decode(path, bytes)?;
    let own = like_others(&text);
    let lines: Vec<Line> = text::lines(&own).collect();
    if line > lines.len() {
        return Err(Error::invalid_line_number(path, line, lines.len()));
    }
    let at = lines.get(line).map_or(text.as_str().len(), |line| line.whole.start);
    let ending = Ending::first(content).unwrap_or(Ending::Lf).as_str();
    let content = without_last_break(content);
    let open = line == lines.len() && !lines.is_empty() && !own.ends_with('\n');
    let given = if open { format!("{ending}{content}") } else { format!("{content}{ending}") };
    change(path, &text, at..at, &given, lists(&text, &[], content))
}

/// Takes away the lines `start` to `end`, both counted from 0 and included. If the last line goes, and
/// had no ending, neither has the one that is the last then. `path` is for messages.
///
/// # Errors
/// `InvalidLineRange` with the number of lines, `BinaryFile`.
pub fn delete_lines(path: &str, bytes: &[u8], start: usize, end: usize) -> Result<Ranged> {
    let text = text::decode(path, bytes)?;
    let own = like_others(&text);
    let lines = in_range(path, &own, start, end)?;
    let mut span = lines[start].whole.start..lines[end].whole.end;
    if start > 0 && lines[end].text.end == lines[end].whole.end {
        span.start = lines[start - 1].text.end;
    }
    delete(path, &text, &lines[start..=end], span)
}

/// Takes away lines as [`delete_lines`], in a text that is decoded, where a lone `\r` is no line
/// break, and no byte beside them.
///
/// # Errors
/// As [`delete_lines`].
pub fn delete_lines_in(path: &str, text: &Text<'_>, start: usize, end: usize) -> Result<Ranged> {
    let lines = in_range(path, text.as_str(), start, end)?;
    let span = lines[start].whole.start..lines[end].whole.end;
    delete(path, text, &lines[start..=end], span)
}

fn delete(path: &str, text: &Text<'_>, lines: &[Line], span: Range<usize>) -> Result<Ranged> {
    let (old, _) = lists(text, lines, "");
    change(path, text, span, "", (old, Vec::new()))
}

fn without_last_break(content: &str) -> &str {
    let open = content.strip_suffix('\n').unwrap_or(content);
    if open.len() < content.len() { open.strip_suffix('\r').unwrap_or(open) } else { content }
}

/// The text; one whose lines end with `\r` alone as if they ended with `\n`, at the same places.
fn like_others<'t>(text: &'t Text<'_>) -> Cow<'t, str> {
    match text::ends_with_cr(text.as_str()) {
        true => Cow::Owned(text.as_str().replace('\r', "\n")),
        false => Cow::Borrowed(text.as_str()),
    }
}

fn in_range(path: &str, text: &str, start: usize, end: usize) -> Result<Vec<Line>> {
    let lines: Vec<Line> = text::lines(text).collect();
    if start > end || end >= lines.len() {
        return Err(Error::invalid_line_range(path, start, end, lines.len()));
    }
    Ok(lines)
}

fn lists(text: &Text<'_>, old: &[Line], content: &str) -> (Vec<String>, Vec<String>) {
    let old = old.iter().map(|line| text.as_str()[line.text.clone()].to_owned()).collect();
    let new = content.split('\n').map(|l| l.strip_suffix('\r').unwrap_or(l).to_owned()).collect();
    (old, new)
}

fn change(
    path: &str,
    text: &Text<'_>,
    span: Range<usize>,
    given: &str,
    (old, new): (Vec<String>, Vec<String>),
) -> Result<Ranged> {
    if given.contains('\0') {
        let problem = "the new text contains a NUL character, which would make the file binary";
        return Err(Error::useless_edit(path, None, problem));
    }
    let new_text = with_endings_of(text.as_str(), &span, given);
    let change = Change { edit: 0, span, new: new_text };
    let edited = apply(path, text, vec![Applied::default()], std::iter::once(change))?;
    Ok(Ranged { bytes: edited.bytes, old, new })
}
