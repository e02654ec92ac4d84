//! A model behind a server: the wire format of its provider, and what to do when it stumbles.
//!
//! A provider is one file with functions from our types to its JSON and back, and its entry in
//! [`Provider::ALL`]. Connecting, streaming and repeating are the same for all and are here.

mod anthropic;
mod assembly;
mod gemini;
mod openai;
mod responses;

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use fault::{Error, Result};
use serde_json::Value;
use tokio::time::Instant;
use web::{Coming, Endpoint, Unsent};

use self::assembly::Assembly;
pub(crate) use self::assembly::Delta;
use crate::model::{Answer, CallResult, Hear, Heard, Model, Picture, Reply, Request};
use crate::sse::Events;

/// How often a request is sent at most.
const TRIES: u32 = 5;
/// The first pause before a request is sent again; each further one is twice as long.
const PAUSE: Duration = Duration::from_millis(500);
/// The longest pause that a server may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(5);
/// How long the connection may stay open after the whole answer; the usage mostly comes last.
const CLOSING: Duration = Duration::from_secs(1);
/// Most bytes of the text and the arguments of an answer; no model writes so much.
const MOST: usize = 16 << 20;
/// Most bytes that are read of the body of a failure.
const FAILURE: usize = 64 << 10;

/// A provider of models: how it is spoken to.
pub struct Provider {
    /// The name on the command line.
    pub name: &'static str,
    /// The base URL, if none is given.
    pub base_url: &'static str,
    /// The environment variable that mostly holds the key.
    pub key_env: &'static str,
    /// The path of a request to a model, below the base URL.
    path: fn(model: &str) -> String,
    /// The headers that go with each request; the key may be missing.
    headers: fn(key: Option<&str>) -> Vec<(String, String)>,
    /// The body of a request.
    body: fn(&Request<'_>, &Server) -> Value,
    /// What an event of the answer says; a failure if it is one.
    read: fn(&Value) -> Result<Vec<Delta>, String>,
}

impl Provider {
    /// All providers.
    pub const ALL: &[&'static Self] =
        &[&openai::OPENAI, &responses::RESPONSES, &anthropic::ANTHROPIC, &gemini::GEMINI];

    /// The provider of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().copied().find(|provider| provider.name == name)
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Provider").field(&self.name).finish()
    }
}

/// Which model of which server is asked, and how.
#[derive(Clone, Debug)]
pub struct Server {
    /// The wire format.
    pub provider: &'static Provider,
    /// The model, as the server calls it.
    pub model: String,
    /// Where the server is.
    pub base_url: String,
    /// Further headers.
    pub headers: Vec<(String, String)>,
    /// The longest silence, also before an answer begins.
    pub silence: Duration,
    /// Most tokens of an answer, if they are limited.
    pub max_output: Option<u32>,
    /// Whether the model takes pictures; else they are left out, and it is told so.
    pub pictures: bool,
}

/// A model behind a server.
#[derive(Debug)]
pub struct Remote {
    server: Server,
    endpoint: Endpoint,
    key: Option<Key>,
}

/// What is sent to the server alone. Some servers give it back in their failures.
struct Key(String);

impl Key {
    fn hide(&self, said: &str) -> String {
        said.replace(&self.0, "[the key]")
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

/// Why a try came to nothing.
enum Trouble {
    /// Another try would not help.
    Final(Error),
    /// The server said nothing more. It is not asked again: it may be at the same answer.
    Silent,
    /// It may pass, after the time that the server names.
    Passing { why: String, after: Option<Duration> },
}

impl Trouble {
    fn passing(why: impl Into<String>) -> Self {
        Self::Passing { why: why.into(), after: None }
    }
}

impl Remote {
    /// The model of a server; nothing is connected yet. The key is sent to that server alone.
    ///
    /// # Errors
    /// `InvalidInput` for a base URL or a header that cannot be used.
    pub fn new(server: Server, key: Option<&str>) -> Result<Self> {
        let headers = [(server.provider.headers)(key), server.headers.clone()].concat();
        let endpoint = Endpoint::new(&server.base_url, &headers, CONNECT, server.silence)
            .map_err(|e| Error::invalid_input("--base-url", e))?;
        let key = key.filter(|key| key.len() >= 8).map(|key| Key(key.to_owned()));
        Ok(Self { server, endpoint, key })
    }

    async fn answer(&self, request: &Request<'_>, heard: Hear<'_>) -> Result<Reply> {
        let body = (self.server.provider.body)(request, &self.server).to_string().into_bytes();
        let base = self.endpoint.base();
        let mut tries = 0;
        loop {
            let mut shown = false;
            let mut show = |text: &str| {
                shown |= !text.is_empty();
                heard(Heard::Text(text));
            };
            let (why, after) = match self.once(body.clone(), &mut show).await {
                Ok(reply) => return Ok(reply),
                Err(Trouble::Final(error)) => {
                    let said = self.hidden(&error.message);
                    return Err(if said == error.message { error } else { error.worded(said) });
                }
                Err(Trouble::Silent) if !shown => {
                    return Err(Error::model_silent(base, self.server.silence));
                }
                Err(Trouble::Silent) => ("the server fell silent".to_owned(), None),
                Err(Trouble::Passing { why, after }) => (self.hidden(&why), after),
            };
            tries += 1;
            if shown {
                return Err(Error::answer_broke_off(base, &why));
            }
            if tries == TRIES {
                return Err(Error::model_busy(base, &why, tries));
            }
            let wait = after.unwrap_or_else(|| PAUSE * (1 << (tries - 1)) + jitter());
            if wait > LONGEST_PAUSE {
                return Err(Error::model_wait(base, wait));
            }
            heard(Heard::Retry { wait, why: &why });
            tokio::time::sleep(wait).await;
        }
    }

    /// Sends the request once and reads the answer to its end.
    async fn once(&self, body: Vec<u8>, show: &mut dyn FnMut(&str)) -> Result<Reply, Trouble> {
        let Server { provider, model, .. } = &self.server;
        let mut coming = match self.endpoint.post(&(provider.path)(model), body).await {
            Ok(coming) => coming,
            Err(Unsent::Unreachable(why)) => {
                return Err(Trouble::Final(Error::model_unreachable(self.endpoint.base(), &why)));
            }
            Err(Unsent::Silent) => return Err(Trouble::Silent),
            Err(Unsent::Broken(why)) => return Err(Trouble::passing(why)),
        };
        if coming.status() != 200 {
            return Err(self.refusal(coming).await);
        }
        let (mut events, mut assembly) = (Events::default(), Assembly::default());
        let (mut head, mut closing) = (Vec::new(), None);
        loop {
            let until = match assembly.is_whole() {
                true => Some(*closing.get_or_insert_with(|| Instant::now() + CLOSING)),
                false => None,
            };
            let next = async {
                match until {
                    Some(until) => tokio::time::timeout_at(until, coming.next()).await,
                    None => Ok(coming.next().await),
                }
            };
            let next = match next.await {
                Ok(Ok(next)) => next,
                // Some servers break the connection after the last event, or keep it open.
                _ if assembly.is_whole() => return Ok(assembly.reply()),
                Err(_) | Ok(Err(Unsent::Silent)) => return Err(Trouble::Silent),
                Ok(Err(Unsent::Broken(why) | Unsent::Unreachable(why))) => {
                    return Err(Trouble::passing(why));
                }
            };
            let is_end = next.is_none();
            if head.len() < FAILURE {
                head.extend(next.iter().flatten().take(FAILURE));
            }
            let found = match next {
                Some(bytes) => events.take(&bytes).map_err(Trouble::passing)?,
                None => std::mem::take(&mut events).end().into_iter().collect(),
            };
            for data in found {
                if data.trim() == "[DONE]" {
                    continue;
                }
                let event = serde_json::from_str(&data).map_err(|e| {
                    Trouble::passing(format!("an event of the answer is not JSON ({e})"))
                })?;
                for delta in (provider.read)(&event).map_err(Trouble::passing)? {
                    if let Delta::Text(text) = &delta {
                        show(text);
                    }
                    assembly.take(delta);
                }
            }
            if assembly.bytes() > MOST {
                return Err(Trouble::Final(Error::answer_too_long(self.endpoint.base(), MOST)));
            }
            if is_end && assembly.is_whole() {
                return Ok(assembly.reply());
            }
            if is_end {
                return Err(self.unfinished(&head));
            }
        }
    }

    /// Why an answer that began with `head` came to no end: perhaps it is that of no model.
    fn unfinished(&self, head: &[u8]) -> Trouble {
        if head.is_empty() || head.windows(5).any(|some| some == b"data:") {
            return Trouble::passing("the connection was closed before the end");
        }
        Trouble::Final(Error::no_stream(self.endpoint.base(), &said(head)))
    }

    /// What a server said, without the key.
    fn hidden(&self, said: &str) -> String {
        self.key.as_ref().map_or_else(|| said.to_owned(), |key| key.hide(said))
    }

    /// What a status says that is no success.
    async fn refusal(&self, mut coming: Coming) -> Trouble {
        let status = coming.status();
        let after = retry_after(&coming);
        let mut body = Vec::new();
        while let Ok(Some(bytes)) = coming.next().await
            && body.len() < FAILURE
        {
            body.extend(bytes);
        }
        let said = said(&body);
        match status {
            429 if is_used_up(&said) => {
                Trouble::Final(Error::model_refused(self.endpoint.base(), status, &said))
            }
            408 | 409 | 425 | 429 | 500.. => {
                Trouble::Passing { why: format!("the server answered {status}: {said}"), after }
            }
            _ if is_too_long(&said) => {
                Trouble::Final(Error::context_too_long(self.endpoint.base(), status, &said))
            }
            _ => Trouble::Final(Error::model_refused(self.endpoint.base(), status, &said)),
        }
    }
}

impl Model for Remote {
    fn ask<'a>(&'a self, request: &'a Request<'a>, heard: Hear<'a>) -> Answer<'a> {
        Box::pin(self.answer(request, heard))
    }
}

/// Up to a quarter of the first pause, so that several sessions do not come back as one.
fn jitter() -> Duration {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    PAUSE * (now.unwrap_or_default().subsec_nanos() % 256) / 1024
}

/// The pause that the server asks for: in seconds, or up to a date.
fn retry_after(coming: &Coming) -> Option<Duration> {
    if let Some(ms) = coming.header("retry-after-ms").and_then(|ms| ms.trim().parse().ok()) {
        return Some(Duration::from_millis(ms));
    }
    let header = coming.header("retry-after")?.trim();
    if let Ok(seconds) = header.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = jiff::fmt::rfc2822::parse(header).ok()?.timestamp();
    Some(Duration::try_from(date.duration_since(jiff::Timestamp::now())).unwrap_or_default())
}

/// Whether a refusal says that the request has too many tokens, in the words of the servers that
/// are known: there is no common code.
fn is_too_long(said: &str) -> bool {
    let said = said.to_lowercase();
    let words = [
        "context_length_exceeded",
        "maximum context length",
        "context window",
        "context size",
        "context length",
        "prompt is too long",
        "input token count",
        "input is too long",
    ];
    words.iter().any(|words| said.contains(words))
}

/// Whether a refusal says that the account has nothing left, which no repetition mends.
fn is_used_up(said: &str) -> bool {
    let said = said.to_lowercase();
    ["insufficient_quota", "current quota", "billing", "credit balance"]
        .iter()
        .any(|words| said.contains(words))
}

/// The message in the body of a failure, else the body.
fn said(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body).into_owned();
    let json: Value = serde_json::from_str(&text).unwrap_or_default();
    match message(&json) {
        Some(message) => message,
        None if text.trim().is_empty() => "nothing more".to_owned(),
        None => text,
    }
}

/// The message of a failure as providers write it: `error.message`, `error`, or `message`; a list
/// has it in its first item.
fn message(json: &Value) -> Option<String> {
    let json = json.get(0).unwrap_or(json);
    let places = ["/error/message", "/error", "/message", "/detail"];
    let found = places.iter().find_map(|place| json.pointer(place)).filter(|m| !m.is_null())?;
    Some(found.as_str().map_or_else(|| found.to_string(), str::to_owned))
}

/// The number at a JSON pointer.
fn number(json: &Value, place: &str) -> Option<u64> {
    json.pointer(place).and_then(Value::as_u64)
}

/// The text at a JSON pointer, if it is not empty.
fn text<'a>(json: &'a Value, place: &str) -> Option<&'a str> {
    json.pointer(place).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// The text of a result, and the pictures that go with it to this server.
fn result<'a>(result: &'a CallResult, server: &Server) -> (Cow<'a, str>, &'a [Picture]) {
    let text = Cow::Borrowed(result.text.as_str());
    match result.pictures.as_slice() {
        pictures if pictures.is_empty() || server.pictures => (text, pictures),
        _ => {
            let left = "[the picture is left out: this model takes none]";
            (Cow::Owned(format!("{text}\n{left}")), &[])
        }
    }
}

/// A key in the header `Authorization`.
fn bearer(key: Option<&str>) -> Vec<(String, String)> {
    key.map(|key| ("authorization".to_owned(), format!("Bearer {key}"))).into_iter().collect()
}

/// The definitions of the tools as a provider of the toolkit takes them.
fn definitions(request: &Request<'_>, provider: &str) -> Value {
    let provider = toolkit::Provider::named(provider);
    provider.map_or(Value::Null, |provider| request.toolset.export(provider))
}
