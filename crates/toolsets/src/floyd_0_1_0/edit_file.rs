//! Floyd 0.1.0 `edit_file`.

use files::edit::Take;

use crate::floyd::edit_file::Output;
use crate::prelude::*;

/// Replace an exact text that occurs once in a file.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EditFile {
    /// File path
    file_path: String,
    /// Exact text in the file now
    old_string: String,
    /// Text to put there
    new_string: String,
    #[serde(default)]
    #[schemars(skip)]
    all: bool,
}

impl Tool for EditFile {
    type Output = Success<Output>;

    const FAILED: &'static str = r#"{"filePath": null, "replacements": 0}"#;

    const SPEC: Spec = Spec::new("edit_file", "Edit a file", Category::Files)
        .effect(Effect::WRITES, Permission::Dangerous)
        .errors(&[READING, EDITING])
        .examples(&[
            Example::of("The new text is taken literally, and the line endings stay")
                .given(&[("a.ts", "cost = 1\r\nend\r\n")])
                .call(r#"{"filePath": "a.ts", "oldString": "cost = 1\nend", "newString": "cost = $&\nend"}"#)
                .gives(r#"{"success": true, "filePath": "a.ts", "replacements": 1}"#)
                .leaves(&[("a.ts", "cost = $&\r\nend\r\n")]),
            Example::of("A text that is not there: what is most like it is shown")
                .given(&[("a.ts", "let total = 1;\n")])
                .call(r#"{"filePath": "a.ts", "oldString": "let totl = 1;", "newString": ""}"#)
                .fails(Code::StringNotFound, r#"{"success": false, "filePath": "a.ts", "replacements": 0, "error": "[..]total[..]", "code": "StringNotFound"}"#)
                .leaves(&[("a.ts", "let total = 1;\n")]),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.file_path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let take = if self.all { Take::All } else { Take::Only };
        Output::replace(cx, self.file_path, &self.old_string, &self.new_string, take)
    }
}
