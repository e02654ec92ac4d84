//! What a change does, for a person who must say yes to it.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::hash::Hash;
use std::ops::Range;
use std::time::{Duration, Instant};

use fault::{cut, visible};
use similar::udiff::UnifiedHunkHeader;
use similar::{
    Algorithm, ChangeTag, DiffOp, DiffTag, TextDiff, capture_diff_slices_deadline, group_diff_ops,
};

use crate::text::{self, Text};

/// Bytes of a line that are shown.
const LINE_BYTES: usize = 500;
/// After this the diff is no longer the smallest, but it is still right.
const TIME: Duration = Duration::from_millis(300);
/// The same of lines that nobody waits to say yes to.
const LONG_TIME: Duration = Duration::from_secs(3);

/// A unified diff of two contents, each with its path, to be read, not applied: control characters
/// are written out, long lines are cut, a diff after `most` lines, and each cut says so. Empty if the
/// bytes are the same.
pub fn diff(
    (path_old, before): (&str, &[u8]),
    (path_new, after): (&str, &[u8]),
    most: usize,
) -> String {
    if before == after {
        return String::new();
    }
    let mut out = format!("--- {path_old}\n+++ {path_new}\n");
    let texts =
        text::decode(path_old, before).and_then(|a| Ok((a, text::decode(path_new, after)?)));
    let Ok((old, new)) = texts else {
        let _ = writeln!(out, "binary: {} bytes, then {} bytes", before.len(), after.len());
        return out;
    };
    note_encodings(&mut out, &old, &new, before.is_empty());
    let crlf = ends_differ(old.as_str()) || ends_differ(new.as_str()) || {
        let first = text::Ending::first;
        first(old.as_str()).is_some() && first(old.as_str()) != first(new.as_str())
    };
    let lines = TextDiff::configure().timeout(TIME).diff_lines(old.as_str(), new.as_str());
    let (mut shown, mut cut_off) = (0, 0);
    for group in lines.grouped_ops(3) {
        if shown < most {
            let _ = writeln!(out, "{}", UnifiedHunkHeader::new(&group));
        }
        for change in group.iter().flat_map(|op| lines.iter_changes(op)) {
            if shown == most {
                cut_off += 1;
                continue;
            }
            shown += 1;
            out.push(match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            });
            push_line(&mut out, change.value(), crlf);
        }
    }
    if cut_off > 0 {
        let _ = writeln!(out, "… {cut_off} more lines of the diff are not shown");
    }
    out
}

/// Lines that changed, with those around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// As above a hunk of a unified diff.
    pub header: String,
    /// Its parts in their order.
    pub parts: Vec<Part>,
}

/// Lines of both sides by their numbers, from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Whether they are the same; else one took the place of the other.
    pub is_same: bool,
    /// The lines before.
    pub old: Range<usize>,
    /// The lines after.
    pub new: Range<usize>,
}

/// What differs between two lists of lines, which need be no more than their digests, with `around`
/// lines that do not.
pub fn hunks<T: Hash + Eq>(old: &[T], new: &[T], around: usize) -> Vec<Hunk> {
    let until = Instant::now() + LONG_TIME;
    let ops = capture_diff_slices_deadline(Algorithm::Myers, old, new, Some(until));
    let part = |op: &DiffOp| Part {
        is_same: op.tag() == DiffTag::Equal,
        old: op.old_range(),
        new: op.new_range(),
    };
    let hunk = |group: Vec<DiffOp>| Hunk {
        header: UnifiedHunkHeader::new(&group).to_string(),
        parts: group.iter().map(part).collect(),
    };
    group_diff_ops(ops, around).into_iter().map(hunk).collect()
}

/// Whether lines of `text` end in different ways.
fn ends_differ(text: &str) -> bool {
    let crlf = memchr::memmem::find_iter(text.as_bytes(), "\r\n").count();
    crlf > 0 && crlf != memchr::memchr_iter(b'\n', text.as_bytes()).count()
}

fn note_encodings(out: &mut String, old: &Text<'_>, new: &Text<'_>, created: bool) {
    let name = |text: &Text<'_>| -> Cow<'static, str> {
        let name = text.encoding().name();
        if text.has_bom() { format!("{name} with a byte order mark").into() } else { name.into() }
    };
    let (old, new) = (name(old), name(new));
    if created && new != "UTF-8" {
        let _ = writeln!(out, "encoding: {new}");
    } else if !created && old != new {
        let _ = writeln!(out, "encoding: {old}, then {new}");
    }
}

fn push_line(out: &mut String, line: &str, crlf: bool) {
    let (line, ended) = match line.strip_suffix('\n') {
        Some(line) => (line, true),
        None => (line, false),
    };
    let line = if crlf || !ended { line } else { line.strip_suffix('\r').unwrap_or(line) };
    let shown = cut(line, LINE_BYTES);
    out.push_str(&visible(&shown));
    // A cut must not hide what the lines differ in.
    if crlf && shown.len() != line.len() && line.ends_with('\r') {
        out.push_str("\\r");
    }
    out.push_str(if ended { "\n" } else { "\n\\ No newline at end of file\n" });
}
