//! Failures of git, in words that say what to do next.

use super::{Code, Error, Setting, Way};

impl Error {
    /// No repository at a path; `above`, if one begins outside of the workspace.
    pub fn not_a_repository(path: &str, above: bool) -> Self {
        let what = format!("{path}: not a git repository");
        let error = if above {
            let what = format!("{what}; the workspace is inside one");
            let ways = vec![Way::Settings(vec![Setting {
                flag: "--root",
                value: "DIR".to_owned(),
                meaning: "its top directory",
            }])];
            Self::with_ways(Code::NotAGitRepository, what, ways)
        } else {
            let advice = "run `git init` to make it one, or name the directory of a repository";
            Self::new(Code::NotAGitRepository, format!("{what}; {advice}"))
        };
        error.with("path", path)
    }

    /// A repository that its user does not trust, and whose own programs (`named`) are needed for what
    /// is to be done.
    pub fn not_vetted(path: &str, top: &std::path::Path, named: &[String]) -> Self {
        let named = named.join(", ");
        Self::new(
            Code::PermissionDenied,
            format!(
                "{path}: the repository names programs of its own ({named}), which run only if the user \
                 trusts it, and without them the result would be different; ask the user to run \
                 `kitbag trust-repo {}`",
                top.display()
            ),
        )
        .with("path", path)
        .with("programs", named)
    }

    /// A repository without a work tree where one is needed.
    pub fn no_work_tree(path: &str) -> Self {
        Self::new(
            Code::NotAGitRepository,
            format!("{path}: no work tree here (a bare repository, or inside .git); name a directory of the work tree"),
        )
        .with("path", path)
    }

    /// A value for an invalid date; `why` says what of it.
    pub fn invalid_date(field: &str, value: &str, why: &str) -> Self {
        let value = crate::cut(value, 200);
        Self::new(
            Code::InvalidDateRange,
            format!("{field}: `{value}` {why}; give a date such as 2026-01-31, 2026-01-31T12:00:00Z or `2 weeks ago`"),
        )
        .with("field", field)
    }

    /// Nothing that could be committed.
    pub fn nothing_to_commit(advice: &str) -> Self {
        Self::new(Code::NothingToCommit, format!("nothing to commit; {advice}"))
    }

    /// No branch of this name; `near` are names like it.
    pub fn branch_not_found(name: &str, near: &[String]) -> Self {
        let advice = if near.is_empty() {
            "`git branch` lists them".to_owned()
        } else {
            format!("did you mean {}?", near.join(" or "))
        };
        Self::new(Code::BranchNotFound, format!("{name}: no such branch; {advice}"))
            .with("branch", name)
    }

    /// The current branch has no commit, so nothing can start from it.
    pub fn no_commit_yet(name: &str) -> Self {
        Self::new(
            Code::BranchNotFound,
            format!(
                "{name}: cannot create the branch, the repository has no commits yet; commit first"
            ),
        )
        .with("branch", name)
    }

    /// A branch of this name, or one in whose place it would stand.
    pub fn branch_exists(name: &str, said: &str) -> Self {
        let more = if said.is_empty() { String::new() } else { format!(" ({said})") };
        Self::new(
            Code::BranchAlreadyExists,
            format!(
                "{name}: a branch of this name exists{more}; switch to it, or choose another name"
            ),
        )
        .with("branch", name)
    }

    /// No branch where one is needed.
    pub fn no_branch(path: &str) -> Self {
        Self::new(
            Code::CouldNotDetermineBranch,
            format!("{path}: not on a branch (detached HEAD); name a branch, or switch to one"),
        )
        .with("path", path)
    }

    /// A branch that would take commits with it.
    pub fn branch_not_merged(name: &str, commit: &str) -> Self {
        Self::new(
            Code::BranchNotMerged,
            format!("{name}: has commits that are on no other branch (the last is {commit}); merge or push it first"),
        )
        .with("branch", name)
        .with("commit", commit)
    }

    /// Files that still have both sides of a conflict in them.
    pub fn unresolved(paths: &[String]) -> Self {
        Self::new(
            Code::MergeConflict,
            format!(
                "{}: unresolved conflicts; edit the files until no `<<<<<<<` is left, then repeat",
                some_of(paths)
            ),
        )
        .with("files", paths.join("\n"))
    }

    /// A merge or rebase that stopped, and waits.
    pub fn conflict(paths: &[String], how: &str) -> Self {
        Self::new(
            Code::MergeConflict,
            format!(
                "{}: merge conflict; resolve the files, stage them and commit, or run `git {how} --abort`",
                some_of(paths)
            ),
        )
        .with("files", paths.join("\n"))
    }

    /// The branch follows nothing.
    pub fn no_upstream(branch: &str) -> Self {
        Self::new(
            Code::NoUpstream,
            format!("{branch}: has no upstream branch; name the remote's branch, or push it first"),
        )
        .with("branch", branch)
    }

    /// No remote of this name.
    pub fn remote_not_found(name: &str, known: &[String]) -> Self {
        let advice = if known.is_empty() {
            "the repository has no remotes; add one with `git remote add`".to_owned()
        } else {
            format!("there is {}", known.join(", "))
        };
        Self::new(Code::RemoteNotFound, format!("{name}: no such remote; {advice}"))
            .with("remote", name)
    }

    /// The remote refused; `said` is why.
    pub fn push_rejected(branch: &str, said: &str) -> Self {
        Self::new(
            Code::PushRejected,
            format!("{branch}: the remote refused it: {said}; pull its commits first, or see what its rules ask for"),
        )
        .with("branch", branch)
    }

    /// What git said when it failed, under the code that fits; `what` is the command.
    pub fn git(code: Code, what: &str, said: &str) -> Self {
        let advice = match code {
            Code::RepositoryBusy => {
                "wait and repeat; if no git is running, remove the lock file it names"
            }
            Code::HookFailed => {
                "fix what the hook reports and repeat; what was staged stays staged"
            }
            Code::SigningFailed => {
                "the key must be usable without a prompt: unlock it in an agent, or have commit.gpgSign switched off"
            }
            Code::LocalChanges => "commit them or stash them first, nothing was changed",
            Code::AuthenticationFailed => {
                "a password cannot be typed here: set up an ssh agent, a key or a credential helper"
            }
            Code::NetworkUnreachable => {
                "check the address of the remote and the network, then repeat"
            }
            Code::RemoteNotFound => "check its address with `git remote -v`",
            Code::MergeConflict => "resolve the conflicts, stage the files, then repeat",
            Code::PermissionDenied => {
                "check the owner and mode of the repository, and which directories may be written"
            }
            Code::DiskFull => "free some space and repeat",
            _ => "see what git says",
        };
        let short = crate::cut(said, 600);
        Self::new(code, format!("git {what}: {short}; {advice}")).with("output", said)
    }
}

fn some_of(paths: &[String]) -> String {
    let shown = paths.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
    match paths.len() {
        0..=5 => shown,
        more => format!("{shown} and {} more", more - 5),
    }
}
