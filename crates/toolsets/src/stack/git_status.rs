//! Stack `git_status`.

use programs::git::Seen;

use crate::git::GIT;
use crate::prelude::*;

/// List the paths that differ from the last commit, also files that git does not know.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct GitStatus {
    /// Directory of the repository (default: project)
    repo_path: Option<String>,
}

/// What differs.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Paths from the top of the repository
    files: Vec<String>,
    /// How many
    count: usize,
    /// The repository
    repo: String,
    /// What should be known
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for GitStatus {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("git_status", "Git status", Category::Git)
        .errors(&[GIT])
        .examples(&[
            Example::of("A file that git does not know")
                .given(&[
                    (".git/HEAD", "ref: refs/heads/main\n"),
                    (".git/objects/", ""),
                    (".git/refs/", ""),
                    ("a.txt", ""),
                ])
                .gives(r#"{"success": true, "files": ["a.txt"], "count": 1, "repo": "."}"#),
            Example::of("A directory that is no repository")
                .given(&[("a.txt", "")])
                .fails(Code::NotAGitRepository, r#"{"success": false, "error": ".: not a git repository; [..]", "code": "NotAGitRepository"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let Seen { status, top, note } = cx.git_status(self.repo_path.as_deref().unwrap_or("."))?;
        let count = status.changes.len();
        let most = cx.limits().result_lines;
        let mut notes: Vec<String> = note.into_iter().collect();
        if count > most || status.omitted_bytes > 0 {
            notes.push(format!("only {} of at least {count} paths are listed", count.min(most)));
        }
        let files = status.changes.into_iter().take(most).map(|c| c.path).collect();
        success(Output { files, count, repo: top, note: joined(&notes) })
    }
}
