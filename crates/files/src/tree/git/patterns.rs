//! An ignore file as git reads it.

use super::wild::{Wild, is_special};

/// Its patterns, in the order of the file.
#[derive(Debug)]
pub(super) struct Patterns(Vec<Pattern>);

#[derive(Debug)]
struct Pattern {
    what: What,
    /// What it matches is not ignored.
    is_negative: bool,
    /// Only a directory matches.
    is_directory: bool,
}

/// What has to match.
#[derive(Debug)]
enum What {
    /// The name is this, or ends so.
    Name(Vec<u8>),
    End(Vec<u8>),
    WildName(Wild),
    /// The path from the ignore file on begins so, and the rest of it is that.
    Path(Vec<u8>, Wild),
}

impl Patterns {
    pub(super) fn parse(text: &[u8]) -> Self {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let lines = text.split(|byte| *byte == b'\n');
        Self(lines.filter_map(Pattern::parse).collect())
    }

    /// Whether a path below the directory of the file is ignored, if the file says something of
    /// it: its last word counts.
    pub(super) fn say(&self, path: &[u8], is_directory: bool) -> Option<bool> {
        let name = &path[path.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1)..];
        let matches = |own: &&Pattern| {
            (is_directory || !own.is_directory)
                && match &own.what {
                    What::Name(whole) => name == whole,
                    What::End(end) => name.ends_with(end),
                    What::WildName(wild) => wild.is(name),
                    What::Path(start, wild) => {
                        path.strip_prefix(start.as_slice()).is_some_and(|rest| wild.is(rest))
                    }
                }
        };
        self.0.iter().rev().find(matches).map(|own| !own.is_negative)
    }
}

impl Pattern {
    /// The pattern of a line; `None` if it has none, or one that nothing matches.
    fn parse(line: &[u8]) -> Option<Self> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line = line.split(|byte| *byte == 0).next()?;
        if line.first().is_none_or(|first| *first == b'#') {
            return None;
        }
        let line = without_blanks(line);
        let (is_negative, line) = match line.strip_prefix(b"!") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let (is_directory, line) = match line.strip_suffix(b"/") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let special = |line: &[u8]| line.iter().position(|byte| is_special(*byte));
        let what = if line.contains(&b'/') {
            let line = line.strip_prefix(b"/").unwrap_or(line);
            let start = special(line).unwrap_or(line.len());
            What::Path(line[..start].to_vec(), Wild::parse(&line[start..])?)
        } else {
            match line.strip_prefix(b"*") {
                _ if special(line).is_none() => What::Name(line.to_vec()),
                Some(rest) if special(rest).is_none() => What::End(rest.to_vec()),
                _ => What::WildName(Wild::parse(line)?),
            }
        };
        Some(Self { what, is_negative, is_directory })
    }
}

/// A line without blanks at its end, but for those after a backslash.
fn without_blanks(line: &[u8]) -> &[u8] {
    let (mut end, mut at) = (0, 0);
    while let Some(byte) = line.get(at) {
        at += if *byte == b'\\' { 2 } else { 1 };
        if *byte != b' ' {
            end = at.min(line.len());
        }
    }
    &line[..end]
}
