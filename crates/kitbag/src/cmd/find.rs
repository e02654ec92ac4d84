//! `kitbag find`.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::ValueHint;
use fault::{Cancel, Result};
use files::search::{Fitting, Fuzzy, fuzzy};
use files::{Limits, Workspace};
use toolkit::serde_json::json;

use crate::config::Place;
use crate::exit::Exit;
use crate::terminal;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Letters of the path in their order; of several words each must fit
    #[arg(required = true)]
    letters: Vec<String>,
    /// Directory to look in, below that of the project
    #[arg(long, default_value = ".", value_name = "DIR", value_hint = ValueHint::DirPath)]
    dir: String,
    /// Most paths that are shown
    #[arg(long, default_value_t = 50, value_name = "N")]
    max: usize,
    /// Show them as JSON
    #[arg(long)]
    json: bool,
    /// Directory of the project [default: the current directory]
    #[arg(long, env = "KITBAG_ROOT", value_name = "DIR", value_hint = ValueHint::DirPath)]
    #[arg(help_heading = "Project")]
    root: Option<PathBuf>,
}

/// Exit 1 if no path fits.
pub(super) fn run(args: &Args) -> Result<Exit> {
    let workspace = Workspace::open(
        &Place { root: args.root.clone(), state: None }.root()?,
        &[],
        Limits::default(),
    )?;
    let pattern = args.letters.join(" ");
    let asked = Fuzzy { pattern: &pattern, dir: &args.dir, max: args.max };
    let Fitting { spots, total } = fuzzy(&workspace, &asked, &Cancel::default())?;
    let shown: Vec<&str> = spots.iter().map(|spot| &*spot.shown).collect();
    if args.json {
        terminal::print(&format!("{:#}\n", json!({ "paths": shown, "total": total })))?;
    } else {
        let mut text = String::new();
        for path in &shown {
            let _ = writeln!(text, "{}", toolkit::escape(path));
        }
        terminal::print(&text)?;
        if total > shown.len() {
            terminal::say(&format!("{} of {total} paths that fit; --max shows more", shown.len()));
        }
    }
    Ok(if shown.is_empty() { Exit::Failure } else { Exit::Success })
}
