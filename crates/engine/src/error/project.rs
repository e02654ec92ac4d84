//! Failures of a project's own commands: there is none, or it ran and failed.

use std::time::Duration;

use super::{Code, Error};
use crate::project::{Project, Purpose, how_to_get};
use crate::text::cut;

/// Command lines may be whole scripts; a message quotes the beginning of one.
const QUOTED: usize = 200;

impl Error {
    /// The project in `path` has no command for this; says what it is and what was looked for.
    pub fn no_command(path: &str, purpose: Purpose, project: &Project, advice: &str) -> Self {
        let code = match purpose {
            Purpose::Test => Code::NoTestCommand,
            Purpose::Format => Code::NoFormatCommand,
            Purpose::Lint => Code::NoLintCommand,
            Purpose::Build => Code::NoBuildCommand,
            Purpose::Typecheck | Purpose::Install => Code::InvalidInput,
        };
        let found = match project.config_files.as_slice() {
            [] => "there is no manifest that is known".to_owned(),
            files => format!("there are {}", files.join(", ")),
        };
        let notes: String = project.notes.iter().map(|note| format!("; {note}")).collect();
        let (kind, word) = (project.kind.as_str(), purpose.as_str());
        Self::new(
            code,
            format!(
                "{path}: no {word} command: no script, tool with settings, or makefile target for \
                 it (kind {kind}, {found}{notes}); {advice}, or name another folder"
            ),
        )
        .with("path", path)
    }

    /// A program that a command needs is not installed; `manager` is that of the project.
    pub fn program_missing(program: &str, command: &str, manager: Option<&str>) -> Self {
        let command = &*cut(command, QUOTED);
        let how = how_to_get(program, manager).map_or_else(
            || "install it, or give another command".to_owned(),
            |how| format!("get it with: {how}"),
        );
        Self::new(
            Code::CommandNotFound,
            format!("{program}: not installed, and `{command}` needs it; {how}"),
        )
        .with("program", program)
    }

    /// A command was found and may not be executed.
    pub fn not_executable(command: &str) -> Self {
        let command = &*cut(command, QUOTED);
        Self::new(
            Code::PermissionDenied,
            format!(
                "{command}: the operating system refuses to run it; check that it is executable"
            ),
        )
        .with("command", command)
    }

    /// A command ended with this exit code; `told` is what its output says, short.
    pub fn command_failed(code: Code, command: &str, exit: i32, told: &str) -> Self {
        let command = &*cut(command, QUOTED);
        let told = if told.is_empty() { "its output says why" } else { told };
        Self::new(code, format!("{command}: exit code {exit}; {told}")).with("command", command)
    }

    /// A command was ended by a signal that nobody here sent.
    pub fn command_killed(code: Code, command: &str, signal: i32) -> Self {
        let command = &*cut(command, QUOTED);
        Self::new(
            code,
            format!(
                "{command}: ended by signal {signal}; what it printed until then is in the result"
            ),
        )
        .with("signal", signal)
    }

    /// A command took longer than it may; `raise` is the parameter that gives it more, if any.
    pub fn command_timed_out(command: &str, time: Duration, raise: &str) -> Self {
        let command = &*cut(command, QUOTED);
        let advice = if raise.is_empty() {
            "run a part of it".to_owned()
        } else {
            format!("raise {raise} or run a part of it")
        };
        Self::new(
            Code::Timeout,
            format!(
                "{command}: ended after {time:?}, its limit; what it printed until then is in the \
                 result. {advice}"
            ),
        )
        .with("command", command)
    }
}
