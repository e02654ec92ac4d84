//! How long a conversation is, and how it is made shorter: the older part becomes a summary that
//! the model writes, the newer part stays as it is. A call is never separated from its result.

use std::fmt::Write as _;

use crate::model::{CallResult, Message, Reply, Usage};

/// Bytes of text that make a token, on the careful side for code and English.
const BYTES: usize = 3;
/// Tokens of what surrounds a message.
const AROUND: u64 = 8;
/// Tokens of a picture; providers count about so many for one of a screen.
const PICTURE: u64 = 1600;
/// Most tokens that are kept free for the answer, if settings name no other number.
const ANSWER: u64 = 8192;
/// Most bytes of one result, and of the arguments of one call, in what is summarised.
const PART: usize = 2000;

/// What the model is told that writes a summary.
pub(crate) const SUMMARISE: &str = "You are given the record of a session in which an agent works on \
    a project by calling tools. It has become too long for the agent, which will go on from your \
    summary alone, and from the last few messages. Write the summary with these headings, and \
    nothing else:\n\
    ## Task\nWhat the user wants, in their own words where these matter, with every constraint.\n\
    ## Done\nWhat was changed, with the paths of the files, and what was checked with which result.\n\
    ## Known\nFacts about the project that were found out and are still needed: paths, names, \
    commands that work, causes of failures, decisions with their reasons.\n\
    ## Next\nWhat is left to do, the next step first.\n\
    Be exact and short. Do not invent anything.";

/// The bounds of a conversation, and what is known of the model's tokens.
#[derive(Debug)]
pub(crate) struct Context {
    /// Most tokens of a request.
    pub(crate) most: u64,
    /// What comes before the messages, in tokens by their bytes.
    fixed: u64,
    /// How many tokens the model counts for one that is counted by bytes.
    ratio: f64,
}

impl Context {
    /// For a model that takes `window` tokens, the answer among them, with requests of which `fixed`
    /// bytes come before the messages.
    pub(crate) fn new(window: u64, max_output: Option<u32>, fixed: usize) -> Self {
        let answer = max_output.map_or(ANSWER, u64::from).min(window / 4);
        Self { most: window - answer, fixed: (fixed / BYTES) as u64, ratio: 1.0 }
    }

    /// Learns from what the provider counted for a request with its answer, the last of `messages`.
    pub(crate) fn measure(&mut self, messages: &[Message], usage: Usage) {
        if usage.input.is_some_and(|tokens| tokens > 0) {
            // No text is so far off: a server that says more counts something else.
            let ratio = usage.known() as f64 / self.by_bytes(messages) as f64;
            self.ratio = ratio.clamp(0.3, 3.0);
        }
    }

    fn by_bytes(&self, messages: &[Message]) -> u64 {
        self.fixed + messages.iter().map(tokens_of).sum::<u64>()
    }

    /// How many tokens the next request has, about.
    pub(crate) fn estimate(&self, messages: &[Message]) -> u64 {
        (self.by_bytes(messages) as f64 * self.ratio) as u64
    }

    /// How many tokens an answer has, about.
    pub(crate) fn estimate_reply(&self, reply: &Reply) -> u64 {
        (reply_bytes(reply) as f64 / BYTES as f64 * self.ratio) as u64
    }

    /// Where the newer part begins, which stays: about a quarter of the room for messages, and never at
    /// results without their calls. Nothing if there is no older part.
    pub(crate) fn cut(&self, messages: &[Message]) -> Option<usize> {
        let most = (self.most as f64 / self.ratio) as u64;
        let mut room = most.saturating_sub(self.fixed) / 4;
        let mut begin = messages.len();
        for (at, message) in messages.iter().enumerate().rev() {
            let (tokens, is_last) = (tokens_of(message), begin == messages.len());
            if tokens > room && !is_last {
                break;
            }
            room = room.saturating_sub(tokens);
            if !matches!(message, Message::Results(_)) {
                begin = at;
            }
        }
        // A summary of a summary alone would be nothing new.
        (begin > 1 && begin < messages.len()).then_some(begin)
    }

    /// What is summarised, as text that leaves room for the summary. Of what is too long the
    /// beginning, which has the task or an earlier summary, and the end.
    pub(crate) fn transcript(&self, messages: &[Message]) -> String {
        let mut text = String::new();
        for message in messages {
            write(&mut text, message);
        }
        let most = (self.most as usize).saturating_mul(BYTES) * 3 / 4;
        if text.len() > most {
            let head = text.floor_char_boundary(most / 4);
            let tail = text.ceil_char_boundary(text.len() - most * 3 / 4);
            let left = tail - head;
            text = format!("{}\n[{left} bytes are left out]\n{}", &text[..head], &text[tail..]);
        }
        text
    }
}

/// Puts a summary in the place of all but the last `kept` messages. An empty one takes no place.
pub(crate) fn shorten(messages: &mut Vec<Message>, kept: usize, summary: &str) {
    if summary.trim().is_empty() {
        return;
    }
    let cut = messages.len().saturating_sub(kept);
    let opening = Message::User(format!(
        "The conversation so far was too long. This is a summary of its older part; the newest \
         messages follow as they were.\n\n{summary}\n\nGo on with the task."
    ));
    messages.splice(..cut, [opening]);
}

fn reply_bytes(reply: &Reply) -> usize {
    let calls = reply.calls.iter().map(|c| c.name.len() + c.arguments.len() + c.id.len());
    reply.text.len() + calls.sum::<usize>()
}

fn tokens_of(message: &Message) -> u64 {
    let (bytes, pictures) = match message {
        Message::User(text) => (text.len(), 0),
        Message::Reply(reply) => (reply_bytes(reply), 0),
        Message::Results(results) => {
            let bytes = results.iter().map(|result| result.text.len() + result.id.len());
            (bytes.sum(), results.iter().map(|result| result.pictures.len()).sum())
        }
    };
    AROUND + (bytes / BYTES) as u64 + pictures as u64 * PICTURE
}

fn write(out: &mut String, message: &Message) {
    let _ = match message {
        Message::User(text) => writeln!(out, "[user]\n{text}\n"),
        Message::Reply(reply) => {
            let _ = writeln!(out, "[agent]\n{}", reply.text);
            for call in &reply.calls {
                let _ = writeln!(out, "> {} {}", call.name, fault::cut(&call.arguments, PART));
            }
            writeln!(out)
        }
        Message::Results(results) => {
            for CallResult { tool, text, .. } in results {
                let _ = writeln!(out, "[result of {tool}]\n{}", fault::cut(text, PART));
            }
            writeln!(out)
        }
    };
}
