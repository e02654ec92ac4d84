//! Floyd `is_protected_branch`.

use programs::git::{PROTECTED, protected};

use crate::git::GIT;
use crate::prelude::*;

/// Whether a branch is one that others build upon, such as main or release/1.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IsProtectedBranch {
    /// Branch (default: the current one)
    branch: Option<String>,
    /// Directory of the repository (default: project)
    repo_path: Option<String>,
}

/// The answer.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// The branch in question
    branch: String,
    /// Whether it is one
    is_protected: bool,
    /// Names of such branches; also those that begin with one and a slash
    protected_patterns: &'static [&'static str],
}

impl Tool for IsProtectedBranch {
    type Output = Output;

    const SPEC: Spec = Spec::new("is_protected_branch", "Is the branch protected?", Category::Git)
        .errors(&[GIT, &[Code::CouldNotDetermineBranch]])
        .examples(&[
            Example::of("Case does not matter, and what follows a slash neither")
                .call(r#"{"branch": "Release/2.0"}"#)
                .gives(r#"{"branch": "Release/2.0", "isProtected": true,
                    "protectedPatterns": ["main", "master", "development", "develop", "production", "release"]}"#),
            Example::of("No branch is current")
                .given(&[
                    (".git/HEAD", "0123456789012345678901234567890123456789\n"),
                    (".git/objects/", ""),
                    (".git/refs/", ""),
                ])
                .call("{}")
                .fails(Code::CouldNotDetermineBranch, r#"{"error": ".: not on a branch (detached HEAD); [..]", "code": "CouldNotDetermineBranch"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let branch = match self.branch.filter(|name| !name.is_empty()) {
            Some(branch) => branch,
            None => {
                let dir = self.repo_path.as_deref().unwrap_or(".");
                let head = cx.repository(dir)?.head()?;
                head.branch().ok_or_else(|| Error::no_branch(dir))?.to_owned()
            }
        };
        let is_protected = protected(&branch);
        Ok(Output { branch, is_protected, protected_patterns: PROTECTED })
    }
}
