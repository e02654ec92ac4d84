//! What Stack's project tools run: a program of its document on a path where the project is Python
//! or none that is known, else the project's own command.

use std::time::Duration;

use engine::Workspace;
use engine::process::{Exit, Line, Program, Reach};
use engine::project::{Kind, Project, Purpose, detect, rows, summarize};

use crate::prelude::*;
use crate::program::{Told, not_run, quoted, shown};

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
    #[serde(skip)]
    #[schemars(skip)]
    timed_out: Option<Duration>,
}

/// A project, and the part of it that a path names.
pub(crate) struct Place {
    pub(crate) project: Project,
    /// The folder of the project.
    pub(crate) dir: String,
    /// What in it is meant; all of it if `None`.
    pub(crate) target: Option<String>,
}

impl Place {
    /// The project of its own that the path is, else the one in the root.
    pub(crate) fn find(workspace: &Workspace, path: Option<&str>) -> Result<Self> {
        let path = path.unwrap_or(".");
        let kind = workspace.kind(path)?.ok_or_else(|| Error::file_not_found(path, &[]))?;
        if kind == engine::workspace::Kind::Directory {
            let project = detect(workspace, path)?;
            if path == "." || project.kind != Kind::Unknown {
                return Ok(Self { project, dir: path.to_owned(), target: None });
            }
        }
        // A path that begins with a dash would be an option.
        let target = if path.starts_with('-') { format!("./{path}") } else { path.to_owned() };
        Ok(Self { project: detect(workspace, ".")?, dir: ".".to_owned(), target: Some(target) })
    }

    /// Whether the programs of the document, which are for Python, are meant.
    pub(crate) fn is_python(&self) -> bool {
        matches!(self.project.kind, Kind::Python | Kind::Unknown)
    }

    /// This program, on what is meant.
    ///
    /// # Errors
    /// `InvalidInput` that names the programs there are for the purpose.
    pub(crate) fn program(&self, purpose: Purpose, field: &str, program: &str) -> Result<Chosen> {
        let targets: Vec<&str> = self.target.iter().map(String::as_str).collect();
        let words = self.project.line(purpose, program, &targets).ok_or_else(|| {
            let known = rows().iter().filter(|row| row.purpose == purpose);
            let known: Vec<_> = known.map(|row| row.program).collect();
            Error::invalid_input(
                field,
                format!("{program}: not known for this; choose one of {}", known.join(", ")),
            )
        })?;
        Ok(self.chosen(How::Words(words)))
    }

    /// The project's own command; it is for the whole project.
    pub(crate) fn own(&self, purpose: Purpose) -> Result<Chosen> {
        let line = self.project.command(purpose);
        let line =
            line.ok_or_else(|| Error::no_command(&self.dir, purpose, &self.project, "use `run`"))?;
        let mut chosen = self.chosen(How::Line(line.to_owned()));
        if let Some(target) = &self.target {
            chosen.note = Some(format!("the command is for the whole project, not {target} alone"));
        }
        Ok(chosen)
    }

    /// The program that was asked for; else the project's own command, where that is for all that
    /// is meant; else `usual`, if the project is Python.
    pub(crate) fn choose(
        &self,
        purpose: Purpose,
        (field, asked): (&str, Option<&str>),
        usual: &str,
    ) -> Result<Chosen> {
        match asked {
            Some(program) => self.program(purpose, field, program),
            None if self.is_python() => match (self.project.command(purpose), &self.target) {
                (Some(_), None) => self.own(purpose),
                _ => self.program(purpose, field, usual),
            },
            None => self.own(purpose),
        }
    }

    pub(crate) fn chosen(&self, how: How) -> Chosen {
        Chosen { how, dir: self.dir.clone(), manager: self.project.manager, note: None, time: None }
    }
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
    pub(crate) note: Option<String>,
    /// How long it may run, if not as long as other programs.
    pub(crate) time: Option<Duration>,
}

impl Chosen {
    fn command(&self) -> String {
        match &self.how {
            How::Line(line) => line.clone(),
            How::Words(words) => words.iter().map(|w| quoted(w)).collect::<Vec<_>>().join(" "),
        }
    }

    /// What a person is asked about.
    pub(crate) fn effect(chosen: Result<Self>) -> String {
        match chosen {
            Ok(chosen) if chosen.dir == "." => chosen.command(),
            Ok(chosen) => format!("{}\nin {}", chosen.command(), chosen.dir),
            Err(error) => error.message,
        }
    }

    pub(crate) fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let (command, limits) = (self.command(), cx.limits());
        let timeout = self.time.unwrap_or(limits.program_time).min(limits.program_time_max);
        let line = match &self.how {
            How::Line(line) => Line::Shell(line),
            How::Words(words) => Line::Direct { name: &words[0], args: &words[1..] },
        };
        let program = Program { line, dir: &self.dir, env: &[], timeout, reach: Reach::Workspace };
        let done = cx.runner().run(cx.workspace(), &program, cx.cancel());
        let done = done.map_err(|error| match (error.code, &self.how) {
            (Code::CommandNotFound, How::Words(words)) => {
                Error::program_missing(&words[0], &command, self.manager)
            }
            _ => error,
        })?;
        let put_back = cx.step()?.note_program()?.put_back;
        let (output, errors, said) = shown(cx, &done, &put_back);
        let (returncode, timed_out) = match done.exit {
            Exit::Cancelled => return Err(Error::cancelled()),
            Exit::Code(code) => (code, None),
            Exit::Signal(signal) => (-signal, None),
            Exit::TimedOut(time) => (-15, Some(time)),
        };
        not_run(returncode, &command, &errors, self.manager)?;
        let notes: Vec<String> = self.note.into_iter().chain(said).collect();
        Ok(Output {
            success: returncode == 0,
            output,
            errors,
            returncode,
            command,
            summary: summarize(&done.stdout, &done.stderr).map(Told::from),
            note: (!notes.is_empty()).then(|| notes.join("; ")),
            timed_out,
        })
    }
}

impl Output {
    /// Only what was ended is a failure of the tool; findings and failed tests are an answer.
    pub(crate) fn failure(&self) -> Option<Error> {
        Some(Error::command_timed_out(&self.command, self.timed_out?, ""))
    }
}
