//! Floyd `format`.

use programs::project::Purpose;

use super::command::OfProject;
use crate::prelude::*;
use crate::program::STARTING;

#[derive(JsonSchema)]
pub(crate) struct Format;

impl OfProject for Format {
    const ABOUT: &'static str = "Format the sources with the project's own formatter.";
    const PURPOSE: Purpose = Purpose::Format;

    const SPEC: Spec = Spec::new("format", "Format the sources", Category::Build)
        .effect(Effect::RUNS, Permission::Dangerous)
        .errors(&[STARTING, &[Code::NoFormatCommand]])
        .examples(&[
            Example::of("The makefile's target formats")
                .given(&[("Makefile", "fmt:\n\techo tidy > a.txt\n"), ("a.txt", "messy\n")])
                .gives(r#"{"success": true, "output": "echo tidy > a.txt\n", "errorOutput": "", "exitCode": 0, "duration": "[..]", "projectType": "unknown", "command": "make fmt", "permissionGranted": true}"#)
                .leaves(&[("a.txt", "tidy\n")]),
            Example::of("A directory without a formatter")
                .given(&[("go/main.txt", "")])
                .call(r#"{"projectPath": "go"}"#)
                .fails(Code::NoFormatCommand, r#"{"error": "go: no format command: [..]; give `command`, or name another directory"}"#),
        ]);
}
