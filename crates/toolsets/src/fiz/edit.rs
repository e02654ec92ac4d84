//! fiz `edit`.

use files::edit::{Replacement, Take, replace};

use crate::prelude::*;

/// Replace exact texts in a file, all or none. Each must occur once in the file as it is now.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Edit {
    /// File path
    path: String,
    /// Replacements that do not overlap
    edits: Option<Vec<One>>,
    /// Older form of edits
    old_string: Option<String>,
    /// Older form of edits
    new_string: Option<String>,
}

/// One replacement.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[serde(expecting = "an object with oldText and newText")]
struct One {
    /// Exact text, unique in the file
    old_text: String,
    /// New text
    new_text: String,
}

impl Tool for Edit {
    type Output = String;

    const SPEC: Spec = Spec::new("edit", "Edit a file", Category::Files)
        .effect(Effect::WRITES, Permission::Moderate)
        .errors(&[READING, EDITING, &[Code::OverlappingEdits]])
        .examples(&[
            Example::of("Two places of a file with Windows line endings, which stay")
                .given(&[("a.txt", "one\r\ntwo\r\nthree\r\n")])
                .call(r#"{"path": "a.txt", "edits": [{"oldText": "one\ntwo", "newText": "1\n2"}, {"oldText": "three", "newText": "3"}]}"#)
                .gives("Applied 2 edits to a.txt")
                .leaves(&[("a.txt", "1\r\n2\r\n3\r\n")]),
            Example::of("The older form")
                .given(&[("a.txt", "costs $5\n")])
                .call(r#"{"path": "a.txt", "old_string": "$5", "new_string": "$&$1"}"#)
                .gives("Replaced 1 occurrence in a.txt")
                .leaves(&[("a.txt", "costs $&$1\n")]),
            Example::of("A text that occurs twice is not guessed at, and nothing is changed")
                .given(&[("a.txt", "x = 1\ny = 2\nx = 1\n")])
                .call(r#"{"path": "a.txt", "edits": [{"oldText": "y = 2", "newText": "y = 3"}, {"oldText": "x = 1", "newText": "x = 2"}]}"#)
                .fails(Code::MultipleMatches, "error: edit: edits[1].oldText appears 2 times in a.txt [..]must be unique[..]")
                .leaves(&[("a.txt", "x = 1\ny = 2\nx = 1\n")]),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<String> {
        let path = &self.path;
        let old = self.old_string.as_ref().filter(|old| !old.is_empty());
        let pairs: Vec<(&str, &str)> = match (&self.edits, old) {
            (Some(edits), Some(_)) if !edits.is_empty() => {
                let problem = "`edits` is given too; put all replacements into `edits`";
                return Err(Error::invalid_input("old_string", problem));
            }
            (Some(edits), _) if !edits.is_empty() => {
                edits.iter().map(|e| (e.old_text.as_str(), e.new_text.as_str())).collect()
            }
            (_, Some(old)) => {
                // A call that was cut short has none; taking that for "" would remove the text.
                let new = self.new_string.as_deref().ok_or_else(|| {
                    Error::invalid_input("new_string", "missing; give \"\" to remove the text")
                })?;
                vec![(old, new)]
            }
            _ => return Err(Error::invalid_input("edits", "give at least one edit")),
        };
        let edits: Vec<_> = pairs
            .iter()
            .map(|(find, with)| Replacement { find, with, take: Take::Only, lines: None })
            .collect();
        let legacy = self.edits.as_ref().is_none_or(Vec::is_empty);
        cx.step()?
            .edit(path, |bytes| replace(path, bytes, &edits).map(|edited| (edited.bytes, ())))
            .map_err(|error| worded(error, path, legacy))?;
        Ok(match edits.len() {
            1 => format!("Replaced 1 occurrence in {path}"),
            n => format!("Applied {n} edits to {path}"),
        })
    }
}

/// The failure in the words of this dialect, which name the edit by its place in the call.
fn worded(error: Error, path: &str, legacy: bool) -> Error {
    let name = |index: &str| {
        if legacy { "old_string".to_owned() } else { format!("edits[{index}].oldText") }
    };
    let detail = |key| error.detail(key).unwrap_or("0").to_owned();
    let text = match error.code {
        Code::StringNotFound => format!("{} not found in {path}", name(&detail("edit"))),
        Code::MultipleMatches => {
            format!(
                "{} appears {} times in {path} (must be unique)",
                name(&detail("edit")),
                detail("count")
            )
        }
        Code::OverlappingEdits => {
            format!("edits[{}] and edits[{}] overlap in {path}", detail("edit"), detail("other"))
        }
        _ => return error,
    };
    error.worded(format!("edit: {text}"))
}
