//! What Stack's project tools run, and how it is told.

use std::time::Duration;

use files::Workspace;
use programs::git::command_line;
use programs::process::{Exit, Line, Program, Reach};
use programs::project::{how_to_get, summarize};
use serde::de::DeserializeOwned;

use crate::prelude::*;
use crate::program::{Told, not_run, shown};

/// How finding what is to be run fails.
pub(crate) const FINDING: &[Code] = &[
    Code::CommandNotFound,
    Code::Timeout,
    Code::FileNotFound,
    Code::DirectoryNotFound,
    Code::NotADirectory,
    Code::NoTestCommand,
    Code::NoFormatCommand,
    Code::NoLintCommand,
];

/// One of the tools that choose a command for the project and run it: its parameters.
pub(crate) trait OfProject: DeserializeOwned + JsonSchema + Send + Sync + 'static {
    const SPEC: Spec;
    /// Whether it runs tests.
    const TESTS: bool = false;

    fn chosen(&self, workspace: &Workspace) -> Result<Chosen>;
}

// What clients read of it is what the tool says of itself.
#[derive(Deserialize, JsonSchema)]
#[serde(transparent, bound = "T: DeserializeOwned")]
pub(crate) struct ProjectCommand<T>(T);

impl<T: OfProject> Tool for ProjectCommand<T> {
    type Output = Output;

    const SPEC: Spec = T::SPEC;

    fn about_in(&self, workspace: &Workspace) -> String {
        Chosen::about(self.0.chosen(workspace))
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        self.0.chosen(cx.workspace())?.run(cx, T::TESTS)
    }
}

/// What the program did.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether the exit code was 0
    success: bool,
    /// Standard output, its end if it is long
    output: String,
    /// Standard error
    errors: String,
    /// Exit code; minus the signal that ended it
    returncode: i32,
    /// What was run
    command: String,
    /// What the tests say
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<Told>,
    /// What else happened
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// A command in one of its two forms.
pub(crate) enum How {
    /// A program and its arguments.
    Words(Vec<String>),
    /// A line for a shell.
    Line(String),
}

/// What is to be run.
pub(crate) struct Chosen {
    how: How,
    dir: String,
    manager: Option<&'static str>,
    pub(crate) notes: Vec<String>,
    /// Whether it needs the network to do its work.
    pub(crate) online: bool,
    /// How long it may run, if not as long as other programs.
    pub(crate) time: Option<Duration>,
}

impl Chosen {
    /// To be run in `dir`; `manager` is that of the project's packages.
    pub(crate) fn new(how: How, dir: String, manager: Option<&'static str>) -> Self {
        Self { how, dir, manager, notes: Vec::new(), online: false, time: None }
    }

    fn command(&self) -> String {
        match &self.how {
            How::Line(line) => line.clone(),
            How::Words(words) => command_line(words),
        }
    }

    /// What a person is asked about.
    fn about(chosen: Result<Self>) -> String {
        match chosen {
            Ok(chosen) if chosen.dir == "." => chosen.command(),
            Ok(chosen) => format!("{}\nin {}", chosen.command(), chosen.dir),
            Err(error) => error.message,
        }
    }

    fn run(self, cx: &Cx<'_>, tests: bool) -> Result<Output> {
        let (command, limits) = (self.command(), cx.limits());
        let timeout = self.time.unwrap_or(limits.program_time).min(limits.program_time_max);
        let line = match &self.how {
            How::Line(line) => Line::Shell(line),
            How::Words(words) => Line::Direct { name: &words[0], args: &words[1..] },
        };
        let reach = if self.online { Reach::Online } else { Reach::Workspace };
        let program = Program { line, dir: &self.dir, env: &[], timeout, reach };
        let done = cx.run_program(&program);
        let done = done.map_err(|error| match (error.code, &self.how) {
            (Code::CommandNotFound, How::Words(words)) => {
                let how = how_to_get(&words[0], self.manager);
                Error::program_missing(&words[0], &command, how.as_deref())
            }
            _ => error,
        })?;
        let changes = cx.step()?.note_program()?.notes;
        let (output, errors, said) = shown(cx, &done, &changes);
        let (returncode, timed_out) = match done.exit {
            Exit::Cancelled => return Err(Error::cancelled()),
            Exit::Code(code) => (code, None),
            Exit::Signal(signal) => (-signal, None),
            Exit::TimedOut(time) => (-15, Some(time)),
        };
        not_run(returncode, &command, &done, self.manager)?;
        let summary = summarize(&done.stdout, &done.stderr);
        // Without totals the failures that were seen are not all.
        let summary = summary.filter(|told| told.passed.is_some() || !told.is_partial);
        let summary = summary.map(Told::from);
        let nothing = summary.as_ref().filter(|_| tests).and_then(Told::nothing);
        let notes: Vec<String> = self.notes.into_iter().chain(nothing).chain(said).collect();
        let output = Output {
            success: returncode == 0,
            output,
            errors,
            returncode,
            command,
            summary,
            note: joined(&notes),
        };
        // Only what was ended is a failure of the tool; findings and failed tests are an answer.
        match timed_out {
            Some(time) => Err(failed(Error::command_timed_out(&output.command, time, ""), &output)),
            None => Ok(output),
        }
    }
}
