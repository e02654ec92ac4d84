//! Results whose fields stand beside each other, for the dialects that have no envelope.
//!
//! A failure has the fields that a success must have, empty (`success: false`, no entries), so that
//! a client finds what its document promises, and beside them the reason.

use fault::Error;
use toolkit::serde_json::{Map, Value, json};
use toolkit::{Body, Entry, Envelope};

/// The fields of the tool; on failure also `error`, the message, and `code`.
pub(crate) const FLAT: Envelope = Envelope {
    body: |entry, input, result| {
        Body::Json(match result {
            Ok(value) => value,
            Err(error) => Value::Object(fields(entry, input, &error)),
        })
    },
    schema: |_, own| schema(own),
};

/// The fields of a failure: what the tool found out all the same, what was given (such as the
/// path), and nothing for the rest.
pub(crate) fn fields(entry: &Entry, input: &Value, error: &Error) -> Map<String, Value> {
    let found = error.output.as_ref().and_then(|output| output.as_object());
    let mut fields = found.cloned().unwrap_or_default();
    let output = entry.definition().output.as_ref();
    for (name, property) in output.into_iter().flat_map(required) {
        let given = input.get(name).filter(|v| v.is_string() && is(property, "string"));
        if let Some(value) = given.cloned().or_else(|| empty(property))
            && !fields.contains_key(name)
        {
            fields.insert(name.to_owned(), value);
        }
    }
    fields.insert("error".into(), json!(error.message));
    fields.insert("code".into(), json!(error.code.as_str()));
    fields
}

/// The schema of successes and failures: only what a failure has too is required.
pub(crate) fn schema(mut own: Map<String, Value>) -> Map<String, Value> {
    let has_empty = |(name, property)| empty(property).is_some().then_some(json!(name));
    let both: Vec<Value> = required(&own).filter_map(has_empty).collect();
    own.insert("required".into(), both.into());
    let properties = own.entry("properties").or_insert_with(|| json!({}));
    if let Value::Object(properties) = properties {
        let text = |about: &str| json!({"type": "string", "description": about});
        properties.entry("error").or_insert_with(|| text("Why it failed, and what to do next"));
        properties.entry("code").or_insert_with(|| text("The kind of failure"));
    }
    own
}

/// The fields that every success has, with their schemas.
fn required(schema: &Map<String, Value>) -> impl Iterator<Item = (&str, &Value)> {
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let properties = schema.get("properties").and_then(Value::as_object);
    names.filter_map(move |name| {
        let name = name.as_str()?;
        Some((name, properties?.get(name)?))
    })
}

fn is(schema: &Value, wanted: &str) -> bool {
    match schema.get("type") {
        Some(Value::Array(types)) => types.iter().any(|t| t == wanted),
        Some(one) => one == wanted,
        None => false,
    }
}

/// The value that says nothing; `None` where every value says something.
fn empty(schema: &Value) -> Option<Value> {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.contains(&json!("unknown")).then(|| json!("unknown"));
    }
    if schema.get("required").and_then(Value::as_array).is_some_and(|names| !names.is_empty()) {
        return None;
    }
    let empties = [
        ("null", Value::Null),
        ("boolean", json!(false)),
        ("string", json!("")),
        ("integer", json!(0)),
        ("number", json!(0)),
        ("array", json!([])),
        ("object", json!({})),
    ];
    empties.into_iter().find(|(name, _)| is(schema, name)).map(|(_, value)| value)
}
