//! The generated content of Gemini.

use serde_json::{Value, json};

use super::{Delta, Provider, Server, definitions, message, number, result, text};
use crate::model::{CallResult, Message, Picture, Reply, Request, Stop, ToolCall, Usage};

pub(super) const GEMINI: Provider = Provider {
    name: "gemini",
    base_url: "https://generativelanguage.googleapis.com/v1beta",
    key_env: "GEMINI_API_KEY",
    path: |model| format!("/models/{model}:streamGenerateContent?alt=sse"),
    headers: |key| {
        key.map(|key| ("x-goog-api-key".to_owned(), key.to_owned())).into_iter().collect()
    },
    body,
    read,
};

fn body(request: &Request<'_>, server: &Server) -> Value {
    let content = |message: &Message| match message {
        Message::User(text) => json!({"role": "user", "parts": [{"text": text}]}),
        Message::Reply(reply) => json!({"role": "model", "parts": parts(reply)}),
        Message::Results(results) => {
            let (texts, shown): (Vec<_>, Vec<_>) =
                results.iter().map(|own| parts_of(own, server)).unzip();
            let parts = texts.into_iter().chain(shown.into_iter().flatten());
            json!({"role": "user", "parts": parts.collect::<Vec<_>>()})
        }
    };
    let mut body = json!({
        "systemInstruction": {"parts": [{"text": request.system}]},
        "contents": request.messages.iter().map(content).collect::<Vec<_>>(),
    });
    if !request.toolset.entries().is_empty() {
        body["tools"] = definitions(request, "gemini");
    }
    if let Some(most) = server.max_output {
        body["generationConfig"] = json!({"maxOutputTokens": most});
    }
    body
}

fn parts(reply: &Reply) -> Vec<Value> {
    let mut parts = Vec::new();
    if !reply.text.is_empty() || reply.calls.is_empty() {
        parts.push(json!({"text": reply.text}));
    }
    for call in &reply.calls {
        let mut part = json!({"functionCall": {"name": call.name, "args": call.object()}});
        if let Some(signature) = &call.signature {
            part["thoughtSignature"] = signature.as_str().into();
        }
        parts.push(part);
    }
    parts
}

/// Results go back by the name of the tool and their order, since calls have no ids; pictures come
/// after all of them.
fn parts_of(own: &CallResult, server: &Server) -> (Value, Vec<Value>) {
    let (text, pictures) = result(own, server);
    let what = if own.failed { "error" } else { "output" };
    let picture = |one: &Picture| json!({"inlineData": {"mimeType": one.mime, "data": one.base64}});
    (
        json!({"functionResponse": {"name": own.tool, "response": {what: text}}}),
        pictures.iter().map(picture).collect(),
    )
}

fn read(event: &Value) -> Result<Vec<Delta>, String> {
    if event.get("error").is_some() {
        return Err(message(event).unwrap_or_default());
    }
    let mut deltas = Vec::new();
    let parts = event.pointer("/candidates/0/content/parts").and_then(Value::as_array);
    for part in parts.into_iter().flatten().filter(|part| part["thought"] != true) {
        if let Some(text) = text(part, "/text") {
            deltas.push(Delta::Text(text.to_owned()));
        }
        if let Some(name) = text(part, "/functionCall/name") {
            let arguments = part.pointer("/functionCall/args").map(Value::to_string);
            deltas.push(Delta::Whole(ToolCall {
                id: text(part, "/functionCall/id").unwrap_or_default().to_owned(),
                name: name.to_owned(),
                arguments: arguments.unwrap_or_default(),
                signature: text(part, "/thoughtSignature").map(str::to_owned),
            }));
        }
    }
    let blocked = text(event, "/promptFeedback/blockReason");
    match blocked.or_else(|| text(event, "/candidates/0/finishReason")) {
        None => {}
        Some("STOP") => deltas.push(Delta::Stop(Stop::Done)),
        Some("MAX_TOKENS") => deltas.push(Delta::Stop(Stop::Length)),
        Some("MALFORMED_FUNCTION_CALL") => return Err("the model wrote an invalid call".to_owned()),
        Some(reason) => deltas.push(Delta::Stop(Stop::Withheld(reason.to_owned()))),
    }
    if event.get("usageMetadata").is_some() {
        let cached = number(event, "/usageMetadata/cachedContentTokenCount");
        let input = number(event, "/usageMetadata/promptTokenCount");
        let thought = number(event, "/usageMetadata/thoughtsTokenCount").unwrap_or(0);
        let output = number(event, "/usageMetadata/candidatesTokenCount");
        deltas.push(Delta::Usage(Usage {
            input: input.map(|all| all.saturating_sub(cached.unwrap_or(0))),
            output: output.map(|text| text + thought),
            cache_read: cached,
            cache_write: None,
        }));
    }
    Ok(deltas)
}
