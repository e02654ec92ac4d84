//! Floyd `run_tests`.

use programs::project::Purpose;

use super::command::OfProject;
use crate::prelude::*;
use crate::program::STARTING;

#[derive(JsonSchema)]
pub(crate) struct RunTests;

impl OfProject for RunTests {
    const ABOUT: &'static str = "Run the project's tests; says which failed, why and where.";
    const PURPOSE: Purpose = Purpose::Test;

    const SPEC: Spec = Spec::new("run_tests", "Run the tests", Category::Build)
        .effect(Effect::RUNS, Permission::Dangerous)
        .errors(&[STARTING, &[Code::NoTestCommand, Code::CommandFailed]])
        .examples(&[
            Example::of("The makefile's target is run, since nothing else says how to test")
                .given(&[("Makefile", "test:\n\t@echo checked 1\n")])
                .gives(r#"{"success": true, "output": "checked 1\n", "errorOutput": "", "exitCode": 0, "duration": "[..]", "projectType": "unknown", "command": "make test", "permissionGranted": true}"#),
            Example::of("Tests that fail: which ones, and all that was printed")
                .given(&[("go.mod", "module a\n")])
                .call(r#"{"command": "echo '--- FAIL: TestSum (0.00s)'; echo '    a_test.go:9: got \"3\"'; echo oops >&2; exit 1"}"#)
                .fails(Code::CommandFailed, r#"{"success": false, "output": "[..]", "errorOutput": "oops\n", "exitCode": 1, "duration": "[..]", "projectType": "go", "command": "[..]", "permissionGranted": true, "summary": {"runner": "go test", "failed": 1, "failures": [{"name": "TestSum", "message": "got \"3\"", "place": "a_test.go:9"}], "more": 0}, "error": "[..]exit code 1; 1 failed, the first: TestSum at a_test.go:9"}"#),
            Example::of("Nothing says how the tests are run")
                .given(&[("README.md", "")])
                .fails(Code::NoTestCommand, r#"{"error": ".: no test command: no script, tool with settings, or makefile target for it (kind unknown, there is no manifest that is known); give `command`, or name another directory"}"#),
        ]);
}
