//! The envelope of Floyd: `{success, data}` or `{success, error: {code, message, details}}`.

use fault::Error;
use toolkit::serde_json::{Map, Value, json};
use toolkit::{Body, Envelope};

/// The fields of a tool go into `data`. What a tool found out before it failed, such as the output
/// of tests, goes into the details of the error.
pub(crate) const ENVELOPE: Envelope = Envelope {
    body: |_, _, result| {
        Body::Json(match result {
            Ok(data) => json!({"success": true, "data": data}),
            Err(failed) => json!({"success": false, "error": error(&failed)}),
        })
    },
    schema: |_, own| schema(own),
};

fn error(error: &Error) -> Value {
    let mut details: Map<String, Value> =
        error.details.iter().map(|(name, fact)| ((*name).to_owned(), json!(fact))).collect();
    let output = error.output.as_ref().and_then(|output| output.as_object());
    details.extend(output.cloned().unwrap_or_default());
    let mut object = json!({"code": error.code.as_str(), "message": error.message});
    if !details.is_empty() {
        object["details"] = details.into();
    }
    object
}

fn schema(own: Map<String, Value>) -> Map<String, Value> {
    let error = json!({
        "type": "object",
        "description": "Why it failed",
        "properties": {
            "code": {"type": "string", "description": "The kind of failure"},
            "message": {"type": "string", "description": "What happened and what to do next"},
            "details": {"type": "object", "description": "Facts about it by name"},
        },
        "required": ["code", "message"],
    });
    let whole = json!({
        "type": "object",
        "properties": {
            "success": {"type": "boolean", "description": "Whether it did what was asked"},
            "data": own,
            "error": error,
        },
        "required": ["success"],
    });
    whole.as_object().cloned().unwrap_or_default()
}
