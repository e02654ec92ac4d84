//! fiz `bash`.

use std::time::Duration;

use programs::process::{Exit, Finished, Line, Program, Reach};

use crate::prelude::*;

/// Run a shell command: builds, tests, git. To look at files use find, grep and read. What it
/// leaves in the background ends with it.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Bash {
    /// Shell command
    command: String,
    /// Time limit in milliseconds (default 120000)
    timeout_ms: Option<u64>,
}

impl Tool for Bash {
    type Output = String;

    const SPEC: Spec = Spec::new("bash", "Run a command", Category::Programs)
        .effect(Effect::RUNS, Permission::Dangerous)
        .errors(&[&[Code::Timeout, Code::CommandNotFound]])
        .examples(&[
            Example::of("Output and error output apart")
                .given(&[("a.txt", "hello\n")])
                .call(r#"{"command": "cat a.txt; echo oops >&2; exit 3"}"#)
                .gives("Exit code: 3\nWall time: [..]s\nOutput:\nhello\n\nStderr:\noops\n")
                .leaves(&[("a.txt", "hello\n")]),
            Example::of("What was printed before the time was up is kept")
                .call(r#"{"command": "echo begun; sleep 60", "timeout_ms": 300}"#)
                .fails(
                    Code::Timeout,
                    "error: bash: command timed out after 300ms[..]\nOutput:\nbegun\n[..]",
                ),
        ]);

    fn about(&self) -> String {
        self.command.clone()
    }

    fn run(self, cx: &Cx<'_>) -> Result<String> {
        if self.command.trim().is_empty() {
            return Err(Error::invalid_input("command", "empty; give a shell command"));
        }
        let limits = cx.limits();
        let timeout = match self.timeout_ms {
            None => limits.program_time,
            Some(0) => {
                return Err(Error::invalid_input(
                    "timeout_ms",
                    "0; give at least 1, or leave it out",
                ));
            }
            Some(ms) => Duration::from_millis(ms).min(limits.program_time_max),
        };
        let program = Program {
            line: Line::Shell(&self.command),
            dir: ".",
            env: &[],
            timeout,
            reach: Reach::Workspace,
        };
        let finished = cx.run_program(&program)?;
        let changes = cx.step()?.note_program()?;
        let output = shown(cx, &finished);
        match finished.exit {
            Exit::TimedOut(_) => {
                let notes: String =
                    changes.notes.iter().map(|note| format!("[{note}]\n")).collect();
                let text = format!(
                    "bash: command timed out after {timeout:?}; raise timeout_ms or run a part of it\n{notes}{output}"
                );
                Err(Error::new(Code::Timeout, text))
            }
            Exit::Cancelled => Err(Error::cancelled()),
            Exit::Code(code) => Ok(report(&code.to_string(), &finished, &output, &changes.notes)),
            Exit::Signal(signal) => {
                let code = format!("{} (ended by signal {signal})", 128 + signal);
                Ok(report(&code, &finished, &output, &changes.notes))
            }
        }
    }
}

fn report(code: &str, finished: &Finished, output: &str, notes: &[String]) -> String {
    let mut text = format!("Exit code: {code}\nWall time: {:.2}s\n", finished.wall.as_secs_f64());
    if finished.ended > 0 {
        text += &format!("[{}]\n", crate::program::left_running(finished.ended));
    }
    for note in finished.advice.iter().chain(notes) {
        text += &format!("[{note}]\n");
    }
    text + output
}

/// Both streams, each cut at its end of 2000 lines or the bytes of a result.
fn shown(cx: &Cx<'_>, finished: &Finished) -> String {
    if cx.is_live() {
        return String::new();
    }
    let part = |name: &str, output: &programs::process::Output| {
        let mut shown = output.tail(cx.limits().result_lines, cx.result_bytes());
        if shown.replaced {
            shown.text = format!("[{}]\n{}", crate::program::not_utf8(name), shown.text);
        }
        let left_out = match (shown.omitted_lines, shown.omitted_bytes) {
            (0, 0) => return shown.text,
            (0, bytes) => format!("{bytes} bytes"),
            (lines, _) => format!("{lines} lines"),
        };
        let whole =
            output.spill.as_ref().map(|s| format!("[The whole output: {}]\n", s.path.display()));
        format!("[Truncated: {left_out} omitted]\n{}{}", whole.unwrap_or_default(), shown.text)
    };
    let (out, err) =
        (part("standard output", &finished.stdout), part("standard error", &finished.stderr));
    let mut text = format!("Output:\n{}", if out.is_empty() { "(no output)\n" } else { &out });
    if !err.is_empty() {
        text += &format!("\nStderr:\n{err}");
    }
    text
}
