//! What the loop knows of a model: messages, calls and answers in types of our own, whatever the
//! provider calls them.

use std::pin::Pin;
use std::time::Duration;

use fault::Result;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use toolkit::Toolset;

/// Something that answers requests.
pub trait Model {
    /// Answers a request. What comes of the answer is told to `heard` at once; text that was told
    /// is never told again.
    fn ask<'a>(&'a self, request: &'a Request<'a>, heard: Hear<'a>) -> Answer<'a>;
}

/// Who is told what comes of an answer.
pub type Hear<'a> = &'a mut dyn FnMut(Heard<'_>);

/// An answer on its way. Dropping it closes the connection.
pub type Answer<'a> = Pin<Box<dyn Future<Output = Result<Reply>> + 'a>>;

/// What is asked.
#[derive(Debug)]
pub struct Request<'a> {
    /// The system prompt.
    pub system: &'a str,
    /// The conversation, which begins with a message of the user.
    pub messages: &'a [Message],
    /// The tools that may be called.
    pub toolset: &'a Toolset,
}

/// One part of a conversation.
#[derive(Clone, Debug)]
pub enum Message {
    /// What the user said.
    User(String),
    /// What the model answered.
    Reply(Reply),
    /// The results of the calls of the reply before, in their order.
    Results(Vec<CallResult>),
}

/// What is heard while an answer comes.
#[derive(Debug)]
pub enum Heard<'a> {
    /// The next piece of text.
    Text(&'a str),
    /// The server could not answer and is asked again after a pause.
    Retry {
        /// The pause.
        wait: Duration,
        /// What the server said.
        why: &'a str,
    },
}

/// A whole answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The text.
    #[serde(default)]
    pub text: String,
    /// The calls, in their order.
    #[serde(default)]
    pub calls: Vec<ToolCall>,
    /// Why it ended.
    #[serde(default)]
    pub stop: Stop,
    /// What it took.
    #[serde(default)]
    pub usage: Usage,
}

/// A call as the model made it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The name by which the result goes back, unique in its answer.
    #[serde(default)]
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments as they were written, which may not be JSON.
    #[serde(default, deserialize_with = "written")]
    pub arguments: String,
    /// What the provider wants to have back with the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

impl ToolCall {
    /// The arguments as JSON.
    ///
    /// # Errors
    /// If they are not JSON.
    pub(crate) fn parsed(&self) -> serde_json::Result<Value> {
        if self.arguments.trim().is_empty() {
            return Ok(Value::Object(serde_json::Map::new()));
        }
        serde_json::from_str(&self.arguments)
    }

    /// The arguments as an object, for providers that take a conversation only with such: those
    /// that could not be read are left out, and the result of the call says so.
    pub(crate) fn object(&self) -> Value {
        self.parsed().ok().filter(Value::is_object).unwrap_or_else(|| Value::Object(<_>::default()))
    }
}

/// Arguments in a file written by hand may be JSON instead of JSON in a string.
fn written<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::String(text) => text,
        value => value.to_string(),
    })
}

/// What goes back to the model for a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallResult {
    /// The id of the call.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The result.
    pub text: String,
    /// Whether the call failed.
    pub failed: bool,
    /// What is shown beside the result, to a model that takes pictures.
    pub pictures: Vec<Picture>,
}

/// A picture beside a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// What it is, such as `image/png`.
    pub mime: String,
    /// Its bytes in base64.
    pub base64: String,
}

impl Picture {
    /// It as a URL.
    pub(crate) fn url(&self) -> String {
        format!("data:{};base64,{}", self.mime, self.base64)
    }
}

/// Why an answer ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The model was done, or wants the results of its calls.
    #[default]
    Done,
    /// It reached the most tokens of an answer.
    Length,
    /// The provider withheld it, for this reason.
    Withheld(String),
}

/// Tokens in four streams that do not overlap. What the provider does not tell is unknown, not 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the request that no cache had.
    pub input: Option<u64>,
    /// Tokens of the answer.
    pub output: Option<u64>,
    /// Tokens of the request that came from a cache.
    pub cache_read: Option<u64>,
    /// Tokens of the request that were put into a cache.
    pub cache_write: Option<u64>,
}

impl Usage {
    /// Both together; a stream that one of them does not know is unknown.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let add = |a: Option<u64>, b: Option<u64>| Some(a?.saturating_add(b?));
        Self {
            input: add(self.input, other.input),
            output: add(self.output, other.output),
            cache_read: add(self.cache_read, other.cache_read),
            cache_write: add(self.cache_write, other.cache_write),
        }
    }

    /// All tokens that are known of.
    pub fn known(self) -> u64 {
        let all = [self.input, self.output, self.cache_read, self.cache_write];
        all.into_iter().flatten().fold(0, u64::saturating_add)
    }

    /// What is new in `later` over what is known.
    pub(crate) fn update(&mut self, later: Self) {
        self.input = later.input.or(self.input);
        self.output = later.output.or(self.output);
        self.cache_read = later.cache_read.or(self.cache_read);
        self.cache_write = later.cache_write.or(self.cache_write);
    }
}
