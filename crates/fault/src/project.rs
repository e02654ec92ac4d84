//! Failures of a project's own commands: there is none, or it ran and failed.

use std::time::Duration;

use super::{Code, Error};
use crate::cut;

/// Command lines may be whole scripts; a message quotes the beginning of one.
const QUOTED: usize = 200;

impl Error {
    /// The project in `path` has no command of this `word`; `facts` says what was found there.
    pub fn no_command(code: Code, path: &str, word: &str, facts: &str, advice: &str) -> Self {
        Self::new(
            code,
            format!(
                "{path}: no {word} command: no script, tool with settings, or makefile target for \
                 it ({facts}); {advice}, or name another directory"
            ),
        )
        .with("path", path)
    }

    /// A program that a command needs is not installed; `how` is the command that gets it.
    pub fn program_missing(program: &str, command: &str, how: Option<&str>) -> Self {
        let command = &*cut(command, QUOTED);
        let how = how.map_or_else(
            || "install it, or give another command".to_owned(),
            |how| format!("to install it: {how}"),
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
