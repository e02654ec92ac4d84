//! What happens in a project, for those who watch it: a console, the loop of an agent.
//!
//! Nothing is kept for a watcher that reads slowly beyond the newest events; it is told how many
//! it missed. Without a watcher an event is not even made.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use fault::Code;
use files::journal::Change;
use serde_json::Value;
use tokio::sync::broadcast;

use crate::question::{Answer, Question};

/// Events that are kept for a watcher that does not read.
const KEPT: usize = 256;
/// Changes of one step that its event lists.
pub(crate) const LISTED: usize = 100;

/// One thing that happened to a call.
#[derive(Clone, Debug)]
pub struct Event {
    /// The session that called.
    pub session: Arc<str>,
    /// The number of the call in its project, from 1.
    pub call: u64,
    /// What happened.
    pub what: Happening,
}

/// What can happen to a call, in this order.
#[derive(Clone, Debug)]
pub enum Happening {
    /// It came in.
    Began {
        /// The tool, as the client named it.
        tool: String,
        /// The arguments.
        input: Arc<Value>,
    },
    /// A person is asked.
    Asked(Arc<Question>),
    /// The question is settled.
    Answered(Answer),
    /// A step of the journal was kept.
    Changed {
        /// The number of the step.
        step: i64,
        /// The first changes of the step.
        changes: Arc<[Change]>,
        /// How many it has.
        count: usize,
    },
    /// Its outcome is known.
    Ended {
        /// Why it failed, if it did.
        code: Option<Code>,
        /// How long it took, with the time that a person needed.
        wall: Duration,
    },
}

/// What a watcher hears.
#[derive(Clone, Debug)]
pub enum Heard {
    /// What happened next.
    Event(Event),
    /// So many events were dropped because they were not read in time.
    Missed(u64),
}

/// Where events are told.
#[derive(Debug, Default)]
pub(crate) struct Events(OnceLock<broadcast::Sender<Event>>);

impl Events {
    pub(crate) fn listen(&self) -> Stream {
        Stream(self.0.get_or_init(|| broadcast::Sender::new(KEPT)).subscribe())
    }

    /// Whether anybody listens.
    pub(crate) fn is_heard(&self) -> bool {
        self.0.get().is_some_and(|told| told.receiver_count() > 0)
    }

    /// Tells an event, which is made only if somebody listens.
    pub(crate) fn tell(&self, session: &Arc<str>, call: u64, what: impl FnOnce() -> Happening) {
        if let Some(told) = self.0.get().filter(|_| self.is_heard()) {
            // The last listener may just have gone.
            let _ = told.send(Event { session: Arc::clone(session), call, what: what() });
        }
    }
}

/// The events of a project from the moment on at which it was asked for.
#[derive(Debug)]
pub struct Stream(broadcast::Receiver<Event>);

impl Stream {
    /// The next event, or how many were missed; `None` once the project is gone.
    pub async fn next(&mut self) -> Option<Heard> {
        match self.0.recv().await {
            Ok(event) => Some(Heard::Event(event)),
            Err(broadcast::error::RecvError::Lagged(missed)) => Some(Heard::Missed(missed)),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}
