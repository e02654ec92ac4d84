//! Kitbag: hands on a codebase for language models.

mod cmd;
mod compose;
mod config;
mod exit;
mod log;
mod network;
mod printer;
mod screen;
mod terminal;

use std::process::ExitCode;

fn main() -> ExitCode {
    match cmd::run() {
        Ok(exit) => exit.into(),
        Err(error) => {
            terminal::complain(&error);
            exit::Exit::of(&error).into()
        }
    }
}
