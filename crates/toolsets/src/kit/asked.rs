//! What `run` answers about programs that were started before.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use files::search::line_matcher;

use super::outputs::{Outputs, Printed};
use super::place;
use super::report::{TAIL, WHOLE, WHOLE_BYTES};
use super::run::Run;
use crate::prelude::*;

/// How long a program gets to say something at its start, or after input.
pub(super) const MOMENT: Duration = Duration::from_millis(300);
/// How often one is looked at that is waited for.
const LOOK: Duration = Duration::from_millis(100);
/// Most lines of an answer to a regular expression.
const MOST_HITS: usize = 100;
/// Most bytes of a line in it.
const HIT_BYTES: usize = 500;
/// Most lines of either run that are compared, and most bytes of what differs.
const COMPARED: usize = 2_000_000;
const COMPARED_BYTES: usize = 1 << 20;
/// Lines that are shown around what differs.
const AROUND: usize = 3;

/// The answer to a call without a command.
pub(super) fn answer(asked: &Run, cx: &Cx<'_>, outputs: &Outputs) -> Result<String> {
    let asks = asked.diff || asked.grep.is_some() || asked.lines.is_some();
    let is_meant = asks || asked.timeout.is_some() || asked.input.is_some();
    let running = || if asks { None } else { outputs.last_running() };
    let last = || running().or_else(|| outputs.last()).filter(|_| is_meant);
    let Some(id) = asked.id.or_else(last) else {
        if asks || asked.stop || asked.input.is_some() {
            return Err(Error::invalid_input("id", "missing; say of which run; {} lists them"));
        }
        return list(cx, outputs);
    };
    if let Some(input) = &asked.input {
        let kept = outputs.get(id)?;
        let name =
            kept.name.ok_or_else(|| Error::not_running(id).with("command", &kept.command))?;
        feed(&name, input, cx)?;
        let wait = asked.timeout.map_or(MOMENT, Duration::from_secs);
        let text = poll(cx, outputs, id, Some((wait, None)))?;
        let waits = text.starts_with("running") && !input.ends_with(['\n', '\u{4}']);
        let hint = "the input had no line break at its end; most programs wait for one";
        return Ok(if waits { format!("{text}\n[{hint}]") } else { text });
    }
    if asked.stop {
        if let Some(name) = outputs.get(id)?.name {
            outputs.stop(cx, id, &name)?;
        }
        return poll(cx, outputs, id, None);
    }
    let wait = asked.timeout.map(Duration::from_secs);
    if !asks {
        return poll(cx, outputs, id, wait.map(|wait| (wait, None)));
    }
    if let (Some(pattern), Some(wait)) = (&asked.grep, wait) {
        let matches = line_matcher(pattern)?;
        poll_until(cx, outputs, id, wait, Some(&matches))?;
    }
    let command = outputs.get(id)?.command;
    let part = part(asked, (id, &command), &*outputs.printed(cx, id)?, outputs)?;
    Ok(part.unwrap_or_default())
}

/// Sends a program text; one that ends with Ctrl-D is the last.
pub(super) fn feed(name: &str, input: &str, cx: &Cx<'_>) -> Result<()> {
    let (text, close) = input.strip_suffix('\u{4}').map_or((input, false), |text| (text, true));
    cx.runner().input(name, text.as_bytes(), close, cx.cancel())
}

/// Refuses to ask for a part of an output in a way that could never work.
pub(super) fn check(asked: &Run) -> Result<()> {
    asked.grep.as_deref().map(line_matcher).transpose()?;
    asked.lines.as_deref().map(parse).transpose()?;
    Ok(())
}

/// The part of an output that is asked for, by its number and command; `None` if none is.
///
/// # Errors
/// `InvalidRegex`; `InvalidInput` for lines that there are not.
pub(super) fn part(
    asked: &Run,
    (id, command): (u32, &str),
    printed: &Printed,
    outputs: &Outputs,
) -> Result<Option<String>> {
    let lines = asked.lines.as_deref().map(parse).transpose()?;
    Ok(Some(match (&asked.grep, lines) {
        _ if asked.diff => differences((id, command), printed, outputs),
        (Some(pattern), lines) => {
            let matches = line_matcher(pattern)?;
            grep(printed, id, pattern, &matches, lines.unwrap_or((1, usize::MAX)))
        }
        (None, Some(lines)) => range(printed, id, lines)?,
        (None, None) => return Ok(None),
    }))
}

type Matches<'m> = &'m dyn Fn(&str) -> Option<usize>;

/// What a program printed since it was asked last, after a wait for its end, or for a line.
pub(super) fn poll(
    cx: &Cx<'_>,
    outputs: &Outputs,
    id: u32,
    wait: Option<(Duration, Option<Matches<'_>>)>,
) -> Result<String> {
    let printed = match wait {
        Some((wait, line)) => poll_until(cx, outputs, id, wait, line)?,
        None => outputs.printed(cx, id)?,
    };
    let (seen, last) = outputs.get(id)?.seen;
    // Of a program that prints without end only the end is looked at.
    let all = printed.lines();
    let (text, begin, cut) = printed.tail(WHOLE, WHOLE_BYTES);
    let lines: Vec<&str> = text.lines().collect();
    outputs.saw(id, (all, lines.last().map(|line| (*line).to_owned()).unwrap_or_default()));
    // The last line that was seen may have gone on since.
    let same = seen.checked_sub(begin).and_then(|at| lines.get(at));
    let first = if same.is_some_and(|line| *line != last) { seen } else { seen + 1 };
    let mut new: Vec<&str> = lines.into_iter().skip(first.saturating_sub(begin)).collect();
    if all + 1 - first > WHOLE {
        new.drain(..new.len().saturating_sub(TAIL));
    }
    let head = format!("{} (id {id})\n", printed.state());
    if new.is_empty() {
        return Ok(head + "[nothing new]");
    }
    let (count, shown) = (all + 1 - first, new.len());
    let mut text = left_out(id, begin, cut) + &new.join("\n");
    if shown < count {
        let from = first.max((all - shown + 1).saturating_sub(WHOLE));
        text += &format!(
            "\n[{shown} of {count} new lines; next: {{\"id\": {id}, \"lines\": \"{from}-{}\"}}]",
            all - shown
        );
    }
    Ok(head + text.trim_end())
}

fn poll_until(
    cx: &Cx<'_>,
    outputs: &Outputs,
    id: u32,
    wait: Duration,
    line: Option<Matches<'_>>,
) -> Result<Arc<Printed>> {
    let began = Instant::now();
    loop {
        let printed = outputs.printed(cx, id)?;
        let mut found = false;
        if let Some(matches) = line {
            printed.each(|_, line| found |= matches(line).is_some());
        }
        if found || printed.exit.is_some() || began.elapsed() >= wait {
            return Ok(printed);
        }
        cx.cancel().check()?;
        std::thread::sleep(LOOK.min(wait));
    }
}

/// All programs that are known, the latest first.
fn list(cx: &Cx<'_>, outputs: &Outputs) -> Result<String> {
    let mut lines = Vec::new();
    for kept in outputs.list().iter().rev() {
        let printed = outputs.printed(cx, kept.id)?;
        let lines_of = fault::count(printed.lines(), "line");
        let command = fault::cut(kept.command.trim(), 120).replace('\n', " ");
        lines.push(format!("{}: {}, {lines_of}: {command}", kept.id, printed.state()));
    }
    Ok(if lines.is_empty() {
        "no programs yet; give a command".to_owned()
    } else {
        lines.join("\n")
    })
}

/// The last lines, and how to see those before them.
pub(super) fn end(printed: &Printed, id: u32, most: usize) -> String {
    let all = printed.lines();
    let (text, first, cut) = match most {
        0 => (String::new(), all + 1, 0),
        most => printed.tail(most, WHOLE_BYTES),
    };
    let text = left_out(id, first, cut) + &text;
    let before = first - 1;
    if before == 0 {
        return text;
    }
    let from = before.saturating_sub(WHOLE) + 1;
    let shown = all - before;
    let next = format!("{{\"id\": {id}, \"lines\": \"{from}-{before}\"}}");
    format!("{text}[{shown} of {all} lines; next: {next}]\n")
}

/// What is said above the end of a line whose beginning there was no room for.
fn left_out(id: u32, line: usize, bytes: usize) -> String {
    match bytes {
        0 => String::new(),
        bytes => format!(
            "[{bytes} bytes of this line are left out; next: {{\"id\": {id}, \"lines\": \"{line}\"}}]\n"
        ),
    }
}

/// `120-180`, `120-` or `120`.
fn parse(lines: &str) -> Result<(usize, usize)> {
    let ends: Vec<&str> = lines.split('-').map(str::trim).collect();
    match place::lines(&ends.join("-")) {
        Some((first, last)) => Ok((first, last.unwrap_or(usize::MAX))),
        None => {
            let problem = format!("`{lines}`; give a range such as 120-180");
            Err(Error::invalid_input("lines", problem))
        }
    }
}

fn range(printed: &Printed, id: u32, (first, last): (usize, usize)) -> Result<String> {
    let all = printed.lines();
    if first > all {
        let problem = format!("{first} is beyond the last line, {all}");
        return Err(Error::invalid_input("lines", problem));
    }
    let (text, end) = printed.range(first, last, 2 * WHOLE_BYTES);
    if end >= last.min(all) {
        return Ok(text.trim_end_matches('\n').to_owned());
    }
    let shown = end + 1 - first;
    let next = end + 1;
    Ok(format!("{text}[{shown} of {all} lines; next: {{\"id\": {id}, \"lines\": \"{next}-\"}}]"))
}

fn grep(
    printed: &Printed,
    id: u32,
    pattern: &str,
    matches: Matches<'_>,
    (first, last): (usize, usize),
) -> String {
    let (mut hits, mut count, mut next) = (Vec::new(), 0, 0);
    let gaps = printed.each(|number, line| {
        if !(first..=last).contains(&number) {
            return;
        }
        if let Some(at) = matches(line) {
            count += 1;
            if hits.len() < MOST_HITS {
                hits.push(format!("{number}: {}", around(line, at)));
            } else if next == 0 {
                next = number;
            }
        }
    });
    let asked = gaps.iter().filter(|(a, b)| first <= *b && *a <= last);
    let gaps: Vec<String> = asked.map(|(a, b)| format!("lines {a}-{b} were not kept")).collect();
    if hits.is_empty() {
        let state = if printed.exit.is_none() { "; it still runs" } else { "" };
        let gaps: String = gaps.iter().map(|gap| format!("; {gap}")).collect();
        return format!("no line of {} matches {pattern}{state}{gaps}", printed.lines());
    }
    if count > hits.len() {
        let range = if last == usize::MAX { format!("{next}-") } else { format!("{next}-{last}") };
        let call = serde_json::json!({"id": id, "grep": pattern, "lines": range});
        hits.push(format!("[{} of {count}; next: {call}]", hits.len()));
    }
    hits.extend(gaps.iter().map(|gap| format!("[{gap}]")));
    hits.join("\n")
}

/// A line, or the part of a long one that begins before the byte `at`.
fn around(line: &str, at: usize) -> Cow<'_, str> {
    let from = line.floor_char_boundary(at.saturating_sub(HIT_BYTES / 4));
    match line.len() > HIT_BYTES && from > 0 {
        true => format!("…{}", fault::cut(&line[from..], HIT_BYTES)).into(),
        false => fault::cut(line, HIT_BYTES),
    }
}

/// What a run printed that the last one of the same command did not, and the other way round.
fn differences((id, command): (u32, &str), now: &Printed, outputs: &Outputs) -> String {
    let Some((id, before)) = outputs.before(id, command) else {
        return format!("no earlier run of this command is kept: {}", fault::cut(command, 200));
    };
    let head = match (before.exit, now.exit) {
        (was, is) if was == is => format!("since id {id}:"),
        _ => format!("since id {id} ({}), now {}:", before.state(), now.state()),
    };
    if before.lines().max(now.lines()) > COMPARED {
        let (old, new) = (before.lines(), now.lines());
        return format!("{head} {old} and {new} lines, too many to compare; use grep");
    }
    let ((old, all_old), (new, all_new)) = (before.digests(), now.digests());
    if !(all_old && all_new) {
        return format!("{head} one of the outputs was not kept whole; use grep");
    }
    if old == new {
        return head + " same output";
    }
    let (same, same_end) = files::edit::common(&old, &new);
    // What is the same before is left to its number of lines.
    let first = same.saturating_sub(AROUND);
    let part = |printed: &Printed, lines: usize| {
        let last = (lines - same_end + AROUND).min(lines);
        let (text, end) = printed.range(first + 1, last, COMPARED_BYTES);
        ("\n".repeat(first) + &text, end < last)
    };
    let ((old, cut_old), (new, cut_new)) = (part(&before, old.len()), part(now, new.len()));
    if cut_old || cut_new {
        let line = same + 1;
        return format!(
            "{head} they differ from line {line} on, in too much to compare; use lines"
        );
    }
    let diff = files::edit::diff(("", old.as_bytes()), ("", new.as_bytes()), 1000);
    let diff: Vec<&str> = diff.lines().skip(2).collect();
    format!("{head}\n{}", diff.join("\n"))
}
