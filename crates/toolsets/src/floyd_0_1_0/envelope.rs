//! The results of Floyd 0.1.0: flat, but for two tools whose failure is where their list would, and
//! for those of the browser, which are in an envelope `{ok, code, data}`.

use fault::Result;
use toolkit::serde_json::{Map, Value, json};
use toolkit::{Body, Category, Entry, Envelope};

use crate::flat;

/// Tools with the field that holds `{error}` when they fail.
const NESTED: &[(&str, &str)] = &[("git_diff", "files"), ("git_log", "commits")];

/// Flat fields; a failure also has `error` and `code`.
pub(crate) const ENVELOPE: Envelope = Envelope {
    body: |entry, input, result| {
        if is_browser(entry) {
            return Body::Json(in_envelope(entry, result));
        }
        Body::Json(match result {
            Ok(value) => value,
            Err(error) => {
                let mut fields = flat::fields(entry, input, &error);
                if let Some(list) = nested(entry.spec.name) {
                    fields.insert(list.to_owned(), json!({"error": error.message}));
                }
                fields.into()
            }
        })
    },
    schema: |entry, own| {
        if is_browser(entry) {
            return schema_of_envelope(own);
        }
        let mut whole = flat::schema(entry, own);
        let properties = whole.get_mut("properties").and_then(|p| p.as_object_mut());
        if let (Some(list), Some(properties)) = (nested(entry.spec.name), properties)
            && let Some(found) = properties.remove(list)
        {
            let failed = json!({"type": "object", "properties": {"error": {"type": "string"}}});
            properties.insert(list.to_owned(), json!({"anyOf": [found, failed]}));
        }
        whole
    },
};

fn nested(tool: &str) -> Option<&'static str> {
    NESTED.iter().find(|(name, _)| *name == tool).map(|(_, list)| *list)
}

fn is_browser(entry: &Entry) -> bool {
    entry.spec.category == Category::Browser
}

fn in_envelope(entry: &Entry, result: Result<Value>) -> Value {
    match result {
        Ok(data) => {
            let status = entry.spec.name == "browser_status";
            let code = if status { "BROWSER_STATUS_CHECK" } else { "OK" };
            json!({"ok": true, "code": code, "data": data})
        }
        Err(error) => json!({"ok": false, "code": error.code.as_str(), "error": error.message}),
    }
}

fn schema_of_envelope(own: Map<String, Value>) -> Map<String, Value> {
    let whole = json!({
        "type": "object",
        "properties": {
            "ok": {"type": "boolean", "description": "Whether it did what was asked"},
            "code": {"type": "string", "description": "OK, or the kind of failure"},
            "data": own,
            "error": {"type": "string", "description": "Why it failed, and what to do next"},
        },
        "required": ["ok", "code"],
    });
    whole.as_object().cloned().unwrap_or_default()
}
