//! Stack `git_commit`.

use programs::git::{Commit, Stage};

use crate::git::{GIT, GIT_CHANGING, MOST_FILES, REPOSITORY, change_notes, staged_or_all, typed};
use crate::prelude::*;

/// Commit what is staged, or all changes if nothing is, or only the files named. Hooks and signing work as the user configured them.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct GitCommit {
    /// Directory of the repository (default: project)
    repo_path: Option<String>,
    /// Commit message
    message: String,
    /// Paths from the top of the repository (default: what is staged, else all)
    files: Option<Vec<String>>,
}

/// The commit.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The message
    message: String,
    /// The hash, the branch, the files, and what git and the hooks printed
    output: String,
    /// What should be known
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl GitCommit {
    fn stage(&self) -> Stage<'_> {
        match self.files.as_deref() {
            Some(files @ [_, ..]) => Stage::Only(files),
            _ => Stage::StagedOrAll,
        }
    }
}

impl Tool for GitCommit {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("git_commit", "Commit", Category::Git)
        .effect(Effect::RUNS, Permission::Dangerous)
        .errors(&[
            GIT,
            GIT_CHANGING,
            &[Code::NothingToCommit, Code::HookFailed, Code::SigningFailed],
        ])
        .examples(&[
            Example::of("The first commit")
                .given(&[
                    (".git/HEAD", "ref: refs/heads/main\n"),
                    (".git/objects/", ""),
                    (".git/hooks/", ""),
                    (".git/refs/", ""),
                    (
                        ".git/config",
                        "[user]\nname = Ann\nemail = ann@example.org\n[commit]\ngpgSign = false\n",
                    ),
                    ("a.txt", "a\n"),
                ])
                .call(r#"{"message": "Begin", "files": ["a.txt"]}"#)
                .gives(r#"{"success": true, "message": "Begin", "output": "[..] on main\nfiles (1): a.txt", "note": "ProtectedBranch: Committing to protected branch: main"}"#)
                .leaves(&[(".git/COMMIT_EDITMSG", "Begin\n")]),
            Example::of("Nothing changed")
                .given(REPOSITORY)
                .call(r#"{"message": "Begin"}"#)
                .fails(Code::NothingToCommit, r#"{"success": false, "error": "nothing to commit; no file changed since the last commit", "code": "NothingToCommit"}"#),
        ]);

    fn about(&self) -> String {
        let message = format!("--message={}", self.message);
        let (mut add, mut commit) = (vec!["add", "--all"], vec!["commit", &message]);
        if let Stage::Only(files) = self.stage() {
            let files = || files.iter().map(String::as_str);
            add.extend(["--"].into_iter().chain(files()));
            commit.extend(["--only", "--"].into_iter().chain(files()));
        }
        let dir = self.repo_path.as_deref();
        match self.stage() {
            Stage::StagedOrAll => staged_or_all(dir, &commit),
            _ => format!("{}\n{}", typed(dir, &add), typed(dir, &commit)),
        }
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let repository = cx.repository(self.repo_path.as_deref().unwrap_or("."))?;
        let commit = Commit { message: &self.message, stage: self.stage(), ..Commit::default() };
        let done = repository.commit(&commit)?;
        let mut notes = done.warnings;
        notes.extend(change_notes(cx)?);
        let branch = done.branch.map(|name| format!(" on {name}")).unwrap_or_default();
        let listed = done.files.iter().take(MOST_FILES).map(String::as_str).collect::<Vec<_>>();
        let more = if done.files.len() > MOST_FILES { ", …" } else { "" };
        let files = format!("files ({}): {}{more}", done.files.len(), listed.join(", "));
        let output = format!("{}{branch}\n{files}\n{}", done.hash, done.output).trim().to_owned();
        success(Output { message: self.message, output, note: joined(&notes) })
    }
}
