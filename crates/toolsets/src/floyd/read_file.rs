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

impl Tool for ReadFile {
    type Output = crate::floyd_0_1_0::read_file::Output;

    const SPEC: Spec = Spec {
        name: "read_file",
        aliases: &[],
        title: "Read a file",
        category: Category::Files,
        effect: Effect::READS,
        permission: Permission::None,
        errors: &[READING, &[Code::BinaryFile]],
        examples: &[
            Example {
                about: "Two lines from the second on, and what follows them",
                given: &[("a.txt", "one\ntwo\nthree\nfour\n")],
                call: r#"{"filePath": "a.txt", "offset": 1, "limit": 2}"#,
                gives: r#"{"success": true, "filePath": "a.txt", "content": "two\nthree", "totalLines": 4}"#,
                leaves: &[],
                fails: None,
            },
            Example {
                about: "A folder is no file",
                given: &[("src/main.rs", "")],
                call: r#"{"filePath": "src"}"#,
                gives: r#"{"error": "src: a folder, [..]"}"#,
                leaves: &[],
                fails: Some(Code::IsDirectory),
            },
        ],
    };

    const SPELLINGS: &'static [(&'static str, &'static str)] = &[("path", "filePath")];

    fn paths(&self) -> Vec<String> {
        vec![self.file_path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Self::Output> {
        Self::Output::read(cx, self.file_path, self.offset.unwrap_or(0), self.limit)
    }
}
