//! Floyd `git_stage`.

use crate::git::{GIT, GIT_CHANGING, change_notes, typed};
use crate::prelude::*;

/// Stage files for the next commit, also deletions; without files, everything that changed.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GitStage {
    /// Paths from the top of the repository (default: all)
    #[serde(default)]
    files: Vec<String>,
    /// Directory of the repository (default: project)
    repo_path: Option<String>,
}

/// What was staged.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Paths that the next commit changes
    staged: Vec<String>,
    /// What git remarked, and what undo does not cover
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for GitStage {
    type Output = Success<Output>;

    const FAILED: &'static str = r#"{"staged": []}"#;

    const SPEC: Spec = Spec::new("git_stage", "Stage files", Category::Git)
        .effect(Effect::RUNS, Permission::Moderate)
        .errors(&[GIT, GIT_CHANGING])
        .examples(&[
            Example::of("One of two files")
                .given(&[
                    (".git/HEAD", "ref: refs/heads/main\n"),
                    (".git/objects/", ""),
                    (".git/refs/", ""),
                    ("a.txt", "a\n"),
                    ("b.txt", "b\n"),
                ])
                .call(r#"{"files": ["a.txt"]}"#)
                .gives(r#"{"success": true, "staged": ["a.txt"]}"#),
            Example::of("A file that does not exist; nothing is staged then")
                .given(&[
                    (".git/HEAD", "ref: refs/heads/main\n"),
                    (".git/objects/", ""),
                    (".git/refs/", ""),
                    ("a.txt", "a\n"),
                ])
                .call(r#"{"files": ["a.txt", "c.txt"]}"#)
                .fails(Code::FileNotFound, r#"{"success": false, "staged": [], "error": "c.txt: no such file; [..]", "code": "FileNotFound"}"#)
                .leaves(&[(".git/index", GONE)]),
        ]);

    fn about(&self) -> String {
        let mut words = vec!["add", "--all"];
        words.extend((!self.files.is_empty()).then_some("--"));
        words.extend(self.files.iter().map(String::as_str));
        typed(self.repo_path.as_deref(), &words)
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let repository = cx.repository(self.repo_path.as_deref().unwrap_or("."))?;
        let (staged, note) = repository.stage(&self.files)?;
        let notes: Vec<_> = note.into_iter().chain(change_notes(cx)?).collect();
        let note = (!notes.is_empty()).then(|| notes.join("\n"));
        success(Output { staged, note })
    }
}
