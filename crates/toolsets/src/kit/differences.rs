//! How what a program printed differs from what it printed before.

use super::outputs::{Outputs, Printed};

/// Most lines of either run that are compared, and most bytes of what differs.
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
    let (same, same_end) = files::edit::common(&old, &new);
    // What is the same before is left to its number of lines.
    let first = same.saturating_sub(AROUND);
    let part = |printed: &Printed, lines: usize| {
        let last = (lines - same_end + AROUND).min(lines);
        let (text, end, cut) = printed.range((first + 1, 0), last, COMPARED_BYTES);
        ("\n".repeat(first) + &text, end < last || cut.is_some())
    };
    let ((old, cut_old), (new, cut_new)) = (part(&before, old.len()), part(now, new.len()));
    if cut_old || cut_new {
        let line = same + 1;
        let text =
            format!("{head} they differ from line {line} on, in too much to compare; use lines");
        return (text, None);
    }
    let diff = files::edit::diff(("", old.as_bytes()), ("", new.as_bytes()), usize::MAX);
    let diff: Vec<&str> = diff.lines().skip(2).collect();
    (head, Some(Printed::text(&diff.join("\n"), now)))
}
