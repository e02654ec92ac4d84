//! What careless models and hostile ones put into arguments.

use serde_json::{Value, json};

use crate::client::Server;
use crate::place::Place;

/// Calls with the tool, its arguments, the code of the failure and what the message must name.
#[track_caller]
fn refused(server: &mut Server, calls: &[(&str, Value, &str, &[&str])]) {
    for (tool, arguments, code, says) in calls {
        let message = server.call(tool, arguments).fails(code);
        for part in *says {
            assert!(
                message.contains(part),
                "{tool} {arguments}: {part:?} is missing in: {message}"
            );
        }
    }
}

#[test]
fn a_wrong_edit_is_named_by_its_path() {
    let place = Place::with(&[("a.txt", "one\n")]);
    let mut fiz = place.serve("fiz", "trust");
    let one = json!({"oldText": "one", "newText": "1"});
    let given: &[(Value, &[&str])] = &[
        (json!([one, {"oldText": {}, "newText": ""}]), &["edits[1].oldText"]),
        (json!([one, {"oldText": "x"}]), &["edits[1].newText", "missing"]),
        (json!([null]), &["edits[0]"]),
        (json!([{"oldText": "one", "newText": null}]), &["edits[0].newText"]),
        (json!([{"oldText": "one", "newText": "1", "all": true}]), &["edits[0]", "all"]),
        (json!([{"oldText": "", "newText": "x"}]), &["empty"]),
        (json!("x"), &["edits"]),
        (json!(7), &["edits"]),
        (json!([]), &["edits"]),
        (json!(null), &["edits"]),
    ];
    for (edits, says) in given {
        let call = ("edit", json!({"path": "a.txt", "edits": edits}), "InvalidInput", *says);
        refused(&mut fiz, &[call]);
    }
    assert_eq!(place.read("a.txt"), "one\n");
    assert!(place.log().is_empty());
}

#[test]
fn a_wrong_type_names_its_field() {
    let place = Place::with(&[("a.txt", "one\n")]);
    let no = "InvalidInput";
    let patch = json!({"path": "a.txt", "search": "one", "content": "x", "operation": 7});
    refused(
        &mut place.serve("fiz", "trust"),
        &[
            ("read", json!({"path": 5.5}), no, &["path"]),
            ("read", json!({"path": ["a.txt"]}), no, &["path"]),
            ("read", json!({"path": null}), no, &["path"]),
            ("read", json!({}), no, &["path", "missing"]),
            ("read", json!({"path": ""}), no, &["path", "empty"]),
            ("read", json!({"path": "a.txt", "offset": -1}), no, &["offset"]),
            ("read", json!({"path": "a.txt", "offset": "many"}), no, &["offset"]),
            ("read", json!({"path": "a.txt", "limit": {"lines": 1}}), no, &["limit"]),
            ("read", json!({"path": "a.txt", "ofset": 1}), no, &["ofset", "offset"]),
            ("bash", json!({"command": ["ls"]}), no, &["command"]),
            ("bash", json!({"command": " "}), no, &["command"]),
            ("bash", json!({"command": "true", "timeout_ms": 0}), no, &["timeout_ms"]),
            ("bash", json!({"command": "true", "timeout_ms": -5}), no, &["timeout_ms"]),
            ("bash", json!({"command": "echo a\u{0}b"}), no, &["command", "NUL"]),
            ("grep", json!({"pattern": ""}), no, &["pattern"]),
            ("grep", json!({"pattern": "("}), "InvalidRegex", &["("]),
            ("find", json!({"pattern": "[a"}), "InvalidGlob", &["[a"]),
            ("patch", patch, no, &["operation"]),
            ("task", json!({"operation": "fly"}), no, &["operation"]),
            ("write", json!({"path": "a.txt", "content": 1.5}), no, &["content"]),
            ("write", json!({"path": "a.txt"}), no, &["content"]),
        ],
    );
    refused(
        &mut place.serve("local", "trust"),
        &[
            ("write_file", json!({"path": "a.txt", "content": {"x": 1}}), no, &["content"]),
            ("search_codebase", json!({"query": "x", "recursive": "perhaps"}), no, &["recursive"]),
        ],
    );
    assert_eq!(place.read("a.txt"), "one\n");
    assert!(place.log().is_empty());
}

#[test]
fn numbers_and_lists_that_came_as_text_are_understood() {
    let place = Place::with(&[("a.txt", "one\ntwo\nthree\n")]);
    let mut fiz = place.serve("fiz", "trust");
    let read = fiz.call("read", &json!({"path": "a.txt", "offset": "1", "limit": 1.0}));
    assert!(read.ok().starts_with("two"), "{read:?}");
    let edits = r#"[{"oldText": "two", "newText": "2"}]"#;
    fiz.call("edit", &json!({"path": "a.txt", "edits": edits})).ok();
    assert_eq!(place.read("a.txt"), "one\n2\nthree\n");
}

#[test]
fn arguments_that_are_no_object_are_a_fault_of_the_protocol_and_named() {
    let place = Place::new();
    let mut fiz = place.serve("fiz", "trust");
    for arguments in [json!([]), json!("x"), json!(5)] {
        let answer = fiz.call("read", &arguments);
        assert!(answer.failed(), "{answer:?}");
        assert!(answer.0.to_string().contains("arguments"), "{answer:?}");
    }
    let id = fiz.send("tools/call", &json!({"name": "ls"}));
    fiz.answer(&id).ok();
    let id = fiz.send("tools/call", &json!({"arguments": {}}));
    let answer = fiz.wait(&id);
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

#[test]
fn an_unknown_tool_is_answered_with_near_names() {
    let place = Place::new();
    let mut fiz = place.serve("fiz", "trust");
    for (wrong, near) in [("raed", "read"), ("Read", "read"), ("bash_", "bash"), ("grepp", "grep")]
    {
        let message = fiz.call(wrong, &json!({})).fails("UnknownTool");
        assert!(message.contains(near), "{message}");
    }
    let long = "x".repeat(100_000);
    let message = fiz.call(&long, &json!({})).fails("UnknownTool");
    assert!(message.len() < 2_000, "{} bytes of message", message.len());
    fiz.call("ls", &json!({})).ok();
}

#[test]
fn nine_megabytes_of_argument_are_a_file_and_eleven_are_refused() {
    let place = Place::new();
    let mut fiz = place.serve("fiz", "trust");
    let content = "0123456789abcde\n".repeat(9 << 16);
    fiz.call("write", &json!({"path": "big.txt", "content": content})).ok();
    assert!(place.read("big.txt") == content);
    let more = "0123456789abcde\n".repeat(11 << 16);
    let answer = fiz.call("write", &json!({"path": "big.txt", "content": more}));
    assert_eq!(answer.0["error"]["code"], -32600, "too long a line");
    assert!(answer.0["error"]["message"].as_str().unwrap().contains("limit"));
    assert!(place.read("big.txt") == content);
    let find = "x".repeat(9 << 20);
    let message = fiz
        .call("edit", &json!({"path": "big.txt", "edits": [{"oldText": find, "newText": ""}]}))
        .fails("StringNotFound");
    assert!(message.len() < 100_000, "{} bytes of message", message.len());
    let message = fiz.call("read", &json!({"path": find})).fails("InvalidInput");
    assert!(message.len() < 10_000, "{} bytes of message", message.len());
    let answer = fiz.call("grep", &json!({"pattern": find}));
    assert!(answer.text().len() < 10_000, "{} bytes of message", answer.text().len());
    let answer = fiz.call("bash", &json!({"command": find}));
    assert!(answer.text().len() < 10_000, "{} bytes of message", answer.text().len());
    answer.fails("InvalidInput");
}

#[test]
fn a_glob_that_explodes_ends_at_once() {
    let place = Place::with(&[("a.txt", "x\n")]);
    let mut fiz = place.serve("fiz", "trust");
    let began = std::time::Instant::now();
    let _ = fiz.call("find", &json!({"pattern": "{a,b}".repeat(20)}));
    let _ = fiz.call("find", &json!({"pattern": "{".repeat(5000)}));
    let _ = fiz.call("grep", &json!({"pattern": "x", "glob": "{a,b}".repeat(20)}));
    let _ = fiz.call("grep", &json!({"pattern": "(((x{1,1000}){1,1000}){1,1000})"}));
    let _ = fiz.call("grep", &json!({"pattern": format!("{}x", "(".repeat(10_000))}));
    let _ = fiz.call("grep", &json!({"pattern": "(x+x+)+y"}));
    assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
}

#[test]
fn the_largest_numbers_are_numbers() {
    let place = Place::with(&[("a.txt", "one\n")]);
    let mut fiz = place.serve("fiz", "trust");
    let most = u64::MAX;
    assert_eq!(fiz.call("read", &json!({"path": "a.txt", "offset": most, "limit": most})).ok(), "");
    assert_eq!(fiz.call("read", &json!({"path": "a.txt", "offset": 1, "limit": most})).ok(), "");
    let read = fiz.call("read", &json!({"path": "a.txt", "offset": 0, "limit": 0}));
    assert!(!read.failed(), "{read:?}");
    fiz.call("bash", &json!({"command": "true", "timeout_ms": most})).ok();
    let huge = r#"{"jsonrpc":"2.0","id":9001,"method":"tools/call","params":{"name":"read","arguments":{"path":"a.txt","offset":1e300}}}"#;
    fiz.line(huge);
    fiz.answer("9001").fails("InvalidInput");
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    fiz.line(&format!(
        r#"{{"jsonrpc":"2.0","id":9002,"method":"tools/call","params":{{"name":"read","arguments":{{"path":{deep}}}}}}}"#
    ));
    let answer = fiz.drain(std::time::Duration::from_millis(500));
    assert_eq!(answer.len(), 1, "{answer:?}");
    assert!(answer[0]["error"].is_object() || answer[0]["result"]["isError"] == true);
    fiz.call("ls", &json!({})).ok();
}
