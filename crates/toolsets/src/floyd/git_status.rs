//! Floyd `git_status`.

use programs::git::{Change, Head, Seen};

use crate::git::GIT;
use crate::prelude::*;

/// What differs between the last commit, the index and the files of a git repository.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GitStatus {
    /// Directory of the repository (default: project)
    repo_path: Option<String>,
}

/// The state of the repository.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// Whether there is one
    is_repo: bool,
    /// The branch; absent if there is none
    #[serde(skip_serializing_if = "Option::is_none")]
    current: Option<String>,
    /// The branch of the remote that it follows
    tracking: Option<String>,
    /// What differs
    files: Vec<File>,
    /// Commits that the remote lacks
    ahead: u64,
    /// Commits of the remote that are missing here
    behind: u64,
    /// What should be known
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// One path that differs.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct File {
    /// Relative to the top of the repository
    path: String,
    /// Letters of git: index, then file; ?? is unknown to git
    status: String,
    /// Whether the next commit holds some of it
    staged: bool,
    /// Where it was before
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
}

impl From<Change> for File {
    fn from(change: Change) -> Self {
        let (status, staged) = (change.letters(), change.is_staged());
        Self { path: change.path, status, staged, from: change.from }
    }
}

impl Tool for GitStatus {
    type Output = Output;

    const SPEC: Spec = Spec::new("git_status", "Git status", Category::Git)
        .errors(&[GIT])
        .examples(&[
        Example::of("A repository without a commit")
            .given(&[
                (".git/HEAD", "ref: refs/heads/main\n"),
                (".git/objects/", ""),
                (".git/refs/", ""),
                ("src/a b.rs", ""),
            ])
            .call("{}")
            .gives(
                r#"{"isRepo": true, "current": "main", "tracking": null, "ahead": 0, "behind": 0,
                    "files": [{"path": "src/a b.rs", "status": "??", "staged": false}],
                    "note": "the branch has no commit yet"}"#,
            ),
        Example::of("A directory that is no repository").call("{}").fails(
            Code::NotAGitRepository,
            r#"{"isRepo": false, "tracking": null, "files": [], "ahead": 0, "behind": 0,
                    "error": ".: not a git repository; [..]", "code": "NotAGitRepository"}"#,
        ),
    ]);

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let mut output = Output {
            is_repo: false,
            current: None,
            tracking: None,
            files: Vec::new(),
            ahead: 0,
            behind: 0,
            note: None,
        };
        let dir = self.repo_path.as_deref().unwrap_or(".");
        let Seen { status, note, .. } = match cx.git_status(dir) {
            // One without files is a repository all the same.
            Err(error) if error.code == Code::NotAGitRepository && cx.repository(dir).is_err() => {
                return Err(failed(error, &output));
            }
            other => other?,
        };
        let mut notes: Vec<String> = note.into_iter().collect();
        match &status.head {
            Head::Unborn(_) => notes.push("the branch has no commit yet".to_owned()),
            Head::Detached(commit) => notes.push(format!("not on a branch, detached at {commit}")),
            Head::Branch(..) => {}
        }
        if let Some(upstream) = status.upstream {
            match upstream.apart {
                Some((ahead, behind)) => (output.ahead, output.behind) = (ahead, behind),
                None => notes.push(format!("{} is gone", upstream.name)),
            }
            output.tracking = Some(upstream.name);
        }
        let most = cx.limits().result_lines;
        if status.changes.len() > most || status.omitted_bytes > 0 {
            let more = status.changes.len().saturating_sub(most);
            let at_least = if status.omitted_bytes > 0 { "at least " } else { "" };
            notes.push(format!("{at_least}{more} more paths are left out; commit or ignore some"));
        }
        output.is_repo = true;
        output.current = status.head.branch().map(str::to_owned);
        output.files = status.changes.into_iter().take(most).map(File::from).collect();
        output.note = joined(&notes);
        Ok(output)
    }
}
