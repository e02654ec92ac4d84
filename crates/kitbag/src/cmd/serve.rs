//! `kitbag serve`.

use std::io::IsTerminal as _;

use fault::Result;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use toolkit::{Category, Entry};

use crate::config::Common;
use crate::exit::Exit;
use crate::{compose, terminal};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(args: &Args) -> Result<Exit> {
    let session = compose::session(&args.common)?;
    session.project().watch();
    if std::io::stdin().is_terminal() {
        terminal::say(
            "this is an MCP server, and it waits for a host to speak JSON-RPC on standard input; \
             hosts start it themselves, see docs/guide/hosts.md for their settings; to call a tool \
             yourself, use `kitbag call`; Ctrl-C ends the server",
        );
    }
    let browses = |entry: &Entry| entry.spec.category == Category::Browser;
    if session.toolset().entries().iter().any(browses) {
        session.project().await_extensions();
    }
    let runtime = compose::runtime()?;
    runtime.block_on(async {
        let stop = CancellationToken::new();
        tokio::spawn(end_when_asked(stop.clone()));
        mcp::stdio::serve_own(session.clone(), mcp::Bounds::default(), stop).await;
    });
    // A tool that does not look at its cancel flag, or a read of a terminal, holds up nothing.
    runtime.shutdown_background();
    session.project().end();
    Ok(Exit::Success)
}

/// Stops the server when somebody asks the process to end.
async fn end_when_asked(stop: CancellationToken) {
    let (Ok(mut term), Ok(mut int)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return;
    };
    tokio::select! { _ = term.recv() => {}, _ = int.recv() => {} }
    stop.cancel();
}
