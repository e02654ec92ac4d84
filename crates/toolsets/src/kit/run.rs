//! kit `run`.

use std::sync::Arc;
use std::time::Duration;

use programs::process::{Background, Exit, Finished, Line, Program, Reach};
use programs::project::{how_to_get, missing, reports, summarize};

use super::asked;
use super::outputs::{Outputs, Printed};
use crate::prelude::*;
use crate::program::left_running;

/// Lines of an output that is shown whole, and bytes.
pub(super) const WHOLE: usize = 200;
pub(super) const WHOLE_BYTES: usize = 12 << 10;
/// Lines at the end of a longer one, and after failures that were told.
const TAIL: usize = 100;
const TAIL_AFTER_FAILURES: usize = 10;

/// How long a program in the background gets until it listens on its port.
const OPENS: Duration = Duration::from_secs(60);

/// Run a shell command: builds, tests, git. Failures of tests come first. The output stays under an
/// id, for grep, lines and diff instead of another run. {} lists what runs.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    pub(super) command: Option<String>,
    /// Seconds (120); with id, how long to wait for the end
    pub(super) timeout: Option<u64>,
    #[serde(default)]
    background: bool,
    /// Background server: wait for it
    port: Option<u16>,
    /// An earlier run; alone: its new output
    pub(super) id: Option<u32>,
    /// For stdin of a background run
    pub(super) input: Option<String>,
    #[serde(default)]
    pub(super) stop: bool,
    /// Regex
    pub(super) grep: Option<String>,
    /// `120-180`
    pub(super) lines: Option<String>,
    /// Against the last run of the same command
    #[serde(default)]
    pub(super) diff: bool,
}

impl Tool for Run {
    type Output = String;

    const SPEC: Spec = Spec::new("run", "Run a command", Category::Programs)
        .effect(Effect::RUNS.and(Effect::CONNECTS), Permission::Dangerous)
        .errors(&[&[Code::Timeout, Code::CommandNotFound, Code::PortInUse, Code::InvalidRegex]])
        .examples(&[
            Example::of("Both streams as they came")
                .given(&[("a.txt", "hello\n")])
                .call(r#"{"command": "cat a.txt; echo oops >&2; exit 3"}"#)
                .gives("exit 3 in [..]s (id 1)\nhello\noops"),
            Example::of("Tests that fail: which, why and where before the end of the output")
                .given(&[(
                    "pytest",
                    "echo '=== FAILURES ==='\necho '____ test_sum ____'\necho 'E   assert 3 == 4'\necho 'test_a.py:9: AssertionError'\necho '=== 1 failed, 2 passed in 0.1s ==='\nexit 1\n",
                )])
                .call(r#"{"command": "sh ./pytest; python3 -c 'import sys; sys.exit(1)'"}"#)
                .gives("exit 1 in [..]s (id 1); pytest: 1 failed, 2 passed\nFAIL test_sum at test_a.py:9: assert 3 == 4\n[..]"),
            Example::of("A long output ends with how to see the rest")
                .call(r#"{"command": "seq 1 1000"}"#)
                .gives("exit 0 in [..]s (id 1)\n901\n[..]1000\n[100 of 1000 lines; next: {\"id\": 1, \"lines\": \"701-900\"}]"),
            Example::of("In the background: stdin stays open")
                .call(r#"{"command": "echo ready; read x; echo got $x", "background": true}"#)
                .gives("running for [..]s (id 1)\nready\n"),
            Example::of("What runs")
                .gives("no programs yet; give a command"),
            Example::of("What was printed before the time was up is kept")
                .call(r#"{"command": "echo begun; sleep 60", "timeout": 1}"#)
                .fails(
                    Code::Timeout,
                    "error: echo begun; sleep 60: ended after 1s, [..]\nended by its time limit after [..]s (id 1)\nbegun",
                ),
            Example::of("An id that was never given")
                .call(r#"{"id": 7, "grep": "x"}"#)
                .fails(Code::InvalidInput, "error: id: 7: no program of this id; there are none yet"),
        ]);

    fn effect(&self) -> Effect {
        match (&self.command, self.starts_in_background(), &self.input) {
            (Some(_), false, _) => Effect::RUNS,
            // What it does meanwhile is not looked at first, nor brought in afterwards.
            (Some(_), true, _) | (None, _, Some(_)) => Effect::RUNS.and(Effect::CONNECTS),
            (None, _, None) => Effect::REMEMBERS,
        }
    }

    fn permission(&self) -> Permission {
        let acts = self.command.is_some() || self.input.is_some();
        if acts { Permission::Dangerous } else { Permission::None }
    }

    fn about(&self) -> String {
        match (&self.command, &self.input, self.port) {
            (Some(command), _, Some(port)) => {
                format!("{command}\nlistening on port {port}, until the session ends")
            }
            (Some(command), ..) if self.background => {
                format!("{command}\nin the background, until the session ends")
            }
            (Some(command), ..) => command.clone(),
            (None, Some(input), _) => {
                format!("input for program {}:\n{input}", self.id.unwrap_or(0))
            }
            (None, None, _) => String::new(),
        }
    }

    fn run(self, cx: &Cx<'_>) -> Result<String> {
        let outputs = cx.kept::<Outputs>();
        let Some(command) = &self.command else { return asked::answer(&self, cx, &outputs) };
        if command.trim().is_empty() {
            return Err(Error::invalid_input("command", "empty; give a shell command"));
        }
        if self.id.is_some() {
            return Err(Error::invalid_input("id", "not together with command; give one of them"));
        }
        if self.starts_in_background() {
            return self.start(command, cx, &outputs);
        }
        let done = self.foreground(command, cx)?;
        let notes = cx.step()?.note_program()?.notes;
        let printed = Arc::new(Printed::of(&done));
        let id = outputs.number();
        let text = self.report(command, id, &done, &printed, &notes, cx);
        let (command_kept, kept) = (command.clone(), Arc::clone(&printed));
        cx.when_kept(move || outputs.keep(id, command_kept, kept));
        match done.exit {
            Exit::Cancelled => Err(Error::cancelled()),
            Exit::TimedOut(time) => {
                let mut error = Error::command_timed_out(command, time, "timeout");
                error.message += &format!(", or use background\n{text}");
                Err(error)
            }
            Exit::Code(_) | Exit::Signal(_) => Ok(text),
        }
    }
}

impl Run {
    fn starts_in_background(&self) -> bool {
        self.background || self.port.is_some()
    }

    fn foreground(&self, command: &str, cx: &Cx<'_>) -> Result<Finished> {
        let limits = cx.limits();
        let timeout = match self.timeout {
            Some(0) => {
                return Err(Error::invalid_input("timeout", "0; give at least 1, or leave it out"));
            }
            Some(seconds) => Duration::from_secs(seconds).min(limits.program_time_max),
            None => limits.program_time,
        };
        cx.run_program(&program(&merged(command), timeout, Reach::Workspace))
    }

    fn start(&self, command: &str, cx: &Cx<'_>, outputs: &Outputs) -> Result<String> {
        let (id, name, line) = (outputs.number(), files::journal::new_id(), merged(command));
        let (time, reach) = match self.port {
            Some(_) => (self.timeout.map_or(OPENS, Duration::from_secs), Reach::Online),
            None => (asked::MOMENT, Reach::Workspace),
        };
        let program = program(&line, time, reach);
        let start = Background { name: &name, program, port: self.port, input: true };
        let going = cx.runner().start(cx.workspace(), &start, cx.cancel())?;
        outputs.begin(id, command.to_owned(), name);
        let text = asked::poll(cx, outputs, id, None)?;
        Ok(match self.port {
            Some(port) if going.listens => format!("listening on port {port}; {text}"),
            Some(port) if going.exit.is_none() => {
                format!("not yet listening on port {port} after {time:?}; {text}")
            }
            _ => text,
        })
    }

    /// What is told of a program that ended.
    fn report(
        &self,
        command: &str,
        id: u32,
        done: &Finished,
        printed: &Printed,
        notes: &[String],
        cx: &Cx<'_>,
    ) -> String {
        let mut text = format!("{} (id {id})", printed.state());
        let told = reports(command).then(|| summarize(&done.stdout, &done.stderr)).flatten();
        let mut told_failures = false;
        if let Some(told) = &told {
            let count = |n: Option<u64>, what| n.filter(|n| *n > 0).map(|n| format!("{n} {what}"));
            let counts = [
                count(Some(told.failed), "failed"),
                count(told.passed, "passed"),
                count(told.skipped, "skipped"),
            ];
            let counts: Vec<_> = counts.into_iter().flatten().collect();
            text += &format!("; {}: {}", told.runner, counts.join(", "));
            told_failures = !told.failures.is_empty();
        }
        text.push('\n');
        let ended = (done.ended > 0).then(|| left_running(done.ended));
        let hint = self.hint(done, printed);
        for note in ended.iter().chain(&hint).chain(&done.advice).chain(notes) {
            text += &format!("[{note}]\n");
        }
        for failure in told.iter().flat_map(|told| &told.failures) {
            let place = failure.place.as_ref().map(|at| format!(" at {at}")).unwrap_or_default();
            let message = failure.message.replace('\n', "\n  ");
            let colon = if message.is_empty() { "" } else { ": " };
            text += &format!("FAIL {}{place}{colon}{message}\n", failure.name);
        }
        if let Some(more) = told.as_ref().map(|told| told.more).filter(|more| *more > 0) {
            text += &format!("and {more} more failures\n");
        }
        if !cx.is_live() {
            let passed = told.is_some() && !told_failures && done.exit == Exit::Code(0);
            let most = match () {
                () if passed => 0,
                () if told_failures => TAIL_AFTER_FAILURES,
                () if printed.lines() <= WHOLE => WHOLE,
                () => TAIL,
            };
            text += &asked::end(printed, id, most);
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// How a program that is not there can be had.
    fn hint(&self, done: &Finished, printed: &Printed) -> Option<String> {
        let Exit::Code(code) = done.exit else { return None };
        let program = missing(code, &printed.tail(20, 4 << 10).0)?;
        how_to_get(&program, None).map(|how| format!("{program} is not installed: {how}"))
    }
}

/// One output instead of two, so that what was printed is in the order in which it was.
fn merged(command: &str) -> String {
    format!("exec 2>&1; {command}")
}

fn program(line: &str, timeout: Duration, reach: Reach) -> Program<'_> {
    Program { line: Line::Shell(line), dir: ".", env: &[], timeout, reach }
}
