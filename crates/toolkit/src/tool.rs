//! What a tool is: its input, what it declares about itself, and what it does.

use std::borrow::Cow;

use fault::{Code, Error, Result};
use files::Workspace;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::cx::Cx;
use crate::effect::Effect;

/// A tool is its input: a struct whose fields are the parameters. The doc comment of the struct is
/// the description that a model reads, those of the fields are the parameters' descriptions.
pub trait Tool: DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// What a successful call gives; its fields are the result fields. Plain text is a `String`.
    type Output: Serialize + JsonSchema + 'static;

    /// What the tool declares about itself.
    const SPEC: Spec;

    /// What a failure shows beside its reason in the dialects whose results have no envelope, if it
    /// carries no output of its own ([`failed`]): an object in JSON. Only what is true of every
    /// call that failed, such as an empty list of matches; `null` stands for the argument of that
    /// name.
    const FAILED: &'static str = "{}";

    /// What this call needs; differs from the declared permission only if the input decides.
    fn permission(&self) -> Permission {
        Self::SPEC.permission
    }

    /// What this call does to the world; less than the declared effect only if the input decides.
    fn effect(&self) -> Effect {
        Self::SPEC.effect
    }

    /// The single files that the call reads or writes, as given. Calls of one session that touch
    /// the same file run in the order in which they came.
    fn paths(&self) -> Vec<String> {
        Vec::new()
    }

    /// What a person must see to decide on this call, such as the command line. Calls whose effect
    /// is [`Effect::WRITES`] need none: they are tried without effect and shown as a diff.
    fn about(&self) -> String {
        String::new()
    }

    /// The same where the input alone does not say it, such as the command that a project defines.
    fn about_in(&self, _workspace: &Workspace) -> String {
        self.about()
    }

    /// The address that it reaches, if the caller names one.
    fn url(&self) -> Option<&str> {
        None
    }

    /// Whether the caller wants the person's yes to hold for the session. It is offered then, never
    /// taken for granted.
    fn may_last(&self) -> bool {
        false
    }

    /// What a dangerous call must share with one that got a yes for the session to run without a
    /// question.
    fn grant_in(&self, workspace: &Workspace) -> String {
        self.about_in(workspace)
    }

    /// The tool that is called in its place, and with which arguments, if it calls others
    /// ([`Spec::forwards`]). Everything after that is about the call of that tool: this one never
    /// runs.
    fn forward(&self) -> Option<(String, Value)> {
        None
    }

    /// What the person is asked before the tool runs; the answer is in [`Cx::answer`].
    fn question(&self) -> Option<String> {
        None
    }

    /// What is wrong with the input beyond its form, found before anybody is asked about the call.
    ///
    /// # Errors
    /// Those of [`Tool::run`].
    fn check(&self) -> Result<()> {
        Ok(())
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
    pub category: Category,
    /// What a call does to the world.
    pub effect: Effect,
    /// What a call needs.
    pub permission: Permission,
    /// The codes that a call can fail with, beside [`ANY_CALL`]; groups of them, since tools that
    /// do the same thing first fail in the same ways.
    pub errors: &'static [&'static [Code]],
    /// Whether it calls other tools ([`Tool::forward`]), also those of toolsets that are not served.
    pub forwards: bool,
    /// Whether results come with pictures, which clients get beside them and without structure.
    pub pictures: bool,
    /// Calls with their results: documentation and tests at once. At least two, one a failure.
    pub examples: &'static [Example],
}

impl Spec {
    /// A tool that only reads and needs no permission, as far as nothing else is said.
    pub const fn new(name: &'static str, title: &'static str, category: Category) -> Self {
        Self {
            name,
            aliases: &[],
            title,
            category,
            effect: Effect::READS,
            permission: Permission::None,
            errors: &[],
            forwards: false,
            pictures: false,
            examples: &[],
        }
    }

    /// With other names.
    #[must_use]
    pub const fn aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// With what it does and needs.
    #[must_use]
    pub const fn effect(self, effect: Effect, permission: Permission) -> Self {
        Self { effect, permission, ..self }
    }

    /// With the codes that it can fail with.
    #[must_use]
    pub const fn errors(self, errors: &'static [&'static [Code]]) -> Self {
        Self { errors, ..self }
    }

    /// One that calls other tools.
    #[must_use]
    pub const fn forwards(self) -> Self {
        Self { forwards: true, ..self }
    }

    /// With pictures beside its results.
    #[must_use]
    pub const fn pictures(self) -> Self {
        Self { pictures: true, ..self }
    }

    /// With examples.
    #[must_use]
    pub const fn examples(self, examples: &'static [Example]) -> Self {
        Self { examples, ..self }
    }

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

/// The heading under which the documents list a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// Reading and changing files.
    Files,
    /// Finding files, text and symbols.
    Search,
    /// Diffs.
    Patches,
    /// Repositories.
    Git,
    /// Building, testing, formatting and linting.
    Build,
    /// Running programs.
    Programs,
    /// Pages, downloads and searches.
    Web,
    /// Pages that are used, not only fetched.
    Browser,
    /// The cache that outlives sessions.
    Cache,
    /// What a project remembers.
    Memory,
    /// Tasks and plans.
    Tasks,
    /// Asking the person.
    Person,
    /// None of these.
    Other,
}

impl Category {
    /// The heading.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Search => "search",
            Self::Patches => "patches",
            Self::Git => "git",
            Self::Build => "build",
            Self::Programs => "programs",
            Self::Web => "web",
            Self::Browser => "browser",
            Self::Cache => "cache",
            Self::Memory => "memory",
            Self::Tasks => "tasks",
            Self::Person => "person",
            Self::Other => "other",
        }
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

/// One call in a fresh directory: what is there, what is called, what comes back and what is left.
#[derive(Debug)]
pub struct Example {
    /// What it shows, a sentence without a full stop.
    pub about: &'static str,
    /// Files before the call; a path that ends in `/` is a directory.
    pub given: &'static [(&'static str, &'static str)],
    /// Calls of the same session before it: tools and their arguments.
    pub after: &'static [(&'static str, &'static str)],
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

impl Example {
    /// A call without arguments in an empty directory.
    pub const fn of(about: &'static str) -> Self {
        Self { about, given: &[], after: &[], call: "{}", gives: "", leaves: &[], fails: None }
    }

    /// With files before the call.
    #[must_use]
    pub const fn given(self, given: &'static [(&'static str, &'static str)]) -> Self {
        Self { given, ..self }
    }

    /// With calls before the call.
    #[must_use]
    pub const fn after(self, after: &'static [(&'static str, &'static str)]) -> Self {
        Self { after, ..self }
    }

    /// With arguments.
    #[must_use]
    pub const fn call(self, call: &'static str) -> Self {
        Self { call, ..self }
    }

    /// A success with this body.
    #[must_use]
    pub const fn gives(self, gives: &'static str) -> Self {
        Self { gives, ..self }
    }

    /// A failure with this code and body.
    #[must_use]
    pub const fn fails(self, code: Code, gives: &'static str) -> Self {
        Self { gives, fails: Some(code), ..self }
    }

    /// With files after the call.
    #[must_use]
    pub const fn leaves(self, leaves: &'static [(&'static str, &'static str)]) -> Self {
        Self { leaves, ..self }
    }
}

/// The content of an example's `leaves` for a path that must not exist.
pub const GONE: &str = "(gone)";

/// The doc comment of a type, with line breaks within a paragraph taken out.
pub(crate) fn description<T: JsonSchema>() -> Cow<'static, str> {
    let schema = schemars::schema_for!(T);
    let text = schema.get("description").and_then(|d| d.as_str()).unwrap_or_default();
    Cow::Owned(crate::schema::unwrap_lines(text))
}
