//! Many calls at once.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use fault::Code;
use toolkit::serde_json::json;
use toolkit::testing::block_on;
use toolkit::{Call, Policy, call};

use crate::{place, session, tools};

#[test]
fn three_thousand_calls_at_once_work_a_few_at_a_time() {
    let place = place();
    let session = session(&place, Policy::Trust);
    let cancelled = block_on(async {
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..3000 {
            let session = std::sync::Arc::clone(&session);
            calls.spawn(async move { call(&session, Call::new("wait", json!({}))).await });
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        // One that is cancelled while it waits for a slot does not wait for its turn.
        let waiting = Call::new("wait", json!({}));
        let cancel = waiting.cancel.clone();
        let began = Instant::now();
        let (outcome, ()) = tokio::join!(call(&session, waiting), async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            cancel.cancel();
        });
        assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
        while let Some(done) = calls.join_next().await {
            assert_eq!(done.unwrap().done().unwrap().error, None);
        }
        outcome.done().unwrap().error.unwrap().code
    });
    assert_eq!(cancelled, Code::Cancelled);
    let most = tools::RUNNING.1.load(Ordering::SeqCst);
    assert!((2..=16).contains(&most), "{most} at once");
}
