//! How a conversation ends: promptly, whoever ends it, with the answers that were ready.

use std::time::{Duration, Instant};

use mcp::Bounds;
use serde_json::json;
use toolkit::Policy;

use crate::client::{Client, LONG};

/// What ends is gone long before the calls that were running would be.
const SOON: Duration = Duration::from_secs(10);

async fn waiting(stubborn: bool) -> Client {
    let mut client = Client::named("test", Policy::Trust, Bounds::default(), json!({})).await;
    client.start(7, "wait", json!({"milliseconds": 20_000, "stubborn": stubborn})).await;
    client.start(8, "say", json!({"text": "hello"})).await;
    assert_eq!(client.next().await["id"], 8);
    client
}

#[tokio::test]
async fn what_was_asked_before_the_end_is_answered() {
    let mut client = Client::named("test", Policy::Trust, Bounds::default(), json!({})).await;
    client.start(1, "say", json!({"text": "hello"})).await;
    client.start(2, "wait", json!({"milliseconds": 100})).await;
    let mut ids: Vec<_> = client.end().await.iter().map(|a| a["id"].as_i64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [1, 2]);
}

#[tokio::test]
async fn a_last_line_needs_no_end() {
    let mut client = Client::new();
    client.send_without_end(r#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#).await;
    assert_eq!(client.end().await, [json!({"jsonrpc": "2.0", "id": "last", "result": {}})]);
}

#[tokio::test]
async fn the_end_of_input_cancels_what_runs() {
    let started = Instant::now();
    let rest = waiting(false).await.end().await;
    assert!(started.elapsed() < SOON);
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert_eq!(rest[0]["id"], 7);
    assert!(
        rest[0]["result"]["content"][0]["text"].as_str().unwrap().contains("cancelled"),
        "{rest:?}"
    );
}

#[test]
fn a_tool_that_does_not_listen_holds_up_nothing() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let started = Instant::now();
    let rest = runtime.block_on(async { waiting(true).await.end().await });
    runtime.shutdown_background();
    assert!(started.elapsed() < SOON);
    assert_eq!(rest[0]["error"]["message"], "the server ends");
}

#[tokio::test]
async fn a_stop_from_outside_is_an_end() {
    let mut client = waiting(false).await;
    client.stop.cancel();
    assert_eq!(client.next().await["id"], 7);
    assert!(client.end().await.is_empty());
}

#[tokio::test]
async fn a_client_that_vanishes_ends_the_server_quietly() {
    let mut client = waiting(false).await;
    let started = Instant::now();
    client.stop_listening();
    let (server, to, _dir) = client.parts();
    drop(to);
    tokio::time::timeout(LONG, server).await.expect("the server did not end").unwrap();
    assert!(started.elapsed() < SOON);
}

#[tokio::test]
async fn a_question_that_waits_does_not_hold_up_the_end() {
    let form = json!({"elicitation": {}});
    let mut client = Client::named("test", Policy::Ask, Bounds::default(), form).await;
    client.start(1, "keep", json!({"path": "a", "content": "b"})).await;
    assert_eq!(client.next().await["method"], "elicitation/create");
    let started = Instant::now();
    client.end().await;
    assert!(started.elapsed() < SOON);
}

#[tokio::test]
async fn a_client_that_stops_listening_ends_the_server_too() {
    let mut client = waiting(false).await;
    client.stop_listening();
    client.send(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).await;
    let (server, _to, _dir) = client.parts();
    tokio::time::timeout(LONG, server).await.expect("the server did not end").unwrap();
}
