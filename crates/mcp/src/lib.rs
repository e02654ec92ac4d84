//! The Model Context Protocol: the tools of a session for any client that speaks it, in both eras
//! of the protocol, with and without `initialize`.
//!
//! What a client sees is decided in `server` and the modules beside it. A transport is one module,
//! such as [`stdio`]: it gives the server messages, which `rpc` reads, and carries back answers.

mod attend;
pub mod client;
mod listing;
mod profile;
mod questions;
mod result;
mod rpc;
mod server;
pub mod stdio;

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::transport::Transport;
use tokio_util::sync::CancellationToken;
use toolkit::Session;

use server::Server;

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

/// Serves a session to the client at the other end of a transport, until nothing more comes from
/// it. The transport cancels `ending` then: calls that still run are cancelled, and this returns
/// within a second. A client that can ask its user takes a seat at the desk for its session.
async fn serve(
    session: Arc<Session>,
    transport: impl Transport<RoleServer> + 'static,
    bounds: Bounds,
    ending: CancellationToken,
) {
    let server = Server::new(session, bounds, ending);
    // Not through the library's own opening: it ends when a notification comes first, and answers
    // nothing but `ping` and `initialize` to clients that are early.
    let _ = rmcp::service::serve_directly(server, transport, None).waiting().await;
}
