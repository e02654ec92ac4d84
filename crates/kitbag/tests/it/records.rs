//! The records of sessions: what they cost, how they are found, continued and removed.

use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::model_server::{Reply, Say, Server};
use crate::place::{Place, Ran};

fn says(text: &'static str) -> Reply {
    Reply::Says(vec![Say::Text(text)])
}

fn run(place: &Place, server: &Server, words: &[&str]) -> Ran {
    let mut all = vec!["run", "Do it.", "--model", "m", "--base-url", &server.url];
    all.extend(words);
    place.run(&all)
}

fn sessions(place: &Place) -> Vec<Value> {
    serde_json::from_str(&place.ok(&["sessions", "--json"])).unwrap()
}

fn name(session: &Value) -> String {
    session["session"].as_str().unwrap().to_owned()
}

#[test]
fn what_sessions_cost_is_told_only_if_it_is_known() {
    let place = Place::new();
    let server = Server::start("openai", vec![says("Yes.")]);
    // 40 new tokens, 60 cached, 10 of the answer.
    let ran = run(&place, &server, &["--price", "m=1/10/0.1"]);
    assert!(ran.err.contains("cost: $0.0001, session "), "{ran:?}");
    let ran = run(&place, &server, &[]);
    assert!(ran.err.contains("cost: unknown, session "), "{ran:?}");
    let sum = |since: &str| -> Value {
        serde_json::from_str(&place.ok(&["usage", "--since", since, "--json"])).unwrap()
    };
    let model = format!("m at {}", server.url);
    let both = &sum("7d")["models"][&model];
    assert_eq!((&both["requests"], &both["usd"]), (&2.into(), &Value::Null), "{both}");
    assert_eq!(
        (&both["usage"]["input"], &both["usage"]["cache_read"], &both["usage"]["cache_write"]),
        (&80.into(), &120.into(), &Value::Null)
    );
    let shown = place.ok(&["usage", "--since", "today"]);
    assert!(
        shown.contains("in: 80, from the cache: 120, to the cache: unknown, out: 20"),
        "{shown}"
    );
    // The sum says what is known of it, and in how many sessions it is not.
    let known = both["usd_known"].as_f64().unwrap();
    assert!((known - 0.000_146).abs() < 1e-9, "{both}");
    assert_eq!((&both["sessions"], &both["sessions_of_unknown_cost"]), (&2.into(), &1.into()));
    let shown_cost = "cost: at least $0.0001; 1 session of unknown cost";
    assert!(place.ok(&["usage"]).contains(shown_cost), "{}", place.ok(&["usage"]));
    let ran = place.run(&["run", "Do it.", "--model", "n", "--base-url", &server.url]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let text = place.ok(&["usage"]);
    let all = text.split("all\n").nth(1).unwrap();
    assert!(
        all.contains("requests: 3,") && all.contains("at least $0.0001; 2 sessions of"),
        "{text}"
    );
    assert!(text.contains(&format!("n at {}\n", server.url)), "{text}");
    assert_eq!(sum("7d")["all"]["usd"], Value::Null);
    assert_eq!(sum("2999-01-01")["models"], serde_json::json!({}));
    for wrong in ["soon", "9999999d", "999999999h", "-3d"] {
        let since = format!("--since={wrong}");
        assert_eq!(place.run(&["usage", &since]).code, Some(2), "{wrong}");
    }

    // Money is a bound only where the price is known.
    let before = server.asked().len();
    let ran = run(&place, &server, &["--budget", "$1"]);
    assert_eq!((ran.code, server.asked().len()), (Some(2), before), "{ran:?}");
    assert!(ran.err.contains("the price of m at ") && ran.err.contains("--price"), "{ran:?}");
    let looks = vec![Reply::Says(vec![Say::Call("c", "ls", "{}")])];
    let server = Server::start("openai", looks);
    let ran = run(&place, &server, &["--budget", "$0.0002", "--price", "m=1/10/0.1"]);
    assert_eq!((ran.code, server.asked().len()), (Some(5), 2), "{ran:?}");
    for wrong in ["0", "$0", "many", "$-1"] {
        assert_eq!(run(&place, &server, &["--budget", wrong]).code, Some(2), "{wrong}");
    }
}

#[test]
fn records_are_found_by_their_beginning_and_continued() {
    let place = Place::with(&[("a.txt", "content of a\n")]);
    let server = Server::start(
        "openai",
        vec![
            Reply::Says(vec![Say::Call("c", "read", r#"{"path": "a.txt"}"#)]),
            says("It has content."),
            says("As I said."),
        ],
    );
    assert_eq!(run(&place, &server, &[]).code, Some(0));
    let first = name(&sessions(&place)[0]);
    assert_eq!(run(&place, &server, &["--continue", &first[..4]]).code, Some(0));
    let body = server.asked()[2].body.to_string();
    for part in ["content of a", "It has content.", "Do it."] {
        assert!(body.contains(part), "{part}: {body}");
    }
    assert_eq!(body.matches("Do it.").count(), 2, "{body}");
    let all = sessions(&place);
    assert_eq!((all.len(), &all[0]["turns"], &all[0]["reason"]), (1, &3.into(), &"success".into()));
    assert_eq!(run(&place, &server, &["--continue", "last"]).code, Some(0));
    assert_eq!(sessions(&place)[0]["turns"], 4);
    let shown = place.ok(&["replay", &first[..2]]);
    for part in ["> read", "    content of a", "As I said.", "[success]", "from the cache"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let ran = place.run(&["replay", "zz"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.contains("no such session") && ran.err.contains("kitbag sessions"), "{ran:?}");
    assert_eq!(run(&place, &server, &[]).code, Some(0));
    let ran = place.run(&["replay", ""]);
    assert!(ran.err.contains("is the beginning of 2 names"), "{ran:?}");
    // It belongs to its directory.
    place.write("other/x", "");
    let mut other = place.program(&[
        "run",
        "x",
        "--model",
        "m",
        "--base-url",
        &server.url,
        "--continue",
        &first,
    ]);
    let ran = Ran::of(other.env("KITBAG_ROOT", place.path("other")).output().unwrap());
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.contains("go on with it there"), "{ran:?}");
}

#[test]
fn old_records_go_but_none_that_is_written() {
    let place = Place::new();
    let server = Server::start("openai", vec![says("Yes.")]);
    for _ in 0..3 {
        assert_eq!(run(&place, &server, &[]).code, Some(0));
    }
    let all = sessions(&place);
    let old = std::fs::File::options().append(true).open(all[0]["path"].as_str().unwrap()).unwrap();
    let long_ago = SystemTime::now() - Duration::from_secs(100 * 24 * 60 * 60);
    old.set_modified(long_ago).unwrap();
    assert_eq!(run(&place, &server, &["--keep-sessions", "2"]).code, Some(0));
    let left: Vec<_> = sessions(&place).iter().map(name).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    assert!(!left.contains(&name(&all[0])), "{left:?}");
    assert_eq!(place.ok(&["sessions", "--prune", "--keep-sessions", "1"]), "removed 1 record\n");
    // A session that waits for its model is not removed.
    let stalls = Server::start("openai", vec![Reply::Stalls(vec![Say::Text("I")])]);
    let words = ["run", "Do it.", "--model", "m", "--base-url", &stalls.url];
    let mut child =
        place.program(&words).stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    crate::place::wait_until("the request", || !stalls.asked().is_empty());
    for session in sessions(&place) {
        let file = std::fs::File::options().append(true).open(session["path"].as_str().unwrap());
        file.unwrap().set_modified(long_ago).unwrap();
    }
    assert_eq!(place.ok(&["sessions", "--prune"]), "removed 1 record\n");
    assert_eq!(sessions(&place).len(), 1);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(place.ok(&["sessions", "--prune", "--keep-days", "1"]), "removed 1 record\n");
    let found = Command::new("ls").arg(place.state().join("sessions")).output().unwrap();
    assert_eq!(String::from_utf8(found.stdout).unwrap(), "");
}

#[test]
fn presets_choose_the_words_and_the_record_names_the_files() {
    let place = Place::with(&[("AGENTS.md", "x".repeat(40_000).as_str())]);
    let server = Server::start("openai", vec![says("Yes.")]);
    let mut prompts = Vec::new();
    // `floyd` has no presets of tools, and these are not refused for it.
    for preset in ["default", "smart", "cheap", "minimal"] {
        for toolset in ["fiz", "floyd"] {
            let words = ["--preset", preset, "--toolset", toolset, "--system", "And be kind."];
            let ran = run(&place, &server, &words);
            assert_eq!(ran.code, Some(0), "{ran:?}");
        }
        let body = server.asked().pop().unwrap().body;
        let system = body["messages"][0]["content"].as_str().unwrap().to_owned();
        assert!(system.ends_with("\nAnd be kind.\n"), "{preset}");
        assert!(system.contains("[7232 bytes more are left out]"), "{preset}");
        prompts.push(system);
    }
    prompts.dedup();
    assert_eq!(prompts.len(), 4);
    let ran = run(&place, &server, &["--preset", "clever"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let record = place.ok(&["replay", &name(&sessions(&place)[0])]);
    let source =
        format!("with the first 32768 of 40000 bytes of {}", place.path("AGENTS.md").display());
    assert!(record.contains(&source), "{record}");
}
