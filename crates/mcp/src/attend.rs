//! Waits for a call beside everything that can happen meanwhile: the client cancels, wants to hear
//! that it is alive, or goes away.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use toolkit::{Call, Outcome, Session};

/// How long calls may go on when nothing more will come, and how long they have once cancelled:
/// whoever pipes a few requests in and closes the pipe still gets its answers.
const GRACE: Duration = Duration::from_millis(300);

/// Calls, and waits for the outcome.
///
/// # Errors
/// -32603 if the call fell over outside its own thread, or the server ends before it does.
pub(crate) async fn call(
    session: &Arc<Session>,
    call: Call,
    context: &RequestContext<RoleServer>,
    withdrawn: &CancellationToken,
    progress_every: Duration,
    ending: &CancellationToken,
) -> Result<Outcome, ErrorData> {
    let cancel = call.cancel.clone();
    let mut progress = pin!(progress(context, withdrawn, call.tool.clone(), progress_every));
    let mut work = pin!(unpanicked(toolkit::call(session, call)));
    let mut end = pin!(async {
        ending.cancelled().await;
        sleep(GRACE).await;
        cancel.cancel();
        sleep(GRACE).await;
    });
    loop {
        tokio::select! {
            biased;
            outcome = &mut work => return outcome,
            () = withdrawn.cancelled(), if !cancel.is_cancelled() => cancel.cancel(),
            () = &mut end => return Err(ErrorData::internal_error("the server ends", None)),
            never = &mut progress => match never {},
        }
    }
}

/// Says every so often that the call is alive, if the client wants to hear it.
async fn progress(
    context: &RequestContext<RoleServer>,
    withdrawn: &CancellationToken,
    tool: String,
    every: Duration,
) -> std::convert::Infallible {
    let Some(token) = context.meta.get_progress_token() else {
        return std::future::pending().await;
    };
    let started = Instant::now();
    loop {
        sleep(every).await;
        let seconds = started.elapsed().as_secs_f64();
        let param = ProgressNotificationParam::new(token.clone(), seconds)
            .with_message(format!("{tool} has been running for {seconds:.0} s"));
        if !withdrawn.is_cancelled() {
            let _ = context.peer.notify_progress(param).await;
        }
    }
}

/// The same future, with a panic as an error: the task of a request that panics is gone without an
/// answer.
async fn unpanicked<T>(work: impl Future<Output = T>) -> Result<T, ErrorData> {
    let mut work = pin!(work);
    poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx))) {
        Ok(poll) => poll.map(Ok),
        Err(_) => {
            tracing::error!("a call panicked outside its own thread");
            Poll::Ready(Err(ErrorData::internal_error(
                "a bug in Kitbag: the call panicked; the server keeps running, report it",
                None,
            )))
        }
    })
    .await
}
