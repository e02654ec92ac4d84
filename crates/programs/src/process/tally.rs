//! How many programs run, so that the end of a session can wait until none does.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use fault::{Error, Result};

#[derive(Default)]
pub(super) struct Tally {
    ending: AtomicBool,
    running: Mutex<usize>,
    one_less: Condvar,
}

impl Tally {
    /// Counts a program as running until what is returned is dropped.
    pub(super) fn count(self: &Arc<Self>) -> Result<Counted> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if self.ending.load(Ordering::Relaxed) {
            return Err(Error::cancelled());
        }
        *running += 1;
        Ok(Counted(Arc::clone(self)))
    }

    /// Has all programs ended, waits for that at most `limit`, and lets no more begin.
    pub(super) fn end(&self, limit: Duration) {
        self.ending.store(true, Ordering::Relaxed);
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.one_less.wait_timeout_while(running, limit, |count| *count > 0));
    }
}

pub(super) struct Counted(Arc<Tally>);

impl Counted {
    /// Whether the program is to end.
    pub(super) fn is_ending(&self) -> bool {
        self.0.ending.load(Ordering::Relaxed)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        *self.0.running.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.one_less.notify_all();
    }
}
