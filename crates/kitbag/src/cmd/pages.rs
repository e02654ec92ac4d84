//! `kitbag completions` and `kitbag man`, both made from the definitions of the command line.

#![expect(
    clippy::disallowed_methods,
    reason = "writes manual pages into a directory that a person named"
)]

use std::path::PathBuf;

use clap::CommandFactory as _;
use fault::{Error, Result};

use super::{CommandLine, Exit};
use crate::terminal;

#[derive(Debug, clap::Args)]
pub(crate) struct Completions {
    /// The shell
    shell: clap_complete::Shell,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Man {
    /// The directory
    folder: PathBuf,
}

pub(super) fn completions(args: &Completions) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut CommandLine::command(), "kitbag", &mut script);
    terminal::print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Success)
}

/// Every command with its help, as the reference shows it.
pub(super) fn reference() -> Result<Exit> {
    let mut page = String::from(
        "<!-- Written by `cargo xtask docs` from the source; do not edit. -->\n# The command line\n",
    );
    let mut program = CommandLine::command().term_width(100);
    program.build();
    describe(&mut page, program);
    terminal::print(&page)?;
    Ok(Exit::Success)
}

fn describe(page: &mut String, command: clap::Command) {
    // What the environment of the writer sets does not belong into the page.
    let mut command = command.mut_args(|argument| argument.hide_env_values(true)).term_width(100);
    let name = command.get_bin_name().unwrap_or(command.get_name()).to_owned();
    let help = command.render_long_help().to_string();
    let help: Vec<&str> = help.lines().map(str::trim_end).collect();
    page.push_str(&format!("\n## {name}\n\n```text\n{}\n```\n", help.join("\n").trim_end()));
    for inner in command.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help") {
        describe(page, inner.clone());
    }
}

pub(super) fn man(Man { folder }: &Man) -> Result<Exit> {
    let fail = |e: std::io::Error| Error::io(&folder.display().to_string(), &e);
    std::fs::create_dir_all(folder).map_err(fail)?;
    clap_mangen::generate_to(CommandLine::command(), folder).map_err(fail)?;
    terminal::print(&format!("wrote the manual pages to {}\n", folder.display()))?;
    Ok(Exit::Success)
}
