//! LocalCliTool `create_directory`.

use crate::prelude::*;

/// Create a directory and its parents. Succeeds if it exists already.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CreateDirectory {
    /// Path of the directory, relative to the base directory
    path: String,
}

/// What came of it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether the directory is there now
    success: bool,
}

impl Tool for CreateDirectory {
    type Output = Output;

    const SPEC: Spec = Spec::new("create_directory", "Make a directory", Category::Files)
        .effect(Effect::WRITES, Permission::Moderate)
        .errors(&[&[Code::FileExists, Code::NotADirectory, Code::NotAFile]])
        .examples(&[
            Example::of("A directory in a new directory")
                .call(r#"{"path": "projects/new-project"}"#)
                .gives(r#"{"success": true}"#)
                .leaves(&[("projects/new-project/", "")]),
            Example::of("A file is in the way")
                .given(&[("projects", "x")])
                .call(r#"{"path": "projects"}"#)
                .fails(Code::FileExists, r#"{"success": false, "error": "projects: already exists; [..]", "code": "FileExists"}"#)
                .leaves(&[("projects", "x")]),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        cx.step()?.create_directory(&self.path)?;
        Ok(Output { success: true })
    }
}
