//! What git writes above the hunks of a file: its kind, names, modes and binary content.

use fault::{Error, Result};

use super::binary::{self, Binary};
use super::hunk::{self, Sign};
use super::names::{Name, is_null, prefixed};
use super::parse::{Reader, are_names};
use super::{Body, FilePatch, Kind};

/// The longest two names that are told apart, in bytes: paths end at 4096, and quotes take four
/// bytes for one.
const LONGEST: usize = 16 << 10;

/// The lines between `diff --git` and the content.
#[derive(Default)]
struct Lines {
    created: bool,
    deleted: bool,
    renamed: bool,
    copied: bool,
    /// The first line whose mode git does not know.
    bad_mode: Option<String>,
    old_mode: Option<u32>,
    new_mode: Option<u32>,
    from: Option<Name>,
    to: Option<Name>,
    /// Hashes of the contents before and after.
    index: Option<(String, String)>,
}

/// Reads a file of a git diff; the reader is at its `diff --git`.
pub(super) fn git(reader: &mut Reader<'_>) -> Result<FilePatch> {
    let line = reader.number();
    let names = both_names(reader.peek().unwrap_or_default());
    reader.skip();
    let mut lines = Lines::default();
    while let Some(true) = reader.peek().map(|l| lines.take(l)) {
        reader.skip();
    }
    let is_prefixed = names.as_ref().is_some_and(|(old, new)| prefixed(old, new));
    let (mut old, mut new) = match names {
        Some((old, new)) => (Some(old), Some(new)),
        None => (None, None),
    };
    if lines.renamed || lines.copied {
        (old, new) = (lines.from.take(), lines.to.take());
    }
    lines.refuse_contradiction(line)?;
    if are_names(reader) {
        lines.refuse_names(reader, &old, &new)?;
    }
    let mut nulls = (false, false);
    // Names that are not those of the header belong to the next file.
    if are_names(reader) && agrees(reader, 0, &old) && agrees(reader, 1, &new) {
        let keep = lines.renamed || lines.copied;
        for (at, name, null) in [(0, &mut old, &mut nulls.0), (1, &mut new, &mut nulls.1)] {
            let said = after_mark(reader, at);
            *null = is_null(said);
            if !*null && !keep {
                *name = Some(Name::dated(said).0);
            }
        }
        reader.skip();
        reader.skip();
    }
    let kind = match () {
        () if lines.renamed => Kind::Rename,
        () if lines.copied => Kind::Copy,
        () if lines.created || nulls.0 => Kind::Create,
        () if lines.deleted || nulls.1 => Kind::Delete,
        () => Kind::Edit,
    };
    let (old, new) = match kind {
        Kind::Create => (None, new),
        Kind::Delete => (old, None),
        _ => (old, new),
    };
    let body = lines.body(reader)?;
    let missing = match kind {
        Kind::Create => new.is_none(),
        Kind::Delete => old.is_none(),
        _ => old.is_none() || new.is_none(),
    };
    if missing {
        let expected = "two names that are the same, or `---` and `+++`";
        return Err(Error::no_valid_diff(line, "the file is not named", expected));
    }
    let (old_mode, new_mode) = (lines.old_mode, lines.new_mode);
    let file = FilePatch { line, kind, old, new, old_mode, new_mode, prefixed: is_prefixed, body };
    refuse_contradiction(&file)?;
    Ok(file)
}

/// What is behind the `---` or `+++` of the line `at` ahead.
fn after_mark<'d>(reader: &Reader<'d>, at: usize) -> &'d [u8] {
    reader.after(at).and_then(|line| line.get(4..)).unwrap_or_default()
}

fn agrees(reader: &Reader<'_>, at: usize, name: &Option<Name>) -> bool {
    let said = after_mark(reader, at);
    is_null(said) || name.as_ref().is_none_or(|name| name.agrees_with(&Name::dated(said).0))
}

impl Lines {
    /// Takes one line if it is one of a header.
    fn take(&mut self, line: &[u8]) -> bool {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let after = |word: &str| line.strip_prefix(word.as_bytes());
        let mut mode = |text: &[u8]| {
            let mode = std::str::from_utf8(text).ok().and_then(|t| octal(t.trim_ascii_end()));
            if mode.is_none() {
                self.bad_mode.get_or_insert_with(|| String::from_utf8_lossy(line).into_owned());
            }
            mode
        };
        if let Some(text) = after("old mode").filter(|t| ends_word(t)) {
            self.old_mode = mode(text);
        } else if let Some(text) = after("new mode").filter(|t| ends_word(t)) {
            self.new_mode = mode(text);
        } else if let Some(text) = after("deleted file mode").filter(|t| ends_word(t)) {
            (self.old_mode, self.deleted) = (mode(text), true);
        } else if let Some(text) = after("new file mode").filter(|t| ends_word(t)) {
            (self.new_mode, self.created) = (mode(text), true);
        } else if let Some(name) = after("rename from ").or(after("rename old ")) {
            (self.renamed, self.from) = (true, Some(Name::new(name, true)));
        } else if let Some(name) = after("rename to ").or(after("rename new ")) {
            (self.renamed, self.to) = (true, Some(Name::new(name, true)));
        } else if let Some(name) = after("copy from ") {
            (self.copied, self.from) = (true, Some(Name::new(name, true)));
        } else if let Some(name) = after("copy to ") {
            (self.copied, self.to) = (true, Some(Name::new(name, true)));
        } else if let Some(text) = after("index ") {
            self.take_index(text);
        } else {
            return after("similarity index ").or(after("dissimilarity index ")).is_some();
        }
        true
    }

    /// Fails where git would: what is new or goes has no other name, and modes are octal numbers.
    fn refuse_contradiction(&self, line: usize) -> Result<()> {
        let moved = self.renamed || self.copied;
        let (problem, expected) = match () {
            () if self.created && moved => {
                ("a new file that is renamed or copied as well", "one of the two")
            }
            () if self.deleted && moved => {
                ("a deleted file that is renamed or copied as well", "one of the two")
            }
            () if self.created && self.deleted => ("a file both new and deleted", "one of the two"),
            () => match &self.bad_mode {
                Some(text) => {
                    let problem = format!("`{}` has no mode", fault::cut(text, 80));
                    return Err(Error::no_valid_diff(line, &problem, "an octal number, as 100644"));
                }
                None => return Ok(()),
            },
        };
        Err(Error::no_valid_diff(line, problem, expected))
    }

    /// Fails where git would: a new file has no name before, one that goes none after, and the
    /// other name is that of the header.
    fn refuse_names(
        &self,
        reader: &Reader<'_>,
        old: &Option<Name>,
        new: &Option<Name>,
    ) -> Result<()> {
        let null = |at| is_null(after_mark(reader, at));
        let fits = match () {
            () if self.created => null(0) && !null(1) && agrees(reader, 1, new),
            () if self.deleted => null(1) && !null(0) && agrees(reader, 0, old),
            () => true,
        };
        if fits {
            return Ok(());
        }
        let problem = "the names contradict the header above them";
        let expected = "the name of the header, and /dev/null on the side without a file";
        Err(Error::no_valid_diff(reader.number(), problem, expected))
    }

    /// `OLD..NEW`, then the mode if it is the same before and after.
    fn take_index(&mut self, text: &[u8]) {
        let text = String::from_utf8_lossy(text);
        let mut words = text.split(' ');
        if let Some((old, new)) = words.next().and_then(|hashes| hashes.split_once("..")) {
            self.index = Some((old.to_owned(), new.to_owned()));
        }
        if let Some(mode) = words.next().and_then(|mode| u32::from_str_radix(mode, 8).ok()) {
            self.old_mode = self.old_mode.or(Some(mode));
        }
    }

    fn body(&self, reader: &mut Reader<'_>) -> Result<Body> {
        let Some(line) = reader.peek() else { return self.without_content(reader) };
        if line.starts_with(b"@@") {
            return hunk::read_all(reader).map(Body::Hunks);
        }
        if line.trim_ascii_end() == b"GIT binary patch" {
            reader.skip();
            let (old, new) = self.index.clone().unwrap_or_default();
            return Ok(Body::Binary(Binary { change: binary::read(reader)?, old, new }));
        }
        if line.starts_with(b"Binary files ") {
            reader.skip();
            return Ok(Body::Unknown);
        }
        self.without_content(reader)
    }

    fn without_content(&self, reader: &Reader<'_>) -> Result<Body> {
        let mode = self.new_mode.is_some() && self.old_mode != self.new_mode;
        if self.created || self.deleted || self.renamed || self.copied || mode {
            return Ok(Body::Hunks(Vec::new()));
        }
        Err(Error::no_valid_diff(
            reader.number(),
            "the header before it changes nothing and no content follows",
            "`--- a/PATH`, `+++ b/PATH` and a hunk",
        ))
    }
}

/// Whether a word ends where this text begins.
fn ends_word(text: &[u8]) -> bool {
    text.first().is_none_or(|b| b.is_ascii_whitespace())
}

/// A mode as git writes it.
fn octal(text: &str) -> Option<u32> {
    let digits = text.strip_prefix(' ')?;
    let digits = (1..=6).contains(&digits.len()).then_some(digits)?;
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| u32::from_str_radix(digits, 8).ok())?
}

/// The two names of a `diff --git` line, if it can be told where the first ends: where they are
/// quoted, or the same apart from their prefixes.
fn both_names(line: &[u8]) -> Option<(Name, Name)> {
    let text = line.strip_prefix(b"diff --git ")?;
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    if text.len() > LONGEST {
        return None; // each space in it would have to be looked at
    }
    let names =
        |at: usize| Some((Name::new(&text[..at], false), Name::new(&text[at + 1..], false)));
    if text.starts_with(b"\"") {
        let mut escaped = false;
        let end = text.iter().skip(1).position(|b| {
            let ends = *b == b'"' && !escaped;
            escaped = *b == b'\\' && !escaped;
            ends
        })?;
        return (text.get(end + 2) == Some(&b' ')).then(|| names(end + 2))?;
    }
    if text.ends_with(b"\"") {
        let at = text.windows(2).position(|w| w == b" \"")?;
        return names(at);
    }
    let tail = |name: &[u8]| name.iter().position(|b| *b == b'/').map(|at| name[at..].to_vec());
    let spaces = text.iter().enumerate().filter(|(_, b)| **b == b' ').map(|(at, _)| at);
    let same = |at: &usize| {
        let (old, new) = (&text[..*at], &text[*at + 1..]);
        old == new || tail(old).is_some_and(|t| Some(t) == tail(new))
    };
    spaces.into_iter().find(same).and_then(names)
}

/// A line such as `Binary files a/x and b/x differ`, without a header of git.
pub(super) fn differing_binary(line: &[u8], number: usize) -> Option<FilePatch> {
    let names = line.trim_ascii_end().strip_prefix(b"Binary files ")?.strip_suffix(b" differ")?;
    let at = names.windows(5).position(|w| w == b" and ")?;
    let (old, new) = (&names[..at], &names[at + 5..]);
    let name = |text: &[u8]| (!is_null(text)).then(|| Name::new(text, false));
    let (old, new) = (name(old), name(new));
    let kind = match (&old, &new) {
        (Some(_), Some(_)) => Kind::Edit,
        (None, Some(_)) => Kind::Create,
        (Some(_), None) => Kind::Delete,
        (None, None) => return None,
    };
    let body = Body::Unknown;
    let (old_mode, new_mode) = (None, None);
    Some(FilePatch { line: number, kind, old, new, old_mode, new_mode, prefixed: false, body })
}

/// A new file has nothing before, a deleted one nothing after.
pub(super) fn refuse_contradiction(file: &FilePatch) -> Result<()> {
    let Body::Hunks(hunks) = &file.body else { return Ok(()) };
    let wrong = match file.kind {
        Kind::Create => (Sign::New, "a new file that has lines already", "lines that begin with +"),
        Kind::Delete => {
            (Sign::Old, "a deleted file that still has lines", "lines that begin with -")
        }
        _ => return Ok(()),
    };
    let (sign, problem, expected) = wrong;
    let other = hunks.iter().find(|hunk| hunk.count(sign) != hunk.rows.len());
    let second = hunks.get(1);
    match other.or(second) {
        Some(hunk) => Err(Error::no_valid_diff(hunk.line, problem, expected)),
        None => Ok(()),
    }
}
