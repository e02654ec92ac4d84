//! Floyd `edit_range`.

use files::edit::replace_lines;

use super::IN_LINES;
use crate::prelude::*;

/// Replace a range of lines in a file. Lines count from 0; the old content is kept as .backup.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EditRange {
    /// File path
    file_path: String,
    /// First line to replace, from 0
    start_line: usize,
    /// Last line to replace, from 0
    end_line: usize,
    /// The new lines
    content: String,
    /// Try it and change nothing
    #[serde(default)]
    dry_run: bool,
}

/// What was changed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// Lines that were replaced
    #[serde(skip_serializing_if = "Option::is_none")]
    original_lines: Option<Vec<String>>,
    /// Lines in their place
    #[serde(skip_serializing_if = "Option::is_none")]
    modified_lines: Option<Vec<String>>,
    /// Where the content before is
    #[serde(skip_serializing_if = "Option::is_none")]
    backup_path: Option<String>,
}

impl Tool for EditRange {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("edit_range", "Replace lines", Category::Patches)
        .effect(Effect::WRITES, Permission::Dangerous)
        .errors(&[READING, IN_LINES, &[Code::InvalidLineRange, Code::InvalidEncoding]])
        .examples(&[
            Example::of("The second and third line, counted from 0")
                .given(&[("a.ts", "one\r\ntwo\r\nthree\r\nfour\r\n")])
                .call(r#"{"filePath": "a.ts", "startLine": 1, "endLine": 2, "content": "2\n2.5\n3"}"#)
                .gives(r#"{"success": true, "originalLines": ["two", "three"], "modifiedLines": ["2", "2.5", "3"], "backupPath": "a.ts.backup"}"#)
                .leaves(&[
                    ("a.ts", "one\r\n2\r\n2.5\r\n3\r\nfour\r\n"),
                    ("a.ts.backup", "one\r\ntwo\r\nthree\r\nfour\r\n"),
                ]),
            Example::of("Lines that are not there")
                .given(&[("a.ts", "one\ntwo\n")])
                .call(r#"{"filePath": "a.ts", "startLine": 1, "endLine": 2, "content": "x"}"#)
                .fails(Code::InvalidLineRange, r#"{"error": "a.ts: the lines 1 to 2 are not all in the file, it has 2 lines; use 0 to 1, counted from 0"}"#)
                .leaves(&[("a.ts", "one\ntwo\n"), ("a.ts.backup", GONE)]),
        ]);

    fn permission(&self) -> Permission {
        if self.dry_run { Permission::None } else { Self::SPEC.permission }
    }

    fn paths(&self) -> Vec<String> {
        vec![self.file_path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let path = &self.file_path;
        let change = |bytes: &[u8]| {
            replace_lines(path, bytes, self.start_line, self.end_line, &self.content)
        };
        let (edited, backup_path) = super::in_lines(cx, path, self.dry_run, change)?;
        let (original_lines, modified_lines) = (Some(edited.old), Some(edited.new));
        success(Output { original_lines, modified_lines, backup_path })
    }
}
