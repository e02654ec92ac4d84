//! What a person sees of a session of a model: its text on standard output, and what goes on on
//! standard error.

use std::fmt::Write as _;
use std::sync::Arc;

use agent::{Ended, Event, Reason, Usage};
use toolkit::Session;

use crate::terminal;

/// Most lines of a diff that are shown.
const DIFF_LINES: usize = 200;
/// Most characters of the arguments of a call that are shown.
const ARGUMENTS: usize = 160;

pub(crate) struct Screen {
    session: Arc<Session>,
    /// Whether the text of the model has no end of its line yet.
    in_line: bool,
    /// The same of the output of a program.
    in_output: bool,
}

impl Screen {
    pub(crate) fn new(session: Arc<Session>) -> Self {
        Self { session, in_line: false, in_output: false }
    }

    pub(crate) fn show(&mut self, event: &Event) {
        match event {
            Event::Text { text } => {
                self.in_line = !text.ends_with('\n');
                let _ = terminal::print_exact(text.as_bytes());
            }
            Event::Reply { .. } | Event::Partial { .. } | Event::End { .. } if self.in_line => {
                self.in_line = false;
                let _ = terminal::print("\n");
            }
            Event::Retry { wait_ms, why, .. } => {
                let seconds = (*wait_ms as f64 / 100.0).round() / 10.0;
                terminal::say(&format!("{why}; asked again in {seconds} s"));
            }
            Event::Compaction { reply, .. } if reply.text.trim().is_empty() => {
                terminal::say("the model was asked for a summary and gave none");
            }
            Event::Compaction { before, after, .. } => terminal::say(&format!(
                "the conversation was shortened: a summary takes the place of its older part, about \
                 {before} tokens became {after}"
            )),
            Event::Call { tool, arguments, .. } => {
                let arguments = arguments.split_whitespace().collect::<Vec<_>>().join(" ");
                let short = toolkit::escape(&fault::cut(&arguments, ARGUMENTS));
                terminal::tell(&format!("\u{1b}[36m> {}\u{1b}[0m {short}", name(tool)));
            }
            Event::Output { text, .. } => {
                self.in_output = !text.ends_with('\n');
                let dim = format!("\u{1b}[2m{}\u{1b}[0m", toolkit::escape(text));
                let _ = terminal::print_beside(&dim);
            }
            Event::Result { .. } => {
                if std::mem::take(&mut self.in_output) {
                    let _ = terminal::print_beside("\n");
                }
                terminal::tell(&self.result(event));
            }
            _ => {}
        }
    }

    fn result(&self, event: &Event) -> String {
        let Event::Result { tool, text, error, call, ms, asked_ms, pictures, .. } = event else {
            return String::new();
        };
        let mut line = format!("  {}: {}", name(tool), worked(*ms, *asked_ms));
        if !pictures.is_empty() {
            let _ = write!(line, ", pictures: {}", pictures.len());
        }
        if let Some(code) = error {
            let first = text.lines().next().unwrap_or_default();
            let first = toolkit::escape(&fault::cut(first, 300));
            let _ = write!(line, ", \u{1b}[31m{code}\u{1b}[0m\n  {first}");
        }
        let Some(call) = call else { return line };
        let _ = write!(line, ", call {call}");
        let project = self.session.project();
        if let Ok(diff) = project.journal().diff(project.workspace(), *call) {
            let all = diff.lines().count();
            let some: String = diff.split_inclusive('\n').take(DIFF_LINES).collect();
            let diff = terminal::coloured(&toolkit::escape(&some));
            let _ = write!(line, "\n{}", diff.trim_end_matches('\n'));
            if all > DIFF_LINES {
                let more = all - DIFF_LINES;
                let _ = write!(line, "\n  {more} more lines; `kitbag diff {call}` shows all");
            }
        }
        line
    }
}

/// The name of a tool as a model wrote it, which may be anything, in one line.
pub(crate) fn name(tool: &str) -> String {
    toolkit::escape(&fault::cut(tool, ARGUMENTS)).replace('\n', "\\n")
}

/// How long something took.
pub(crate) fn time(ms: f64) -> String {
    if ms < 10_000.0 { format!("{ms:.0} ms") } else { format!("{:.1} s", ms / 1000.0) }
}

/// How long a call worked, and how long a person was waited for.
pub(crate) fn worked(ms: f64, asked_ms: f64) -> String {
    let asked =
        if asked_ms > 0.0 { format!(", asked for {}", time(asked_ms)) } else { String::new() };
    format!("{}{asked}", time(ms))
}

/// The last line of a prompt.
pub(crate) fn ending(ended: &Ended, session: &str) -> String {
    let Ended { reason, turns, usage, usd, .. } = ended;
    let (reason, tokens, cost) = (reason.as_str(), tokens(usage), cost(*usd));
    let why = why(ended).map(|why| format!("\u{1b}[33mnote\u{1b}[0m: {why}\n")).unwrap_or_default();
    format!(
        "{why}\u{1b}[2m[{reason}] requests: {turns}, tokens: {tokens}, cost: {cost}, session {session}\u{1b}[0m"
    )
}

/// What a person does next where an ending alone does not say it.
fn why(ended: &Ended) -> Option<&'static str> {
    match ended.reason {
        Reason::Success if ended.text.trim().is_empty() => Some("the last answer is empty"),
        Reason::Loop => {
            Some("the model made the same calls again and again; tell it what to change")
        }
        Reason::TurnLimit => Some("the limit of requests for a prompt; --max-turns raises it"),
        Reason::Budget => Some("the budget of the session is used up; --budget raises it"),
        _ => None,
    }
}

/// The streams of tokens; what is not known is not shown as 0.
pub(crate) fn tokens(usage: &Usage) -> String {
    let streams = [
        (usage.input, "in"),
        (usage.cache_read, "from the cache"),
        (usage.cache_write, "to the cache"),
        (usage.output, "out"),
    ];
    let known = streams.iter().filter_map(|(count, name)| Some(format!("{} {name}", (*count)?)));
    let known: Vec<_> = known.collect();
    if known.is_empty() { "unknown".to_owned() } else { known.join(", ") }
}

/// What something cost.
pub(crate) fn cost(usd: Option<f64>) -> String {
    usd.map_or_else(|| "unknown".to_owned(), |usd| format!("${usd:.4}"))
}
