//! Records that are cut, damaged, or no records at all: each command names the file and the line, and
//! loses nothing.

use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use serde_json::Value;

use crate::model_server::{Reply, Say, Server};
use crate::place::{Place, Ran};

const PROMPT: &str = r#"{"type": "prompt", "text": "Who are you?"}"#;
const REPLY: &str = r#"{"type": "reply", "text": "Nobody.", "usd": 0.5}"#;

/// The line that a session in this place begins with.
fn start(place: &Place) -> String {
    serde_json::json!({
        "type": "start", "time": "2026-01-01T00:00:00Z", "session": "x", "version": "1", "model": "m",
        "root": place.root(), "toolset": "fiz", "policy": "ask", "system": "", "tools": [],
    })
    .to_string()
}

/// Puts a record among those of the place.
fn record(place: &Place, id: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let dir = place.state().join("sessions");
    std::fs::create_dir_all(&dir).unwrap();
    let path = dir.join(format!("{id}.jsonl"));
    std::fs::write(&path, content).unwrap();
    path
}

/// Content that is damaged in its third line, with what is said of it.
fn damages(place: &Place) -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let start = start(place);
    let with = |line: &[u8]| {
        let parts = [start.as_bytes(), PROMPT.as_bytes(), line, REPLY.as_bytes(), b""];
        parts.join(&b'\n')
    };
    vec![
        (
            "cut00000",
            with(br#"{"type": "reply", "text": "I a"#),
            "EOF while parsing a string at column 30",
        ),
        ("types000", with(br#"{"type": "reply", "text": 5}"#), "invalid type"),
        ("newer000", with(br#"{"type": "dream", "text": "x"}"#), "unknown variant `dream`"),
        ("list0000", with(b"[1, 2]"), "invalid type"),
        ("latin000", with(b"{\"type\": \"prompt\", \"text\": \"caf\xe9\"}"), "invalid unicode"),
        ("escape00", with(b"\x1b]0;owned\x07\x1b[2J"), "expected value"),
        ("depth000", with(&b"{\"type\":".repeat(100_000)), "recursion limit"),
        ("huge0000", with(&vec![b' '; (64 << 20) + 1]), "longer than 67108864 bytes"),
    ]
}

fn resume(place: &Place, server: &Server, id: &str) -> Ran {
    place.run(&["run", "x", "--model", "m", "--base-url", &server.url, "--continue", id])
}

#[test]
fn a_damaged_line_is_named_and_nothing_else_is_lost() {
    let place = Place::new();
    let server = Server::start("openai", vec![Reply::Says(vec![Say::Text("Yes.")])]);
    for (id, content, why) in damages(&place) {
        let path = record(&place, id, &content);
        let named = format!("{}:3: not an event of a session (", path.display());

        let ran = resume(&place, &server, id);
        assert_eq!(ran.code, Some(1), "{id}: {}", ran.err);
        assert!(ran.err.contains(&named) && ran.err.contains(why), "{id}: {}", ran.err);
        assert!(std::fs::read(&path).unwrap() == content, "{id}: the record is as it was");

        // What can be read is shown, before and after.
        let ran = place.run(&["replay", id]);
        assert_eq!(ran.code, Some(1), "{id}: {}", ran.err);
        assert!(ran.out.contains("Who are you?") && ran.out.contains("Nobody."), "{id}");
        assert!(ran.out.contains(&named) && ran.err.contains(&named), "{id}: {}", ran.err);
        assert!(!ran.out.contains('\u{7}') && !ran.err.contains("\u{1b}]0"), "{id}");

        let file = format!("replay:{}", path.display());
        let ran = place.run(&["run", "x", "--model", &file]);
        assert_eq!(ran.code, Some(1), "{id}: {}", ran.err);
        assert!(ran.err.contains(&named) && ran.err.contains(why), "{id}: {}", ran.err);

        // Lists have the session, and say what is missing.
        for words in [&["sessions"][..], &["usage", "--since", "2000-01-01"]] {
            let ran = place.run(words);
            assert_eq!(ran.code, Some(0), "{id}: {}", ran.err);
            assert!(ran.err.contains(&named) && ran.err.contains("left out here"), "{}", ran.err);
        }
        assert!(place.ok(&["sessions"]).contains(id));
        // A session without such a line is not held up.
        assert_eq!(resume(&place, &server, "last").code, Some(1), "the newest is this one");
        std::fs::remove_file(&path).unwrap();
    }
    assert!(server.asked().is_empty());
}

#[test]
fn a_record_that_is_no_file_or_of_nobody_is_told() {
    let place = Place::new();
    let server = Server::start("openai", vec![Reply::Says(vec![Say::Text("Yes.")])]);
    let dir = place.state().join("sessions");
    std::fs::create_dir_all(dir.join("folder00.jsonl")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(dir.join("pipe0000.jsonl")).status();
    assert!(made.unwrap().success());
    let odd = std::ffi::OsStr::from_bytes(b"\x1b[31m\xff.jsonl");
    std::fs::write(dir.join(odd), start(&place)).unwrap();
    std::fs::write(dir.join("notes.txt"), "not a record").unwrap();
    let foreign = record(&place, "foreign0", format!("{PROMPT}\n{REPLY}\n"));

    for (id, why) in [
        ("folder00", "folder00.jsonl: not a regular file"),
        ("pipe0000", "pipe0000.jsonl: not a regular file"),
        ("foreign0", "foreign0.jsonl:1: not the start of a session"),
    ] {
        let ran = resume(&place, &server, id);
        assert_eq!(ran.code, Some(1), "{id}: {}", ran.err);
        assert!(ran.err.contains(why), "{id}: {}", ran.err);
    }
    let ran = resume(&place, &server, "last");
    assert!(ran.err.contains("has none yet"), "{ran:?}");
    let ran = place.run(&["sessions", "--all"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("foreign0") && !ran.out.contains("notes"), "{ran:?}");
    assert_eq!(ran.err.matches("left out here").count(), 3, "{ran:?}");
    assert!(!ran.err.contains("\u{1b}[31m\u{fffd}"), "{ran:?}");
    let ran = place.run(&["usage", "--since", "2000-01-01", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");

    // Its answers can be replayed, as those of any file; a directory or nothing cannot.
    let ran = place.run(&["run", "x", "--model", &format!("replay:{}", foreign.display())]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Nobody.\n"), "{ran:?}");
    for (file, code, why) in
        [(dir.join("folder00.jsonl"), 1, "folder00.jsonl"), (dir.join("none"), 2, "No such file")]
    {
        let ran = place.run(&["run", "x", "--model", &format!("replay:{}", file.display())]);
        assert_eq!(ran.code, Some(code), "{ran:?}");
        assert!(ran.err.contains(why), "{ran:?}");
    }
}

#[test]
fn only_the_record_that_is_wanted_is_read() {
    let place = Place::new();
    let server = Server::start("openai", vec![Reply::Says(vec![Say::Text("Yes.")])]);
    let whole = format!("{}\n{PROMPT}\n{REPLY}\n", start(&place));
    // Its last line is whole, and only the end of the line is missing.
    let good = record(&place, "good0000", whole.trim_end());
    // A line that was being written is no part of it.
    let cut = record(&place, "cut00000", format!("{whole}{{\"type\": \"pro"));
    let bad = damages(&place).remove(0).1;
    record(&place, "bad00000", &bad);
    for (id, path) in [("good0000", good), ("cut00000", cut)] {
        let ran = resume(&place, &server, id);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(!ran.err.contains("bad00000"), "{ran:?}");
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(&whole), "{text}");
        assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{text}");
        let body = server.asked().pop().unwrap().body.to_string();
        assert!(body.contains("Who are you?") && body.contains("Nobody."), "{body}");
    }
}

#[test]
fn numbers_without_measure_do_no_harm() {
    let place = Place::new();
    let server = Server::start("openai", vec![Reply::Says(vec![Say::Text("Yes.")])]);
    let most = u64::MAX;
    let lines = [
        start(&place),
        PROMPT.to_owned(),
        format!(r#"{{"type": "request", "turn": {}, "messages": {most}}}"#, u32::MAX),
        format!(
            r#"{{"type": "reply", "text": "a", "tokens": {most}, "usd": 1e308, "ms": 1e308, "usage": {{"input": {most}, "output": {most}}}}}"#
        ),
        format!(
            r#"{{"type": "compaction", "turn": 1, "text": "b", "kept": {most}, "before": {most}, "after": 0, "ms": -1, "tokens": {most}, "usd": -1e308}}"#
        ),
        format!(
            r#"{{"type": "reply", "text": "c", "tokens": {most}, "usd": 1e308, "usage": {{"input": {most}, "output": {most}}}}}"#
        ),
    ];
    record(&place, "huge0000", lines.map(|line| format!("{line}\n")).concat());
    let ran = resume(&place, &server, "huge0000");
    assert_eq!(ran.code, Some(4), "the requests are used up: {ran:?}");
    for words in [&["sessions"][..], &["usage", "--since", "2000-01-01"], &["replay", "huge0000"]] {
        assert_eq!(place.run(words).code, Some(0), "{words:?}");
    }
}
