//! kit: the native toolset, ten tools whose results are plain text, smallest in tokens.

mod apply;
mod browse;
mod browsing;
mod call;
mod change;
mod changed;
mod corrected;
mod data;
mod differences;
mod earlier;
mod edit;
mod find_tool;
mod found;
mod judged;
mod kept;
mod lookup;
mod misfits;
mod outline;
mod outputs;
mod page;
mod parts;
mod pdf;
mod picture;
mod place;
mod read;
mod reader;
mod remember;
mod report;
mod reworded;
mod run;
mod search;
mod sent;
mod started;
mod try_next;
mod undo;
mod web;

use toolkit::{Entry, Toolset};

/// The toolset in the order in which it is listed.
pub(crate) fn toolset() -> Toolset {
    let mut toolset = Toolset::new("kit", "kit: Kitbag's own tools, smallest in tokens");
    toolset.instructions = "A place is a path, `path:10-40` or `path#symbol`; lines count from 1. \
        A result that was cut ends with what to change in the call to go on.";
    toolset.presets = PRESETS;
    toolset.brief = BRIEF;
    toolset.spellings = SPELLINGS;
    toolset.envelope = corrected::ENVELOPE;
    toolset.with(vec![
        Entry::of::<read::Read>(),
        Entry::of::<edit::Edit>(),
        Entry::of::<undo::Undo>(),
        Entry::of::<run::Run>(),
        Entry::of::<search::Search>(),
        Entry::of::<browse::Browse>(),
        Entry::of::<web::Web>(),
        Entry::of::<remember::Remember>(),
        Entry::of::<find_tool::FindTool>(),
        Entry::of::<call::Call>(),
    ])
}

/// What is listed, by who has the other tools: nobody; the host; nobody, and nothing is changed; a
/// model for which every token counts.
const PRESETS: &[(&str, &[&str])] = &[
    (
        "whole",
        &[
            "read",
            "edit",
            "undo",
            "run",
            "search",
            "browse",
            "web",
            "remember",
            "find_tool",
            "call",
        ],
    ),
    ("beside", &["undo", "search", "browse", "web", "remember", "find_tool", "call"]),
    ("look", &["read", "search"]),
    ("min", &["read", "edit", "run", "search"]),
];

/// The parameters that `min` lists; it takes the others too.
const BRIEF: &[(&str, &str, &[&str])] = &[
    ("min", "read", &["path", "paths"]),
    ("min", "edit", &["path", "old", "new", "all", "lines", "changes"]),
    ("min", "search", &["query", "mode", "path", "glob"]),
    ("min", "run", &["command", "timeout", "background", "id", "grep", "stop"]),
];

/// Names that other tools have for the same parameters; one for an empty name is ignored.
const SPELLINGS: &[(&str, &str)] = &[
    ("args", "arguments"),
    ("bash", "command"),
    ("cmd", "command"),
    ("content", "new"),
    ("content", "value"),
    ("contents", "new"),
    ("delete", "remove"),
    ("description", ""),
    ("destination", "move_to"),
    ("diff", "patch"),
    ("dir", "path"),
    ("directory", "path"),
    ("edits", "changes"),
    ("file", "path"),
    ("file_name", "path"),
    ("file_path", "path"),
    ("files", "paths"),
    ("file_text", "new"),
    ("find", "old"),
    ("find", "query"),
    ("head_limit", "limit"),
    ("id", "call"),
    ("id", "key"),
    ("include", "glob"),
    ("kill", "stop"),
    ("max_results", "limit"),
    ("move", "move_to"),
    ("name", "key"),
    ("name", "need"),
    ("name", "query"),
    ("name", "tool"),
    ("new_path", "move_to"),
    ("new_str", "new"),
    ("new_string", "new"),
    ("new_text", "new"),
    ("note", "value"),
    ("old_str", "old"),
    ("old_string", "old"),
    ("old_text", "old"),
    ("overwrite", ""),
    ("pattern", "query"),
    ("q", "query"),
    ("query", "find"),
    ("query", "need"),
    ("rename", "move_to"),
    ("replace", "new"),
    ("replace_all", "all"),
    ("replacement", "new"),
    ("run_in_background", "background"),
    ("script", "command"),
    ("search", "old"),
    ("search", "query"),
    ("selector", "click"),
    ("stdin", "input"),
    ("symbol", "query"),
    ("text", "new"),
    ("text", "query"),
    ("text", "value"),
    ("title", "key"),
    ("with", "new"),
];
