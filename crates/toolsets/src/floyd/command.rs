//! The commands of a project: how its tests, formatter, linter and build are found, run and told.
//! Four tools do that and differ only in their purpose.

use std::marker::PhantomData;

use files::Workspace;
use programs::process::{Exit, Line, Program, Reach};
use programs::project::{Project, Purpose, detect, summarize, unfiltered};

use crate::prelude::*;
use crate::program::{Told, not_run, shown};

/// One of the four tools: what differs between them.
pub(crate) trait OfProject: JsonSchema + Send + Sync + 'static {
    /// What the model reads.
    const ABOUT: &'static str;
    const PURPOSE: Purpose;
    /// Whether a yes to the project's own command may hold for the session without being asked to.
    const LASTS: bool = false;
    const SPEC: Spec;
}

/// The input of the four tools.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", bound = "")]
#[schemars(description = T::ABOUT)]
pub(crate) struct ProjectCommand<T: OfProject> {
    /// Project directory (default: the root)
    project_path: Option<String>,
    /// Shell command line in place of the project's own
    command: Option<String>,
    /// Offer the user to allow it for the session
    grant_permission: Option<bool>,
    #[serde(skip)]
    tool: PhantomData<T>,
}

impl<T: OfProject> ProjectCommand<T> {
    fn wanted(&self) -> Wanted<'_> {
        let (path, command) = (self.project_path.as_deref(), self.command.as_deref());
        Wanted { purpose: T::PURPOSE, path, command }
    }
}

impl<T: OfProject> Tool for ProjectCommand<T> {
    type Output = Output;

    const SPEC: Spec = T::SPEC;

    fn about_in(&self, workspace: &Workspace) -> String {
        self.wanted().about(workspace)
    }

    fn grant_in(&self, workspace: &Workspace) -> String {
        self.wanted().grant(workspace)
    }

    fn may_last(&self) -> bool {
        T::LASTS && self.command.is_none() || self.grant_permission == Some(true)
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        self.wanted().run(cx)
    }
}

/// What is to be run, and where.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) purpose: Purpose,
    pub(crate) path: Option<&'a str>,
    pub(crate) command: Option<&'a str>,
}

/// What the command did.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// Whether the exit code was 0
    success: bool,
    /// Standard output, its end if it is long
    output: String,
    /// Standard error
    error_output: String,
    /// Null if it was ended
    exit_code: Option<i32>,
    /// Milliseconds
    duration: u64,
    /// node, go, rust, python or unknown
    project_type: &'static str,
    /// The command line that was run
    command: String,
    /// True: it ran
    permission_granted: bool,
    /// What the tests say
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<Told>,
    /// What else happened
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Wanted<'_> {
    fn dir(&self) -> &str {
        self.path.unwrap_or(".")
    }

    /// The project, and the line that is given or that it has for the purpose.
    fn line(&self, workspace: &Workspace) -> Result<(Project, String)> {
        let project = detect(workspace, self.dir())?;
        let line = match self.command {
            Some(line) if line.trim().is_empty() => {
                return Err(Error::invalid_input("command", "empty; leave it out, or give a line"));
            }
            Some(line) => line.to_owned(),
            None => project.required(self.purpose, self.dir(), "give `command`")?.to_owned(),
        };
        Ok((project, line))
    }

    /// What a person is asked about: the line, and the directory if it is another than the root.
    pub(crate) fn about(&self, workspace: &Workspace) -> String {
        match (self.line(workspace), self.dir()) {
            (Ok((_, line)), ".") => line,
            (Ok((_, line)), dir) => format!("{line}\nin {dir}"),
            (Err(error), _) => error.message,
        }
    }

    /// What a yes for the session holds for: the same line, as long as what it runs is defined in
    /// the same way.
    pub(crate) fn grant(&self, workspace: &Workspace) -> String {
        let about = self.about(workspace);
        match self.line(workspace) {
            Ok((project, line)) => {
                format!("{about}\n{}", project.definition(workspace, self.dir(), &line))
            }
            Err(_) => about,
        }
    }

    pub(crate) fn run(&self, cx: &Cx<'_>) -> Result<Output> {
        let (project, command) = self.line(cx.workspace())?;
        let timeout = cx.limits().program_time;
        let program = Program {
            line: Line::Shell(&command),
            dir: self.dir(),
            env: &[],
            timeout,
            reach: Reach::Workspace,
        };
        let done = cx.run_program(&program)?;
        let changes = cx.step()?.note_program()?.notes;
        let code = match done.exit {
            Exit::Cancelled => return Err(Error::cancelled()),
            Exit::Code(code) => Some(code),
            Exit::Signal(_) | Exit::TimedOut(_) => None,
        };
        let (output, error_output, note) = shown(cx, &done, &changes);
        if let Some(code) = code {
            not_run(code, &command, &done, project.manager)?;
        }
        let tests = matches!(self.purpose, Purpose::Test | Purpose::Build);
        let summary = tests.then(|| summarize(&done.stdout, &done.stderr)).flatten();
        let summary = summary.map(Told::from);
        let tested = summary.as_ref().filter(|_| self.purpose == Purpose::Test);
        let nothing = tested.and_then(Told::nothing);
        let through = unfiltered(&command).filter(|_| tests && summary.is_none()).map(|whole| {
            format!("the exit code is that of the last program in the pipe; run `{whole}` alone")
        });
        let notes: Vec<_> = nothing.into_iter().chain(through).chain(note).collect();
        let output = Output {
            success: code == Some(0),
            output,
            error_output,
            exit_code: code,
            duration: done.wall.as_millis() as u64,
            project_type: project.kind.as_str(),
            command,
            permission_granted: true,
            summary,
            note: joined(&notes),
        };
        match self.failure(&output, done.exit) {
            Some(error) => Err(failed(error, &output)),
            None => Ok(output),
        }
    }

    /// Why a run counts as failed; of a formatter and a linter an exit code is an answer like
    /// others.
    fn failure(&self, output: &Output, exit: Exit) -> Option<Error> {
        let failed = match self.purpose {
            Purpose::Test => Some(Code::CommandFailed),
            Purpose::Build => Some(Code::BuildFailed),
            _ => None,
        };
        let command = &output.command;
        match (exit, failed) {
            (Exit::TimedOut(time), _) => Some(Error::command_timed_out(command, time, "")),
            (Exit::Code(0), _) | (_, None) => None,
            (Exit::Signal(signal), Some(code)) => {
                Some(Error::command_killed(code, command, signal))
            }
            (Exit::Code(exit), Some(code)) => {
                let told = output.summary.as_ref().map(Told::sentence).unwrap_or_default();
                Some(Error::command_failed(code, command, exit, &told))
            }
            (Exit::Cancelled, _) => Some(Error::cancelled()),
        }
    }
}
