//! Floyd `build`.

use files::Workspace;
use programs::project::Purpose;

use super::command::{Output, Wanted};
use crate::prelude::*;
use crate::program::STARTING;

/// Build the project.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Build {
    /// Project folder (default: the root)
    project_path: Option<String>,
    /// Shell command line in place of the project's own
    command: Option<String>,
    /// Offer the user to allow it for the session
    grant_permission: Option<bool>,
}

impl Build {
    fn wanted(&self) -> Wanted<'_> {
        let (path, command) = (self.project_path.as_deref(), self.command.as_deref());
        Wanted { purpose: Purpose::Build, path, command }
    }
}

impl Tool for Build {
    type Output = Output;

    const SPEC: Spec = Spec {
        name: "build",
        aliases: &[],
        title: "Build the project",
        category: Category::Build,
        effect: Effect::RUNS,
        permission: Permission::Dangerous,
        errors: &[STARTING, &[Code::NoBuildCommand, Code::BuildFailed]],
        examples: &[
            Example {
                about: "What a build makes stays, and can be undone",
                given: &[("sub/Makefile", "all:\n\t@echo made > out.txt\n")],
                call: r#"{"projectPath": "sub"}"#,
                gives: r#"{"success": true, "output": "", "errorOutput": "", "exitCode": 0, "duration": "[..]", "projectType": "unknown", "command": "make all", "permissionGranted": true}"#,
                leaves: &[("sub/out.txt", "made\n")],
                fails: None,
            },
            Example {
                about: "A build that fails",
                given: &[],
                call: r#"{"command": "echo 'a.c:1: error' >&2; exit 2"}"#,
                gives: r#"{"success": false, "output": "", "errorOutput": "a.c:1: error\n", "exitCode": 2, "duration": "[..]", "projectType": "unknown", "command": "[..]", "permissionGranted": true, "error": "[..]: exit code 2; its output says why"}"#,
                leaves: &[],
                fails: Some(Code::BuildFailed),
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
        self.grant_permission == Some(true)
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        self.wanted().run(cx)
    }
}
