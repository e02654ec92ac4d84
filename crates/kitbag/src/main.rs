//! Kitbag: hands on a codebase for language models.

mod cmd;
mod compose;
mod config;
mod log;
mod network;
mod terminal;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    match cmd::run(cmd::CommandLine::parse().command) {
        Ok(exit) => exit.into(),
        Err(error) => {
            terminal::complain(&error);
            cmd::Exit::of(&error).into()
        }
    }
}
