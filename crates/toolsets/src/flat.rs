//! Results whose fields stand beside each other, for the dialects that have no envelope.
//!
//! A failure has `success: false` where a result says so at all, what its tool found out or declares
//! ([`toolkit::Tool::FAILED`]), and the reason.

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
    schema,
};

/// The fields of a failure: what the tool found out all the same, else what it declares.
pub(crate) fn fields(entry: &Entry, input: &Value, error: &Error) -> Map<String, Value> {
    let found = error.output.as_ref().and_then(|output| output.as_object());
    let mut fields = match found.filter(|found| !found.is_empty()) {
        Some(found) => found.clone(),
        None => declared(entry, input),
    };
    fields.insert("error".into(), json!(error.message));
    fields.insert("code".into(), json!(error.code.as_str()));
    fields
}

fn declared(entry: &Entry, input: &Value) -> Map<String, Value> {
    let mut fields = Map::new();
    if says_success(entry.definition().output.as_ref()) {
        fields.insert("success".into(), json!(false));
    }
    for (name, value) in entry.failed() {
        match (value, input.get(&name)) {
            (Value::Null, Some(Value::String(given))) => {
                fields.insert(name, json!(given));
            }
            (Value::Null, _) => {}
            (value, _) => drop(fields.insert(name, value)),
        }
    }
    fields
}

/// The schema of successes and failures: only what a failure has too is required.
pub(crate) fn schema(entry: &Entry, mut own: Map<String, Value>) -> Map<String, Value> {
    let always = entry.failed().into_iter().filter(|(_, value)| !value.is_null());
    let success = says_success(Some(&own)).then(|| json!("success"));
    let both: Vec<Value> = success.into_iter().chain(always.map(|(name, _)| json!(name))).collect();
    own.insert("required".into(), both.into());
    let properties = own.entry("properties").or_insert_with(|| json!({}));
    if let Value::Object(properties) = properties {
        let text = |about: &str| json!({"type": "string", "description": about});
        properties.entry("error").or_insert_with(|| text("Why it failed, and what to do next"));
        properties.entry("code").or_insert_with(|| text("The kind of failure"));
    }
    own
}

/// Whether results say that they are a success.
fn says_success(output: Option<&Map<String, Value>>) -> bool {
    output.is_some_and(|schema| schema.get("properties").is_some_and(|p| p["success"].is_object()))
}
