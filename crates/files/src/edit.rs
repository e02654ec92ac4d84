//! Exact edits: from the bytes of a file to its new bytes, every byte outside the edit the same.
//!
//! Without this module an edit would be a replacement in a string, and the file would lose its
//! encoding, its line endings or its mark on the way. The functions are pure; who calls them reads
//! and writes the file.

mod diff;
mod endings;
mod insert;
mod nearest;
mod range;
#[cfg(test)]
mod tests;

use std::ops::Range;

use fault::{Error, Result};
use memchr::memmem::Finder;

use crate::text::{self, Text};
use endings::{Normal, with_endings_of};

pub use diff::{Hunk, Part, diff, hunks};
pub use insert::{Place, append, insert};
pub(crate) use nearest::{Nearest, nearest};
pub use range::{
    Ranged, delete_lines, delete_lines_in, insert_lines, replace_lines, replace_lines_in,
};

/// Places that one edit may change; each costs some hundred bytes while it is made.
const MOST_PLACES: usize = 200_000;

/// Which of the places where a text is are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// The only one; several are an error.
    Only,
    /// The first; the others are counted.
    First,
    /// All that do not overlap one before them.
    All,
}

/// One text and what is to stand in its place.
#[derive(Clone, Copy, Debug)]
pub struct Replacement<'a> {
    /// What is in the file now, to the letter; only its line breaks match `\n` and `\r\n` alike.
    pub find: &'a str,
    /// What shall be there, taken literally; its line breaks become those of the place.
    pub with: &'a str,
    /// Which places.
    pub take: Take,
    /// The lines that the place is in, counted from 1 and both included; `None` for the whole file.
    pub lines: Option<(usize, usize)>,
}

/// A file after its edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// Its new content.
    pub bytes: Vec<u8>,
    /// How many places were changed, over all edits.
    pub replaced: usize,
    /// What each edit did, in the order they were given.
    pub edits: Vec<Applied>,
}

/// What one edit did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// The places it changed, in the order of the file.
    pub spans: Vec<Span>,
    /// How many more places have the text and were left alone ([`Take::First`]).
    pub more: usize,
}

/// One change: the bytes that really differ, without what old and new text have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Bytes of the file before.
    pub before: Range<usize>,
    /// Bytes of the file after.
    pub after: Range<usize>,
    /// The line it starts in before all edits, from 1.
    pub line: usize,
    /// The line it starts in after all edits, from 1.
    pub line_after: usize,
}

/// A span of the text and what comes in its place, line endings settled.
struct Change {
    /// Which edit, from 0.
    edit: usize,
    span: Range<usize>,
    new: String,
}

/// Makes all `edits` or none. Each is looked for in the file as it is, not as an earlier edit of
/// the call would leave it. `path` is for messages.
///
/// # Errors
/// `StringNotFound` with the nearest text, `MultipleMatches` with the lines, `OverlappingEdits`,
/// `InvalidInput` for an edit that is empty or would change nothing (details `edit` is its index
/// from 0 where there are several), `InvalidEncoding`, `BinaryFile`.
pub fn replace(path: &str, bytes: &[u8], edits: &[Replacement<'_>]) -> Result<Edited> {
    replace_in(path, &text::decode(path, bytes)?, edits)
}

/// As [`replace`], in a text that is decoded.
///
/// # Errors
/// As [`replace`].
pub fn replace_in(path: &str, text: &Text<'_>, edits: &[Replacement<'_>]) -> Result<Edited> {
    if edits.is_empty() {
        return Err(Error::useless_edit(path, None, "no edits were given; give at least one"));
    }
    let is_cr = text::ends_with_cr(text.as_str());
    let normal = Normal::new(text.as_str(), is_cr);
    let mut applied = vec![Applied::default(); edits.len()];
    let mut found = Vec::new();
    for (index, edit) in edits.iter().enumerate() {
        let label = (edits.len() > 1).then_some(index);
        let (find, with) = (Normal::new(edit.find, is_cr), Normal::new(edit.with, is_cr));
        refuse_useless(path, label, find.as_str(), with.as_str())?;
        let span = match edit.lines {
            // Such a file is one line for whoever reads it by lines.
            Some((_, last)) if is_cr && last > 1 => return Err(Error::past_the_end(path, last, 1)),
            Some(lines) if !is_cr => span_with(path, normal.as_str(), lines, find.as_str())?,
            _ => 0..normal.as_str().len(),
        };
        let (places, count) =
            places(path, label, (normal.as_str(), &span), find.as_str(), edit.take)?;
        let taken = if edit.take == Take::First { 1 } else { places.len() };
        applied[index].more = count - taken;
        let (head, tail) = common_ends(find.as_str(), with.as_str());
        let given = &edit.with[with.original(head)..with.original(with.as_str().len() - tail)];
        for start in &places[..taken] {
            let end = start + find.as_str().len();
            let span = normal.original(start + head)..normal.original(end - tail);
            found.push((*start..end, index, span, given));
        }
    }
    found.sort_by_key(|(place, ..)| place.start);
    for pair in found.windows(2) {
        if let [(a, i, ..), (b, j, ..)] = pair
            && b.start < a.end
        {
            let line = line_of(normal.as_str(), b.start);
            return Err(Error::overlapping_edits(path, *i.min(j), *i.max(j), line));
        }
    }
    let settle = |(_, edit, span, given): (_, usize, Range<usize>, &str)| Change {
        new: with_endings_of(text.as_str(), &span, given),
        edit,
        span,
    };
    apply(path, text, applied, found.into_iter().map(settle))
}

fn refuse_useless(path: &str, edit: Option<usize>, find: &str, with: &str) -> Result<()> {
    let problem = if find.is_empty() {
        "the text to find is empty; give the text that is to be replaced"
    } else if find == with {
        "old and new text are the same, so nothing would change; line endings are kept as the file has them"
    } else if with.contains('\0') {
        "the new text contains a NUL character, which would make the file binary; leave it out"
    } else {
        return Ok(());
    };
    Err(Error::useless_edit(path, edit, problem))
}

/// The bytes of these lines, the ending of the last one included. If `find` is not there, the error
/// says what they are, and on which line it is instead, if that is just one.
fn span_with(
    path: &str,
    text: &str,
    (first, last): (usize, usize),
    find: &str,
) -> Result<Range<usize>> {
    let all: Vec<text::Line> = text::lines(text).collect();
    let (from, to) = (all.get(first.wrapping_sub(1)), all.get(last.wrapping_sub(1)));
    let Some((from, to)) = from.zip(to).filter(|_| first <= last) else {
        return Err(Error::past_the_end(path, last, all.len()));
    };
    let span = from.whole.start..to.whole.end;
    let now = &text[span.clone()];
    if now.contains(find) {
        return Ok(span);
    }
    let now = now.strip_suffix('\n').unwrap_or(now);
    let error = Error::other_lines(path, (first, last), now);
    let mut elsewhere = memchr::memmem::find_iter(text.as_bytes(), find);
    Err(match (elsewhere.next(), elsewhere.next()) {
        (Some(at), None) => error.with("elsewhere", line_of(text, at)),
        _ => error,
    })
}

/// Where `find` is in the `span` of `text` and how often; at least one place, just one for
/// [`Take::Only`], and each of them for [`Take::All`].
fn places(
    path: &str,
    edit: Option<usize>,
    (text, span): (&str, &Range<usize>),
    find: &str,
    take: Take,
) -> Result<(Vec<usize>, usize)> {
    let finder = Finder::new(find);
    let inner = &text.as_bytes()[span.clone()];
    let mut found = finder.find_iter(inner).map(|at| span.start + at);
    let mut places: Vec<usize> = found.by_ref().take(MOST_PLACES).collect();
    let mut count = places.len() + found.count();
    let Some(first) = places.first().copied() else {
        let nearest = nearest(text, find);
        let told = nearest.as_ref().map(|nearest| (nearest.line, nearest.diff.as_str()));
        let error = Error::string_not_found(path, edit, told);
        return Err(match nearest.and_then(|nearest| nearest.exact) {
            Some(exact) => error.with("exact", exact),
            None => error,
        });
    };
    if take == Take::All && count > places.len() {
        let problem = format!(
            "the text to find occurs {count} times, more than the {MOST_PLACES} of one edit; \
             change so many with a program"
        );
        return Err(Error::useless_edit(path, edit, &problem));
    }
    if take == Take::Only
        && let Some(again) = finder.find(&text.as_bytes()[first + 1..span.end])
    {
        // `aa` occurs twice in `aaa`: which one was meant is not known.
        let second = first + 1 + again;
        if places.get(1) != Some(&second) {
            places.insert(1, second);
            count += 1;
        }
        let lines: Vec<usize> = places.iter().take(10).map(|at| line_of(text, *at)).collect();
        return Err(Error::multiple_matches(path, edit, count, &lines));
    }
    Ok((places, count))
}

/// The 1-based line that the byte `at` of `text` is in.
fn line_of(text: &str, at: usize) -> usize {
    1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count()
}

/// How many items two lists, such as the lines of two texts, share at the start, and after that at
/// the end.
pub fn common<T: PartialEq>(a: &[T], b: &[T]) -> (usize, usize) {
    let head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let ends = a[head..].iter().rev().zip(b[head..].iter().rev());
    (head, ends.take_while(|(a, b)| a == b).count())
}

/// How many bytes `a` and `b` share at the start, and after that at the end, in whole characters.
fn common_ends(a: &str, b: &str) -> (usize, usize) {
    let same = |(x, y): &(char, char)| x == y;
    let head = a.chars().zip(b.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let (a, b) = (&a[head..], &b[head..]);
    let tail =
        a.chars().rev().zip(b.chars().rev()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    (head, tail)
}

/// Puts the changes, which are in the order of the text and apart, into the bytes.
fn apply(
    path: &str,
    text: &Text<'_>,
    mut applied: Vec<Applied>,
    changes: impl Iterator<Item = Change>,
) -> Result<Edited> {
    let (bytes, mut offsets) = (text.bytes(), text.offsets());
    let mut out = Vec::with_capacity(bytes.len() + 64);
    let (mut copied, mut counted, mut line, mut line_after) = (0, 0, 1, 1);
    let mut replaced = 0;
    let breaks = |part: &str| memchr::memchr_iter(b'\n', part.as_bytes()).count();
    for Change { edit, span, new } in changes {
        let before = offsets.at(span.start)..offsets.at(span.end);
        out.extend_from_slice(&bytes[copied..before.start]);
        let start = out.len();
        out.extend_from_slice(&text.encode(path, &new)?);
        copied = before.end;
        let between = breaks(&text.as_str()[counted..span.start]);
        line += between;
        line_after += between;
        applied[edit].spans.push(Span { before, after: start..out.len(), line, line_after });
        line += breaks(&text.as_str()[span.clone()]);
        line_after += breaks(&new);
        counted = span.end;
        replaced += 1;
    }
    out.extend_from_slice(&bytes[copied..]);
    Ok(Edited { bytes: out, replaced, edits: applied })
}
