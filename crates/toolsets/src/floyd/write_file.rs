//! Floyd `write_file`.

use crate::prelude::*;

/// Write a text file whole; directories that are missing are made.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WriteFile {
    /// File path
    file_path: String,
    /// The whole new content
    content: String,
    /// Keep the old content beside it as <name>.backup
    #[serde(default)]
    create_backup: bool,
}

/// What was written.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// The path as given
    file_path: String,
    /// Bytes of the file now
    bytes_written: usize,
    /// Where the old content is
    #[serde(skip_serializing_if = "Option::is_none")]
    backup_path: Option<String>,
    /// How the file is written, if not in UTF-8 as given
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for WriteFile {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("write_file", "Write a file", Category::Files)
        .aliases(&["write"])
        .effect(Effect::WRITES, Permission::Dangerous)
        .errors(&[WRITING, &[Code::FileExists]])
        .examples(&[
            Example::of("A file in a new directory")
                .call(r#"{"filePath": "docs/hello.txt", "content": "Grüße\n"}"#)
                .gives(r#"{"success": true, "filePath": "docs/hello.txt", "bytesWritten": 8}"#)
                .leaves(&[("docs/hello.txt", "Grüße\n")]),
            Example::of("The old content is kept, and no older copy is lost")
                .given(&[("a.txt", "two\n"), ("a.txt.backup", "one\n")])
                .call(r#"{"filePath": "a.txt", "content": "three\n", "createBackup": true}"#)
                .gives(r#"{"success": true, "filePath": "a.txt", "bytesWritten": 6, "backupPath": "a.txt.backup.1"}"#)
                .leaves(&[
                    ("a.txt", "three\n"),
                    ("a.txt.backup", "one\n"),
                    ("a.txt.backup.1", "two\n"),
                ]),
            Example::of("Line endings stay those of the file")
                .given(&[("a.txt", "one\r\ntwo\r\n")])
                .call(r#"{"filePath": "a.txt", "content": "three\n"}"#)
                .gives(r#"{"success": true, "filePath": "a.txt", "bytesWritten": 7, "note": "kept the line endings, CRLF"}"#)
                .leaves(&[("a.txt", "three\r\n")]),
            Example::of("A directory is not overwritten")
                .given(&[("docs/", "")])
                .call(r#"{"filePath": "docs", "content": ""}"#)
                .fails(Code::IsDirectory, r#"{"error": "docs: a directory, [..]"}"#),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.file_path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let step = cx.step()?;
        let backup_path = if self.create_backup { step.back_up(&self.file_path)? } else { None };
        let (_, written) = step.write_text(&self.file_path, &self.content, Parents::Create)?;
        let (bytes_written, note) = (written.bytes.len(), written.note);
        success(Output { file_path: self.file_path, bytes_written, backup_path, note })
    }
}
