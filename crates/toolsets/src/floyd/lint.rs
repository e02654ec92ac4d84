//! Floyd `lint`.

use programs::project::Purpose;

use super::command::OfProject;
use crate::prelude::*;
use crate::program::STARTING;

#[derive(JsonSchema)]
pub(crate) struct Lint;

impl OfProject for Lint {
    const ABOUT: &'static str = "Run the project's own linter.";
    const PURPOSE: Purpose = Purpose::Lint;
    const LASTS: bool = true;

    // Its document asks once in a session, and so does this. But a project's linter is whatever
    // a file says that a model may have written, so no policy lets it run unasked that would
    // not let any program run.
    const SPEC: Spec = Spec::new("lint", "Lint the sources", Category::Build)
        .effect(Effect::RUNS, Permission::Dangerous)
        .errors(&[STARTING, &[Code::NoLintCommand]])
        .examples(&[
            Example::of("Findings are an answer, not a failure of the tool")
                .given(&[("Makefile", "lint:\n\t@echo 'a.c:1: unused'; false\n")])
                .gives(r#"{"success": false, "output": "a.c:1: unused\n", "errorOutput": "[..]", "exitCode": 2, "duration": "[..]", "projectType": "unknown", "command": "make lint", "permissionGranted": true}"#),
            Example::of("A linter that is not installed is named, with how to get it")
                .call(r#"{"command": "nosuchdir/golangci-lint run"}"#)
                .fails(Code::CommandNotFound, r#"{"error": "nosuchdir/golangci-lint: not installed, and `nosuchdir/golangci-lint run` needs it; install it, or give another command"}"#),
        ]);
}
