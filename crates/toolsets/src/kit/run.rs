//! kit `run`.

use std::sync::Arc;

use programs::process::Exit;

use super::outputs::{Outputs, Printed};
use super::{earlier, report};
use crate::prelude::*;

/// Run a shell command. Tests that fail come first. Its output stays under an id: ask it by grep,
/// lines, diff instead of running again. {} lists runs.
#[derive(Default, Deserialize, JsonSchema)]
pub(crate) struct Run {
    pub(super) command: Option<String>,
    /// Seconds; with id, to wait
    #[schemars(with = "Option<i64>")]
    pub(super) timeout: Option<u64>,
    #[serde(default)]
    pub(super) background: bool,
    /// Of a background server
    #[schemars(with = "Option<i64>")]
    pub(super) port: Option<u16>,
    /// Else the last; alone: what is new
    #[schemars(with = "Option<i64>")]
    pub(super) id: Option<u32>,
    /// To stdin
    pub(super) input: Option<String>,
    #[serde(default)]
    pub(super) stop: bool,
    pub(super) grep: Option<String>,
    /// `10-40`
    pub(super) lines: Option<String>,
    /// From the run before
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
                .gives("exit 3 (id 1)\nhello\noops"),
            Example::of("Tests that fail: which, why and where before the end of the output")
                .given(&[(
                    "tests.py",
                    "print('=== FAILURES ===\\n____ test_sum ____\\nE   assert 3 == 4')\nprint('test_a.py:9: AssertionError')\nprint('=== 1 failed, 2 passed in 0.1s ===')\nexit(1)\n",
                )])
                .call(r#"{"command": "python3 tests.py"}"#)
                .gives("exit 1; pytest: 1 failed, 2 passed (id 1, 5 lines)\nFAIL test_sum at test_a.py:9: assert 3 == 4"),
            Example::of("A long output ends with how to see the rest")
                .call(r#"{"command": "seq 1 1000"}"#)
                .gives("981\n[..]1000\n[20 of 1000 lines; next: {\"id\": 1, \"lines\": \"781-980\"}]"),
            Example::of("In the background: stdin stays open")
                .call(r#"{"command": "echo ready; read x; echo got $x", "background": true}"#)
                .gives("running for [..]s (id 1)\nready"),
            Example::of("A server that ended before it listened")
                .call(r#"{"command": "echo no; exit 3", "port": 47613}"#)
                .gives("exit 3 (id 1)\nno"),
            Example::of("What is new of one in the background, and that it has ended")
                .after(&[("run", r#"{"command": "echo a; sleep 1; echo b", "background": true}"#)])
                .call(r#"{"id": 1, "timeout": 20}"#)
                .gives("exit 0 (id 1)\nb"),
            Example::of("A line for its input")
                .after(&[("run", r#"{"command": "read x; echo got $x; sleep 60", "background": true}"#)])
                .call(r#"{"id": 1, "input": "a\n"}"#)
                .gives("running for [..]s (id 1)\ngot a"),
            Example::of("The end of it")
                .after(&[("run", r#"{"command": "sleep 60", "background": true}"#)])
                .call(r#"{"id": 1, "stop": true}"#)
                .gives("stopped after [..]s (id 1)\n[nothing new]"),
            Example::of("Lines of what was printed, without another run")
                .after(&[("run", r#"{"command": "seq 1 1000"}"#)])
                .call(r#"{"grep": "^50"}"#)
                .gives("50: 50\n500: 500\n501: 501\n502: 502\n503: 503\n504: 504\n505: 505\n506: 506\n507: 507\n508: 508\n509: 509"),
            Example::of("A part of it")
                .after(&[("run", r#"{"command": "seq 1 1000"}"#)])
                .call(r#"{"lines": "499-500"}"#)
                .gives("499\n500"),
            Example::of("How it differs from that of the run before")
                .given(&[("a.txt", "one\ntwo\n")])
                .after(&[
                    ("run", r#"{"command": "cat a.txt"}"#),
                    ("edit", r#"{"path": "a.txt", "old": "two", "new": "2"}"#),
                    ("run", r#"{"command": "cat a.txt"}"#),
                ])
                .call(r#"{"diff": true}"#)
                .gives("since id 1:\n@@ -1,2 +1,2 @@\n one\n-two\n+2"),
            Example::of("Lines of the difference")
                .given(&[("a.txt", "one\ntwo\n")])
                .after(&[
                    ("run", r#"{"command": "cat a.txt"}"#),
                    ("edit", r#"{"path": "a.txt", "old": "two", "new": "2"}"#),
                    ("run", r#"{"command": "cat a.txt"}"#),
                ])
                .call(r#"{"diff": true, "grep": "^[-+]"}"#)
                .gives("since id 1:\n3: -two\n4: +2"),
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
                .fails(Code::InvalidInput, "error: id: 7: no program of this id; there are none yet\nnext: run {}"),
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
                let id =
                    self.id.map_or("the last program".to_owned(), |id| format!("program {id}"));
                format!("input for {id}:\n{input}")
            }
            (None, None, _) => String::new(),
        }
    }

    fn check(&self) -> Result<()> {
        let (field, problem) = match &self.command {
            None if self.input.is_some() && self.stop => {
                ("stop", "not together with input; send the input first")
            }
            None => return earlier::check(self),
            Some(command) if command.trim().is_empty() => {
                ("command", "empty; give a shell command")
            }
            Some(_) if self.id.is_some() => ("id", "not together with command; give one of them"),
            Some(_) if self.stop => ("stop", "not together with command; give an id"),
            Some(_) if self.timeout == Some(0) => {
                ("timeout", "0; give at least 1, or leave it out")
            }
            Some(command) if self.input.is_some() && !self.starts_in_background() => {
                let problem =
                    "only for a program in the background; give background, or use a pipe";
                return Err(Error::invalid_input("input", problem).with("command", command));
            }
            Some(_) => return earlier::check(self),
        };
        Err(Error::invalid_input(field, problem))
    }

    fn run(self, cx: &Cx<'_>) -> Result<String> {
        let outputs = cx.kept::<Outputs>();
        let Some(command) = &self.command else { return earlier::answer(&self, cx, &outputs) };
        if self.starts_in_background() {
            return self.start(command, cx, &outputs);
        }
        let done = self.foreground(command, cx)?;
        let notes = cx.step()?.note_program()?.notes;
        let printed = Arc::new(Printed::of(&done));
        let id = outputs.number();
        // The program ran, whether or not there are such lines.
        let part = earlier::part(&self, (id, command), &printed, &outputs);
        let part = part.unwrap_or_else(|error| Some(error.message));
        let text = report::of(command, id, &done, &printed, &notes, part, cx);
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
