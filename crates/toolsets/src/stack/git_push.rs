//! Stack `git_push`.

use super::git_pull::Output;
use crate::git::{GIT, GIT_REMOTE, change_notes, typed};
use crate::prelude::*;

/// Push a branch to a remote. Never forces; nobody is asked for a password.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct GitPush {
    /// Folder of the repository (default: project)
    repo_path: Option<String>,
    /// Name of the remote (default origin)
    remote: Option<String>,
    /// Branch (default: the current one)
    branch: Option<String>,
}

impl Tool for GitPush {
    type Output = Output;

    const SPEC: Spec = Spec {
        name: "git_push",
        aliases: &[],
        title: "Push",
        category: Category::Git,
        effect: Effect::RUNS.and(Effect::CONNECTS),
        permission: Permission::Dangerous,
        errors: &[
            GIT,
            &[Code::RepositoryBusy, Code::PushRejected, Code::NothingToCommit],
            GIT_REMOTE,
        ],
        examples: &[
            Example {
                about: "A remote that there is not",
                given: &[
                    (".git/HEAD", "ref: refs/heads/main\n"),
                    (".git/objects/", ""),
                    (".git/refs/", ""),
                ],
                call: r#"{"branch": "main"}"#,
                gives: r#"{"success": false, "error": "origin: no such remote; [..]", "code": "RemoteNotFound"}"#,
                leaves: &[],
                fails: Some(Code::RemoteNotFound),
            },
            Example {
                about: "A folder that is no repository",
                given: &[("a.txt", "")],
                call: r#"{}"#,
                gives: r#"{"success": false, "error": ".: not a git repository; [..]", "code": "NotAGitRepository"}"#,
                leaves: &[],
                fails: Some(Code::NotAGitRepository),
            },
        ],
    };

    fn about(&self) -> String {
        let branch = self.branch.as_deref().unwrap_or("HEAD");
        let remote = self.remote.as_deref().unwrap_or("origin");
        typed(self.repo_path.as_deref(), &["push", remote, branch])
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let repository = cx.repository(self.repo_path.as_deref().unwrap_or("."))?;
        let remote = self.remote.unwrap_or_else(|| "origin".to_owned());
        let done = repository.push(&remote, self.branch.as_deref())?;
        let mut notes: Vec<String> = change_notes(cx)?.into_iter().collect();
        if done.up_to_date {
            notes.push("the remote had all of it already".to_owned());
        }
        let note = joined(&notes);
        Ok(Output { success: true, remote, branch: done.branch, output: done.output, note })
    }
}
