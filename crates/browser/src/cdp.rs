//! The Chrome DevTools Protocol: requests with their answers, and events, over any way that carries
//! texts.
//!
//! One thread reads and keeps [`World`] up to date; whoever asks waits for an answer, for a state of
//! the world, or for the end of their patience.

use std::collections::HashMap;
use std::io;
use std::time::{Duration, Instant};

use fault::{Cancel, Error, Result};
use parking_lot::{Condvar, Mutex, MutexGuard};
use serde_json::{Value, json};

use crate::world::World;

/// How often somebody who waits looks whether the answer is still wanted.
const LOOK: Duration = Duration::from_millis(50);

/// Until when an answer is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience<'a> {
    pub(crate) from: Instant,
    pub(crate) until: Instant,
    pub(crate) cancel: &'a Cancel,
}

impl<'a> Patience<'a> {
    pub(crate) fn new(time: Duration, cancel: &'a Cancel) -> Self {
        let from = Instant::now();
        Self { from, until: from + time, cancel }
    }

    /// The same with an end that may be sooner.
    pub(crate) fn at_most(self, time: Duration) -> Self {
        Self { until: self.until.min(Instant::now() + time), ..self }
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }
}

/// Sends a text.
pub(crate) type Send = Box<dyn FnMut(&str) -> io::Result<()> + std::marker::Send>;

/// A connection to a browser.
pub(crate) struct Cdp {
    send: Mutex<Send>,
    now: Mutex<Now>,
    changed: Condvar,
}

struct Now {
    next: u64,
    /// Answers that somebody waits for; `None` until they come.
    answers: HashMap<u64, Option<Result<Value, String>>>,
    world: World,
    closed: bool,
}

/// A request that was sent. Dropped, its answer is not kept.
pub(crate) struct Asked<'a> {
    cdp: &'a Cdp,
    id: u64,
    what: &'static str,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        self.cdp.now.lock().answers.remove(&self.id);
    }
}

impl Cdp {
    pub(crate) fn new(send: Send, world: World) -> Self {
        let now = Now { next: 1, answers: HashMap::new(), world, closed: false };
        Self { send: Mutex::new(send), now: Mutex::new(now), changed: Condvar::new() }
    }

    /// What is known of the tabs.
    pub(crate) fn world<T>(&self, look: impl FnOnce(&mut World) -> T) -> T {
        look(&mut self.now.lock().world)
    }

    /// Whether nothing more will come.
    pub(crate) fn is_closed(&self) -> bool {
        self.now.lock().closed
    }

    /// Takes note that nothing more will come.
    pub(crate) fn close(&self) {
        self.now.lock().closed = true;
        self.changed.notify_all();
    }

    /// A text that came.
    pub(crate) fn receive(&self, text: &[u8]) {
        let Ok(message) = serde_json::from_slice::<Value>(text) else {
            tracing::warn!("a message of the browser is no JSON");
            return;
        };
        self.take(message);
    }

    /// A message that came.
    pub(crate) fn take(&self, mut message: Value) {
        let mut now = self.now.lock();
        let mut answers = Vec::new();
        if let Some(id) = message["id"].as_u64() {
            if let Some(place) = now.answers.get_mut(&id) {
                let error =
                    message["error"]["message"].as_str().map(|says| match message["error"]["data"]
                        .as_str()
                    {
                        Some(more) => format!("{says}: {more}"),
                        None => says.to_owned(),
                    });
                *place = Some(error.map_or_else(|| Ok(message["result"].take()), Err));
            }
        } else if let Some(method) = message["method"].as_str() {
            let session = message["sessionId"].as_str();
            answers = now.world.event(session, method, &message["params"]);
        }
        drop(now);
        self.changed.notify_all();
        for (session, method, params) in answers {
            self.post(session.as_deref(), method, params, false);
        }
    }

    /// Sends a request whose answer nobody waits for.
    pub(crate) fn tell(&self, session: Option<&str>, method: &'static str, params: Value) {
        self.post(session, method, params, false);
    }

    /// Sends a request, to be waited for later.
    pub(crate) fn send(
        &self,
        session: Option<&str>,
        what: &'static str,
        params: Value,
    ) -> Asked<'_> {
        let id = self.post(session, what, params, true);
        Asked { cdp: self, id, what }
    }

    fn post(&self, session: Option<&str>, method: &str, params: Value, wanted: bool) -> u64 {
        let id = {
            let mut now = self.now.lock();
            now.next += 1;
            let id = now.next;
            if wanted {
                now.answers.insert(id, None);
            }
            id
        };
        let mut message = json!({"id": id, "method": method, "params": params});
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        if (self.send.lock())(&message.to_string()).is_err() {
            self.close();
        }
        id
    }

    /// The answer to a request.
    ///
    /// # Errors
    /// `BrowserFailed` if the browser refuses or ends, `Timeout`, `Cancelled`.
    pub(crate) fn answer(&self, asked: &Asked<'_>, patience: Patience<'_>) -> Result<Value> {
        let answer = self.answer_or(asked, patience, |_| false)?;
        answer.ok_or_else(|| Error::internal("an answer that nobody waited for"))
    }

    /// The same; `None` if the world comes into a state in which no answer will come.
    pub(crate) fn answer_or(
        &self,
        asked: &Asked<'_>,
        patience: Patience<'_>,
        mut held_up: impl FnMut(&World) -> bool,
    ) -> Result<Option<Value>> {
        let mut now = self.now.lock();
        loop {
            if let Some(answer) = now.answers.get_mut(&asked.id).and_then(Option::take) {
                let refused = |why: String| Error::browser_refused(asked.what, &why);
                return answer.map(Some).map_err(refused);
            }
            if held_up(&now.world) {
                return Ok(None);
            }
            self.rest(&mut now, patience, asked.what)?;
        }
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// As for [`Cdp::answer`].
    pub(crate) fn call(
        &self,
        session: Option<&str>,
        what: &'static str,
        params: Value,
        patience: Patience<'_>,
    ) -> Result<Value> {
        self.answer(&self.send(session, what, params), patience)
    }

    /// Waits until the world is as wanted; `None` if that took too long.
    ///
    /// # Errors
    /// `BrowserFailed` if the browser ends, `Cancelled`.
    pub(crate) fn until<T>(
        &self,
        patience: Patience<'_>,
        mut wanted: impl FnMut(&mut World) -> Option<T>,
    ) -> Result<Option<T>> {
        let mut now = self.now.lock();
        loop {
            if let Some(found) = wanted(&mut now.world) {
                return Ok(Some(found));
            }
            if patience.is_over() {
                return Ok(None);
            }
            self.rest(&mut now, patience, "waiting")?;
        }
    }

    fn rest(
        &self,
        now: &mut MutexGuard<'_, Now>,
        patience: Patience<'_>,
        what: &str,
    ) -> Result<()> {
        if now.closed {
            return Err(Error::browser_ended("ended", ""));
        }
        patience.cancel.check()?;
        if patience.is_over() {
            return Err(Error::browser_silent(what, patience.until - patience.from));
        }
        self.changed.wait_until(now, patience.until.min(Instant::now() + LOOK));
        Ok(())
    }
}
