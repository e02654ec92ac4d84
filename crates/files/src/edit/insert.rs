//! New text beside what is there, at an end of the file or beside a text in it.

use std::ops::Range;

use fault::{Error, Result};

use super::endings::Normal;
use super::{Applied, Change, Edited, Take, apply, places};
use crate::text::{self, Ending};

/// Where new text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place<'a> {
    /// The start of the file, after a byte order mark.
    Start,
    /// The end of the file.
    End,
    /// Just before the first place where this text is.
    Before(&'a str),
    /// Just after the first place where this text is.
    After(&'a str),
}

/// Puts `content` at a place and changes nothing else. At an end of the file a line ending is
/// added only where two lines would run together; beside a text one is between the two. Line
/// breaks become those of the place. `path` is for messages.
///
/// # Errors
/// `InvalidInput` if `content` or the text to find is empty, `StringNotFound` with the nearest
/// text, `InvalidEncoding`, `BinaryFile`.
pub fn insert(path: &str, bytes: &[u8], place: Place<'_>, content: &str) -> Result<Edited> {
    let useless = |problem| Err(Error::useless_edit(path, None, problem));
    if content.is_empty() {
        return useless("the new text is empty, so nothing would change; give the text to insert");
    }
    if content.contains('\0') {
        return useless("the new text contains a NUL character, which would make the file binary");
    }
    let decoded = text::decode(path, bytes)?;
    // Lines that end with `\r` alone are like others here: the places are the same.
    let is_cr = text::ends_with_cr(decoded.as_str());
    let like_others = is_cr.then(|| decoded.as_str().replace('\r', "\n"));
    let text = like_others.as_deref().unwrap_or(decoded.as_str());
    let mut applied = Applied::default();
    let (at, lead, trail) = match place {
        Place::Start => (0, false, runs_on(content, text)),
        Place::End => (text.len(), runs_on(text, content), false),
        Place::Before(find) | Place::After(find) => {
            if find.is_empty() {
                return useless("the text to find is empty; give the text to insert beside");
            }
            let (span, more) = first(path, text, find)?;
            applied.more = more;
            let (before, found, after) =
                (&text[..span.start], &text[span.clone()], &text[span.end..]);
            if matches!(place, Place::Before(_)) {
                let lead = starts_with_break(found) && runs_on(before, content);
                (span.start, lead, runs_on(content, found))
            } else {
                let trail = found.ends_with('\n') && runs_on(content, after);
                (span.end, runs_on(found, content), trail)
            }
        }
    };
    let here = Ending::around(text, at);
    let ending = here.or_else(|| Ending::first(content)).unwrap_or(Ending::Lf).as_str();
    let mut new = String::with_capacity(content.len() + 4);
    new.push_str(if lead { ending } else { "" });
    match here {
        Some(_) => new.push_str(&Normal::new(content, false).as_str().replace('\n', ending)),
        None => new.push_str(content),
    }
    new.push_str(if trail { ending } else { "" });
    if is_cr {
        new = new.replace('\n', "\r");
    }
    let change = Change { edit: 0, span: at..at, new };
    apply(path, &decoded, vec![applied], std::iter::once(change))
}

/// Adds `content` to the end, to the letter: where the last line is open it goes on there. Line
/// breaks become those of the file. `path` is for messages.
///
/// # Errors
/// `InvalidInput` for a NUL character, `InvalidEncoding`, `BinaryFile`.
pub fn append(path: &str, bytes: &[u8], content: &str) -> Result<Edited> {
    if content.contains('\0') {
        let problem = "the new text contains a NUL character, which would make the file binary";
        return Err(Error::useless_edit(path, None, problem));
    }
    let text = text::decode(path, bytes)?;
    let span = text.as_str().len()..text.as_str().len();
    let new = super::with_endings_of(text.as_str(), &span, content);
    let change = Change { edit: 0, span, new };
    apply(path, &text, vec![Applied::default()], std::iter::once(change))
}

/// Whether the last line of `a` and the first of `b` would become one line.
fn runs_on(a: &str, b: &str) -> bool {
    !a.is_empty() && !b.is_empty() && !a.ends_with('\n') && !starts_with_break(b)
}

fn starts_with_break(text: &str) -> bool {
    text.starts_with('\n') || text.starts_with("\r\n")
}

/// Where `find` occurs first in `text`, and how many more times after that.
fn first(path: &str, text: &str, find: &str) -> Result<(Range<usize>, usize)> {
    let (normal, find) = (Normal::new(text, false), Normal::new(find, false));
    let text = (normal.as_str(), &(0..normal.as_str().len()));
    let (starts, count) = places(path, None, text, find.as_str(), Take::First)?;
    let start = starts.first().copied().unwrap_or_default();
    let end = start + find.as_str().len();
    Ok((normal.original(start)..normal.original(end), count - 1))
}
