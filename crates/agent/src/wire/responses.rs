//! The responses of OpenAI, its newer format.

use serde_json::{Value, json};

use super::{Delta, Provider, Server, bearer, definitions, message, number, result, text};
use crate::model::{Message, Request, Stop, ToolCall, Usage};

pub(super) const RESPONSES: Provider = Provider {
    name: "openai-responses",
    base_url: "https://api.openai.com/v1",
    key_env: "OPENAI_API_KEY",
    path: |_| "/responses".to_owned(),
    headers: bearer,
    body,
    read,
};

fn body(request: &Request<'_>, server: &Server) -> Value {
    let mut input = Vec::new();
    for message in request.messages {
        match message {
            Message::User(text) => input.push(json!({"role": "user", "content": text})),
            Message::Reply(reply) => {
                if !reply.text.is_empty() {
                    input.push(json!({"role": "assistant", "content": reply.text}));
                }
                input.extend(reply.calls.iter().map(call));
            }
            Message::Results(results) => input.extend(results.iter().map(|own| {
                let (text, pictures) = result(own, server);
                let picture =
                    |one: &crate::Picture| json!({"type": "input_image", "image_url": one.url()});
                let output = match pictures {
                    [] => json!(text),
                    pictures => [json!({"type": "input_text", "text": text})]
                        .into_iter()
                        .chain(pictures.iter().map(picture))
                        .collect(),
                };
                json!({"type": "function_call_output", "call_id": own.id, "output": output})
            })),
        }
    }
    let mut tools = definitions(request, "openai");
    for tool in tools.as_array_mut().into_iter().flatten() {
        // The same definition, without the object around it.
        let mut own = tool["function"].take();
        own["type"] = "function".into();
        *tool = own;
    }
    let mut body = json!({
        "model": server.model,
        "instructions": request.system,
        "input": input,
        "tools": tools,
        "stream": true,
        "store": false,
    });
    if let Some(most) = server.max_output {
        body["max_output_tokens"] = most.into();
    }
    body
}

fn call(call: &ToolCall) -> Value {
    json!({
        "type": "function_call",
        "call_id": call.id,
        "name": call.name,
        "arguments": call.object().to_string(),
    })
}

fn read(event: &Value) -> Result<Vec<Delta>, String> {
    let number_of = |place| number(event, place);
    Ok(match event["type"].as_str().unwrap_or_default() {
        "response.output_text.delta" | "response.refusal.delta" => {
            text(event, "/delta").map(|text| Delta::Text(text.to_owned())).into_iter().collect()
        }
        "response.output_item.added" if event["item"]["type"] == "function_call" => {
            vec![Delta::Call {
                number: number_of("/output_index"),
                id: text(event, "/item/call_id").map(str::to_owned),
                name: text(event, "/item/name").map(str::to_owned),
                arguments: String::new(),
            }]
        }
        "response.function_call_arguments.delta" => vec![Delta::Call {
            number: number_of("/output_index"),
            id: None, // `item_id` is the name of the item, not of the call
            name: None,
            arguments: text(event, "/delta").unwrap_or_default().to_owned(),
        }],
        "response.completed" => vec![usage(event), Delta::Stop(Stop::Done)],
        "response.incomplete" => {
            let reason = text(event, "/response/incomplete_details/reason").unwrap_or("incomplete");
            let stop = match reason {
                "max_output_tokens" => Stop::Length,
                reason => Stop::Withheld(reason.to_owned()),
            };
            vec![usage(event), Delta::Stop(stop)]
        }
        "response.failed" => return Err(message(&event["response"]).unwrap_or_default()),
        "error" => return Err(message(event).unwrap_or_default()),
        _ => Vec::new(),
    })
}

fn usage(event: &Value) -> Delta {
    let cached = number(event, "/response/usage/input_tokens_details/cached_tokens");
    let input = number(event, "/response/usage/input_tokens");
    Delta::Usage(Usage {
        input: input.map(|all| all.saturating_sub(cached.unwrap_or(0))),
        output: number(event, "/response/usage/output_tokens"),
        cache_read: cached,
        cache_write: None,
    })
}
