//! LocalCliTool `write_file`.

use crate::prelude::*;

/// Create a file, or replace all of one, with this content. Missing directories are made.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct WriteFile {
    /// Path of the file, relative to the base directory
    path: String,
    /// The whole new content
    content: String,
}

/// What came of it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether the file holds the content now
    success: bool,
    /// How the file is written, if not in UTF-8 as given
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for WriteFile {
    type Output = Output;

    const SPEC: Spec = Spec::new("write_file", "Write a file", Category::Files)
        .effect(Effect::WRITES, Permission::Moderate)
        .errors(&[WRITING])
        .examples(&[
            Example::of("A new file in a new directory")
                .call(r##"{"path": "projects/new-project/README.md", "content": "# New Project\n"}"##)
                .gives(r#"{"success": true}"#)
                .leaves(&[("projects/new-project/README.md", "# New Project\n")]),
            Example::of("Nothing is written outside of the base directory")
                .call(r#"{"path": "../outside.txt", "content": "x"}"#)
                .fails(Code::PathOutsideWorkspace, r#"{"success": false, "error": "../outside.txt: outside the workspace [..]", "code": "PathOutsideWorkspace"}"#)
                .leaves(&[("../outside.txt", GONE)]),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let (_, written) = cx.step()?.write_text(&self.path, &self.content, Parents::Create)?;
        Ok(Output { success: true, note: written.note })
    }
}
