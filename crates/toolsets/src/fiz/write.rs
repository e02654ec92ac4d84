//! fiz `write`.

use crate::prelude::*;

/// Create or overwrite a file. Missing directories are made.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Write {
    /// File path
    path: String,
    /// The whole content
    content: String,
}

impl Tool for Write {
    type Output = String;

    const SPEC: Spec = Spec::new("write", "Write a file", Category::Files)
        .effect(Effect::WRITES, Permission::Moderate)
        .errors(&[WRITING])
        .examples(&[
            Example::of("A new file in a new directory")
                .call(r#"{"path": "notes/today.md", "content": "hello\n"}"#)
                .gives("Wrote 6 bytes to [..]/notes/today.md")
                .leaves(&[("notes/today.md", "hello\n")]),
            Example::of("A directory is not overwritten")
                .given(&[("notes/", "")])
                .call(r#"{"path": "notes", "content": "hello\n"}"#)
                .fails(
                    Code::IsDirectory,
                    "error: notes: a directory, not a file; list it, or name a file in it",
                ),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<String> {
        let (written, text) = cx.step()?.write_text(&self.path, &self.content, Parents::Create)?;
        let count = text.bytes.len();
        let unit = if count == 1 { "byte" } else { "bytes" };
        let note = text.note.map_or_else(String::new, |note| format!("\n({note})"));
        Ok(format!("Wrote {count} {unit} to {}{note}", written.path.display()))
    }
}
