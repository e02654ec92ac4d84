//! Floyd `build`.

use programs::project::Purpose;

use super::command::OfProject;
use crate::prelude::*;
use crate::program::STARTING;

#[derive(JsonSchema)]
pub(crate) struct Build;

impl OfProject for Build {
    const ABOUT: &'static str = "Build the project.";
    const PURPOSE: Purpose = Purpose::Build;

    const SPEC: Spec = Spec::new("build", "Build the project", Category::Build)
        .effect(Effect::RUNS, Permission::Dangerous)
        .errors(&[STARTING, &[Code::NoBuildCommand, Code::BuildFailed]])
        .examples(&[
            Example::of("What a build makes stays, and can be undone")
                .given(&[("sub/Makefile", "all:\n\t@echo made > out.txt\n")])
                .call(r#"{"projectPath": "sub"}"#)
                .gives(r#"{"success": true, "output": "", "errorOutput": "", "exitCode": 0, "duration": "[..]", "projectType": "unknown", "command": "make all", "permissionGranted": true}"#)
                .leaves(&[("sub/out.txt", "made\n")]),
            Example::of("A build that fails")
                .call(r#"{"command": "echo 'a.c:1: error' >&2; exit 2"}"#)
                .fails(Code::BuildFailed, r#"{"success": false, "output": "", "errorOutput": "a.c:1: error\n", "exitCode": 2, "duration": "[..]", "projectType": "unknown", "command": "[..]", "permissionGranted": true, "error": "[..]: exit code 2; its output says why"}"#),
        ]);
}
