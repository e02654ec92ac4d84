//! Floyd `lint`.

use files::Workspace;
use programs::project::Purpose;

use super::command::{Output, Wanted};
use crate::prelude::*;
use crate::program::STARTING;

/// Run the project's own linter.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Lint {
    /// Project folder (default: the root)
    project_path: Option<String>,
    /// Shell command line in place of the project's own
    command: Option<String>,
    /// Offer the user to allow it for the session
    grant_permission: Option<bool>,
}

impl Lint {
    fn wanted(&self) -> Wanted<'_> {
        let (path, command) = (self.project_path.as_deref(), self.command.as_deref());
        Wanted { purpose: Purpose::Lint, path, command }
    }
}

impl Tool for Lint {
    type Output = Output;

    const SPEC: Spec = Spec {
        name: "lint",
        aliases: &[],
        title: "Lint the sources",
        category: Category::Build,
        effect: Effect::RUNS,
        // Its document asks once in a session, and so does this. But a project's linter is whatever
        // a file says that a model may have written, so no policy lets it run unasked that would
        // not let any program run.
        permission: Permission::Dangerous,
        errors: &[STARTING, &[Code::NoLintCommand]],
        examples: &[
            Example {
                about: "Findings are an answer, not a failure of the tool",
                given: &[("Makefile", "lint:\n\t@echo 'a.c:1: unused'; false\n")],
                call: r#"{}"#,
                gives: r#"{"success": false, "output": "a.c:1: unused\n", "errorOutput": "[..]", "exitCode": 2, "duration": "[..]", "projectType": "unknown", "command": "make lint", "permissionGranted": true}"#,
                leaves: &[],
                fails: None,
            },
            Example {
                about: "A linter that is not installed is named, with how to get it",
                given: &[],
                call: r#"{"command": "nosuchdir/golangci-lint run"}"#,
                gives: r#"{"error": "nosuchdir/golangci-lint: not installed, and `nosuchdir/golangci-lint run` needs it; install it, or give another command"}"#,
                leaves: &[],
                fails: Some(Code::CommandNotFound),
            },
        ],
    };

    fn about_in(&self, workspace: &Workspace) -> String {
        self.wanted().about(workspace)
    }

    fn grant_in(&self, workspace: &Workspace) -> String {
        self.wanted().grant(workspace)
    }

    fn may_last(&self) -> bool {
        self.command.is_none() || self.grant_permission == Some(true)
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        self.wanted().run(cx)
    }
}
