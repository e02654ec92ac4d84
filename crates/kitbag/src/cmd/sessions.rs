//! `kitbag sessions`.

use std::fmt::Write as _;

use agent::{Event, Line, Summary};
use fault::{Error, Result};
use toolkit::escape;
use toolkit::serde_json::json;

use super::journal::local;
use super::run::tokens;
use crate::config::{Place, contents};
use crate::exit::Exit;
use crate::terminal;

/// Most lines of a result in a transcript.
const LINES: usize = 20;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Show this session; the end of its name is enough
    session: Option<String>,
    /// Sessions in other directories too
    #[arg(long)]
    all: bool,
    /// JSON, for programs; of one session the events as they were recorded
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

pub(super) fn run(args: &Args) -> Result<Exit> {
    let mut all = agent::summaries(&args.place.state()?)?;
    if let Some(wanted) = &args.session {
        let session = one(&all, wanted)?;
        let path = session.path.display().to_string();
        let text = contents(&path)?;
        let text = if args.json { text } else { transcript(&agent::read(&path, &text)?) };
        terminal::print(&text)?;
        return Ok(Exit::Success);
    }
    if !args.all {
        let (workspace, _) = crate::compose::journal(&args.place)?;
        let root = workspace.root().display().to_string();
        all.retain(|session| session.root == root);
    }
    all.reverse(); // the newest first
    let text = match args.json {
        true => format!("{:#}\n", json!(all)),
        false => all.iter().map(row).collect(),
    };
    terminal::print(&text)?;
    Ok(Exit::Success)
}

/// The one session whose name ends so.
fn one<'a>(all: &'a [Summary], wanted: &str) -> Result<&'a Summary> {
    let found: Vec<_> = all.iter().filter(|one| one.session.ends_with(wanted)).collect();
    match found.as_slice() {
        [one] => Ok(one),
        [] => Err(Error::invalid_input(
            "session",
            format!("`{wanted}`: no such session; `kitbag sessions --all` lists them"),
        )),
        many => Err(Error::invalid_input(
            "session",
            format!("`{wanted}` is the end of {} names; give more of it", many.len()),
        )),
    }
}

fn row(session: &Summary) -> String {
    let time = session.time.map_or_else(|| "?".to_owned(), local);
    let ended = session.reason.map_or("unfinished", agent::Reason::as_str);
    let prompt = session.prompt.lines().next().unwrap_or_default();
    let usage = session.usage.as_ref().map_or_else(|| "unknown".to_owned(), tokens);
    format!(
        "{}  {time}  {ended}  {}\n    {}\n    requests: {}, calls: {}, tokens: {usage}\n",
        session.session,
        escape(&session.model),
        escape(&fault::cut(prompt, 100)),
        session.turns,
        session.calls,
    )
}

/// What was said and done, for reading.
fn transcript(lines: &[Line]) -> String {
    let mut text = String::new();
    for Line { event, .. } in lines {
        match event {
            Event::Start { model, root, toolset, policy, .. } => {
                let model = escape(model);
                let _ = writeln!(text, "{model}, {toolset}, policy {policy}, in {}", escape(root));
            }
            Event::Prompt { text: said } => {
                let _ = writeln!(text, "\n\u{1b}[1m{}\u{1b}[0m\n", escape(said.trim_end()));
            }
            Event::Reply { reply, .. } if !reply.text.is_empty() => {
                let _ = writeln!(text, "{}", escape(reply.text.trim_end()));
            }
            Event::Partial { text: shown, .. } => {
                let _ = writeln!(text, "{} …", escape(shown.trim_end()));
            }
            Event::Retry { why, .. } => drop(writeln!(text, "! {}", escape(why))),
            Event::Call { tool, arguments, .. } => {
                let (tool, arguments) = (escape(tool), escape(arguments));
                let _ = writeln!(text, "\u{1b}[36m> {tool}\u{1b}[0m {arguments}");
            }
            Event::Result { tool, text: result, error, ms, .. } => {
                let failed = error.as_ref().map_or_else(String::new, |code| format!(", {code}"));
                let _ = writeln!(text, "  {}: {ms:.0} ms{failed}", escape(tool));
                for line in result.lines().take(LINES) {
                    let _ = writeln!(text, "    {}", escape(line));
                }
                let more = result.lines().count().saturating_sub(LINES);
                if more > 0 {
                    let _ = writeln!(text, "    [{more} lines more]");
                }
            }
            Event::End { reason, error, usage, .. } => {
                let _ = writeln!(text, "[{}] tokens: {}", reason.as_str(), tokens(usage));
                if let Some(error) = error {
                    let _ = writeln!(text, "{}", escape(error));
                }
            }
            _ => {}
        }
    }
    text
}
