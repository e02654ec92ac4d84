//! What `run` answers about programs that were started before.

use std::sync::Arc;
use std::time::{Duration, Instant};

use files::search::line_matcher;

use super::outputs::{Kept, Outputs, Printed};
use super::place;
use super::report::{WHOLE, WHOLE_BYTES};
use super::run::Run;
use crate::prelude::*;

/// How long a program gets to say something at its start, or after input.
pub(super) const MOMENT: Duration = Duration::from_millis(300);
/// How often one is looked at that is waited for.
const LOOK: Duration = Duration::from_millis(100);
/// Most lines of an answer to a regular expression.
const MOST_HITS: usize = 100;
/// Most bytes of either run that are compared.
const COMPARED: usize = 1 << 20;

/// The answer to a call without a command.
pub(super) fn answer(asked: &Run, cx: &Cx<'_>, outputs: &Outputs) -> Result<String> {
    let asks = asked.diff || asked.grep.is_some() || asked.lines.is_some();
    let Some(id) = asked.id.or_else(|| outputs.last().filter(|_| asks)) else {
        if asks || asked.stop || asked.input.is_some() {
            return Err(Error::invalid_input("id", "missing; say of which run; {} lists them"));
        }
        return list(cx, outputs);
    };
    if let Some(input) = &asked.input {
        let kept = outputs.get(id)?;
        let name =
            kept.name.ok_or_else(|| Error::not_running(id).with("command", &kept.command))?;
        let (text, close) =
            input.strip_suffix('\u{4}').map_or((input.as_str(), false), |text| (text, true));
        cx.runner().input(&name, text.as_bytes(), close, cx.cancel())?;
        let wait = asked.timeout.map_or(MOMENT, Duration::from_secs);
        return poll(cx, outputs, id, Some((wait, None)));
    }
    if asked.stop {
        if let Some(name) = outputs.get(id)?.name {
            outputs.stop(cx, id, &name)?;
        }
        return poll(cx, outputs, id, None);
    }
    if asked.diff {
        return differences(&outputs.get(id)?, outputs, cx);
    }
    let wait = asked.timeout.map(Duration::from_secs);
    let Some(pattern) = &asked.grep else {
        return match &asked.lines {
            None => poll(cx, outputs, id, wait.map(|wait| (wait, None))),
            Some(lines) => range(&*outputs.printed(cx, id)?, id, parse(lines)?),
        };
    };
    let matches = line_matcher(pattern)?;
    if let Some(wait) = wait {
        poll_until(cx, outputs, id, wait, Some(&matches))?;
    }
    let lines = asked.lines.as_deref().map_or(Ok((1, usize::MAX)), parse)?;
    Ok(grep(&*outputs.printed(cx, id)?, id, pattern, &matches, lines))
}

type Matches<'m> = &'m dyn Fn(&str) -> bool;

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
    let (text, begin) = printed.tail(WHOLE, WHOLE_BYTES);
    let lines: Vec<&str> = text.lines().collect();
    outputs.saw(id, (all, lines.last().map(|line| (*line).to_owned()).unwrap_or_default()));
    // The last line that was seen may have gone on since.
    let same = seen.checked_sub(begin).and_then(|at| lines.get(at));
    let first = if same.is_some_and(|line| *line != last) { seen } else { seen + 1 };
    let new: Vec<&str> = lines.into_iter().skip(first.saturating_sub(begin)).collect();
    let head = format!("{} (id {id})\n", printed.state());
    if new.is_empty() {
        return Ok(head + "[nothing new]");
    }
    let (count, shown) = (all + 1 - first, new.len());
    let mut text = new.join("\n");
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
            printed.each(|_, line| found |= matches(line));
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
    let (text, first) = match most {
        0 => (String::new(), all + 1),
        most => printed.tail(most, WHOLE_BYTES),
    };
    let before = first - 1;
    if before == 0 {
        return text;
    }
    let from = before.saturating_sub(WHOLE) + 1;
    let shown = all - before;
    let next = format!("{{\"id\": {id}, \"lines\": \"{from}-{before}\"}}");
    format!("{text}[{shown} of {all} lines; next: {next}]\n")
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
    printed.each(|number, line| {
        if (first..=last).contains(&number) && matches(line) {
            count += 1;
            if hits.len() < MOST_HITS {
                hits.push(format!("{number}: {}", fault::cut(line, 500)));
            } else if next == 0 {
                next = number;
            }
        }
    });
    if hits.is_empty() {
        let state = if printed.exit.is_none() { "; it still runs" } else { "" };
        return format!("no line of {} matches {pattern}{state}", printed.lines());
    }
    if count > hits.len() {
        hits.push(format!(
            "[{} of {count}; next: {{\"id\": {id}, \"lines\": \"{next}-\"}}]",
            hits.len()
        ));
    }
    hits.join("\n")
}

/// What a run printed that the last one of the same command did not, and the other way round.
fn differences(kept: &Kept, outputs: &Outputs, cx: &Cx<'_>) -> Result<String> {
    let now = outputs.printed(cx, kept.id)?;
    let Some((id, before)) = outputs.before(kept) else {
        return Ok(format!(
            "no earlier run of this command is kept: {}",
            fault::cut(&kept.command, 200)
        ));
    };
    let (old, new) = (before.text(COMPARED), now.text(COMPARED));
    let head = match (before.exit, now.exit) {
        (was, is) if was == is => format!("since id {id}:"),
        _ => format!("since id {id} ({}), now {}:", before.state(), now.state()),
    };
    let diff = files::edit::diff(("", old.as_bytes()), ("", new.as_bytes()), 1000);
    let diff: Vec<&str> = diff.lines().skip(2).collect();
    Ok(if diff.is_empty() { head + " same output" } else { format!("{head}\n{}", diff.join("\n")) })
}
