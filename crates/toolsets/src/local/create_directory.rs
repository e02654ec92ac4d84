//! LocalCliTool `create_directory`.

use crate::prelude::*;

/// Make a folder, with those above it. A folder that is there already is a success.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CreateDirectory {
    /// Path of the folder, relative to the base folder
    path: String,
}

/// What came of it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether the folder is there now
    success: bool,
}

impl Tool for CreateDirectory {
    type Output = Output;

    const SPEC: Spec = Spec {
        name: "create_directory",
        aliases: &[],
        title: "Make a folder",
        category: Category::Files,
        effect: Effect::WRITES,
        permission: Permission::Moderate,
        errors: &[&[Code::FileExists, Code::NotADirectory, Code::NotAFile]],
        examples: &[
            Example {
                about: "A folder in a new folder",
                given: &[],
                call: r#"{"path": "projects/new-project"}"#,
                gives: r#"{"success": true}"#,
                leaves: &[("projects/new-project/", "")],
                fails: None,
            },
            Example {
                about: "A file is in the way",
                given: &[("projects", "x")],
                call: r#"{"path": "projects"}"#,
                gives: r#"{"success": false, "error": "projects: something stands there already; [..]", "code": "FileExists"}"#,
                leaves: &[("projects", "x")],
                fails: Some(Code::FileExists),
            },
        ],
    };

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        cx.step()?.create_directory(&self.path)?;
        Ok(Output { success: true })
    }
}
