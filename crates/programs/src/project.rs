//! What kind of project a directory holds, and which commands test, format, lint and build it.
//!
//! Without this module every caller would guess from the first manifest it meets. Here all the
//! evidence is weighed: the strongest kind decides, what speaks for another kind lowers the
//! confidence and is named, and a command is given only if something in the directory calls for it.
//! A manifest that cannot be read is said, and counts as the weak evidence that it is.

mod definition;
mod facts;
mod node;
mod plain;
mod programs;
mod python;
mod reports;
mod summary;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use programs::{Row, how_to_get, missing, rows};
pub use reports::{is_alone, reports, unfiltered};
pub use summary::{Failure, Summary, summarize};

use facts::Facts;
use fault::{Code, Error, Result};
use files::workspace::Workspace;
use programs::stands_alone;

/// The kinds of projects whose commands are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// JavaScript or TypeScript with a `package.json`.
    Node,
    /// A Go module.
    Go,
    /// A Cargo package or workspace.
    Rust,
    /// A Python package or application.
    Python,
    /// None of these, or nothing that says so.
    Unknown,
}

impl Kind {
    /// The word for it, such as `rust`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Go => "go",
            Self::Rust => "rust",
            Self::Python => "python",
            Self::Unknown => "unknown",
        }
    }
}

/// What a command is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// Runs the tests, once and to their end.
    Test,
    /// Rewrites the sources in the project's style.
    Format,
    /// Reports what looks wrong, without changing files.
    Lint,
    /// Makes what is shipped.
    Build,
    /// Checks types, without making anything.
    Typecheck,
    /// Fetches what the project depends on.
    Install,
}

impl Purpose {
    /// The word for it, such as `test`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Format => "format",
            Self::Lint => "lint",
            Self::Build => "build",
            Self::Typecheck => "typecheck",
            Self::Install => "install",
        }
    }
}

/// What was found out about a directory.
#[derive(Clone, Debug, PartialEq)]
pub struct Project {
    /// The kind that the evidence speaks for most.
    pub kind: Kind,
    /// How much it does, from 0 to 1 in steps of 0.01. Evidence for another kind lowers it.
    pub confidence: f64,
    /// The package manager, such as `pnpm`, if the kind is known.
    pub manager: Option<&'static str>,
    /// Lines for a shell that starts in the directory.
    pub commands: BTreeMap<Purpose, String>,
    /// Manifests, lock files and settings of tools that stand in the directory, by name.
    pub config_files: Vec<String>,
    /// What else should be known: other projects here and one directory below, manifests that could
    /// not be read, lock files that contradict each other. One sentence each.
    pub notes: Vec<String>,
    /// How its programs are started.
    start: Start,
}

/// How programs that belong to a project are started.
#[derive(Clone, Debug, Default, PartialEq)]
struct Start {
    /// What is before the name of the program, such as `poetry run`.
    prefix: &'static [&'static str],
    /// Programs that stand in the project itself: the directory and their names.
    local: Option<(&'static str, Vec<String>)>,
}

impl Start {
    fn words(&self, program: &str) -> Vec<String> {
        if let Some((folder, names)) = &self.local
            && names.iter().any(|name| name == program)
        {
            return vec![format!("{folder}/{program}")];
        }
        let prefix = match self.prefix {
            [manager, ..] if stands_alone(program, manager) => &[],
            prefix => prefix,
        };
        let prefix = prefix.iter().map(|word| (*word).to_owned());
        prefix.chain([program.to_owned()]).collect()
    }

    fn line(&self, purpose: Purpose, program: &str, targets: &[&str]) -> Option<Vec<String>> {
        let row = rows().iter().find(|row| row.purpose == purpose && row.program == program)?;
        let targets = if targets.is_empty() { row.target } else { targets };
        let mut words = self.words(program);
        words.extend(row.words.iter().chain(targets).map(|word| (*word).to_owned()));
        Some(words)
    }
}

impl Project {
    /// The line for this purpose, if the project has one.
    pub fn command(&self, purpose: Purpose) -> Option<&str> {
        self.commands.get(&purpose).map(String::as_str)
    }

    /// The line for this purpose; `path` and `advice` are for the message that there is none.
    ///
    /// # Errors
    /// The code that the purpose has for it, such as `NoTestCommand`.
    pub fn required(&self, purpose: Purpose, path: &str, advice: &str) -> Result<&str> {
        self.command(purpose).ok_or_else(|| {
            let code = match purpose {
                Purpose::Test => Code::NoTestCommand,
                Purpose::Format => Code::NoFormatCommand,
                Purpose::Lint => Code::NoLintCommand,
                Purpose::Build => Code::NoBuildCommand,
                Purpose::Typecheck | Purpose::Install => Code::InvalidInput,
            };
            let found = match self.config_files.as_slice() {
                [] => "there is no manifest that is known".to_owned(),
                files => format!("there are {}", files.join(", ")),
            };
            let notes: String = self.notes.iter().map(|note| format!("; {note}")).collect();
            let facts = format!("kind {}, {found}{notes}", self.kind.as_str());
            Error::no_command(code, path, purpose.as_str(), &facts, advice)
        })
    }

    /// The words that start a program of the project, such as `poetry run ruff` or
    /// `.venv/bin/ruff`.
    pub fn words(&self, program: &str) -> Vec<String> {
        self.start.words(program)
    }

    /// The words that run this program for this purpose on these targets, or on what it works on
    /// by itself if there are none; `None` if the table has no such row.
    pub fn line(&self, purpose: Purpose, program: &str, targets: &[&str]) -> Option<Vec<String>> {
        self.start.line(purpose, program, targets)
    }
}

/// One kind that the directory may be, and what speaks for it.
struct Candidate {
    kind: Kind,
    /// From 0 to 1.
    score: f64,
    /// The files that speak for it, the strongest first.
    evidence: Vec<String>,
    manager: &'static str,
    start: Start,
    commands: BTreeMap<Purpose, String>,
}

impl Candidate {
    /// A candidate from weighed files; `None` if nothing speaks for it. What is there twice is
    /// surer than either alone, and never certain.
    fn weigh(kind: Kind, manager: &'static str, evidence: &[(&str, f64)]) -> Option<Self> {
        let doubt: f64 = evidence.iter().map(|(_, weight)| 1.0 - weight).product();
        let mut files: Vec<_> = evidence.iter().filter(|(_, weight)| *weight > 0.0).collect();
        files.sort_by(|a, b| b.1.total_cmp(&a.1));
        (!files.is_empty()).then(|| Self {
            kind,
            score: (1.0 - doubt).min(0.99),
            evidence: files.into_iter().map(|(name, _)| (*name).to_owned()).collect(),
            manager,
            start: Start::default(),
            commands: BTreeMap::new(),
        })
    }

    /// Takes the line of a row for its purpose, unless there is one already.
    fn take(&mut self, purpose: Purpose, program: &str) {
        if let Some(words) = self.start.line(purpose, program, &[]) {
            self.commands.entry(purpose).or_insert_with(|| words.join(" "));
        }
    }

    fn describe(&self) -> String {
        let commands: Vec<_> = self
            .commands
            .iter()
            .filter(|(purpose, _)| **purpose <= Purpose::Build)
            .map(|(purpose, line)| format!("{} `{line}`", purpose.as_str()))
            .collect();
        let commands =
            if commands.is_empty() { "no commands".to_owned() } else { commands.join(", ") };
        format!("{} ({}; {commands})", self.kind.as_str(), self.evidence.join(", "))
    }
}

/// Below this much evidence, another kind in the same directory is not worth a word.
const WORTH_A_NOTE: f64 = 0.3;

/// Kinds whose scores are nearer than this are told apart by the sources there are.
const NEAR: f64 = 0.2;

/// Looks at a directory of the workspace and what its manifests say. Nothing is run.
///
/// # Errors
/// `DirectoryNotFound`, `NotADirectory`, `PathOutsideWorkspace`.
pub fn detect(workspace: &Workspace, dir: &str) -> Result<Project> {
    let facts = Facts::look(workspace, dir)?;
    let mut found = candidates(&facts);
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    if found.len() > 1 && found[0].score - found[1].score < NEAR {
        let top = found[0].score;
        let near = found.iter().take_while(|c| top - c.score < NEAR).count();
        found[..near].sort_by_cached_key(|c| std::cmp::Reverse(facts.sources(c.kind)));
    }
    let mut found = found.into_iter();
    let best = found.next();
    let others: Vec<_> = found.filter(|c| c.score >= WORTH_A_NOTE).collect();
    let mut notes = Vec::new();
    if !others.is_empty() {
        let others: Vec<_> = others.iter().map(Candidate::describe).collect();
        notes.push(format!("also in this directory: {}", others.join("; ")));
    }
    notes.extend(facts.below());
    let doubt = others.first().map_or(0.0, |other| other.score / 2.0);
    let config_files = facts.config_files();
    let made = plain::make_targets(&facts);
    notes.extend(facts.into_notes());
    let Some(mut best) = best else {
        return Ok(Project {
            kind: Kind::Unknown,
            confidence: 0.0,
            manager: None,
            commands: made,
            config_files,
            notes,
            start: Start::default(),
        });
    };
    for (purpose, line) in made {
        best.commands.entry(purpose).or_insert(line);
    }
    Ok(Project {
        kind: best.kind,
        confidence: ((best.score - doubt).max(0.05) * 100.0).round() / 100.0,
        manager: Some(best.manager),
        commands: best.commands,
        config_files,
        notes,
        start: best.start,
    })
}

fn candidates(facts: &Facts<'_>) -> Vec<Candidate> {
    let all = [node::look(facts), python::look(facts), plain::rust(facts), plain::go(facts)];
    all.into_iter().flatten().collect()
}
