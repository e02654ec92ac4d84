//! What a failure of kit ends with: the call that would have worked, or that shows what is needed for
//! one. All failures get it here, from what they state about themselves.

use toolkit::serde_json::{Map, Value, json};
use toolkit::{Body, Entry, Envelope, TEXT};

use super::SPELLINGS;
use super::reworded::reworded;
use crate::prelude::*;

/// A longer call is not written out again.
const MOST_BYTES: usize = 600;
/// Lines that are read around the place that is most like a text which is not there.
const LINES: usize = 20;
/// Lines that places of an ambiguous text may be apart to be read together.
const APART: usize = 100;

pub(super) const ENVELOPE: Envelope = Envelope { body, schema: TEXT.schema };

fn body(entry: &Entry, input: &Value, result: Result<Value>) -> Body {
    let failed = result.as_ref().err();
    let next = failed.and_then(|error| next(entry, input, error));
    match ((TEXT.body)(entry, input, result), next) {
        (Body::Text(text), Some((tool, call))) => {
            Body::Text(format!("{text}\nnext: {tool} {call}"))
        }
        (body, _) => body,
    }
}

/// A tool and its arguments.
type Next = (&'static str, Value);

fn next(entry: &Entry, input: &Value, error: &Error) -> Option<Next> {
    let (tool, mut call) = (entry.spec.name, input.clone());
    let other = match call.as_object_mut() {
        Some(call) if error.code == Code::InvalidInput => reworded(tool, call),
        _ => false,
    };
    let put = if other { Some(()) } else { corrected(tool, &mut call, error) };
    put.filter(|()| call.to_string().len() <= MOST_BYTES && may_be(entry, &call))
        .map(|()| (tool, call))
        .or_else(|| leading(tool, input, error))
}

/// Whether all arguments have a name that the tool takes, none has a value of another type, and those
/// that have a few possible values have one of them.
fn may_be(entry: &Entry, call: &Value) -> bool {
    let properties = entry.definition().input.get("properties");
    call.as_object().into_iter().flatten().all(|(name, value)| {
        let schema = properties.and_then(|all| all.get(name));
        let is_other = || {
            let takes = |meant: &str| meant.is_empty() || entry.takes(meant);
            SPELLINGS.iter().any(|(other, meant)| bare(other) == bare(name) && takes(meant))
        };
        let Some(schema) = schema else { return entry.takes(name) || is_other() };
        let possible = schema.get("enum").and_then(Value::as_array);
        let is_text = schema.get("type").is_some_and(|kind| kind == "string");
        possible.is_none_or(|possible| possible.contains(value))
            && !(is_text && (value.is_array() || value.is_object()))
    })
}

/// Puts the arguments right, if it is known how.
fn corrected(tool: &str, call: &mut Value, error: &Error) -> Option<()> {
    let fact = |name| error.detail(name);
    let near = || fact("near").map(Value::from);
    match error.code {
        Code::InvalidInput if fact("meant").is_some() => {
            let call = call.as_object_mut()?;
            let value = call.shift_remove(fact("field")?)?;
            call.insert(fact("meant")?.to_owned(), value);
        }
        Code::InvalidInput if fact("without").is_some() => {
            without_old(call.as_object_mut()?);
        }
        Code::InvalidInput if fact("value").is_some() => {
            *call.get_mut(fact("field")?)? = fact("value")?.into();
        }
        Code::InvalidInput if tool == "call" && fact("name").is_some() => {
            let (given, near) = (last(fact("name")?), fact("near")?);
            files::spelling::is_slip(given, last(near)).then_some(())?;
            *call.get_mut("tool")? = near.into();
        }
        Code::InvalidInput if tool == "call" => *call.get_mut("tool")? = near()?,
        // What was to be changed in one file is not tried on another.
        Code::FileNotFound if tool == "edit" => return None,
        Code::InvalidInput | Code::FileNotFound | Code::DirectoryNotFound => {
            rename(call, fact("path")?, fact("near")?)?;
        }
        Code::StringNotFound if fact("in").is_some() => {
            call.as_object_mut()?.insert("in".to_owned(), fact("in")?.into());
        }
        Code::StringNotFound if fact("name").is_some() => {
            rename(call, &format!("#{}", fact("name")?), &format!("#{}", fact("near")?))?;
        }
        Code::StringNotFound if fact("elsewhere").is_some() => {
            narrow(place(call, fact("path")?)?, fact("elsewhere")?)?;
        }
        Code::StringNotFound if tool == "edit" => {
            let place = place(call, fact("path")?)?;
            let name = names("old").find(|name| place.contains_key(*name))?;
            place.insert(name.to_owned(), fact("exact")?.into());
        }
        Code::InvalidRegex if tool == "search" && fact("escaped").is_some() => {
            let call = call.as_object_mut()?;
            let name = names("query").find(|name| call.contains_key(*name))?;
            call.insert(name.to_owned(), fact("escaped")?.into());
        }
        Code::InvalidRegex if tool == "search" => {
            call.as_object_mut()?.shift_remove("mode")?;
        }
        Code::InvalidRegex => {
            let meant = fact("escaped").or(fact("literal"));
            *call.get_mut("grep")? = meant?.into();
        }
        _ => return None,
    }
    Some(())
}

/// Takes the texts to replace that are none out of a call and its changes.
fn without_old(call: &mut Map<String, Value>) {
    let is_none = |value: &Value| value.is_null() || value == "";
    // Alone with `new` it would be the whole file.
    let is_whole = !names("lines").any(|name| call.contains_key(name))
        && names("new").any(|name| call.get(name).is_some_and(Value::is_string));
    call.retain(|name, value| is_whole || !(is_none(value) && names("old").any(|old| old == name)));
    let changes = call.get_mut("changes").and_then(Value::as_array_mut).into_iter().flatten();
    changes.filter_map(Value::as_object_mut).for_each(without_old);
}

/// A name without what spellings differ in.
pub(super) fn bare(name: &str) -> String {
    name.replace(['_', '-'], "").to_lowercase()
}

/// The name of a tool without that of its toolset.
fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Puts another path, or another part of one, in the place of `wrong` wherever a place begins or ends
/// with it; `None` if none does.
fn rename(call: &mut Value, wrong: &str, right: &str) -> Option<()> {
    let right_one = |text: &str| match text.strip_prefix(wrong) {
        Some(rest) if rest.is_empty() || rest.starts_with([':', '#']) => {
            Some(right.to_owned() + rest)
        }
        _ if wrong.starts_with('#') => Some(text.strip_suffix(wrong)?.to_owned() + right),
        _ => None,
    };
    match call {
        Value::String(text) => *text = right_one(text)?,
        Value::Array(all) => {
            return all.iter_mut().filter_map(|one| rename(one, wrong, right)).last();
        }
        Value::Object(all) => {
            let is_place = |name: &str| {
                name == "changes"
                    || ["path", "paths"].iter().any(|of| names(of).any(|one| one == name))
            };
            let all = all.iter_mut().filter(|(name, _)| is_place(name));
            return all.filter_map(|(_, one)| rename(one, wrong, right)).last();
        }
        _ => return None,
    }
    Some(())
}

/// The names of a parameter that the caller may have used.
pub(super) fn names(meant: &'static str) -> impl Iterator<Item = &'static str> {
    let others = SPELLINGS.iter().filter(move |(_, of)| *of == meant);
    std::iter::once(meant).chain(others.map(|(other, _)| *other))
}

/// The arguments about one path, of which there must be no others.
fn place<'c>(call: &'c mut Value, path: &str) -> Option<&'c mut Map<String, Value>> {
    let is_it = |one: &&mut Value| {
        names("path").any(|name| one[name] == path)
            && names("old").any(|name| one[name].is_string())
    };
    if is_it(&&mut *call) {
        return call.as_object_mut();
    }
    let mut all = call.get_mut("changes")?.as_array_mut()?.iter_mut().filter(is_it);
    let only = all.next()?;
    if all.next().is_some() { None } else { only.as_object_mut() }
}

/// Names the lines in which `old` is meant, from their first.
fn narrow(place: &mut Map<String, Value>, first: &str) -> Option<()> {
    let old = names("old").find_map(|name| place.get(name))?.as_str()?;
    let first: usize = first.parse().ok()?;
    let last = first + old.lines().count() - 1;
    place.insert("lines".to_owned(), fault::range(first, last).into());
    Some(())
}

/// The call that shows what the next one needs.
fn leading(tool: &str, input: &Value, error: &Error) -> Option<Next> {
    let fact = |name| error.detail(name);
    let path = fact("path");
    let part = |range: &str| Some(("read", json!({"path": format!("{}:{range}", path?)})));
    match error.code {
        // Which of them is meant is not to be guessed.
        Code::MultipleMatches if tool == "edit" => {
            let all: Vec<usize> = fact("lines")?.split(',').flat_map(str::parse).collect();
            let (first, last) = (all.first()?, all.last()?);
            (last - first <= APART).then(|| part(&format!("{first}-{last}"))).flatten()
        }
        // It shows the lines itself.
        Code::InvalidLineRange | Code::FileChanged if fact("shown").is_some() => None,
        Code::InvalidLineRange | Code::FileChanged if fact("range").is_some() => {
            part(fact("range")?)
        }
        // Its text is not looked for there either.
        Code::StringNotFound if fact("skipped").is_some() => None,
        Code::StringNotFound if fact("name").is_some() => {
            Some(("search", json!({"query": fact("name")?})))
        }
        Code::StringNotFound if fact("made").is_some() => part(fact("made")?),
        Code::StringNotFound if tool == "edit" && fact("line").is_some() => {
            let line: usize = fact("line")?.parse().ok()?;
            part(&format!("{line}-{}", line + LINES))
        }
        Code::StringNotFound if tool == "remember" => Some(("remember", json!({}))),
        Code::StringNotFound | Code::FileChanged | Code::PatchFailed | Code::IsDirectory => {
            Some(("read", json!({"path": path?})))
        }
        Code::FileNotFound if tool == "edit" && fact("near").is_some() => {
            Some(("read", json!({"path": fact("near")?})))
        }
        Code::FileNotFound if tool != "browse" => {
            let name = path?.trim_end_matches('/').rsplit('/').next()?;
            Some(("search", json!({"query": name, "mode": "files"})))
        }
        // What the place would be, the file tells.
        Code::InvalidInput if fact("placeless").is_some() => {
            Some(("read", json!({"path": fact("placeless")?})))
        }
        Code::InvalidInput if tool == "run" => match (fact("command"), fact("field")) {
            (Some(command), _) => {
                let mut call = json!({"command": command, "background": true});
                // One that has ended may do so again before it reads.
                if fact("field") == Some("input") {
                    call["input"] = input.get("input").cloned().unwrap_or_default();
                }
                Some(("run", call))
            }
            (None, Some("id" | "stop")) => Some(("run", json!({}))),
            _ => None,
        },
        Code::InvalidInput if tool == "call" && fact("name").is_some() => {
            Some(("find_tool", json!({"need": last(fact("name")?).replace('_', " ")})))
        }
        // Without a number there is nothing that a list would show.
        Code::NothingToUndo if input.as_object().is_some_and(|call| !call.is_empty()) => {
            Some(("undo", json!({"list": true})))
        }
        Code::UndoConflict if fact("later").is_some() => {
            let later: i64 = fact("later")?.parse().ok()?;
            Some(("undo", json!({"call": later})))
        }
        Code::ElementNotFound | Code::NoResults => Some(("browse", json!({}))),
        Code::TabNotFound => Some(("browse", json!({"tab": "list"}))),
        _ => None,
    }
}
