//! What the tools that run programs tell: both streams in bounds, what tests say, what is missing.
//! The dialects differ in the names of the fields, not in what there is to know.

use std::collections::BTreeMap;

use fault::cut;
use programs::git::command_line;
use programs::process::Finished;
use programs::project::{Summary, how_to_get, missing};

use crate::prelude::*;

/// How finding and starting a command fails.
pub(crate) const STARTING: &[Code] =
    &[Code::CommandNotFound, Code::Timeout, Code::DirectoryNotFound, Code::NotADirectory];

/// What became of the programs that a command left in the background.
pub(crate) fn left_running(ended: usize) -> String {
    let were = if ended == 1 { "was" } else { "were" };
    format!("{} left in the background {were} ended", fault::count(ended, "program"))
}

/// That a stream of a program is not shown as it was printed.
pub(crate) fn not_utf8(stream: &str) -> String {
    format!("{stream}: has bytes that are not UTF-8, shown as U+FFFD; iconv or od shows them")
}

/// Failures that are told one by one.
const TOLD: usize = 20;

/// Totals and the first failures.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Told {
    /// Whose words were understood
    runner: String,
    /// How many passed
    #[serde(skip_serializing_if = "Option::is_none")]
    passed: Option<u64>,
    /// How many failed
    failed: u64,
    /// How many were left out
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<u64>,
    /// The first failures
    failures: Vec<Failed>,
    /// Further failures
    more: usize,
}

/// One failure.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Failed {
    /// Test or heading
    name: String,
    /// Its first lines
    message: String,
    /// path:line, lines from 1
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
}

impl From<Summary> for Told {
    fn from(told: Summary) -> Self {
        let failed = |f: programs::project::Failure| Failed {
            name: f.name,
            message: f.message,
            place: f.place,
        };
        Self {
            runner: told.runner,
            passed: told.passed,
            failed: told.failed,
            skipped: told.skipped,
            more: told.more + told.failures.len().saturating_sub(TOLD),
            failures: told.failures.into_iter().take(TOLD).map(failed).collect(),
        }
    }
}

impl Told {
    /// What is to be said of a run that tested nothing, which most runners call a success.
    pub(crate) fn nothing(&self) -> Option<String> {
        let nothing = (self.passed, self.failed) == (Some(0), 0) && self.skipped.unwrap_or(0) == 0;
        nothing.then(|| "no test was run: see whether it looks in the right place".to_owned())
    }

    /// The first failure in a sentence; empty if there is none.
    pub(crate) fn sentence(&self) -> String {
        let Some(first) = self.failures.first() else { return String::new() };
        let place = first.place.as_ref().map(|p| format!(" at {p}")).unwrap_or_default();
        format!("{} failed, the first: {}{place}", self.failed, cut(&first.name, 200))
    }
}

/// Told apart from a program that ran and failed: one that is not there, or may not run.
pub(crate) fn not_run(
    code: i32,
    command: &str,
    done: &Finished,
    manager: Option<&str>,
) -> Result<()> {
    let errors = &done.stderr.tail(100, 64 << 10).text; // it is among the last words
    if let Some(program) = missing(code, errors) {
        let how = how_to_get(&program, manager);
        return Err(Error::program_missing(&program, command, how.as_deref()));
    }
    if code == 126 && errors.contains("Permission denied") {
        return Err(Error::not_executable(command));
    }
    Ok(())
}

/// Both streams by their ends unless they were shown already, and what is to be said beside them.
pub(crate) fn shown(
    cx: &Cx<'_>,
    done: &Finished,
    changes: &[String],
) -> (String, String, Option<String>) {
    let mut notes = Vec::new();
    let mut part = |name: &str, output: &programs::process::Output, bytes: usize| {
        if cx.is_live() {
            return String::new();
        }
        let shown = output.tail(cx.limits().result_lines, bytes);
        if shown.omitted_bytes > 0 {
            let whole =
                output.spill.as_ref().map(|s| format!(", the whole is in {}", s.path.display()));
            notes.push(format!(
                "{name}: the first {} bytes ({} lines) are left out{}",
                shown.omitted_bytes,
                shown.omitted_lines,
                whole.unwrap_or_default()
            ));
        }
        notes.extend(shown.replaced.then(|| not_utf8(name)));
        shown.text
    };
    let all = cx.result_bytes();
    let errors = part("standard error", &done.stderr, all / 2);
    let output = part("standard output", &done.stdout, all - errors.len());
    if done.ended > 0 {
        notes.push(left_running(done.ended));
    }
    notes.extend_from_slice(&done.advice);
    notes.extend_from_slice(changes);
    (output, errors, joined(&notes))
}

/// What a person is asked about: the command, and what it gets.
pub(crate) fn with_surroundings(
    mut command: String,
    env: Option<&BTreeMap<String, String>>,
    dir: Option<&String>,
) -> String {
    for (name, value) in env.into_iter().flatten() {
        command += &format!("\nwith {name}={}", command_line(&[value]));
    }
    if let Some(dir) = dir {
        command += &format!("\nin {dir}");
    }
    command
}
