//! The Model Context Protocol: the tools of a session for any client that speaks it, in both eras
//! of the protocol, with and without `initialize`.
//!
//! What a client sees is decided in `server` and the modules beside it; how lines come and go is
//! `stdio`'s alone.

mod attend;
mod listing;
mod profile;
mod questions;
mod result;
mod server;
mod stdio;

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use toolkit::Session;

use server::Server;
use stdio::Stdio;

/// What a client may ask of the server.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Longest line, in bytes; a longer one is refused with an answer.
    pub line_bytes: usize,
    /// Most requests at work at once; what comes then waits unread until one is done. Their results
    /// are all that is held for a client that does not read.
    pub requests: usize,
    /// How long a person has to answer a question. Not every client that says it can ask does.
    pub question_time: Duration,
    /// How often a call that takes long says that it is alive, to clients that want to hear it.
    pub progress_every: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            line_bytes: 10 << 20,
            requests: 256,
            question_time: Duration::from_secs(300),
            progress_every: Duration::from_secs(2),
        }
    }
}

/// Serves a session to the client at the other end of two streams, until the client ends its
/// stream, nobody reads the answers any more, or `stop` is cancelled. Calls that still run are
/// cancelled then, and it returns within a second.
///
/// A client that can ask its user takes a seat at the desk for its session.
pub async fn serve(
    session: Arc<Session>,
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
    bounds: Bounds,
    stop: CancellationToken,
) {
    let ending = CancellationToken::new();
    let transport = Stdio::new(reader, writer, &bounds, &stop, ending.clone());
    let server = Server::new(session, bounds, ending);
    // Not through the library's own opening: it ends when a notification comes first, and answers
    // nothing but `ping` and `initialize` to clients that are early.
    let running = rmcp::service::serve_directly(server, transport, None);
    let _ = running.waiting().await;
}

/// Serves a session on this process's standard streams, on a runtime of its own, until the client
/// ends its stream, nobody reads, or `stop` is ready. Blocks.
///
/// # Errors
/// If the operating system has no runtime for us: too many open files or threads.
pub fn serve_stdio(
    session: Arc<Session>,
    bounds: Bounds,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let stopped = CancellationToken::new();
        let when = stopped.clone();
        tokio::spawn(async move {
            stop.await;
            when.cancel();
        });
        let (reader, writer) = rmcp::transport::stdio_pipes();
        serve(session, reader, writer, bounds, stopped).await;
    });
    // A tool that does not look at its cancel flag, or a read of a terminal, holds up nothing.
    runtime.shutdown_background();
    Ok(())
}
