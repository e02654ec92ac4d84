//! Floyd `read_file`.

use crate::prelude::*;

/// Read a text file, whole or some lines of it.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadFile {
    /// File path
    file_path: String,
    /// First line, counted from 0
    offset: Option<usize>,
    /// Most lines
    limit: Option<usize>,
}

/// The file, or the part of it that was asked for.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// The path as given
    file_path: String,
    /// The lines
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// Lines of the whole file
    total_lines: usize,
    /// What was left out, and how to read on
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Output {
    /// At most `limit` lines from line `offset` on, counted from 0, as far as a result may hold.
    pub(crate) fn read(
        cx: &Cx<'_>,
        path: String,
        offset: usize,
        limit: Option<usize>,
    ) -> Result<Success<Self>> {
        let contents = cx.workspace().read(&path)?;
        let text = files::text::decode(&path, &contents.bytes)?;
        let bytes = cx.result_bytes();
        let part = files::text::part(text.as_str(), offset, limit, usize::MAX, bytes);
        success(Self {
            file_path: path,
            note: part.note(),
            content: Some(part.head.text),
            total_lines: part.total,
        })
    }
}

impl Tool for ReadFile {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("read_file", "Read a file", Category::Files)
        .errors(&[READING, &[Code::BinaryFile]])
        .examples(&[
            Example::of("Two lines from the second on, and what follows them")
                .given(&[("a.txt", "one\ntwo\nthree\nfour\n")])
                .call(r#"{"filePath": "a.txt", "offset": 1, "limit": 2}"#)
                .gives(r#"{"success": true, "filePath": "a.txt", "content": "two\nthree", "totalLines": 4}"#),
            Example::of("A directory is no file")
                .given(&[("src/main.rs", "")])
                .call(r#"{"filePath": "src"}"#)
                .fails(Code::IsDirectory, r#"{"error": "src: a directory, [..]"}"#),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.file_path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        Output::read(cx, self.file_path, self.offset.unwrap_or(0), self.limit)
    }
}
