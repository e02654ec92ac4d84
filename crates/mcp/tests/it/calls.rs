//! Calls: results, failures, progress, cancelling, many at once.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use mcp::Bounds;
use serde_json::{Value, json};
use toolkit::Policy;

use crate::client::{Client, newer, text};

async fn greeted() -> Client {
    Client::named("test", Policy::Trust, Bounds::default(), json!({})).await
}

#[tokio::test]
async fn text_is_one_text_and_fields_are_both() {
    let mut client = greeted().await;
    let answer = client.call("say", json!({"text": "hello"})).await;
    assert_eq!(
        answer["result"],
        json!({"content": [{"type": "text", "text": "hello"}], "isError": false})
    );
    let answer = client.call("add", json!({"numbers": [40, 2]})).await;
    assert_eq!(text(&answer), r#"{"total":42}"#);
    assert_eq!(answer["result"]["structuredContent"], json!({"total": 42}));
}

#[tokio::test]
async fn a_failing_tool_is_a_result_that_says_why_in_both_halves() {
    let mut client = greeted().await;
    let answer = client.call("say", json!({"text": "fail"})).await;
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(text(&answer), "error: text: not this; say something else");
    let error = &answer["result"]["structuredContent"]["error"];
    assert_eq!(error["code"], "InvalidInput");
    assert_eq!(error["message"], "text: not this; say something else");
    assert_eq!(error["details"], json!({"field": "text"}));
}

#[tokio::test]
async fn a_failure_never_breaks_the_schema_of_its_tool() {
    let mut client = greeted().await;
    let answer = client.call("add", json!({"numbers": [i64::MAX, 1]})).await;
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(text(&answer), "error: numbers: too large; use smaller ones");
    assert!(answer["result"].get("structuredContent").is_none());
}

#[tokio::test]
async fn wrong_arguments_are_results_that_name_the_field() {
    let mut client = greeted().await;
    let answer = client.call("add", json!({"numbers": [1, {}]})).await;
    assert_eq!(answer["result"]["isError"], true);
    assert!(text(&answer).contains("numbers[1]"), "{answer}");
    let answer = client.ask("tools/call", json!({"name": "say"})).await;
    assert!(text(&answer).contains("text"), "{answer}");
}

#[tokio::test]
async fn an_unknown_tool_is_a_fault_that_names_near_ones() {
    let mut client = greeted().await;
    let answer = client.call("sayy", json!({"text": "hello"})).await;
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(
        answer["error"]["message"],
        "sayy: no such tool in the toolset test; did you mean say?"
    );
    assert_eq!(answer["error"]["data"]["code"], "UnknownTool");
}

#[tokio::test]
async fn a_panic_is_an_answer_and_the_server_lives_on() {
    let mut client = greeted().await;
    let answer = client.call("say", json!({"text": "panic"})).await;
    assert_eq!(answer["result"]["isError"], true);
    assert!(text(&answer).contains("said so"), "{answer}");
    let answer = client.call("trip", json!({})).await;
    let said = answer["error"]["code"] == -32603 || answer["result"]["isError"] == true;
    assert!(said, "{answer}");
    assert_eq!(text(&client.call("say", json!({"text": "alive"})).await), "alive");
}

#[tokio::test]
async fn a_thousand_calls_in_one_write_are_each_answered_once() {
    let mut client = greeted().await;
    let mut lines = String::new();
    for id in 0..1000 {
        let params = json!({"name": "say", "arguments": {"text": format!("<{id}>")}});
        lines += &json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
            .to_string();
        lines.push('\n');
    }
    client.send(lines).await;
    let mut seen = HashSet::new();
    for _ in 0..1000 {
        let answer = client.next().await;
        let id = answer["id"].as_u64().unwrap();
        assert_eq!(text(&answer), format!("<{id}>"));
        assert!(seen.insert(id), "{id} was answered twice");
    }
    client.nothing_more().await;
}

#[tokio::test]
async fn a_fast_call_does_not_wait_for_a_slow_one() {
    let mut client = greeted().await;
    client.start("slow", "wait", json!({"milliseconds": 20_000})).await;
    client.start("fast", "say", json!({"text": "hello"})).await;
    assert_eq!(client.next().await["id"], "fast");
    client
        .send(
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"slow"}}"#,
        )
        .await;
    client.nothing_more().await;
}

#[tokio::test]
async fn a_cancelled_call_stops_and_is_never_answered() {
    let mut client = Client::named(
        "test",
        Policy::Trust,
        Bounds { requests: 2, ..Bounds::default() },
        json!({}),
    )
    .await;
    for id in 0..20 {
        client.start(id, "wait", json!({"milliseconds": 20_000})).await;
        let cancel = json!({"requestId": id, "reason": "changed my mind"});
        client
            .send_json(
                &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel}),
            )
            .await;
    }
    // Each of them would have held one of two places for twenty seconds.
    let started = Instant::now();
    client.nothing_more().await;
    assert!(started.elapsed() < Duration::from_secs(15));
}

#[tokio::test]
async fn cancelling_what_is_done_or_never_was_changes_nothing() {
    let mut client = greeted().await;
    client.call("say", json!({"text": "hello"})).await;
    for id in ["1", "2", "\"x\"", "null", "{}"] {
        let line = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
        );
        client.send(line).await;
    }
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#).await;
    client.nothing_more().await;
}

#[tokio::test]
async fn long_calls_say_that_they_are_alive_if_the_client_wants_to_hear_it() {
    let bounds = Bounds { progress_every: Duration::from_millis(50), ..Bounds::default() };
    let mut client = Client::named("test", Policy::Trust, bounds, json!({})).await;
    for request in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params":
            {"name": "wait", "arguments": {"milliseconds": 400}, "_meta": {"progressToken": "p"}}}),
        newer(
            1,
            "tools/call",
            json!({"name": "wait", "arguments": {"milliseconds": 400}}),
            json!({}),
        ),
    ] {
        let mut request = request;
        request["params"]["_meta"]["progressToken"] = json!("p");
        client.send_json(&request).await;
        let mut last = 0.0;
        let mut heard = 0;
        loop {
            let line = client.next().await;
            if line["method"] != "notifications/progress" {
                assert_eq!(text(&line), "waited");
                break;
            }
            heard += 1;
            assert_eq!(line["params"]["progressToken"], "p");
            assert!(
                line["params"]["message"].as_str().unwrap().starts_with("wait has been running")
            );
            let progress = line["params"]["progress"].as_f64().unwrap();
            assert!(progress > last, "{progress} after {last}");
            last = progress;
        }
        assert!(heard >= 2, "{heard}");
    }
    client.start(2, "wait", json!({"milliseconds": 200})).await;
    assert_eq!(client.next().await["id"], 2, "progress that nobody asked for");
}

#[tokio::test]
async fn a_client_that_does_not_read_stops_the_reading() {
    let bounds = Bounds { requests: 10, ..Bounds::default() };
    let mut client = Client::named("test", Policy::Trust, bounds, json!({})).await;
    let mut sent = 0;
    let call =
        json!({"name": "say", "arguments": {"text": "0123456789".repeat(1000), "times": 20}});
    let line = |id| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call}).to_string()
    };
    // 200 KB each: without a stop all would be taken.
    while sent < 500
        && tokio::time::timeout(Duration::from_secs(3), client.send(line(sent))).await.is_ok()
    {
        sent += 1;
    }
    assert!((10..200).contains(&sent), "{sent} calls were taken");
}

#[tokio::test]
async fn with_one_place_calls_run_one_after_the_other() {
    let bounds = Bounds { requests: 1, ..Bounds::default() };
    let mut client = Client::named("test", Policy::Trust, bounds, json!({})).await;
    client.start(1, "wait", json!({"milliseconds": 50})).await;
    client.start(2, "say", json!({"text": "second"})).await;
    let order: Vec<Value> =
        vec![client.next().await["id"].clone(), client.next().await["id"].clone()];
    assert_eq!(order, [1, 2]);
}
