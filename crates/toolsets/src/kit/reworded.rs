//! What a call in the words of other tools is in those of kit: the advice of its refusal, where no other
//! name alone would do.

use toolkit::serde_json::{Map, Value, json};

use super::corrected::{PATHS, bare};

type Call = Map<String, Value>;

/// Words for modes of `search`.
const MODES: &[(&str, &str)] = &[
    ("content", "text"),
    ("definition", "symbols"),
    ("definitions", "symbols"),
    ("filename", "files"),
    ("glob", "files"),
    ("literal", "text"),
    ("references", "refs"),
    ("semantic", "meaning"),
    ("usages", "refs"),
];

/// Those that it has itself, and that are no kinds of files.
const OWN: [&str; 6] = ["files", "meaning", "multiline", "refs", "regex", "symbols"];

/// Words for the stores of `remember`.
const STORES: &[(&str, &str)] = &[("memory", "notes"), ("todo", "tasks"), ("todos", "tasks")];

/// Puts the arguments of a refused call into words of the tool; whether any was put.
pub(super) fn reworded(tool: &str, call: &mut Call) -> bool {
    let before = call.clone();
    match tool {
        "read" => read(call),
        "edit" => edit(call),
        "search" => search(call),
        "run" => run(call),
        "undo" => undo(call),
        "call" => stray(call),
        // What it does, the others say.
        "browse" if call.len() > 1 => _ = take(call, &["action"]),
        "remember" => {
            take(call, &["list"]);
            synonym(call, "in", STORES);
        }
        _ => {}
    }
    *call != before
}

/// Takes the first argument of one of these names, in any spelling.
fn take(call: &mut Call, names: &[&str]) -> Option<Value> {
    let found = call.keys().find(|name| names.contains(&bare(name).as_str()))?.clone();
    call.shift_remove(&found)
}

fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

/// A range of lines that came as numbers.
fn lines(call: &mut Call) -> Option<String> {
    if let Some(Value::Array(ends)) = call.get("lines") {
        let ends: Vec<u64> = ends.iter().filter_map(number).collect();
        let (first, last) = (*ends.first()?, *ends.last()?);
        call.shift_remove("lines");
        return Some(format!("{first}-{last}"));
    }
    let mut of = |names: &[&str]| take(call, names).as_ref().and_then(number);
    let line = of(&["line", "linenumber"]);
    let first = of(&["startline", "linestart", "fromline", "start", "offset"]).map(|at| at.max(1));
    let last = of(&["endline", "lineend", "toline", "end"]);
    let count = of(&["limit", "count", "numlines", "head"]);
    let last = last.or_else(|| Some(first.unwrap_or(1) + count?.max(1) - 1));
    match (line, first, last) {
        (Some(line), ..) => Some(line.to_string()),
        (_, None, None) => None,
        (_, first, None) => Some(format!("{}-", first?)),
        (_, first, Some(last)) => Some(format!("{}-{last}", first.unwrap_or(1))),
    }
}

fn read(call: &mut Call) {
    if let Some(Value::Array(places)) = call.get("path").cloned() {
        call.shift_remove("path");
        call.insert("paths".to_owned(), places.into());
    }
    if let Some(one @ Value::String(_)) = call.get("paths").cloned() {
        call.insert("paths".to_owned(), json!([one]));
    }
    let given = take(call, &["lines", "range", "linerange"]);
    let range = given.and_then(|range| Some(range.as_str()?.to_owned())).or_else(|| lines(call));
    for name in PATHS {
        if let (Some(Value::String(path)), Some(range)) = (call.get_mut(name), &range) {
            *path += &format!(":{range}");
        }
    }
}

fn edit(call: &mut Call) {
    if let Some(range) = lines(call) {
        call.insert("lines".to_owned(), range.into());
    }
}

fn search(call: &mut Call) {
    if take(call, &["regex", "isregex", "regexp"]).is_some_and(|is| is == true) {
        call.insert("mode".to_owned(), "regex".into());
    }
    // Upper and lower case are the same unless it is said otherwise.
    let is_any = take(call, &["i", "ignorecase", "caseinsensitive"]);
    let is_exact = take(call, &["casesensitive", "matchcase"]);
    if is_any.is_some_and(|is| is == false) || is_exact.is_some_and(|is| is == true) {
        call.insert("case".to_owned(), true.into());
    }
    match take(call, &["outputmode"]).as_ref().and_then(Value::as_str) {
        None | Some("content") => {}
        Some(_) => _ = call.insert("count".to_owned(), true.into()),
    }
    let kind = take(call, &["type", "filetype", "lang", "extension"]);
    match kind.as_ref().and_then(Value::as_str) {
        Some(mode) if OWN.contains(&mode) || MODES.iter().any(|(word, _)| *word == mode) => {
            call.insert("mode".to_owned(), mode.into());
        }
        Some(kind) => {
            let kind = kind.trim_start_matches(['*', '.']);
            call.insert("glob".to_owned(), format!("*.{kind}").into());
        }
        None => {}
    }
    if let Some(Value::Array(globs)) = call.get("glob") {
        let globs: Vec<&str> = globs.iter().filter_map(Value::as_str).collect();
        let all =
            if let [one] = globs[..] { one.to_owned() } else { format!("{{{}}}", globs.join(",")) };
        call.insert("glob".to_owned(), all.into());
    }
    synonym(call, "mode", MODES);
    if !["query", "pattern", "q", "text", "name", "search"]
        .iter()
        .any(|name| call.contains_key(*name))
        && let Some(glob) = call.shift_remove("glob")
    {
        call.insert("query".to_owned(), glob);
        call.insert("mode".to_owned(), "files".into());
    }
}

fn run(call: &mut Call) {
    let words = |all: &[Value]| -> String {
        let words = all.iter().filter_map(Value::as_str).map(fault::quoted);
        words.collect::<Vec<_>>().join(" ")
    };
    if let Some(Value::Array(all)) = call.get("command").cloned() {
        call.insert("command".to_owned(), words(&all).into());
    }
    if let Some(time) = take(call, &["timeoutms", "timeoutmillis"]).as_ref().and_then(number) {
        call.insert("timeout".to_owned(), time.div_ceil(1000).into());
    }
    if let Some(time) = call.get("timeout").and_then(Value::as_f64).filter(|time| *time > 0.0) {
        call.insert("timeout".to_owned(), (time.ceil() as u64).into());
    }
    if call.get("id").is_some_and(|id| number(id).is_none()) {
        call.shift_remove("id");
    }
    // Without anything else, what ran is listed.
    take(call, &["list"]);
    let Some(mut line) = call.get("command").and_then(Value::as_str).map(str::to_owned) else {
        return;
    };
    if let Some(Value::Array(more)) = take(call, &["args", "arguments"]) {
        line += &format!(" {}", words(&more));
    }
    if let Some(Value::Object(all)) = take(call, &["env", "environment"]) {
        let all = all.iter().filter_map(|(name, value)| Some((name, value.as_str()?)));
        let set: String =
            all.map(|(name, value)| format!("{name}={} ", fault::quoted(value))).collect();
        line = format!("export {}; {line}", set.trim_end());
    }
    let dir = take(call, &["cwd", "workdir", "workingdirectory", "workingdir", "dir", "directory"]);
    if let Some(dir) = dir.as_ref().and_then(Value::as_str) {
        line = format!("cd -- {} && {line}", fault::quoted(dir));
    }
    call.insert("command".to_owned(), line.into());
}

fn undo(call: &mut Call) {
    let is_number = |value: Option<Value>| value.as_ref().and_then(number).is_some();
    let which = ["call", "redo"].map(|name| call.get(name).cloned());
    let [of, redo] = which;
    if of.is_some() && !is_number(of) {
        call.shift_remove("call");
    }
    // Which one, the list says; or which one changed a file.
    if redo.is_some() && !is_number(redo) || take(call, &["path", "file", "filepath"]).is_some() {
        call.clear();
        call.insert("list".to_owned(), true.into());
    }
    take(call, &["steps", "count", "n"]);
}

/// What stands beside `arguments` belongs into them.
fn stray(call: &mut Call) {
    let names: Vec<String> = call.keys().cloned().collect();
    let known = ["tool", "name", "arguments", "args"];
    let own = if call.contains_key("args") { "args" } else { "arguments" };
    for name in names.into_iter().filter(|name| !known.contains(&name.as_str())) {
        let Some(value) = call.shift_remove(&name) else { continue };
        let inner = call.entry(own).or_insert_with(|| json!({}));
        if let Some(inner) = inner.as_object_mut() {
            inner.insert(name, value);
        }
    }
}

/// The word of kit for a value.
fn synonym(call: &mut Call, name: &str, words: &[(&str, &str)]) {
    let given = call.get(name).and_then(Value::as_str).unwrap_or_default();
    if let Some((_, word)) = words.iter().find(|(other, _)| *other == given) {
        call.insert(name.to_owned(), (*word).into());
    }
}
