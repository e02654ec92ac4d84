//! What a call did to a git repository, in words of git: branches, not the files git keeps them in.

use files::Workspace;
use files::journal::{Change, ChangeKind};

const BRANCHES: &str = ".git/refs/heads/";

/// The changes that are shown, and how many others are of git's own files.
pub(super) fn sorted(changes: &[Change]) -> (Vec<&Change>, usize) {
    let is_shown = |change: &&Change| branch(change).is_some() || !in_git(&change.path);
    let shown: Vec<_> = changes.iter().filter(is_shown).collect();
    let more = changes.len() - shown.len();
    (shown, more)
}

fn in_git(path: &str) -> bool {
    path == ".git" || path.starts_with(".git/") || path.contains("/.git/")
}

/// The branch of a change, if git keeps one in the file.
pub(super) fn branch(change: &Change) -> Option<&str> {
    let (above, name) = change.path.split_once(BRANCHES)?;
    let is_file = change.what != ChangeKind::Moved && !name.ends_with(".lock");
    (is_file && (above.is_empty() || above.ends_with('/'))).then_some(name)
}

/// The change as it is called.
pub(super) fn name(change: &Change) -> String {
    branch(change).map_or_else(|| change.to_string(), |name| format!("branch {name}"))
}

/// Which commit the branch of a change is at; empty if that cannot be read.
pub(super) fn commit(workspace: &Workspace, change: &Change) -> String {
    let read = workspace.read(&change.path).ok();
    let id = read.and_then(|contents| String::from_utf8(contents.bytes.to_vec()).ok());
    let id = id.as_deref().map(str::trim).and_then(|id| id.get(..7));
    id.map_or_else(String::new, |id| format!(", at commit {id}"))
}
