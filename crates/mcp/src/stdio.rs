//! The protocol over lines: what comes in is bounded and always answered, what goes out is whole
//! lines, and the ids of a client are its own.
//!
//! The library beneath knows requests by ids of ours, so that an id may be anything JSON has, may
//! be used twice, and a late answer never meets a new request.

mod idle;
mod input;
mod output;

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::future::{Future, ready};
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ErrorData, GetExtensions as _, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use toolkit::Session;

use crate::Bounds;
use crate::rpc::{self, Fault, Message};
use input::{Input, Read};
use output::Output;

/// Most messages of a batch.
const BATCH: usize = 100;
/// How long nothing comes until the server gives back what it does not need meanwhile.
const IDLE: Duration = Duration::from_secs(2);
/// How long answers may sit unread before a client that has closed its input is taken to be gone.
const UNREAD: Duration = Duration::from_secs(3);
/// How long the last answers may take to leave when the server ends.
const LAST_WRITE: Duration = Duration::from_millis(200);

/// Serves a session to the client at the other end of two streams, until the client ends its
/// stream, nobody reads the answers any more, or `stop` is cancelled.
pub async fn serve(
    session: Arc<Session>,
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
    bounds: Bounds,
    stop: CancellationToken,
) {
    serve_until(session, (reader, writer), bounds, stop, || false).await;
}

async fn serve_until(
    session: Arc<Session>,
    (reader, writer): (
        impl AsyncRead + Send + Unpin + 'static,
        impl AsyncWrite + Send + Unpin + 'static,
    ),
    bounds: Bounds,
    stop: CancellationToken,
    is_over: fn() -> bool,
) {
    let ending = CancellationToken::new();
    let transport = Stdio { is_over, ..Stdio::new(reader, writer, &bounds, &stop, ending.clone()) };
    crate::serve(session, transport, bounds, ending).await;
}

/// The same on this process's standard streams.
pub async fn serve_own(session: Arc<Session>, bounds: Bounds, stop: CancellationToken) {
    let streams = rmcp::transport::stdio_pipes();
    serve_until(session, streams, bounds, stop, input::is_own_over).await;
}

/// A client at the other end of two streams.
struct Stdio<R> {
    input: Input<R>,
    output: Arc<Output>,
    writer: Option<JoinHandle<()>>,
    /// Messages of batches that were not looked at yet.
    rest: VecDeque<(String, u64)>,
    batches: HashMap<u64, Batch>,
    /// Requests that were not answered yet, by the id they have beneath.
    open: HashMap<i64, Origin>,
    count: i64,
    slots: Arc<Semaphore>,
    /// The slot of the next request, taken before its line is read.
    next: Option<OwnedSemaphorePermit>,
    stop: CancellationToken,
    ending: CancellationToken,
    /// Whether the client has ended its stream, though not all of it was read.
    is_over: fn() -> bool,
}

/// Where an answer belongs.
struct Origin {
    /// The client's id, as JSON.
    id: Box<str>,
    batch: Option<u64>,
    withdrawn: Withdrawn,
}

/// Goes with a request and is cancelled when the client no longer wants it. The library would drop the
/// answer then; but of a call whose work was done all the same, the client has to know.
#[derive(Clone, Debug, Default)]
pub(crate) struct Withdrawn(pub(crate) CancellationToken);

#[derive(Default)]
struct Batch {
    /// Messages that have no answer yet.
    left: usize,
    answers: Vec<u8>,
}

/// Goes with a request and is held as long as the work on it goes on, also when the client no longer
/// waits: so the work is bounded, not only the answers.
#[derive(Clone)]
struct Slot(#[expect(dead_code, reason = "held, not read")] Arc<OwnedSemaphorePermit>);

impl<R: AsyncRead + Send + Unpin> Stdio<R> {
    /// `ending` is cancelled when nothing more will come or `stop` is.
    fn new(
        reader: R,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        bounds: &Bounds,
        stop: &CancellationToken,
        ending: CancellationToken,
    ) -> Self {
        let output = Arc::new(Output::default());
        let stop = stop.child_token();
        let writer = tokio::spawn(Arc::clone(&output).drain(writer, stop.clone()));
        Self {
            input: Input::new(reader, bounds.line_bytes),
            output,
            writer: Some(writer),
            rest: VecDeque::new(),
            batches: HashMap::new(),
            open: HashMap::new(),
            count: 0,
            slots: Arc::new(Semaphore::new(bounds.requests)),
            next: None,
            stop,
            ending,
            is_over: || false,
        }
    }

    /// The next message that is for the server; everything else is answered here.
    async fn message(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if !has_room(&self.output, self.is_over).await {
                return None;
            }
            if self.next.is_none() {
                self.next = Some(Arc::clone(&self.slots).acquire_owned().await.ok()?);
            }
            let message = if let Some((text, batch)) = self.rest.pop_front() {
                self.one(&text, Some(batch))
            } else {
                match next_or_idle(self.input.next(), self.open.is_empty()).await {
                    Ok(Read::Line(line)) => {
                        let message = self.line(&line);
                        self.input.reuse(line);
                        message
                    }
                    Ok(Read::TooLong(id)) => {
                        self.too_long(id.as_deref().unwrap_or("null"));
                        None
                    }
                    Ok(Read::End) => return None,
                    Err(e) => {
                        tracing::warn!("the client cannot be read any more: {e}");
                        return None;
                    }
                }
            };
            if message.is_some() {
                return message;
            }
        }
    }

    fn line(&mut self, line: &[u8]) -> Option<ClientJsonRpcMessage> {
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
        match std::str::from_utf8(line) {
            Ok("") => {}
            Ok(text) if text.starts_with('[') => self.batch(text),
            Ok(text) => return self.one(text, None),
            Err(error) => {
                let error = ErrorData::parse_error(format!("not UTF-8: {error}"), None);
                self.refuse(None, "null", &error);
            }
        }
        None
    }

    /// Batches were in the protocol once (2025-03-26) and went again; whoever sends one is served.
    fn batch(&mut self, text: &str) {
        let refusal = match serde_json::from_str::<Vec<&RawValue>>(text) {
            Err(error) => ErrorData::parse_error(format!("not JSON: {error}"), None),
            Ok(parts) if parts.is_empty() => {
                ErrorData::invalid_request("a batch must not be empty", None)
            }
            Ok(parts) if parts.len() > BATCH => {
                let all = parts.len();
                ErrorData::invalid_request(
                    format!(
                        "a batch of {all} messages, over the limit of {BATCH}; send one a line"
                    ),
                    None,
                )
            }
            Ok(parts) => {
                self.count += 1;
                let batch = self.count.unsigned_abs();
                self.batches.insert(batch, Batch { left: parts.len(), answers: Vec::new() });
                self.rest.extend(parts.iter().map(|part| (part.get().to_owned(), batch)));
                return;
            }
        };
        self.refuse(None, "null", &refusal);
    }

    fn one(&mut self, text: &str, batch: Option<u64>) -> Option<ClientJsonRpcMessage> {
        match rpc::read(text) {
            Err(Fault { id, error }) => self.refuse(batch, id, &error),
            Ok(Message::Nothing) => self.settle(batch, |_| {}),
            Ok(Message::Answer(message)) => {
                self.settle(batch, |_| {});
                return Some(*message);
            }
            Ok(Message::Cancelled { id }) => {
                let meant = self.open.values().filter(|origin| *origin.id == *id);
                meant.for_each(|origin| origin.withdrawn.0.cancel());
                self.settle(batch, |_| {});
            }
            Ok(Message::Request { id, method, params }) => match rpc::request(&method, params) {
                Err(error) => self.refuse(batch, id, &error),
                Ok(mut request) => {
                    let slot = Slot(Arc::new(self.next.take()?));
                    request.extensions_mut().insert(slot);
                    let withdrawn = Withdrawn::default();
                    request.extensions_mut().insert(withdrawn.clone());
                    self.forget_withdrawn(id);
                    self.count += 1;
                    self.open.insert(self.count, Origin { id: id.into(), batch, withdrawn });
                    return Some(JsonRpcMessage::request(request, RequestId::Number(self.count)));
                }
            },
        }
        None
    }

    fn too_long(&mut self, id: &str) {
        let limit = self.input.limit();
        let text = format!(
            "a line over the limit of {limit} bytes; send less in one message, or name a file"
        );
        self.refuse(None, id, &ErrorData::invalid_request(text, None));
    }

    fn refuse(&mut self, batch: Option<u64>, id: &str, error: &ErrorData) {
        self.settle(batch, |out| rpc::response(out, id, "error", error));
    }

    fn answer(&mut self, id: &RequestId, field: &str, value: &impl Serialize) {
        let RequestId::Number(key) = id else { return };
        let Some(origin) = self.open.remove(key) else { return };
        // What was withdrawn in time has no answer.
        let is_silent = origin.withdrawn.0.is_cancelled() && field == "error";
        self.settle(origin.batch, |out| {
            if !is_silent {
                rpc::response(out, &origin.id, field, value);
            }
        });
    }

    /// Answers no withdrawn request of this id any more: the client uses it anew.
    fn forget_withdrawn(&mut self, id: &str) {
        let is_meant =
            |_: &i64, origin: &mut Origin| *origin.id == *id && origin.withdrawn.0.is_cancelled();
        let forgotten: Vec<_> = self.open.extract_if(is_meant).collect();
        for (_, origin) in forgotten {
            self.settle(origin.batch, |_| {});
        }
    }

    /// Sends an answer, or keeps it until its batch is complete. Nothing written is no answer.
    fn settle(&mut self, batch: Option<u64>, write: impl FnOnce(&mut Vec<u8>)) {
        let Some(number) = batch else { return self.output.line(write) };
        let Some(batch) = self.batches.get_mut(&number) else { return };
        let before = batch.answers.len();
        batch.answers.push(b',');
        write(&mut batch.answers);
        if batch.answers.len() == before + 1 {
            batch.answers.pop();
        }
        batch.left -= 1;
        if batch.left == 0
            && let Some(Batch { mut answers, .. }) = self.batches.remove(&number)
            && let Some(first) = answers.first_mut()
        {
            *first = b'[';
            answers.push(b']');
            self.output.line(|out| out.extend_from_slice(&answers));
        }
    }
}

impl<R: AsyncRead + Send + Unpin + 'static> Transport<RoleServer> for Stdio<R> {
    type Error = Infallible;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        match &item {
            JsonRpcMessage::Response(it) => self.answer(&it.id, "result", &it.result),
            JsonRpcMessage::Error(it) => match &it.id {
                Some(id) => self.answer(id, "error", &it.error),
                None => self.refuse(None, "null", &it.error),
            },
            ours => match serde_json::to_vec(ours) {
                Ok(text) => self.output.line(|out| out.extend_from_slice(&text)),
                Err(e) => tracing::error!("a message that is not JSON was not sent: {e}"),
            },
        }
        ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let stop = self.stop.clone();
        let message = tokio::select! {
            biased;
            () = stop.cancelled() => None,
            message = self.message() => message,
        };
        if message.is_none() {
            self.ending.cancel();
        }
        message
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        self.output.close();
        if let Some(mut writer) = self.writer.take()
            && tokio::time::timeout(LAST_WRITE, &mut writer).await.is_err()
        {
            writer.abort();
        }
        Ok(())
    }
}

/// Waits until the client has read enough; false if it never will. One that has gone away while it
/// holds the other end of our output, as a shell script may, is not seen otherwise: the end of its
/// input is behind what is not read yet.
async fn has_room(output: &Output, is_over: fn() -> bool) -> bool {
    loop {
        let before = output.writes();
        match tokio::time::timeout(UNREAD, output.room()).await {
            Ok(()) => return true,
            Err(_) if output.writes() == before && is_over() => {
                tracing::warn!("the client ended its input and reads no answers");
                return false;
            }
            Err(_) => {}
        }
    }
}

/// Waits for what comes next; after a while in which nothing came and nothing was worked on, gives
/// back memory.
async fn next_or_idle<T>(next: impl Future<Output = T>, is_idle: bool) -> T {
    tokio::pin!(next);
    if !is_idle {
        return next.await;
    }
    tokio::select! {
        biased;
        next = &mut next => return next,
        () = tokio::time::sleep(IDLE) => idle::give_back(),
    }
    next.await
}
