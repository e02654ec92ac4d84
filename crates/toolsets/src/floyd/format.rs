//! Floyd `format`.

use files::Workspace;
use programs::project::Purpose;

use super::command::{Output, Wanted};
use crate::prelude::*;
use crate::program::STARTING;

/// Format the sources with the project's own formatter.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Format {
    /// Project folder (default: the root)
    project_path: Option<String>,
    /// Shell command line in place of the project's own
    command: Option<String>,
    /// Offer the user to allow it for the session
    grant_permission: Option<bool>,
}

impl Format {
    fn wanted(&self) -> Wanted<'_> {
        let (path, command) = (self.project_path.as_deref(), self.command.as_deref());
        Wanted { purpose: Purpose::Format, path, command }
    }
}

impl Tool for Format {
    type Output = Output;

    const SPEC: Spec = Spec {
        name: "format",
        aliases: &[],
        title: "Format the sources",
        category: Category::Build,
        effect: Effect::RUNS,
        permission: Permission::Dangerous,
        errors: &[STARTING, &[Code::NoFormatCommand]],
        examples: &[
            Example {
                about: "The makefile's target formats",
                given: &[("Makefile", "fmt:\n\techo tidy > a.txt\n"), ("a.txt", "messy\n")],
                call: r#"{}"#,
                gives: r#"{"success": true, "output": "echo tidy > a.txt\n", "errorOutput": "", "exitCode": 0, "duration": "[..]", "projectType": "unknown", "command": "make fmt", "permissionGranted": true}"#,
                leaves: &[("a.txt", "tidy\n")],
                fails: None,
            },
            Example {
                about: "A folder without a formatter",
                given: &[("go/main.txt", "")],
                call: r#"{"projectPath": "go"}"#,
                gives: r#"{"error": "go: no format command: [..]; give `command`, or name another folder"}"#,
                leaves: &[],
                fails: Some(Code::NoFormatCommand),
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
