//! `kitbag trust-repo`.

use std::fmt::Write as _;
use std::path::PathBuf;

use fault::{Cancel, Error, Result};
use files::{Limits, State, Workspace};
use programs::git::{Repository, Vetted};
use programs::process::{self, Runner};

use crate::config::{self, Place};
use crate::exit::Exit;
use crate::terminal;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Directory of the repository [default: the current directory]
    dir: Option<PathBuf>,
    /// Do not allow them any more
    #[arg(long, conflicts_with = "list")]
    remove: bool,
    /// List the repositories whose hooks and filters run
    #[arg(long, conflicts_with = "dir")]
    list: bool,
    /// Directory for the journal and other files of Kitbag's own
    #[arg(long, env = "KITBAG_STATE", value_name = "DIR")]
    state: Option<PathBuf>,
}

impl Args {
    fn state(&self) -> Result<State> {
        Place { root: None, state: self.state.clone() }.state()
    }
}

pub(super) fn run(args: &Args) -> Result<Exit> {
    let state = args.state()?;
    let vetted = Vetted::new(state.clone());
    if args.list {
        let mut text = String::new();
        for path in vetted.list()? {
            let _ = writeln!(text, "{}", toolkit::escape(&path.display().to_string()));
        }
        terminal::print(&text)?;
        return Ok(Exit::Success);
    }
    let dir = args.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    if args.remove {
        return remove(&vetted, &dir);
    }
    let workspace = Workspace::open(&dir, &[], Limits::default())?;
    let settings = process::Settings { env: config::environment(), ..Default::default() };
    let runner = Runner::new(settings, state, &files::journal::new_id());
    let cancel = Cancel::default();
    let repository = Repository::open(&runner, &workspace, &cancel, None, &vetted, ".")?;
    let path = repository.vet(&vetted)?;
    let own = repository.own_programs();
    let mut text = format!("trusted: {}\n", toolkit::escape(&path.display().to_string()));
    match own.as_slice() {
        [] => {
            text +=
                "it configures no hooks or filters now; those that it configures later will run\n"
        }
        own => {
            text += "these run from now on when its files are staged, committed or checked out:\n";
            for name in own {
                let _ = writeln!(text, "  {}", toolkit::escape(name));
            }
        }
    }
    terminal::print(&text)?;
    Ok(Exit::Success)
}

/// Takes a repository off the list, named by its directory, its `.git`, or what `--list` printed.
fn remove(vetted: &Vetted, dir: &std::path::Path) -> Result<Exit> {
    let named = std::path::absolute(dir).map_err(|e| Error::invalid_input("DIR", e))?;
    let real = Workspace::open(dir, &[], Limits::default());
    let real = real.map_or_else(|_| named, |workspace| workspace.root().to_owned());
    for path in [real.join(".git"), real.clone()] {
        if vetted.remove(&path)? {
            let shown = toolkit::escape(&path.display().to_string());
            terminal::print(&format!("no longer trusted: {shown}\n"))?;
            return Ok(Exit::Success);
        }
    }
    Err(Error::invalid_input(
        "DIR",
        format!("{}: not a trusted repository; --list shows them", dir.display()),
    ))
}
