//! Every failure of the engine: one code, one message that says what to do next.
//!
//! Callers branch on [`Error::code`] and show [`Error::message`]. Each message stands in one
//! constructor of this file, so the wording of a failure is the same in every tool.

mod cache;
mod call;
mod git;
mod patch;
mod path;
mod program;
mod text;

use std::fmt;
use std::path::Path;

use crate::text::cut;

/// The result of an engine operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident,)+) => {
        /// What kind of failure it is. The spelling of a variant is its spelling on the wire.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $($(#[doc = $doc])+ $name,)+ }

        impl Code {
            /// All codes, in the order of their definition.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// The spelling that clients see.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)+ }
            }

            /// What the code means, one sentence for the reference.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),+).trim_ascii(),)+ }
            }
        }
    };
}

codes! {
    /// A parameter is missing, has the wrong type or a value that cannot be used.
    InvalidInput,
    /// No tool of this name is in the toolset.
    UnknownTool,
    /// The path leads out of the folders that the session may touch.
    PathOutsideWorkspace,
    /// The path is one that programs run or obey by themselves, so a person must allow the change.
    ProtectedPath,
    /// A person must allow the call, and nobody is there to ask.
    ApprovalRequired,
    /// The tool asks the person something, and nobody answers.
    NoAnswer,
    /// The policy, a person or the operating system refused the call.
    PermissionDenied,
    /// There is no file at the path.
    FileNotFound,
    /// There is no folder at the path.
    DirectoryNotFound,
    /// The folder in which the file would stand does not exist.
    ParentDirectoryNotFound,
    /// The path names a folder where a file is needed.
    IsDirectory,
    /// The path names a file where a folder is needed.
    NotADirectory,
    /// The path names a device, a pipe or a socket, which is never opened.
    NotAFile,
    /// Something stands at the path already.
    FileExists,
    /// The file holds no text.
    BinaryFile,
    /// The file is larger than the bound of the operation.
    FileTooLarge,
    /// The new text has characters that the encoding of the file cannot write.
    InvalidEncoding,
    /// The text to be replaced does not stand in the file.
    StringNotFound,
    /// The text to be replaced stands in the file more than once.
    MultipleMatches,
    /// Two replacements of one call touch the same text.
    OverlappingEdits,
    /// The lines named are not in the file, or end before they start.
    InvalidLineRange,
    /// The file does not have so many lines.
    InvalidLineNumber,
    /// The text is no unified diff, or one that breaks off or contradicts itself.
    NoValidDiff,
    /// A part of the diff does not fit the files; none was changed.
    PatchFailed,
    /// The diff is risky; a warning beside the result, not a failure.
    RiskLevelHigh,
    /// The file was changed by somebody else since this session read it.
    FileChanged,
    /// Another process holds the lock of the file for too long.
    FileBusy,
    /// The file system has no room left.
    DiskFull,
    /// The regular expression is not valid.
    InvalidRegex,
    /// The path pattern is not valid.
    InvalidGlob,
    /// The program did not end in the time it was given.
    Timeout,
    /// There is no program of this name.
    CommandNotFound,
    /// The call was cancelled by the client.
    Cancelled,
    /// There is no task of this id.
    TaskNotFound,
    /// The folder belongs to no git repository.
    NotAGitRepository,
    /// A time to search from or to is no date, or the two leave nothing between them.
    InvalidDateRange,
    /// There is nothing that a commit could hold.
    NothingToCommit,
    /// A commit on a protected branch; a warning beside the result, not a failure.
    ProtectedBranch,
    /// There is no branch of this name.
    BranchNotFound,
    /// There is a branch of this name already.
    BranchAlreadyExists,
    /// The repository is on no branch.
    CouldNotDetermineBranch,
    /// The branch holds commits that would be lost with it.
    BranchNotMerged,
    /// Files that were changed and not committed would be overwritten.
    LocalChanges,
    /// Two sides changed the same lines; a person or the model must decide.
    MergeConflict,
    /// Another git process holds the lock of the repository.
    RepositoryBusy,
    /// A hook of the repository refused.
    HookFailed,
    /// The commit could not be signed.
    SigningFailed,
    /// The branch follows no branch of a remote.
    NoUpstream,
    /// The repository has no remote of this name, or nothing is there.
    RemoteNotFound,
    /// The remote did not take what was pushed.
    PushRejected,
    /// The remote did not accept who asks, or needs a password that nobody can type.
    AuthenticationFailed,
    /// The remote could not be reached.
    NetworkUnreachable,
    /// Git failed in a way that no other code covers.
    GitFailed,
    /// The cache has no tier of this name.
    InvalidTier,
    /// The key is empty.
    EmptyKey,
    /// There is nothing to store.
    EmptyValue,
    /// The name is empty.
    EmptyName,
    /// The pattern is empty.
    EmptyPattern,
    /// A tag is no text.
    InvalidTagFormat,
    /// The query is too short to be of use.
    QueryTooShort,
    /// The text is no JSON.
    InvalidJSON,
    /// The reasoning frame has no id.
    MissingFrameId,
    /// The reasoning frame has no list of steps.
    MissingCogSteps,
    /// No reasoning frame is active.
    NoActiveFrame,
    /// The journal has no such call, or nothing in it that can be undone or redone.
    NothingToUndo,
    /// A file was changed after the call that is to be undone or redone.
    UndoConflict,
    /// The operating system reported an error that no other code covers.
    Io,
    /// A defect of this program: the call was stopped, the server lives on.
    Internal,
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A failure: what kind, what happened and what to do next, and facts a program can use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What kind of failure it is.
    pub code: Code,
    /// Path or field first, then what happened, then advice after a semicolon.
    pub message: String,
    /// Facts by name, for clients that act on a failure, in a fixed order.
    pub details: Vec<(&'static str, String)>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl Error {
    /// A failure with its message. Prefer a constructor that has the wording.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: Vec::new() }
    }

    /// Adds a fact for programs.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.details.push((name, cut(&value.to_string(), 8192).into_owned()));
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
            format!("a defect of Kitbag: {what}; the server goes on, please report it"),
        )
    }

    /// Turns an error of the operating system into a code, naming the path as the caller gave it.
    pub fn io(path: &str, error: &std::io::Error) -> Self {
        use std::io::ErrorKind as K;
        match error.kind() {
            K::NotFound => Self::file_not_found(path, &[]),
            K::PermissionDenied => Self::new(
                Code::PermissionDenied,
                format!("{path}: the operating system refuses access; check its owner and mode"),
            )
            .with("path", path),
            K::IsADirectory => Self::is_directory(path),
            K::NotADirectory => Self::not_a_directory(path),
            K::AlreadyExists => Self::file_exists(path),
            K::StorageFull | K::QuotaExceeded => Self::new(
                Code::DiskFull,
                format!("{path}: no room left on the file system, nothing was changed; free some space and repeat"),
            )
            .with("path", path),
            K::ReadOnlyFilesystem => Self::new(
                Code::PermissionDenied,
                format!("{path}: the file system is mounted read-only; write elsewhere"),
            )
            .with("path", path),
            K::InvalidFilename => Self::invalid_input(
                "path",
                format!("{path}: not a name this file system can hold; use a shorter one"),
            ),
            _ => Self::new(Code::Io, format!("{path}: {error}")).with("path", path),
        }
    }

    /// An error of the operating system on a path of the state folder, not of the workspace.
    pub(crate) fn state(path: &Path, error: &dyn fmt::Display) -> Self {
        Self::new(
            Code::Io,
            format!(
                "{}: {error}; Kitbag keeps its journal there, `kitbag doctor` says what is wrong",
                path.display()
            ),
        )
    }
}
