//! Kitbag: hands on a codebase for language models.

mod cmd;
mod config;
mod network;
mod terminal;
mod wire;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    let config::Args { command } = config::Args::parse();
    match cmd::run(command) {
        Ok(exit) => exit.into(),
        Err(error) => {
            terminal::complain(&error);
            cmd::Exit::of(&error).into()
        }
    }
}
