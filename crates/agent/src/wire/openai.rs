//! Chat completions, the format of OpenAI that most other servers speak too.

use serde_json::{Value, json};

use super::{Delta, Provider, Server, bearer, definitions, message, number, result, text};
use crate::model::{Message, Request, Stop, ToolCall, Usage};

pub(super) const OPENAI: Provider = Provider {
    name: "openai",
    base_url: "https://api.openai.com/v1",
    key_env: "OPENAI_API_KEY",
    path: |_| "/chat/completions".to_owned(),
    headers: bearer,
    body,
    read,
};

fn body(request: &Request<'_>, server: &Server) -> Value {
    let mut messages = vec![json!({"role": "system", "content": request.system})];
    for message in request.messages {
        match message {
            Message::User(text) => messages.push(json!({"role": "user", "content": text})),
            Message::Reply(reply) => {
                let mut said = json!({"role": "assistant", "content": reply.text});
                if !reply.calls.is_empty() {
                    said["tool_calls"] = reply.calls.iter().map(call).collect();
                }
                messages.push(said);
            }
            Message::Results(results) => {
                let mut shown = Vec::new();
                for own in results {
                    let (text, pictures) = result(own, server);
                    messages.push(json!({"role": "tool", "tool_call_id": own.id, "content": text}));
                    shown.extend(
                        pictures.iter().map(
                            |one| json!({"type": "image_url", "image_url": {"url": one.url()}}),
                        ),
                    );
                }
                // A result is text alone in this format.
                if !shown.is_empty() {
                    messages.push(json!({"role": "user", "content": shown}));
                }
            }
        }
    }
    let mut body = json!({
        "model": server.model,
        "messages": messages,
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    let is_own = server.base_url.starts_with(OPENAI.base_url);
    let tools = if is_own { definitions(request, "openai") } else { plain(request) };
    if tools.as_array().is_some_and(|tools| !tools.is_empty()) {
        body["tools"] = tools;
    }
    if let Some(most) = server.max_output {
        // The newer name is refused by most other servers, the older one by OpenAI's newer models.
        body[if is_own { "max_completion_tokens" } else { "max_tokens" }] = most.into();
    }
    body
}

/// The definitions without strict mode, whose lists of types some servers do not take.
fn plain(request: &Request<'_>) -> Value {
    let one = |entry: &toolkit::Entry| {
        let own = entry.definition();
        json!({"type": "function", "function":
            {"name": entry.spec.name, "description": own.description, "parameters": own.input}})
    };
    request.toolset.entries().iter().map(one).collect()
}

fn call(call: &ToolCall) -> Value {
    json!({
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": call.object().to_string()},
    })
}

fn read(event: &Value) -> Result<Vec<Delta>, String> {
    if event.get("error").is_some_and(|error| !error.is_null()) {
        return Err(message(event).unwrap_or_default());
    }
    let mut deltas = Vec::new();
    let choice = event.pointer("/choices/0").unwrap_or(&Value::Null);
    if let Some(text) = text(choice, "/delta/content") {
        deltas.push(Delta::Text(text.to_owned()));
    }
    let calls = choice.pointer("/delta/tool_calls").and_then(Value::as_array);
    deltas.extend(calls.into_iter().flatten().map(|call| Delta::Call {
        number: number(call, "/index"),
        id: text(call, "/id").map(str::to_owned),
        name: text(call, "/function/name").map(str::to_owned),
        arguments: text(call, "/function/arguments").unwrap_or_default().to_owned(),
    }));
    match text(choice, "/finish_reason") {
        None => {}
        Some("length") => deltas.push(Delta::Stop(Stop::Length)),
        Some("content_filter") => {
            deltas.push(Delta::Stop(Stop::Withheld("content_filter".to_owned())));
        }
        Some(_) => deltas.push(Delta::Stop(Stop::Done)),
    }
    if event.get("usage").is_some_and(Value::is_object) {
        let cached = number(event, "/usage/prompt_tokens_details/cached_tokens");
        let input = number(event, "/usage/prompt_tokens");
        deltas.push(Delta::Usage(Usage {
            input: input.map(|all| all.saturating_sub(cached.unwrap_or(0))),
            output: number(event, "/usage/completion_tokens"),
            cache_read: cached,
            cache_write: None,
        }));
    }
    Ok(deltas)
}
