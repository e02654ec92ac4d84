//! The threads that calls work on: so many at a time, each with its panics caught.

use std::sync::Arc;
use std::time::Duration;

use fault::{Cancel, Error, Result};
use tokio::sync::Semaphore;

use crate::effect::Effect;
use crate::session::Session;

/// How many calls of a project work at once; the others wait in a queue. Those that wait for
/// somebody else, a program or the network, take no slot from those that compute.
#[derive(Debug)]
pub(crate) struct Slots {
    computing: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

impl Default for Slots {
    fn default() -> Self {
        Self { computing: Arc::new(Semaphore::new(16)), waiting: Arc::new(Semaphore::new(64)) }
    }
}

impl Slots {
    /// The slots of calls with this effect.
    pub(crate) fn of(&self, effect: Effect) -> Arc<Semaphore> {
        let waits = effect.has(Effect::RUNS) || effect.has(Effect::CONNECTS);
        Arc::clone(if waits { &self.waiting } else { &self.computing })
    }
}

/// Runs blocking work on a thread of its own, once there is a slot for what it does. A call that
/// only reads is not waited for once it is cancelled: what it waits for may never come.
pub(crate) async fn blocking<T: Send + 'static>(
    session: &Arc<Session>,
    does: Effect,
    cancel: &Cancel,
    work: impl FnOnce(&Session) -> T + Send + 'static,
) -> Result<T> {
    let slot = tokio::select! {
        biased;
        slot = session.project.slots.of(does).acquire_owned() => slot,
        () = cancelled(cancel) => return Err(Error::cancelled()),
    };
    let session = Arc::clone(session);
    let done = tokio::task::spawn_blocking(move || {
        let _slot = slot; // as long as the work goes on, also if nobody waits for it any more
        caught(|| work(&session))
    });
    tokio::select! {
        biased;
        done = done => done.unwrap_or_else(|_| Err(Error::cancelled())),
        () = cancelled(cancel), if does.only_reads() => Err(Error::cancelled()),
    }
}

/// Runs work; a panic in it becomes `Internal` and the server lives on.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
        tracing::error!("a call panicked: {text}");
        Error::internal(text)
    })
}

/// Ready once nobody wants the answer of the call any more.
pub(crate) async fn cancelled(cancel: &Cancel) {
    while !cancel.is_cancelled() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
