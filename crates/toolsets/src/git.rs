//! What the dialects share about git: how it fails, what a person is shown, what was put back.

use fault::{Code, Result};
use programs::git::command_line;
use toolkit::Cx;

/// How asking git fails.
pub(crate) const GIT: &[Code] = &[
    Code::NotAGitRepository,
    Code::DirectoryNotFound,
    Code::NotADirectory,
    Code::CommandNotFound,
    Code::Timeout,
    Code::GitFailed,
];

/// How having git change something fails beside that.
pub(crate) const GIT_CHANGING: &[Code] =
    &[Code::FileNotFound, Code::RepositoryBusy, Code::MergeConflict, Code::LocalChanges];

/// How reaching another repository fails beside that.
pub(crate) const GIT_REMOTE: &[Code] = &[
    Code::RemoteNotFound,
    Code::BranchNotFound,
    Code::CouldNotDetermineBranch,
    Code::AuthenticationFailed,
    Code::NetworkUnreachable,
    Code::HookFailed,
    Code::SigningFailed,
];

/// The files of a repository without a commit, for examples.
pub(crate) const REPOSITORY: &[(&str, &str)] =
    &[(".git/HEAD", "ref: refs/heads/main\n"), (".git/objects/", ""), (".git/refs/", "")];

/// A git command as a person would type it, in the directory `dir` if one is named.
pub(crate) fn typed<'w>(dir: Option<&'w str>, words: &[&'w str]) -> String {
    let place = dir.map_or_else(Vec::new, |dir| vec!["-C", dir]);
    let words: Vec<&str> = ["git"].into_iter().chain(place).chain(words.iter().copied()).collect();
    command_line(&words)
}

/// Most files of a commit that are listed.
pub(crate) const MOST_FILES: usize = 200;

/// A commit of what is staged, or of all, as a person is asked about it.
pub(crate) fn staged_or_all<'w>(dir: Option<&'w str>, commit: &[&'w str]) -> String {
    let add = typed(dir, &["add", "--all"]);
    format!("{add}  (only if nothing is staged)\n{}", typed(dir, commit))
}

/// What must be known of what git changed.
pub(crate) fn change_notes(cx: &Cx<'_>) -> Result<Vec<String>> {
    Ok(cx.step()?.note_program()?.notes)
}
