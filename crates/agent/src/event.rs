//! What happens in a session, as it is recorded and as programs read it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::{Picture, Reply, Usage};
use crate::prompt::Source;

/// One thing that happened. The spelling of a variant is its `type`.
///
/// The whole of a request is `Start`, and of what came before the `Request` each prompt, reply and
/// result in order: nothing is written twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The session began, or goes on in another process.
    Start {
        /// The session, as the audit log and the journal call it.
        session: String,
        /// The version of Kitbag.
        version: Cow<'static, str>,
        /// Which model, of which server; never a key.
        model: String,
        /// The root.
        root: String,
        /// The toolset.
        toolset: String,
        /// The policy.
        policy: String,
        /// The system prompt.
        system: String,
        /// The files that are part of it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        sources: Vec<Source>,
        /// The definitions of the tools.
        tools: Value,
    },
    /// The user said something.
    Prompt {
        /// What was said.
        text: String,
    },
    /// The model is asked.
    Request {
        /// The number of the request in the session, from 1.
        turn: u32,
        /// How many messages it has.
        messages: usize,
    },
    /// A piece of an answer. Not recorded: the reply has it all.
    Text {
        /// The next text.
        text: String,
    },
    /// What the program of a call printed. Not recorded: the result has as much as the model gets.
    Output {
        /// The id of the call.
        id: String,
        /// `stdout` or `stderr`.
        stream: Cow<'static, str>,
        /// The next text.
        text: String,
    },
    /// What was shown of an answer that was cancelled or broke off; it is no part of the
    /// conversation.
    Partial {
        /// The request.
        turn: u32,
        /// The text that was shown.
        text: String,
    },
    /// The server could not answer, and is asked again.
    Retry {
        /// The request.
        turn: u32,
        /// The pause before the next try, in milliseconds.
        wait_ms: u64,
        /// What the server said.
        why: String,
    },
    /// The model answered.
    Reply {
        /// The request.
        #[serde(default)]
        turn: u32,
        /// The answer.
        #[serde(flatten)]
        reply: Reply,
        /// Milliseconds from the request to the first text; none if there was no text.
        #[serde(default)]
        first_ms: Option<f64>,
        /// Milliseconds from the request to the end of the answer.
        #[serde(default)]
        ms: f64,
        /// What it cost in US dollars; none if a price is not known.
        #[serde(default)]
        usd: Option<f64>,
        /// What it counts against a budget of tokens: an estimate where the server tells nothing.
        #[serde(default)]
        tokens: u64,
    },
    /// The conversation was too long: the model wrote a summary of the older part, which takes its
    /// place.
    Compaction {
        /// The request for the summary.
        turn: u32,
        /// The answer, whose text is the summary.
        #[serde(flatten)]
        reply: Reply,
        /// How many messages at the end stay as they are.
        kept: usize,
        /// How many tokens the next request had been estimated at.
        before: u64,
        /// And with the summary.
        after: u64,
        /// Milliseconds from the request to the end of the answer.
        ms: f64,
        /// What it cost in US dollars; none if a price is not known.
        #[serde(default)]
        usd: Option<f64>,
        /// What it counts against a budget of tokens.
        #[serde(default)]
        tokens: u64,
    },
    /// A call begins.
    Call {
        /// The id that the model gave it.
        id: String,
        /// The tool.
        tool: String,
        /// The arguments as the model wrote them.
        arguments: String,
    },
    /// A call is over.
    Result {
        /// The id of the call.
        id: String,
        /// The tool.
        tool: String,
        /// What goes back to the model.
        text: String,
        /// What is shown beside it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pictures: Vec<Picture>,
        /// The code of the failure, if it failed.
        error: Option<String>,
        /// The number of the change in the journal, if something was changed.
        call: Option<i64>,
        /// How long it took in milliseconds, without the time that a person was waited for.
        ms: f64,
        /// How long a person was waited for.
        #[serde(default, skip_serializing_if = "is_zero")]
        asked_ms: f64,
    },
    /// The loop ended.
    End {
        /// Why.
        reason: Reason,
        /// What went wrong, if something did.
        error: Option<String>,
        /// How many requests there were in the session.
        turns: u32,
        /// What all answers took.
        usage: Usage,
        /// What they cost in US dollars; none if a price is not known.
        #[serde(default)]
        usd: Option<f64>,
        /// Milliseconds since the prompt.
        ms: f64,
    },
}

fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

/// An event with its time, as it is recorded.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Line {
    /// When it happened; none in a file written by hand.
    #[serde(default)]
    pub time: Option<jiff::Timestamp>,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// Why the loop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The model answered without another call.
    Success,
    /// The most requests were made.
    TurnLimit,
    /// Somebody stopped it.
    Cancelled,
    /// The budget was used up.
    Budget,
    /// The conversation is too long for the model, and a summary did not make it short enough.
    Context,
    /// The model made the same calls again and again.
    Loop,
    /// The model could not be asked, or the session could not be recorded.
    Error,
}

impl Reason {
    /// The spelling in a record.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::TurnLimit => "turn_limit",
            Self::Cancelled => "cancelled",
            Self::Budget => "budget",
            Self::Context => "context",
            Self::Loop => "loop",
            Self::Error => "error",
        }
    }
}
