//! One message of JSON-RPC to what it asks for, whichever transport brought it. Read by method and not by trial of every known shape,
//! so that a fault is named where it is, and a call costs one pass.

use std::borrow::Cow;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, ClientResult,
    CustomRequest, DiscoverRequest, ElicitResult, ErrorCode, GetExtensions as _, InitializeRequest,
    InitializeRequestParams, JsonRpcMessage, ListToolsRequest, PaginatedRequestParams, PingRequest,
    RequestId, RequestMetaObject,
};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// Longest id that is kept for the answer, in bytes.
const ID_BYTES: usize = 256;

/// What a line asks for.
pub(crate) enum Message<'a> {
    Request {
        id: &'a str,
        method: Cow<'a, str>,
        params: Option<&'a RawValue>,
    },
    /// The client no longer wants the answer to the request of this id.
    Cancelled {
        id: &'a str,
    },
    /// The client's answer to a question of ours.
    Answer(Box<ClientJsonRpcMessage>),
    /// A notification that changes nothing here.
    Nothing,
}

/// A line that cannot be served.
pub(crate) struct Fault<'a> {
    /// The id as JSON, `null` if there is none to be seen.
    pub(crate) id: &'a str,
    pub(crate) error: ErrorData,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, default)]
    jsonrpc: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// A field that is there, also if it is `null`.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(from).map(Some)
}

/// Reads one message, an object.
pub(crate) fn read(text: &str) -> Result<Message<'_>, Fault<'_>> {
    let line: Line<'_> = match serde_json::from_str(text) {
        Ok(line) if text.starts_with('{') => line,
        Ok(_) => return Err(invalid("null", "a message must be an object")),
        Err(_) if !text.starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok() => {
            return Err(invalid("null", "a message must be an object"));
        }
        Err(error) => return Err(unreadable(text, &error)),
    };
    let id = line.id.map(RawValue::get);
    let usable = id.filter(|id| {
        id.len() <= ID_BYTES && id.starts_with(|c: char| c == '"' || c == '-' || c.is_ascii_digit())
    });
    if line.jsonrpc != "2.0" {
        return Err(invalid(usable.unwrap_or("null"), "jsonrpc: must be \"2.0\""));
    }
    match (usable, id) {
        (None, Some(_)) => {
            Err(invalid("null", "id: must be a string or a number, of at most 256 bytes"))
        }
        (Some(id), _) if !line.method.is_empty() => {
            Ok(Message::Request { id, method: line.method, params: line.params })
        }
        (Some(id), _) => answer(id, line.result, line.error),
        (None, None) if line.method == "notifications/cancelled" => Ok(cancelled(line.params)),
        (None, None) if !line.method.is_empty() => Ok(Message::Nothing),
        (None, None) => Err(invalid(
            "null",
            "method: missing; a message is a request, a notification or an answer",
        )),
    }
}

/// Why a text is no message: no JSON, or JSON of another shape.
fn unreadable<'a>(text: &'a str, error: &serde_json::Error) -> Fault<'a> {
    #[derive(Deserialize)]
    struct Id<'a> {
        #[serde(borrow)]
        id: &'a RawValue,
    }
    if serde_json::from_str::<IgnoredAny>(text).is_err() {
        return Fault {
            id: "null",
            error: ErrorData::parse_error(format!("not JSON: {error}"), None),
        };
    }
    let id = serde_json::from_str::<Id<'_>>(text).ok().map(|found| found.id.get());
    let id = id
        .filter(|id| text.starts_with('{') && id.len() <= ID_BYTES && !id.starts_with(['{', '[']));
    invalid(id.unwrap_or("null"), format!("not a JSON-RPC message: {error}"))
}

fn invalid<'a>(id: &'a str, message: impl Into<Cow<'static, str>>) -> Fault<'a> {
    Fault { id, error: ErrorData::invalid_request(message, None) }
}

fn cancelled(params: Option<&RawValue>) -> Message<'_> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Cancelled<'a> {
        #[serde(borrow)]
        request_id: &'a RawValue,
    }
    match params.map(|p| serde_json::from_str::<Cancelled<'_>>(p.get())) {
        Some(Ok(it)) => Message::Cancelled { id: it.request_id.get() },
        _ => Message::Nothing,
    }
}

/// Elicitation is all that is ever asked of a client, so an answer is one to that. An answer that
/// cannot be read is passed on as a failure: whoever asked must not wait for another.
fn answer<'a>(
    id: &'a str,
    result: Option<&RawValue>,
    error: Option<&RawValue>,
) -> Result<Message<'a>, Fault<'a>> {
    let Ok(ours) = serde_json::from_str::<RequestId>(id) else { return Ok(Message::Nothing) };
    let message = match (result, error) {
        (Some(result), None) => match serde_json::from_str::<ElicitResult>(result.get()) {
            Ok(result) => JsonRpcMessage::response(ClientResult::ElicitResult(result), ours),
            Err(error) => JsonRpcMessage::error(
                ErrorData::invalid_params(error.to_string(), None),
                Some(ours),
            ),
        },
        (None, Some(error)) => {
            let error = serde_json::from_str(error.get());
            JsonRpcMessage::error(error.unwrap_or_default(), Some(ours))
        }
        _ => return Err(invalid(id, "a message with an id needs a method, a result or an error")),
    };
    Ok(Message::Answer(Box::new(message)))
}

/// The request of a method. Methods that are not served become custom ones, which the server
/// refuses by name.
pub(crate) fn request(method: &str, params: Option<&RawValue>) -> Result<ClientRequest, ErrorData> {
    #[derive(Default, Deserialize)]
    struct Plain {
        #[serde(rename = "_meta")]
        meta: Option<RequestMetaObject>,
        cursor: Option<String>,
    }
    let (mut request, meta): (ClientRequest, _) = match method {
        "tools/call" => {
            let mut params: CallToolRequestParams = parse(params)?;
            let meta = params.meta.take();
            (CallToolRequest::new(params).into(), meta)
        }
        "initialize" => {
            let mut params: InitializeRequestParams = parse(params)?;
            let meta = params.meta.take();
            (InitializeRequest::new(params).into(), meta)
        }
        "tools/list" => {
            let plain: Plain = parse(params)?;
            let page = PaginatedRequestParams::default().with_cursor(plain.cursor);
            (ListToolsRequest::with_param(page).into(), plain.meta)
        }
        "ping" => (PingRequest::default().into(), parse::<Plain>(params)?.meta),
        "server/discover" => (DiscoverRequest::default().into(), parse::<Plain>(params)?.meta),
        _ => {
            let meta = parse::<Plain>(params).unwrap_or_default().meta;
            (CustomRequest::new(method, None::<Value>).into(), meta)
        }
    };
    if let Some(meta) = meta {
        request.extensions_mut().insert(meta);
    }
    Ok(request)
}

fn parse<T: DeserializeOwned>(params: Option<&RawValue>) -> Result<T, ErrorData> {
    let text = params.map_or("{}", RawValue::get);
    if !text.starts_with('{') {
        return Err(ErrorData::invalid_params("params: must be an object", None));
    }
    serde_json::from_str(text).map_err(|error| {
        // Once more, for the name of the field.
        let mut json = serde_json::Deserializer::from_str(text);
        let named = serde_path_to_error::deserialize::<_, T>(&mut json).err();
        let field = named.map(|e| e.path().to_string()).filter(|path| path != ".");
        let field = field.map_or("params".to_owned(), |path| format!("params: {path}"));
        ErrorData::invalid_params(format!("{field}: {error}"), None)
    })
}

/// The line that answers: `field` is `result` or `error`, `id` is JSON.
pub(crate) fn response(out: &mut Vec<u8>, id: &str, field: &str, value: &impl serde::Serialize) {
    let start = out.len();
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    out.extend_from_slice(id.as_bytes());
    out.extend_from_slice(b",\"");
    out.extend_from_slice(field.as_bytes());
    out.extend_from_slice(b"\":");
    if let Err(error) = serde_json::to_writer(&mut *out, value) {
        out.truncate(start);
        let error = ErrorData::new(
            ErrorCode::INTERNAL_ERROR,
            format!("an answer that is no JSON: {error}"),
            None,
        );
        return response(out, id, "error", &error);
    }
    out.push(b'}');
}
