//! Floyd `delete_range`.

use files::edit::delete_lines;

use super::IN_LINES;
use crate::prelude::*;

/// Delete lines of a file. Lines count from 0; the old content is kept as .backup.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeleteRange {
    /// File path
    file_path: String,
    /// First line to delete, from 0
    start_line: usize,
    /// Last line to delete, from 0
    end_line: usize,
    /// Try it and change nothing
    #[serde(default)]
    dry_run: bool,
}

/// What was changed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// Lines that were deleted
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_lines: Option<Vec<String>>,
    /// Where the content before is
    #[serde(skip_serializing_if = "Option::is_none")]
    backup_path: Option<String>,
}

impl Tool for DeleteRange {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("delete_range", "Delete lines", Category::Patches)
        .effect(Effect::WRITES, Permission::Dangerous)
        .errors(&[READING, IN_LINES, &[Code::InvalidLineRange]])
        .examples(&[
            Example::of("The last two of three lines")
                .given(&[("a.ts", "one\ntwo\nthree\n"), ("a.ts.backup", "zero\n")])
                .call(r#"{"filePath": "a.ts", "startLine": 1, "endLine": 2}"#)
                .gives(r#"{"success": true, "deletedLines": ["two", "three"], "backupPath": "a.ts.backup.1"}"#)
                .leaves(&[
                    ("a.ts", "one\n"),
                    ("a.ts.backup", "zero\n"),
                    ("a.ts.backup.1", "one\ntwo\nthree\n"),
                ]),
            Example::of("The end is before the start")
                .given(&[("a.ts", "one\ntwo\n")])
                .call(r#"{"filePath": "a.ts", "startLine": 1, "endLine": 0}"#)
                .fails(Code::InvalidLineRange, r#"{"error": "a.ts: the lines 1 to 0 end before they start, [..]"}"#)
                .leaves(&[("a.ts", "one\ntwo\n")]),
        ]);

    fn permission(&self) -> Permission {
        if self.dry_run { Permission::None } else { Self::SPEC.permission }
    }

    fn paths(&self) -> Vec<String> {
        vec![self.file_path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let path = &self.file_path;
        let change = |bytes: &[u8]| delete_lines(path, bytes, self.start_line, self.end_line);
        let (edited, backup_path) = super::in_lines(cx, path, self.dry_run, change)?;
        success(Output { deleted_lines: Some(edited.old), backup_path })
    }
}
