//! Floyd `run_tests`.

use files::Workspace;
use programs::project::Purpose;

use super::command::{Output, Wanted};
use crate::prelude::*;
use crate::program::STARTING;

/// Run the project's tests; says which failed, why and where.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunTests {
    /// Project folder (default: the root)
    project_path: Option<String>,
    /// Shell command line in place of the project's own
    command: Option<String>,
    /// Offer the user to allow it for the session
    grant_permission: Option<bool>,
}

impl RunTests {
    fn wanted(&self) -> Wanted<'_> {
        let (path, command) = (self.project_path.as_deref(), self.command.as_deref());
        Wanted { purpose: Purpose::Test, path, command }
    }
}

impl Tool for RunTests {
    type Output = Output;

    const SPEC: Spec = Spec {
        name: "run_tests",
        aliases: &[],
        title: "Run the tests",
        category: Category::Build,
        effect: Effect::RUNS,
        permission: Permission::Dangerous,
        errors: &[STARTING, &[Code::NoTestCommand, Code::CommandFailed]],
        examples: &[
            Example {
                about: "The makefile's target is run, since nothing else says how to test",
                given: &[("Makefile", "test:\n\t@echo checked 1\n")],
                call: r#"{}"#,
                gives: r#"{"success": true, "output": "checked 1\n", "errorOutput": "", "exitCode": 0, "duration": "[..]", "projectType": "unknown", "command": "make test", "permissionGranted": true}"#,
                leaves: &[],
                fails: None,
            },
            Example {
                about: "Tests that fail: which ones, and all that was printed",
                given: &[("go.mod", "module a\n")],
                call: r#"{"command": "echo '--- FAIL: TestSum (0.00s)'; echo '    a_test.go:9: got \"3\"'; echo oops >&2; exit 1"}"#,
                gives: r#"{"success": false, "output": "[..]", "errorOutput": "oops\n", "exitCode": 1, "duration": "[..]", "projectType": "go", "command": "[..]", "permissionGranted": true, "summary": {"runner": "go test", "failed": 1, "failures": [{"name": "TestSum", "message": "got \"3\"", "place": "a_test.go:9"}], "more": 0}, "error": "[..]exit code 1; 1 failed, the first: TestSum at a_test.go:9"}"#,
                leaves: &[],
                fails: Some(Code::CommandFailed),
            },
            Example {
                about: "Nothing says how the tests are run",
                given: &[("README.md", "")],
                call: r#"{}"#,
                gives: r#"{"error": ".: no test command: no script, tool with settings, or makefile target for it (kind unknown, there is no manifest that is known); give `command`, or name another folder"}"#,
                leaves: &[],
                fails: Some(Code::NoTestCommand),
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
