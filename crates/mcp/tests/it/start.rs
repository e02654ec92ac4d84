//! How a conversation begins, in both eras, and what is listed.

use serde_json::{Value, json};
use toolkit::Policy;

use crate::client::{Client, newer, text};
use mcp::Bounds;

#[tokio::test]
async fn each_older_version_is_answered_with_itself_and_others_with_the_newest_older_one() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let answer = Client::new().initialize(version, "test", json!({})).await;
        assert_eq!(answer["result"]["protocolVersion"], version);
    }
    for version in ["2026-07-28", "2031-01-01", "1.0"] {
        let answer = Client::new().initialize(version, "test", json!({})).await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    }
}

#[tokio::test]
async fn the_server_says_who_it_is_where_it_works_and_under_which_policy() {
    let mut client = Client::new();
    let answer = client.initialize("2025-11-25", "test", json!({})).await;
    let result = &answer["result"];
    assert_eq!(result["serverInfo"]["name"], "kitbag");
    assert_eq!(result["serverInfo"]["title"], "Kitbag");
    assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(result["capabilities"], json!({"tools": {}}));
    let root = client.root().canonicalize().unwrap();
    let expected =
        format!("Be kind to the tools.\n\nRoot directory: {}. Policy: ask.", root.display());
    assert_eq!(result["instructions"], expected);
}

#[tokio::test]
async fn early_requests_are_answered_and_early_notifications_end_nothing() {
    let mut client = Client::new();
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    client
        .send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#)
        .await;
    client.send(r#"{"jsonrpc":"2.0","id":99,"result":{"action":"accept"}}"#).await;
    assert_eq!(client.ask("ping", json!({})).await["result"], json!({}));
    for method in ["tools/list", "tools/call"] {
        let early = client.ask(method, json!({"name": "say", "arguments": {}})).await;
        assert_eq!(early["error"]["code"], -32600, "{early}");
        assert!(early["error"]["message"].as_str().unwrap().contains("initialize"), "{early}");
    }
    let discover = client.ask("server/discover", json!({})).await;
    assert_eq!(discover["error"]["code"], -32602);
    let answer = client.initialize("2025-06-18", "test", json!({})).await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(client.ask("tools/list", json!({})).await["result"]["tools"][0]["name"], "say");
}

#[tokio::test]
async fn a_probe_of_the_newer_era_is_answered_and_the_older_can_follow() {
    let mut client = Client::new();
    client.send_json(&newer(5, "server/discover", json!({}), json!({}))).await;
    let answer = client.next().await;
    assert_eq!(answer["id"], 5);
    let versions = answer["result"]["supportedVersions"].as_array().unwrap();
    assert!(
        versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2024-11-05")),
        "{versions:?}"
    );
    assert!(answer["result"]["instructions"].as_str().unwrap().starts_with("Be kind"));
    let answer = client.initialize("2025-11-25", "test", json!({})).await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn the_newer_era_lists_and_calls_without_a_handshake() {
    let mut client = Client::new();
    client.send_json(&newer(1, "tools/list", json!({}), json!({}))).await;
    let answer = client.next().await;
    assert_eq!(answer["result"]["resultType"], "complete");
    assert!(
        answer["result"]["ttlMs"].is_number() && answer["result"]["cacheScope"].is_string(),
        "{answer}"
    );
    let params = json!({"name": "say", "arguments": {"text": "hello"}});
    client.send_json(&newer(2, "tools/call", params, json!({}))).await;
    let answer = client.next().await;
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(text(&answer), "hello");
}

#[tokio::test]
async fn a_version_that_nobody_knows_is_refused_with_those_there_are() {
    let mut client = Client::new();
    let mut request = newer(1, "tools/list", json!({}), json!({}));
    request["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2031-01-01");
    client.send_json(&request).await;
    let answer = client.next().await;
    assert_eq!(answer["error"]["code"], -32022);
    assert!(
        answer["error"]["data"]["supported"].as_array().unwrap().contains(&json!("2025-11-25"))
    );
}

#[tokio::test]
async fn tools_are_listed_in_order_with_titles_hints_and_schemas() {
    let mut client = Client::named("test", Policy::Ask, Bounds::default(), json!({})).await;
    let answer = client.ask("tools/list", json!({})).await;
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["say", "add", "keep", "wait", "trip", "wonder"]);
    assert_eq!(
        answer["result"].as_object().unwrap().len(),
        1,
        "no cursor, nothing of the newer era"
    );
    assert_eq!(tools[0]["title"], "Say it back");
    assert_eq!(tools[0]["description"], "Says it back.");
    assert_eq!(tools[0]["inputSchema"]["type"], "object");
    assert_eq!(tools[0]["inputSchema"]["properties"]["text"]["type"], "string");
    assert!(tools[0].get("outputSchema").is_none());
    assert_eq!(tools[1]["outputSchema"]["properties"]["total"]["type"], "integer");
    let hints = json!({
        "title": "Keep", "readOnlyHint": false, "destructiveHint": true,
        "idempotentHint": false, "openWorldHint": false,
    });
    assert_eq!(tools[2]["annotations"], hints);
    let cursor = client.ask("tools/list", json!({"cursor": "2"})).await;
    assert_eq!(cursor["error"]["code"], -32602);
}

#[tokio::test]
async fn a_host_that_hides_tools_has_few_ones_pinned() {
    let mut client = Client::named("claude-code", Policy::Ask, Bounds::default(), json!({})).await;
    let answer = client.ask("tools/list", json!({})).await;
    assert_eq!(answer["result"]["tools"][3]["_meta"], json!({"anthropic/alwaysLoad": true}));
}

#[tokio::test]
async fn each_host_gets_the_half_it_shows_and_its_bound() {
    let both = [("somebody", 51_200), ("claude-code", 34_000), ("codex-mcp-client", 10_000)];
    let text_alone = [
        ("qwen-cli-mcp-client-kitbag", 17_000),
        ("@cline/core", 6_800),
        ("continue-cli-client", 51_200),
    ];
    for (name, bytes, structured) in
        both.map(|(n, b)| (n, b, true)).into_iter().chain(text_alone.map(|(n, b)| (n, b, false)))
    {
        let mut client = Client::named(name, Policy::Ask, Bounds::default(), json!({})).await;
        let bound = client.call("say", json!({"text": "bound"})).await;
        assert_eq!(text(&bound), bytes.to_string(), "{name}");
        let tools = client.ask("tools/list", json!({})).await;
        assert_eq!(tools["result"]["tools"][1].get("outputSchema").is_some(), structured, "{name}");
        let answer = client.call("add", json!({"numbers": [1, 2]})).await;
        assert_eq!(text(&answer), r#"{"total":3}"#);
        let expected = if structured { json!({"total": 3}) } else { Value::Null };
        assert_eq!(answer["result"]["structuredContent"], expected, "{name}");
    }
}
