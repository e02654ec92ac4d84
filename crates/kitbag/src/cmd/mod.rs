//! One file a subcommand.

mod call;
mod demo;
mod doctor;
mod journal;
mod pages;
mod serve;
mod tools;
mod trust;

use fault::{Code, Error, Result};

use crate::config::Command;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It did what was asked.
    Success = 0,
    /// A tool failed.
    Failure = 1,
    /// The command line cannot be used.
    Usage = 2,
    /// The policy or a person refused.
    Refused = 3,
    /// Ended by the interrupt key.
    Interrupted = 130,
}

impl Exit {
    /// How a command ends that fails with `error`; whether a call was refused, its outcome says.
    pub(crate) fn of(error: &Error) -> Self {
        match error.code {
            Code::InvalidInput | Code::UnknownTool => Self::Usage,
            Code::Cancelled => Self::Interrupted,
            _ => Self::Failure,
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Runs a subcommand.
pub(crate) fn run(command: Command) -> Result<Exit> {
    match command {
        Command::Demo(demo) => demo::run(&demo),
        Command::Serve { common } => serve::run(&common),
        Command::Call(call) => call::run(call),
        Command::Tools(tools) => tools::run(&tools),
        Command::Log { place, most, json } => journal::log(&place, most, json),
        Command::Undo(turn) => journal::turn(&turn, files::journal::Direction::Undo),
        Command::Redo(turn) => journal::turn(&turn, files::journal::Direction::Redo),
        Command::Diff { place, call } => journal::diff(&place, call),
        Command::Doctor { place, fix, json } => doctor::run(&place, fix, json),
        Command::TrustRepo(args) => trust::run(&args),
        Command::Completions { shell } => pages::completions(shell),
        Command::Reference => pages::reference(),
        Command::Man { folder } => pages::man(&folder),
    }
}
