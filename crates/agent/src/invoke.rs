//! One call of a model: from the arguments as it wrote them to the text that goes back.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fault::{Cancel, Code};
use serde_json::Value;
use toolkit::{Call, Live, Outcome, Session};

use crate::model::{CallResult, Picture, ToolCall};

/// A call that is over.
pub(crate) struct Invoked {
    pub(crate) result: CallResult,
    pub(crate) error: Option<Code>,
    pub(crate) step: Option<i64>,
    /// How long it took, without the time that a person needed.
    pub(crate) wall: Duration,
    /// How long a person was waited for.
    pub(crate) asked: Duration,
}

impl Invoked {
    /// A call that failed before any tool saw it.
    pub(crate) fn failed(call: &ToolCall, code: Code, text: String) -> Self {
        let (id, tool) = (call.id.clone(), call.name.clone());
        Self {
            result: CallResult { id, tool, text, failed: true, pictures: Vec::new() },
            error: Some(code),
            step: None,
            wall: Duration::ZERO,
            asked: Duration::ZERO,
        }
    }

    /// The last call of an answer that ended at the limit of its length: what it lacks is not known.
    pub(crate) fn cut(call: &ToolCall) -> Self {
        let text = "error: not called; the answer was cut at the limit of its length, perhaps in this \
                    call; make it again, with shorter arguments";
        Self::failed(call, Code::InvalidInput, text.to_owned())
    }

    /// A call that ended without a result.
    pub(crate) fn broken(call: &ToolCall) -> Self {
        let text = "error: the call ended without a result; look at what was done";
        Self::failed(call, Code::Internal, text.to_owned())
    }

    /// A call that is not made, since the loop ends.
    pub(crate) fn left(call: &ToolCall) -> Self {
        Self::failed(call, Code::Cancelled, "error: not called; the session was stopped".to_owned())
    }
}

/// Whether a call only looks, so that it may run beside others that do. One of an unknown tool does
/// nothing at all.
pub(crate) fn only_reads(session: &Session, call: &ToolCall) -> bool {
    session.toolset().find(&call.name).map_or(true, |entry| entry.spec.effect.only_reads())
}

/// Makes the call. Arguments that cannot be used are told to the model with the schema.
pub(crate) async fn invoke(
    session: Arc<Session>,
    call: ToolCall,
    cancel: Cancel,
    live: Option<Live>,
) -> Invoked {
    let began = Instant::now();
    let input = match call.parsed() {
        Ok(input) => input,
        Err(_) if session.toolset().find(&call.name).is_err() => Value::Null, // told as unknown
        Err(error) => {
            let written = fault::cut(&call.arguments, 1000);
            let text = format!("error: the arguments are not JSON ({error}): {written}");
            let text = with_schema(text, &session, &call.name);
            return Invoked::failed(&call, Code::InvalidInput, text);
        }
    };
    let made = Call { cancel, live, ..Call::new(&call.name, input) };
    let outcome = toolkit::call(&session, made).await;
    let done = match outcome {
        Outcome::Done(done) => done,
        Outcome::Asks(question) => {
            let text = format!("error: {}: a person must be asked first", question.tool);
            return Invoked::failed(&call, Code::ApprovalRequired, text);
        }
    };
    let error = done.error.map(|error| error.code);
    let text = match error {
        Some(Code::InvalidInput) => with_schema(done.body.to_text(), &session, &call.name),
        _ => done.body.to_text(),
    };
    let picture = |one: toolkit::Picture| Picture { mime: one.mime.into(), base64: one.base64 };
    let pictures = done.pictures.into_iter().map(picture).collect();
    let failed = error.is_some();
    Invoked {
        result: CallResult { id: call.id, tool: call.name, text, failed, pictures },
        error,
        step: done.step,
        wall: began.elapsed().saturating_sub(done.asked),
        asked: done.asked,
    }
}

fn with_schema(text: String, session: &Session, tool: &str) -> String {
    let Ok(entry) = session.toolset().find(tool) else { return text };
    let schema = Value::Object(entry.definition().input.clone());
    format!("{text}\nThe arguments of {tool} are one object of this schema: {schema}")
}
