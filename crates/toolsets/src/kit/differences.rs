//! How what a program printed differs from what it printed before.

use std::ops::Range;

use files::edit::Hunk;

use super::earlier::around;
use super::outputs::{Outputs, Printed};

/// Most lines of either run that are compared, and most bytes of those that are shown.
const COMPARED: usize = 2_000_000;
const COMPARED_BYTES: usize = 1 << 20;
/// Lines that are shown around what differs.
const AROUND: usize = 3;

/// What a run printed that the last one of the same command did not, and the other way round: a line
/// about both, and the difference if it can be shown.
pub(super) fn differences(
    (id, command): (u32, &str),
    now: &Printed,
    outputs: &Outputs,
) -> (String, Option<Printed>) {
    let Some((id, before)) = outputs.before(id, command) else {
        let command = fault::cut(command, 200);
        return (format!("no earlier run of this command is kept: {command}"), None);
    };
    let head = match (before.exit, now.exit) {
        (was, is) if was == is => format!("since id {id}:"),
        _ => format!("since id {id} ({}), now {}:", before.state(), now.state()),
    };
    if before.lines().max(now.lines()) > COMPARED {
        let (old, new) = (before.lines(), now.lines());
        return (format!("{head} {old} and {new} lines, too many to compare; use grep"), None);
    }
    let ((old, all_old), (new, all_new)) = (before.digests(), now.digests());
    if !(all_old && all_new) {
        return (format!("{head} one of the outputs was not kept whole; use grep"), None);
    }
    if old == new {
        let is_same = before.stdout.is_same(&now.stdout) && before.stderr.is_same(&now.stderr);
        let same =
            if is_same { "same output" } else { "same text; bytes that are not shown differ" };
        return (format!("{head} {same}"), None);
    }
    let hunks = files::edit::hunks(&old, &new, AROUND);
    (head, Some(Printed::text(&unified(&hunks, &before, now).join("\n"), now)))
}

/// The hunks as in a unified diff, as many lines as there is room for. Of a long line the part is shown
/// that differs from the one whose place it takes.
fn unified(hunks: &[Hunk], before: &Printed, now: &Printed) -> Vec<String> {
    let parts = || hunks.iter().flat_map(|hunk| &hunk.parts);
    let changed = parts().filter(|part| !part.is_same);
    let old = before.pick(changed.map(|part| part.old.clone()), COMPARED_BYTES);
    let new = now.pick(parts().map(|part| part.new.clone()), COMPARED_BYTES);
    let mut lines = Vec::new();
    for Hunk { header, parts } in hunks {
        lines.push(header.clone());
        for part in parts {
            let shift = |at: usize, from: &Range<usize>, to: &Range<usize>| {
                Some(at - from.start + to.start).filter(|at| to.contains(at))
            };
            let removed = part.old.clone().filter(|_| !part.is_same).map(|at| {
                ('-', old.get(&at), shift(at, &part.old, &part.new).and_then(|at| new.get(&at)))
            });
            let mark = if part.is_same { ' ' } else { '+' };
            let added = part.new.clone().map(|at| {
                (mark, new.get(&at), shift(at, &part.new, &part.old).and_then(|at| old.get(&at)))
            });
            for (mark, line, other) in removed.chain(added) {
                let Some(line) = line else {
                    lines.push("[there is more, too much to compare; use grep]".to_owned());
                    return lines;
                };
                let other = other.map_or("", String::as_str);
                let (same, _) = files::edit::common(line.as_bytes(), other.as_bytes());
                lines.push(format!("{mark}{}", fault::visible(&around(line, same))));
            }
        }
    }
    lines
}
