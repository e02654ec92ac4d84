//! Lines from a client, bounded: a line over the limit is skipped as it comes and never held.

use std::collections::HashMap;
use std::io;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// What came.
pub(super) enum Read {
    /// One line without its end. Give the buffer back with [`Input::reuse`].
    Line(Vec<u8>),
    /// A line over the limit; its id as JSON, if it was seen.
    TooLong(Option<String>),
    /// Nothing more will come.
    End,
}

/// How much of the start and of the end of a skipped line is kept to look for its id: clients
/// write the id first or last.
const KEPT: usize = 512;
/// A buffer that has grown over this is not kept for the next line.
const REUSED: usize = 256 << 10;

pub(super) struct Input<R> {
    from: BufReader<R>,
    limit: usize,
    line: Vec<u8>,
    /// The end of the line that is being skipped; `line` has its start.
    skipped: Option<Vec<u8>>,
}

impl<R: AsyncRead + Unpin> Input<R> {
    pub(super) fn new(from: R, limit: usize) -> Self {
        Self {
            from: BufReader::with_capacity(64 << 10, from),
            limit,
            line: Vec::new(),
            skipped: None,
        }
    }

    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// The next line. Nothing is lost if the future is dropped before it is ready.
    pub(super) async fn next(&mut self) -> io::Result<Read> {
        loop {
            let chunk = self.from.fill_buf().await?;
            if chunk.is_empty() {
                return Ok(if self.line.is_empty() { Read::End } else { self.finish() });
            }
            let end = memchr::memchr(b'\n', chunk);
            let part = &chunk[..end.unwrap_or(chunk.len())];
            match &mut self.skipped {
                Some(tail) => keep_tail(tail, part),
                None if self.line.len() + part.len() > self.limit => {
                    let mut tail = Vec::new();
                    keep_tail(&mut tail, &self.line);
                    keep_tail(&mut tail, part);
                    self.line.extend(part.iter().take(KEPT.saturating_sub(self.line.len())));
                    self.line.truncate(KEPT);
                    self.line.shrink_to_fit();
                    self.skipped = Some(tail);
                }
                None => self.line.extend_from_slice(part),
            }
            let used = part.len() + usize::from(end.is_some());
            self.from.consume(used);
            if end.is_some() {
                return Ok(self.finish());
            }
        }
    }

    /// Takes the buffer of a line back.
    pub(super) fn reuse(&mut self, mut line: Vec<u8>) {
        if line.capacity() <= REUSED && self.line.is_empty() {
            line.clear();
            self.line = line;
        }
    }

    fn finish(&mut self) -> Read {
        let line = std::mem::take(&mut self.line);
        match self.skipped.take() {
            Some(tail) => Read::TooLong(id_at_start(&line).or_else(|| id_at_end(&tail))),
            None => Read::Line(line),
        }
    }
}

fn keep_tail(tail: &mut Vec<u8>, part: &[u8]) {
    tail.extend_from_slice(&part[part.len().saturating_sub(KEPT)..]);
    tail.drain(..tail.len().saturating_sub(KEPT));
}

/// The id in the last place of an object whose end this is. What follows the key must be one value
/// and the brace that ends the line, so no inner object can be taken for it.
fn id_at_end(tail: &[u8]) -> Option<String> {
    let tail = String::from_utf8_lossy(tail);
    let (_, after) = tail.rsplit_once("\"id\"")?;
    let value = after.trim_start().strip_prefix(':')?.trim_end().strip_suffix('}')?;
    as_id(value)
}

/// The id in an object whose start this is, if it is before the first value that is not
/// scalar: the start is closed after each field in turn until what is there can be read.
fn id_at_start(start: &[u8]) -> Option<String> {
    let start = String::from_utf8_lossy(start);
    start.match_indices(',').find_map(|(at, _)| {
        let closed = format!("{}}}", &start[..at]);
        let fields: HashMap<String, Value> = serde_json::from_str(&closed).ok()?;
        as_id(&fields.get("id")?.to_string())
    })
}

fn as_id(json: &str) -> Option<String> {
    match serde_json::from_str(json).ok()? {
        id @ (Value::String(_) | Value::Number(_)) => Some(id.to_string()),
        _ => None,
    }
}

/// Whether whoever writes to this process's standard input has gone, though not all that was written
/// is read yet.
#[expect(unsafe_code, reason = "a call of the C library that takes an address")]
pub(super) fn is_own_over() -> bool {
    let mut asked = libc::pollfd { fd: libc::STDIN_FILENO, events: libc::POLLRDHUP, revents: 0 };
    // SAFETY: the address is that of one such entry, which outlives the call; it does not wait.
    let ready = unsafe { libc::poll(&raw mut asked, 1, 0) };
    ready > 0 && asked.revents & (libc::POLLHUP | libc::POLLRDHUP) != 0
}
