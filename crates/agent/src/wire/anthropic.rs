//! The messages of Anthropic.

use serde_json::{Value, json};

use super::{Delta, Provider, Server, definitions, message, number, result, text};
use crate::model::{Message, Reply, Request, Stop, Usage};

/// Most tokens of an answer, which a request must say; what every current model can give.
const MAX_OUTPUT: u32 = 8192;

pub(super) const ANTHROPIC: Provider = Provider {
    name: "anthropic",
    base_url: "https://api.anthropic.com/v1",
    key_env: "ANTHROPIC_API_KEY",
    path: |_| "/messages".to_owned(),
    headers: |key| {
        let mut headers = vec![("anthropic-version".to_owned(), "2023-06-01".to_owned())];
        headers.extend(key.map(|key| ("x-api-key".to_owned(), key.to_owned())));
        headers
    },
    body,
    read,
};

fn body(request: &Request<'_>, server: &Server) -> Value {
    let mut messages: Vec<Value> =
        request.messages.iter().filter_map(|message| one(message, server)).collect();
    // What was sent before is the same in the next request: it may be taken from the cache.
    let last = messages.last_mut().and_then(|last| last["content"].as_array_mut()?.last_mut());
    if let Some(last) = last {
        last["cache_control"] = json!({"type": "ephemeral"});
    }
    json!({
        "model": server.model,
        "max_tokens": server.max_output.unwrap_or(MAX_OUTPUT),
        "system": [{"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}],
        "messages": messages,
        "tools": definitions(request, "anthropic"),
        "stream": true,
    })
}

fn one(message: &Message, server: &Server) -> Option<Value> {
    Some(match message {
        Message::User(text) => {
            json!({"role": "user", "content": [{"type": "text", "text": text}]})
        }
        // An empty text is refused.
        Message::Reply(reply) if reply.text.is_empty() && reply.calls.is_empty() => return None,
        Message::Reply(reply) => json!({"role": "assistant", "content": blocks(reply)}),
        Message::Results(results) => {
            let result = |own: &crate::CallResult| {
                let (text, pictures) = result(own, server);
                let picture = |one: &crate::Picture| {
                    json!({"type": "image", "source":
                        {"type": "base64", "media_type": one.mime, "data": one.base64}})
                };
                let content = match pictures {
                    [] => json!(text),
                    pictures => [json!({"type": "text", "text": text})]
                        .into_iter()
                        .chain(pictures.iter().map(picture))
                        .collect(),
                };
                json!({
                    "type": "tool_result",
                    "tool_use_id": own.id,
                    "content": content,
                    "is_error": own.failed,
                })
            };
            let content: Vec<_> = results.iter().map(result).collect();
            json!({"role": "user", "content": content})
        }
    })
}

fn blocks(reply: &Reply) -> Vec<Value> {
    let text = Some(&reply.text).filter(|text| !text.is_empty());
    let text = text.map(|text| json!({"type": "text", "text": text}));
    let calls = reply.calls.iter().map(
        |call| json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.object()}),
    );
    text.into_iter().chain(calls).collect()
}

fn read(event: &Value) -> Result<Vec<Delta>, String> {
    let block = number(event, "/index");
    Ok(match event["type"].as_str().unwrap_or_default() {
        "message_start" => vec![usage(&event["message"])],
        "content_block_start" if event["content_block"]["type"] == "tool_use" => {
            vec![Delta::Call {
                number: block,
                id: text(event, "/content_block/id").map(str::to_owned),
                name: text(event, "/content_block/name").map(str::to_owned),
                arguments: String::new(),
            }]
        }
        "content_block_delta" => match event["delta"]["type"].as_str().unwrap_or_default() {
            "text_delta" => text(event, "/delta/text")
                .map(|text| Delta::Text(text.to_owned()))
                .into_iter()
                .collect(),
            "input_json_delta" => vec![Delta::Call {
                number: block,
                id: None,
                name: None,
                arguments: text(event, "/delta/partial_json").unwrap_or_default().to_owned(),
            }],
            _ => Vec::new(),
        },
        "message_delta" => {
            let stop = match text(event, "/delta/stop_reason") {
                None => None,
                Some("max_tokens" | "model_context_window_exceeded") => Some(Stop::Length),
                Some("refusal") => Some(Stop::Withheld("refusal".to_owned())),
                Some(_) => Some(Stop::Done),
            };
            [usage(event)].into_iter().chain(stop.map(Delta::Stop)).collect()
        }
        "error" => return Err(message(event).unwrap_or_default()),
        _ => Vec::new(),
    })
}

fn usage(event: &Value) -> Delta {
    Delta::Usage(Usage {
        input: number(event, "/usage/input_tokens"),
        output: number(event, "/usage/output_tokens"),
        cache_read: number(event, "/usage/cache_read_input_tokens"),
        cache_write: number(event, "/usage/cache_creation_input_tokens"),
    })
}
