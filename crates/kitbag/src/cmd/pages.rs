//! `kitbag completions` and `kitbag man`, both made from the definitions of the command line.

#![expect(
    clippy::disallowed_methods,
    reason = "writes manual pages into a directory that a person named"
)]

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::CommandFactory as _;
use clap::builder::PossibleValuesParser;
use fault::{Error, Result};

use super::CommandLine;
use crate::config::layers;
use crate::exit::Exit;
use crate::terminal;

#[derive(Debug, clap::Args)]
pub(crate) struct Completions {
    /// The shell
    shell: clap_complete::Shell,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Man {
    /// The directory
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(super) fn completions(args: &Completions) -> Result<Exit> {
    let mut script = Vec::new();
    // A tool is called by any of its names; the scripts offer the first of each toolset.
    let sets = toolsets::NAMES.iter().filter_map(|name| toolsets::toolset(name));
    let tools = sets.flat_map(toolkit::Toolset::into_entries).map(|entry| entry.spec.name);
    let tools: BTreeSet<_> = tools.collect();
    let fish = tools.iter().copied().collect::<Vec<_>>().join(" ");
    let tools = PossibleValuesParser::new(tools);
    let named = |inner: clap::Command| {
        inner.mut_args(|arg| match arg.get_id() == "tool" {
            true => arg.value_parser(tools.clone()),
            false => arg,
        })
    };
    let mut program =
        CommandLine::command().mut_subcommand("call", named).mut_subcommand("tools", named);
    clap_complete::generate(args.shell, &mut program, "kitbag", &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if args.shell == clap_complete::Shell::Fish {
        // What is written for fish says nothing of arguments without a flag.
        script += &format!(
            "complete -c kitbag -n '__fish_seen_subcommand_from call tools' -f -a '{fish}'\n"
        );
    }
    terminal::print(&script)?;
    Ok(Exit::Success)
}

/// Every command with its help, as the reference shows it; the shared flags once, at the end.
pub(super) fn reference() -> Result<Exit> {
    let mut page = String::from(
        "<!-- Written by `cargo xtask docs` from the source; do not edit. -->\n# The command line\n\n\
         [Exit codes, configuration files](../guide/cli.md). Most commands also take some of the \
         [shared flags](#shared-flags).\n",
    );
    let mut program = CommandLine::command();
    program.build();
    describe(&mut page, program);
    let help = help(layers::command().help_template("{all-args}"));
    page.push_str(&format!("\n## Shared flags\n\n```text\n{help}\n```\n"));
    terminal::print(&page)?;
    Ok(Exit::Success)
}

fn help(command: clap::Command) -> String {
    // What the environment of the writer sets does not belong into the page.
    let command = command.mut_args(|argument| argument.hide_env_values(true));
    let help = command.term_width(100).render_long_help().to_string();
    help.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

fn describe(page: &mut String, command: clap::Command) {
    let name = command.get_bin_name().unwrap_or(command.get_name()).to_owned();
    let own = command.clone().mut_args(|flag| match flag.get_env() {
        Some(_) => flag.hide(true),
        None => flag,
    });
    page.push_str(&format!("\n## {name}\n\n```text\n{}\n```\n", help(own)));
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
