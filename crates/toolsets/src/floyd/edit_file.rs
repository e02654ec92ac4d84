//! Floyd `edit_file`.

use files::edit::{Replacement, Take, replace};

use crate::prelude::*;

/// Replace an exact text in a file. Without all it must occur once.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EditFile {
    /// File path
    file_path: String,
    /// Exact text in the file now
    old_str: String,
    /// Text to put there
    new_str: String,
    /// Replace every occurrence
    #[serde(default)]
    all: bool,
}

/// What was replaced.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// The path as given
    file_path: String,
    /// How many places were changed
    replacements: usize,
    /// What was left alone
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Output {
    /// Replaces `find` by `with` in the file at `path`.
    pub(crate) fn replace(
        cx: &Cx<'_>,
        path: String,
        find: &str,
        with: &str,
        take: Take,
    ) -> Result<Success<Self>> {
        let edits = [Replacement { find, with, take, lines: None }];
        let (replacements, more) = cx.step()?.edit(&path, |bytes| {
            let edited = replace(&path, bytes, &edits)?;
            let more = edited.edits.iter().map(|edit| edit.more).sum::<usize>();
            Ok((edited.bytes, (edited.replaced, more)))
        })?;
        let note = (more > 0).then(|| format!("{more} more were left; replaceAll takes them too"));
        success(Self { file_path: path, replacements, note })
    }
}

impl Tool for EditFile {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("edit_file", "Edit a file", Category::Files)
        .effect(Effect::WRITES, Permission::Dangerous)
        .errors(&[READING, EDITING])
        .examples(&[
            Example::of("Every occurrence")
                .given(&[("a.ts", "// TODO one\n// TODO two\n")])
                .call(r#"{"filePath": "a.ts", "oldStr": "TODO", "newStr": "DONE", "all": true}"#)
                .gives(r#"{"success": true, "filePath": "a.ts", "replacements": 2}"#)
                .leaves(&[("a.ts", "// DONE one\n// DONE two\n")]),
            Example::of("Of a text that occurs twice, none is guessed at")
                .given(&[("a.ts", "x();\nx();\n")])
                .call(r#"{"filePath": "a.ts", "oldStr": "x", "newStr": "y"}"#)
                .fails(
                    Code::MultipleMatches,
                    r#"{"error": "a.ts: the text to find occurs 2 times, at lines 1, 2; [..]"}"#,
                )
                .leaves(&[("a.ts", "x();\nx();\n")]),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.file_path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let take = if self.all { Take::All } else { Take::Only };
        Output::replace(cx, self.file_path, &self.old_str, &self.new_str, take)
    }
}
