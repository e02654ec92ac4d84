//! What other MCP servers ask of the person while they work on a call, in both eras of the protocol.

use serde_json::{Value, json};

use crate::model_server::{Reply, Say, Server};
use crate::place::Place;
use crate::terminal::Terminal;

/// A server that knows one era, and whose tool asks for a form and says what came of it. The older one
/// ends with whatever comes before the handshake.
const SERVER: &str = r#"
import json, sys
era = sys.argv[1]
lines = (json.loads(line) for line in sys.stdin)
def send(**m): print(json.dumps({"jsonrpc": "2.0", **m}), flush=True)
form = {"message": "Which ticket?\u001b[2J", "requestedSchema": {"type": "object", "required": ["age", "who"], "properties": {
    "who": {"type": "string", "title": "Your name", "default": "Ada"},
    "age": {"type": "integer", "maximum": 150},
    "colour": {"type": "string", "oneOf": [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]},
    "sure": {"type": "boolean", "default": False},
    "note": {"type": "string", "maxLength": 5}}}}
can, request = None, {"method": "elicitation/create", "params": form}
for m in lines:
    method, params, meta = m.get("method"), m.get("params", {}), m.get("params", {}).get("_meta", {})
    if "id" not in m: continue
    if era == "older" and can is None and method != "initialize": sys.exit("nobody shook hands")
    if method == "initialize":
        can = params["capabilities"]
        r = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    elif method == "server/discover":
        can = meta["io.modelcontextprotocol/clientCapabilities"]
        r = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    elif method == "tools/list":
        r = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "tools": [{"name": "ask", "inputSchema": {"type": "object"}}]}
    elif era == "newer" and "inputResponses" not in params:
        r = {"resultType": "input_required", "requestState": "opaque", "inputRequests": {"form": request}}
    else:
        if era == "newer":
            said = params["inputResponses"]["form"]
            assert params["requestState"] == "opaque"
        else:
            send(id="q", **request)
            said = next(lines)["result"]
        text = json.dumps({"can": can, "said": said})
        r = {"resultType": "complete", "content": [{"type": "text", "text": text}]}
    send(id=m["id"], result=r)
"#;

/// A place with the server, the model that calls it, and the words that run both.
fn made(era: &str) -> (Place, Server, Vec<String>) {
    let place = Place::new();
    let file = place.dir.path().join("servers.json");
    let server = json!({"command": "python3", "args": ["-c", SERVER, era]});
    std::fs::write(&file, json!({"mcpServers": {"asker": server}}).to_string()).unwrap();
    let call = Reply::Says(vec![Say::Call("c", "asker__ask", "{}")]);
    let model = Server::start("openai", vec![call, Reply::Says(vec![Say::Text("Done.")])]);
    let words = ["run", "go", "--policy", "trust", "--model", "m", "--base-url", &model.url];
    let mut words: Vec<_> = words.map(str::to_owned).into();
    words.extend(["--mcp-config".to_owned(), file.display().to_string()]);
    (place, model, words)
}

fn start(place: &Place, words: &[String]) -> Option<Terminal> {
    Terminal::start(place, &words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// What the server says that it heard.
fn heard(model: &Server) -> Value {
    let body = model.asked()[1].body.clone();
    let text = body["messages"].as_array().unwrap().last().unwrap()["content"].clone();
    serde_json::from_str(text.as_str().unwrap()).unwrap_or_else(|e| panic!("{e}: {text}"))
}

#[test]
fn a_person_fills_in_the_form_of_a_server() {
    for era in ["older", "newer"] {
        let (place, model, words) = made(era);
        let Some(mut terminal) = start(&place, &words) else { return };
        let shown = terminal.sees("Allow it? [y]es, [N]o: ");
        assert!(shown.contains("asker") && shown.contains(r"Which ticket?\u{1b}[2J"), "{shown}");
        assert!(shown.contains("who: Your name (text; Ada if left empty)"), "{shown}");
        terminal.types("y\n");
        for (asks, says) in [
            ("who: Your name (text; Ada if left empty)", ""),
            ("age (a whole number)", ""),
            ("an answer is needed; age", "old"),
            ("not a whole number; age", "200"),
            ("at most 150; age", "36"),
            ("colour (one of r (Red), g (Green); may be left empty)", "blue"),
            ("`blue` is not one of r (Red), g (Green); colour", "Green"),
            ("sure (yes or no; no if left empty)", "maybe"),
            ("answer yes or no; sure", "y"),
            ("note (text; may be left empty)", "too long"),
            ("at most 5 characters; note", ""),
        ] {
            terminal.sees(&format!("asks: {asks}"));
            terminal.sees("Your answer: ");
            terminal.types(&format!("{says}\n"));
        }
        // All of it is shown once more, and can be changed.
        terminal.sees("\"age\": 36");
        terminal.sees("Allow it? [y]es, [N]o: ");
        terminal.types("n\n");
        for (asks, says) in [
            ("who: Your name (text; Ada if left empty)", "Grace"),
            ("age (a whole number; 36 if left empty)", ""),
            ("colour (one of r (Red), g (Green); g if left empty)", ""),
            ("sure (yes or no; yes if left empty)", ""),
            ("note (text; may be left empty)", "hi"),
        ] {
            terminal.sees(&format!("asks: {asks}"));
            terminal.sees("Your answer: ");
            terminal.types(&format!("{says}\n"));
        }
        terminal.sees("Allow it? [y]es, [N]o: ");
        terminal.types("y\n");
        terminal.sees(", asked for ");
        assert_eq!(terminal.ends(), Some(0));
        let heard = heard(&model);
        assert_eq!(heard["can"], json!({"elicitation": {"form": {}}}), "{era}");
        let content = json!({"who": "Grace", "age": 36, "colour": "g", "sure": true, "note": "hi"});
        assert_eq!(heard["said"], json!({"action": "accept", "content": content}), "{era}");
    }
}

#[test]
fn a_form_can_be_declined_and_left() {
    for (era, keys, action) in [
        ("older", &["n\n"][..], "decline"),
        ("newer", &["n\n"], "decline"),
        ("older", &["y\n", "\u{4}"], "cancel"), // Ctrl-D
        ("newer", &["y\n", "\u{4}"], "cancel"),
    ] {
        let (place, model, words) = made(era);
        let Some(mut terminal) = start(&place, &words) else { return };
        for (key, prompt) in keys.iter().zip(["Allow it? [y]es, [N]o: ", "Your answer: "]) {
            terminal.sees(prompt);
            terminal.types(key);
        }
        terminal.sees("[success]");
        assert_eq!(terminal.ends(), Some(0));
        assert_eq!(heard(&model)["said"], json!({"action": action}), "{era}");
    }
    // The interrupt key takes the question back and ends the call.
    let (place, model, words) = made("older");
    let Some(mut terminal) = start(&place, &words) else { return };
    terminal.sees("Allow it? [y]es, [N]o: ");
    terminal.types("\u{3}");
    terminal.sees("[cancelled]");
    assert_eq!((terminal.ends(), model.asked().len()), (Some(130), 1));
}

#[test]
fn where_nobody_is_there_a_server_is_told_so() {
    for era in ["older", "newer"] {
        let (place, model, words) = made(era);
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let ran = place.run(&words);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let heard = heard(&model);
        assert_eq!((&heard["can"], &heard["said"]["action"]), (&json!({}), &"decline".into()));
    }
}
