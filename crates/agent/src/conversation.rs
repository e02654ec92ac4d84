//! The loop: the model is asked, its calls are made, their results go back, until it is done or
//! something stops it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fault::{Cancel, Error, Result};
use serde_json::json;
use toolkit::Session;

use crate::event::{Event, Reason};
use crate::invoke::{Invoked, invoke, only_reads};
use crate::model::{CallResult, Heard, Message, Model, Reply, Request, Stop, ToolCall, Usage};
use crate::record::Record;

/// The bounds of a conversation.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The system prompt.
    pub system: String,
    /// Which model of which server, for the record.
    pub model: String,
    /// Most requests for one prompt.
    pub max_turns: u32,
    /// Most tokens of the session, of all streams; none is no limit. What a provider does not tell
    /// is not counted.
    pub max_tokens: Option<u64>,
    /// How many answers in a row may make the very same calls.
    pub same_calls: u32,
}

/// How the loop ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// Why.
    pub reason: Reason,
    /// What went wrong, if something did.
    pub error: Option<Error>,
    /// The text of the last answer.
    pub text: String,
    /// How many requests there were in the session.
    pub turns: u32,
    /// What all answers took.
    pub usage: Usage,
}

/// A session with its model: what was said so far, and the record of it.
pub struct Conversation<'a> {
    session: Arc<Session>,
    model: &'a dyn Model,
    settings: Settings,
    record: Record,
    hear: &'a mut dyn FnMut(&Event),
    messages: Vec<Message>,
    turns: u32,
    usage: Option<Usage>,
}

impl<'a> Conversation<'a> {
    /// Begins a session and its record. `hear` is told each event when it happens.
    ///
    /// # Errors
    /// If the record cannot be written: a session that leaves no proof is not begun.
    pub fn begin(
        session: Arc<Session>,
        model: &'a dyn Model,
        settings: Settings,
        record: Record,
        hear: &'a mut dyn FnMut(&Event),
    ) -> Result<Self> {
        let toolset = session.toolset();
        let tools = toolset.entries().iter().map(|entry| {
            let own = entry.definition();
            json!({"name": entry.spec.name, "description": own.description, "input_schema": own.input})
        });
        let start = Event::Start {
            session: session.id().to_string(),
            version: env!("CARGO_PKG_VERSION").into(),
            model: settings.model.clone(),
            root: session.workspace().root().display().to_string(),
            toolset: toolset.name.to_owned(),
            policy: session.policy().as_str().to_owned(),
            system: settings.system.clone(),
            tools: tools.collect(),
        };
        let mut own = Self {
            session,
            model,
            settings,
            record,
            hear,
            messages: Vec::new(),
            turns: 0,
            usage: None,
        };
        own.tell(&start)?;
        Ok(own)
    }

    /// Says something to the model and goes on until it is done. Whatever stops the loop, what was
    /// said and done stays, and another prompt can follow.
    pub async fn prompt(&mut self, text: String, cancel: &Cancel) -> Ended {
        let began = Instant::now();
        let (reason, error) = match self.turns(text, cancel).await {
            Ok(reason) => (reason, None),
            Err(error) => (Reason::Error, Some(error)),
        };
        let usage = self.usage.unwrap_or_default();
        let end = Event::End {
            reason,
            error: error.as_ref().map(|error| error.message.clone()),
            turns: self.turns,
            usage,
            ms: ms(began.elapsed()),
        };
        let untold = self.tell(&end).err();
        let last = self.messages.iter().rev().find_map(|message| match message {
            Message::Reply(reply) => Some(reply.text.clone()),
            _ => None,
        });
        Ended {
            reason: if untold.is_some() { Reason::Error } else { reason },
            error: error.or(untold),
            text: last.unwrap_or_default(),
            turns: self.turns,
            usage,
        }
    }

    async fn turns(&mut self, text: String, cancel: &Cancel) -> Result<Reason> {
        self.tell(&Event::Prompt { text: text.clone() })?;
        self.messages.push(Message::User(text));
        let until = self.turns.saturating_add(self.settings.max_turns);
        let (mut before, mut same): (Vec<(String, String)>, u32) = (Vec::new(), 0);
        loop {
            let spent = self.usage.map_or(0, Usage::known);
            if self.turns == until {
                return Ok(Reason::TurnLimit);
            }
            if self.settings.max_tokens.is_some_and(|most| spent >= most) {
                return Ok(Reason::Budget);
            }
            let Some(reply) = self.ask(cancel).await? else { return Ok(Reason::Cancelled) };
            let (calls, stop) = (reply.calls.clone(), reply.stop.clone());
            self.messages.push(Message::Reply(reply));
            if let Stop::Withheld(why) = stop {
                self.leave(&calls)?;
                return Err(Error::answer_withheld(&why));
            }
            if calls.is_empty() {
                return match stop {
                    Stop::Length => Err(Error::answer_cut()),
                    _ => Ok(Reason::Success),
                };
            }
            let made = calls.iter().map(|call| (call.name.clone(), call.arguments.clone()));
            let made: Vec<_> = made.collect();
            same = if made == before { same + 1 } else { 1 };
            before = made;
            if same >= self.settings.same_calls {
                self.leave(&calls)?;
                return Ok(Reason::Loop);
            }
            self.make(&calls, cancel).await?;
            if cancel.is_cancelled() {
                return Ok(Reason::Cancelled);
            }
        }
    }

    /// Asks the model once; nothing if somebody stopped it.
    async fn ask(&mut self, cancel: &Cancel) -> Result<Option<Reply>> {
        self.turns += 1;
        let (turn, began) = (self.turns, Instant::now());
        self.tell(&Event::Request { turn, messages: self.messages.len() })?;
        let request = Request {
            system: &self.settings.system,
            messages: &self.messages,
            toolset: self.session.toolset(),
        };
        let (mut first, mut failed, mut shown) = (None, None, String::new());
        let (record, hear) = (&mut self.record, &mut *self.hear);
        let mut heard = |heard: Heard<'_>| match heard {
            Heard::Text(text) => {
                first.get_or_insert_with(|| ms(began.elapsed()));
                shown += text;
                hear(&Event::Text { text: text.to_owned() });
            }
            Heard::Retry { wait, why } => {
                let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                let retry = Event::Retry { turn, wait_ms, why: why.to_owned() };
                failed = failed.take().or(record.write(&retry).err());
                hear(&retry);
            }
        };
        let reply = tokio::select! {
            biased;
            () = cancelled(cancel) => None,
            reply = self.model.ask(&request, &mut heard) => Some(reply),
        };
        if let Some(error) = failed {
            return Err(error);
        }
        let Some(Ok(reply)) = reply else {
            if !shown.is_empty() {
                self.tell(&Event::Partial { turn, text: shown })?;
            }
            return reply.transpose();
        };
        self.usage = Some(self.usage.map_or(reply.usage, |sum| sum.and(reply.usage)));
        let ms = ms(began.elapsed());
        self.tell(&Event::Reply { turn, reply: reply.clone(), first_ms: first, ms })?;
        Ok(Some(reply))
    }

    /// Makes the calls of an answer, at once if all of them only look, else one after the other.
    async fn make(&mut self, calls: &[ToolCall], cancel: &Cancel) -> Result<()> {
        let mut results = Vec::new();
        if calls.len() > 1 && calls.iter().all(|call| only_reads(&self.session, call)) {
            let mut running = Vec::new();
            for call in calls {
                self.tell_call(call)?;
                let invoked = invoke(Arc::clone(&self.session), call.clone(), cancel.clone());
                running.push(tokio::spawn(invoked));
            }
            for (call, running) in calls.iter().zip(running) {
                let invoked = running.await.unwrap_or_else(|_| Invoked::left(call));
                results.push(self.over(invoked)?);
            }
        } else {
            for call in calls {
                self.tell_call(call)?;
                let invoked = if cancel.is_cancelled() {
                    Invoked::left(call)
                } else {
                    invoke(Arc::clone(&self.session), call.clone(), cancel.clone()).await
                };
                results.push(self.over(invoked)?);
            }
        }
        self.messages.push(Message::Results(results));
        Ok(())
    }

    /// Answers calls that are not made: a provider takes no conversation with an open call.
    fn leave(&mut self, calls: &[ToolCall]) -> Result<()> {
        if calls.is_empty() {
            return Ok(());
        }
        let left = calls.iter().map(|call| self.over(Invoked::left(call)));
        let results = left.collect::<Result<_>>()?;
        self.messages.push(Message::Results(results));
        Ok(())
    }

    fn tell_call(&mut self, call: &ToolCall) -> Result<()> {
        let ToolCall { id, name, arguments, .. } = call.clone();
        self.tell(&Event::Call { id, tool: name, arguments })
    }

    /// Tells that a call is over.
    fn over(&mut self, invoked: Invoked) -> Result<CallResult> {
        let Invoked { result, error, step, wall } = invoked;
        let CallResult { id, tool, text, .. } = result.clone();
        let error = error.map(|code| code.as_str().to_owned());
        self.tell(&Event::Result { id, tool, text, error, call: step, ms: ms(wall) })?;
        Ok(result)
    }

    /// Records an event, then tells it.
    fn tell(&mut self, event: &Event) -> Result<()> {
        self.record.write(event)?;
        (self.hear)(event);
        Ok(())
    }
}

impl std::fmt::Debug for Conversation<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Conversation").field("session", &self.session).finish_non_exhaustive()
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Waits until somebody stops it.
async fn cancelled(cancel: &Cancel) {
    while !cancel.is_cancelled() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
