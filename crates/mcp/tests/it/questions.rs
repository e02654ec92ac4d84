//! Approvals through the client, in both eras.

use std::time::Duration;

use mcp::Bounds;
use serde_json::{Value, json};
use toolkit::{Answer, Policy};

use crate::client::{Client, newer, text};

fn arguments() -> Value {
    json!({"path": "note.txt", "content": "hello\n"})
}

async fn asked(capabilities: Value) -> (Client, Value) {
    let mut client = Client::named("test", Policy::Ask, Bounds::default(), capabilities).await;
    client.start("call", "keep", arguments()).await;
    let line = client.next().await;
    (client, line)
}

async fn reply(client: &mut Client, question: &Value, result: Value) {
    client.send_json(&json!({"jsonrpc": "2.0", "id": question["id"], "result": result})).await;
}

fn accept(decision: &str) -> Value {
    json!({"action": "accept", "content": {"decision": decision}})
}

fn kept(client: &Client) -> bool {
    client.root().join("note.txt").exists()
}

#[tokio::test]
async fn the_client_is_asked_with_the_exact_effect_and_a_yes_runs_the_call() {
    let (mut client, question) = asked(json!({"elicitation": {"form": {}}})).await;
    assert_eq!(question["method"], "elicitation/create");
    let params = &question["params"];
    assert_eq!(params["mode"], "form");
    let message = params["message"].as_str().unwrap();
    assert!(message.starts_with("Allow `keep`? it changes files."), "{message}");
    assert!(message.contains("note.txt") && message.contains("+hello"), "{message}");
    let decision = &params["requestedSchema"]["properties"]["decision"];
    assert_eq!(decision["enum"], json!(["allow", "allow for this session", "deny"]));
    assert_eq!(params["requestedSchema"]["required"], json!(["decision"]));
    assert!(!kept(&client));
    reply(&mut client, &question, accept("allow")).await;
    let answer = client.next().await;
    assert_eq!((&answer["id"], text(&answer)), (&json!("call"), "kept"));
    assert_eq!(std::fs::read_to_string(client.root().join("note.txt")).unwrap(), "hello\n");
    client.start("again", "keep", json!({"path": "other", "content": ""})).await;
    assert_eq!(client.next().await["method"], "elicitation/create", "a yes is for one call");
}

#[tokio::test]
async fn a_yes_for_the_session_is_not_asked_for_again() {
    let (mut client, question) = asked(json!({"elicitation": {}})).await;
    reply(&mut client, &question, accept("allow for this session")).await;
    assert_eq!(text(&client.next().await), "kept");
    assert_eq!(text(&client.call("keep", json!({"path": "other", "content": "x"})).await), "kept");
}

#[tokio::test]
async fn a_question_that_somebody_else_answered_is_taken_back() {
    let (mut client, question) = asked(json!({"elicitation": {}})).await;
    let elsewhere = client.project().sit().try_next().expect("an open question");
    assert!(elsewhere.answer(Answer::Yes));
    let lines = [client.next().await, client.next().await];
    let taken_back = lines.iter().find(|l| l["method"] == "notifications/cancelled").unwrap();
    assert_eq!(taken_back["params"]["requestId"], question["id"]);
    let answer = lines.iter().find(|l| l["id"] == "call").unwrap();
    assert_eq!(text(answer), "kept");
    assert!(kept(&client));
}

#[tokio::test]
async fn everything_but_a_yes_leaves_things_as_they_are() {
    for (result, code) in [
        (accept("deny"), "PermissionDenied"),
        (accept("whatever"), "PermissionDenied"),
        (json!({"action": "accept"}), "PermissionDenied"),
        (json!({"action": "decline"}), "PermissionDenied"),
        (json!({"action": "cancel"}), "ApprovalRequired"),
        (json!({"action": "perhaps"}), "ApprovalRequired"),
        (json!({}), "ApprovalRequired"),
    ] {
        let (mut client, question) = asked(json!({"elicitation": {}})).await;
        reply(&mut client, &question, result.clone()).await;
        let answer = client.next().await;
        assert_eq!(answer["result"]["isError"], true);
        assert_eq!(answer["result"]["structuredContent"]["error"]["code"], code, "{result}");
        assert!(!kept(&client));
    }
    let (mut client, question) = asked(json!({"elicitation": {}})).await;
    let error = json!({"code": -32601, "message": "no such method"});
    client.send_json(&json!({"jsonrpc": "2.0", "id": question["id"], "error": error})).await;
    assert_eq!(
        client.next().await["result"]["structuredContent"]["error"]["code"],
        "ApprovalRequired"
    );
}

#[tokio::test]
async fn a_client_that_cannot_ask_is_not_asked() {
    for capabilities in [json!({}), json!({"elicitation": {"url": {}}})] {
        let (client, answer) = asked(capabilities).await;
        assert_eq!(answer["id"], "call");
        assert_eq!(answer["result"]["structuredContent"]["error"]["code"], "ApprovalRequired");
        assert!(text(&answer).contains("--policy auto"), "{answer}");
        assert!(!kept(&client));
    }
}

#[tokio::test]
async fn silence_is_not_waited_for_for_ever() {
    let bounds = Bounds { question_time: Duration::from_millis(200), ..Bounds::default() };
    let mut client =
        Client::named("@cline/core", Policy::Ask, bounds, json!({"elicitation": {}})).await;
    client.start("call", "keep", arguments()).await;
    let question = client.next().await;
    let mut lines = [client.next().await, client.next().await];
    lines.sort_by_key(|line| line.get("method").is_none());
    assert_eq!(lines[0]["method"], "notifications/cancelled");
    assert_eq!(lines[0]["params"]["requestId"], question["id"]);
    assert_eq!((&lines[1]["id"], &lines[1]["result"]["isError"]), (&json!("call"), &json!(true)));
    reply(&mut client, &question, accept("allow")).await;
    client.nothing_more().await;
    assert!(!kept(&client), "a late yes does not count");
}

#[tokio::test]
async fn several_questions_wait_at_once_and_other_calls_go_on() {
    let mut client =
        Client::named("test", Policy::Ask, Bounds::default(), json!({"elicitation": {}})).await;
    client.start("a", "keep", json!({"path": "a", "content": "a"})).await;
    client.start("b", "keep", json!({"path": "b", "content": "b"})).await;
    let questions = [client.next().await, client.next().await];
    assert_eq!(text(&client.call("say", json!({"text": "meanwhile"})).await), "meanwhile");
    let of = |name: &str| {
        questions
            .iter()
            .find(|q| q["params"]["message"].as_str().unwrap().contains(&format!("+{name}")))
            .unwrap()
    };
    reply(&mut client, of("b"), accept("allow")).await;
    assert_eq!(client.next().await["id"], "b");
    reply(&mut client, of("a"), accept("deny")).await;
    assert_eq!(client.next().await["id"], "a");
    assert!(client.root().join("b").exists() && !client.root().join("a").exists());
}

#[tokio::test]
async fn a_long_effect_is_cut_and_the_cut_is_told() {
    let mut client =
        Client::named("test", Policy::Ask, Bounds::default(), json!({"elicitation": {}})).await;
    client.start("call", "keep", json!({"path": "long", "content": "a line that goes on for quite a while\n".repeat(500)})).await;
    let question = client.next().await;
    let message = question["params"]["message"].as_str().unwrap();
    assert!(message.len() < 9000, "{}", message.len());
    let note = message.lines().last().unwrap();
    assert!(note.starts_with("[Not shown: ") && note.ends_with(" bytes]"), "{note}");
}

fn again(id: i64, arguments: Value, state: &Value, answer: Option<Value>) -> Value {
    let mut params = json!({"name": "keep", "arguments": arguments, "requestState": state});
    if let Some(answer) = answer {
        params["inputResponses"] = json!({"approval": answer});
    }
    newer(id, "tools/call", params, json!({"elicitation": {"form": {}}}))
}

async fn returned(client: &mut Client) -> Value {
    let params = json!({"name": "keep", "arguments": arguments()});
    client.send_json(&newer(1, "tools/call", params, json!({"elicitation": {"form": {}}}))).await;
    let answer = client.next().await;
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    answer["result"].clone()
}

#[tokio::test]
async fn a_tool_asks_the_person_in_words() {
    let words = |content: Value| json!({"action": "accept", "content": content});
    for (result, said) in [
        (words(json!({"answer": "blue, or \"green\""})), r#"the colour is "blue, or \"green\"""#),
        (words(json!({"answer": ""})), r#"the colour is """#),
        (words(json!({"answer": 3})), "NoAnswer"),
        (words(json!({"decision": "allow"})), "NoAnswer"),
        (json!({"action": "decline"}), "NoAnswer"),
        (json!({"action": "cancel"}), "NoAnswer"),
    ] {
        let capabilities = json!({"elicitation": {}});
        let mut client =
            Client::named("test", Policy::ReadOnly, Bounds::default(), capabilities).await;
        client.start("call", "wonder", json!({"about": "colour"})).await;
        let question = client.next().await;
        assert_eq!(question["params"]["message"], "Which colour?");
        let schema = &question["params"]["requestedSchema"];
        assert_eq!(schema["properties"]["answer"]["type"], "string", "{schema}");
        assert_eq!(schema["required"], json!(["answer"]));
        reply(&mut client, &question, result).await;
        let answer = client.next().await;
        let code = answer["result"]["structuredContent"]["error"]["code"].as_str();
        assert_eq!(code.unwrap_or_else(|| text(&answer)), said);
    }
    let mut nobody = Client::named("test", Policy::Trust, Bounds::default(), json!({})).await;
    let answer = nobody.call("wonder", json!({"about": "colour"})).await;
    assert_eq!(answer["result"]["structuredContent"]["error"]["code"], "NoAnswer");
}

#[tokio::test]
async fn in_the_newer_era_words_come_with_the_same_call_again() {
    let mut client = Client::new();
    let mut params = json!({"name": "wonder", "arguments": {"about": "colour"}});
    let capabilities = json!({"elicitation": {"form": {}}});
    client.send_json(&newer(1, "tools/call", params.clone(), capabilities.clone())).await;
    let first = client.next().await["result"].clone();
    assert_eq!(first["resultType"], "input_required", "{first}");
    params["requestState"] = first["requestState"].clone();
    params["inputResponses"] =
        json!({"approval": {"action": "accept", "content": {"answer": "blue"}}});
    client.send_json(&newer(2, "tools/call", params, capabilities)).await;
    assert_eq!(text(&client.next().await), r#"the colour is "blue""#);
}

#[tokio::test]
async fn in_the_newer_era_the_question_is_the_result_and_the_call_comes_again() {
    let mut client = Client::new();
    let first = returned(&mut client).await;
    let request = &first["inputRequests"]["approval"];
    assert_eq!(request["method"], "elicitation/create");
    assert!(request["params"]["message"].as_str().unwrap().contains("+hello"), "{request}");
    assert!(!kept(&client));
    client.send_json(&again(2, arguments(), &first["requestState"], Some(accept("allow")))).await;
    let answer = client.next().await;
    assert_eq!((&answer["result"]["resultType"], text(&answer)), (&json!("complete"), "kept"));
    assert!(kept(&client));
}

#[tokio::test]
async fn a_state_is_good_for_one_answer_to_its_own_call() {
    let mut client = Client::new();
    let other = json!({"path": "note.txt", "content": "something else\n"});
    let first = returned(&mut client).await;
    let state = &first["requestState"];
    let mut tampered = state.as_str().unwrap().to_owned();
    let last = if tampered.pop() == Some('0') { '1' } else { '0' };
    tampered.push(last);
    for (arguments, state) in [
        (arguments(), &json!(tampered)),
        (arguments(), &json!("")),
        (other, state),
        (arguments(), state),
    ] {
        client.send_json(&again(2, arguments, state, Some(accept("allow")))).await;
        let answer = client.next().await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().starts_with("requestState: "));
    }
    assert!(!kept(&client));
    let first = returned(&mut client).await;
    client
        .send_json(&again(
            3,
            arguments(),
            &first["requestState"],
            Some(json!({"action": "decline"})),
        ))
        .await;
    assert_eq!(
        client.next().await["result"]["structuredContent"]["error"]["code"],
        "PermissionDenied"
    );
    client.send_json(&again(4, arguments(), &first["requestState"], Some(accept("allow")))).await;
    assert_eq!(
        client.next().await["error"]["code"],
        -32602,
        "a no cannot be made a yes afterwards"
    );
    assert!(!kept(&client));
}

#[tokio::test]
async fn without_an_answer_it_is_asked_again_and_a_yes_holds_for_what_was_shown_only() {
    let mut client = Client::new();
    let first = returned(&mut client).await;
    client.send_json(&again(2, arguments(), &first["requestState"], None)).await;
    let second = client.next().await["result"].clone();
    assert_eq!(second["resultType"], "input_required");
    assert_ne!(first["requestState"], second["requestState"]);
    std::fs::write(client.root().join("note.txt"), "meanwhile\n").unwrap();
    client.send_json(&again(3, arguments(), &second["requestState"], Some(accept("allow")))).await;
    let third = client.next().await;
    assert_eq!(third["result"]["resultType"], "input_required", "{third}");
    let message = &third["result"]["inputRequests"]["approval"]["params"]["message"];
    assert!(message.as_str().unwrap().contains("-meanwhile\n+hello"), "{message}");
    assert_eq!(std::fs::read_to_string(client.root().join("note.txt")).unwrap(), "meanwhile\n");
}

#[tokio::test]
async fn a_state_expires() {
    let bounds = Bounds { question_time: Duration::from_millis(50), ..Bounds::default() };
    let mut client = Client::with(Policy::Ask, bounds);
    let first = returned(&mut client).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    client.send_json(&again(2, arguments(), &first["requestState"], Some(accept("allow")))).await;
    assert_eq!(client.next().await["error"]["code"], -32602);
}

#[tokio::test]
async fn in_the_newer_era_a_client_that_cannot_ask_is_refused_with_advice() {
    let mut client = Client::new();
    let params = json!({"name": "keep", "arguments": arguments()});
    client.send_json(&newer(1, "tools/call", params, json!({}))).await;
    assert_eq!(
        client.next().await["result"]["structuredContent"]["error"]["code"],
        "ApprovalRequired"
    );
}
