//! What came of a call, in the shape that the host shows to its model.
//!
//! A tool that fails is a result, which models read. Only a tool that does not exist is an error of
//! the protocol, as the specification wants it: a client may have an old list and must notice.

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};
use toolkit::fault::{Code, Error};
use toolkit::{Body, Done, Entry};

use crate::profile::Profile;

/// The result of a finished call.
pub(crate) fn of(
    done: Done,
    entry: Option<&Entry>,
    host: &Profile,
) -> Result<CallToolResult, ErrorData> {
    if let Some(error) = done.error.as_ref().filter(|e| e.code == Code::UnknownTool) {
        return Err(ErrorData::invalid_params(error.message.clone(), Some(facts(error))));
    }
    let mut content = vec![ContentBlock::text(done.body.to_text())];
    let pictures = done.pictures.iter();
    content.extend(pictures.map(|one| ContentBlock::image(one.base64.clone(), one.mime)));
    let mut result = match &done.error {
        None => CallToolResult::success(content),
        Some(_) => CallToolResult::error(content),
    };
    if host.structured && done.pictures.is_empty() {
        result.structured_content = match (done.error, done.body) {
            (None, Body::Text(_)) => None,
            (_, Body::Json(value)) => Some(value),
            // Clients hold structure to the schema of the tool, also that of a failure, and would
            // show the mismatch instead of the message.
            (Some(_), _) if entry.is_some_and(|e| e.definition().output.is_some()) => None,
            (Some(error), Body::Text(_)) => Some(json!({ "error": facts(&error) })),
        };
    }
    Ok(result)
}

/// An error as an object.
fn facts(error: &Error) -> Value {
    let details: Map<String, Value> = error
        .details
        .iter()
        .map(|(name, fact)| ((*name).to_owned(), Value::from(fact.as_str())))
        .collect();
    json!({ "code": error.code.as_str(), "message": error.message, "details": details })
}
