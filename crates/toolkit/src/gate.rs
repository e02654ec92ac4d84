//! The order of calls that touch the same files, whichever session of the project they are of.
//! Between processes the locks of the files do that.

use std::collections::HashMap;
use std::future::poll_fn;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use fault::{Cancel, Error, Result};
use parking_lot::Mutex;
use tokio::sync::{
    Mutex as AsyncMutex, OwnedMutexGuard, OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock,
};

use crate::effect::Effect;
use crate::slots::cancelled;

type Gate = Arc<RwLock<()>>;

/// Lets calls that touch the same file run in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct Gates {
    files: Mutex<HashMap<PathBuf, Gate>>,
    /// One for each call that changes files, closed as long as the call is under way or in line.
    changes: Mutex<Vec<Gate>>,
    /// The way to the gates of calls whose files take time to be looked at.
    lane: Arc<AsyncMutex<()>>,
}

/// The right to be the next before the gates.
pub(crate) type Lane = OwnedMutexGuard<()>;

/// Held while a call runs.
#[derive(Debug)]
#[expect(dead_code, reason = "held, not read: dropping them opens the gate")]
pub(crate) enum Pass {
    Shared(OwnedRwLockReadGuard<()>),
    Alone(OwnedRwLockWriteGuard<()>),
}

impl Gates {
    /// Waits for the lane, in the order in which calls come to it.
    pub(crate) async fn lane(&self, cancel: &Cancel) -> Result<Lane> {
        tokio::select! {
            biased;
            lane = Arc::clone(&self.lane).lock_owned() => Ok(lane),
            () = cancelled(cancel) => Err(Error::cancelled()),
        }
    }

    /// Passes as [`Gates::pass`] does, leaving the lane once the call is in line.
    pub(crate) async fn pass_from(
        &self,
        lane: Option<Lane>,
        paths: Vec<PathBuf>,
        wide: bool,
        effect: Effect,
    ) -> Vec<Pass> {
        let mut pass = pin!(self.pass(paths, wide, effect));
        let first = poll_fn(|cx| Poll::Ready(pass.as_mut().poll(cx))).await;
        drop(lane);
        match first {
            Poll::Ready(passes) => passes,
            Poll::Pending => pass.await,
        }
    }

    /// Waits until no earlier call changes these real paths, and for a change until none works on
    /// them. A `wide` call may look anywhere, so it waits for all earlier changes; nobody waits
    /// for it.
    async fn pass(&self, mut paths: Vec<PathBuf>, wide: bool, effect: Effect) -> Vec<Pass> {
        let earlier = if wide { self.changes.lock().clone() } else { Vec::new() };
        for change in earlier {
            drop(change.read().await);
        }
        paths.sort_unstable(); // one order for all, so that two calls never wait for each other
        paths.dedup();
        let mut passes = Vec::with_capacity(paths.len() + 1);
        let changes = effect.has(Effect::WRITES);
        // What a page may give while it is used is not waited for: nobody knows whether it comes.
        let is_page = effect.has(Effect::CONNECTS) && paths.is_empty();
        if changes && !is_page {
            let change = Gate::default();
            passes.push(Pass::Alone(Arc::clone(&change).write_owned().await)); // nobody has it yet
            let mut all = self.changes.lock();
            all.retain(|gate| Arc::strong_count(gate) > 1);
            all.push(change);
        }
        for gate in self.gates(paths) {
            passes.push(if changes {
                Pass::Alone(gate.write_owned().await)
            } else {
                Pass::Shared(gate.read_owned().await)
            });
        }
        passes
    }

    fn gates(&self, paths: Vec<PathBuf>) -> Vec<Gate> {
        let mut gates = self.files.lock();
        if gates.len() > 256 {
            gates.retain(|_, gate| Arc::strong_count(gate) > 1);
        }
        paths.into_iter().map(|path| gates.entry(path).or_default().clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::Duration;

    use tokio::time::timeout;

    use super::Gates;
    use crate::effect::Effect;

    #[tokio::test]
    async fn a_look_at_everything_waits_for_changes_and_holds_up_none() {
        let gates = Gates::default();
        let at = |name: &str| vec![PathBuf::from(name)];
        let soon = Duration::from_millis(50);
        let change = gates.pass(at("/a"), false, Effect::WRITES).await;
        let look = gates.pass(Vec::new(), true, Effect::READS);
        tokio::pin!(look);
        assert!(timeout(soon, &mut look).await.is_err(), "a change is under way");
        let other = gates.pass(at("/b"), false, Effect::WRITES);
        drop(timeout(soon, other).await.expect("nobody works on it"));
        drop(change);
        assert!(timeout(soon, look).await.is_ok());
    }
}
