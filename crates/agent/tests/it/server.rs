//! A model server on loopback: scripted answers in the wire format of a provider, sent in awkward
//! pieces, and the requests that came.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// What a scripted model says.
#[derive(Clone, Copy)]
pub(crate) enum Say {
    Text(&'static str),
    /// The id, the tool, the arguments as they are written.
    Call(&'static str, &'static str, &'static str),
}

/// One answer of the server.
#[derive(Clone)]
pub(crate) enum Reply {
    /// A whole answer.
    Says(Vec<Say>),
    /// An answer that reached the most tokens of one.
    Full(Vec<Say>),
    /// A status, a header, and a body.
    Status(u16, &'static str, &'static str),
    /// A whole answer after which the connection stays open.
    Lingers(Vec<Say>),
    /// An answer whose connection is cut before the end is said.
    Cut(Vec<Say>),
    /// An answer that ends as HTTP wants it, and is not whole.
    Ends(Vec<Say>),
    /// An answer in which an error comes before the end.
    Breaks(Vec<Say>),
    /// An answer after which nothing more comes, and the connection stays open.
    Stalls(Vec<Say>),
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) line: String,
    pub(crate) headers: Vec<String>,
    pub(crate) body: Value,
}

pub(crate) struct Server {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    /// Serves the answers in their order, the last one again and again.
    pub(crate) fn start(provider: &'static str, replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/base", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let seen = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (Ok(stream), replies, seen) = (stream, replies.clone(), Arc::clone(&seen))
                else {
                    return;
                };
                std::thread::spawn(move || {
                    let Some(asked) = receive(&stream) else { return };
                    let at = {
                        let mut all = seen.lock().unwrap();
                        all.push(asked);
                        all.len() - 1
                    };
                    let reply = replies.get(at).or(replies.last()).unwrap();
                    let _ = answer(stream, provider, reply);
                });
            }
        });
        Self { url, asked }
    }

    /// The requests so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn receive(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|n| *n > 0)?;
        if line.trim().is_empty() {
            break;
        }
        lines.push(line.trim().to_owned());
    }
    let length = |line: &String| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    };
    let mut body = vec![0; lines.iter().find_map(length)?];
    reader.read_exact(&mut body).ok()?;
    let line = lines.remove(0);
    Some(Asked { line, headers: lines, body: serde_json::from_slice(&body).ok()? })
}

fn answer(mut stream: TcpStream, provider: &str, reply: &Reply) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let (events, says) = match reply {
        Reply::Status(status, header, body) => {
            return write!(
                stream,
                "HTTP/1.1 {status} Odd\r\ncontent-length: {}\r\nconnection: close\r\n{header}\r\n{body}",
                body.len()
            );
        }
        Reply::Says(says) | Reply::Lingers(says) => (events(provider, says, true), says),
        Reply::Full(says) => {
            let events = events(provider, says, true);
            let full = [
                ("tool_calls\"}]", "length\"}]"),
                ("tool_use\"}", "max_tokens\"}"),
                ("STOP", "MAX_TOKENS"),
            ];
            let events = full.iter().fold(events, |all, (done, full)| all.replace(done, full));
            (events, says)
        }
        Reply::Cut(says) | Reply::Ends(says) | Reply::Breaks(says) | Reply::Stalls(says) => {
            (events(provider, says, false), says)
        }
    };
    assert!(!says.is_empty());
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
    )?;
    // Pieces that end anywhere: in a line, in a character, between the two bytes of a line's end.
    for piece in events.as_bytes().chunks(11) {
        write!(stream, "{:x}\r\n", piece.len())?;
        stream.write_all(piece)?;
        write!(stream, "\r\n")?;
        stream.flush()?;
    }
    match reply {
        Reply::Says(_) | Reply::Full(_) | Reply::Ends(_) => write!(stream, "0\r\n\r\n"),
        Reply::Breaks(_) => {
            let error = match provider {
                "anthropic" => {
                    json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
                }
                "openai-responses" => json!({"type": "error", "message": "Overloaded"}),
                _ => json!({"error": {"message": "Overloaded", "code": 503}}),
            };
            let event = format!("data: {error}\n\n");
            write!(stream, "{:x}\r\n{event}\r\n0\r\n\r\n", event.len())
        }
        Reply::Stalls(_) | Reply::Lingers(_) => {
            std::thread::sleep(Duration::from_secs(60));
            Ok(())
        }
        _ => Ok(()), // no last chunk: the connection is cut
    }
}

/// The events of an answer; the last ones, which say that it is whole, only if it is.
fn events(provider: &str, says: &[Say], whole: bool) -> String {
    let events = match provider {
        "openai" => openai(says, whole),
        "openai-responses" => responses(says, whole),
        "anthropic" => anthropic(says, whole),
        "gemini" => gemini(says, whole),
        other => panic!("{other}"),
    };
    let mut text = ": comment\r\n\r\n".to_owned();
    for event in events {
        if let Some(kind) = event["type"].as_str() {
            text += &format!("event: {kind}\r\n");
        }
        text += &format!("data: {event}\r\n\r\n");
    }
    if provider == "openai" && whole {
        text += "data: [DONE]\n\n";
    }
    text
}

/// The text in pieces of a few characters.
fn pieces(text: &str) -> Vec<String> {
    text.chars().collect::<Vec<_>>().chunks(3).map(|piece| piece.iter().collect()).collect()
}

fn openai(says: &[Say], whole: bool) -> Vec<Value> {
    let chunk = |delta: Value| json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
    let mut events = vec![chunk(json!({"role": "assistant", "content": ""}))];
    let calls = says.iter().filter_map(|say| match say {
        Say::Call(id, name, arguments) => Some((*id, *name, pieces(arguments))),
        Say::Text(text) => {
            events.extend(pieces(text).into_iter().map(|t| chunk(json!({"content": t}))));
            None
        }
    });
    let calls: Vec<_> = calls.collect();
    for (at, (id, name, _)) in calls.iter().enumerate() {
        events.push(chunk(json!({"tool_calls": [{"index": at, "id": id, "type": "function", "function": {"name": name, "arguments": ""}}]})));
    }
    // The pieces of all calls take turns.
    for turn in 0..calls.iter().map(|call| call.2.len()).max().unwrap_or(0) {
        for (at, (_, _, pieces)) in calls.iter().enumerate() {
            if let Some(piece) = pieces.get(turn) {
                events.push(chunk(
                    json!({"tool_calls": [{"index": at, "function": {"arguments": piece}}]}),
                ));
            }
        }
    }
    if whole {
        let reason = if calls.is_empty() { "stop" } else { "tool_calls" };
        events.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}));
        events.push(json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110, "prompt_tokens_details": {"cached_tokens": 60}}}));
    }
    events
}

fn responses(says: &[Say], whole: bool) -> Vec<Value> {
    let mut events = vec![json!({"type": "response.created", "response": {"id": "r"}})];
    for (at, say) in says.iter().enumerate() {
        match say {
            Say::Text(text) => events.extend(pieces(text).into_iter().map(
                |t| json!({"type": "response.output_text.delta", "output_index": at, "delta": t}),
            )),
            Say::Call(id, name, arguments) => {
                events.push(json!({"type": "response.output_item.added", "output_index": at, "item": {"type": "function_call", "id": format!("item_{at}"), "call_id": id, "name": name, "arguments": ""}}));
                events.extend(pieces(arguments).into_iter().map(|a| json!({"type": "response.function_call_arguments.delta", "output_index": at, "item_id": format!("item_{at}"), "delta": a})));
                events.push(json!({"type": "response.function_call_arguments.done", "output_index": at, "arguments": arguments}));
            }
        }
    }
    if whole {
        events.push(json!({"type": "response.completed", "response": {"usage": {"input_tokens": 100, "output_tokens": 10, "input_tokens_details": {"cached_tokens": 60}}}}));
    }
    events
}

fn anthropic(says: &[Say], whole: bool) -> Vec<Value> {
    let mut events = vec![
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 40, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 0, "output_tokens": 1}}}),
        json!({"type": "ping"}),
    ];
    for (at, say) in says.iter().enumerate() {
        let (block, deltas): (Value, Vec<Value>) = match say {
            Say::Text(text) => (
                json!({"type": "text", "text": ""}),
                pieces(text)
                    .into_iter()
                    .map(|t| json!({"type": "text_delta", "text": t}))
                    .collect(),
            ),
            Say::Call(id, name, arguments) => (
                json!({"type": "tool_use", "id": id, "name": name, "input": {}}),
                pieces(arguments)
                    .into_iter()
                    .map(|a| json!({"type": "input_json_delta", "partial_json": a}))
                    .collect(),
            ),
        };
        events.push(json!({"type": "content_block_start", "index": at, "content_block": block}));
        events.extend(
            deltas
                .into_iter()
                .map(|d| json!({"type": "content_block_delta", "index": at, "delta": d})),
        );
        events.push(json!({"type": "content_block_stop", "index": at}));
    }
    if whole {
        let calls = says.iter().any(|say| matches!(say, Say::Call(..)));
        let reason = if calls { "tool_use" } else { "end_turn" };
        events.push(json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 10}}));
        events.push(json!({"type": "message_stop"}));
    }
    events
}

fn gemini(says: &[Say], whole: bool) -> Vec<Value> {
    let event =
        |part: Value| json!({"candidates": [{"content": {"role": "model", "parts": [part]}}]});
    let mut events = Vec::new();
    for say in says {
        match say {
            Say::Text(text) => {
                events.extend(pieces(text).into_iter().map(|t| event(json!({"text": t}))));
            }
            Say::Call(id, name, arguments) => {
                // Calls are always JSON here, and have no ids.
                let args = serde_json::from_str(arguments).unwrap_or(json!({"path": 3}));
                events.push(event(json!({"functionCall": {"name": name, "args": args}, "thoughtSignature": format!("signature of {id}")})));
            }
        }
    }
    if whole {
        events.push(json!({"candidates": [{"content": {"parts": []}, "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 100, "cachedContentTokenCount": 60, "candidatesTokenCount": 7, "thoughtsTokenCount": 3}}));
    }
    events
}
