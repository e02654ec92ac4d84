//! What `run` answers about programs that were started before.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use files::search::line_matcher;
use programs::process::LINE_BYTES;
use toolkit::serde_json::{Value, json};

use super::differences::differences;
use super::outputs::{Outputs, Printed, not_kept};
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

/// The answer to a call without a command.
pub(super) fn answer(asked: &Run, cx: &Cx<'_>, outputs: &Outputs) -> Result<String> {
    let asks = asked.diff || asked.grep.is_some() || asked.lines.is_some();
    let is_meant = asks || asked.timeout.is_some() || asked.input.is_some();
    let running = || if asks { None } else { outputs.running().first().copied() };
    let last = || match asked.stop {
        true => only_running(cx, outputs).map(Some),
        false => Ok(running().or_else(|| outputs.last()).filter(|_| is_meant)),
    };
    let Some(id) = asked.id.map_or_else(last, |id| Ok(Some(id)))? else {
        if asks || asked.input.is_some() {
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

/// The program that runs, if it is the only one.
fn only_running(cx: &Cx<'_>, outputs: &Outputs) -> Result<u32> {
    // One that has ended by itself is known as such once it is asked.
    for id in outputs.running() {
        outputs.printed(cx, id)?;
    }
    match outputs.running().as_slice() {
        [id] => Ok(*id),
        [] => Err(Error::invalid_input("stop", "nothing runs; {} lists what ran")),
        several => {
            let ids: Vec<String> = several.iter().map(u32::to_string).collect();
            let problem = format!("{} run; give the id of one", ids.join(", "));
            Err(Error::invalid_input("stop", problem))
        }
    }
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
    if asked.diff {
        let (head, diff) = differences((id, command), printed, outputs);
        let Some(diff) = diff else { return Ok(Some(head)) };
        let all = || range(&diff, call(asked, id), ((1, 0), usize::MAX), (WHOLE, WHOLE_BYTES));
        let part = select(asked, id, &diff)?.unwrap_or_else(all);
        return Ok(Some(format!("{head}\n{part}")));
    }
    select(asked, id, printed)
}

/// The lines of a text that are asked for by their numbers, a regular expression or both.
fn select(asked: &Run, id: u32, printed: &Printed) -> Result<Option<String>> {
    let lines = asked.lines.as_deref().map(parse).transpose()?;
    let call = call(asked, id);
    Ok(Some(match (&asked.grep, lines) {
        (Some(pattern), lines) => {
            let matches = line_matcher(pattern)?;
            let ((first, _), last) = lines.unwrap_or(((1, 0), usize::MAX));
            grep(printed, call, pattern, &matches, (first, last))
        }
        (None, Some((first, last))) => {
            let all = printed.lines();
            if first.0 > all {
                let problem = format!("{} is beyond the last line, {all}", first.0);
                return Err(Error::invalid_input("lines", problem));
            }
            range(printed, call, (first, last), (usize::MAX, 2 * WHOLE_BYTES))
        }
        (None, None) => return Ok(None),
    }))
}

/// The call that goes on with the lines of an output or a difference.
fn call(asked: &Run, id: u32) -> Value {
    if asked.diff { json!({"id": id, "diff": true}) } else { json!({"id": id}) }
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

/// The last lines of those that are not between two others, of each of these pairs, and how to see
/// those.
pub(super) fn beside(printed: &Printed, id: u32, told: &[(u64, u64)]) -> String {
    let (mut lines, mut bytes, mut all) = (VecDeque::new(), 0, 0);
    printed.each(|number, line| {
        if told.iter().any(|(first, last)| (*first..=*last).contains(&(number as u64))) {
            return;
        }
        let line = fault::cut(line, HIT_BYTES).into_owned();
        all += 1;
        bytes += line.len();
        lines.push_back(line);
        while lines.len() > TAIL || bytes > WHOLE_BYTES {
            bytes -= lines.pop_front().map_or(0, |line| line.len());
        }
    });
    let above = match all - lines.len() {
        0 => String::new(),
        more => format!(" and {} above", fault::count(more, "line")),
    };
    let first = told.iter().map(|lines| lines.0).min().unwrap_or(1);
    let last = told.iter().map(|lines| lines.1).max().unwrap_or(1);
    let range = fault::range(first as usize, last as usize);
    let call = json!({"id": id, "lines": range});
    lines.push_back(format!("[without what the tests printed{above}; next: {call}]"));
    Vec::from(lines).join("\n")
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

/// `120-180`, `120-`, `120`, or `120:5001`, which is this line after its first 5000 bytes.
fn parse(lines: &str) -> Result<((usize, usize), usize)> {
    let ends: Vec<&str> = lines.split('-').map(str::trim).collect();
    let of_line = lines.split_once(':').and_then(|(line, byte)| {
        let (line, byte): (usize, usize) = (line.trim().parse().ok()?, byte.trim().parse().ok()?);
        (line > 0 && byte > 0).then_some(((line, byte - 1), line))
    });
    let whole = || place::lines(&ends.join("-"));
    match of_line.or_else(|| whole().map(|(a, b)| ((a, 0), b.unwrap_or(usize::MAX)))) {
        Some(range) => Ok(range),
        None => {
            let problem = format!("`{lines}`; give a range such as 120-180");
            Err(Error::invalid_input("lines", problem))
        }
    }
}

/// Lines, as many as fit and at most `most`, and the `call` that goes on.
fn range(
    printed: &Printed,
    mut call: Value,
    (first, last): ((usize, usize), usize),
    (most, bytes): (usize, usize),
) -> String {
    let all = printed.lines();
    let to = last.min(all).min(first.0.saturating_add(most - 1));
    let (text, end, cut) = printed.range(first, to, bytes);
    let (shown, next) = match cut {
        Some((to, all)) => {
            (format!("{to} of {all} bytes of line {end}"), format!("{end}:{}", to + 1))
        }
        None if end >= last.min(all) => return text.trim_end_matches('\n').to_owned(),
        None => (format!("{} of {all} lines", end + 1 - first.0), format!("{}-", end + 1)),
    };
    call["lines"] = next.into();
    format!("{text}[{shown}; next: {call}]")
}

fn grep(
    printed: &Printed,
    mut call: Value,
    pattern: &str,
    matches: Matches<'_>,
    (first, last): (usize, usize),
) -> String {
    let (mut hits, mut count, mut next) = (Vec::new(), 0, 0);
    let mut long = Vec::new();
    let gaps = printed.each(|number, line| {
        if !(first..=last).contains(&number) {
            return;
        }
        if line.len() >= LINE_BYTES {
            long.push(format!("line {number} was searched up to {} MiB of it", LINE_BYTES >> 20));
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
    let gaps: Vec<String> = asked.map(|(a, b)| not_kept(*a, *b)).chain(long).collect();
    if hits.is_empty() {
        let state = if printed.exit.is_none() { "; it still runs" } else { "" };
        let gaps: String = gaps.iter().map(|gap| format!("; {gap}")).collect();
        return format!("no line of {} matches {pattern}{state}{gaps}", printed.lines());
    }
    if count > hits.len() {
        let range = if last == usize::MAX { format!("{next}-") } else { format!("{next}-{last}") };
        (call["grep"], call["lines"]) = (pattern.into(), range.into());
        hits.push(format!("[{} of {count}; next: {call}]", hits.len()));
    }
    hits.extend(gaps.iter().map(|gap| format!("[{gap}]")));
    hits.join("\n")
}

/// A line, or the part of a long one that begins before the byte `at`.
pub(super) fn around(line: &str, at: usize) -> Cow<'_, str> {
    let from = line.floor_char_boundary(at.saturating_sub(HIT_BYTES / 4));
    match line.len() > HIT_BYTES && from > 0 {
        true => format!("…{}", fault::cut(&line[from..], HIT_BYTES)).into(),
        false => fault::cut(line, HIT_BYTES),
    }
}
