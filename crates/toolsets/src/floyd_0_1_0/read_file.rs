//! Floyd 0.1.0 `read_file`.

use crate::floyd::read_file::Output;
use crate::prelude::*;

/// Read a text file. Long ones are cut, and the rest is read with offset.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadFile {
    /// File path
    file_path: String,
    #[serde(default)]
    #[schemars(skip)]
    offset: usize,
    #[serde(default)]
    #[schemars(skip)]
    limit: Option<usize>,
}

impl Tool for ReadFile {
    type Output = Success<Output>;

    const FAILED: &'static str = r#"{"filePath": null}"#;

    const SPEC: Spec = Spec::new("read_file", "Read a file", Category::Files)
        .errors(&[READING, &[Code::BinaryFile]])
        .examples(&[
            Example::of("A file as it is")
                .given(&[("a.txt", "one\r\ntwo\n")])
                .call(r#"{"filePath": "a.txt"}"#)
                .gives(r#"{"success": true, "filePath": "a.txt", "content": "one\r\ntwo\n", "totalLines": 2}"#),
            Example::of("A misspelt name is answered with the likely one")
                .given(&[("src/main.rs", "")])
                .call(r#"{"file_path": "src/mian.rs"}"#)
                .fails(Code::FileNotFound, r#"{"success": false, "error": "src/mian.rs: no such file; did you mean src/main.rs?", "code": "FileNotFound"}"#),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.file_path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        Output::read(cx, self.file_path, self.offset, self.limit)
    }
}
