//! LocalCliTool `delete_directory`.

use crate::prelude::*;

/// Delete a directory with all that is in it. The base directory itself is refused.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct DeleteDirectory {
    /// Path of the directory, relative to the base directory
    path: String,
}

/// What came of it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether the directory is gone now
    success: bool,
}

impl Tool for DeleteDirectory {
    type Output = Output;

    const SPEC: Spec = Spec::new("delete_directory", "Delete a directory", Category::Files)
        .effect(Effect::WRITES, Permission::Moderate)
        .errors(&[LISTING, &[Code::NotAFile, Code::IsDirectory, Code::FileTooLarge]])
        .examples(&[
            Example::of("A directory that is not empty")
                .given(&[("projects/old-project/src/a.txt", "x"), ("projects/b.txt", "y")])
                .call(r#"{"path": "projects/old-project"}"#)
                .gives(r#"{"success": true}"#)
                .leaves(&[("projects/old-project", GONE), ("projects/b.txt", "y")]),
            Example::of("The base directory itself")
                .given(&[("a.txt", "x")])
                .call(r#"{"path": "."}"#)
                .fails(Code::InvalidInput, r#"{"success": false, "error": "path: .: the root of the workspace is never removed; [..]", "code": "InvalidInput"}"#)
                .leaves(&[("a.txt", "x")]),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        cx.step()?.remove_directory(&self.path)?;
        Ok(Output { success: true })
    }
}
