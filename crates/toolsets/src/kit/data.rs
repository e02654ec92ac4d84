//! Whether an edit left a file of data, JSON or TOML, that cannot be read any more.

use std::path::Path;

use index::{Spot, Touched};
use serde::de::IgnoredAny;

/// How names of files begin whose JSON may have comments and commas at the end.
const LENIENT: [&str; 14] = [
    ".babelrc",
    ".eslintrc",
    ".swcrc",
    "api-extractor",
    "deno",
    "devcontainer",
    "extensions",
    "jsconfig",
    "keybindings",
    "launch",
    "settings",
    "tasks",
    "tsconfig",
    "turbo",
];

/// The first place that is not valid, if the file was before; `None` too for what is no such data.
pub(super) fn broken(file: &Touched<'_>) -> Option<Spot> {
    let path = Path::new(file.path);
    let name = path.file_name()?.to_str()?;
    let after = file.after.filter(|after| !after.trim().is_empty())?;
    let invalid = match path.extension()?.to_str()? {
        "json" if LENIENT.iter().any(|lead| name.starts_with(lead)) => return None,
        "json" => invalid_json,
        "toml" => invalid_toml,
        _ => return None,
    };
    // What a template is filled with is not known.
    let is_template = file.before.is_none() && ["{{", "<%"].iter().any(|mark| after.contains(mark));
    let before = file.before.filter(|before| !before.trim().is_empty());
    if is_template || before.is_some_and(|before| invalid(before).is_some()) {
        return None;
    }
    let (line, why) = invalid(after)?;
    let text = after.lines().nth(line - 1).unwrap_or_default().trim();
    let text = format!("{} ({why})", fault::cut(text, 120));
    Some(Spot { path: file.path.to_owned(), line, text })
}

/// The line, from 1, and what is wrong in it. Comments are of another kind of JSON.
fn invalid_json(text: &str) -> Option<(usize, String)> {
    if text.lines().any(has_comment) {
        return None;
    }
    let text = text.trim_start_matches('\u{feff}');
    // A number may be too large, or the nesting too deep, for a value, and the text be valid.
    let error = serde_json::from_str::<IgnoredAny>(text).err()?;
    let value = serde_json::from_str::<serde_json::Value>(text).err();
    // That of a value says more of the reason, if it is the same.
    let error = value.filter(|value| value.line() == error.line()).unwrap_or(error);
    let why = error.to_string();
    let why = why.split(" at line ").next().unwrap_or(&why);
    Some((error.line().max(1), why.to_owned()))
}

/// Whether a comment begins in a line, outside of its strings.
fn has_comment(line: &str) -> bool {
    let (mut in_string, mut before) = (false, ' ');
    for c in line.chars() {
        match (before, c) {
            ('\\', _) if in_string => {
                before = ' ';
                continue;
            }
            (_, '"') => in_string = !in_string,
            ('/', '/' | '*') if !in_string => return true,
            _ => {}
        }
        before = c;
    }
    false
}

fn invalid_toml(text: &str) -> Option<(usize, String)> {
    let error = toml::from_str::<toml::Table>(text).err()?;
    // The reader does not go so deep, which is no fault of the text.
    if error.message().contains("recursion depth") {
        return None;
    }
    let start = error.span().map_or(0, |span| span.start).min(text.len());
    let line = text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count() + 1;
    Some((line, error.message().lines().next().unwrap_or_default().to_owned()))
}
