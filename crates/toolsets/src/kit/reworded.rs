//! What a call in the words of other tools is in those of kit: the advice of its refusal, where no other
//! name alone would do.

use toolkit::serde_json::{self, Map, Value, json};

use super::corrected::{bare, names};
use super::place::meant_lines;

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

/// Letters of the longest ending of files that is taken for one: `*.json`, `*.toml`.
const ENDING: usize = 5;

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
    take_as(call, names, |value| Some(value.clone()))
}

/// The same, if it is what is expected: what nobody understands stays, and the call is not advised.
fn take_as<T>(call: &mut Call, names: &[&str], read: impl Fn(&Value) -> Option<T>) -> Option<T> {
    let is_it = |(name, _): &(&String, &Value)| names.contains(&bare(name).as_str());
    let (name, value) = call.iter().find(is_it)?;
    let (name, read) = (name.clone(), read(value)?);
    call.shift_remove(&name);
    Some(read)
}

/// Takes an argument that says what is so anyway.
fn take_usual(call: &mut Call, names: &[&str], usual: &[Value]) {
    take_as(call, names, |value| usual.contains(value).then_some(()));
}

fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

/// A range of lines as kit writes it.
fn range(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => meant_lines(text),
        Value::Array(ends) => match ends.as_slice() {
            [first, last] if last == -1 => Some(format!("{}-", number(first)?)),
            [first, last] => meant_lines(&format!("{}-{}", number(first)?, number(last)?)),
            _ => None,
        },
        other => Some(number(other)?.to_string()),
    }
}

/// A range of lines in words of other tools; a number of lines too, if there is nothing else that
/// `counts`.
fn lines(call: &mut Call, counts: bool) -> Option<String> {
    if let Some(range) = take_as(call, &["lines", "range", "linerange", "viewrange"], range) {
        return Some(range);
    }
    let mut of = |names: &[&str]| take_as(call, names, number);
    let line = of(&["line", "linenumber"]);
    let first = of(&["startline", "linestart", "fromline", "start", "offset"]).map(|at| at.max(1));
    let last = of(&["endline", "lineend", "toline", "end"]);
    let count = if counts { of(&["limit", "count", "numlines", "head"]) } else { None };
    let last = last.or_else(|| Some(first.unwrap_or(1) + count?.max(1) - 1));
    match (line, first, last) {
        (Some(line), ..) => Some(line.to_string()),
        (_, None, None) => None,
        (_, first, None) => Some(format!("{}-", first?)),
        (_, first, Some(last)) => Some(format!("{}-{last}", first.unwrap_or(1))),
    }
}

fn read(call: &mut Call) {
    let many = |value: &Value| match value {
        Value::String(text) => serde_json::from_str::<Vec<String>>(text).ok().map(|all| json!(all)),
        Value::Array(_) => Some(value.clone()),
        _ => None,
    };
    if let Some(places) = take_as(call, &["path"], many) {
        call.insert("paths".to_owned(), places);
    }
    if let Some(one @ Value::String(_)) = call.get("paths").cloned() {
        call.insert("paths".to_owned(), json!([one]));
    }
    take_usual(call, &["command"], &["view".into(), "read".into()]);
    take_usual(call, &["encoding"], &["utf-8".into(), "utf8".into(), "UTF-8".into()]);
    let part = lines(call, true).map(|range| format!(":{range}")).or_else(|| {
        let name =
            take_as(call, &["symbol", "definition"], |value| Some(value.as_str()?.to_owned()));
        name.map(|name| format!("#{name}"))
    });
    for name in names("path") {
        if let (Some(Value::String(path)), Some(part)) = (call.get_mut(name), &part) {
            *path += part;
        }
    }
}

fn edit(call: &mut Call) {
    const DOES: [&str; 5] = ["str_replace", "create", "edit", "replace", "write"];
    let does: Vec<Value> = DOES.iter().map(|word| (*word).into()).collect();
    take_usual(call, &["command", "mode"], &does);
    // `old` must be there once anyway.
    let counts = ["count", "expectedreplacements", "expectedoccurrences", "occurrences"];
    take_usual(call, &counts, &[1.into(), "1".into()]);
    if let Some(range) = lines(call, false) {
        call.insert("lines".to_owned(), range.into());
    }
    let changes = call.get_mut("changes").and_then(Value::as_array_mut).into_iter().flatten();
    changes.filter_map(Value::as_object_mut).for_each(edit);
}

/// A text of which one is looked for, as part of a regular expression.
fn literal(text: &str) -> String {
    let escaped = |c: char| if r"\.+*?()|[]{}^$".contains(c) { vec!['\\', c] } else { vec![c] };
    text.chars().flat_map(escaped).collect()
}

fn search(call: &mut Call) {
    let several = |value: &Value| {
        let all: Vec<String> =
            value.as_array()?.iter().filter_map(|one| Some(literal(one.as_str()?))).collect();
        (!all.is_empty()).then(|| all.join("|"))
    };
    if let Some(all) = take_as(call, &["query", "queries", "pattern", "patterns"], several) {
        call.insert("query".to_owned(), all.into());
        call.insert("mode".to_owned(), "regex".into());
    }
    if take(call, &["regex", "isregex", "regexp"]).is_some_and(|is| is == true) {
        call.insert("mode".to_owned(), "regex".into());
    }
    take_usual(call, &["n", "linenumbers"], &[true.into()]);
    let around = ["a", "b", "c"].map(|name| take_as(call, &[name], number));
    if let Some(most) = around.into_iter().flatten().max() {
        call.insert("context".to_owned(), most.into());
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
    // The name of a language is no ending of files.
    let kind = take_as(call, &["type", "filetype", "lang", "extension"], |kind| {
        let kind = kind.as_str()?;
        let is_mode = OWN.contains(&kind) || MODES.iter().any(|(word, _)| *word == kind);
        (is_mode || kind.len() <= ENDING).then(|| kind.to_owned())
    });
    match kind.as_deref() {
        Some(mode) if OWN.contains(&mode) || MODES.iter().any(|(word, _)| *word == mode) => {
            call.insert("mode".to_owned(), mode.into());
        }
        Some(kind) => {
            let kind = kind.trim_start_matches(['*', '.']);
            call.insert("glob".to_owned(), format!("*.{kind}").into());
        }
        None => {}
    }
    let globs = |value: &Value| {
        let globs: Vec<&str> = value.as_array()?.iter().filter_map(Value::as_str).collect();
        Some(match globs[..] {
            [one] => one.to_owned(),
            _ => format!("{{{}}}", globs.join(",")),
        })
    };
    if let Some(all) = take_as(call, &["glob", "globs", "include"], globs) {
        call.insert("glob".to_owned(), all.into());
    }
    synonym(call, "mode", MODES);
    if !names("query").any(|name| call.contains_key(name))
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
    let list = |value: &Value| Some(words(value.as_array()?));
    if let Some(line) = take_as(call, &["command", "cmd", "bash", "script"], list) {
        call.insert("command".to_owned(), line.into());
    }
    take_usual(
        call,
        &["shell"],
        &["bash".into(), "sh".into(), "/bin/bash".into(), "/bin/sh".into()],
    );
    if let Some(time) = take(call, &["timeoutms", "timeoutmillis"]).as_ref().and_then(number) {
        call.insert("timeout".to_owned(), time.div_ceil(1000).into());
    }
    if let Some(time) = call.get("timeout").and_then(seconds).filter(|time| *time > 0.0) {
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

/// A time as a number of seconds, or with its unit.
fn seconds(value: &Value) -> Option<f64> {
    let Some(text) = value.as_str() else { return value.as_f64() };
    let digits = text.trim_end_matches(char::is_alphabetic);
    let unit = match text[digits.len()..].trim() {
        "ms" => 0.001,
        "" | "s" | "sec" | "seconds" => 1.0,
        "m" | "min" | "minutes" => 60.0,
        _ => return None,
    };
    Some(digits.trim().parse::<f64>().ok()? * unit)
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
    // One is what it takes back; several go by their numbers.
    if let Some(count) = take_as(call, &["steps", "count", "n"], number)
        && count > 1
    {
        call.insert("list".to_owned(), true.into());
    }
}

/// What is beside `arguments` belongs into them.
fn stray(call: &mut Call) {
    let known = ["tool", "name", "arguments", "args"];
    let own = if call.contains_key("args") { "args" } else { "arguments" };
    let given = call.get(own).cloned().unwrap_or_else(|| json!({}));
    let inner = match &given {
        Value::String(text) => serde_json::from_str(text).ok(),
        other => other.as_object().cloned(),
    };
    let Some(mut inner): Option<Call> = inner else { return };
    let mut beside = call.clone();
    beside.retain(|name, _| !known.contains(&name.as_str()));
    // Which of two values is meant is not to be guessed.
    if beside.is_empty() || beside.keys().any(|name| inner.contains_key(name)) {
        return;
    }
    inner.extend(beside);
    call.retain(|name, _| known.contains(&name.as_str()));
    call.insert(own.to_owned(), inner.into());
}

/// The word of kit for a value.
fn synonym(call: &mut Call, name: &str, words: &[(&str, &str)]) {
    let given = call.get(name).and_then(Value::as_str).unwrap_or_default();
    if let Some((_, word)) = words.iter().find(|(other, _)| *other == given) {
        call.insert(name.to_owned(), (*word).into());
    }
}
