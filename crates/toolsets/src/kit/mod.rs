//! kit: the native toolset, ten tools whose results are plain text, smallest in tokens.

mod asked;
mod browse;
mod call;
mod find_tool;
mod found;
mod kept;
mod lookup;
mod outputs;
mod read;
mod remember;
mod report;
mod run;
mod search;
mod try_next;
mod web;

use toolkit::serde_json::Value;
use toolkit::{Body, Entry, Envelope, Toolset};

/// The toolset in the order in which it is listed.
pub(crate) fn toolset() -> Toolset {
    let mut toolset = Toolset::new("kit", "kit: Kitbag's own tools, smallest in tokens");
    toolset.instructions = "A place is a path, `path:10-40` or `path#symbol`; lines count from 1. \
        A result that was cut ends with what to change in the call to go on.";
    toolset.spellings = SPELLINGS;
    toolset.envelope = ENVELOPE;
    toolset.with(vec![
        Entry::of::<read::Read>(),
        Entry::of::<run::Run>(),
        Entry::of::<search::Search>(),
        Entry::of::<browse::Browse>(),
        Entry::of::<web::Web>(),
        Entry::of::<remember::Remember>(),
        Entry::of::<find_tool::FindTool>(),
        Entry::of::<call::Call>(),
    ])
}

/// Names that other tools have for the same parameters.
const SPELLINGS: &[(&str, &str)] =
    &[("file", "path"), ("file_name", "path"), ("file_path", "path"), ("files", "paths")];

/// A failure is its text after `error: `.
const ENVELOPE: Envelope = Envelope {
    body: |_, _, result| {
        Body::Text(match result {
            Ok(Value::String(text)) => text,
            Ok(value) => value.to_string(),
            Err(error) => format!("error: {error}"),
        })
    },
    schema: |_, own| own,
};
