//! The person of a session, as long as one call runs: what is asked of them, and how long they took.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fault::{Cancel, Error, Result};
use parking_lot::Mutex;

use crate::desk::Desk;
use crate::question::{Answer, Question};
use crate::slots::cancelled;

/// Whoever sits at the desk, for the questions of one call; clones share the time that they took.
#[derive(Clone, Debug)]
pub struct Person {
    desk: Arc<Desk>,
    session: Arc<str>,
    cancel: Cancel,
    /// Held while a question is open: they are put one after the other.
    turn: Arc<tokio::sync::Mutex<()>>,
    waited: Arc<Mutex<Waited>>,
}

#[derive(Debug, Default)]
struct Waited {
    before: Duration,
    since: Option<Instant>,
}

impl Person {
    pub(crate) fn new(desk: &Arc<Desk>, session: &Arc<str>, cancel: &Cancel) -> Self {
        Self {
            desk: Arc::clone(desk),
            session: Arc::clone(session),
            cancel: cancel.clone(),
            turn: Arc::default(),
            waited: Arc::default(),
        }
    }

    /// Asks, and waits as long as anybody may answer.
    ///
    /// # Errors
    /// `Cancelled` if the call is meanwhile.
    pub async fn ask(&self, question: Question) -> Result<Answer> {
        let _turn = self.turn.lock().await;
        let _waits = self.desk.is_attended(&self.session).then(|| Waits::begin(&self.waited));
        tokio::select! {
            answer = self.desk.ask(&self.session, question) => Ok(answer),
            () = cancelled(&self.cancel) => Err(Error::cancelled()),
        }
    }

    /// How long somebody was waited for, up to now.
    pub fn waited(&self) -> Duration {
        let waited = self.waited.lock();
        waited.before + waited.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

/// Counts the time of one question, also of one that is withdrawn.
struct Waits<'a>(&'a Mutex<Waited>);

impl<'a> Waits<'a> {
    fn begin(waited: &'a Mutex<Waited>) -> Self {
        waited.lock().since = Some(Instant::now());
        Self(waited)
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        let mut waited = self.0.lock();
        if let Some(since) = waited.since.take() {
            waited.before += since.elapsed();
        }
    }
}
