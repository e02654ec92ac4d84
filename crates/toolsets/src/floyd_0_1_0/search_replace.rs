//! Floyd 0.1.0 `search_replace`.

use files::edit::Take;

use crate::floyd::edit_file::Output;
use crate::prelude::*;

/// Replace the first occurrence of an exact text in a file, or all of them.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SearchReplace {
    /// File path
    file_path: String,
    /// Exact text in the file now
    search_string: String,
    /// Text to put there
    replace_string: String,
    /// Replace every occurrence
    #[serde(default)]
    replace_all: bool,
}

impl Tool for SearchReplace {
    type Output = Success<Output>;

    const FAILED: &'static str = r#"{"filePath": null, "replacements": 0}"#;

    const SPEC: Spec = Spec::new("search_replace", "Search and replace", Category::Files)
        .effect(Effect::WRITES, Permission::Dangerous)
        .errors(&[READING, EDITING])
        .examples(&[
            Example::of("The first, and how many more there are")
                .given(&[("a.txt", "a.b a.b a.b\n")])
                .call(r#"{"filePath": "a.txt", "searchString": "a.b", "replaceString": "x"}"#)
                .gives(r#"{"success": true, "filePath": "a.txt", "replacements": 1, "note": "2 more were left; [..]"}"#)
                .leaves(&[("a.txt", "x a.b a.b\n")]),
            Example::of("All; the text is no expression")
                .given(&[("a.txt", "a.b axb a.b\n")])
                .call(r#"{"filePath": "a.txt", "searchString": "a.b", "replaceString": "$1", "replaceAll": true}"#)
                .gives(r#"{"success": true, "filePath": "a.txt", "replacements": 2}"#)
                .leaves(&[("a.txt", "$1 axb $1\n")]),
            Example::of("A text that is not there")
                .given(&[("a.txt", "one\n")])
                .call(r#"{"filePath": "a.txt", "searchString": "two", "replaceString": ""}"#)
                .fails(Code::StringNotFound, r#"{"success": false, "filePath": "a.txt", "replacements": 0, "error": "a.txt: [..]", "code": "StringNotFound"}"#)
                .leaves(&[("a.txt", "one\n")]),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.file_path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let take = if self.replace_all { Take::All } else { Take::First };
        Output::replace(cx, self.file_path, &self.search_string, &self.replace_string, take)
    }
}
