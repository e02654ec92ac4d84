//! One pass over the schemas that `schemars` makes, so that every model provider takes them.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// The input schema of a tool: an object at the root, everything inline, nothing that only a
/// validator would read.
pub(crate) fn input<T: JsonSchema>() -> Map<String, Value> {
    let mut root = generate::<T>(SchemaSettings::draft2020_12());
    tidy(&mut root, Null::Dropped);
    root.shift_remove("description");
    root.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    root
}

/// The schema of a result, `None` if the result is no object.
pub(crate) fn output<T: JsonSchema>() -> Option<Map<String, Value>> {
    let mut root = generate::<T>(SchemaSettings::draft2020_12().for_serialize());
    tidy(&mut root, Null::Kept);
    root.shift_remove("description");
    (root.get("type")?.as_str()? == "object").then_some(root)
}

fn generate<T: JsonSchema>(settings: SchemaSettings) -> Map<String, Value> {
    let settings = settings.with(|s| {
        s.inline_subschemas = true;
        s.meta_schema = None;
    });
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let Value::Object(mut root) = schema.to_value() else { return Map::new() };
    root.shift_remove("$defs");
    root
}

/// What becomes of null as a value: in an input it means that the field is left out; in a result
/// it is one.
#[derive(Clone, Copy, PartialEq)]
enum Null {
    Dropped,
    Kept,
}

/// Drops `title`, `format` and defaults; joins lines of descriptions.
fn tidy(schema: &mut Map<String, Value>, null: Null) {
    for key in ["title", "format", "default"] {
        schema.shift_remove(key);
    }
    flatten_constants(schema);
    if null == Null::Dropped {
        drop_null(schema);
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = unwrap_lines(text);
    }
    for (key, value) in schema.iter_mut() {
        let named = key == "properties";
        match value {
            Value::Object(fields) if named => {
                fields.values_mut().filter_map(Value::as_object_mut).for_each(|s| tidy(s, null));
            }
            Value::Object(inner) => tidy(inner, null),
            Value::Array(list) => {
                list.iter_mut().filter_map(Value::as_object_mut).for_each(|s| tidy(s, null));
            }
            _ => {}
        }
    }
}

fn drop_null(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|t| t != "null");
        if let [only] = &types[..] {
            schema["type"] = only.clone();
        }
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|v| !v.is_null());
    }
    if let Some(Value::Array(options)) = schema.get_mut("anyOf") {
        options.retain(|o| o.get("type").is_none_or(|t| t != "null"));
        if let [Value::Object(only)] = &mut options[..] {
            let only = std::mem::take(only);
            schema.shift_remove("anyOf");
            for (key, value) in only {
                schema.entry(key).or_insert(value);
            }
        }
    }
}

/// A documented enum comes as `oneOf` constants, which providers refuse; a plain `enum` says it.
fn flatten_constants(schema: &mut Map<String, Value>) {
    let Some(Value::Array(options)) = schema.get("oneOf") else { return };
    let mut values = Vec::new();
    for option in options {
        match (option.get("const"), option.get("enum")) {
            (Some(one), _) => values.push(one.clone()),
            (_, Some(Value::Array(many))) => values.extend(many.iter().cloned()),
            _ => return,
        }
    }
    schema.shift_remove("oneOf");
    schema.insert("type".into(), "string".into());
    schema.insert("enum".into(), values.into());
}

/// A property of a schema as a person reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type and bounds, such as `integer from 1 to 50`; choices as they are spelt.
    pub kind: String,
    /// Whether it must be given.
    pub required: bool,
    /// What it means, and its default.
    pub about: String,
}

/// The properties of an object's schema, in their order.
pub fn fields(schema: &Map<String, Value>) -> Vec<Field> {
    let required = schema.get("required").and_then(Value::as_array);
    let properties = schema.get("properties").and_then(Value::as_object);
    let field = |(name, field): (&String, &Value)| Field {
        name: name.clone(),
        kind: kind(field),
        required: required.is_some_and(|names| names.iter().any(|n| n == name)),
        about: field.get("description").and_then(Value::as_str).unwrap_or_default().to_owned(),
    };
    properties.into_iter().flatten().map(field).collect()
}

fn kind(field: &Value) -> String {
    if let Some(choices) = field.get("enum").and_then(Value::as_array) {
        let choices = choices.iter().map(|c| format!("`{}`", c.as_str().unwrap_or_default()));
        return choices.collect::<Vec<_>>().join(" ");
    }
    let word = match field.get("type").and_then(Value::as_str) {
        Some("array") => format!("list of {}", kind(&field["items"])),
        Some("object") => match field.get("properties").and_then(Value::as_object) {
            Some(p) => format!("{{{}}}", p.keys().cloned().collect::<Vec<_>>().join(", ")),
            None => "object".to_owned(),
        },
        other => other.unwrap_or("any").to_owned(),
    };
    word + &bounds(field)
}

/// The bounds of a value, or of the length of a text or list.
fn bounds(field: &Value) -> String {
    let mut text = String::new();
    for (least, most, unit) in [
        ("minimum", "maximum", ""),
        ("minLength", "maxLength", " characters"),
        ("minItems", "maxItems", " items"),
    ] {
        match (field.get(least), field.get(most)) {
            (Some(least), Some(most)) => text += &format!(" from {least} to {most}{unit}"),
            (Some(least), None) => text += &format!(" from {least}{unit}"),
            (None, Some(most)) => text += &format!(" up to {most}{unit}"),
            (None, None) => {}
        }
    }
    text
}

/// Joins the lines of each paragraph of a doc comment.
pub(crate) fn unwrap_lines(text: &str) -> String {
    let paragraph = |p: &str| p.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    text.trim().split("\n\n").map(paragraph).collect::<Vec<_>>().join("\n\n")
}
