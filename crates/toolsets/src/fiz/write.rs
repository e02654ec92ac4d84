//! fiz `write`.

use crate::prelude::*;

/// Create or overwrite a file. Missing folders are made.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Write {
    /// File path
    path: String,
    /// The whole content
    content: String,
}

impl Tool for Write {
    type Output = String;

    const SPEC: Spec = Spec {
        name: "write",
        aliases: &[],
        title: "Write a file",
        category: Category::Files,
        effect: Effect::WRITES,
        permission: Permission::Moderate,
        errors: &[WRITING],
        examples: &[
            Example {
                about: "A new file in a new folder",
                given: &[],
                call: r#"{"path": "notes/today.md", "content": "hello\n"}"#,
                gives: "Wrote 6 bytes to [..]/notes/today.md",
                leaves: &[("notes/today.md", "hello\n")],
                fails: None,
            },
            Example {
                about: "A folder is not overwritten",
                given: &[("notes/", "")],
                call: r#"{"path": "notes", "content": "hello\n"}"#,
                gives: "error: notes: a folder, not a file; list it instead",
                leaves: &[],
                fails: Some(Code::IsDirectory),
            },
        ],
    };

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<String> {
        let written = cx.step()?.write(&self.path, self.content.as_bytes(), Parents::Create)?;
        let count = self.content.len();
        let unit = if count == 1 { "byte" } else { "bytes" };
        Ok(format!("Wrote {count} {unit} to {}", written.path.display()))
    }
}
