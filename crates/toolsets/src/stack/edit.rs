//! Stack `edit`.

use files::edit::{Replacement, Take, replace};

use crate::prelude::*;

/// Replace the first occurrence of an exact text in a file.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Edit {
    /// File path
    path: String,
    /// Exact text in the file now
    old_text: String,
    /// Text to put there
    new_text: String,
}

/// What was done.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The path as given
    path: String,
    /// How many places were changed
    edits_made: usize,
    /// What was left alone
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for Edit {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("edit", "Edit a file", Category::Files)
        .effect(Effect::WRITES, Permission::Moderate)
        .errors(&[READING, EDITING])
        .examples(&[
            Example::of("The first, and how many more there are")
                .given(&[("a.py", "x = 1\nx = 1\n")])
                .call(r#"{"path": "a.py", "old_text": "x = 1", "new_text": "x = 2"}"#)
                .gives(r#"{"success": true, "path": "a.py", "edits_made": 1, "note": "1 more left as it is; give more lines around the one that is meant"}"#)
                .leaves(&[("a.py", "x = 2\nx = 1\n")]),
            Example::of("A text that is not there")
                .given(&[("a.py", "x = 1\n")])
                .call(r#"{"path": "a.py", "old_text": "y = 1", "new_text": ""}"#)
                .fails(Code::StringNotFound, r#"{"success": false, "error": "a.py: [..]", "code": "StringNotFound"}"#)
                .leaves(&[("a.py", "x = 1\n")]),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let path = &self.path;
        let edits = [Replacement {
            find: &self.old_text,
            with: &self.new_text,
            take: Take::First,
            lines: None,
        }];
        let more = cx.step()?.edit(path, |bytes| {
            let edited = replace(path, bytes, &edits)?;
            Ok((edited.bytes, edited.edits.iter().map(|edit| edit.more).sum::<usize>()))
        })?;
        let note = (more > 0).then(|| {
            format!("{more} more left as it is; give more lines around the one that is meant")
        });
        success(Output { path: self.path, edits_made: 1, note })
    }
}
