//! `kitbag config`.

use std::fmt::Write as _;

use clap::ArgMatches;
use fault::Result;
use toolkit::serde_json::{Value, json};

use super::Exit;
use crate::config::Common;
use crate::config::layers::Layers;
use crate::terminal;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
    /// JSON, for programs
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, layers: &Layers, flags: &ArgMatches) -> Result<Exit> {
    let rows = layers.origins(flags);
    if args.json {
        let row = |(name, value, from): &(String, Option<String>, String)| json!({"name": name, "value": value, "from": from});
        terminal::print(&format!("{:#}\n", rows.iter().map(row).collect::<Value>()))?;
    } else {
        let wide = rows.iter().filter_map(|(_, value, _)| value.as_ref().map(String::len)).max();
        let wide = wide.unwrap_or(0).min(40);
        let mut text = String::new();
        for (name, value, from) in rows {
            let value = toolkit::escape(value.as_deref().unwrap_or("-"));
            let from = toolkit::escape(&from);
            let _ = writeln!(text, "{name:16} {value:wide$}  \u{1b}[2m{from}\u{1b}[0m");
        }
        terminal::print(&text)?;
    }
    let unfit = args.common.tools().err();
    let problems: Vec<_> = layers.problems.iter().chain(&unfit).collect();
    problems.iter().for_each(|problem| terminal::complain(problem));
    Ok(if problems.is_empty() { Exit::Success } else { Exit::Usage })
}
