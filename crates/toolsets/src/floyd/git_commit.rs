//! Floyd `git_commit`.

use programs::git::{Commit, Stage};

use crate::git::{GIT, GIT_CHANGING, MOST_FILES, change_notes, staged_or_all, typed};
use crate::prelude::*;

/// Commit what is staged, or all changes if nothing is (default), or the files named. Hooks and signing work as the
/// user configured them.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GitCommit {
    /// Commit message
    message: String,
    /// Directory of the repository (default: project)
    repo_path: Option<String>,
    /// Stage everything first (default true, unless something is staged already)
    stage_all: Option<bool>,
    /// Commit these files only
    stage_files: Option<Vec<String>>,
    /// Allow a commit without changes
    #[serde(default)]
    allow_empty: bool,
    /// Replace the last commit
    #[serde(default)]
    amend: bool,
}

/// The commit.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Its hash
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    /// The files in it, the first 200
    files: Vec<String>,
    /// What should be known, such as that the branch is a protected one
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl GitCommit {
    /// Files beat the wish for all; an empty list counts as no list.
    fn stage(&self) -> Stage<'_> {
        match self.stage_files.as_deref() {
            Some(files @ [_, ..]) => Stage::Only(files),
            _ => match self.stage_all {
                None => Stage::StagedOrAll,
                Some(true) => Stage::All,
                Some(false) => Stage::Staged,
            },
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
            Example::of("The first commit, on a branch that others build upon")
                .given(&[
                    (".git/HEAD", "ref: refs/heads/main\n"),
                    (
                        ".git/config",
                        "[user]\nname = Ann\nemail = ann@example.org\n[commit]\ngpgSign = false\n",
                    ),
                    (".git/objects/", ""),
                    (".git/hooks/", ""),
                    (".git/refs/", ""),
                    ("a.txt", "a\n"),
                ])
                .call(r#"{"message": "Begin"}"#)
                .gives(r#"{"success": true, "hash": "[..]", "files": ["a.txt"], "warnings": ["ProtectedBranch: Committing to protected branch: main"]}"#)
                .leaves(&[(".git/COMMIT_EDITMSG", "Begin\n")]),
            Example::of("Nothing is staged")
                .given(&[
                    (".git/HEAD", "ref: refs/heads/main\n"),
                    (".git/objects/", ""),
                    (".git/refs/", ""),
                    ("a.txt", "a\n"),
                ])
                .call(r#"{"message": "Begin", "stageAll": false}"#)
                .fails(Code::NothingToCommit, r#"{"success": false, "error": "nothing to commit; nothing is staged; stage files first", "code": "NothingToCommit"}"#),
        ]);

    fn about(&self) -> String {
        let message = format!("--message={}", self.message);
        let (mut add, mut commit) = (vec!["add", "--all"], vec!["commit", &message]);
        commit.extend(self.allow_empty.then_some("--allow-empty"));
        commit.extend(self.amend.then_some("--amend"));
        if let Stage::Only(files) = self.stage() {
            let files = || files.iter().map(String::as_str);
            add.extend(["--"].into_iter().chain(files()));
            commit.extend(["--only", "--"].into_iter().chain(files()));
        }
        let dir = self.repo_path.as_deref();
        match self.stage() {
            Stage::Staged => typed(dir, &commit),
            Stage::StagedOrAll => staged_or_all(dir, &commit),
            _ => format!("{}\n{}", typed(dir, &add), typed(dir, &commit)),
        }
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let repository = cx.repository(self.repo_path.as_deref().unwrap_or("."))?;
        let commit = Commit {
            message: &self.message,
            stage: self.stage(),
            allow_empty: self.allow_empty,
            amend: self.amend,
        };
        let done = repository.commit(&commit)?;
        let mut warnings = done.warnings;
        warnings.extend(change_notes(cx)?);
        let mut files = done.files;
        if files.len() > MOST_FILES {
            warnings
                .push(format!("{} files, of which the first {MOST_FILES} are listed", files.len()));
            files.truncate(MOST_FILES);
        }
        success(Output { hash: Some(done.hash), files, warnings })
    }
}
