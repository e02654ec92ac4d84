//! What every tool file imports.

pub(crate) use fault::{Code, Error, Result};
pub(crate) use files::journal::Parents;
pub(crate) use schemars::JsonSchema;
pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use toolkit::{Category, Cx, Effect, Example, GONE, Permission, Spec, Tool, failed};

/// How opening a file fails.
pub(crate) const READING: &[Code] = &[
    Code::FileNotFound,
    Code::IsDirectory,
    Code::NotADirectory,
    Code::NotAFile,
    Code::FileTooLarge,
];

/// How an exact change of a file that was opened fails.
pub(crate) const EDITING: &[Code] = &[
    Code::BinaryFile,
    Code::FileChanged,
    Code::StringNotFound,
    Code::MultipleMatches,
    Code::InvalidEncoding,
];

/// How putting a whole file fails.
pub(crate) const WRITING: &[Code] = &[
    Code::IsDirectory,
    Code::NotADirectory,
    Code::NotAFile,
    Code::FileTooLarge,
    Code::FileChanged,
];

/// How opening a directory fails.
pub(crate) const LISTING: &[Code] = &[Code::DirectoryNotFound, Code::NotADirectory];

/// Several remarks as one; `None` if there are none.
pub(crate) fn joined(notes: &[String]) -> Option<String> {
    (!notes.is_empty()).then(|| notes.join("; "))
}

/// A result that begins with `success: true`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Success<T> {
    /// True
    success: bool,
    #[serde(flatten)]
    result: T,
}

/// The result of a tool that did what was asked, in the dialects which say so.
pub(crate) fn success<T>(result: T) -> Result<Success<T>> {
    Ok(Success { success: true, result })
}
