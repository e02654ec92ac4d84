//! Stack `run`.

use std::collections::BTreeMap;
use std::time::Duration;

use programs::process::{Exit, Line, Program, Reach};

use crate::prelude::*;
use crate::program::{shown, with_surroundings};

/// The document's limit, half of what other tools give a program.
const TIME: Duration = Duration::from_secs(60);

/// Run a shell command. What it leaves in the background ends with it.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Run {
    /// Shell command
    command: String,
    /// Seconds (default 60)
    timeout: Option<u64>,
    /// Directory to start in
    cwd: Option<String>,
    /// Environment variables
    env: Option<BTreeMap<String, String>>,
}

/// What the command did.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether the exit code was 0
    success: bool,
    /// Exit code; minus the signal that ended it
    returncode: i32,
    /// Its end if it is long
    stdout: String,
    /// Its end if it is long
    stderr: String,
    /// As given
    command: String,
    /// What else happened
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for Run {
    type Output = Output;

    const SPEC: Spec = Spec::new("run", "Run a command", Category::Programs)
        .effect(Effect::RUNS, Permission::Dangerous)
        .errors(&[LISTING, &[Code::CommandNotFound, Code::Timeout]])
        .examples(&[
            Example::of("An exit code other than 0 is an answer")
                .given(&[("src/a.txt", "hello\n")])
                .call(r#"{"command": "cat a.txt; echo \"$WHO $PORT\" >&2; exit 3", "cwd": "src", "env": {"WHO": "me", "PORT": 8080}}"#)
                .gives(r#"{"success": false, "returncode": 3, "stdout": "hello\n", "stderr": "me 8080\n", "command": "[..]"}"#),
            Example::of("What was printed before the time was up is kept")
                .call(r#"{"command": "echo begun; sleep 60", "timeout": 1}"#)
                .fails(Code::Timeout, r#"{"success": false, "returncode": -15, "stdout": "begun\n", "stderr": "", "command": "echo begun; sleep 60", "error": "echo begun; sleep 60: ended after 1s, [..]", "code": "Timeout"}"#),
        ]);

    fn about(&self) -> String {
        with_surroundings(self.command.clone(), self.env.as_ref(), self.cwd.as_ref())
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        if self.command.trim().is_empty() {
            return Err(Error::invalid_input("command", "empty; give a shell command"));
        }
        let timeout = match self.timeout.map(Duration::from_secs) {
            Some(Duration::ZERO) => {
                return Err(Error::invalid_input("timeout", "0; give at least 1, or leave it out"));
            }
            asked => asked.unwrap_or(TIME).min(cx.limits().program_time_max),
        };
        let env: Vec<_> = self.env.unwrap_or_default().into_iter().collect();
        let dir = self.cwd.as_deref().unwrap_or(".");
        let program = Program {
            line: Line::Shell(&self.command),
            dir,
            env: &env,
            timeout,
            reach: Reach::Workspace,
        };
        let done = cx.run_program(&program)?;
        let changes = cx.step()?.note_program()?.notes;
        let (stdout, stderr, note) = shown(cx, &done, &changes);
        let (returncode, timed_out) = match done.exit {
            Exit::Cancelled => return Err(Error::cancelled()),
            Exit::Code(code) => (code, None),
            Exit::Signal(signal) => (-signal, None),
            Exit::TimedOut(time) => (-15, Some(time)),
        };
        let success = returncode == 0;
        let command = self.command;
        let output = Output { success, returncode, stdout, stderr, command, note };
        match timed_out {
            Some(time) => {
                let error = Error::command_timed_out(&output.command, time, "timeout");
                Err(failed(error, &output))
            }
            None => Ok(output),
        }
    }
}
