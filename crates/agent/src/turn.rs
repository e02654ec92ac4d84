//! One turn of the loop: the model is asked, with a conversation that it can take, and the calls of
//! its answer are made.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fault::{Cancel, Error, Result};
use tokio::sync::mpsc;
use toolkit::Live;
use toolkit::programs::process::{self, Stream};

use crate::context::{SUMMARISE, shorten};
use crate::conversation::{Conversation, ms};
use crate::event::Event;
use crate::invoke::{Invoked, invoke, only_reads};
use crate::model::{CallResult, Heard, Message, Reply, Request, ToolCall};

/// Pieces of output that wait to be shown before a program has to wait.
const PIECES: usize = 64;

impl Conversation<'_> {
    /// Asks the model; nothing if somebody stopped it. A conversation that is too long is made
    /// shorter first, or once when the server says so.
    pub(crate) async fn answer(&mut self, cancel: &Cancel) -> Result<Option<Reply>> {
        if self.estimate() > self.context.most && !self.compact(cancel).await? {
            return Ok(None);
        }
        let first = self.ask(cancel).await;
        match first {
            Err(error) if error.is_context_too_long() => {
                // It takes less than was thought.
                self.context.most = self.context.most.min(self.estimate().saturating_sub(1));
                if !self.compact(cancel).await? {
                    return Ok(None);
                }
                self.ask(cancel).await
            }
            other => other,
        }
    }

    fn estimate(&self) -> u64 {
        self.context.estimate(&self.messages)
    }

    async fn ask(&mut self, cancel: &Cancel) -> Result<Option<Reply>> {
        self.turns = self.turns.saturating_add(1);
        let (turn, began) = (self.turns, Instant::now());
        self.tell(&Event::Request { turn, messages: self.messages.len() })?;
        let Some((reply, first_ms)) = self.exchange(None, began, cancel).await? else {
            return Ok(None);
        };
        let estimated = self.estimate();
        let (tokens, usd) = self.price(&reply, estimated);
        let ms = ms(began.elapsed());
        let event = Event::Reply { turn, reply: reply.clone(), first_ms, ms, usd, tokens };
        self.spent.add(&event);
        self.tell(&event)?;
        self.messages.push(Message::Reply(reply.clone()));
        self.context.measure(&self.messages, reply.usage);
        Ok(Some(reply))
    }

    /// Counts the tokens of an answer to a request of about so many tokens; gives them, and what they
    /// cost.
    fn price(&mut self, reply: &Reply, estimated: u64) -> (u64, Option<f64>) {
        let tokens = match reply.usage.input {
            Some(_) => reply.usage.known(),
            None => estimated + self.context.estimate_reply(reply),
        };
        self.tokens = self.tokens.saturating_add(tokens);
        (tokens, self.settings.price.and_then(|price| price.of(reply.usage)))
    }

    /// Sends one request: the conversation, or `instead` without tools. What comes of the answer is
    /// told as it comes, but for what is asked instead.
    async fn exchange(
        &mut self,
        instead: Option<&[Message]>,
        began: Instant,
        cancel: &Cancel,
    ) -> Result<Option<(Reply, Option<f64>)>> {
        let turn = self.turns;
        let request = match instead {
            Some(messages) => Request { system: SUMMARISE, messages, toolset: &self.no_tools },
            None => Request {
                system: &self.settings.system,
                messages: &self.messages,
                toolset: self.session.toolset(),
            },
        };
        let (mut first, mut failed, mut shown) = (None, None, String::new());
        let (record, hear) = (&mut self.record, &mut self.hear);
        let mut heard = |heard: Heard<'_>| match heard {
            Heard::Text(_) if instead.is_some() => {}
            Heard::Text(text) => {
                first.get_or_insert_with(|| ms(began.elapsed()));
                shown += text;
                hear(&Event::Text { text: text.to_owned() });
            }
            Heard::Retry { wait, why } => {
                let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                let retry = Event::Retry { turn, wait_ms, why: why.to_owned() };
                failed = failed.take().or(record.write(&retry).err());
                hear(&retry);
            }
        };
        let reply = tokio::select! {
            biased;
            () = cancelled(cancel) => None,
            reply = self.model.ask(&request, &mut heard) => Some(reply),
        };
        if let Some(error) = failed {
            return Err(error);
        }
        match reply {
            Some(Ok(reply)) => Ok(Some((reply, first))),
            other => {
                if !shown.is_empty() {
                    self.tell(&Event::Partial { turn, text: shown })?;
                }
                other.transpose().map(|_| None)
            }
        }
    }

    /// Puts a summary in the place of the older messages; false if somebody stopped it.
    async fn compact(&mut self, cancel: &Cancel) -> Result<bool> {
        let (before, began) = (self.estimate(), Instant::now());
        let stuck = |tokens, most| Err(Error::context_stuck(tokens, most));
        let Some(cut) = self.context.cut(&self.messages) else {
            return stuck(before, self.context.most);
        };
        let asked = [Message::User(self.context.transcript(&self.messages[..cut]))];
        self.turns = self.turns.saturating_add(1);
        self.tell(&Event::Request { turn: self.turns, messages: asked.len() })?;
        let Some((reply, _)) = self.exchange(Some(&asked), began, cancel).await? else {
            return Ok(false);
        };
        let (tokens, usd) = self.price(&reply, before);
        let kept = self.messages.len() - cut;
        shorten(&mut self.messages, kept, &reply.text);
        let after = self.estimate();
        let (turn, ms) = (self.turns, ms(began.elapsed()));
        let event = Event::Compaction { turn, reply, kept, before, after, ms, usd, tokens };
        self.spent.add(&event);
        self.tell(&event)?;
        if after > self.context.most { stuck(after, self.context.most) } else { Ok(true) }
    }

    /// Makes the first `whole` calls of an answer, at once if all of them only look, else one after
    /// the other. The rest was cut.
    pub(crate) async fn make(
        &mut self,
        calls: &[ToolCall],
        whole: usize,
        cancel: &Cancel,
    ) -> Result<()> {
        let (calls, cut) = calls.split_at(whole);
        let mut results = Vec::new();
        if calls.len() > 1 && calls.iter().all(|call| only_reads(&self.session, call)) {
            let mut running = Vec::new();
            for call in calls {
                self.tell_call(call)?;
                let invoked = invoke(Arc::clone(&self.session), call.clone(), cancel.clone(), None);
                running.push(tokio::spawn(invoked));
            }
            for (call, running) in calls.iter().zip(running) {
                let invoked = running.await.unwrap_or_else(|_| Invoked::broken(call));
                results.push(self.over(invoked)?);
            }
        } else {
            for call in calls {
                self.tell_call(call)?;
                let invoked = if cancel.is_cancelled() {
                    Invoked::left(call)
                } else {
                    self.watched(call, cancel).await
                };
                results.push(self.over(invoked)?);
            }
        }
        for call in cut {
            results.push(self.over(Invoked::cut(call))?);
        }
        self.messages.push(Message::Results(results));
        Ok(())
    }

    /// Makes a call; what its program prints is told as it comes.
    async fn watched(&mut self, call: &ToolCall, cancel: &Cancel) -> Invoked {
        let (to, mut printed) = mpsc::unbounded_channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let live = Live::beside(Watcher { to, waiting: Arc::clone(&waiting) });
        let session = Arc::clone(&self.session);
        let mut invoked = Box::pin(invoke(session, call.clone(), cancel.clone(), Some(live)));
        let mut show = |(stream, text): (Stream, String)| {
            waiting.fetch_sub(1, Ordering::Relaxed);
            let stream = Cow::Borrowed(if stream == Stream::Out { "stdout" } else { "stderr" });
            (self.hear)(&Event::Output { id: call.id.clone(), stream, text });
        };
        let invoked = loop {
            tokio::select! {
                biased;
                Some(piece) = printed.recv() => show(piece),
                invoked = &mut invoked => break invoked,
            }
        };
        while let Ok(piece) = printed.try_recv() {
            show(piece);
        }
        invoked
    }

    /// Answers calls that are not made: a provider takes no conversation with an open call.
    pub(crate) fn leave(&mut self, calls: &[ToolCall]) -> Result<()> {
        if calls.is_empty() {
            return Ok(());
        }
        let left = calls.iter().map(|call| self.over(Invoked::left(call)));
        let results = left.collect::<Result<_>>()?;
        self.messages.push(Message::Results(results));
        Ok(())
    }

    fn tell_call(&mut self, call: &ToolCall) -> Result<()> {
        let ToolCall { id, name, arguments, .. } = call.clone();
        self.tell(&Event::Call { id, tool: name, arguments })
    }

    /// Tells that a call is over.
    fn over(&mut self, invoked: Invoked) -> Result<CallResult> {
        let Invoked { result, error, step, wall, asked } = invoked;
        let CallResult { id, tool, text, pictures, .. } = result.clone();
        let error = error.map(|code| code.as_str().to_owned());
        let (ms, asked_ms) = (ms(wall), ms(asked));
        self.tell(&Event::Result { id, tool, text, pictures, error, call: step, ms, asked_ms })?;
        Ok(result)
    }
}

/// What takes the output of a program on its way to the face.
struct Watcher {
    to: mpsc::UnboundedSender<(Stream, String)>,
    /// Pieces that were not shown yet.
    waiting: Arc<AtomicUsize>,
}

impl process::Live for Watcher {
    fn show(&self, stream: Stream, text: &str) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let _ = self.to.send((stream, text.to_owned())); // a turn that is over shows nothing more
    }

    fn takes(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) < PIECES
    }
}

/// Waits until somebody stops it.
async fn cancelled(cancel: &Cancel) {
    while !cancel.is_cancelled() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
