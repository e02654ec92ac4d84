//! Finding the files of a diff between whatever else is there: prose, fences, mail headers.

use std::borrow::Cow;

use fault::{Error, Result};

use super::names::{Name, is_null};
use super::{Body, FilePatch, Kind, PatchSet, header, hunk, v4a};

/// The lines of a diff, read one after the other.
pub(super) struct Reader<'d> {
    lines: Vec<&'d [u8]>,
    at: usize,
}

impl<'d> Reader<'d> {
    /// The line to be read next, with its line break.
    pub(super) fn peek(&self) -> Option<&'d [u8]> {
        self.after(0)
    }

    /// The line `ahead` of the next.
    pub(super) fn after(&self, ahead: usize) -> Option<&'d [u8]> {
        self.lines.get(self.at + ahead).copied()
    }

    pub(super) fn skip(&mut self) {
        self.at += 1;
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn back_to(&mut self, at: usize) {
        self.at = at;
    }

    /// The number of the next line, from 1.
    pub(super) fn number(&self) -> usize {
        self.at + 1
    }
}

/// Reads a unified diff: of git in all its kinds, or plain with `---` and `+++`; in a fence, in a
/// mail, with prose around it; or what is between `*** Begin Patch` and `*** End Patch`. Wrong counts in `@@` lines are counted anew; the numbers may be missing.
///
/// # Errors
/// `NoValidDiff` with the line of the diff and what was expected there.
pub fn parse(diff: impl AsRef<[u8]>) -> Result<PatchSet> {
    let text = without_carriage_returns(diff.as_ref());
    let mut reader = Reader { lines: text.split_inclusive(|b| *b == b'\n').collect(), at: 0 };
    if v4a::begins(&mut reader) {
        return v4a::read(&mut reader);
    }
    let mut files = Vec::new();
    while let Some(line) = reader.peek() {
        if line.starts_with(b"diff --git ") {
            files.push(header::git(&mut reader)?);
        } else if is_file_header(&reader) {
            files.push(plain(&mut reader)?);
        } else if are_names(&reader) {
            return Err(Error::no_valid_diff(
                reader.number() + 2,
                "the file has no hunk",
                "`@@ -LINE,COUNT +LINE,COUNT @@`",
            ));
        } else if hunk::numbers(line).is_some() {
            return Err(Error::no_valid_diff(
                reader.number(),
                "a hunk of no file",
                "`--- a/PATH` and `+++ b/PATH` before it",
            ));
        } else if let Some(file) = header::differing_binary(line, reader.number()) {
            reader.skip();
            files.push(file);
        } else {
            reader.skip();
        }
    }
    if files.is_empty() {
        return Err(Error::no_valid_diff(
            1,
            "no file is named in what was given",
            "a unified diff: `--- a/PATH`, `+++ b/PATH`, then hunks of `@@ -LINE,COUNT +LINE,COUNT @@`",
        ));
    }
    Ok(PatchSet { files })
}

/// A diff that was sent with CRLF throughout, headers too, is one with LF; in others a `\r` is part
/// of a line.
fn without_carriage_returns(diff: &[u8]) -> Cow<'_, [u8]> {
    let is_header = |l: &&[u8]| l.starts_with(b"@@") || l.starts_with(b"diff --git ");
    let mut headers = diff.split_inclusive(|b| *b == b'\n').filter(is_header).peekable();
    if headers.peek().is_none() || !headers.all(|line| line.ends_with(b"\r\n")) {
        return Cow::Borrowed(diff);
    }
    let mut out = Vec::with_capacity(diff.len());
    for line in diff.split_inclusive(|b| *b == b'\n') {
        match line.strip_suffix(b"\r\n") {
            Some(line) => {
                out.extend_from_slice(line);
                out.push(b'\n');
            }
            None => out.extend_from_slice(line),
        }
    }
    Cow::Owned(out)
}

/// Whether the `---` and `+++` of a file stand here. A removed line `-- x` and an added one `++ y`
/// look the same; then no hunk follows.
pub(super) fn is_file_header(reader: &Reader<'_>) -> bool {
    are_names(reader) && starts(reader, 2, b"@@")
}

/// Whether a `---` and a `+++` line stand here.
pub(super) fn are_names(reader: &Reader<'_>) -> bool {
    starts(reader, 0, b"--- ") && starts(reader, 1, b"+++ ")
}

fn starts(reader: &Reader<'_>, ahead: usize, start: &[u8]) -> bool {
    reader.after(ahead).is_some_and(|line| line.starts_with(start))
}

fn plain(reader: &mut Reader<'_>) -> Result<FilePatch> {
    let line = reader.number();
    let mut side = |mark: &[u8]| {
        let rest = reader.peek().and_then(|l| l.strip_prefix(mark)).unwrap_or_default();
        reader.skip();
        if is_null(rest) { None } else { Some(Name::dated(rest)) }
    };
    let (old, new) = (side(b"--- "), side(b"+++ "));
    let hunks = hunk::read_all(reader)?;
    let absent = |side: &Option<(Name, bool)>| side.as_ref().is_none_or(|(_, epoch)| *epoch);
    let kind = match (absent(&old), absent(&new)) {
        (false, false) => Kind::Edit,
        (true, false) => Kind::Create,
        (false, true) => Kind::Delete,
        (true, true) => {
            return Err(Error::no_valid_diff(line, "both sides are absent", "a path on one side"));
        }
    };
    // An absent side may still bear a name, that of the other.
    let (old, new) = match kind {
        Kind::Create => (None, new),
        Kind::Delete => (old, None),
        _ => (old, new),
    };
    let names = (old.map(|(name, _)| name), new.map(|(name, _)| name));
    let file = FilePatch {
        line,
        kind,
        old: names.0,
        new: names.1,
        old_mode: None,
        new_mode: None,
        prefixed: false,
        body: Body::Hunks(hunks),
    };
    header::refuse_contradiction(&file)?;
    Ok(file)
}
