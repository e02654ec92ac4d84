//! Stack `read`.

use crate::prelude::*;

/// Read a text file, whole or some lines of it.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Read {
    /// File path
    path: String,
    /// First line, from 0
    #[serde(default)]
    offset: usize,
    /// Most lines; -1 is all
    limit: Option<i64>,
}

/// What was done.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The lines
    content: String,
    /// Lines of the whole file
    total_lines: usize,
    /// The path as given
    path: String,
    /// What was left out, and how to read on
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for Read {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("read", "Read a file", Category::Files)
        .errors(&[READING, &[Code::BinaryFile]])
        .examples(&[
            Example::of("From the second line on")
                .given(&[("a.txt", "one\ntwo\nthree\n")])
                .call(r#"{"path": "a.txt", "offset": 1}"#)
                .gives(r#"{"success": true, "content": "two\nthree\n", "total_lines": 3, "path": "a.txt"}"#),
            Example::of("A line that the file does not have")
                .given(&[("a.txt", "one\ntwo\n")])
                .call(r#"{"path": "a.txt", "offset": 2}"#)
                .gives(r#"{"success": true, "content": "", "total_lines": 2, "path": "a.txt", "note": "offset 2 is past the end; the file has 2 lines, counted from 0"}"#),
            Example::of("A file that does not exist")
                .given(&[("notes.txt", "")])
                .call(r#"{"path": "note.txt"}"#)
                .fails(Code::FileNotFound, r#"{"success": false, "error": "note.txt: no such file; did you mean notes.txt?", "code": "FileNotFound"}"#),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let contents = cx.workspace().read(&self.path)?;
        let text = files::text::decode(&self.path, &contents.bytes)?;
        let limit = self.limit.and_then(|limit| usize::try_from(limit).ok());
        let bytes = cx.result_bytes();
        let part = files::text::part(text.as_str(), self.offset, limit, usize::MAX, bytes);
        let (note, total_lines) = (part.note(), part.total);
        success(Output { content: part.head.text, total_lines, path: self.path, note })
    }
}
