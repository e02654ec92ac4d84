//! `kitbag replay`: a recorded session, for reading.

use std::fmt::Write as _;

use agent::{Event, Line, record};
use fault::Result;
use toolkit::escape;

use super::journal::local;
use crate::compose::{LAST, resumed};
use crate::config::Place;
use crate::exit::Exit;
use crate::screen::{cost, name, time, tokens, worked};
use crate::terminal;

/// Most lines of a result that are shown.
const LINES: usize = 20;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Session: the beginning of its name, or `last`
    session: String,
    /// Print the recorded events as JSON, one per line
    #[arg(long)]
    json: bool,
    /// Show results in full
    #[arg(long)]
    full: bool,
    #[command(flatten)]
    place: Place,
}

pub(super) fn run(args: &Args) -> Result<Exit> {
    let state = args.place.state()?;
    let id = match args.session == LAST {
        true => resumed(&state, LAST, &args.place.root()?.display().to_string())?,
        false => record::find(&state, &args.session)?,
    };
    if args.json {
        terminal::print_exact(&record::bytes(&state, &id)?)?;
        return Ok(Exit::Success);
    }
    let most = if args.full { usize::MAX } else { LINES };
    let mut damaged = None;
    for line in record::lines(&state, &id)? {
        let mut shown = String::new();
        match line {
            Ok(Line { time, event }) => show(&mut shown, time, &event, most),
            Err(error) => {
                let _ = writeln!(shown, "! {}", escape(&error.message));
                damaged = damaged.or(Some(error));
            }
        }
        terminal::print(&shown)?;
    }
    damaged.map_or(Ok(Exit::Success), Err)
}

fn show(out: &mut String, at: Option<jiff::Timestamp>, event: &Event, most: usize) {
    let _ = match event {
        Event::Start { model, root, toolset, policy, sources, .. } => {
            let at = at.map_or_else(|| "?".to_owned(), local);
            let (model, root) = (escape(model), escape(root));
            let _ = writeln!(out, "{at}  {model}, {toolset}, policy {policy}, in {root}");
            sources.iter().for_each(|source| {
                let _ = match source.bytes == source.of {
                    true => writeln!(out, "  with {}", escape(&source.path)),
                    false => writeln!(
                        out,
                        "  with the first {} of {} bytes of {}",
                        source.bytes,
                        source.of,
                        escape(&source.path)
                    ),
                };
            });
            Ok(())
        }
        Event::Prompt { text } => {
            writeln!(out, "\n\u{1b}[1m{}\u{1b}[0m\n", escape(text.trim_end()))
        }
        Event::Reply { reply, ms, .. } => {
            if !reply.text.is_empty() {
                let _ = writeln!(out, "{}", escape(reply.text.trim_end()));
            }
            writeln!(out, "\u{1b}[2m  {}, tokens: {}\u{1b}[0m", time(*ms), tokens(&reply.usage))
        }
        Event::Compaction { reply, before, after, .. } => {
            let _ = writeln!(out, "[shortened: about {before} tokens became {after}]");
            lines(out, &reply.text, most);
            Ok(())
        }
        Event::Partial { text, .. } => writeln!(out, "{} …", escape(text.trim_end())),
        Event::Retry { why, .. } => writeln!(out, "! {}", escape(why)),
        Event::Call { tool, arguments, .. } => {
            writeln!(out, "\u{1b}[36m> {}\u{1b}[0m {}", name(tool), escape(arguments))
        }
        Event::Result { tool, text, error, call, ms, asked_ms, pictures, .. } => {
            let _ = write!(out, "  {}: {}", name(tool), worked(*ms, *asked_ms));
            if let Some(code) = error {
                let _ = write!(out, ", \u{1b}[31m{}\u{1b}[0m", escape(code));
            }
            if let Some(call) = call {
                let _ = write!(out, ", call {call}");
            }
            if !pictures.is_empty() {
                let _ = write!(out, ", pictures: {}", pictures.len());
            }
            out.push('\n');
            lines(out, text, most);
            Ok(())
        }
        Event::End { reason, error, usage, usd, .. } => {
            let (reason, tokens, cost) = (reason.as_str(), tokens(usage), cost(*usd));
            let _ = writeln!(out, "[{reason}] tokens: {tokens}, cost: {cost}");
            error.iter().try_for_each(|error| writeln!(out, "{}", escape(error)))
        }
        Event::Request { .. } | Event::Text { .. } | Event::Output { .. } => Ok(()),
    };
}

fn lines(out: &mut String, text: &str, most: usize) {
    for line in text.lines().take(most) {
        let _ = writeln!(out, "    {}", escape(line));
    }
    let more = text.lines().count().saturating_sub(most);
    if more > 0 {
        let _ = writeln!(out, "    [{more} more lines]");
    }
}
