//! `kitbag acp` with a scripted editor at its pipes.

use std::time::Duration;

use serde_json::{Value, json};
use test_client::{Came, Client};

use crate::model_server::{Reply, Say, Server};
use crate::place::{Place, alive, mark, wait_until};
use crate::servers::script;

const PATIENCE: Duration = Duration::from_secs(20);

struct Editor {
    client: Client,
    /// The updates and questions that came so far.
    came: Vec<Value>,
}

impl Editor {
    fn start(place: &Place, server: &Server) -> Self {
        let mut program = place.program(&["acp", "--model", "m", "--base-url", &server.url]);
        program.current_dir("/").env_remove("KITBAG_ROOT");
        Self { client: Client::start(&mut program).unwrap(), came: Vec::new() }
    }

    /// The next message.
    fn next(&mut self) -> Value {
        match self.client.next_line(PATIENCE) {
            Came::Line(line) => serde_json::from_slice(&line).unwrap(),
            Came::Silence => panic!("silence after {:#?}", self.came),
            Came::End => panic!("the end after {:#?}", self.came),
        }
    }

    /// Asks, and gives the answer; each question that comes meanwhile gets `option`.
    fn ask(&mut self, method: &str, params: &Value, option: &str) -> Value {
        let id = self.client.send(method, params).unwrap();
        loop {
            let message = self.next();
            if message["id"] == id && message["method"].is_null() {
                return message;
            }
            if message["method"] == "session/request_permission" {
                let outcome = json!({"outcome": {"outcome": "selected", "optionId": option}});
                self.reply(&message["id"], &outcome);
            }
            self.came.push(message);
        }
    }

    fn ok(&mut self, method: &str, params: &Value, option: &str) -> Value {
        let answer = self.ask(method, params, option);
        assert!(answer.get("result").is_some(), "{answer}");
        answer["result"].clone()
    }

    fn reply(&mut self, id: &Value, result: &Value) {
        let message = json!({"jsonrpc": "2.0", "id": id, "result": result});
        self.client.line(&message.to_string()).unwrap();
    }

    fn begin(&mut self, place: &Place) -> String {
        let abilities = json!({"fs": {"readTextFile": true, "writeTextFile": true}});
        let hello = json!({"protocolVersion": 1, "clientCapabilities": abilities});
        let hello = self.ok("initialize", &hello, "");
        assert_eq!(hello["protocolVersion"], 1);
        assert_eq!(hello["agentCapabilities"]["loadSession"], true);
        let new = self.ok("session/new", &json!({"cwd": place.root(), "mcpServers": []}), "");
        new["sessionId"].as_str().unwrap().to_owned()
    }

    fn updates(&mut self) -> Vec<Value> {
        let came = std::mem::take(&mut self.came).into_iter();
        let updates = came.filter(|message| message["method"] == "session/update");
        updates.map(|message| message["params"]["update"].clone()).collect()
    }
}

fn prompt(session: &str, text: &str) -> Value {
    json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]})
}

/// The text of all messages of this kind.
fn said(updates: &[Value], kind: &str) -> String {
    let of = updates.iter().filter(|update| update["sessionUpdate"] == kind);
    of.map(|update| update["content"]["text"].as_str().unwrap()).collect()
}

#[test]
fn an_editor_drives_a_session_and_loads_it_again() {
    let place = Place::with(&[("a.txt", "one\ntwo\n")]);
    let edit = r#"{"path": "a.txt", "edits": [{"oldText": "two", "newText": "zwei"}]}"#;
    let write = r#"{"path": "b.txt", "content": "new\n"}"#;
    let says = |text| Reply::Says(vec![Say::Text(text)]);
    let server = Server::start(
        "openai",
        vec![
            Reply::Says(vec![Say::Text("I edit."), Say::Call("c", "edit", edit)]),
            says("Done."),
            Reply::Says(vec![Say::Call("c", "write", write)]),
            says("Refused."),
            says("Loaded."),
        ],
    );
    let mut editor = Editor::start(&place, &server);
    let session = editor.begin(&place);
    let ended = editor.ok("session/prompt", &prompt(&session, "Change it."), "yes");
    assert_eq!(ended["stopReason"], "end_turn");
    assert_eq!(place.read("a.txt"), "one\nzwei\n");

    let asked = editor.came.iter().find(|m| m["method"] == "session/request_permission").cloned();
    let asked = asked.unwrap()["params"].clone();
    assert_eq!(asked["sessionId"], session);
    let shown = asked["toolCall"]["content"][0]["content"]["text"].as_str().unwrap();
    assert!(shown.contains("-two\n+zwei"), "{shown}");
    let kinds: Vec<_> =
        asked["options"].as_array().unwrap().iter().map(|o| o["kind"].clone()).collect();
    assert_eq!(kinds, ["allow_once", "allow_always", "reject_once"]);
    let updates = editor.updates();
    assert_eq!(said(&updates, "agent_message_chunk"), "I edit.Done.");
    let call = updates.iter().find(|u| u["sessionUpdate"] == "tool_call").unwrap();
    assert_eq!((&call["kind"], &call["title"]), (&"edit".into(), &"edit a.txt".into()));
    assert_eq!(call["toolCallId"], asked["toolCall"]["toolCallId"]);
    assert_eq!(call["locations"], json!([{"path": place.path("a.txt")}]));
    let over = updates.iter().find(|u| u["status"] == "completed").unwrap();
    assert_eq!(over["toolCallId"], call["toolCallId"]);
    let diff = json!({"type": "diff", "path": place.path("a.txt"), "oldText": "one\ntwo\n", "newText": "one\nzwei\n"});
    assert_eq!(over["content"][1], diff, "{over}");

    let ended = editor.ok("session/prompt", &prompt(&session, "Write it."), "no");
    assert_eq!((&ended["stopReason"], place.has("b.txt")), (&"end_turn".into(), false));
    let updates = editor.updates();
    assert!(updates.iter().any(|u| u["status"] == "failed"), "{updates:#?}");
    editor.client.close();
    wait_until("the end", || editor.client.process().try_wait().unwrap().is_some());

    // Another process goes on with it.
    let mut editor = Editor::start(&place, &server);
    let load = json!({"sessionId": session, "cwd": place.root(), "mcpServers": []});
    editor.ok("session/load", &load, "");
    let updates = editor.updates();
    assert_eq!(said(&updates, "user_message_chunk"), "Change it.Write it.");
    assert_eq!(said(&updates, "agent_message_chunk"), "I edit.Done.Refused.");
    let diffs = updates.iter().filter(|u| u["content"][1]["type"] == "diff").count();
    assert_eq!(diffs, 1, "{updates:#?}");
    editor.ok("session/prompt", &prompt(&session, "And now?"), "");
    assert_eq!(said(&editor.updates(), "agent_message_chunk"), "Loaded.");
    let last = server.asked().pop().unwrap().body.to_string();
    assert!(last.contains("Change it.") && last.contains("And now?"), "{last}");
    assert!(place.ok(&["replay", &session]).contains("Loaded."));
}

#[test]
fn a_cancelled_prompt_ends_its_program() {
    let (place, mark) = (Place::new(), mark());
    let sleep: &'static str = format!(r#"{{"command": "echo begun; sleep {mark}"}}"#).leak();
    let server = Server::start(
        "openai",
        vec![
            Reply::Says(vec![Say::Call("c", "bash", sleep)]),
            Reply::Says(vec![Say::Text("Here.")]),
        ],
    );
    let mut editor = Editor::start(&place, &server);
    let session = editor.begin(&place);
    let id = editor.client.send("session/prompt", &prompt(&session, "Sleep.")).unwrap();
    loop {
        let message = editor.next();
        let printed = message.pointer("/params/update/content/0/content/text");
        if printed == Some(&json!("begun\n")) {
            break; // while it runs
        }
    }
    wait_until("the program", || alive(&mark).iter().any(|line| line.starts_with("sleep")));
    let cancel =
        json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}});
    editor.client.line(&cancel.to_string()).unwrap();
    let answer = editor.client.answer(id, PATIENCE).unwrap();
    assert_eq!(answer["result"]["stopReason"], "cancelled", "{answer}");
    assert_eq!(alive(&mark), [""; 0]);
    let ended = editor.ok("session/prompt", &prompt(&session, "Still there?"), "");
    assert_eq!(ended["stopReason"], "end_turn");
}

#[test]
fn a_prompt_that_is_cancelled_or_loaded_anew_at_once_ends() {
    let place = Place::new();
    let stalls = Reply::Stalls(vec![Say::Text("I think")]);
    let here = Reply::Says(vec![Say::Text("Here.")]);
    let server = Server::start("openai", vec![stalls, here]);
    let mut editor = Editor::start(&place, &server);
    let session = editor.begin(&place);
    let params = prompt(&session, "Think.");
    let both = format!(
        "{}\n{}",
        json!({"jsonrpc": "2.0", "id": 900, "method": "session/prompt", "params": params}),
        json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})
    );
    editor.client.line(&both).unwrap();
    // It is cancelled before the model is asked.
    let answer = editor.client.answer(900, PATIENCE).unwrap();
    assert_eq!(answer["result"]["stopReason"], "cancelled", "{answer}");

    let id = editor.client.send("session/prompt", &params).unwrap();
    let load = json!({"sessionId": session, "cwd": place.root(), "mcpServers": []});
    let load = editor.client.send("session/load", &load).unwrap();
    let (mut ended, mut loaded) = (false, false);
    while !(ended && loaded) {
        let message = editor.next();
        assert!(message.get("error").is_none(), "{message}");
        ended |= message["id"] == id;
        loaded |= message["id"] == load;
    }
    let last = editor.ok("session/prompt", &prompt(&session, "Are you there?"), "");
    assert_eq!(last["stopReason"], "end_turn");
}

#[test]
fn what_an_editor_does_wrong_is_answered() {
    let place = Place::new();
    let server = Server::start("openai", vec![Reply::Status(401, "", "no")]);
    let mut editor = Editor::start(&place, &server);
    let session = editor.begin(&place);
    for (method, params, code) in [
        ("session/fly", json!({}), -32601),
        ("session/new", json!({"cwd": "relative"}), -32602),
        ("session/prompt", prompt("none", "x"), -32602),
        ("session/load", json!({"sessionId": "none", "cwd": place.root()}), -32602),
        ("session/prompt", prompt(&session, "x"), -32603),
    ] {
        let answer = editor.ask(method, &params, "");
        assert_eq!(answer["error"]["code"], code, "{method}: {answer}");
    }
    editor.client.line("{").unwrap();
    assert_eq!(editor.next()["error"]["code"], -32700);
    // No model is named: told at once, not with the first prompt.
    let ran = place.run(&["acp"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{ran:?}");
}

/// A server at a pipe that knows one tool; `mark` is on its command line.
fn one_tool(mark: &str) -> Value {
    let seen =
        r#"r = {"content": [{"type": "text", "text": "seen with " + os.environ["SECRET"]}]}"#;
    let script = script("look", seen);
    let env = json!([{"name": "SECRET", "value": "${as it is}"}]);
    json!({"name": "eyes", "command": "python3", "args": ["-c", script, mark], "env": env})
}

#[test]
fn a_closed_session_leaves_nothing_running_and_can_be_resumed() {
    let (place, mark) = (Place::new(), mark());
    let looks = || Reply::Says(vec![Say::Call("c", "eyes__look", "{}")]);
    let says = |text| Reply::Says(vec![Say::Text(text)]);
    let server = Server::start("openai", vec![looks(), says("Seen."), says("Again."), says("?")]);
    let mut editor = Editor::start(&place, &server);
    let hello = editor.ok("initialize", &json!({"protocolVersion": 1}), "");
    let can = &hello["agentCapabilities"];
    assert_eq!(can["sessionCapabilities"], json!({"close": {}, "resume": {}}));
    assert_eq!(can["mcpCapabilities"], json!({"http": true, "sse": false}));
    let with = |servers: Value| json!({"cwd": place.root(), "mcpServers": servers});
    for (servers, why) in [
        (json!([{"name": "x"}]), "x: needs either `command` or `url`"),
        (json!([{"command": "x"}]), "each server needs a `name`"),
        (
            json!([{"name": "x", "type": "sse", "url": "http://127.0.0.1:9/"}]),
            "x: the transport `sse`",
        ),
        (json!([{"name": "x", "command": "x", "args": [1]}]), "x: `args` must be a list"),
    ] {
        let answer = editor.ask("session/new", &with(servers), "");
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let said = answer["error"]["message"].as_str().unwrap();
        assert!(said.starts_with("mcpServers: ") && said.contains(why), "{said}");
    }
    let session = editor.ok("session/new", &with(json!([one_tool(&mark)])), "");
    let session = session["sessionId"].as_str().unwrap().to_owned();
    // What the server does is asked about, as that of any other.
    editor.ok("session/prompt", &prompt(&session, "Look."), "yes");
    assert!(editor.came.iter().any(|m| m["method"] == "session/request_permission"));
    let told = server.asked()[1].body.to_string();
    assert!(told.contains("seen with ${as it is}"), "{told}");
    assert_eq!(alive(&mark).len(), 1);

    let this = json!({"sessionId": session});
    assert_eq!(editor.ok("session/close", &this, ""), json!({}));
    wait_until("the end of the server", || alive(&mark).is_empty());
    for (method, params) in [("session/close", &this), ("session/prompt", &prompt(&session, "x"))] {
        let answer = editor.ask(method, params, "");
        assert_eq!(answer["error"]["code"], -32602, "{method}: {answer}");
    }
    editor.updates();
    let mut again = with(json!([]));
    again["sessionId"] = session.clone().into();
    editor.ok("session/resume", &again, "");
    assert_eq!(editor.updates(), [Value::Null; 0], "nothing is told twice");
    editor.ok("session/prompt", &prompt(&session, "And now?"), "");
    let last = server.asked().pop().unwrap().body;
    assert!(last.to_string().contains("Look.") && last.to_string().contains("Seen."), "{last}");
    assert!(!last["tools"].to_string().contains("eyes__look"), "{last}");
}

#[test]
fn settings_are_those_of_the_directory_of_the_session() {
    let place = Place::of_a_newcomer();
    let server = Server::start("openai", vec![Reply::Says(vec![Say::Text("Yes.")])]);
    for (dir, settings) in [
        ("stack", "toolset = \"stack\"\npolicy = \"read-only\"\n"),
        ("fiz", "toolset = \"fiz\"\n"),
        ("wide", "policy = \"trust\"\n"),
    ] {
        place.write(&format!("{dir}/kitbag.toml"), settings);
    }
    // It is started in a directory whose own settings are of no use.
    let mut program = place.program(&["acp", "--model", "m", "--base-url", &server.url]);
    program.current_dir(place.path("wide")).env_remove("KITBAG_ROOT");
    let mut editor = Editor { client: Client::start(&mut program).unwrap(), came: Vec::new() };
    editor.ok("initialize", &json!({"protocolVersion": 1}), "");
    for (dir, tool) in [("stack", "\"create_plan\""), ("fiz", "\"edit\"")] {
        let new = json!({"cwd": place.path(dir), "mcpServers": []});
        let session = editor.ok("session/new", &new, "")["sessionId"].as_str().unwrap().to_owned();
        editor.ok("session/prompt", &prompt(&session, "Hello."), "");
        let tools = server.asked().pop().unwrap().body["tools"].to_string();
        assert!(tools.contains(tool), "{dir}: {tools}");
        let start = place.ok(&["replay", &session, "--json"]);
        let start: Value = serde_json::from_str(start.lines().next().unwrap()).unwrap();
        assert_eq!(start["policy"], if dir == "stack" { "read-only" } else { "ask" });
    }
    let new = json!({"cwd": place.path("wide"), "mcpServers": []});
    let said = editor.ask("session/new", &new, "")["error"]["message"].to_string();
    assert!(said.contains("wide/kitbag.toml:1: a project may not set `policy`"), "{said}");
}

#[test]
fn of_many_sessions_the_idle_ones_rest() {
    let (place, mark) = (Place::new(), mark());
    let replies = (0..40).map(|_| Reply::Says(vec![Say::Text("Yes.")]));
    let server = Server::start("openai", replies.collect());
    let mut editor = Editor::start(&place, &server);
    editor.ok("initialize", &json!({"protocolVersion": 1}), "");
    let mut all: Vec<String> = Vec::new();
    for number in 0..19 {
        let servers = if number < 3 { json!([one_tool(&mark)]) } else { json!([]) };
        let new = json!({"cwd": place.root(), "mcpServers": servers});
        let session = editor.ok("session/new", &new, "")["sessionId"].as_str().unwrap().to_owned();
        editor.ok("session/prompt", &prompt(&session, &format!("I am {number}.")), "");
        all.push(session);
    }
    // Sixteen are open; the servers of the three that rest are gone.
    wait_until("the end of the servers", || alive(&mark).is_empty());
    editor.updates();
    editor.ok("session/prompt", &prompt(&all[1], "Who am I?"), "");
    let last = server.asked().pop().unwrap().body;
    assert!(
        last.to_string().contains("I am 1.") && last.to_string().contains("eyes__look"),
        "{last}"
    );
    assert_eq!(said(&editor.updates(), "agent_message_chunk"), "Yes.", "nothing is told twice");
    assert_eq!(alive(&mark).len(), 1);
    // One that rests can be loaded with other servers.
    let load = json!({"sessionId": all[2], "cwd": place.root(), "mcpServers": []});
    editor.ok("session/load", &load, "");
    assert_eq!(said(&editor.updates(), "user_message_chunk"), "I am 2.");
    editor.ok("session/prompt", &prompt(&all[2], "Who am I?"), "");
    let last = server.asked().pop().unwrap().body.to_string();
    assert!(last.contains("I am 2.") && !last.contains("eyes__look"), "{last}");
    // One that rests can be closed, and is not opened again then.
    editor.ok("session/close", &json!({"sessionId": all[0]}), "");
    let answer = editor.ask("session/prompt", &prompt(&all[0], "x"), "");
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}
