//! Tools of other MCP servers beside our own: over pipes and HTTP, under the policy, and when they die.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::model_server::{Reply, Say, Server};
use crate::place::{Place, Ran, alive, mark};

fn call(name: &'static str, arguments: &'static str) -> Reply {
    Reply::Says(vec![Say::Call("c", name, arguments)])
}

fn says(text: &'static str) -> Reply {
    Reply::Says(vec![Say::Text(text)])
}

/// Writes the file with the servers; gives its path.
fn config(place: &Place, servers: &Value) -> String {
    let path = place.dir.path().join("servers.json");
    std::fs::write(&path, json!({"mcpServers": servers}).to_string()).unwrap();
    path.display().to_string()
}

fn run(place: &Place, model: &Server, file: &str, words: &[&str]) -> Ran {
    let mut all = vec!["run", "Do it.", "--model", "m", "--base-url", &model.url];
    all.extend(["--mcp-config", file]);
    all.extend(words);
    place.run(&all)
}

/// This program as the server of another directory.
fn other(place: &Place) -> Value {
    std::fs::create_dir_all(place.dir.path().join("other")).unwrap();
    std::fs::write(place.dir.path().join("other/far.txt"), "from far away\n").unwrap();
    json!({
        "command": env!("CARGO_BIN_EXE_kitbag"),
        "args": ["serve", "--policy", "trust"],
        "env": {
            "KITBAG_ROOT": place.dir.path().join("other"),
            "KITBAG_STATE": place.dir.path().join("other-state"),
            "KITBAG_EXTENSION": "${OFF}",
        },
    })
}

#[test]
fn tools_of_another_server_are_asked_about_unless_named() {
    let place = Place::new();
    let file = config(&place, &json!({"far off": other(&place)}));
    let script = || {
        let model = Server::start(
            "openai",
            vec![
                call("far_off__read", r#"{"path": "far.txt"}"#),
                call("far_off__read", r#"{"path": "none.txt"}"#),
                says("Read."),
            ],
        );
        let told = |model: &Server| {
            let bodies: Vec<_> = model.asked().iter().map(|a| a.body.clone()).collect();
            let result = |body: &Value| {
                let messages = body["messages"].as_array().unwrap();
                messages.last().unwrap()["content"].as_str().unwrap().to_owned()
            };
            (result(&bodies[1]), result(&bodies[2]), bodies[0].clone())
        };
        (model, told)
    };
    let with = |words: &[&str]| {
        let (model, told) = script();
        let mut all = vec!["run", "Do it.", "--model", "m", "--base-url", &model.url];
        all.extend(["--mcp-config", &file]);
        all.extend(words);
        let ran = Ran::of(place.program(&all).env("OFF", "off").output().unwrap());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        told(&model)
    };
    let (first, ..) = with(&["--policy", "auto"]);
    assert!(first.starts_with("error: far_off__read: a person must allow"), "{first}");
    for policy in ["ask", "auto", "trust"] {
        let (first, second, request) = with(&["--policy", policy, "--mcp-allow", "far_off__read"]);
        assert_eq!(first.trim_end(), "from far away", "{policy}");
        assert!(second.starts_with("error: ") && second.contains("none.txt"), "{second}");
        let tools = request["tools"].as_array().unwrap();
        let names: Vec<_> = tools.iter().map(|t| t["function"]["name"].clone()).collect();
        assert!(names.contains(&"read".into()) && names.contains(&"far_off__bash".into()));
        let own = tools.iter().find(|t| t["function"]["name"] == "far_off__read").unwrap();
        assert!(own["function"]["parameters"]["properties"]["path"].is_object(), "{own}");
    }
    let (first, ..) = with(&["--policy", "read-only", "--mcp-allow", "far_off__read"]);
    assert!(first.contains("read-only"), "{first}");
    // Nothing of it is in the journal of the project, and all of it in the audit log.
    assert_eq!(place.log().len(), 0);
    let audit = std::fs::read_to_string(place.state().join("audit.jsonl")).unwrap();
    assert_eq!(audit.matches("far_off__read").count(), 10, "{audit}");
    assert_eq!(alive(&place.dir.path().display().to_string()), [""; 0], "servers end with us");
}

#[test]
fn a_server_that_does_not_work_is_named() {
    let place = Place::new();
    let model = Server::start("openai", vec![says("Yes.")]);
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for (server, said) in [
        (json!({"command": "no-such-program"}), "no such program"),
        (json!({"command": "sh", "args": ["-c", "echo it is broken >&2; exit 3"]}), "it is broken"),
        (json!({"url": format!("http://{unused}/mcp")}), "failed"),
        (json!({"url": format!("{}/mcp", model.url)}), "failed"),
        (json!({}), "needs either `command` or `url`"),
        (json!({"command": "true", "env": {"A": "${NOT_SET_HERE}"}}), "is not set"),
    ] {
        let (file, began) = (config(&place, &json!({"bad": server})), Instant::now());
        let asked = model.asked().len();
        let ran = run(&place, &model, &file, &[]);
        assert!(matches!(ran.code, Some(1 | 2)), "{server}: {ran:?}");
        assert!(ran.err.contains("bad") && ran.err.contains(said), "{server}: {ran:?}");
        assert!(began.elapsed() < Duration::from_secs(5), "{server}: {:?}", began.elapsed());
        let completions = model.asked().iter().skip(asked).any(|a| a.line.contains("completions"));
        assert!(!completions, "no model is asked");
    }
    // One that says nothing is waited for, and not for long.
    let (mark, began) = (mark(), Instant::now());
    let silent = json!({"command": "sleep", "args": [mark]});
    let file = config(&place, &json!({"silent": silent, "fine": {"disabled": true}}));
    let ran = run(&place, &model, &file, &[]);
    assert!(ran.err.contains("silent") && ran.err.contains("no answer in 15s"), "{ran:?}");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert_eq!(alive(&mark), [""; 0]);
}

/// A server at a pipe that knows one tool; `call` is what it does when that is called, with the result
/// in `r`.
pub(crate) fn script(tool: &str, call: &str) -> String {
    format!(
        r#"
import json, os, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    if m["method"] == "initialize":
        r = {{"protocolVersion": "2025-06-18", "capabilities": {{"tools": {{}}}}, "serverInfo": {{"name": "s", "version": "1"}}}}
    elif m["method"] == "tools/list":
        r = {{"tools": [{{"name": "{tool}", "inputSchema": {{"type": "object"}}}}]}}
    elif m["method"] == "tools/call":
        {call}
    else:
        print(json.dumps({{"jsonrpc": "2.0", "id": m["id"], "error": {{"code": -32601, "message": "no"}}}}), flush=True); continue
    print(json.dumps({{"jsonrpc": "2.0", "id": m["id"], "result": r}}), flush=True)
"#
    )
}

#[test]
fn a_server_that_dies_fails_its_calls_alone() {
    let place = Place::new();
    // It answers what a client asks first, and ends with the first call.
    let script = script("die", r#"print("I die", file=sys.stderr); sys.exit(4)"#);
    let file = config(&place, &json!({"mortal": {"command": "python3", "args": ["-c", script]}}));
    let model = Server::start(
        "openai",
        vec![call("mortal__die", "{}"), call("ls", "{}"), says("It died.")],
    );
    let ran = run(&place, &model, &file, &["--policy", "trust"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let told = model.asked()[1].body.to_string();
    assert!(told.contains("the MCP server mortal failed: it ended with"), "{told}");
    assert!(told.contains("the exit code 4: I die"), "{told}");
    assert!(model.asked()[2].body.to_string().contains("(empty directory)"));
}

/// A server over HTTP that knows one tool; gives its address and what came with the requests.
fn http() -> (String, std::sync::Arc<std::sync::Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let heads: std::sync::Arc<std::sync::Mutex<Vec<String>>> = <_>::default();
    let seen = std::sync::Arc::clone(&heads);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let seen = std::sync::Arc::clone(&seen);
            std::thread::spawn(move || {
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let (mut head, mut length) = (String::new(), 0);
                loop {
                    let mut line = String::new();
                    if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
                        break;
                    }
                    if let Some(count) = line.to_lowercase().strip_prefix("content-length: ") {
                        length = count.trim().parse().unwrap();
                    }
                    head += &line;
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                let request: Value = serde_json::from_slice(&body).unwrap_or_default();
                seen.lock().unwrap().push(head.clone());
                let result = match request["method"].as_str().unwrap_or_default() {
                    "initialize" => {
                        json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}})
                    }
                    "tools/list" => {
                        json!({"tools": [{"name": "look", "inputSchema": {"type": "object"}}]})
                    }
                    "tools/call" => {
                        json!({"content": [{"type": "text", "text": "seen over HTTP"}, {"type": "image", "mimeType": "image/png", "data": "AAAA"}]})
                    }
                    _ => Value::Null,
                };
                let answer = match (request.get("id"), result.is_null()) {
                    (None, _) if head.starts_with("POST") => {
                        "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n".to_owned()
                    }
                    (None, _) => "HTTP/1.1 405 No\r\nContent-Length: 0\r\n".to_owned(),
                    (Some(id), is_unknown) => {
                        let text = match is_unknown {
                            true => {
                                json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no"}})
                            }
                            false => json!({"jsonrpc": "2.0", "id": id, "result": result}),
                        };
                        let event = format!("data: {text}\n\n");
                        format!(
                            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{event}",
                            event.len()
                        )
                    }
                };
                let end =
                    if answer.contains("\r\n\r\n") { "" } else { "Connection: close\r\n\r\n" };
                let _ = stream.write_all(format!("{answer}{end}").as_bytes());
            });
        }
    });
    (url, heads)
}

#[test]
fn a_server_over_http_gets_its_headers_and_gives_pictures() {
    let place = Place::new();
    let (url, heads) = http();
    let server = json!({"url": url, "headers": {"Authorization": "Bearer ${PAGES_KEY}"}});
    let file = config(&place, &json!({"pages": server}));
    let model = Server::start("anthropic", vec![call("pages__look", "{}"), says("Seen.")]);
    let words =
        ["run", "x", "--provider", "anthropic", "--model", "claude-x", "--base-url", &model.url];
    let mut program = place.program(&words);
    program.args(["--mcp-config", &file, "--mcp-allow", "pages__look"]).env("PAGES_KEY", "sesame");
    let ran = Ran::of(program.output().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let told = model.asked()[1].body.to_string();
    assert!(told.contains("seen over HTTP") && told.contains(r#""data":"AAAA""#), "{told}");
    let heads = heads.lock().unwrap();
    assert!(heads.iter().all(|head| head.to_lowercase().contains("authorization: bearer sesame")));
}

#[test]
fn settings_of_the_user_name_servers_and_those_of_a_project_start_none() {
    let (place, mark) = (Place::new(), mark());
    let script = || vec![call("far__read", r#"{"path": "far.txt"}"#), says("Read.")];
    let go = |model: &Server, words: &[&str]| {
        let mut all = vec!["run", "Do it.", "--model", "m", "--base-url", &model.url];
        all.extend(["--mcp-allow", "far__read"].iter().filter(|_| !words.contains(&"--no-far")));
        all.extend(words.iter().filter(|word| **word != "--no-far"));
        Ran::of(place.program(&all).env("OFF", "off").current_dir(place.root()).output().unwrap())
    };
    let own = other(&place);
    let env = own["env"].as_object().unwrap().iter();
    let env: String = env.map(|(name, value)| format!("{name} = {value}\n")).collect();
    let table = format!(
        "toolset = \"fiz\"\n[mcpServers.far]\ncommand = {}\nargs = {}\n[mcpServers.far.env]\nA_KEY = \"sesame\"\n{env}",
        own["command"], own["args"]
    );
    let of_user = place.config().join("kitbag/kitbag.toml");
    std::fs::write(&of_user, &table).unwrap();
    let model = Server::start("openai", script());
    let ran = go(&model, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(model.asked()[1].body.to_string().contains("from far away"), "{ran:?}");
    let shown = place.ok(&["config"]);
    let line = shown.lines().find(|line| line.starts_with("run.mcp-servers ")).unwrap();
    assert!(line.contains(" far ") && line.ends_with("kitbag.toml:2"), "{line}");
    assert!(!shown.contains("sesame"), "{shown}");
    // A file that is named comes before it.
    let elsewhere = json!({"far": {"command": "sh", "args": ["-c", "echo replaced >&2; exit 1"]}});
    let ran =
        go(&Server::start("openai", script()), &["--mcp-config", &config(&place, &elsewhere)]);
    assert!(
        ran.err.contains("the MCP server far failed") && ran.err.contains("replaced"),
        "{ran:?}"
    );
    // What is wrong is told with its place.
    std::fs::write(&of_user, "\n[mcpServers.far]\nargs = []\n").unwrap();
    let ran = place.run(&["tools"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.contains("kitbag.toml:2: far: needs either `command` or `url`"), "{ran:?}");
    std::fs::write(&of_user, "toolset = \"fiz\"\n").unwrap();
    let ran = place.run(&["run", "x", "--mcp-servers", "[]"]);
    assert!(ran.code == Some(2) && ran.err.contains("expected a map"), "{ran:?}");

    // The files of a project start nothing by themselves.
    let touched = place.path("touched");
    let touch = format!("touch {}; exit 3 # {mark}", touched.display());
    place.write(
        "kitbag.toml",
        format!("[mcpServers.evil]\ncommand = \"sh\"\nargs = [\"-c\", {touch:?}]\n"),
    );
    let model = Server::start("openai", vec![says("Yes.")]);
    let ran = go(&model, &["--no-far"]);
    assert_eq!((ran.code, model.asked().len()), (Some(2), 0), "{ran:?}");
    assert!(ran.err.contains("kitbag.toml:1: a project may not set `mcp-servers`"), "{ran:?}");
    std::fs::remove_file(place.path("kitbag.toml")).unwrap();
    let mine = json!({"command": env!("CARGO_BIN_EXE_kitbag"), "args": ["serve"]});
    let servers =
        json!({"evil\u{1b}[2J": {"command": "sh", "args": ["-c", touch]}, "kitbag": mine});
    place.write(".mcp.json", json!({"mcpServers": servers}).to_string());
    let ran = go(&model, &["--no-far"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let note = r".mcp.json of this project names MCP servers (evil\u{1b}[2J); they start only with";
    assert!(ran.err.contains(note), "{ran:?}");
    assert!(!place.has("touched") && alive(&mark).is_empty());
    let ran = go(&model, &["--no-far", "--mcp-config", ".mcp.json"]);
    assert!(ran.code == Some(1) && place.has("touched"), "named, it is used: {ran:?}");
    assert_eq!(alive(&mark), [""; 0]);
}

#[test]
fn pictures_without_measure_are_left_out() {
    let place = Place::new();
    let picture = r#"{"type": "image", "mimeType": "image/png", "data": "A" * (3 << 20)}"#;
    let script = script("show", &format!(r#"r = {{"content": [{picture}] * 3}}"#));
    let file = config(&place, &json!({"big": {"command": "python3", "args": ["-c", script]}}));
    let model = Server::start("openai", vec![call("big__show", "{}"), says("Seen.")]);
    let ran = run(&place, &model, &file, &["--policy", "trust"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let told = model.asked()[1].body.to_string();
    assert!(told.contains("[the picture is beside this text]"), "{}", told.len());
    assert!(told.contains("[a picture of 3145728 bytes is left out]"), "{}", told.len());
    let record = place.ok(&["replay", "last", "--json"]);
    assert!(record.len() < 10 << 20, "{}", record.len());
}
