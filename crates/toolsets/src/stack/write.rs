//! Stack `write`.

use files::edit::append;

use crate::prelude::*;

/// Write a text file whole, or add to its end. Directories that are missing are made.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Write {
    /// File path
    path: String,
    /// The text
    content: String,
    /// Add to the end instead
    #[serde(default)]
    append: bool,
}

/// What was done.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The path as given
    path: String,
    /// Lines of the text
    lines_written: usize,
    /// How the file is written, if not in UTF-8 as given
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for Write {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("write", "Write a file", Category::Files)
        .effect(Effect::WRITES, Permission::Moderate)
        .errors(&[WRITING, &[Code::BinaryFile, Code::InvalidEncoding]])
        .examples(&[
            Example::of("A new file")
                .call(r#"{"path": "notes/a.txt", "content": "one\ntwo\n"}"#)
                .gives(r#"{"success": true, "path": "notes/a.txt", "lines_written": 2}"#)
                .leaves(&[("notes/a.txt", "one\ntwo\n")]),
            Example::of("More at the end, with the line endings that are there")
                .given(&[("a.txt", "one\r\n")])
                .call(r#"{"path": "a.txt", "content": "two\n", "append": true}"#)
                .gives(r#"{"success": true, "path": "a.txt", "lines_written": 1}"#)
                .leaves(&[("a.txt", "one\r\ntwo\r\n")]),
            Example::of("A directory is not overwritten")
                .given(&[("notes/", "")])
                .call(r#"{"path": "notes", "content": "x"}"#)
                .fails(Code::IsDirectory, r#"{"success": false, "error": "notes: a directory, [..]", "code": "IsDirectory"}"#),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let (step, path, mut note) = (cx.step()?, &self.path, None);
        if self.append && cx.workspace().kind(path)?.is_some() {
            step.edit(path, |bytes| Ok((append(path, bytes, &self.content)?.bytes, ())))?;
        } else {
            note = step.write_text(path, &self.content, Parents::Create)?.1.note;
        }
        let lines_written = files::text::lines(&self.content).count();
        success(Output { path: self.path, lines_written, note })
    }
}
