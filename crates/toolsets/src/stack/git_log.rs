//! Stack `git_log`.

use programs::git::{Entry, Wanted};

use crate::git::{GIT, REPOSITORY};
use crate::prelude::*;

/// List commits, the newest first, a line each.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct GitLog {
    /// Directory of the repository (default: project)
    repo_path: Option<String>,
    /// Most commits (default 10)
    limit: Option<u64>,
}

/// The commits.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Hash and first line of the message
    commits: Vec<String>,
    /// How many
    count: usize,
    /// What should be known
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for GitLog {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("git_log", "Git log", Category::Git)
        .errors(&[GIT])
        .examples(&[
            Example::of("A repository without a commit")
                .given(REPOSITORY)
                .call(r#"{"limit": 3}"#)
                .gives(r#"{"success": true, "commits": [], "count": 0}"#),
            Example::of("A directory that is no repository")
                .given(&[("a.txt", "")])
                .fails(Code::NotAGitRepository, r#"{"success": false, "error": ".: not a git repository; [..]", "code": "NotAGitRepository"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        if self.limit == Some(0) {
            return Err(Error::invalid_input("limit", "0; give at least 1, or leave it out"));
        }
        let wanted = Wanted { count: self.limit.unwrap_or(10), ..Wanted::default() };
        let (entries, omitted) =
            cx.repository(self.repo_path.as_deref().unwrap_or("."))?.log(&wanted)?;
        let most = cx.limits().result_lines;
        let cut = entries.len() > most || omitted > 0;
        let line = |entry: &Entry| {
            let subject = entry.message.lines().next().unwrap_or_default();
            format!("{} {}", &entry.hash[..10], fault::cut(subject, 500))
        };
        let commits: Vec<String> = entries.iter().take(most).map(line).collect();
        let count = commits.len();
        let note = cut.then(|| "older commits are left out".to_owned());
        success(Output { commits, count, note })
    }
}
