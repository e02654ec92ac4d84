//! Stack `git_diff`.

use crate::git::{GIT, REPOSITORY};
use crate::prelude::*;

/// Show changed lines: files against the index, or what is staged.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct GitDiff {
    /// Directory of the repository (default: project)
    repo_path: Option<String>,
    /// Only this path, from the top of the repository
    file: Option<String>,
    /// What is staged
    #[serde(default)]
    staged: bool,
}

/// What differs.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The diff
    diff: String,
    /// Whether there is any difference
    has_changes: bool,
    /// What should be known
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for GitDiff {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("git_diff", "Git diff", Category::Git)
        .errors(&[GIT, &[Code::FileNotFound]])
        .examples(&[
            Example::of("Nothing that git knows was changed")
                .given(&[
                    (".git/HEAD", "ref: refs/heads/main\n"),
                    (".git/objects/", ""),
                    (".git/refs/", ""),
                    ("a.txt", ""),
                ])
                .call(r#"{"file": "a.txt"}"#)
                .gives(r#"{"success": true, "diff": "", "has_changes": false}"#),
            Example::of("A file that does not exist")
                .given(REPOSITORY)
                .call(r#"{"file": "b.txt"}"#)
                .fails(Code::FileNotFound, r#"{"success": false, "error": "b.txt: no such file; [..]", "code": "FileNotFound"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let repository = cx.repository(self.repo_path.as_deref().unwrap_or("."))?;
        let files: Vec<String> = self.file.into_iter().collect();
        let found = repository.diff(&files, self.staged)?;
        let mut notes: Vec<String> = repository.note().into_iter().collect();
        let (mut diff, all) = (found.raw, found.omitted_bytes);
        let has_changes = !diff.is_empty();
        let kept = diff.floor_char_boundary(cx.result_bytes());
        if kept < diff.len() || all > 0 {
            let more = (diff.len() - kept) as u64 + all;
            notes.push(format!("the last {more} bytes are left out; name a file to see its part"));
        }
        diff.truncate(kept);
        success(Output { diff, has_changes, note: joined(&notes) })
    }
}
