//! Commands that ran in their layers, kept until the client comes again with the answer.
//!
//! A client that asks by itself gets the question as a result. Run anew for the answer, a command
//! could do something else than what was shown (a time, a random name), and would be asked about
//! endlessly; so what was shown is what a yes brings in.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::Value;

use super::approval::Asked;
use super::{Asking, Call};

/// Most commands of a session that wait; of more, the oldest runs again if its answer comes.
const MOST: usize = 8;

/// The commands of a session that wait for an answer.
#[derive(Default)]
pub(crate) struct Waiting(Mutex<VecDeque<Command>>);

/// How long they wait: longer than a person is asked.
const EXPIRY: Duration = Duration::from_secs(15 * 60);

struct Command {
    until: Instant,
    tool: String,
    input: Value,
    asked: Asked,
}

impl Waiting {
    /// Keeps what a command did, if it ran.
    pub(super) fn keep(&self, call: &Call, asked: Asked) {
        if asked.rehearsed.is_none() {
            return;
        }
        let now = Instant::now();
        let (tool, input) = (call.tool.clone(), call.input.clone());
        let mut waiting = self.0.lock();
        waiting.retain(|command| command.until > now);
        waiting.truncate(MOST - 1);
        waiting.push_front(Command { until: now + EXPIRY, tool, input, asked });
    }

    /// What the command of this call did, if the call brings the answer to the question about it.
    pub(super) fn take(&self, call: &Call) -> Option<Asked> {
        let Asking::Answered(digest, _) = &call.asking else { return None };
        let mut waiting = self.0.lock();
        let is_it = |command: &Command| {
            command.until > Instant::now()
                && command.asked.question.digest == *digest
                && command.tool == call.tool
                && command.input == call.input
        };
        let at = waiting.iter().position(is_it)?;
        waiting.remove(at).map(|command| command.asked)
    }
}
