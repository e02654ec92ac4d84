//! Stack `git_push`.

use super::git_pull::Output;
use crate::git::{GIT, GIT_REMOTE, REPOSITORY, change_notes, typed};
use crate::prelude::*;

/// Push a branch to a remote. Never forces; nobody is asked for a password.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct GitPush {
    /// Directory of the repository (default: project)
    repo_path: Option<String>,
    /// Name of the remote (default origin)
    remote: Option<String>,
    /// Branch (default: the current one)
    branch: Option<String>,
}

impl Tool for GitPush {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("git_push", "Push", Category::Git)
        .effect(Effect::RUNS.and(Effect::CONNECTS), Permission::Dangerous)
        .errors(&[
            GIT,
            &[Code::RepositoryBusy, Code::PushRejected, Code::NothingToCommit],
            GIT_REMOTE,
        ])
        .examples(&[
            Example::of("A remote that does not exist")
                .given(REPOSITORY)
                .call(r#"{"branch": "main"}"#)
                .fails(Code::RemoteNotFound, r#"{"success": false, "error": "origin: no such remote; [..]", "code": "RemoteNotFound"}"#),
            Example::of("A directory that is no repository")
                .given(&[("a.txt", "")])
                .fails(Code::NotAGitRepository, r#"{"success": false, "error": ".: not a git repository; [..]", "code": "NotAGitRepository"}"#),
        ]);

    fn about(&self) -> String {
        let branch = self.branch.as_deref().unwrap_or("HEAD");
        let remote = self.remote.as_deref().unwrap_or("origin");
        typed(self.repo_path.as_deref(), &["push", remote, branch])
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let repository = cx.repository(self.repo_path.as_deref().unwrap_or("."))?;
        let remote = self.remote.unwrap_or_else(|| "origin".to_owned());
        let done = repository.push(&remote, self.branch.as_deref())?;
        let mut notes: Vec<String> = change_notes(cx)?.into_iter().collect();
        if done.up_to_date {
            notes.push("the remote had all of it already".to_owned());
        }
        let note = joined(&notes);
        success(Output { remote, branch: done.branch, output: done.output, note })
    }
}
