//! Where the hunks of a file belong, and the file after them.
//!
//! A hunk is where all its old lines are, exactly; the nearest such place to the one it names.
//! A hunk that names the first line must stand there, and one without context at its end must end
//! with the file. One that names no line is where its old lines are, if that is one place only.
//! There is no guessing beyond that.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::hunk::{Hunk, Sign};
use super::mismatch;

/// Lines around the one it names in which a hunk is looked for one place after the other.
const NEAR: usize = 200;
/// How many lines are compared for that at most, so that it is done for few places of a long hunk.
const NEAR_LINES: usize = 200_000;

/// Where a hunk was applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The first line of the hunk in the file after the hunks before it, from 1.
    pub line: usize,
    /// How many lines further down that is than the diff said; 0 if it said nothing.
    pub offset: isize,
    /// Whether its counts were wrong.
    pub recounted: bool,
    /// Whether it was written with other line endings than the file has; those of the file stay.
    pub endings: bool,
}

/// A hunk, from 0, that belongs nowhere, and why.
#[derive(Debug)]
pub(super) struct Mismatch {
    pub(super) hunk: usize,
    pub(super) why: String,
}

/// What makes two lines the same.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    Exactly,
    /// A line of the hunk that ends in `\n` is one of the file that ends in `\r\n`.
    Endings,
    /// Whether there is a line break at all does not count.
    Text,
}

#[derive(Clone, Debug)]
pub(super) struct Line<'a> {
    pub(super) bytes: Cow<'a, [u8]>,
    /// Part of a hunk already; hunks do not overlap.
    taken: bool,
}

/// What a hunk asks of its place.
pub(super) struct Wanted<'a> {
    pub(super) old: Vec<&'a [u8]>,
    /// The line it names, from 0.
    pub(super) line: usize,
    pub(super) at_start: bool,
    pub(super) at_end: bool,
    /// It names no line, so there must be one place only.
    pub(super) only: bool,
    /// Lines after which it is; see [`Hunk::after`].
    pub(super) after: &'a [Vec<u8>],
    /// Whether some of its old lines stay.
    pub(super) has_context: bool,
    /// New lines that no line of context follows.
    pub(super) tail: Vec<&'a [u8]>,
}

impl<'a> Wanted<'a> {
    fn of(hunk: &'a Hunk) -> Self {
        let added = hunk.rows.iter().rev().take_while(|row| row.sign == Sign::New);
        let mut tail: Vec<&[u8]> = added.map(|row| row.bytes.as_slice()).collect();
        tail.reverse();
        Self {
            has_context: hunk.count(Sign::Both) > 0,
            tail,
            old: hunk.before().collect(),
            line: hunk.new_start.saturating_sub(1),
            at_start: hunk.numbered && hunk.old_start <= 1,
            at_end: hunk.is_last
                || hunk.numbered && hunk.rows.last().is_none_or(|row| row.sign != Sign::Both),
            only: !hunk.numbered,
            after: &hunk.after,
        }
    }

    /// Whether no old line ends in `\r\n`, so that other line endings may be the file's.
    pub(super) fn is_unix(&self) -> bool {
        self.old.iter().all(|old| !old.ends_with(b"\r\n"))
    }

    /// The same without what it says of the ends of the file.
    pub(super) fn anywhere(&self) -> Self {
        let (old, line) = (self.old.clone(), self.line);
        let (at_start, at_end, only, has_context) = (false, false, false, false);
        Self { old, line, at_start, at_end, only, after: &[], has_context, tail: Vec::new() }
    }

    /// The place nearest to the line it names, further down first; if it names none, the only place.
    pub(super) fn find(&self, lines: &[Line<'_>], how: How) -> Option<usize> {
        let last = lines.len().checked_sub(self.old.len())?;
        if self.only {
            // Lines that differ in their ends alone are places too: which is meant is not certain.
            let looser = if self.is_unix() { How::Endings } else { how };
            let mut places = self.everywhere(lines, looser);
            if self.at_end {
                places.retain(|at| *at == last);
            } else if !self.after.is_empty() {
                let from = self.from(lines)?;
                places.retain(|at| *at >= from);
                places.truncate(1);
            }
            let only = places.first().copied().filter(|_| places.len() == 1)?;
            return self.everywhere(lines, how).contains(&only).then_some(only);
        }
        let old: Vec<Key<'_>> = self.old.iter().map(|line| key(how, line)).collect();
        let is = |at: usize, old: &Key<'_>| !lines[at].taken && key(how, &lines[at].bytes) == *old;
        let fits = |at: usize| old.iter().enumerate().all(|(ahead, old)| is(at + ahead, old));
        if self.at_start || self.at_end {
            let at = if self.at_start { 0 } else { last };
            if (at == last || !self.at_end) && fits(at) {
                return Some(at);
            }
            // With context before its last change alone, it is certain in one place only.
            let is_open = self.at_end && self.has_context;
            let only = self.only_place(lines, how).filter(|_| is_open)?;
            return Some(only).filter(|at| !self.at_start || *at == 0);
        }
        let start = self.line.min(last);
        let reach = NEAR.min(NEAR_LINES / old.len().max(1)).min(lines.len());
        let near = (0..reach).find_map(|distance| {
            let down = Some(start + distance).filter(|at| *at <= last && fits(*at));
            down.or_else(|| start.checked_sub(distance).filter(|at| fits(*at)))
        });
        near.or_else(|| {
            let all = self.everywhere(lines, how).into_iter();
            all.min_by_key(|at| (at.abs_diff(start), *at < start))
        })
    }

    /// The only place of the old lines, if the new ones behind them are not there already.
    fn only_place(&self, lines: &[Line<'_>], how: How) -> Option<usize> {
        let looser = if self.is_unix() { How::Endings } else { how };
        let places = self.everywhere(lines, looser);
        let at = places.first().copied().filter(|_| places.len() == 1)?;
        let next = lines[at + self.old.len()..].iter().map(|line| key(How::Endings, &line.bytes));
        let is_made = self.tail.iter().map(|line| key(How::Endings, line)).zip(next);
        let is_made = !self.tail.is_empty()
            && is_made.filter(|(new, there)| new == there).count() == self.tail.len();
        (!is_made && self.everywhere(lines, how).contains(&at)).then_some(at)
    }

    /// The line after those that it names to be after; `None` if one of them is not in the file.
    pub(super) fn from(&self, lines: &[Line<'_>]) -> Option<usize> {
        self.after.iter().try_fold(0, |from, after| {
            let find = |is: &dyn Fn(&[u8]) -> bool| {
                let mut rest = lines[from..].iter();
                rest.position(|line| is(line.bytes.trim_ascii())).map(|at| from + at + 1)
            };
            // The line is often named without its end, as in `class Stock`.
            find(&|line| line == after).or_else(|| find(&|line| line.starts_with(after)))
        })
    }

    /// Where lines are put that come without old ones: after the lines that they name to be after,
    /// at the end of the file if they are said to be there, and into an empty file.
    fn insertion(&self, lines: &[Line<'_>]) -> Option<usize> {
        let at = match (self.after, self.at_end && self.only) {
            ([], true) => lines.len(),
            ([], false) => 0,
            _ => self.from(lines)?,
        };
        let is_settled = at > 0 || lines.is_empty();
        (is_settled && lines[..at].last().is_none_or(|line| line.bytes.ends_with(b"\n")))
            .then_some(at)
    }

    /// Every place of the old lines; the start of an empty file if there are none.
    pub(super) fn everywhere(&self, lines: &[Line<'_>], how: How) -> Vec<usize> {
        let old: Vec<Key<'_>> = self.old.iter().map(|line| key(how, line)).collect();
        if old.is_empty() {
            return if lines.is_empty() { vec![0] } else { Vec::new() };
        }
        let is = |at: usize, old: &Key<'_>| !lines[at].taken && key(how, &lines[at].bytes) == *old;
        // Knuth, Morris and Pratt: files of lines that are all the same take no longer than others.
        let mut fall = vec![0; old.len()];
        let mut matched = 0;
        for at in 1..old.len() {
            while matched > 0 && old[at] != old[matched] {
                matched = fall[matched - 1];
            }
            matched += usize::from(old[at] == old[matched]);
            fall[at] = matched;
        }
        let mut places = Vec::new();
        matched = 0;
        for at in 0..lines.len() {
            while matched > 0 && (matched == old.len() || !is(at, &old[matched])) {
                matched = fall[matched - 1];
            }
            matched += usize::from(is(at, &old[matched]));
            if matched == old.len() {
                places.push(at + 1 - matched);
            }
        }
        places
    }
}

/// What two lines that are the same have in common: the text, and how it ends.
type Key<'l> = (&'l [u8], Option<&'l [u8]>);

fn key(how: How, line: &[u8]) -> Key<'_> {
    let Some(text) = line.strip_suffix(b"\n") else { return (line, None) };
    match how {
        How::Exactly => (text, Some(b"\n")),
        How::Endings => (text.strip_suffix(b"\r").unwrap_or(text), Some(b"\n")),
        How::Text => (text, None),
    }
}

pub(super) fn lines(bytes: &[u8]) -> Vec<Line<'_>> {
    let line = |l| Line { bytes: Cow::Borrowed(l), taken: false };
    bytes.split_inclusive(|b| *b == b'\n').map(line).collect()
}

/// The content after all hunks, and where each was put.
pub(super) fn fit(bytes: &[u8], hunks: &[Hunk]) -> Result<(Vec<u8>, Vec<Placed>), Mismatch> {
    let mut lines = lines(bytes);
    let mut placed = Vec::new();
    for (number, hunk) in hunks.iter().enumerate() {
        let wanted = Wanted::of(hunk);
        let lost = |lines: &[Line<'_>]| Mismatch {
            hunk: number,
            why: mismatch::why(bytes, hunk, &wanted, lines),
        };
        let found = match wanted.old.is_empty() {
            true => Some((wanted.insertion(&lines).ok_or_else(|| lost(&lines))?, How::Endings)),
            false => wanted.find(&lines, How::Exactly).map(|at| (at, How::Exactly)),
        };
        let found = found.or_else(|| {
            wanted
                .find(&lines, How::Endings)
                .filter(|_| wanted.is_unix())
                .map(|at| (at, How::Endings))
        });
        let Some((at, how)) = found else { return Err(lost(&lines)) };
        put(&mut lines, at, hunk, how);
        placed.push(Placed {
            line: at + 1,
            offset: if wanted.only { 0 } else { at as isize - wanted.line as isize },
            recounted: hunk.recounted,
            endings: how == How::Endings && !wanted.old.is_empty(),
        });
    }
    Ok((lines.iter().flat_map(|line| line.bytes.iter().copied()).collect(), placed))
}

/// Puts a hunk in place of its old lines, which stand at `at`.
fn put<'h>(lines: &mut Vec<Line<'h>>, at: usize, hunk: &'h Hunk, how: How) {
    let old = hunk.before().count();
    let ending =
        |line: &Line<'_>| line.bytes.ends_with(b"\n").then(|| line.bytes.ends_with(b"\r\n"));
    // A new line ends as the one it replaces, or as the one before it.
    let above = || lines[..at].last().and_then(ending);
    let mut before = lines[at..at + old].iter().find_map(ending).or_else(above).unwrap_or(false);
    let mut replaced = VecDeque::new();
    let mut here = lines[at..at + old].iter().cloned();
    let mut new = Vec::with_capacity(hunk.rows.len());
    for row in &hunk.rows {
        if row.sign == Sign::New {
            let crlf = replaced.pop_front().flatten().unwrap_or(before);
            let bytes = match row.bytes.strip_suffix(b"\n") {
                Some(text) if how == How::Endings && crlf && !text.ends_with(b"\r") => {
                    Cow::Owned([text, b"\r\n"].concat())
                }
                _ => Cow::Borrowed(row.bytes.as_slice()),
            };
            new.push(Line { bytes, taken: true });
            continue;
        }
        let Some(line) = here.next() else { break };
        let crlf = ending(&line);
        before = crlf.unwrap_or(before);
        if row.sign == Sign::Both {
            replaced.clear();
            new.push(Line { taken: true, ..line });
        } else {
            replaced.push_back(crlf);
        }
    }
    lines.splice(at..at + old, new);
}
