//! The results of Floyd 0.1.0: flat, but for two tools whose failure is where their list would.

use toolkit::serde_json::json;
use toolkit::{Body, Envelope};

use crate::flat;

/// Tools with the field that holds `{error}` when they fail.
const NESTED: &[(&str, &str)] = &[("git_diff", "files"), ("git_log", "commits")];

/// Flat fields; a failure also has `error` and `code`.
pub(crate) const ENVELOPE: Envelope = Envelope {
    body: |entry, input, result| {
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
