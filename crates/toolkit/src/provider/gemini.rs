//! Gemini: `functionDeclarations` with the OpenAPI subset of schemas, which every version takes.

use serde_json::{Map, Value, json};

use super::{Provider, Rules};
use crate::entry::Entry;

pub(super) const GEMINI: Provider = Provider {
    name: "gemini",
    definition,
    request: |tools| json!([{ "functionDeclarations": tools }]),
    parameters: "/parameters",
    rules: Rules { name_bytes: 64, description: None, tools: None, openapi: true },
};

fn definition(entry: &Entry) -> Value {
    let own = entry.definition();
    let mut tool = json!({"name": entry.spec.name, "description": own.description});
    if own.input["properties"].as_object().is_some_and(|p| !p.is_empty()) {
        tool["parameters"] = to_openapi(Value::Object(own.input.clone()));
    }
    tool
}

/// The OpenAPI subset: types in capitals, no `additionalProperties`, no empty objects. An object
/// without named properties becomes text that holds JSON, which calls accept.
fn to_openapi(schema: Value) -> Value {
    let Value::Object(fields) = schema else { return schema };
    let empty = |v: Option<&Value>| v.and_then(Value::as_object).is_none_or(Map::is_empty);
    let kind = fields.get("type").and_then(Value::as_str).unwrap_or("string").to_owned();
    if kind == "object" && empty(fields.get("properties")) {
        let about = fields.get("description").and_then(Value::as_str).unwrap_or_default();
        return json!({"type": "STRING", "description": format!("{about} (a JSON object, as text)").trim()});
    }
    let mut out = Map::new();
    out.insert("type".into(), kind.to_uppercase().into());
    for key in ["description", "enum", "required", "minimum", "maximum"] {
        if let Some(value) = fields.get(key) {
            out.insert(key.into(), value.clone());
        }
    }
    if let Some(Value::Object(properties)) = fields.get("properties") {
        let properties = properties.iter().map(|(n, p)| (n.clone(), to_openapi(p.clone())));
        out.insert("properties".into(), Value::Object(properties.collect()));
    }
    if let Some(items) = fields.get("items") {
        out.insert("items".into(), to_openapi(items.clone()));
    }
    Value::Object(out)
}
