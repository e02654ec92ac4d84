//! Stack `git_branch`.

use crate::git::{GIT, GIT_CHANGING, REPOSITORY, change_notes, typed};
use crate::prelude::*;

/// List branches, create one and switch to it, or delete one that is merged.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct GitBranch {
    /// Directory of the repository (default: project)
    repo_path: Option<String>,
    /// Create this branch and switch to it
    create: Option<String>,
    /// Delete this branch
    delete: Option<String>,
}

/// What was found or done.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The branches, by name
    #[serde(skip_serializing_if = "Option::is_none")]
    branches: Option<Vec<String>>,
    /// How many
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
    /// The branch that was created
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<String>,
    /// The branch that was deleted
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<String>,
    /// What should be known
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl GitBranch {
    fn lists(&self) -> bool {
        self.create.is_none() && self.delete.is_none()
    }
}

impl Tool for GitBranch {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("git_branch", "Git branches", Category::Git)
        .effect(Effect::RUNS, Permission::Dangerous)
        .errors(&[
            GIT,
            GIT_CHANGING,
            &[Code::BranchNotFound, Code::BranchAlreadyExists, Code::BranchNotMerged],
        ])
        .examples(&[
            Example::of("A repository without a commit has none")
                .given(REPOSITORY)
                .gives(r#"{"success": true, "branches": [], "count": 0}"#),
            Example::of("A branch that is not there cannot be deleted")
                .given(REPOSITORY)
                .call(r#"{"delete": "old"}"#)
                .fails(Code::BranchNotFound, r#"{"success": false, "error": "old: no such branch; [..]", "code": "BranchNotFound"}"#),
        ]);

    fn effect(&self) -> Effect {
        if self.lists() { Effect::READS } else { Effect::RUNS }
    }

    fn permission(&self) -> Permission {
        if self.lists() { Permission::None } else { Permission::Dangerous }
    }

    fn about(&self) -> String {
        let dir = self.repo_path.as_deref();
        match (&self.create, &self.delete) {
            (Some(name), _) => typed(dir, &["switch", "--no-track", "--create", name]),
            (_, Some(name)) => typed(dir, &["branch", "--delete", name]),
            _ => typed(dir, &["branch", "--list"]),
        }
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let repository = cx.repository(self.repo_path.as_deref().unwrap_or("."))?;
        let done = Output::default();
        match (self.create, self.delete) {
            (Some(_), Some(_)) => {
                Err(Error::invalid_input("delete", "given with create; do one after the other"))
            }
            (Some(name), None) => {
                repository.create_branch(&name)?;
                let mut notes = vec![format!("switched to {name}")];
                notes.extend(repository.switch(&name)?);
                notes.extend(change_notes(cx)?);
                success(Output { created: Some(name), note: joined(&notes), ..done })
            }
            (None, Some(name)) => {
                let commit = repository.delete_branch(&name)?;
                let note = Some(format!("its last commit was {commit}"));
                success(Output { deleted: Some(name), note, ..done })
            }
            (None, None) => {
                let all = repository.branches()?;
                let (count, most) = (all.len(), cx.limits().result_lines);
                let note = (count > most).then(|| format!("only {most} are listed"));
                let names = all.into_iter().take(most).map(|branch| branch.name).collect();
                success(Output { branches: Some(names), count: Some(count), note, ..done })
            }
        }
    }
}
