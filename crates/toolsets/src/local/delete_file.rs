//! LocalCliTool `delete_file`.

use crate::prelude::*;

/// Delete a file. Of a link, the link is deleted and not what it leads to.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct DeleteFile {
    /// Path of the file, relative to the base directory
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

    const SPEC: Spec = Spec::new("delete_file", "Delete a file", Category::Files)
        .effect(Effect::WRITES, Permission::Moderate)
        .errors(&[READING])
        .examples(&[
            Example::of("One file")
                .given(&[("old/temp.txt", "x"), ("old/keep.txt", "y")])
                .call(r#"{"path": "old/temp.txt"}"#)
                .gives(r#"{"success": true}"#)
                .leaves(&[("old/temp.txt", GONE), ("old/keep.txt", "y")]),
            Example::of("A file that does not exist")
                .call(r#"{"path": "temp.txt"}"#)
                .fails(Code::FileNotFound, r#"{"success": false, "error": "temp.txt: no such file; [..]", "code": "FileNotFound"}"#),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        cx.step()?.remove_file(&self.path)?;
        Ok(Output { success: true })
    }
}
