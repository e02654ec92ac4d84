//! Undo of more than one call: a session, back to a call, and what it would do.

use serde_json::{Value, json};

use crate::place::Place;

/// Calls 1 and 2 of one server, 3 of the command line.
fn three_calls() -> Place {
    let place = Place::new();
    let mut fiz = place.serve("fiz", "trust");
    fiz.call("write", &json!({"path": "a", "content": "one"})).ok();
    fiz.call("write", &json!({"path": "a", "content": "two"})).ok();
    drop(fiz);
    place.ok(&["call", "write", "path=c", "content=x", "--policy", "trust"]);
    place
}

#[test]
fn the_log_tells_sessions_apart_in_columns() {
    let place = three_calls();
    let log = place.log();
    assert_eq!(log[1]["session"], log[2]["session"]);
    assert_ne!(log[0]["session"], log[1]["session"]);
    place.ok(&["call", "bash", "command=touch d", "--policy", "trust"]);
    let shown = place.ok(&["log"]);
    let column = |line: &str, word: &str| line.find(word).unwrap_or_else(|| panic!("{shown}"));
    let calls: Vec<&str> = shown.lines().filter(|line| !line.starts_with("      ")).collect();
    let session = log[0]["session"].as_str().unwrap();
    assert!(calls[1].contains(&session[session.len() - 6..]), "{shown}");
    assert_eq!(column(calls[0], "touch d"), column(calls[1], "write  c") + 7, "{shown}");
    let one = place.ok(&["log", "-n", "1"]);
    assert!(
        one.starts_with(&calls[0][..5]) && !one.contains(&session[session.len() - 6..]),
        "{one}"
    );
    assert_eq!(place.ok(&["log", "--most", "1"]), place.ok(&["log", "-n", "1"]));
}

#[test]
fn a_session_is_taken_back_whole_or_not_at_all() {
    let place = three_calls();
    let session = place.log()[1]["session"].as_str().unwrap().to_owned();
    let short = &session[session.len() - 6..];
    let ran = place.run(&["undo", "--session", "abc"]);
    assert!(ran.code == Some(2) && ran.err.contains("--session: `abc`: no session"), "{ran:?}");
    // Without a name it is the newest call's.
    assert!(place.ok(&["undo", "--session", "--dry-run"]).starts_with("would undo call 3: "));
    let would = place.ok(&["undo", "--session", short, "--dry-run"]);
    assert!(would.contains("would undo call 2") && would.contains("would undo call 1"), "{would}");
    assert_eq!(place.read("a"), "two");
    place.write("a", "mine");
    for words in [&["undo", "--session", short][..], &["undo", "--session", short, "--dry-run"]] {
        let ran = place.run(words);
        assert!(ran.code == Some(1) && ran.err.contains("call 2"), "{ran:?}");
        assert_eq!(place.read("a"), "mine");
    }
    place.ok(&["undo", "--session", short, "--force"]);
    assert!(!place.has("a") && place.has("c"));
    // What was in the way is a call of its own.
    let log = place.log();
    let aside = log.iter().find(|call| call["tool"] == "undo").unwrap()["call"].to_string();
    place.ok(&["undo", &aside, "--force"]);
    assert_eq!(place.read("a"), "mine");
}

#[test]
fn in_a_directory_of_a_project_the_root_is_told() {
    let place = three_calls();
    std::fs::create_dir_all(place.root().join("src/deep")).unwrap();
    let below = place.root().join("src/deep").display().to_string();
    let told = format!("note: this directory is inside of the project {}", place.root().display());
    for words in
        [&["log"][..], &["undo"], &["undo", "--to", "2"], &["redo"], &["undo", "--dry-run"]]
    {
        let ran = place.run(&[words, &["--root", &below]].concat());
        assert!(ran.err.starts_with(&told) && ran.err.contains("`--root /"), "{words:?}: {ran:?}");
    }
    // Once it has calls of its own it is a project.
    place.ok(&["call", "write", "path=x", "content=x", "--policy", "trust", "--root", &below]);
    assert_eq!(place.run(&["log", "--root", &below]).err, "");
}

#[test]
fn the_files_go_back_to_before_a_call() {
    let place = three_calls();
    let parsed: Value = serde_json::from_str(&place.ok(&["undo", "--to", "2", "--json"])).unwrap();
    let calls: Vec<_> = parsed.as_array().unwrap().iter().map(|call| &call["call"]).collect();
    assert_eq!(calls, [&json!(3), &json!(2)]);
    assert_eq!((place.read("a").as_str(), place.has("c")), ("one", false));
    for call in ["2", "3"] {
        place.ok(&["redo", call]);
    }
    assert_eq!((place.read("a").as_str(), place.has("c")), ("two", true));
    assert!(place.ok(&["undo", "1", "--force", "--dry-run"]).starts_with("would undo call 1"));
    assert_eq!(place.run(&["undo", "--to", "9"]).code, Some(1));
    assert_eq!(place.run(&["undo", "2", "--to", "1"]).code, Some(2));
    assert_eq!(place.read("a"), "two");
}
