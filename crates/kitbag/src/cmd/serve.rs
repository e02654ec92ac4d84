//! `kitbag serve`.

use fault::{Error, Result};
use tokio::signal::unix::{SignalKind, signal};

use super::Exit;
use crate::config::Common;
use crate::wire;

pub(super) fn run(common: &Common) -> Result<Exit> {
    let session = wire::session(common)?;
    let served = mcp::serve_stdio(session.clone(), mcp::Bounds::default(), stopped());
    session.project().end();
    served.map(|()| Exit::Success).map_err(|e| Error::io("standard input", &e))
}

/// Ready when somebody asks the server to end.
async fn stopped() {
    let (Ok(mut term), Ok(mut int)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return std::future::pending().await;
    };
    tokio::select! { _ = term.recv() => {}, _ = int.recv() => {} }
}
