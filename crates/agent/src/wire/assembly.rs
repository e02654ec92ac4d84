//! From the pieces of an answer to the whole.

use crate::model::{Reply, Stop, ToolCall, Usage};

/// A piece of an answer.
#[derive(Debug)]
pub(crate) enum Delta {
    /// More text.
    Text(String),
    /// More of a call. Its number and its id say which; servers give either or both, the id often
    /// with the first piece alone.
    Call { number: Option<u64>, id: Option<String>, name: Option<String>, arguments: String },
    /// A whole call.
    Whole(ToolCall),
    /// What is known of the usage.
    Usage(Usage),
    /// Why the answer ends; what follows is at most the usage.
    Stop(Stop),
}

/// What a call takes beside its texts, about.
const CALL: usize = 100;

/// An answer as far as it came.
#[derive(Default)]
pub(crate) struct Assembly {
    reply: Reply,
    /// The number of each call.
    numbers: Vec<Option<u64>>,
    stop: Option<Stop>,
}

impl Assembly {
    pub(crate) fn take(&mut self, delta: Delta) {
        match delta {
            Delta::Text(text) => self.reply.text += &text,
            Delta::Call { number, id, name, arguments } => {
                let id = id.filter(|id| !id.is_empty());
                let call = self.call(number, id);
                if call.name.is_empty() {
                    call.name = name.unwrap_or_default();
                }
                call.arguments += &arguments;
            }
            Delta::Whole(call) => {
                self.numbers.push(None);
                self.reply.calls.push(call);
            }
            Delta::Usage(usage) => self.reply.usage.update(usage),
            Delta::Stop(stop) => self.stop = Some(stop),
        }
    }

    /// The call that a piece belongs to, a new one if it fits none. Another id is another call, also
    /// under the same number, which some servers never count up.
    fn call(&mut self, number: Option<u64>, id: Option<String>) -> &mut ToolCall {
        let fits = |at: &usize| {
            let own = &self.reply.calls[*at].id;
            self.numbers[*at] == number && id.as_ref().is_none_or(|id| id == own || own.is_empty())
        };
        let at = (0..self.numbers.len()).rev().find(fits).unwrap_or_else(|| {
            self.numbers.push(number);
            self.reply.calls.push(ToolCall::default());
            self.numbers.len() - 1
        });
        let call = &mut self.reply.calls[at];
        if let Some(id) = id {
            call.id = id;
        }
        call
    }

    /// How long the text and the arguments are so far.
    pub(crate) fn bytes(&self) -> usize {
        let calls =
            self.reply.calls.iter().map(|call| call.name.len() + call.arguments.len() + CALL);
        self.reply.text.len() + calls.sum::<usize>()
    }

    /// Whether the provider said that the answer is at its end.
    pub(crate) fn is_whole(&self) -> bool {
        self.stop.is_some()
    }

    /// The answer, each call with an id of its own.
    pub(crate) fn reply(mut self) -> Reply {
        for at in 0..self.reply.calls.len() {
            let (before, rest) = self.reply.calls.split_at_mut(at);
            let taken = |id: &str| before.iter().any(|call| call.id == id);
            let own = &mut rest[0].id;
            if own.is_empty() || taken(own) {
                *own = format!("call_{at}");
            }
        }
        self.reply.stop = self.stop.unwrap_or_default();
        self.reply
    }
}
