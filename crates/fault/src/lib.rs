//! Every failure: one code, one message that says what to do next; and how a call is cancelled.
//!
//! Callers branch on [`Error::code`] and show [`Error::message`]. Each message is in one
//! constructor of this crate, so the wording of a failure is the same in every tool.

mod advice;
mod browser;
mod cache;
mod call;
mod cancel;
mod code;
mod git;
mod index;
mod journal;
mod model;
mod patch;
mod path;
mod program;
mod project;
mod task;
mod text;
mod visible;
mod web;

use std::fmt;
use std::path::Path;

pub use advice::{Reader, Setting, Way, quoted};
pub use cancel::{Bound, Cancel};
pub use code::Code;
pub use visible::{count, cut, is_invisible, lines, range, visible};

/// What an operation gives, or how it failed.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure: what kind, what happened and what to do next, and facts a program can use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What kind of failure it is.
    pub code: Code,
    /// Path or field first, then what happened, then advice after a semicolon: as a model reads it.
    pub message: String,
    /// The advice where it depends on who reads it; see [`Error::told`].
    advice: Option<Box<advice::Advice>>,
    /// Facts by name, for clients that act on a failure, in a fixed order.
    pub details: Vec<(&'static str, String)>,
    /// What was found out all the same, such as the output of tests that failed: the result of the
    /// tool, which only the tool can state.
    pub output: Option<Box<serde_json::Value>>,
    /// Whether all that failed is the rehearsal; see [`Error::is_no_rehearsal`].
    no_rehearsal: bool,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Somebody else changed a file between the moment it was read and that in which it was replaced;
/// what they saved is in its place. As the cause of an [`std::io::Error`].
#[derive(Debug)]
pub struct ChangedMeanwhile;

impl fmt::Display for ChangedMeanwhile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("changed by somebody else meanwhile")
    }
}

impl std::error::Error for ChangedMeanwhile {}

impl From<ChangedMeanwhile> for std::io::Error {
    fn from(cause: ChangedMeanwhile) -> Self {
        Self::other(cause)
    }
}

impl Error {
    /// A failure with its message. Prefer a constructor that has the wording.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let message = message.into();
        let details = Vec::new();
        Self { code, message, advice: None, details, output: None, no_rehearsal: false }
    }

    /// A failure that each of `ways` would mend.
    fn with_ways(code: Code, what: String, ways: Vec<Way>) -> Self {
        let advice = advice::Advice { what, ways };
        let message = advice.told(Reader::Model);
        Self { advice: Some(Box::new(advice)), ..Self::new(code, message) }
    }

    /// A failure, and what the caller can do about it as things are.
    fn advised(code: Code, what: String, advice: impl Into<String>) -> Self {
        Self::with_ways(code, what, vec![Way::Caller(advice.into())])
    }

    /// What happened, without what to do about it where that is known apart.
    pub fn what(&self) -> &str {
        self.advice.as_ref().map_or(&self.message, |advice| &advice.what)
    }

    /// The same failure told in other words, with the same advice.
    #[must_use]
    pub fn worded(mut self, what: String) -> Self {
        let ways = self.advice.map(|advice| advice.ways).unwrap_or_default();
        self.message.clone_from(&what);
        self.advice = (!ways.is_empty()).then(|| {
            let advice = advice::Advice { what, ways };
            self.message = advice.told(Reader::Model);
            Box::new(advice)
        });
        self
    }

    /// The same failure with something else that the caller can do.
    #[must_use]
    pub fn or_advise(mut self, what: &str) -> Self {
        let what = Way::Caller(what.to_owned());
        match &mut self.advice {
            Some(advice) => {
                advice.ways.push(what);
                self.message = advice.told(Reader::Model);
            }
            None => {
                let advice = advice::Advice { what: self.message, ways: vec![what] };
                self.message = advice.told(Reader::Model);
                self.advice = Some(Box::new(advice));
            }
        }
        self
    }

    /// The same failure with one more fact behind its message.
    #[must_use]
    pub fn noting(self, fact: &str) -> Self {
        let what = format!("{} ({fact})", self.what());
        self.worded(what)
    }

    /// Whether the call cannot be rehearsed, and nothing else is wrong with it.
    pub fn is_no_rehearsal(&self) -> bool {
        self.no_rehearsal
    }

    /// The message in the words that are of use to who reads it.
    pub fn told(&self, reader: Reader) -> String {
        self.advice.as_ref().map_or_else(|| self.message.clone(), |advice| advice.told(reader))
    }

    /// Adds a fact for programs.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.details.push((name, cut(&value.to_string(), 8192).into_owned()));
        self
    }

    /// Adds the first of the names that may be meant, if there are any.
    fn with_near(self, near: &[String]) -> Self {
        match near.first() {
            Some(near) => self.with("near", near),
            None => self,
        }
    }

    /// Adds what was found out all the same.
    #[must_use]
    pub fn with_output(mut self, output: serde_json::Value) -> Self {
        self.output = Some(Box::new(output));
        self
    }

    /// The fact of this name, if it was given.
    pub fn detail(&self, name: &str) -> Option<&str> {
        self.details.iter().find(|(n, _)| *n == name).map(|(_, v)| v.as_str())
    }

    /// A parameter cannot be used; `field` is its path in the input, such as `edits[1].oldText`.
    pub fn invalid_input(field: &str, problem: impl fmt::Display) -> Self {
        let (field, problem) = (cut(field, 200), problem.to_string());
        let problem = cut(&problem, 2000); // it may quote what was given
        let message =
            if field.is_empty() { problem.into_owned() } else { format!("{field}: {problem}") };
        Self::new(Code::InvalidInput, message).with("field", field)
    }

    /// A defect of this program.
    pub fn internal(what: impl fmt::Display) -> Self {
        Self::new(
            Code::Internal,
            format!("a bug in Kitbag: {what}; the server keeps running, report it"),
        )
    }

    /// Turns an error of the operating system into a code, naming the path as the caller gave it.
    pub fn io(path: &str, error: &std::io::Error) -> Self {
        use std::io::ErrorKind as K;
        if error.get_ref().is_some_and(|inner| inner.is::<ChangedMeanwhile>()) {
            return Self::file_changed(path);
        }
        match error.kind() {
            K::NotFound => Self::file_not_found(path, &[]),
            K::PermissionDenied => Self::advised(
                Code::PermissionDenied,
                format!("{path}: the operating system refuses access"),
                "check its owner and mode",
            )
            .with("path", path),
            K::IsADirectory => Self::is_directory(path),
            K::NotADirectory => Self::not_a_directory(path),
            K::AlreadyExists => Self::file_exists(path),
            K::StorageFull | K::QuotaExceeded => Self::advised(
                Code::DiskFull,
                format!("{path}: no space left on the file system"),
                "free some space and repeat",
            )
            .with("path", path),
            K::ReadOnlyFilesystem => Self::advised(
                Code::PermissionDenied,
                format!("{path}: the file system is mounted read-only"),
                "write elsewhere",
            )
            .with("path", path),
            K::InvalidFilename => Self::invalid_input(
                "path",
                format!("{path}: not a valid name on this file system; use a shorter one"),
            ),
            _ => Self::new(Code::Io, format!("{path}: {error}")).with("path", path),
        }
    }

    /// An error of the operating system on a path of the state directory, not of the workspace.
    pub fn state(path: &Path, error: &dyn fmt::Display) -> Self {
        Self::advised(
            Code::Io,
            format!("{}: {error}", path.display()),
            "this is in Kitbag's state directory, `kitbag doctor` checks it",
        )
    }

    /// The same for what the operating system says of a file there.
    pub fn state_io(path: &Path, error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::PermissionDenied => {
                Self { code: Code::PermissionDenied, ..Self::state(path, error) }
            }
            _ => Self::state(path, error),
        }
    }
}
