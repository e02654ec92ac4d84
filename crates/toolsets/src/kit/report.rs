//! What `run` says of a program that ended: its tests first, then the end of what it printed.

use std::path::Path;

use programs::process::{Exit, Finished};
use programs::project::{
    Failure, Summary, how_to_get, is_alone, missing, reports, summarize, unfiltered,
};
use toolkit::serde_json::json;

use super::earlier;
use super::outputs::Printed;
use crate::prelude::*;
use crate::program::left_running;

/// Lines of an output that is shown whole, and bytes.
pub(super) const WHOLE: usize = 200;
pub(super) const WHOLE_BYTES: usize = 12 << 10;
/// Lines at the end of a longer one: of a program that failed or goes on, and beside tests that failed
/// among other commands; of one that did well; after failures of tests that were told without a
/// reason.
pub(super) const TAIL: usize = 40;
const TAIL_OF_SUCCESS: usize = 20;
const TAIL_AFTER_FAILURES: usize = 10;
/// Causes of failures that are told one by one, and other tests that are named for each.
const CAUSES: usize = 20;
const NAMES: usize = 5;

/// What is told of a program that ended, with the end of what it printed or the `part` that was asked
/// for. Of one that did well and whose output is shown whole only that; of tests that are all the
/// line runs and whose failures are told, nothing else; an id is told where there is something to be
/// asked.
pub(super) fn of(
    command: &str,
    id: u32,
    done: &Finished,
    printed: &Printed,
    notes: &[String],
    part: Option<String>,
    cx: &Cx<'_>,
) -> String {
    let told = reports(command).then(|| summarize(&done.stdout, &done.stderr)).flatten();
    let through = unfiltered(command);
    let told = told.filter(|told| {
        !told.is_partial || through.is_some() || told.passed.is_some() || told.failed > 0
    });
    let has_result = |told: &Summary| {
        let some = told.passed.is_some_and(|passed| told.failed + passed > 0);
        !told.is_partial || some
    };
    let is_cut = through.is_some() && !told.as_ref().is_some_and(has_result);
    let succeeded = done.exit == Exit::Code(0);
    let alone = told.as_ref().filter(|_| is_alone(command));
    // What says why they failed is not shown again among what else the line printed.
    let said = told.as_ref().filter(|told| alone.is_none() && has_reasons(told));
    let most = match alone {
        _ if cx.is_live() || part.is_some() => 0,
        Some(told) if told.failed == 0 && succeeded => 0,
        Some(told) if !told.failures.is_empty() => {
            if has_reasons(told) {
                0
            } else {
                TAIL_AFTER_FAILURES
            }
        }
        _ if told.as_ref().is_some_and(|told| !told.failures.is_empty()) => TAIL,
        _ if printed.lines() <= WHOLE => WHOLE,
        _ if succeeded => TAIL_OF_SUCCESS,
        _ => TAIL,
    };
    let is_told = !succeeded || printed.took_long() || part.is_some();
    let state = is_told.then(|| printed.state());
    let head: Vec<String> = state.into_iter().chain(told.as_ref().map(counts)).collect();
    let lines = match most {
        0 if !cx.is_live() => format!(", {}", fault::count(printed.lines(), "line")),
        _ => String::new(),
    };
    let mut text = String::new();
    if !head.is_empty() {
        text += &format!("{} (id {id}{lines})\n", head.join("; "));
    }
    let ended = (done.ended > 0).then(|| left_running(done.ended));
    let hint = hint(done, printed);
    for note in ended.iter().chain(&hint).chain(&done.advice).chain(notes) {
        text += &format!("[{note}]\n");
    }
    if let Some(whole) = through.filter(|_| is_cut) {
        let call = json!({"command": whole});
        text += &format!(
            "[the result of the tests is not in what came through the pipe; next: {call}]\n"
        );
    }
    let root = cx.workspace().root();
    text += &told.as_ref().map(|told| failures(told, root)).unwrap_or_default();
    match part {
        Some(part) => text += &part,
        None if cx.is_live() => {}
        None if let Some(told) = said => text += &earlier::beside(printed, id, &told.lines),
        None if most > 0 => text += &earlier::end(printed, id, most),
        None => {}
    }
    text.truncate(text.trim_end().len());
    if text.is_empty() { printed.state() } else { text }
}

/// How a program that is not there can be had.
fn hint(done: &Finished, printed: &Printed) -> Option<String> {
    let Exit::Code(code) = done.exit else { return None };
    let program = missing(code, &printed.tail(20, 4 << 10).0)?;
    how_to_get(&program, None).map(|how| format!("{program} is not installed: {how}"))
}

/// Whether tests failed and it is told of each why.
fn has_reasons(told: &Summary) -> bool {
    let is_told = |one: &Failure| !(one.message.is_empty() && one.trace.is_empty());
    let all = told.failures.iter().all(is_told);
    !told.failures.is_empty() && all
}

/// What a test run came to.
fn counts(told: &Summary) -> String {
    let least = if told.is_partial { "at least " } else { "" };
    let count = |n: Option<u64>, what| n.filter(|n| *n > 0).map(|n| format!("{least}{n} {what}"));
    let counts = [
        count(Some(told.failed), "failed"),
        count(told.passed, "passed"),
        count(told.skipped, "skipped"),
    ];
    let counts: Vec<_> = counts.into_iter().flatten().collect();
    match counts.is_empty() {
        true if told.is_partial => format!("{}: no result", told.runner),
        true if told.passed.is_none() => format!("{}: none failed", told.runner),
        true => format!("{}: no tests ran", told.runner),
        false => format!("{}: {}", told.runner, counts.join(", ")),
    }
}

/// A path as the other tools take it, if it is in the root.
fn within<'p>(path: &'p str, root: &Path) -> &'p str {
    let below = root.to_str().and_then(|root| path.strip_prefix(root)?.strip_prefix('/'));
    below.unwrap_or(path)
}

/// Which tests failed, where and why: one of each cause, and the names of others that it has.
fn failures(told: &Summary, root: &Path) -> String {
    let (mut text, causes) = (String::new(), told.causes());
    for cause in causes.iter().take(CAUSES) {
        let failure = cause[0];
        let name = within(&failure.name, root);
        let which = match failure.place.as_ref().map(|place| within(place, root)) {
            None => name.to_owned(),
            // A file that failed as a whole.
            Some(place) if place.strip_prefix(name).is_some_and(|at| at.starts_with(':')) => {
                place.to_owned()
            }
            Some(place) => format!("{name} at {place}"),
        };
        let message = failure.message.replace('\n', "\n  ");
        let colon = if message.is_empty() { "" } else { ": " };
        text += &format!("FAIL {which}{colon}{message}\n");
        for line in failure.trace.lines() {
            match line.split_once("File \"") {
                Some((before, file)) if before.trim().is_empty() => {
                    text += &format!("{before}File \"{}\n", within(file, root));
                }
                _ => text += &format!("{line}\n"),
            }
        }
        if let others @ [_, ..] = &cause[1..] {
            let names: Vec<&str> =
                others.iter().take(NAMES).map(|one| within(&one.name, root)).collect();
            let more = match others.len().saturating_sub(NAMES) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            text += &format!("  the same: {}{more}\n", names.join(", "));
        }
    }
    let more: usize = causes.iter().skip(CAUSES).map(Vec::len).sum::<usize>() + told.more;
    if more > 0 {
        text += &format!("and {}\n", fault::count(more, "more failure"));
    }
    text
}
