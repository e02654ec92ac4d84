//! What a tool is: its input, what it declares about itself, and what it does.

use std::borrow::Cow;

use fault::{Code, Error, Result};
use files::Workspace;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cx::Cx;

/// A tool is its input: a struct whose fields are the parameters. The doc comment of the struct is
/// the description that a model reads, those of the fields are the parameters' descriptions.
pub trait Tool: DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// What a successful call gives; its fields are the result fields. Plain text is a `String`.
    type Output: Serialize + JsonSchema + 'static;

    /// What the tool declares about itself.
    const SPEC: Spec;

    /// Other names under which parameters are taken, each with the parameter's own; they are not
    /// listed. Case and separators need no entry: `file_path` is `filePath`.
    const SPELLINGS: &'static [(&'static str, &'static str)] = &[];

    /// What this call needs; differs from the declared permission only if the input decides.
    fn permission(&self) -> Permission {
        Self::SPEC.permission
    }

    /// What this call does to the world; less than the declared effect only if the input decides.
    fn does(&self) -> Effect {
        Self::SPEC.effect
    }

    /// The single files that the call reads or writes, as given. Calls of one session that touch
    /// the same file run in the order in which they came.
    fn paths(&self) -> Vec<String> {
        Vec::new()
    }

    /// What a person must see to decide on this call, such as the command line. Calls whose effect
    /// is [`Effect::Writes`] need none: they are tried without effect and shown as a diff.
    fn effect(&self) -> String {
        String::new()
    }

    /// The same where the input alone does not say it, such as the command that a project defines.
    fn effect_in(&self, _workspace: &Workspace) -> String {
        self.effect()
    }

    /// Whether the caller wants the person's yes to hold for the session. It is offered then, never
    /// taken for granted.
    fn may_last(&self) -> bool {
        false
    }

    /// What a dangerous call must share with one that got a yes for the session to run without a
    /// question.
    fn grant_in(&self, workspace: &Workspace) -> String {
        self.effect_in(workspace)
    }

    /// What the person is asked before the tool runs; the answer is in [`Cx::answer`].
    fn question(&self) -> Option<String> {
        None
    }

    /// Does it. Blocking code; long work looks at [`Cx::cancel`].
    ///
    /// # Errors
    /// Only codes that `SPEC.errors` declares, and those that any call can meet.
    fn run(self, cx: &Cx<'_>) -> Result<Self::Output>;
}

/// A failure with what the call found out all the same, such as the output of tests that failed.
#[must_use]
pub fn failed(error: Error, output: &impl Serialize) -> Error {
    match serde_json::to_value(output) {
        Ok(output) => error.with_output(output),
        Err(e) => Error::internal(format!("a result that is no JSON: {e}")),
    }
}

/// What a tool declares about itself.
#[derive(Debug)]
pub struct Spec {
    /// The name on the wire.
    pub name: &'static str,
    /// Other names under which calls are accepted; they are not listed.
    pub aliases: &'static [&'static str],
    /// What people see instead of the name.
    pub title: &'static str,
    /// The heading under which the documents list it.
    pub category: &'static str,
    /// What a call does to the world.
    pub effect: Effect,
    /// What a call needs.
    pub permission: Permission,
    /// The codes that a call can fail with, beside [`ANY_CALL`]; groups of them, since tools that do
    /// the same thing first fail in the same ways.
    pub errors: &'static [&'static [Code]],
    /// Calls with their results: documentation and tests at once. At least two, one a failure.
    pub examples: &'static [Example],
}

impl Spec {
    /// The codes that a call can fail with, beside [`ANY_CALL`].
    pub fn codes(&self) -> impl Iterator<Item = Code> {
        self.errors.iter().flat_map(|group| group.iter().copied())
    }
}

/// Codes that every call can fail with and no tool declares.
pub const ANY_CALL: &[Code] = &[
    Code::InvalidInput,
    Code::UnknownTool,
    Code::PathOutsideWorkspace,
    Code::ProtectedPath,
    Code::ApprovalRequired,
    Code::PermissionDenied,
    Code::FileBusy,
    Code::DiskFull,
    Code::Cancelled,
    Code::Io,
    Code::Internal,
];

/// What a call does to the world. From it follow whether calls may run at once, the hints that
/// clients get, and whether the journal opens a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It looks and changes nothing.
    Reads,
    /// It changes only what the session remembers, such as its tasks.
    Remembers,
    /// It puts something into the cache, which outlives the session.
    Stores,
    /// It deletes from the cache, which nobody can undo.
    Forgets,
    /// It changes files, which the journal can undo.
    Writes,
    /// It starts a program.
    Runs,
    /// It reaches out to the network.
    Connects,
    /// It reaches out to the network and saves what comes in files, which the journal can undo. It
    /// is not tried beforehand: what comes the next time may be something else.
    Downloads,
}

impl Effect {
    /// Whether calls with this effect may run at the same time as others of their turn.
    pub fn parallel_safe(self) -> bool {
        matches!(self, Self::Reads)
    }

    /// Whether a call changes files in a step of its own.
    pub fn writes(self) -> bool {
        matches!(self, Self::Writes | Self::Downloads)
    }

    /// Whether a call speaks with others, which nobody can take back.
    pub fn connects(self) -> bool {
        matches!(self, Self::Connects | Self::Downloads)
    }

    /// Whether a call changes nothing outside the session.
    pub fn read_only(self) -> bool {
        matches!(self, Self::Reads)
    }
}

/// What a call needs before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Permission {
    /// Nothing: it only looks.
    None,
    /// Asked for once in a session: it can be undone.
    Moderate,
    /// Asked for every time.
    Dangerous,
}

impl Permission {
    /// The word the documents use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Moderate => "moderate",
            Self::Dangerous => "dangerous",
        }
    }
}

/// One call in a fresh folder: what is there, what is called, what comes back and what is left.
#[derive(Debug)]
pub struct Example {
    /// What it shows, a sentence without a full stop.
    pub about: &'static str,
    /// Files before the call; a path that ends in `/` is a folder.
    pub given: &'static [(&'static str, &'static str)],
    /// The arguments, JSON.
    pub call: &'static str,
    /// The body of the result: text, or the fields of the tool as JSON, to which a failure adds
    /// `error`, its message; each dialect dresses them in its own way. `[..]` stands for any text.
    pub gives: &'static str,
    /// Files after the call, compared whole; `(gone)` for a path that must not exist.
    pub leaves: &'static [(&'static str, &'static str)],
    /// The code it fails with, if the example shows a failure.
    pub fails: Option<Code>,
}

/// The content of an example's `leaves` for a path that must not exist.
pub const GONE: &str = "(gone)";

/// The doc comment of a type, with line breaks within a paragraph taken out.
pub(crate) fn description<T: JsonSchema>() -> Cow<'static, str> {
    let schema = schemars::schema_for!(T);
    let text = schema.get("description").and_then(|d| d.as_str()).unwrap_or_default();
    Cow::Owned(crate::schema::unwrap_lines(text))
}
