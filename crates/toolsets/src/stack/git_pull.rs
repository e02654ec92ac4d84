//! Stack `git_pull`.

use crate::git::{GIT, GIT_CHANGING, GIT_REMOTE, REPOSITORY, change_notes, typed};
use crate::prelude::*;

/// Fetch a branch of a remote and merge it into the current one, or rebase if that is configured.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct GitPull {
    /// Directory of the repository (default: project)
    repo_path: Option<String>,
    /// Name of the remote (default origin)
    remote: Option<String>,
    /// Branch (default: what the current one follows)
    branch: Option<String>,
}

/// What went over.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The remote
    pub(super) remote: String,
    /// The branch
    pub(super) branch: String,
    /// What git printed
    pub(super) output: String,
    /// What should be known
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
}

impl Tool for GitPull {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("git_pull", "Pull", Category::Git)
        .effect(Effect::RUNS.and(Effect::CONNECTS), Permission::Dangerous)
        .errors(&[GIT, GIT_CHANGING, GIT_REMOTE, &[Code::NoUpstream]])
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
        let remote = self.remote.as_deref().unwrap_or("origin");
        let words = ["pull", remote].into_iter().chain(self.branch.as_deref());
        typed(self.repo_path.as_deref(), &words.collect::<Vec<_>>())
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let repository = cx.repository(self.repo_path.as_deref().unwrap_or("."))?;
        let remote = self.remote.unwrap_or_else(|| "origin".to_owned());
        let done = repository.pull(&remote, self.branch.as_deref())?;
        let mut notes: Vec<String> = change_notes(cx)?.into_iter().collect();
        if done.commits.0.as_ref() == Some(&done.commits.1) {
            notes.push("there was nothing new".to_owned());
        }
        let note = joined(&notes);
        success(Output { remote, branch: done.branch, output: done.output, note })
    }
}
