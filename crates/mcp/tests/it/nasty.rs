//! Input that nobody should send. Each line is answered if it could be a request, none ends the
//! server.

use mcp::Bounds;
use proptest::prelude::*;
use serde_json::{Value, json};
use toolkit::Policy;

use crate::client::{Client, text};

async fn answered(client: &mut Client, line: impl AsRef<[u8]>) -> (Value, i64) {
    client.send(line).await;
    let answer = client.next().await;
    assert_eq!(answer["jsonrpc"], "2.0");
    let code = answer["error"]["code"].as_i64().unwrap_or_default();
    (answer["id"].clone(), code)
}

#[tokio::test]
async fn what_is_not_json_is_a_parse_error_without_an_id() {
    let mut client = Client::new();
    let deep = "[".repeat(100_000);
    let closed = format!("{deep}{}", "]".repeat(100_000));
    let hidden = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{deep}"#);
    for line in [
        "{",
        "hello",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"",
        "{}{}",
        "\u{0}",
        &deep,
        &hidden,
    ] {
        assert_eq!(answered(&mut client, line).await, (Value::Null, -32700), "{line:.50}");
    }
    assert_eq!(
        answered(&mut client, b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}").await,
        (Value::Null, -32700)
    );
    assert_eq!(answered(&mut client, b"\xff\xfe\x00").await, (Value::Null, -32700));
    client.send(closed).await;
    let answers = client.next().await;
    assert_eq!(answers[0]["error"]["code"], -32600, "a batch of one that is no request");
    client.nothing_more().await;
}

#[tokio::test]
async fn deep_arguments_are_refused_with_the_id() {
    let mut client = Client::new();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{{"name":"say","arguments":{{"text":{deep}}}}}}}"#
    );
    assert_eq!(answered(&mut client, line).await, (json!(4), -32602));
}

#[tokio::test]
async fn what_is_no_request_is_an_invalid_one() {
    let mut client = Client::new();
    for (line, id) in [
        ("42", Value::Null),
        ("\"text\"", Value::Null),
        ("null", Value::Null),
        ("{}", Value::Null),
        (r#"{"id":7}"#, json!(7)),
        (r#"{"jsonrpc":"2.0","id":7}"#, json!(7)),
        (r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#, json!(7)),
        (r#"{"id":7,"method":"ping"}"#, json!(7)),
        (r#"{"jsonrpc":"2.0","id":7,"method":3}"#, json!(7)),
        (r#"{"jsonrpc":"2.0","id":7,"method":"ping","method":"ping"}"#, json!(7)),
        (r#"{"jsonrpc":"2.0","id":7,"result":{},"error":{}}"#, json!(7)),
        (r#"{"jsonrpc":"2.0","method":""}"#, Value::Null),
    ] {
        assert_eq!(answered(&mut client, line).await, (id, -32600), "{line}");
    }
    client.nothing_more().await;
}

#[tokio::test]
async fn ids_come_back_as_they_were_sent() {
    let mut client = Client::new();
    for id in [
        "1",
        "0",
        "-5",
        "\"a\"",
        "\"\"",
        "\"\\u0061\\n\"",
        "1.5",
        "1.0",
        "1e3",
        "18446744073709551615",
        "123456789012345678901234567890",
    ] {
        client.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)).await;
        let line = client.next_line().await;
        assert_eq!(line, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    }
    for id in ["null", "true", "{}", "[1]", &format!("\"{}\"", "x".repeat(300))] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        assert_eq!(answered(&mut client, line).await, (Value::Null, -32600), "{id:.20}");
    }
}

#[tokio::test]
async fn an_id_that_is_used_twice_gets_both_answers() {
    let mut client = Client::named("test", Policy::Trust, Bounds::default(), json!({})).await;
    client.start(1, "wait", json!({"milliseconds": 200})).await;
    client.start(1, "say", json!({"text": "hello"})).await;
    let (first, second) = (client.next().await, client.next().await);
    assert_eq!((text(&first), text(&second)), ("hello", "waited"));
    assert_eq!((&first["id"], &second["id"]), (&json!(1), &json!(1)));
}

#[tokio::test]
async fn methods_and_parameters_that_are_wrong_are_named() {
    let mut client = Client::new();
    for method in
        ["no/such", "resources/list", "prompts/list", "logging/setLevel", "completion/complete"]
    {
        let answer = client.ask(method, json!({"x": 1})).await;
        assert_eq!(answer["error"]["code"], -32601, "{method}");
        assert!(answer["error"]["message"].as_str().unwrap().starts_with(method));
    }
    for params in [
        json!([]),
        json!(5),
        json!({}),
        json!({"name": 5}),
        json!({"name": "say", "arguments": "x"}),
    ] {
        let answer = client.ask("tools/call", params.clone()).await;
        assert_eq!(answer["error"]["code"], -32602, "{params}");
        assert!(answer["error"]["message"].as_str().unwrap().starts_with("params: "), "{answer}");
    }
    assert_eq!(client.ask("initialize", json!({})).await["error"]["code"], -32602);
    client.send(r#"{"jsonrpc":"2.0","id":9,"method":"ping","params":null}"#).await;
    assert_eq!(client.next().await["result"], json!({}));
}

#[tokio::test]
async fn a_line_over_the_limit_is_answered_and_skipped() {
    let mut client = Client::new();
    let huge = "x".repeat(12 << 20);
    let first = format!(
        r#"{{"jsonrpc":"2.0","id":"first","method":"tools/call","params":{{"a":"{huge}"}}}}"#
    );
    let last = format!(
        r#"{{"method":"tools/call","params":{{"id":3,"a":"{huge}"}},"jsonrpc":"2.0","id":17}}"#
    );
    let inner = format!(r#"{{"method":"tools/call","params":{{"a":"{huge}","id":3}}}}"#);
    let string = format!(r#"{{"method":"tools/call","params":"{huge}\"id\":5}}"}}"#);
    for (line, id) in [
        (first, json!("first")),
        (last, json!(17)),
        (inner, Value::Null),
        (string, Value::Null),
        (huge, Value::Null),
    ] {
        client.send(line).await;
        let answer = client.next().await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(-32600)));
        assert!(
            answer["error"]["message"].as_str().unwrap().contains("10485760 bytes"),
            "{answer}"
        );
    }
    client.nothing_more().await;
}

#[tokio::test]
async fn a_line_just_within_the_limit_is_served() {
    let bounds = Bounds { line_bytes: 1000, ..Bounds::default() };
    let mut client = Client::with(Policy::Trust, bounds);
    let frame = r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":""}}"#.len();
    for (length, fits) in [(1000, true), (1001, false), (5000, false)] {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":"{}"}}}}"#,
            "y".repeat(length - frame)
        );
        assert_eq!(line.len(), length);
        client.send(line).await;
        assert_eq!(client.next().await.get("result").is_some(), fits, "{length}");
    }
}

#[tokio::test]
async fn white_space_marks_and_empty_lines_are_passed_over() {
    let mut client = Client::new();
    for line in [
        "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r",
        "",
        "  ",
        "\r",
        "\t{\"id\":1,\"method\":\"ping\",\"jsonrpc\":\"2.0\"} ",
    ] {
        client.send(line).await;
    }
    assert_eq!(
        (client.next().await["id"].clone(), client.next().await["id"].clone()),
        (json!(1), json!(1))
    );
    client.nothing_more().await;
}

#[tokio::test]
async fn a_batch_is_answered_as_one() {
    let mut client = Client::named("test", Policy::Trust, Bounds::default(), json!({})).await;
    client
        .send(
            r#"[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{"milliseconds":100}}},
            {"jsonrpc":"2.0","method":"notifications/initialized"}, {"jsonrpc":"2.0","id":2,"method":"ping"}, 5,
            {"jsonrpc":"2.0","id":3,"method":"no/such"}]"#
                .replace('\n', " "),
        )
        .await;
    let answers = client.next().await;
    let mut ids: Vec<_> = answers.as_array().unwrap().iter().map(|a| a["id"].to_string()).collect();
    ids.sort();
    assert_eq!(ids, ["1", "2", "3", "null"], "{answers}");
    client.send(r#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#).await;
    client.nothing_more().await;
    assert_eq!(answered(&mut client, "[]").await, (Value::Null, -32600));
    assert_eq!(
        answered(&mut client, format!("[{}1]", "1,".repeat(100))).await,
        (Value::Null, -32600)
    );
    assert_eq!(answered(&mut client, "[1,").await, (Value::Null, -32700));
}

#[tokio::test]
async fn a_batch_with_a_cancelled_call_is_complete_without_it() {
    let mut client = Client::named("test", Policy::Trust, Bounds::default(), json!({})).await;
    client.send(r#"[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{"milliseconds":20000}}},{"jsonrpc":"2.0","id":2,"method":"ping"}]"#).await;
    client
        .send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#)
        .await;
    assert_eq!(client.next().await, json!([{"jsonrpc": "2.0", "id": 2, "result": {}}]));
}

/// Bytes that look like the protocol, and some that do not.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        Just(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#.as_bytes().to_vec()),
        Just(br#""id":"#.to_vec()),
        Just(br#""jsonrpc":"2.0","#.to_vec()),
        Just(br#""method":"tools/call","#.to_vec()),
        Just(br#""params":{"name":"say","arguments":{"text":"x"}}"#.to_vec()),
        Just(br#""result":{}"#.to_vec()),
        Just(b"{".to_vec()),
        Just(b"}".to_vec()),
        Just(b"[".to_vec()),
        Just(b"]".to_vec()),
        Just(b",".to_vec()),
        Just(b"null".to_vec()),
        Just(b"\"".to_vec()),
        Just(b"\\u".to_vec()),
        Just(b"1e999".to_vec()),
        proptest::collection::vec(any::<u8>().prop_filter("one line", |b| *b != b'\n'), 0..8),
    ];
    proptest::collection::vec(word, 0..12).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_line_stops_the_server(lines in proptest::collection::vec(line(), 1..20)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut client = Client::with(Policy::Trust, Bounds { line_bytes: 200, ..Bounds::default() });
            for line in &lines {
                client.send(line).await;
            }
            client.send(r#"{"jsonrpc":"2.0","id":"end","method":"ping"}"#).await;
            while client.next().await["id"] != "end" {}
        });
    }
}
