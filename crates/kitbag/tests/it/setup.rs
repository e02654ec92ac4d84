//! `kitbag setup`: the files of hosts.

use serde_json::{Value, json};

use crate::place::Place;

fn server(place: &Place, file: &str, field: &str) -> Value {
    let all: Value = serde_json::from_str(&place.read(file)).unwrap();
    all[field]["kitbag"].clone()
}

#[test]
fn the_file_of_a_host_names_the_server_and_keeps_the_others() {
    let place = Place::of_a_newcomer();
    let other = r#"{"inputs": [], "servers": {"z": {"command": "z"}, "a": {"command": "a"}}}"#;
    place.write(".vscode/mcp.json", other);
    for (host, file, field) in [
        ("claude-code", ".mcp.json", "mcpServers"),
        ("cursor", ".cursor/mcp.json", "mcpServers"),
        ("vscode", ".vscode/mcp.json", "servers"),
        ("gemini", ".gemini/settings.json", "mcpServers"),
        ("zed", ".zed/settings.json", "context_servers"),
    ] {
        let printed: Value = serde_json::from_str(&place.ok(&["setup", host])).unwrap();
        assert_eq!(
            place.ok(&["setup", host, "--write"]),
            format!("wrote {file}; restart the host\n")
        );
        assert_eq!(
            place.ok(&["setup", host, "--write"]),
            format!("{file} has it already; nothing was written\n")
        );
        let written = server(&place, file, field);
        assert_eq!(printed[field]["kitbag"], written);
        let args = written["args"].as_array().unwrap();
        assert!(args.ends_with(&[json!("--preset"), json!("beside")]), "{written}");
    }
    let chosen = ["setup", "zed", "--preset", "min", "--with", "browse,web", "--without", "undo"];
    let printed: Value = serde_json::from_str(&place.ok(&chosen)).unwrap();
    let args = &printed["context_servers"]["kitbag"]["args"];
    let chosen = ["--preset", "min", "--with", "browse", "--with", "web", "--without", "undo"];
    assert!(args.as_array().unwrap().ends_with(&chosen.map(|word| json!(word))), "{printed}");
    assert_eq!(place.run(&["setup", "zed", "--with", "bash"]).code, Some(2));
    let all = place.read(".vscode/mcp.json");
    let at = |name: &str| all.find(name).unwrap();
    assert!(
        at("inputs") < at("\"z\"") && at("\"z\"") < at("\"a\"") && at("\"a\"") < at("kitbag"),
        "{all}"
    );
    // What is written is what the host would start.
    let args = server(&place, ".zed/settings.json", "context_servers")["args"].clone();
    let words: Vec<&str> = args.as_array().unwrap().iter().map(|w| w.as_str().unwrap()).collect();
    let ran = place.run(&words);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for _ in 0..5 {
        place.ok(&["undo"]);
    }
    assert_eq!(place.read(".vscode/mcp.json"), other);
    assert!(!place.has(".mcp.json") && !place.has(".cursor"));
}

#[test]
fn a_file_that_would_lose_something_stays_as_it_is() {
    let place = Place::of_a_newcomer();
    for text in ["{\n  // mine\n  \"context_servers\": {}\n}\n", "[]", "{\"context_servers\": 1}"] {
        place.write(".zed/settings.json", text);
        let ran = place.run(&["setup", "zed", "--write"]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.err.contains(".zed/settings.json: ") && ran.err.contains("`kitbag setup zed`"));
        assert_eq!(place.read(".zed/settings.json"), text);
    }
    assert_eq!(place.run(&["setup", "emacs"]).code, Some(2));
}
