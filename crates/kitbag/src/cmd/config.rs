//! `kitbag config`.

use std::fmt::Write as _;

use clap::ArgMatches;
use fault::Result;
use toolkit::serde_json::{Value, json};

use crate::config::Common;
use crate::config::layers::{self, Layers};
use crate::config::model::Asked;
use crate::exit::Exit;
use crate::terminal;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// JSON, for programs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    _run: Asked,
}

pub(super) fn run(args: &Args, layers: &Layers, flags: &ArgMatches) -> Result<Exit> {
    let rows = layers.origins(flags);
    if args.json {
        let row = |(name, value, from): &(String, Option<String>, String)| json!({"name": name, "value": value, "from": from});
        terminal::print(&format!("{:#}\n", rows.iter().map(row).collect::<Value>()))?;
    } else {
        let wide = rows.iter().filter_map(|(_, value, _)| value.as_ref().map(String::len)).max();
        let wide = wide.unwrap_or(0).clamp(24, 40);
        let mut text = String::new();
        for (name, value, from) in rows {
            let unset = || default(&name).unwrap_or_else(|| "none".to_owned());
            let value = toolkit::escape(&value.unwrap_or_else(|| format!("({})", unset())));
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

/// What holds without a value, from the help of the flag.
fn default(name: &str) -> Option<String> {
    let flags = layers::command();
    let name = name.strip_prefix("run.").unwrap_or(name);
    let flag = flags.get_arguments().find(|arg| arg.get_long() == Some(name))?;
    let help = flag.get_help()?.to_string();
    let (_, default) = help.split_once("[default: ")?;
    Some(default.split(']').next()?.split_whitespace().collect::<Vec<_>>().join(" "))
}
