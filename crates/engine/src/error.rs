//! Every failure of the engine: one code, one message that says what to do next.
//!
//! Callers branch on [`Error::code`] and show [`Error::message`]. Each message stands in one
//! constructor of this file, so the wording of a failure is the same in every tool.

mod cache;
mod call;
mod code;
mod patch;
mod program;
mod project;
mod text;

use std::fmt;
use std::path::Path;

use crate::text::cut;
pub use code::Code;

/// The result of an engine operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

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

    /// The path leaves every root; `roots` are the folders that may be touched.
    pub fn path_outside(path: &str, roots: &[String]) -> Self {
        Self::new(
            Code::PathOutsideWorkspace,
            format!(
                "{path}: outside the workspace ({}); use a path inside it, or have the server \
                 started with --allow DIR",
                roots.join(", ")
            ),
        )
        .with("path", path)
        .with("roots", roots.join(", "))
    }

    /// The path may be read but not written.
    pub fn read_only_root(path: &str) -> Self {
        Self::new(
            Code::PermissionDenied,
            format!("{path}: in a folder that is allowed for reading only; start the server with --allow DIR to write there"),
        )
        .with("path", path)
    }

    /// A change of this path needs a person.
    pub fn protected_path(path: &str, why: &str) -> Self {
        Self::new(
            Code::ProtectedPath,
            format!(
                "{path}: {why}, so a person must allow the change; ask for it, or have the server \
                 started with --allow-protected {path}"
            ),
        )
        .with("path", path)
    }

    /// Nothing at a path where a file is needed; `near` are names like it.
    pub fn file_not_found(path: &str, near: &[String]) -> Self {
        let advice = if near.is_empty() {
            "list the folder to see what is there".to_owned()
        } else {
            format!("did you mean {}?", near.join(" or "))
        };
        Self::new(Code::FileNotFound, format!("{path}: no such file; {advice}")).with("path", path)
    }

    /// Nothing at a path where a folder is needed.
    pub fn directory_not_found(path: &str) -> Self {
        Self::new(
            Code::DirectoryNotFound,
            format!("{path}: no such folder; list the folder above it to see what is there"),
        )
        .with("path", path)
    }

    /// The folder for a new file is missing.
    pub fn parent_not_found(path: &str) -> Self {
        Self::new(
            Code::ParentDirectoryNotFound,
            format!(
                "{path}: the folder it would stand in does not exist; create that folder first"
            ),
        )
        .with("path", path)
    }

    /// A folder where a file is needed.
    pub fn is_directory(path: &str) -> Self {
        Self::new(Code::IsDirectory, format!("{path}: a folder, not a file; list it instead"))
            .with("path", path)
    }

    /// A file where a folder is needed.
    pub fn not_a_directory(path: &str) -> Self {
        Self::new(
            Code::NotADirectory,
            format!("{path}: not a folder; read it, or name the folder it stands in"),
        )
        .with("path", path)
    }

    /// A device, pipe or socket.
    pub fn not_a_file(path: &str, kind: &str) -> Self {
        Self::new(Code::NotAFile, format!("{path}: {kind}, not a file; it is never opened"))
            .with("path", path)
    }

    /// Something stands where a new thing should be made.
    pub fn file_exists(path: &str) -> Self {
        Self::new(
            Code::FileExists,
            format!(
                "{path}: something stands there already; choose another name or remove it first"
            ),
        )
        .with("path", path)
    }

    /// No text in the file.
    pub fn binary_file(path: &str, bytes: u64) -> Self {
        Self::new(
            Code::BinaryFile,
            format!("{path}: a binary file of {bytes} bytes; use a program such as `file` or `xxd` to look into it"),
        )
        .with("path", path)
        .with("bytes", bytes)
    }

    /// More bytes than the operation takes.
    pub fn file_too_large(path: &str, bytes: u64, limit: u64, advice: &str) -> Self {
        Self::new(
            Code::FileTooLarge,
            format!("{path}: {bytes} bytes, over the limit of {limit}; {advice}"),
        )
        .with("path", path)
        .with("bytes", bytes)
        .with("limit", limit)
    }

    /// More than one call copies, so that undo stays cheap.
    pub fn too_much_to_copy(path: &str, entries: usize, bytes: u64) -> Self {
        Self::new(
            Code::FileTooLarge,
            format!("{path}: more than {entries} files or {bytes} bytes; nothing was copied, copy it with a program such as cp"),
        )
        .with("path", path)
    }

    /// Somebody else changed the file.
    pub fn file_changed(path: &str) -> Self {
        Self::new(
            Code::FileChanged,
            format!("{path}: changed by somebody else since it was read; read it again, then repeat the change"),
        )
        .with("path", path)
    }

    /// The lock of the file was not to be had in time.
    pub fn file_busy(path: &str) -> Self {
        Self::new(
            Code::FileBusy,
            format!("{path}: another process is changing it; try again in a moment"),
        )
        .with("path", path)
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
