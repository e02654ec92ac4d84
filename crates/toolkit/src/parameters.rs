//! Parameters as they come: names put right or refused, and values that came as text, such as `"3"`,
//! read as what the schema says. Without this module a parameter that a tool does not know would be
//! ignored without a word, and the answer would be to another question.

mod told;

use fault::{Error, Result};
use serde::de::{DeserializeOwned, Deserializer, Visitor, value};
use serde_json::{Map, Value};

use crate::entry::Definition;

pub(crate) use told::told;

/// Names that tools and models use for the same thing, without what spellings differ in. They are
/// not taken for each other, since their values may differ; a refusal tells the one that is meant.
const SYNONYMS: &[&[&str]] = &[
    &[
        "path",
        "dir",
        "directory",
        "folder",
        "cwd",
        "workdir",
        "root",
        "rootpath",
        "file",
        "filename",
        "filepath",
        "projectpath",
        "repopath",
        "basepath",
        "searchpath",
    ],
    &["limit", "max", "maxcount", "maxresults", "count", "headlimit", "n", "top", "numresults"],
    &["glob", "include", "filepattern", "fileglob", "filetype", "extensions", "files"],
    &["pattern", "query", "regex", "search", "text", "glob", "name"],
    &["offset", "startline", "linestart", "fromline", "start", "line"],
    &["endline", "lineend", "toline", "end", "limit"],
    &["command", "cmd", "script"],
    &["content", "contents", "text", "body", "data", "value"],
    &["i", "ignorecase", "caseinsensitive", "casesensitive"],
    &["oldstring", "oldtext", "oldstr", "old", "searchstring", "search"],
    &["newstring", "newtext", "newstr", "new", "replacestring", "replace", "replacement"],
    &["replaceall", "all", "global"],
    &["diff", "patch"],
    &["timeout", "timeoutms", "timeoutseconds", "maxtime"],
    &["message", "msg", "m"],
];

/// The arguments with the case and separators of names put right, and with the other names that the
/// toolset takes ([`Toolset::spellings`](crate::Toolset::spellings)); `None` if they are right as
/// they are.
///
/// # Errors
/// `InvalidInput` for a parameter that the tool does not know, and for one given twice.
pub(crate) fn spell(
    definition: &Definition,
    given: &Map<String, Value>,
    spellings: &[(&str, &str)],
) -> Result<Option<Value>> {
    let known = &definition.names;
    if given.keys().all(|name| known.contains(name)) {
        return Ok(None);
    }
    let schema = &definition.input;
    // Some tools keep whatever they are given.
    let open = is_open(schema);
    let mut out = Map::new();
    for (name, value) in given {
        let mut rows = spellings.iter().filter(|(other, _)| bare(other) == bare(name));
        let is_ignored = !known.contains(name) && rows.clone().any(|(_, meant)| meant.is_empty());
        if is_ignored {
            continue;
        }
        let meant = match rows.find_map(|(_, meant)| known.contains(*meant).then_some(*meant)) {
            _ if known.contains(name) => name,
            Some(meant) => meant,
            None => match known.iter().find(|k| bare(k) == bare(name)) {
                Some(meant) => meant,
                None if open && near(schema, given, name).is_empty() => name,
                None => return Err(unknown(schema, given, "", name)),
            },
        };
        if meant != name && given.contains_key(meant) || out.contains_key(meant) {
            return Err(twice(name, meant));
        }
        out.insert(meant.to_owned(), value.clone());
    }
    Ok(Some(Value::Object(out)))
}

/// The same for the objects inside of the arguments, whose names the schema has; `at` is where they
/// are.
///
/// # Errors
/// As for [`spell`].
pub(crate) fn spell_inside(value: Value, schema: &Map<String, Value>, at: &str) -> Result<Value> {
    let inner = |name: &str| schema.get(name).and_then(Value::as_object);
    match (value, inner("properties"), inner("items")) {
        (Value::Object(given), Some(properties), _) => {
            let mut out = Map::new();
            for (name, value) in &given {
                let meant = match properties.keys().find(|known| bare(known) == bare(name)) {
                    _ if at.is_empty() || properties.contains_key(name) => name,
                    Some(meant) => meant,
                    None if is_open(schema) => name,
                    None => return Err(unknown(schema, &given, at, name)),
                };
                if meant != name && given.contains_key(meant) || out.contains_key(meant) {
                    return Err(twice(&format!("{at}.{name}"), meant));
                }
                let below = if at.is_empty() { meant.clone() } else { format!("{at}.{meant}") };
                let value = match properties.get(meant).and_then(Value::as_object) {
                    Some(schema) => spell_inside(value.clone(), schema, &below)?,
                    None => value.clone(),
                };
                out.insert(meant.clone(), value);
            }
            Ok(Value::Object(out))
        }
        (Value::Array(list), _, Some(items)) => {
            let one = |(n, value)| spell_inside(value, items, &format!("{at}[{n}]"));
            list.into_iter().enumerate().map(one).collect()
        }
        (value, ..) => Ok(value),
    }
}

fn is_open(schema: &Map<String, Value>) -> bool {
    schema.get("additionalProperties").is_some_and(|a| *a != Value::Bool(false))
}

fn twice(name: &str, meant: &str) -> Error {
    let problem = format!("the same parameter as `{meant}`, which is given too; give one of them");
    Error::invalid_input(name, problem)
}

/// The error for an unknown parameter, in the object at `at` of the arguments. It names those that
/// may be meant: synonyms, else names with a similar spelling, else all.
fn unknown(schema: &Map<String, Value>, given: &Map<String, Value>, at: &str, name: &str) -> Error {
    let is_synonym = |other: &String| {
        let both = [bare(name), bare(other)];
        SYNONYMS.iter().any(|group| both.iter().all(|b| group.contains(&b.as_str())))
    };
    let mut meant: Vec<_> = free(schema, given).filter(is_synonym).collect();
    if meant.is_empty() {
        meant = near(schema, given, name);
    }
    let only = if meant.len() == 1 { meant.first().cloned() } else { None };
    let quoted = |names: Vec<String>, between: &str| {
        names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(between)
    };
    let all: Vec<_> = free(schema, &Map::new()).collect();
    let advice = if let Some(call) = inside(schema, given, name) {
        format!("did you mean `{call}`?")
    } else if !meant.is_empty() {
        format!("did you mean {}?", quoted(meant, " or "))
    } else if all.is_empty() {
        "the tool takes none".to_owned()
    } else if !at.is_empty() {
        format!("{at} takes {}", quoted(all, ", "))
    } else {
        format!("the tool takes {}", quoted(all, ", "))
    };
    let dot = if at.is_empty() { "" } else { "." };
    let field = format!("{at}{dot}{}", fault::cut(name, 100));
    let error = Error::invalid_input(&field, format!("no such parameter; {advice}"));
    match only {
        Some(meant) => error.with("meant", meant),
        None => error,
    }
}

/// What is given beside a list and belongs into an element of it, as it should have been written.
fn inside(schema: &Map<String, Value>, given: &Map<String, Value>, name: &str) -> Option<String> {
    const SHOWN: usize = 300;
    let properties = schema.get("properties")?.as_object()?;
    properties.iter().find_map(|(list, schema)| {
        let known = schema.get("items")?.get("properties")?.as_object()?;
        let of = |name: &str| known.keys().find(|known| bare(known) == bare(name));
        of(name)?;
        let mut element = Map::new();
        for (name, value) in given.iter().filter(|(name, _)| !properties.contains_key(*name)) {
            element.insert(of(name)?.clone(), value.clone());
        }
        let element = Value::Object(element).to_string();
        Some(format!("\"{list}\": [{}]", fault::cut(&element, SHOWN)))
    })
}

/// The parameter that differs from `name` by a slip.
fn near(schema: &Map<String, Value>, given: &Map<String, Value>, name: &str) -> Vec<String> {
    files::spelling::nearest(name, free(schema, given), 1)
}

/// The parameters of the schema that are not given yet.
fn free(schema: &Map<String, Value>, given: &Map<String, Value>) -> impl Iterator<Item = String> {
    let listed = schema.get("properties").and_then(Value::as_object);
    let listed = listed.into_iter().flat_map(Map::keys);
    listed.filter(|name| !given.contains_key(*name)).cloned()
}

/// A name without what spellings differ in: `file_path` and `filePath` are one.
fn bare(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Reads values that came as text as what the schema says: `"3"` as 3, `"true"` as true, a list or
/// object written as JSON text, `3.0` as 3, an object as the list of it.
pub(crate) fn coerce(value: Value, schema: &Map<String, Value>) -> Value {
    let wanted = schema.get("type").and_then(Value::as_str).unwrap_or_default();
    match (wanted, value) {
        ("integer" | "number" | "boolean" | "array" | "object", Value::String(text)) => {
            match serde_json::from_str::<Value>(text.trim()) {
                Ok(parsed) if fits(&parsed, wanted) => coerce(parsed, schema),
                Ok(one @ Value::Object(_)) if wanted == "array" => coerce(one, schema),
                Ok(switch @ Value::Number(_)) if wanted == "boolean" => coerce(switch, schema),
                _ if wanted == "boolean" && ["True", "False"].contains(&text.trim()) => {
                    Value::Bool(text.trim() == "True")
                }
                _ => Value::String(text),
            }
        }
        // One element where a list of such is wanted. A text might be meant as several words.
        ("array", Value::Object(one)) if is_of(schema.get("items"), "object") => {
            coerce(Value::Array(vec![Value::Object(one)]), schema)
        }
        // As other languages write it.
        ("boolean", Value::Number(n)) if n == 0.into() || n == 1.into() => {
            Value::Bool(n == 1.into())
        }
        ("integer" | "number", Value::Number(n)) => match n.as_f64() {
            Some(f) if n.is_f64() && f.fract() == 0.0 && f.abs() < 9e15 => Value::from(f as i64),
            _ => Value::Number(n),
        },
        // Only numbers that have one spelling: 1.10 would be written as 1.1.
        ("string", Value::Number(n)) if !n.is_f64() => Value::String(n.to_string()),
        ("string", Value::Bool(switch)) => Value::String(switch.to_string()),
        ("object", Value::Object(fields)) => {
            let none = Map::new();
            let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
            let others = schema.get("additionalProperties");
            let field = |(name, value): (String, Value)| {
                // A file or directory whose name is a number or a switch is seldom meant.
                if is_path(&name) && (value.is_number() || value.is_boolean()) {
                    return (name, value);
                }
                let Some(inner) = known.get(&name).or(others).and_then(Value::as_object) else {
                    return (name, value);
                };
                (name, coerce(value, inner))
            };
            Value::Object(fields.into_iter().map(field).collect())
        }
        ("array", Value::Array(items)) => {
            let Some(inner) = schema.get("items").and_then(Value::as_object) else {
                return Value::Array(items);
            };
            Value::Array(items.into_iter().map(|v| coerce(v, inner)).collect())
        }
        (_, value) => value,
    }
}

/// Leaves out what is null, of the parameters that the schema has.
pub(crate) fn drop_nulls(value: &mut Value, schema: &Map<String, Value>) {
    let inner = |name: &str| schema.get(name).and_then(Value::as_object);
    match value {
        Value::Object(fields) => {
            let known = |name: &str| {
                let listed = inner("properties").and_then(|known| known.get(name));
                listed.and_then(Value::as_object).or_else(|| inner("additionalProperties"))
            };
            fields.retain(|name, value| !value.is_null() || known(name).is_none());
            for (name, value) in fields.iter_mut() {
                known(name).into_iter().for_each(|schema| drop_nulls(value, schema));
            }
        }
        Value::Array(items) => {
            let schema = inner("items");
            items.iter_mut().for_each(|item| schema.into_iter().for_each(|s| drop_nulls(item, s)));
        }
        _ => {}
    }
}

/// Whether a parameter is the path of something, by its name.
fn is_path(name: &str) -> bool {
    SYNONYMS[0].contains(&bare(name).as_str())
}

/// The same for the parameters that no schema lists: a number or a switch that came as text.
pub(crate) fn coerce_unlisted(given: &Value, schema: &Map<String, Value>) -> Value {
    let listed = schema.get("properties").and_then(Value::as_object);
    let mut out = given.clone();
    for (name, value) in out.as_object_mut().into_iter().flatten() {
        let text = value.as_str().filter(|_| listed.is_none_or(|all| !all.contains_key(name)));
        let parsed = text.and_then(|text| serde_json::from_str(text.trim()).ok());
        if let Some(parsed @ (Value::Number(_) | Value::Bool(_))) = parsed {
            *value = parsed;
        }
    }
    out
}

/// Whether a schema is of this type.
fn is_of(schema: Option<&Value>, wanted: &str) -> bool {
    schema.and_then(|schema| schema.get("type")).is_some_and(|kind| kind == wanted)
}

fn fits(value: &Value, wanted: &str) -> bool {
    match wanted {
        "integer" | "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        _ => value.is_object(),
    }
}

/// The fields that a struct takes, those too that its schema does not list; empty if some of them
/// are flattened into it.
pub(crate) fn of<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut names: &[&str] = &[];
    let _ = T::deserialize(Probe(&mut names)); // it fails; the question was what it asks for
    names
}

/// Notes what fields are asked for, and has none.
struct Probe<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = value::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, value::Error> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, value::Error> {
        Err(serde::de::Error::custom("no input"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
