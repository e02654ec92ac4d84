//! OpenAI: chat completions with functions, in strict mode where the definition allows it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::check::strings;
use super::{Provider, Rules};
use crate::entry::Entry;

pub(super) const OPENAI: Provider = Provider {
    name: "openai",
    definition,
    request: Value::Array,
    parameters: "/function/parameters",
    rules: Rules { name_bytes: 64, description: Some(1024), tools: Some(128), openapi: false },
};

fn definition(entry: &Entry) -> Value {
    let own = entry.definition();
    let (name, description) = (entry.spec.name, &own.description);
    let schema = Value::Object(own.input.clone());
    let strict = is_closed(&schema);
    let parameters = if strict { to_strict(schema) } else { schema };
    json!({"type": "function", "function":
        {"name": name, "description": description, "parameters": parameters, "strict": strict}})
}

/// Whether strict mode can say the schema: every object names its properties.
fn is_closed(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) if fields.get("type").is_some_and(|t| t == "object") => {
            let named = fields.get("properties").and_then(Value::as_object);
            let open = fields.get("additionalProperties").is_some_and(|a| *a != json!(false));
            named.is_some_and(|p| p.values().all(is_closed)) && !open
        }
        Value::Object(fields) if fields.get("type").is_some_and(|t| t == "array") => {
            fields.get("items").is_some_and(is_closed)
        }
        Value::Object(fields) => fields.contains_key("type") || fields.contains_key("enum"),
        _ => false,
    }
}

/// Strict mode: every property required, optional ones may be null, nothing else allowed.
fn to_strict(mut schema: Value) -> Value {
    let Some(fields) = schema.as_object_mut() else { return schema };
    if let Some(items) = fields.get_mut("items") {
        *items = to_strict(items.take());
    }
    let required: BTreeSet<String> = strings(fields.get("required"));
    if let Some(Value::Object(properties)) = fields.get_mut("properties") {
        for (name, property) in properties.iter_mut() {
            *property = to_strict(property.take());
            if !required.contains(name) {
                nullable(property);
            }
        }
        let all: Vec<_> = properties.keys().cloned().collect();
        fields.insert("required".into(), json!(all));
        fields.insert("additionalProperties".into(), json!(false));
    }
    schema
}

fn nullable(schema: &mut Value) {
    if let Some(kind) = schema.get("type").and_then(Value::as_str) {
        schema["type"] = json!([kind, "null"]);
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.push(Value::Null);
    }
}
