//! Floyd `git_branch`.

use crate::git::{GIT, GIT_CHANGING, REPOSITORY, change_notes, typed};
use crate::prelude::*;

/// List branches, show the current one, create one (without switching to it), or switch.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GitBranch {
    /// Directory of the repository (default: project)
    repo_path: Option<String>,
    /// What to do (default list)
    #[serde(default)]
    action: Action,
    /// Branch, to create or switch
    name: Option<String>,
}

/// What is done.
#[derive(Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Action {
    #[default]
    List,
    Current,
    Create,
    Switch,
}

/// What was found or done; each action has its own fields.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// list: by name
    #[serde(skip_serializing_if = "Option::is_none")]
    branches: Option<Vec<Branch>>,
    /// current, create, switch: its name
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    /// create: true
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<bool>,
    /// switch: true
    #[serde(skip_serializing_if = "Option::is_none")]
    switched: Option<bool>,
    /// What should be known
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// One branch.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Branch {
    name: String,
    current: bool,
    /// The branch of a remote that it follows
    #[serde(skip_serializing_if = "Option::is_none")]
    tracked: Option<String>,
}

impl Tool for GitBranch {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("git_branch", "Git branches", Category::Git)
        .effect(Effect::RUNS, Permission::Moderate)
        .errors(&[
            GIT,
            GIT_CHANGING,
            &[Code::BranchNotFound, Code::BranchAlreadyExists, Code::CouldNotDetermineBranch],
        ])
        .examples(&[
            Example::of("The current branch, though it has no commit yet")
                .given(&[
                    (".git/HEAD", "ref: refs/heads/feature/x\n"),
                    (".git/objects/", ""),
                    (".git/refs/", ""),
                ])
                .call(r#"{"action": "current"}"#)
                .gives(r#"{"success": true, "branch": "feature/x"}"#),
            Example::of("A branch that does not exist")
                .given(REPOSITORY)
                .call(r#"{"action": "switch", "name": "other"}"#)
                .fails(Code::BranchNotFound, r#"{"success": false, "error": "other: no such branch; [..]", "code": "BranchNotFound"}"#)
                .leaves(&[(".git/HEAD", "ref: refs/heads/main\n")]),
        ]);

    fn effect(&self) -> Effect {
        match self.action {
            Action::List | Action::Current => Effect::READS,
            Action::Create | Action::Switch => Effect::RUNS,
        }
    }

    fn permission(&self) -> Permission {
        match self.action {
            Action::List | Action::Current => Permission::Moderate,
            Action::Create | Action::Switch => Permission::Dangerous,
        }
    }

    fn about(&self) -> String {
        let name = self.name.as_deref().unwrap_or_default();
        let words = match self.action {
            Action::List => vec!["branch", "--list"],
            Action::Current => vec!["symbolic-ref", "HEAD"],
            Action::Create => vec!["branch", "--no-track", name],
            Action::Switch => vec!["switch", "--no-guess", name],
        };
        typed(self.repo_path.as_deref(), &words)
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let dir = self.repo_path.as_deref().unwrap_or(".");
        let repository = cx.repository(dir)?;
        let done = Output::default();
        let name = || {
            let missing = || Error::invalid_input("name", "missing; name the branch");
            self.name.clone().filter(|name| !name.is_empty()).ok_or_else(missing)
        };
        match self.action {
            Action::List => {
                let branch = |b: programs::git::Branch| Branch {
                    name: b.name,
                    current: b.current,
                    tracked: b.upstream,
                };
                let all = repository.branches()?;
                let most = cx.limits().result_lines;
                let note = (all.len() > most)
                    .then(|| format!("{} more branches are left out", all.len() - most));
                let branches = Some(all.into_iter().take(most).map(branch).collect());
                success(Output { branches, note, ..done })
            }
            Action::Current => {
                let head = repository.head()?;
                let branch = head.branch().ok_or_else(|| Error::no_branch(dir))?.to_owned();
                success(Output { branch: Some(branch), ..done })
            }
            Action::Create => {
                let name = name()?;
                repository.create_branch(&name)?;
                success(Output { branch: Some(name), created: Some(true), ..done })
            }
            Action::Switch => {
                let name = name()?;
                let remark = repository.switch(&name)?;
                let notes: Vec<_> = remark.into_iter().chain(change_notes(cx)?).collect();
                let note = joined(&notes);
                success(Output { branch: Some(name), switched: Some(true), note, ..done })
            }
        }
    }
}
