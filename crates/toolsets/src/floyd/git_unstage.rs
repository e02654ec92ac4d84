//! Floyd `git_unstage`.

use crate::git::{GIT, GIT_CHANGING, change_notes, typed};
use crate::prelude::*;

/// Unstage files; without files, all. The files themselves stay as they are.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GitUnstage {
    /// Paths from the top of the repository (default: all)
    #[serde(default)]
    files: Vec<String>,
    /// Directory of the repository (default: project)
    repo_path: Option<String>,
}

/// What was taken out.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Paths that were staged and are no more
    unstaged: Vec<String>,
    /// What undo does not cover
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for GitUnstage {
    type Output = Success<Output>;

    const FAILED: &'static str = r#"{"unstaged": []}"#;

    const SPEC: Spec = Spec::new("git_unstage", "Unstage files", Category::Git)
        .effect(Effect::RUNS, Permission::Moderate)
        .errors(&[GIT, GIT_CHANGING])
        .examples(&[
            Example::of("Nothing was staged")
                .given(&[
                    (".git/HEAD", "ref: refs/heads/main\n"),
                    (".git/objects/", ""),
                    (".git/refs/", ""),
                    ("a.txt", "a\n"),
                ])
                .call(r#"{"files": ["a.txt"]}"#)
                .gives(r#"{"success": true, "unstaged": []}"#)
                .leaves(&[("a.txt", "a\n")]),
            Example::of("A directory that is no repository")
                .given(&[("sub/a.txt", "")])
                .call(r#"{"repoPath": "sub"}"#)
                .fails(Code::NotAGitRepository, r#"{"success": false, "unstaged": [], "error": "sub: not a git repository; [..]", "code": "NotAGitRepository"}"#),
        ]);

    fn about(&self) -> String {
        let mut words = vec!["reset", "--quiet", "--"];
        words.extend(self.files.is_empty().then_some(":(top)"));
        words.extend(self.files.iter().map(String::as_str));
        typed(self.repo_path.as_deref(), &words)
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let repository = cx.repository(self.repo_path.as_deref().unwrap_or("."))?;
        let unstaged = repository.unstage(&self.files)?;
        let notes = change_notes(cx)?;
        let note = (!notes.is_empty()).then(|| notes.join("\n"));
        success(Output { unstaged, note })
    }
}
