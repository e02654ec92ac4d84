//! `kitbag sessions`.

use agent::Summary;
use fault::Result;
use toolkit::escape;
use toolkit::serde_json::json;

use super::journal::local;
use crate::config::Place;
use crate::config::model::Kept;
use crate::exit::Exit;
use crate::screen::{cost, tokens};
use crate::terminal;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Sessions in other directories too
    #[arg(long)]
    all: bool,
    /// JSON, for programs
    #[arg(long)]
    json: bool,
    /// Remove the records that are too many or too old, as every new session does
    #[arg(long)]
    prune: bool,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    kept: Kept,
}

pub(super) fn run(args: &Args) -> Result<Exit> {
    let state = args.place.state()?;
    if args.prune {
        let removed = agent::record::prune(&state, args.kept.keep())?;
        terminal::print(&format!("removed {}\n", fault::count(removed, "record")))?;
        return Ok(Exit::Success);
    }
    let (mut all, problems) = agent::record::summaries(&state)?;
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
    terminal::left_out(&problems);
    Ok(Exit::Success)
}

fn row(session: &Summary) -> String {
    let time = session.time.map_or_else(|| "?".to_owned(), local);
    let ended = session.reason.map_or("unfinished", agent::Reason::as_str);
    let prompt = session.prompt.lines().next().unwrap_or_default();
    let usage = session.usage.as_ref().map_or_else(|| "unknown".to_owned(), tokens);
    format!(
        "{}  {time}  {ended}  {}\n    {}\n    requests: {}, calls: {}, tokens: {usage}, cost: {}\n",
        escape(&session.session),
        escape(&session.model),
        escape(&fault::cut(prompt, 100)),
        session.turns,
        session.calls,
        cost(session.usd),
    )
}
