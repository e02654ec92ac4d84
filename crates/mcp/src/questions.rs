//! Questions to the person in front of the client, in both eras: asked while the call waits, or
//! given back as the result, to be answered with the same call once more.
//!
//! Silence, a client that cannot ask, and an answer that cannot be read are never a yes.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rmcp::model::{
    CallToolRequestParams, CancelledNotificationParam, ClientCapabilities, ClientResult,
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    EnumSchema, InputRequest, InputRequests, InputRequiredResult, ServerRequest,
};
use rmcp::service::PeerRequestOptions;
use rmcp::{ErrorData, Peer, RoleServer};
use serde_json::Value;
use tokio::task::JoinSet;
use toolkit::files::journal::{digest, new_id};
use toolkit::{Answer, Asking, Pending, Question, Seat, Wants};

/// Most bytes of an effect that are shown.
const SHOWN: usize = 8 << 10;
/// Most questions that wait for their call to come again.
const WAITING: usize = 256;
/// The name of our only question in a result, and of its field.
const APPROVAL: &str = "approval";
const DECISION: &str = "decision";
/// The field for words.
const ANSWER: &str = "answer";

const ALLOW: &str = "allow";
const ALLOW_SESSION: &str = "allow for this session";
const DENY: &str = "deny";

/// Whether a client can put a form before its user.
pub(crate) fn can_ask(client: &ClientCapabilities) -> bool {
    // Before there were other ways than forms, the capability was an empty object.
    client.elicitation.as_ref().is_some_and(|it| it.form.is_some() || it.url.is_none())
}

/// Takes questions from the desk to the client, several at once, until the session ends.
pub(crate) async fn carry(mut seat: Seat, peer: Peer<RoleServer>, wait: Duration) {
    let mut asked = JoinSet::new();
    loop {
        tokio::select! {
            next = seat.next() => {
                let Some(pending) = next else { break };
                asked.spawn(ask(pending, peer.clone(), wait));
            }
            Some(_) = asked.join_next() => {}
        }
    }
    asked.join_all().await;
}

/// Asks the user of the client, and takes the form back once somebody else has answered.
async fn ask(mut pending: Pending, peer: Peer<RoleServer>, wait: Duration) {
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(form(&pending.question)));
    let options = PeerRequestOptions::with_timeout(wait);
    let asked = match peer.send_request_with_option(request, options).await {
        Ok(asked) => asked,
        Err(e) => return tracing::warn!("a question did not reach the client: {e}"),
    };
    let id = asked.id.clone();
    tokio::select! {
        result = asked.await_response() => {
            match result {
                Ok(ClientResult::ElicitResult(result)) => drop(pending.answer(answer(&result))),
                Ok(other) => tracing::warn!("not an answer to a question: {other:?}"),
                Err(e) => tracing::warn!("the client did not answer a question: {e}"),
            }
        }
        () = pending.settled() => {
            let reason = Some("the question is settled".to_owned());
            // A client that is gone needs no notice.
            let _ = peer.notify_cancelled(CancelledNotificationParam::new(Some(id), reason)).await;
        }
    }
}

fn form(question: &Question) -> ElicitRequestParams {
    let Question { tool, reason, shown, wants, .. } = question;
    let schema = ElicitationSchema::builder();
    let (message, schema) = match wants {
        Wants::Text => (reason.clone(), schema.required_string(ANSWER)),
        Wants::Decision { may_last } => {
            let mut choices = vec![ALLOW.to_owned(), ALLOW_SESSION.to_owned(), DENY.to_owned()];
            choices.retain(|choice| *may_last || choice != ALLOW_SESSION);
            let choices = EnumSchema::builder(choices).title("Decision").build();
            let message = approval(tool, reason, shown);
            (message, schema.required_enum_schema(DECISION, choices))
        }
    };
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema: schema.build_unchecked(),
    }
}

fn approval(tool: &str, reason: &str, shown: &str) -> String {
    let part = &shown[..shown.floor_char_boundary(SHOWN)];
    let mut message = format!("Allow `{tool}`? {reason}.");
    if !part.is_empty() {
        message = format!("{message}\n\n{part}");
    }
    if part.len() < shown.len() {
        let cut = shown.len() - part.len();
        message = format!("{message}\n[Not shown: {cut} of {} bytes]", shown.len());
    }
    message
}

/// What the form came back with. Words are no decision, and a decision is not in words: the call
/// takes only what it asked for.
fn answer(result: &ElicitResult) -> Answer {
    let field = |name| result.content.as_ref().and_then(|c| c.get(name)).and_then(Value::as_str);
    match (&result.action, field(DECISION), field(ANSWER)) {
        (ElicitationAction::Accept, Some(ALLOW), _) => Answer::Yes,
        (ElicitationAction::Accept, Some(ALLOW_SESSION), _) => Answer::YesForSession,
        (ElicitationAction::Accept, None, Some(text)) => Answer::Text(text.to_owned()),
        (ElicitationAction::Accept | ElicitationAction::Decline, ..) => Answer::No,
        _ => Answer::Nobody,
    }
}

/// Questions that were given back as results. The state that a client sends along with its answer
/// is a name for what is here and nothing more, so there is nothing in it to forge.
#[derive(Debug, Default)]
pub(crate) struct Returned(Mutex<HashMap<String, Asked>>);

#[derive(Debug)]
struct Asked {
    /// Binds the answer to the tool and the arguments.
    call: String,
    /// Binds it to the effect that was shown.
    question: String,
    until: Instant,
}

impl Returned {
    /// The result that asks.
    pub(crate) fn ask(
        &self,
        call: &CallToolRequestParams,
        question: &Question,
        wait: Duration,
    ) -> InputRequiredResult {
        let state = new_id();
        let now = Instant::now();
        let asked =
            Asked { call: fingerprint(call), question: question.digest.clone(), until: now + wait };
        {
            let mut waiting = self.0.lock();
            waiting.retain(|_, asked| asked.until > now);
            if waiting.len() >= WAITING
                && let Some(oldest) =
                    waiting.iter().min_by_key(|(_, a)| a.until).map(|(s, _)| s.clone())
            {
                waiting.remove(&oldest);
            }
            waiting.insert(state.clone(), asked);
        }
        let request = InputRequest::Elicitation(ElicitRequest::new(form(question)));
        InputRequiredResult::new(
            Some(InputRequests::from([(APPROVAL.to_owned(), request)])),
            Some(state),
        )
    }

    /// What the client brings along: nothing yet, or the answer to the question of this very call.
    ///
    /// # Errors
    /// -32602 for a state that is not ours, was used, has expired, or is that of another call.
    pub(crate) fn brought(&self, call: &CallToolRequestParams) -> Result<Asking, ErrorData> {
        let Some(state) = &call.request_state else { return Ok(Asking::Return) };
        let asked = self.0.lock().remove(state);
        let refuse = |why: &str| {
            ErrorData::invalid_params(
                format!("requestState: {why}; call again without it to be asked anew"),
                None,
            )
        };
        let asked = asked.ok_or_else(|| refuse("not one of this server's, or used before"))?;
        if asked.until <= Instant::now() {
            return Err(refuse("expired"));
        }
        if asked.call != fingerprint(call) {
            return Err(refuse("given for another call"));
        }
        let brought = call.input_responses.as_ref().and_then(|all| all.get(APPROVAL));
        let brought = brought.and_then(|it| serde_json::from_value(it.clone()).ok());
        Ok(brought.map_or(Asking::Return, |it| Asking::Answered(asked.question, answer(&it))))
    }
}

fn fingerprint(call: &CallToolRequestParams) -> String {
    let arguments = call.arguments.as_ref().map(serde_json::to_string);
    digest(&[&call.name, &arguments.and_then(Result::ok).unwrap_or_default()])
}
