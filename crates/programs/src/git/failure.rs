//! What git says when it fails, turned into codes. It has no codes of its own, so its words are
//! looked at; they are asked for in English.

use fault::{Code, Error};

use crate::process::Finished;

/// Words of git and the code that they mean; the first that is found counts.
const WORDS: &[(&str, Code)] = &[
    ("not a git repository", Code::NotAGitRepository),
    ("dubious ownership", Code::PermissionDenied),
    ("cannot use bare repository", Code::PermissionDenied),
    (".lock': File exists", Code::RepositoryBusy),
    ("No space left on device", Code::DiskFull),
    ("Disk quota exceeded", Code::DiskFull),
    ("gpg failed to sign", Code::SigningFailed),
    ("failed to sign the data", Code::SigningFailed),
    ("would be overwritten by", Code::LocalChanges),
    ("Please commit your changes or stash them", Code::LocalChanges),
    ("have unstaged changes", Code::LocalChanges),
    ("contains uncommitted changes", Code::LocalChanges),
    ("unmerged files", Code::MergeConflict),
    ("you need to resolve your current index first", Code::MergeConflict),
    ("unresolved conflict", Code::MergeConflict),
    ("while merging", Code::MergeConflict),
    ("while rebasing", Code::MergeConflict),
    ("have not concluded your merge", Code::MergeConflict),
    ("partial commit during a", Code::MergeConflict),
    ("Could not resolve host", Code::NetworkUnreachable),
    ("Temporary failure in name resolution", Code::NetworkUnreachable),
    ("Failed to connect", Code::NetworkUnreachable),
    ("Couldn't connect to server", Code::NetworkUnreachable),
    ("Connection refused", Code::NetworkUnreachable),
    ("Connection timed out", Code::NetworkUnreachable),
    ("Network is unreachable", Code::NetworkUnreachable),
    ("No route to host", Code::NetworkUnreachable),
    ("unable to connect to", Code::NetworkUnreachable),
    ("terminal prompts disabled", Code::AuthenticationFailed),
    ("could not read Username", Code::AuthenticationFailed),
    ("could not read Password", Code::AuthenticationFailed),
    ("Authentication failed", Code::AuthenticationFailed),
    ("Permission denied (", Code::AuthenticationFailed),
    ("Host key verification failed", Code::AuthenticationFailed),
    ("requested URL returned error: 401", Code::AuthenticationFailed),
    ("requested URL returned error: 403", Code::AuthenticationFailed),
    ("does not appear to be a git repository", Code::RemoteNotFound),
    ("No such remote", Code::RemoteNotFound),
    ("couldn't find remote ref", Code::BranchNotFound),
    ("repository not found", Code::RemoteNotFound),
    ("' not found", Code::RemoteNotFound),
    ("insufficient permission", Code::PermissionDenied),
    ("Permission denied", Code::PermissionDenied),
    ("Read-only file system", Code::PermissionDenied),
    ("did not match any files", Code::FileNotFound),
    ("is outside repository", Code::PathOutsideWorkspace),
    ("nothing to commit", Code::NothingToCommit),
    ("You asked to amend the most recent commit", Code::NothingToCommit),
];

/// The error for a command that failed.
pub(super) fn failed(what: &str, finished: &Finished) -> Error {
    let said = said(finished);
    let known = WORDS.iter().find(|(words, _)| said.contains(words));
    Error::git(known.map_or(Code::GitFailed, |(_, code)| *code), what, &said)
}

/// What it printed, the errors first; how it ended if that is nothing.
pub(super) fn said(finished: &Finished) -> String {
    let part = |output: &crate::process::Output| {
        let shown = output.tail(100, 6000);
        let cut = if shown.omitted_bytes > 0 { "[…] " } else { "" };
        format!("{cut}{}", shown.text.trim())
    };
    let (errors, output) = (part(&finished.stderr), part(&finished.stdout));
    match (errors.is_empty(), output.is_empty()) {
        (true, true) => format!("{:?}, without a word", finished.exit),
        (false, true) => errors,
        (true, false) => output,
        (false, false) => format!("{errors}\n{output}"),
    }
}

/// What git remarked though it did what it was asked for, such as that line endings will change.
pub(super) fn remark(finished: &Finished) -> Option<String> {
    let shown = finished.stderr.head(20, 2000);
    let text = shown.text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
