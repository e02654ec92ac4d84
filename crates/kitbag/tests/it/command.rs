//! The command line: exit codes, what goes to which stream, terminals and pipes.

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::place::{Place, Ran, alive, mark, skipped, system, wait_until};

const TRUST: &[&str] = &["--policy", "trust"];

fn call<'a>(words: &[&'a str]) -> Vec<&'a str> {
    [&["call"], words].concat()
}

#[test]
fn results_go_to_one_stream_and_failures_to_the_other() {
    let place = Place::with(&[("README.md", "# Hello\n"), ("no-end", "x")]);
    let ran = place.run(&call(&["read", "path=README.md"]));
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "# Hello\n", ""));
    for (words, code) in [
        (vec!["read", "path=missing"], 1),
        (vec!["read", "path=../out"], 1),
        (vec!["read"], 2),
        (vec!["read", "README.md"], 2),
        (vec!["read", "{\"path\": "], 2),
        (vec!["read", "=x"], 2),
        (vec!["raed", "path=README.md"], 2),
        (vec!["read", "path=README.md", "--toolset", "nine"], 2),
        (vec!["read", "path=README.md", "--policy", "yolo"], 2),
        (vec!["read", "path=README.md", "--root", "/nonexistent"], 2),
        (vec!["read", "path=README.md", "--allow", "/nonexistent:ro"], 2),
        (vec!["read", "path=README.md", "--root", "/dev/null"], 2),
        (vec!["write", "path=a", "content=x"], 3),
        (vec!["bash", "command=touch ran"], 3),
        (vec!["write", "path=a", "content=x", "--policy", "read-only"], 3),
        (vec!["write", "path=.envrc", "content=x", "--policy", "trust"], 3),
    ] {
        let ran = place.run(&call(&words));
        assert_eq!(ran.code, Some(code), "{words:?}: {ran:?}");
        assert_eq!(ran.out, "", "{words:?}");
        assert!(ran.err.starts_with("error: "), "{words:?}: {ran:?}");
    }
    assert_eq!(place.tree().len(), 2);
    for words in [
        &["nonsense"][..],
        &["call"],
        &["undo", "x"],
        &["serve", "--root"],
        &["log", "-n", "0"],
        &["log", "--root", "/nonexistent"],
        &["serve", "--root", "/nonexistent"],
    ] {
        let ran = place.run(words);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{words:?}: {ran:?}");
    }
    let ran = place.run(&["log", "--root", "/nonexistent"]);
    assert_eq!(ran.err, "error: --root: /nonexistent: no such directory\n");
}

#[test]
fn a_result_of_text_goes_to_a_pipe_byte_for_byte() {
    let place = Place::with(&[("no-end", "x"), ("empty", "")]);
    place.write("odd", "\u{1b}[31mred\u{1b}[0m\r\n\ttab\u{7}\n\nend");
    for name in ["no-end", "empty", "odd"] {
        let path = format!("path={name}");
        assert_eq!(place.ok(&call(&["read", &path])), place.read(name), "{name}");
    }
    let line = "command=printf 'a\\n\\nb'";
    assert_eq!(place.run(&call(&[&["bash", line][..], TRUST].concat())).out, "a\n\nb");
    // A terminal gets an end to the last line, and nothing that it would obey.
    let Some((shown, _)) = on_a_terminal(&place, &call(&["read", "path=odd"]), b"") else { return };
    assert_eq!(shown, "\\u{1b}[31mred\\u{1b}[0m\r\n\ttab\\u{7}\r\n\r\nend\r\n");
}

#[test]
fn a_list_that_ends_with_the_call_says_so() {
    let place = Place::new();
    let ran = place.run(&call(&["task", "operation=create", "title=x"]));
    assert!(ran.code == Some(0) && ran.out.contains("task-1"), "{ran:?}");
    assert!(ran.err.contains("`kitbag call` is a session of one call"), "{ran:?}");
    let ran = place.run(&call(&["task", "operation=list"]));
    assert!(!ran.out.contains("task-1") && ran.err.contains("a session of one call"), "{ran:?}");
    assert_eq!(place.run(&call(&["ls"])).err, "");
}

#[test]
fn a_program_in_the_background_ends_with_the_command_that_started_it() {
    let place = Place::of_a_newcomer();
    let words =
        ["call", "run", "command=echo up; sleep 60", "background=true", "--policy", "trust"];
    let ran = place.run(&words);
    assert!(ran.out.contains("up") && ran.err.contains("has ended with this command"), "{ran:?}");
}

#[test]
fn the_output_of_what_failed_is_shown_and_an_exit_code_counts() {
    let place = Place::new();
    let floyd = ["--toolset", "floyd", "--policy", "trust"];
    let build = ["build", "command=echo compiling; echo 'a.c:1: error' >&2; exit 2"];
    let ran = place.run(&call(&[&build[..], &floyd].concat()));
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.out.contains("exitCode: 2\n") && ran.out.starts_with("compiling\n"), "{ran:?}");
    assert!(ran.err.starts_with("a.c:1: error\nerror: "), "{ran:?}");
    assert!(ran.err.contains("exit code 2"), "{ran:?}");
    for (line, code) in [("exit 3", 1), ("kill -9 $$", 1), ("true", 0)] {
        let line = format!("command={line}");
        let ran = place.run(&call(&[&["bash", &line][..], TRUST].concat()));
        assert_eq!((ran.code, ran.out.as_str()), (Some(code), ""), "{line}: {ran:?}");
        assert!(ran.err.starts_with("Exit code: "), "{line}: {ran:?}");
    }
}

#[test]
fn a_refusal_says_all_that_is_missing() {
    let place = Place::new();
    let refused = |words: &[&str]| {
        let ran = place.run(&call(words));
        assert!(ran.code.is_some_and(|code| code > 1), "{words:?}: {ran:?}");
        ran.err
    };
    // Where the tool is.
    let said = refused(&["fetch", "url=http://example.org"]);
    assert!(said.contains("in the toolset fiz, but in stack; use --toolset stack"), "{said}");
    let said = place.run(&["tools", "fetch"]).err;
    assert!(said.contains("use --toolset stack"), "{said}");
    // Which parameter an argument without a name is for.
    let said = refused(&["read", "a.txt"]);
    assert!(said.contains("`a.txt` has no parameter name; did you mean `path=a.txt`?"), "{said}");
    let said = refused(&["write", "path=a.txt", "some text"]);
    assert!(said.contains("did you mean `content=some text`?"), "{said}");
    // What a yes alone would not do.
    for policy in ["ask", "auto", "read-only"] {
        let url = "url=http://127.0.0.1:9/";
        let words = ["fetch", url, "--toolset", "stack", "--policy", policy];
        let said = refused(&words);
        assert!(said.contains("--policy trust"), "{said}");
        let all = "and --web-allow 127.0.0.1:9 (a loopback address)";
        assert!(said.contains(all), "{said}");
        let said = refused(&[&words[..], &["--web-allow", "127.0.0.1"]].concat());
        assert!(!said.contains("loopback"), "{said}");
    }
    // Which parameter inside of a list.
    let edit = |edits: &str| {
        let input = format!(r#"{{"path": "a.txt", "edits": [{edits}]}}"#);
        place.run(&call(&[&["edit", &input][..], TRUST].concat()))
    };
    place.write("a.txt", "one\n");
    let ran = edit(r#"{"old_string": "one", "newText": "x"}"#);
    assert!(ran.err.contains("edits[0].old_string: no such parameter; did you mean `oldText`?"));
    let ran = edit(r#"{"old_text": "one", "NEW-TEXT": "two"}"#);
    assert_eq!((ran.code, place.read("a.txt").as_str()), (Some(0), "two\n"), "{ran:?}");
    let ran = edit(r#"{"oldText": "two", "old_text": "two", "newText": "x"}"#);
    assert!(ran.err.contains("the same parameter as `oldText`"), "{ran:?}");
}

#[test]
fn what_is_logged_is_asked_for() {
    let place = Place::with(&[("a.txt", "one\n")]);
    let read = call(&["read", "path=a.txt"]);
    let ran = place.run(&read);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let ran = place.run(&[&read[..], &["--log", "toolkit=debug"]].concat());
    assert!(
        ran.err.contains("DEBUG toolkit::call: ended") && ran.err.contains("tool=\"read\""),
        "{ran:?}"
    );
    assert!(!place.state().join("log").exists(), "nothing was worth a warning");
}

#[test]
fn a_lost_audit_log_is_in_the_log() {
    let place = Place::with(&[("a.txt", "one\n")]);
    std::fs::create_dir_all(place.state().join("audit.jsonl")).unwrap();
    place.ok(&call(&["read", "path=a.txt"]));
    let log = std::fs::read_to_string(place.state().join("log")).unwrap();
    assert!(log.contains("ERROR toolkit::audit: calls are not audited: "), "{log}");
    // It does not grow without end.
    std::fs::write(place.state().join("log"), "x".repeat(1 << 20)).unwrap();
    place.ok(&call(&["read", "path=a.txt"]));
    let log = std::fs::read_to_string(place.state().join("log")).unwrap();
    assert_eq!(log.lines().count(), 1, "{}", log.len());
    assert!(place.state().join("log.old").exists());
}

#[test]
fn json_is_for_programs_also_when_it_fails() {
    let place = Place::with(&[("a.txt", "one\n")]);
    let parse = |ran: &Ran| {
        serde_json::from_str::<Value>(&ran.out).unwrap_or_else(|e| panic!("{e}: {ran:?}"))
    };
    let ran = place.run(&call(&["read", "path=a.txt", "--json"]));
    assert_eq!((parse(&ran)["result"].as_str(), ran.code), (Some("one\n"), Some(0)));
    let ran = place.run(&call(&["read", "path=b.txt", "--json"]));
    let (failure, code) = (parse(&ran), ran.code);
    assert_eq!((failure["error"]["code"].as_str(), code), (Some("FileNotFound"), Some(1)));
    let ran = place.run(&call(&["write", "path=b", "content=x", "--json", "--policy", "trust"]));
    assert!(parse(&ran)["call"].is_number(), "{ran:?}");
    let ran = place.run(&call(&["bash", "command=exit 3", "--json"]));
    assert_eq!(
        (parse(&ran)["error"]["code"].as_str(), ran.code),
        (Some("ApprovalRequired"), Some(3))
    );
    for words in
        [&["log", "--json"][..], &["doctor", "--json"], &["undo", "--json"], &["redo", "--json"]]
    {
        let ran = place.run(words);
        parse(&ran);
        assert_eq!(ran.code, Some(0), "{words:?}: {ran:?}");
    }
    let local = ["call", "read_file", "path=a.txt", "--toolset", "local", "--json"];
    assert_eq!(parse(&place.run(&local))["result"]["content"], "one\n");
}

#[test]
fn arguments_come_as_pairs_as_an_object_or_from_a_pipe() {
    let place = Place::with(&[("a.txt", "one\ntwo\nthree\n")]);
    assert_eq!(
        place.ok(&call(&["read", "path=a.txt", "offset=1", "limit=1"])).lines().next(),
        Some("two")
    );
    let edits = r#"edits=[{"oldText": "one", "newText": "a=b"}]"#;
    place.ok(&[&call(&["edit", "path=a.txt", edits])[..], TRUST].concat());
    assert_eq!(place.read("a.txt"), "a=b\ntwo\nthree\n");
    let mut piped = place
        .program(&call(&["write", "-", "--policy", "trust"]))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = json!({"path": "b.txt", "content": "from a pipe\n"}).to_string();
    piped.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    assert!(piped.wait().unwrap().success());
    assert_eq!(place.read("b.txt"), "from a pipe\n");
    // Without settings: the directory one is in, the state directory of the user.
    let mut bare = Command::new(env!("CARGO_BIN_EXE_kitbag"));
    bare.args(["call", "read", "path=b.txt"])
        .current_dir(place.root())
        .env("HOME", place.dir.path());
    bare.env_remove("KITBAG_ROOT").env_remove("KITBAG_STATE").env_remove("XDG_STATE_HOME");
    assert_eq!(Ran::of(bare.output().unwrap()).out, "1\tfrom a pipe\n");
}

#[test]
fn the_interrupt_key_ends_a_call_and_its_children() {
    for signal in ["-INT", "-TERM"] {
        let place = Place::new();
        let sleeper = mark();
        let script = format!(
            "command=(setsid sleep {sleeper} &); trap '' INT; echo up > up; sleep {sleeper}"
        );
        let mut child = place
            .program(&[&call(&["bash", &script])[..], TRUST].concat())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_until("the command runs", || alive(&sleeper).len() >= 2);
        system(&["kill", signal, &child.id().to_string()]);
        let mut code = None;
        wait_until("the call ends", || {
            code = child.try_wait().unwrap();
            code.is_some()
        });
        if signal == "-INT" {
            assert_eq!(code.unwrap().code(), Some(130));
        }
        wait_until("the children end", || alive(&sleeper).is_empty());
        assert!(place.log().is_empty());
        assert!(!place.has("up"), "nothing is kept of an interrupted command");
    }
}

#[test]
fn the_interrupt_key_ends_a_call_whose_reader_stalls() {
    let place = Place::with(&[("long", &"line of a long file\n".repeat(200_000))]);
    let sleeper = mark();
    let endless = format!("command=sleep {sleeper} & yes");
    let local = ["read_file", "path=long", "--toolset", "local"];
    for words in [&["bash", &endless][..], &local] {
        let mut child = place
            .program(&[&call(words)[..], TRUST].concat())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Until the pipe is full.
        std::thread::sleep(Duration::from_millis(1500));
        assert!(child.try_wait().unwrap().is_none(), "{words:?} ended by itself");
        system(&["kill", "-INT", &child.id().to_string()]);
        let began = std::time::Instant::now();
        let mut code = None;
        wait_until("the call ends", || {
            code = child.try_wait().unwrap();
            code.is_some()
        });
        assert_eq!(code.unwrap().code(), Some(130), "{words:?}");
        assert!(began.elapsed() < Duration::from_secs(2), "{words:?}: {:?}", began.elapsed());
    }
    wait_until("the children end", || alive(&sleeper).is_empty());
}

#[test]
fn a_timeout_holds_also_for_a_command_whose_reader_stalls() {
    let place = Place::new();
    let sleeper = mark();
    let endless = format!("command=sleep {sleeper} & yes");
    let words = call(&["bash", &endless, "timeout_ms=700"]);
    let mut child = place
        .program(&[&words[..], TRUST].concat())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("the command runs", || !alive(&sleeper).is_empty());
    wait_until("the command ends", || alive(&sleeper).is_empty());
    let mut out = child.stdout.take().unwrap();
    std::io::copy(&mut out, &mut std::io::sink()).unwrap();
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert!(ran.code == Some(1) && ran.err.contains("timed out"), "{ran:?}");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let place = Place::with(&[("long", &"line\n".repeat(200_000))]);
    for words in [
        &["call", "read", "path=long"][..],
        &["tools"],
        &["tools", "--format", "openai"],
        &["log"],
        &["completions", "bash"],
    ] {
        let mut child =
            place.program(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 5];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let ran = Ran::of(child.wait_with_output().unwrap());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{words:?}");
    }
}

/// Runs a command on a terminal of its own, types when it asks, and gives what was shown.
fn on_a_terminal(place: &Place, words: &[&str], typed: &[u8]) -> Option<(String, Option<i32>)> {
    let line: Vec<String> =
        words.iter().map(|w| format!("'{}'", w.replace('\'', "'\\''"))).collect();
    let line = format!("\"$KITBAG\" {}", line.join(" "));
    line_on_a_terminal(place, &line, "Allow it?", typed)
}

/// The same for a line of shell, in which `$KITBAG` is the program; types once `prompt` is shown.
fn line_on_a_terminal(
    place: &Place,
    line: &str,
    prompt: &str,
    typed: &[u8],
) -> Option<(String, Option<i32>)> {
    let mut script = Command::new("script");
    script.args(["-qec", line, "/dev/null"]).env("KITBAG", env!("CARGO_BIN_EXE_kitbag"));
    script.env("KITBAG_ROOT", place.root()).env("SHELL", "/bin/sh");
    script.env("XDG_CONFIG_HOME", place.config());
    script.env("KITBAG_STATE", place.state()).env("TERM", "xterm").env_remove("NO_COLOR");
    script.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let Ok(mut child) = script.spawn() else {
        skipped("no `script` to make a terminal with");
        return None;
    };
    let (mut to, mut from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut shown = Vec::new();
    let mut buffer = [0; 4096];
    let mut asked = false;
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        shown.extend_from_slice(&buffer[..read]);
        if !asked && String::from_utf8_lossy(&shown).contains(prompt) {
            asked = true;
            std::thread::sleep(Duration::from_millis(100));
            to.write_all(typed).unwrap();
        }
    }
    drop(to);
    let code = child.wait().unwrap().code();
    Some((String::from_utf8_lossy(&shown).into_owned(), code))
}

#[test]
fn a_terminal_is_shown_what_text_would_hide() {
    let text = "a = 1\u{202e}\u{2066}x\u{2069}\u{200b}\u{ad}\u{2028}\u{1b}]0;title\u{7}\n";
    let place = Place::with(&[("a", text)]);
    let trusted = ["--policy", "trust"];
    let write = format!("content={text}more\n");
    for words in [
        &["call", "read", "path=a"][..],
        &["call", "bash", "command=cat a"],
        &["call", "write", "path=b", &write, "--rehearse"],
        &["call", "edit", "path=a", "old_string=a = 1", "new_string=a = 2"],
        &["diff"],
    ] {
        let more = if words[0] == "call" { &trusted[..] } else { &[] };
        let ran = on_a_terminal(&place, &[words, more].concat(), b"");
        let Some((shown, code)) = ran else { return };
        assert_eq!(code, Some(0), "{words:?}: {shown}");
        let hidden = |c: char| "\u{202e}\u{2066}\u{2069}\u{200b}\u{ad}\u{2028}\u{7}".contains(c);
        assert!(!shown.contains(hidden), "{words:?}: {shown:?}");
        if !words.contains(&"edit") {
            assert!(shown.contains("\\u{202e}\\u{2066}x\\u{2069}\\u{200b}\\u{ad}"), "{shown:?}");
        }
        // A pipe gets it as it is.
        if words.contains(&"read") {
            assert!(place.ok(words).contains("\u{202e}\u{2066}"));
        }
    }
}

#[test]
fn arguments_from_a_pipe_leave_the_terminal_to_the_answer() {
    let place = Place::new();
    let line = r#"echo '{"path": "a.txt", "content": "x"}' | "$KITBAG" call write -"#;
    for (typed, code, made) in [("n\n", 3, false), ("y\n", 0, true)] {
        let ended = line_on_a_terminal(&place, line, "Allow it?", typed.as_bytes());
        let Some((shown, ended)) = ended else { return };
        assert_eq!((ended, place.has("a.txt")), (Some(code), made), "{shown}");
    }
}

#[test]
fn a_server_on_a_terminal_says_what_it_is() {
    let place = Place::new();
    let line = "exec \"$KITBAG\" serve";
    let Some((shown, ended)) = line_on_a_terminal(&place, line, "Ctrl-C ends", b"\x03") else {
        return;
    };
    assert!(shown.contains("MCP server") && shown.contains("kitbag call"), "{shown}");
    assert_eq!(ended, Some(0), "{shown}");
    // A host, which is no terminal, is told nothing.
    assert_eq!(place.run(&["serve"]).err, "");
}

#[test]
fn what_a_program_prints_is_shown_as_it_comes() {
    let place = Place::new();
    let script =
        "command=echo one; echo oops >&2; sleep 2; printf '\\033[31mred\\033[0m\\n'; exit 3";
    let start = std::time::Instant::now();
    let mut child = place
        .program(&[&call(&["bash", script])[..], TRUST].concat())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 4];
    child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    assert!(child.try_wait().unwrap().is_none(), "after {:?}", start.elapsed());
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!((&first, ran.out.as_str(), ran.code), (b"one\n", "red\n", Some(1)));
    assert!(ran.err.starts_with("oops\nExit code: 3\n") && !ran.err.contains("Output"), "{ran:?}");
    // What is for programs is one object, with all of it.
    let ran = place.run(&[&call(&["bash", script, "--json"])[..], TRUST].concat());
    let whole: Value = serde_json::from_str(&ran.out).unwrap();
    let result = whole["result"].as_str().unwrap();
    assert!(result.contains("Output:\none\nred\n") && result.contains("oops"), "{ran:?}");
    assert_eq!(ran.err, "");
    // In every toolset, also of what failed.
    let floyd = ["--toolset", "floyd", "--policy", "trust"];
    for (tool, line) in [("run", "command=echo out; exit 2"), ("build", "command=echo out; exit 2")]
    {
        let ran = place.run(&call(&[&[tool, line][..], &floyd].concat()));
        assert_eq!((ran.code, ran.out.matches("out\n").count()), (Some(1), 1), "{tool}: {ran:?}");
    }
    // After a question the answer decides, and then it is shown once.
    let asked = ["call", "bash", "command=echo one; echo x > made"];
    let Some((shown, ended)) = on_a_terminal(&place, &asked, b"y\n") else { return };
    assert_eq!((ended, place.has("made")), (Some(0), true), "{shown}");
    assert_eq!(shown.matches("\none\r").count(), 1, "{shown:?}");
}

#[test]
fn a_person_at_the_terminal_is_asked() {
    let place = Place::with(&[("a.txt", "one\n")]);
    let edit = ["call", "edit", "path=a.txt", "old_string=one", "new_string=two"];
    for (typed, text, code) in [("n\n", "one\n", 3), ("\n", "one\n", 3), ("yes\n", "two\n", 0)] {
        let Some((shown, ended)) = on_a_terminal(&place, &edit, typed.as_bytes()) else { return };
        assert!(shown.contains("-one") && shown.contains("+two"), "{shown}");
        assert_eq!((place.read("a.txt").as_str(), ended), (text, Some(code)), "{typed:?}: {shown}");
    }
    let tricky =
        ["call", "bash", "command=touch ran; # \u{1b}[2K\u{1b}]0;title\u{7}\rsafe\u{202e}"];
    let Some((shown, ended)) = on_a_terminal(&place, &tricky, b"n\n") else { return };
    assert!(shown.contains("touch ran"), "{shown}");
    assert!(
        !shown.contains("\u{1b}[2K") && !shown.contains("\u{1b}]0;") && !shown.contains('\u{202e}'),
        "{shown:?}"
    );
    assert_eq!((place.has("ran"), ended), (false, Some(3)));
}

#[test]
fn the_interrupt_key_at_the_question_is_a_no() {
    let place = Place::new();
    let run = ["call", "bash", "command=touch ran"];
    let Some((shown, code)) = on_a_terminal(&place, &run, b"\x03") else { return };
    assert_eq!((place.has("ran"), code), (false, Some(130)), "{shown}");
}

#[test]
fn every_page_that_the_program_makes_of_itself() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(place.ok(&["completions", shell]).contains("kitbag"), "{shell}");
    }
    let script = place.dir.path().join("completions");
    std::fs::write(&script, place.ok(&["completions", "bash"])).unwrap();
    system(&["bash", "-n", script.to_str().unwrap()]);
    let pages = place.dir.path().join("man/deep");
    place.ok(&["man", pages.to_str().unwrap()]);
    let page = std::fs::read_to_string(pages.join("kitbag.1")).unwrap();
    assert!(page.contains(".TH kitbag"), "{page}");
    for toolset in ["fiz", "local"] {
        for format in ["table", "json", "openai", "anthropic", "gemini"] {
            let words = ["tools", "--toolset", toolset, "--format", format];
            let shown = place.ok(&words);
            if format != "table" {
                serde_json::from_str::<Value>(&shown).unwrap();
            }
            place.ok(&[&words[..], &["--check"]].concat());
        }
    }
    for preset in ["default", "smart", "cheap", "minimal"] {
        place.ok(&["tools", "--preset", preset]);
    }
    assert_eq!(place.run(&["tools", "--preset", "benchmark"]).code, Some(2));
    assert_eq!(place.run(&["man", "/proc/none"]).code, Some(1));
    place.ok(&["--help"]);
    place.ok(&["--version"]);
}

#[test]
fn the_doctor_says_what_works_here() {
    let place = Place::with(&[("a", "x")]);
    let findings: Value = serde_json::from_str(&place.ok(&["doctor", "--json"])).unwrap();
    let what = |name: &str| findings.as_array().unwrap().iter().any(|f| f["what"] == name);
    for name in ["root", "journal", "sandbox", "shell", "git"] {
        assert!(what(name), "{name}: {findings}");
    }
    place.ok(&["doctor"]);
    place.ok(&["doctor", "--fix"]);
    let ran = place.run(&["doctor", "--root", "/nonexistent"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    std::fs::create_dir_all(place.state().join("journal")).unwrap();
    std::fs::write(
        place.state().join("journal/journal.db"),
        "this is no database, and longer than one",
    )
    .unwrap();
    let ran = place.run(&["doctor"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.out.contains("broken") && ran.out.contains("journal.db.damaged-"), "{ran:?}");
    place.ok(&["doctor"]); // it is told once, and a new journal was begun
    place.ok(&["call", "write", "path=a", "content=y", "--policy", "trust"]);
    place.ok(&["undo"]);
    assert_eq!(place.read("a"), "x");
}

#[test]
fn a_command_whose_output_nobody_reads_ends() {
    let place = Place::new();
    let kitbag = env!("CARGO_BIN_EXE_kitbag");
    let line = format!("'{kitbag}' call bash --toolset fiz command=yes --policy trust | head -1");
    let start = std::time::Instant::now();
    let mut shell = std::process::Command::new("bash");
    shell.args(["-c", &line]).current_dir(place.root());
    shell.env("KITBAG_STATE", place.state()).env("HOME", place.root().parent().unwrap());
    let said = shell.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&said.stdout), "y\n");
    assert!(start.elapsed().as_secs() < 60, "it ran up to its timeout");
}
