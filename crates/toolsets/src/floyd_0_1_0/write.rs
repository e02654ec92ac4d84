//! Floyd 0.1.0 `write`.

use crate::prelude::*;

/// Write a text file whole. Its directory must be there.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Write {
    /// File path
    file_path: String,
    /// The whole new content
    content: String,
    #[serde(default)]
    #[schemars(skip)]
    create_backup: bool,
}

/// What was written.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// The path as given
    file_path: String,
    /// Bytes of the file now
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_written: Option<usize>,
    /// How the file is written, if not in UTF-8 as given
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for Write {
    type Output = Success<Output>;

    const FAILED: &'static str = r#"{"filePath": null}"#;

    const SPEC: Spec = Spec::new("write", "Write a file", Category::Files)
        .aliases(&["write_file"])
        .effect(Effect::WRITES, Permission::Dangerous)
        .errors(&[WRITING, &[Code::ParentDirectoryNotFound, Code::FileExists]])
        .examples(&[
            Example::of("A new file")
                .given(&[("docs/", "")])
                .call(r#"{"filePath": "docs/hello.txt", "content": "Grüße\n"}"#)
                .gives(r#"{"success": true, "filePath": "docs/hello.txt", "bytesWritten": 8}"#)
                .leaves(&[("docs/hello.txt", "Grüße\n")]),
            Example::of("A directory that is missing is not made")
                .call(r#"{"filePath": "docs/hello.txt", "content": "Hello\n"}"#)
                .fails(Code::ParentDirectoryNotFound, r#"{"success": false, "filePath": "docs/hello.txt", "error": "docs[..]", "code": "ParentDirectoryNotFound"}"#)
                .leaves(&[("docs", GONE)]),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.file_path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let step = cx.step()?;
        if self.create_backup {
            step.back_up(&self.file_path)?;
        }
        let (_, written) = step.write_text(&self.file_path, &self.content, Parents::Require)?;
        let (bytes_written, note) = (Some(written.bytes.len()), written.note);
        success(Output { file_path: self.file_path, bytes_written, note })
    }
}
