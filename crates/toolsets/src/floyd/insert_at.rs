//! Floyd `insert_at`.

use files::edit::insert_lines;

use super::IN_LINES;
use crate::prelude::*;

/// Insert lines into a file. Lines count from 0; the old content is kept as .backup.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InsertAt {
    /// File path
    file_path: String,
    /// Line to insert before, from 0; the number of lines is the end
    line_number: usize,
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
    /// Lines that were inserted
    #[serde(skip_serializing_if = "Option::is_none")]
    inserted_lines: Option<Vec<String>>,
    /// Where the content before is
    #[serde(skip_serializing_if = "Option::is_none")]
    backup_path: Option<String>,
}

impl Tool for InsertAt {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("insert_at", "Insert lines", Category::Patches)
        .effect(Effect::WRITES, Permission::Dangerous)
        .errors(&[READING, IN_LINES, &[Code::InvalidLineNumber, Code::InvalidEncoding]])
        .examples(&[
            Example::of("Before the first line")
                .given(&[("a.ts", "one\n")])
                .call(r#"{"filePath": "a.ts", "lineNumber": 0, "content": "// note"}"#)
                .gives(r#"{"success": true, "insertedLines": ["// note"], "backupPath": "a.ts.backup"}"#)
                .leaves(&[("a.ts", "// note\none\n"), ("a.ts.backup", "one\n")]),
            Example::of("A try, which changes nothing")
                .given(&[("a.ts", "one\n")])
                .call(r#"{"filePath": "a.ts", "lineNumber": 1, "content": "two", "dryRun": true}"#)
                .gives(r#"{"success": true, "insertedLines": ["two"]}"#)
                .leaves(&[("a.ts", "one\n"), ("a.ts.backup", GONE)]),
            Example::of("A line that is too far")
                .given(&[("a.ts", "one\n")])
                .call(r#"{"filePath": "a.ts", "lineNumber": 5, "content": "two"}"#)
                .fails(Code::InvalidLineNumber, r#"{"error": "a.ts: no line 5, the file has 1 line; use 0 to 1, counted from 0"}"#)
                .leaves(&[("a.ts", "one\n")]),
        ]);

    fn permission(&self) -> Permission {
        if self.dry_run { Permission::None } else { Self::SPEC.permission }
    }

    fn paths(&self) -> Vec<String> {
        vec![self.file_path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let path = &self.file_path;
        let change = |bytes: &[u8]| insert_lines(path, bytes, self.line_number, &self.content);
        let (edited, backup_path) = super::in_lines(cx, path, self.dry_run, change)?;
        success(Output { inserted_lines: Some(edited.new), backup_path })
    }
}
