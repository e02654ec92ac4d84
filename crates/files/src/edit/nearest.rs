//! What a text that is not there may have meant: the lines most like it, as a small diff.
//!
//! A model that is told only "not found" reads the whole file again; shown the difference, it
//! repeats the edit at once. The work is one or two passes over the text, whatever its size.

use std::collections::HashMap;

use fault::{cut, visible};
use similar::{ChangeTag, TextDiff};

/// Lines of the text to find that are looked at.
const WANTED_LINES: usize = 200;
/// Lines of the diff that are shown.
const SHOWN_LINES: usize = 24;
/// Bytes of a line that are shown. Longer lines are looked at in parts of this size.
const SHOWN_BYTES: usize = 240;
/// A longer text is not given again as it should have been.
const EXACT_BYTES: usize = 2000;

/// What is most like a text that is not there.
pub(crate) struct Nearest {
    /// Its first line, from 1.
    pub(crate) line: usize,
    /// How it differs.
    pub(crate) diff: String,
    /// What could have been asked for instead, if only white space differs; it is there once.
    pub(crate) exact: Option<String>,
}

/// The nearest match, or `None` if nothing is like it. Both texts have `\n` as their only line break.
pub(crate) fn nearest(text: &str, find: &str) -> Option<Nearest> {
    let wanted: Vec<&str> = find.lines().take(WANTED_LINES).collect();
    let (first, part) = match by_equal_lines(text, &wanted) {
        Some(first) => (first, None),
        None => by_likeness(text, &wanted)?,
    };
    let lines: Vec<&str> = match part {
        Some(part) => vec![part],
        None => text.lines().skip(first).take(wanted.len()).collect(),
    };
    let exact = (find.len() <= EXACT_BYTES).then(|| exact(find, &lines.join("\n"))).flatten();
    let exact = exact.filter(|exact| text.matches(exact).count() == 1);
    Some(Nearest { line: first + 1, diff: show(&wanted, &lines), exact })
}

/// The part of `lines` that is `find` but for white space; at its ends it has only what `find` has.
fn exact(find: &str, lines: &str) -> Option<String> {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    if words(find) != words(lines) {
        return None;
    }
    let starts = find.starts_with(char::is_whitespace);
    let lines = if starts { lines } else { lines.trim_start() };
    let ends = if find.ends_with('\n') { "\n" } else { "" };
    Some(lines.trim_end().to_owned() + ends)
}

/// The line at which most of the wanted lines would stand where an equal one does, white space at
/// the ends aside.
fn by_equal_lines(text: &str, wanted: &[&str]) -> Option<usize> {
    let mut index: HashMap<&str, usize> = HashMap::new();
    for (at, line) in wanted.iter().enumerate() {
        if line.trim().len() >= 3 {
            index.entry(line.trim()).or_insert(at);
        }
    }
    if index.is_empty() {
        return None;
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(ahead) = index.get(line) {
            *votes.entry(at.saturating_sub(*ahead)).or_default() += line.len();
        }
    }
    votes.into_iter().max_by_key(|(first, weight)| (*weight, usize::MAX - first)).map(|v| v.0)
}

/// The line most like the longest of the wanted ones by pairs of letters; with it the part that is
/// meant where the line is too long to be shown.
fn by_likeness<'t>(text: &'t str, wanted: &[&str]) -> Option<(usize, Option<&'t str>)> {
    let (ahead, key) = wanted.iter().enumerate().max_by_key(|(_, line)| line.trim().len())?;
    let key = &key.trim()[..key.trim().floor_char_boundary(SHOWN_BYTES * 4)];
    let mut ids = vec![0_u16; 1 << 16];
    let mut count = 0_u16;
    for pair in key.as_bytes().windows(2).map(pair_of) {
        if ids[pair] == 0 {
            count += 1;
            ids[pair] = count;
        }
    }
    let mut seen = vec![0_usize; usize::from(count) + 1];
    let (mut round, mut best) = (0, (0.0, None));
    for (at, line) in text.lines().enumerate() {
        for part in parts(line) {
            round += 1;
            let mut shared = 0;
            for pair in part.as_bytes().windows(2).map(pair_of) {
                let id = usize::from(ids[pair]);
                if id != 0 && seen[id] != round {
                    seen[id] = round;
                    shared += 1;
                }
            }
            // Mostly: how much of the wanted line is in it. A little: that it has nothing else.
            let shared = f64::from(shared);
            let inside = shared / f64::from(count.max(1));
            let alike = 2.0 * shared / (f64::from(count) + part.trim().len() as f64);
            let score = 0.8 * inside + 0.2 * alike.min(1.0);
            if score > best.0 {
                let part = (part.len() < line.len()).then_some(part);
                best = (score, Some((at.saturating_sub(ahead), part)));
            }
        }
    }
    best.1.filter(|_| best.0 > 0.5)
}

fn pair_of(pair: &[u8]) -> usize {
    usize::from(pair[0].to_ascii_lowercase()) << 8 | usize::from(pair[1].to_ascii_lowercase())
}

/// A line in pieces that can be shown.
fn parts(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let (part, after) = rest.split_at(rest.floor_char_boundary(SHOWN_BYTES));
        rest = after;
        (!part.is_empty()).then_some(part)
    })
}

fn show(wanted: &[&str], lines: &[&str]) -> String {
    let blank = wanted.len() == lines.len()
        && wanted.iter().zip(lines).all(|(a, b)| a.split_whitespace().eq(b.split_whitespace()));
    if blank && wanted == lines {
        return "the lines are the same; they differ at a line break at the start or the end"
            .into();
    }
    let diff = TextDiff::from_slices(wanted, lines);
    let mut out = String::new();
    let groups = diff.grouped_ops(2);
    let changes = groups.iter().flatten().flat_map(|op| diff.iter_changes(op));
    for (shown, change) in changes.enumerate() {
        if shown == SHOWN_LINES {
            out.push_str("…\n");
            break;
        }
        let (sign, differs) = match change.tag() {
            ChangeTag::Equal => (' ', false),
            ChangeTag::Delete => ('-', true),
            ChangeTag::Insert => ('+', true),
        };
        out.push(sign);
        let line = cut(change.value(), SHOWN_BYTES);
        let line = visible(&line);
        out.push_str(&if blank && differs { show_blanks(&line) } else { line.into_owned() });
        out.push('\n');
    }
    out.push_str(if blank {
        "only white space differs (· is a space, → a tab)"
    } else {
        "copy the text exactly as the file has it"
    });
    out
}

fn show_blanks(line: &str) -> String {
    line.replace(' ', "·").replace('\t', "→")
}
