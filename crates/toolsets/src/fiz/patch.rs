//! fiz `patch`.

use std::borrow::Cow;

use files::edit::{Place, Replacement, Take, insert, replace};

use crate::prelude::*;

/// Change a file: replace a unique text (default) or every occurrence, or add content at the
/// start or end, or before or after the first occurrence of `search`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Patch {
    /// File path
    path: String,
    /// Exact text to find
    search: Option<String>,
    /// New text
    content: String,
    /// What to do
    #[serde(default)]
    operation: Operation,
}

/// What to do.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Operation {
    #[default]
    Replace,
    ReplaceAll,
    Prepend,
    Append,
}

/// Read without regard to case and separators, as models write it in many ways.
impl<'de> Deserialize<'de> for Operation {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let given = Cow::<str>::deserialize(from)?;
        let plain: String = given.chars().filter(char::is_ascii_alphanumeric).collect();
        Ok(match plain.to_ascii_lowercase().as_str() {
            "replace" => Self::Replace,
            "replaceall" => Self::ReplaceAll,
            "prepend" => Self::Prepend,
            "append" => Self::Append,
            _ => {
                return Err(serde::de::Error::custom(format!(
                    "no operation `{given}`; use replace, replace_all, prepend or append"
                )));
            }
        })
    }
}

impl JsonSchema for Operation {
    fn schema_name() -> Cow<'static, str> {
        "Operation".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "enum": ["replace", "replace_all", "prepend", "append"]})
    }
}

impl Tool for Patch {
    type Output = String;

    const SPEC: Spec = Spec::new("patch", "Patch a file", Category::Files)
        .effect(Effect::WRITES, Permission::Moderate)
        .errors(&[READING, EDITING])
        .examples(&[
            Example::of("Every occurrence")
                .given(&[("a.ts", "let a = x;\nlet b = x;\n")])
                .call(
                    r#"{"path": "a.ts", "search": "x", "content": "y", "operation": "replaceAll"}"#,
                )
                .gives("Replaced 2 occurrences in a.ts")
                .leaves(&[("a.ts", "let a = y;\nlet b = y;\n")]),
            Example::of("A line at the end of a file that has no final line ending")
                .given(&[("list", "one")])
                .call(r#"{"path": "list", "content": "two\n", "operation": "append"}"#)
                .gives("Appended 4 bytes to list")
                .leaves(&[("list", "one\ntwo\n")]),
            Example::of("An operation that does not exist is an error, not a guess")
                .given(&[("a", "x\n")])
                .call(r#"{"path": "a", "search": "x", "content": "y", "operation": "upsert"}"#)
                .fails(Code::InvalidInput, "error: operation: no operation `upsert`[..]")
                .leaves(&[("a", "x\n")]),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<String> {
        let Self { path, content, operation, .. } = &self;
        let search = self.search.as_deref().filter(|s| !s.is_empty());
        let change = |bytes: &[u8]| match (operation, search) {
            (Operation::Replace | Operation::ReplaceAll, None) => Err(Error::invalid_input(
                "search",
                "needed to replace; give the exact text to find",
            )),
            (Operation::Replace | Operation::ReplaceAll, Some(find)) => {
                let take = if *operation == Operation::Replace { Take::Only } else { Take::All };
                let edit = Replacement { find, with: content, take, lines: None };
                replace(path, bytes, &[edit]).map(|e| (e.bytes, e.replaced))
            }
            (Operation::Prepend, find) => {
                let place = find.map_or(Place::Start, Place::Before);
                insert(path, bytes, place, content).map(|e| (e.bytes, 0))
            }
            (Operation::Append, find) => {
                let place = find.map_or(Place::End, Place::After);
                insert(path, bytes, place, content).map(|e| (e.bytes, 0))
            }
        };
        let replaced = cx.step()?.edit(path, change)?;
        Ok(match operation {
            Operation::Replace | Operation::ReplaceAll if replaced == 1 => {
                format!("Replaced 1 occurrence in {path}")
            }
            Operation::Replace | Operation::ReplaceAll => {
                format!("Replaced {replaced} occurrences in {path}")
            }
            Operation::Prepend => {
                format!("Prepended {} to {path}", fault::count(content.len(), "byte"))
            }
            Operation::Append => {
                format!("Appended {} to {path}", fault::count(content.len(), "byte"))
            }
        })
    }
}
