//! The envelope of Floyd: `{success, data}` or `{success, error: {code, message, details}}`.

use toolkit::serde_json::{Map, Value, json};
use toolkit::{Body, Envelope, Failure};

/// The fields of a tool go into `data`. What a tool found out before it failed, such as the output
/// of tests, goes into the details of the error.
pub(crate) const ENVELOPE: Envelope = Envelope {
    body: |_, _, result| {
        Body::Json(match result {
            Ok(data) => json!({"success": true, "data": data}),
            Err(failure) => json!({"success": false, "error": error(failure)}),
        })
    },
    schema: |_, own| schema(own),
};

fn error(Failure { error, output }: &Failure) -> Value {
    let mut details: Map<String, Value> =
        error.details.iter().map(|(name, fact)| ((*name).to_owned(), json!(fact))).collect();
    details.extend(output.as_object().cloned().unwrap_or_default());
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
