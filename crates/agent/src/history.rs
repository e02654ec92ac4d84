//! A conversation made again from its record, to go on with it.

use fault::Result;

use crate::context::shorten;
use crate::event::{Event, Line};
use crate::model::{CallResult, Message, ToolCall, Usage};
use crate::record::Spent;

/// What a record has of a conversation.
#[derive(Debug, Default)]
pub struct History {
    pub(crate) messages: Vec<Message>,
    pub(crate) turns: u32,
    pub(crate) spent: Spent,
    /// What all answers counted against a budget of tokens.
    pub(crate) tokens: u64,
    /// The messages that the last answer with a count made, and that count.
    pub(crate) measured: Option<(usize, Usage)>,
    results: Vec<CallResult>,
}

impl History {
    /// The conversation that the lines of a record tell.
    ///
    /// # Errors
    /// That of the first line that cannot be read: without it nobody knows what was said.
    pub fn of(lines: impl IntoIterator<Item = Result<Line>>) -> Result<Self> {
        let mut own = Self::default();
        for line in lines {
            own.take(line?.event);
        }
        own.answer_calls();
        Ok(own)
    }

    fn take(&mut self, event: Event) {
        self.spent.add(&event);
        match event {
            Event::Prompt { text } => {
                self.answer_calls();
                self.messages.push(Message::User(text));
            }
            Event::Request { turn, .. } => self.turns = turn,
            Event::Reply { reply, tokens, .. } => {
                self.answer_calls();
                self.count(tokens.max(reply.usage.known()));
                let usage = reply.usage;
                self.messages.push(Message::Reply(reply));
                self.measured = Some((self.messages.len(), usage));
            }
            Event::Result { id, tool, text, pictures, error, .. } => {
                let failed = error.is_some();
                self.results.push(CallResult { id, tool, text, failed, pictures });
            }
            Event::Compaction { reply, kept, tokens, .. } => {
                self.answer_calls();
                self.count(tokens.max(reply.usage.known()));
                shorten(&mut self.messages, kept, &reply.text);
                self.measured = None;
            }
            _ => {}
        }
    }

    fn count(&mut self, tokens: u64) {
        self.tokens = self.tokens.saturating_add(tokens);
    }

    /// Puts the results to the calls of the last answer. Calls that were not over when their
    /// process ended get a result too: a provider takes no conversation with an open call.
    fn answer_calls(&mut self) {
        let mut known = std::mem::take(&mut self.results);
        let Some(Message::Reply(reply)) = self.messages.last() else { return };
        if reply.calls.is_empty() {
            return;
        }
        let result = |call: &ToolCall| {
            let at = known.iter().position(|result| result.id == call.id);
            at.map(|at| known.swap_remove(at)).unwrap_or_else(|| CallResult {
                id: call.id.clone(),
                tool: call.name.clone(),
                text: "error: the session ended before the result; look at what was done"
                    .to_owned(),
                failed: true,
                pictures: Vec::new(),
            })
        };
        let results = reply.calls.iter().map(result).collect();
        self.messages.push(Message::Results(results));
    }
}
