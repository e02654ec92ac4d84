//! The loop: the model is asked, its calls are made, their results go back, until it is done or
//! something stops it.

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fault::{Cancel, Error, Result};
use serde_json::{Value, json};
use toolkit::{Session, Toolset};

use crate::context::Context;
use crate::event::{Event, Reason};
use crate::history::History;
use crate::known::{Budget, Price};
use crate::model::{Message, Model, Stop, Usage};
use crate::prompt::Source;
use crate::record::{Record, Spent};

/// The bounds of a conversation.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The system prompt.
    pub system: String,
    /// The files that are part of it, for the record.
    pub sources: Vec<Source>,
    /// Which model of which server, for the record.
    pub model: String,
    /// Most requests for one prompt.
    pub max_turns: u32,
    /// How much the session may use; none is no limit.
    pub budget: Option<Budget>,
    /// What tokens cost, if that is known.
    pub price: Option<Price>,
    /// Most tokens that the model takes, the answer among them.
    pub window: u64,
    /// Most tokens of an answer, if settings name a number.
    pub max_output: Option<u32>,
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
    /// What they cost in US dollars, if that is known.
    pub usd: Option<f64>,
}

/// A session with its model: what was said so far, and the record of it.
pub struct Conversation<'a> {
    pub(crate) session: Arc<Session>,
    pub(crate) model: Rc<dyn Model>,
    pub(crate) settings: Settings,
    pub(crate) record: Record,
    pub(crate) hear: Box<dyn FnMut(&Event) + 'a>,
    pub(crate) messages: Vec<Message>,
    pub(crate) turns: u32,
    pub(crate) spent: Spent,
    /// Tokens as far as they are known, and else as they were estimated.
    pub(crate) tokens: u64,
    pub(crate) context: Context,
    /// What is asked for a summary: it may call nothing.
    pub(crate) no_tools: Toolset,
}

impl<'a> Conversation<'a> {
    /// Begins a session, or goes on with that of `history`. `hear` is told each event when it
    /// happens.
    ///
    /// # Errors
    /// If the record cannot be written: a session that leaves no proof is not begun. If a budget is
    /// in money and the price is not known.
    pub fn begin(
        session: Arc<Session>,
        model: Rc<dyn Model>,
        settings: Settings,
        record: Record,
        history: History,
        hear: impl FnMut(&Event) + 'a,
    ) -> Result<Self> {
        if matches!(settings.budget, Some(Budget::Dollars(_))) && settings.price.is_none() {
            return Err(Error::no_price(&settings.model));
        }
        let toolset = session.toolset();
        let tools = toolset.entries().iter().map(|entry| {
            let own = entry.definition();
            json!({"name": entry.spec.name, "description": own.description, "input_schema": own.input})
        });
        let tools: Value = tools.collect();
        let fixed = settings.system.len() + tools.to_string().len();
        let start = Event::Start {
            session: session.id().to_string(),
            version: env!("CARGO_PKG_VERSION").into(),
            model: settings.model.clone(),
            root: session.workspace().root().display().to_string(),
            toolset: toolset.name.to_owned(),
            policy: session.policy().as_str().to_owned(),
            system: settings.system.clone(),
            sources: settings.sources.clone(),
            tools,
        };
        let mut context = Context::new(settings.window, settings.max_output, fixed);
        if let Some((messages, usage)) = history.measured {
            context.measure(&history.messages[..messages], usage);
        }
        let mut own = Self {
            session,
            model,
            settings,
            record,
            hear: Box::new(hear),
            messages: history.messages,
            turns: history.turns,
            tokens: history.tokens,
            spent: history.spent,
            context,
            no_tools: Toolset::new("none", ""),
        };
        own.tell(&start)?;
        Ok(own)
    }

    /// The name of the session on the command line.
    pub fn id(&self) -> String {
        self.record.id()
    }

    /// What all answers took so far.
    pub fn spent(&self) -> Spent {
        self.spent
    }

    /// Says something to the model and goes on until it is done. Whatever stops the loop, what was
    /// said and done stays, and another prompt can follow.
    pub async fn prompt(&mut self, text: String, cancel: &Cancel) -> Ended {
        let began = Instant::now();
        let (reason, error) = match self.turns(text, cancel).await {
            Ok(reason) => (reason, None),
            Err(error) if error.is_context_too_long() => (Reason::Context, Some(error)),
            Err(error) => (Reason::Error, Some(error)),
        };
        let (usage, usd) = (self.spent.usage.unwrap_or_default(), self.spent.usd());
        let end = Event::End {
            reason,
            error: error.as_ref().map(|error| error.message.clone()),
            turns: self.turns,
            usage,
            usd,
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
            usd,
        }
    }

    async fn turns(&mut self, text: String, cancel: &Cancel) -> Result<Reason> {
        self.tell(&Event::Prompt { text: text.clone() })?;
        // Of a prompt before whose record could not be written.
        if let Some(Message::Reply(reply)) = self.messages.last() {
            let open = reply.calls.clone();
            self.leave(&open)?;
        }
        self.messages.push(Message::User(text));
        let until = self.turns.saturating_add(self.settings.max_turns);
        let (mut before, mut same): (Vec<(String, String)>, u32) = (Vec::new(), 0);
        loop {
            if self.turns >= until {
                return Ok(Reason::TurnLimit);
            }
            if self.is_over_budget() {
                return Ok(Reason::Budget);
            }
            let Some(reply) = self.answer(cancel).await? else { return Ok(Reason::Cancelled) };
            let (calls, stop) = (reply.calls, reply.stop);
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
            let whole = calls.len() - usize::from(stop == Stop::Length);
            self.make(&calls, whole, cancel).await?;
            if cancel.is_cancelled() {
                return Ok(Reason::Cancelled);
            }
        }
    }

    fn is_over_budget(&self) -> bool {
        match self.settings.budget {
            Some(Budget::Tokens(most)) => self.tokens >= most,
            // What an answer cost is known if its tokens are; without them no budget can hold.
            Some(Budget::Dollars(most)) => {
                self.spent.requests > 0 && self.spent.usd().is_none_or(|usd| usd >= most)
            }
            None => false,
        }
    }

    /// Records an event, then tells it.
    pub(crate) fn tell(&mut self, event: &Event) -> Result<()> {
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

pub(crate) fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
