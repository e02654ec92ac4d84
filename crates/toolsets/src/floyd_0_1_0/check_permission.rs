//! Floyd 0.1.0 `check_permission`.

use crate::floyd::check_permission::{Output, Runner};
use crate::prelude::*;

/// Tell whether a runner would run now without the user being asked.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckPermission {
    /// Tool
    tool_name: Runner,
    /// Project directory (default: the root)
    project_path: Option<String>,
}

impl Tool for CheckPermission {
    type Output = Output;

    const FAILED: &'static str = r#"{"projectPath": null, "hasPermission": false}"#;

    const SPEC: Spec = Spec::new("check_permission", "Check a permission", Category::Build)
        .errors(&[LISTING])
        .examples(&[
            Example::of("The operator trusts the session")
                .given(&[("api/go.mod", "module a\n")])
                .call(r#"{"toolName": "lint", "projectPath": "api"}"#)
                .gives(r#"{"tool": "lint", "projectPath": "[..]/api", "hasPermission": true}"#),
            Example::of("A directory that does not exist")
                .call(r#"{"toolName": "build", "projectPath": "gone"}"#)
                .fails(Code::DirectoryNotFound, r#"{"projectPath": "gone", "hasPermission": false, "error": "gone: no such directory; [..]", "code": "DirectoryNotFound"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        Output::of(cx, &[self.tool_name], self.project_path.as_deref())
    }
}
