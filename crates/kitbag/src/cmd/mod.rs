//! The subcommands, each in its own file with its arguments.

mod acp;
mod call;
mod chat;
mod config;
mod demo;
mod doctor;
mod find;
mod journal;
mod pages;
mod pair;
mod replay;
mod run;
mod serve;
mod sessions;
mod setup;
mod tools;
mod trust;
mod usage;

use std::path::Path;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use fault::{Error, Result};

use crate::config::layers::{self, Layers};
use crate::exit::Exit;

/// Hands on a codebase for language models: files, search, edits, programs and undo, as an MCP
/// server and on the command line.
#[derive(Debug, Parser)]
#[command(name = "kitbag", version, arg_required_else_help = true)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Watch an agent session fix a failing test in a sample project; needs no model, no network
    Demo(demo::Args),
    /// Serve the tools to an MCP host on standard input and output
    Serve(serve::Args),
    /// Print what a host needs to start the server, or write it into the host's file
    Setup(setup::Args),
    /// Call one tool
    Call(call::Args),
    /// Find files by some letters of their paths, the best first
    Find(find::Args),
    /// Let a model work on the project with the tools, until it is done
    Run(run::Args),
    /// Talk with a model that works on the project, prompt after prompt
    Chat(chat::Args),
    /// Serve a model with the tools to an editor that speaks the Agent Client Protocol, on standard
    /// input and output
    Acp(acp::Args),
    /// List the sessions of models, newest first
    Sessions(sessions::Args),
    /// Show what was said and done in a session
    Replay(replay::Args),
    /// Show the tokens that sessions took and what they cost, by model
    Usage(usage::Args),
    /// Show the tools of a toolset, one tool, or their definitions for a model provider
    Tools(tools::Args),
    /// List the calls that changed this directory, newest first
    Log(journal::Log),
    /// Take back a call's changes: of call N, or of the last one made or redone
    Undo(journal::Undo),
    /// Make a call's changes again: of call N, or of the last one undone
    Redo(journal::Turn),
    /// Show what a call changed: call N, or the one that `undo` would take back
    Diff(journal::Diff),
    /// Show every setting and where its value comes from: a flag, the environment or a file
    Config(config::Args),
    /// Check what works on this machine, and say how to get what is missing
    Doctor(doctor::Args),
    /// Allow the hooks and filters of a git repository to run when a tool changes it
    TrustRepo(trust::Args),
    /// Show how to load and pair the extension, and its token
    Pair(pair::Args),
    /// Write the completions of a shell to standard output
    Completions(pages::Completions),
    /// Write the reference of the command line, Markdown, to standard output
    #[command(hide = true)]
    Reference,
    /// Write the manual pages into a directory
    Man(pages::Man),
}

/// The help of a subcommand.
fn help(name: &str) -> String {
    let mut program = CommandLine::command();
    program.build();
    let help = program.find_subcommand_mut(name).map(|command| command.render_long_help());
    help.map_or_else(String::new, |help| format!("{}\n", help.ansi()))
}

/// The flags of `kitbag acp` over what the files say for the project in a directory.
fn acp_in(root: &Path) -> Result<acp::Args> {
    let program = CommandLine::command();
    let first = program.clone().get_matches();
    let flags = first.subcommand().map_or(&first, |(_, flags)| flags);
    let mut layers = Layers::read_for(flags, Some(root));
    if !layers.problems.is_empty() {
        return Err(layers.problems.swap_remove(0));
    }
    let matches = layers.fill(program).try_get_matches().map_err(Error::internal)?;
    match CommandLine::from_arg_matches(&matches).map_err(Error::internal)?.command {
        Command::Acp(args) => Ok(args),
        _ => Err(Error::internal("another command")),
    }
}

/// Reads the command line, once more over what the configuration files say if they say anything,
/// and runs the subcommand.
pub(crate) fn run() -> Result<Exit> {
    let program = CommandLine::command();
    let first = program.clone().get_matches();
    let layers = match first.subcommand() {
        Some((name, flags)) if program.find_subcommand(name).is_some_and(layers::fills) => {
            // Each session of an editor has a project of its own.
            let mut layers = match name {
                "acp" => Layers::read_for(flags, None),
                _ => Layers::read(flags),
            };
            match name {
                // These show what is wrong.
                "config" | "doctor" => {}
                // A person may need these to get out of what went wrong.
                "log" | "undo" | "redo" | "diff" => {
                    for problem in &layers.problems {
                        crate::terminal::say(&format!("{problem}; ignored here"));
                    }
                }
                _ if layers.problems.is_empty() => {}
                _ => return Err(layers.problems.swap_remove(0)),
            }
            layers
        }
        _ => Layers::default(),
    };
    let matches = if layers.is_empty() { first } else { layers.fill(program).get_matches() };
    let command = CommandLine::from_arg_matches(&matches).map_err(Error::internal)?.command;
    match command {
        Command::Config(args) => {
            let flags = matches.subcommand().map(|(_, flags)| flags);
            config::run(&args, &layers, flags.unwrap_or(&matches))
        }
        Command::Demo(args) => demo::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Setup(args) => setup::run(&args),
        Command::Call(args) => call::run(args),
        Command::Find(args) => find::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Chat(args) => chat::run(&args),
        Command::Acp(args) => acp::run(&args),
        Command::Sessions(args) => sessions::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Usage(args) => usage::run(&args),
        Command::Tools(args) => tools::run(&args),
        Command::Log(args) => journal::log(&args),
        Command::Undo(args) => journal::undo(&args),
        Command::Redo(args) => journal::redo(&args),
        Command::Diff(args) => journal::diff(&args),
        Command::Doctor(args) => doctor::run(&args, &layers.problems),
        Command::TrustRepo(args) => trust::run(&args),
        Command::Pair(args) => pair::run(&args),
        Command::Completions(args) => pages::completions(&args),
        Command::Reference => pages::reference(),
        Command::Man(args) => pages::man(&args),
    }
}
