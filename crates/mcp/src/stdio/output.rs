//! Lines to a client: whatever is ready goes out in one write, and a client that does not read
//! stops us from reading on instead of filling the memory.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// With more bytes than this waiting, nothing new is started.
const ROOM: usize = 4 << 20;
/// A buffer that has grown over this is given back.
const REUSED: usize = 1 << 20;

#[derive(Debug, Default)]
struct Queue {
    lines: Vec<u8>,
    /// Bytes on their way to the client, no longer in `lines`.
    leaving: usize,
    closed: bool,
}

/// The queue of lines that leave.
#[derive(Debug, Default)]
pub(super) struct Output {
    queue: Mutex<Queue>,
    writes: AtomicU64,
    filled: Notify,
    drained: Notify,
}

impl Output {
    /// Adds what `write` writes, if anything, as a line. It is dropped if nobody can read it.
    pub(super) fn line(&self, write: impl FnOnce(&mut Vec<u8>)) {
        let mut queue = self.queue.lock();
        if queue.closed {
            return;
        }
        let before = queue.lines.len();
        write(&mut queue.lines);
        if queue.lines.len() > before {
            queue.lines.push(b'\n');
            self.filled.notify_one();
        }
    }

    /// Waits until the client has read enough.
    pub(super) async fn room(&self) {
        loop {
            let drained = self.drained.notified();
            tokio::pin!(drained);
            drained.as_mut().enable();
            {
                let queue = self.queue.lock();
                if queue.closed || queue.lines.len() + queue.leaving <= ROOM {
                    return;
                }
            }
            drained.await;
        }
    }

    /// Ends the queue; what is in it still leaves.
    pub(super) fn close(&self) {
        self.queue.lock().closed = true;
        self.filled.notify_one();
        self.drained.notify_waiters();
    }

    /// Writes until the queue is closed and empty, or nobody reads; then `broken` is cancelled.
    pub(super) async fn drain<W: AsyncWrite + Unpin>(
        self: Arc<Self>,
        mut to: W,
        broken: CancellationToken,
    ) {
        let mut lines = Vec::new();
        loop {
            let closed = self.take(&mut lines);
            if lines.is_empty() {
                if closed {
                    return;
                }
                self.filled.notified().await;
                tokio::task::yield_now().await; // answers that are ready in this round join the write
                continue;
            }
            if self.write(&mut to, &lines).await.is_err() {
                self.close();
                broken.cancel();
                return;
            }
        }
    }

    async fn write(&self, to: &mut (impl AsyncWrite + Unpin), lines: &[u8]) -> io::Result<()> {
        let mut rest = lines;
        while !rest.is_empty() {
            match to.write(rest).await? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                written => rest = &rest[written..],
            }
            self.writes.fetch_add(1, Ordering::Relaxed);
        }
        to.flush().await
    }

    /// How often the client took something.
    pub(super) fn writes(&self) -> u64 {
        self.writes.load(Ordering::Relaxed)
    }

    /// Swaps the written lines for those that wait.
    fn take(&self, lines: &mut Vec<u8>) -> bool {
        lines.clear();
        lines.shrink_to(REUSED);
        let mut queue = self.queue.lock();
        std::mem::swap(&mut queue.lines, lines);
        queue.leaving = lines.len();
        self.drained.notify_waiters();
        queue.closed
    }
}
