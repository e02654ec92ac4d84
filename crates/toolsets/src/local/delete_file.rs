//! LocalCliTool `delete_file`.

use crate::prelude::*;

/// Delete a file. Of a link, the link is deleted and not what it leads to.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct DeleteFile {
    /// Path of the file, relative to the base folder
    path: String,
}

/// What came of it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether the file is gone now
    success: bool,
}

impl Tool for DeleteFile {
    type Output = Output;

    const SPEC: Spec = Spec {
        name: "delete_file",
        aliases: &[],
        title: "Delete a file",
        category: Category::Files,
        effect: Effect::WRITES,
        permission: Permission::Moderate,
        errors: &[READING],
        examples: &[
            Example {
                about: "One file",
                given: &[("old/temp.txt", "x"), ("old/keep.txt", "y")],
                call: r#"{"path": "old/temp.txt"}"#,
                gives: r#"{"success": true}"#,
                leaves: &[("old/temp.txt", GONE), ("old/keep.txt", "y")],
                fails: None,
            },
            Example {
                about: "A file that is not there",
                given: &[],
                call: r#"{"path": "temp.txt"}"#,
                gives: r#"{"success": false, "error": "temp.txt: no such file; [..]", "code": "FileNotFound"}"#,
                leaves: &[],
                fails: Some(Code::FileNotFound),
            },
        ],
    };

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        cx.step()?.remove_file(&self.path)?;
        Ok(Output { success: true })
    }
}
