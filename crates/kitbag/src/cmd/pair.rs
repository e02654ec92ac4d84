//! `kitbag pair`.

use std::path::PathBuf;

use fault::Result;
use toolkit::browser;

use super::Exit;
use crate::config::Place;
use crate::terminal;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Directory for the journal and other files of Kitbag's own
    #[arg(long, env = "KITBAG_STATE", value_name = "DIR")]
    state: Option<PathBuf>,
    /// The token alone
    #[arg(long)]
    token: bool,
}

pub(super) fn run(args: &Args) -> Result<Exit> {
    let state = Place { root: None, state: args.state.clone() }.state()?;
    let token = browser::token(&state)?;
    if args.token {
        terminal::print(&format!("{token}\n"))?;
        return Ok(Exit::Success);
    }
    terminal::print(&format!(
        "1. In Chrome or Chromium open chrome://extensions, switch on developer mode, choose \
         \"Load unpacked\" and the directory `extension` of Kitbag's sources.\n\
         2. Click Kitbag's button beside the address bar, and give it this token:\n\n   {token}\n\n\
         3. Share the tabs that models may use, with the same button.\n"
    ))?;
    Ok(Exit::Success)
}
