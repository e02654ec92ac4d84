//! Floyd `run`.

use std::collections::BTreeMap;
use std::time::Duration;

use programs::git::command_line;
use programs::process::{Exit, Line, Program, Reach};

use crate::prelude::*;
use crate::program::{not_run, shown, with_surroundings};

/// Run a program with its args, or a shell command line if there are none. What it leaves in the
/// background ends with it.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Run {
    /// Program, or a command line
    command: String,
    /// Arguments, which no shell reads
    args: Option<Vec<String>>,
    /// Directory to start in
    cwd: Option<String>,
    /// Milliseconds (default 120000)
    timeout: Option<u64>,
    /// Environment variables
    env: Option<BTreeMap<String, String>>,
}

/// What the program did.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// Whether the exit code was 0
    success: bool,
    /// Null if it was ended
    exit_code: Option<i32>,
    /// Its end if it is long
    stdout: String,
    /// Its end if it is long
    stderr: String,
    /// Milliseconds
    duration: u64,
    /// What else happened
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Run {
    fn line(&self) -> Line<'_> {
        match self.args.as_deref() {
            None | Some([]) => Line::Shell(&self.command),
            Some(args) => Line::Direct { name: &self.command, args },
        }
    }

    fn time(&self, cx: &Cx<'_>) -> Result<Duration> {
        let limits = cx.limits();
        match self.timeout {
            None => Ok(limits.program_time),
            Some(0) => Err(Error::invalid_input("timeout", "0; give at least 1, or leave it out")),
            Some(ms) => Ok(Duration::from_millis(ms).min(limits.program_time_max)),
        }
    }
}

impl Tool for Run {
    type Output = Output;

    const SPEC: Spec = Spec::new("run", "Run a command", Category::Programs)
        .effect(Effect::RUNS, Permission::Dangerous)
        .errors(&[LISTING, &[Code::CommandNotFound, Code::Timeout, Code::Killed]])
        .examples(&[
            Example::of("A program with arguments, which no shell reads")
                .call(r#"{"command": "printf", "args": ["%s\n", "$HOME", "a b"]}"#)
                .gives(r#"{"success": true, "exitCode": 0, "stdout": "$HOME\na b\n", "stderr": "", "duration": "[..]"}"#),
            Example::of("A command line; an exit code other than 0 is an answer")
                .given(&[("src/a.txt", "hello\n")])
                .call(r#"{"command": "cat a.txt; echo \"$WHO\" >&2; exit 3", "cwd": "src", "env": {"WHO": "me"}}"#)
                .gives(r#"{"success": false, "exitCode": 3, "stdout": "hello\n", "stderr": "me\n", "duration": "[..]"}"#),
            Example::of("What was printed before the time was up is kept")
                .call(r#"{"command": "echo begun; sleep 60", "timeout": 300}"#)
                .fails(Code::Timeout, r#"{"success": false, "exitCode": null, "stdout": "begun\n", "stderr": "", "duration": "[..]", "error": "echo begun; sleep 60: ended after 300ms, [..] raise timeout or run a part of it"}"#),
            Example::of("A program that is not installed")
                .call(r#"{"command": "no-such-program", "args": ["-v"]}"#)
                .fails(Code::CommandNotFound, r#"{"success": false, "exitCode": null, "stdout": "", "stderr": "", "duration": 0, "error": "no-such-program: no such program in PATH [..]"}"#),
        ]);

    fn about(&self) -> String {
        let text = match self.args.as_deref() {
            None | Some([]) => self.command.clone(),
            Some(args) => format!("{} {}", self.command, command_line(args)),
        };
        with_surroundings(text, self.env.as_ref(), self.cwd.as_ref())
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        if self.command.trim().is_empty() {
            return Err(Error::invalid_input("command", "empty; give a program or a command line"));
        }
        let env: Vec<_> = self.env.clone().unwrap_or_default().into_iter().collect();
        let dir = self.cwd.as_deref().unwrap_or(".");
        let program = Program {
            line: self.line(),
            dir,
            env: &env,
            timeout: self.time(cx)?,
            reach: Reach::Workspace,
        };
        let done = cx.run_program(&program);
        let done = done.map_err(|error| match (error.code, self.line()) {
            (Code::CommandNotFound, Line::Direct { name, .. }) if name.contains(' ') => {
                let advice =
                    "with args, the name of one program; leave args out for a command line";
                Error::invalid_input("command", format!("{name}: {advice}"))
            }
            (Code::CommandNotFound, _) => failed(error, &Output::default()),
            _ => error,
        })?;
        let changes = cx.step()?.note_program()?.notes;
        let (stdout, stderr, note) = shown(cx, &done, &changes);
        let exit_code = match done.exit {
            Exit::Cancelled => return Err(Error::cancelled()),
            Exit::Code(code) => Some(code),
            Exit::Signal(_) | Exit::TimedOut(_) => None,
        };
        if let (Line::Shell(_), Some(code)) = (self.line(), exit_code) {
            not_run(code, &self.command, &done, None)?;
        }
        let output = Output {
            success: exit_code == Some(0),
            exit_code,
            stdout,
            stderr,
            duration: done.wall.as_millis() as u64,
            note,
        };
        let error = match done.exit {
            Exit::TimedOut(time) => Error::command_timed_out(&self.command, time, "timeout"),
            Exit::Signal(signal) => Error::command_killed(Code::Killed, &self.command, signal),
            Exit::Code(_) | Exit::Cancelled => return Ok(output),
        };
        Err(failed(error, &output))
    }
}
