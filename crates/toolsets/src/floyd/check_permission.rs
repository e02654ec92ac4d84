//! Floyd `check_permission`.

use crate::floyd_0_1_0::check_permission::{Output, Runner};
use crate::prelude::*;

/// Tell whether a runner would run now without the user being asked.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckPermission {
    /// Tool (default: all four)
    tool_name: Option<Runner>,
    /// Project folder (default: the root)
    project_path: Option<String>,
}

impl Tool for CheckPermission {
    type Output = Output;

    const SPEC: Spec = Spec {
        name: "check_permission",
        aliases: &[],
        title: "Check a permission",
        category: Category::Build,
        effect: Effect::READS,
        permission: Permission::None,
        errors: &[LISTING],
        examples: &[
            Example {
                about: "All four at once",
                given: &[],
                call: r#"{}"#,
                gives: r#"{"tool": "run_tests, format, lint, build", "projectPath": "[..]/root", "hasPermission": true}"#,
                leaves: &[],
                fails: None,
            },
            Example {
                about: "A tool that is no runner",
                given: &[],
                call: r#"{"toolName": "deploy"}"#,
                gives: r#"{"error": "toolName: unknown variant `deploy`, [..]"}"#,
                leaves: &[],
                fails: Some(Code::InvalidInput),
            },
        ],
    };

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let one = self.tool_name.map(|tool| vec![tool]);
        Output::of(cx, &one.unwrap_or_else(|| Runner::ALL.to_vec()), self.project_path.as_deref())
    }
}
