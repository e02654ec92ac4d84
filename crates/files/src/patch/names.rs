//! Names of files as diffs write them: quoted, dated, with prefixes.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path, PathBuf};

use fault::{Error, Result};

use super::plan::Base;
use super::{FilePatch, Kind};
use crate::workspace::{quote, unquote};

/// A name as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    text: OsString,
    /// Written without a prefix, as git does behind `rename from`.
    bare: bool,
}

/// The old and the new path that a file of the diff may mean.
pub(super) type Pair = (Option<PathBuf>, Option<PathBuf>);

impl Name {
    pub(super) fn new(text: &[u8], bare: bool) -> Self {
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let quoted = std::str::from_utf8(text).ok().and_then(unquote);
        Self { text: quoted.unwrap_or_else(|| OsString::from_vec(text.to_vec())), bare }
    }

    /// The name of a `---` or `+++` line, and whether its date is the epoch, which says that there
    /// is no such file.
    pub(super) fn dated(text: &[u8]) -> (Self, bool) {
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        if text.starts_with(b"\"")
            && let Some(end) = text.iter().rposition(|b| *b == b'"').filter(|end| *end > 0)
        {
            return (Self::new(&text[..=end], false), is_epoch(&text[end + 1..]));
        }
        let tab = text.iter().position(|b| *b == b'\t');
        let (name, date) = text.split_at(tab.unwrap_or(text.len() - date_len(text)));
        (Self::new(name, false), is_epoch(date))
    }

    pub(super) fn written(&self) -> PathBuf {
        PathBuf::from(&self.text)
    }

    /// Whether another spelling may mean the same file.
    pub(super) fn agrees_with(&self, other: &Self) -> bool {
        let all = |name: &Self| [name.parts().collect(), name.parts().skip(1).collect()];
        let (ours, theirs): ([PathBuf; 2], [PathBuf; 2]) = (all(self), all(other));
        ours.iter().any(|name| !name.as_os_str().is_empty() && theirs.contains(name))
    }

    fn strip(&self, count: usize) -> Option<PathBuf> {
        let count = if self.bare { count.saturating_sub(1) } else { count };
        let mut parts = self.parts().skip(count).peekable();
        parts.peek()?;
        Some(parts.collect())
    }

    fn parts(&self) -> impl Iterator<Item = &std::ffi::OsStr> {
        let parts = Path::new(&self.text).components().filter(|c| *c != Component::CurDir);
        parts.map(|c| c.as_os_str())
    }

    fn first(&self) -> Option<&[u8]> {
        self.parts().next().filter(|_| self.parts().nth(1).is_some()).map(|p| p.as_bytes())
    }
}

/// Whether a `---` or `+++` line says that there is no file.
pub(super) fn is_null(text: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    text == b"/dev/null" || text.starts_with(b"/dev/null\t")
}

/// How many bytes at the end of a name are a date, with the space before it.
fn date_len(text: &[u8]) -> usize {
    let shape = |len: usize| {
        let at = text.len().checked_sub(len)?;
        (text[at..].starts_with(b" ") && parse_date(&text[at..]).is_some()).then_some(len)
    };
    // `2026-11-21 10:00:00`, then mostly a fraction and a zone.
    (20..=40).find_map(shape).unwrap_or(0)
}

/// Minutes since the epoch of `1970-01-01 01:00:00.000 +0100` and whether seconds are zero; only
/// the days around the epoch are told apart, all others are one.
fn parse_date(text: &[u8]) -> Option<(i64, bool)> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let mut parts = text.split(' ');
    let (date, time, zone) = (parts.next()?, parts.next()?, parts.next().unwrap_or("+0000"));
    let digits = |t: &str| -> Option<i64> { t.parse().ok().filter(|n: &i64| *n >= 0) };
    let mut fields = date.split('-').map(digits);
    let day = match (fields.next()??, fields.next()??, fields.next()??) {
        (1970, 1, 1) => 0,
        (1969, 12, 31) => -1,
        (1000..=9999, 1..=12, 1..=31) => 1 << 20,
        _ => return None,
    };
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut fields = time.split(':').map(digits);
    let (hour, minute, second) = (fields.next()??, fields.next()??, fields.next()??);
    let zone_digits = zone.get(1..)?.replace(':', "");
    let zone_minutes = digits(&zone_digits)? / 100 * 60 + digits(&zone_digits)? % 100;
    let zone_minutes = match zone.as_bytes().first()? {
        b'+' => zone_minutes,
        b'-' => -zone_minutes,
        _ => return None,
    };
    let exact = second == 0 && fraction.bytes().all(|b| b == b'0');
    (parts.next().is_none() && hour < 24 && minute < 60)
        .then_some((day * 1440 + hour * 60 + minute - zone_minutes, exact))
}

fn is_epoch(text: &[u8]) -> bool {
    parse_date(text) == Some((0, true))
}

/// Whether the first parts of two names are prefixes and not directories.
pub(super) fn prefixed(old: &Name, new: &Name) -> bool {
    let (Some(a), Some(b)) = (old.first(), new.first()) else { return false };
    a != b && (old.strip(1) == new.strip(1) || (a, b) == (b"a", b"b"))
}

impl FilePatch {
    /// The paths that it may mean, the likeliest first. With `strip` there is one answer; without,
    /// prefixes that differ (`a/` and `b/`) are taken off, and where one alone would be a prefix,
    /// both readings are given.
    pub(super) fn candidates(&self, base: &Base, strip: Option<usize>) -> Result<Vec<Pair>> {
        let all = [&self.old, &self.new];
        let guess = match (strip, self.old.as_ref(), self.new.as_ref()) {
            (Some(strip), ..) => vec![strip],
            _ if self.prefixed => vec![1],
            (None, Some(old), Some(new)) if matches!(self.kind, Kind::Rename | Kind::Copy) => {
                if old.bare && new.bare { vec![1] } else { vec![0] }
            }
            (None, Some(old), Some(new)) => {
                if prefixed(old, new) {
                    vec![1]
                } else {
                    vec![0, 1]
                }
            }
            (None, ..) => {
                let first = all.into_iter().flatten().next().and_then(Name::first);
                if matches!(first, Some(b"a" | b"b")) { vec![1, 0] } else { vec![0, 1] }
            }
        };
        let mut pairs: Vec<Pair> = Vec::new();
        let mut wrong = None;
        for strip in guess {
            let path = |name: &Option<Name>| match name {
                Some(name) => self.path_of(name, base, strip).map(Some),
                None => Ok(None),
            };
            match path(&self.old).and_then(|old| Ok((old, path(&self.new)?))) {
                Ok(pair) if !pairs.contains(&pair) => pairs.push(pair),
                Ok(_) => {}
                Err(e) => wrong = wrong.or(Some(e)),
            }
        }
        if let (Some(error), true) = (wrong, pairs.is_empty()) { Err(error) } else { Ok(pairs) }
    }

    /// Its names as written, a line each.
    pub(super) fn names(&self) -> String {
        let names = [&self.old, &self.new].into_iter().flatten();
        names.map(|name| format!("{}\n", name.text.to_string_lossy())).collect()
    }

    fn path_of(&self, name: &Name, base: &Base, strip: usize) -> Result<PathBuf> {
        let shown = quote(&name.text);
        let path = Path::new(&name.text);
        let path = if path.is_absolute() {
            let inside = base.beneath(path).map(Path::to_owned);
            inside.ok_or_else(|| Error::path_outside(&shown, &[base.shown()]))?
        } else {
            name.strip(strip).ok_or_else(|| {
                let why = format!("has too few parts to take {strip} of them off");
                Error::no_valid_diff(self.line, format_args!("{shown} {why}"), "a longer path")
            })?
        };
        let plain = path.components().all(|c| matches!(c, Component::Normal(_)));
        if !plain || path.as_os_str().is_empty() || path.as_os_str().as_bytes().contains(&0) {
            return Err(Error::path_outside(&shown, &[base.shown()]));
        }
        Ok(path)
    }
}
