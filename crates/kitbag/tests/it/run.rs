//! `kitbag run` with a scripted model on loopback: a whole session, its proof, and what stops it.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::model_server::{Reply, Say, Server};
use crate::place::{Place, Ran, alive, mark, skipped, wait_until};
use crate::terminal::Terminal;

/// A project with a failing test, and what a model would do about it.
struct Sample {
    /// What must be on the machine.
    program: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// Runs the tests.
    test: &'static str,
    /// The file with the mistake.
    file: &'static str,
    look: &'static str,
    edit: &'static str,
    /// What the tests say before and after.
    fails: &'static str,
    passes: &'static str,
    mended: &'static str,
}

const PYTHON: Sample = Sample {
    program: "python3",
    files: &[
        ("stats.py", "def mean(numbers):\n    return sum(numbers) / (len(numbers) + 1)\n"),
        (
            "test_stats.py",
            "import unittest\nfrom stats import mean\n\n\nclass Mean(unittest.TestCase):\n    def test_of_two(self):\n        self.assertEqual(mean([2, 4]), 3)\n",
        ),
    ],
    test: r#"{"command": "python3 -B -m unittest 2>&1"}"#,
    file: "stats.py",
    look: r#"{"path": "stats.py"}"#,
    edit: r#"{"path": "stats.py", "edits": [{"oldText": "(len(numbers) + 1)", "newText": "len(numbers)"}]}"#,
    fails: "FAILED (failures=1)",
    passes: "\n\nOK\n",
    mended: "/ len(numbers)\n",
};

const RUST: Sample = Sample {
    program: "rustc",
    files: &[(
        "lib.rs",
        "pub fn mean(n: &[f64]) -> f64 {\n    n.iter().sum::<f64>() / (n.len() + 1) as f64\n}\n\n#[test]\nfn of_two() {\n    assert_eq!(mean(&[2.0, 4.0]), 3.0);\n}\n",
    )],
    test: r#"{"command": "rustc --edition 2024 --test lib.rs -o /tmp/tests 2>&1 && /tmp/tests 2>&1"}"#,
    file: "lib.rs",
    look: r#"{"path": "lib.rs"}"#,
    edit: r#"{"path": "lib.rs", "edits": [{"oldText": "(n.len() + 1)", "newText": "n.len()"}]}"#,
    fails: "test result: FAILED. 0 passed; 1 failed",
    passes: "test result: ok. 1 passed",
    mended: "/ n.len() as f64\n",
};

fn says(say: Say) -> Reply {
    Reply::Says(vec![say])
}

/// `kitbag run` against a server, with what else is on the command line.
fn command(place: &Place, server: &Server, words: &[&str]) -> Command {
    let mut all = vec!["run", "Do it.", "--model", "m", "--base-url", &server.url];
    all.extend(words);
    let mut command = place.program(&all);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(place: &Place, server: &Server, words: &[&str]) -> Ran {
    Ran::of(command(place, server, words).output().unwrap())
}

/// The sessions of the root, newest first.
fn sessions(place: &Place) -> Vec<Value> {
    serde_json::from_str(&place.ok(&["sessions", "--json"])).unwrap()
}

/// All text in a request.
fn text(request: &Value) -> String {
    request.to_string().replace("\\n", "\n")
}

fn mends(sample: &Sample) {
    let found = Command::new(sample.program).arg("--version").output();
    if !found.is_ok_and(|ran| ran.status.success()) {
        return skipped(&format!("{} is not there", sample.program));
    }
    let place = Place::with(sample.files);
    let wrong = place.read(sample.file);
    let server = Server::start(
        "anthropic",
        vec![
            Reply::Says(vec![
                Say::Text("I run the tests."),
                Say::Call("t1", "bash", sample.test),
                Say::Call("t2", "read", sample.look),
            ]),
            says(Say::Call("t3", "edit", sample.edit)),
            says(Say::Call("t4", "bash", sample.test)),
            says(Say::Text("The mean divided by one too many.")),
        ],
    );
    let ran = run(&place, &server, &["--provider", "anthropic", "--policy", "auto"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(ran.out, "I run the tests.\nThe mean divided by one too many.\n");
    for shown in ["> edit ", ", call 1\n", "\n-    ", "\n+    ", "[success] requests: 4"] {
        assert!(ran.err.contains(shown), "{shown}: {}", ran.err);
    }
    let told: Vec<_> = server.asked().iter().map(|asked| text(&asked.body)).collect();
    assert!(told[1].contains(sample.fails), "{}", told[1]);
    assert!(!told[2].contains(sample.passes), "{}", told[2]);
    assert!(told[3].contains(sample.passes), "{}", told[3]);
    let mended = place.read(sample.file);
    assert!(mended.contains(sample.mended), "{mended}");

    let session = &sessions(&place)[0];
    assert_eq!((&session["calls"], &session["reason"]), (&4.into(), &"success".into()));
    let name = session["session"].as_str().unwrap();
    assert_eq!(name.len(), 8, "short: {name}");
    let record = place.ok(&["replay", name, "--json"]);
    let call = format!(r#""call":{}"#, place.log()[0]["call"]);
    assert!(record.contains(&call), "the record names the change of the journal: {record}");
    let own = place.log()[0]["session"].clone();
    assert!(own.as_str().unwrap().ends_with(name), "one name: {own} {name}");
    let would = place.ok(&["undo", "--session", name, "--dry-run"]);
    assert!(
        would.starts_with(&format!("would undo call {}: edit", place.log()[0]["call"])),
        "{would}"
    );
    let shown = place.ok(&["replay", &name[..6]]);
    assert!(shown.contains("> edit") && shown.contains("one too many"), "{shown}");

    // The recorded answers against the files as they were.
    place.ok(&["undo"]);
    assert_eq!(place.read(sample.file), wrong);
    let replay = format!("replay:{}", session["path"].as_str().unwrap());
    place.ok(&["run", "Do it.", "--model", &replay, "--policy", "auto"]);
    assert_eq!(place.read(sample.file), mended);
}

#[test]
fn a_model_mends_a_failing_test_in_python_and_undo_takes_it_back() {
    mends(&PYTHON);
}

#[test]
fn a_model_mends_a_failing_test_in_rust_and_undo_takes_it_back() {
    mends(&RUST);
}

#[test]
fn a_session_that_was_killed_leaves_a_record() {
    let place = Place::with(&[("a.txt", "x\n")]);
    let server = Server::start(
        "openai",
        vec![
            says(Say::Call("c", "read", r#"{"path": "a.txt"}"#)),
            Reply::Stalls(vec![Say::Text("thinking")]),
        ],
    );
    let mut child = command(&place, &server, &[]).spawn().unwrap();
    wait_until("the second request", || server.asked().len() == 2);
    child.kill().unwrap();
    child.wait().unwrap();
    let session = &sessions(&place)[0];
    assert_eq!((&session["reason"], &session["turns"]), (&Value::Null, &2.into()), "{session}");
    assert!(place.ok(&["sessions"]).contains("unfinished"));
    // A kill in the middle of a write tears the last line.
    let path = session["path"].as_str().unwrap();
    let record = std::fs::read(path).unwrap();
    std::fs::write(path, &record[..record.len() - 9]).unwrap();
    let shown = place.ok(&["replay", session["session"].as_str().unwrap()]);
    assert!(shown.contains("> read") && shown.contains("    x"), "{shown}");
}

#[test]
fn the_interrupt_key_stops_the_tool_and_keeps_the_session() {
    let (place, mark) = (Place::new(), mark());
    let sleep: &'static str = format!(r#"{{"command": "sleep {mark}"}}"#).leak();
    let server = Server::start("openai", vec![says(Say::Call("c", "bash", sleep))]);
    let child = command(&place, &server, &["--policy", "trust"]).spawn().unwrap();
    wait_until("the program", || alive(&mark).iter().any(|line| line.starts_with("sleep")));
    crate::place::system(&["kill", "-INT", &child.id().to_string()]);
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(130), "{ran:?}");
    assert_eq!(alive(&mark), [""; 0]);
    assert_eq!((server.asked().len(), &sessions(&place)[0]["reason"]), (1, &"cancelled".into()));
}

#[test]
fn each_end_has_its_exit_code() {
    let place = Place::with(&[("a.txt", "x\n")]);
    let looks = || vec![says(Say::Call("c", "read", r#"{"path": "a.txt"}"#))];
    let server = Server::start("openai", looks());
    for (words, code, reason) in [
        (&[][..], 6, "loop"),
        (&["--max-turns", "2"], 4, "turn_limit"),
        (&["--budget", "100"], 5, "budget"),
    ] {
        let ran = run(&place, &server, words);
        assert_eq!(ran.code, Some(code), "{ran:?}");
        assert!(ran.err.contains(&format!("[{reason}]")), "{ran:?}");
        assert_eq!(sessions(&place)[0]["reason"], reason);
    }
    let ran = place.run(&["run", "x", "--model", "m", "--base-url", "http://127.0.0.1:9/v1"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("http://127.0.0.1:9/v1: "), "{ran:?}");
    for words in
        [&["run", "x"][..], &["run", " ", "--model", "m"], &["run", "@none", "--model", "m"]]
    {
        let ran = place.run(words);
        assert!(matches!(ran.code, Some(1 | 2)) && ran.out.is_empty(), "{ran:?}");
    }
}

#[test]
fn what_the_policy_refuses_is_told_to_the_model() {
    let place = Place::new();
    let write = r#"{"path": "a.txt", "content": "x"}"#;
    let server = Server::start(
        "openai",
        vec![says(Say::Call("c", "write", write)), says(Say::Text("I may not."))],
    );
    let ran = run(&place, &server, &["--policy", "ask"]);
    assert_eq!((ran.code, place.has("a.txt")), (Some(0), false), "{ran:?}");
    assert!(text(&server.asked()[1].body).contains("error: write: a person must allow this"));
    assert!(ran.err.contains("ApprovalRequired"), "{ran:?}");
}

#[test]
fn a_key_goes_to_its_server_and_nowhere_else() {
    let key = "sk-not-for-others-4711";
    let place = Place::new();
    let server = Server::start(
        "openai",
        vec![says(Say::Call("c", "bash", r#"{"command": "env"}"#)), says(Say::Text("Done."))],
    );
    // Not to an address of the user's own, unless the variable is named.
    let with = |words: &[&str], name: &str| {
        let mut command = command(&place, &server, words);
        Ran::of(command.env(name, key).output().unwrap())
    };
    let ran = with(&["--policy", "trust"], "OPENAI_API_KEY");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(server.asked().iter().all(|asked| !asked.headers.join("\n").contains(key)));
    let before = server.asked().len();
    let ran = with(&["--key-env", "MY_KEY"], "OTHER_KEY");
    assert_eq!((ran.code, server.asked().len()), (Some(2), before), "{ran:?}");
    assert!(ran.err.contains("MY_KEY: not set"), "{ran:?}");
    let ran = with(&["--key-env", "MY_KEY", "--json"], "MY_KEY");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let last = server.asked().pop().unwrap();
    assert!(last.headers.contains(&format!("authorization: Bearer {key}")), "{last:?}");
    assert!(!ran.out.contains(key) && !ran.err.contains(key));
    let program = server.asked().iter().find(|a| text(&a.body).contains("PATH=")).cloned();
    assert!(!text(&program.unwrap().body).contains(key), "programs do not see it");
    let found = Command::new("grep").args(["-r", key]).arg(place.state()).output().unwrap();
    assert_eq!(found.status.code(), Some(1), "{}", String::from_utf8_lossy(&found.stdout));
    // Without an address the usual variable is needed, before anything is sent.
    let ran = place.run(&["run", "x", "--model", "m", "--provider", "gemini"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.contains("GEMINI_API_KEY: not set"), "{ran:?}");
}

#[test]
fn files_for_agents_and_settings_are_read() {
    let place = Place::with(&[
        ("AGENTS.md", "From above.\n"),
        ("repo/.git/HEAD", "ref: refs/heads/main\n"),
        ("repo/AGENTS.md", "The top of the repository.\n"),
        ("repo/CLAUDE.md", "The top of the repository.\n"),
        ("repo/sub/CLAUDE.md", "The nearest.\n"),
        ("ask.txt", "What is here?\n"),
    ]);
    let server = Server::start("openai", vec![says(Say::Text("Nothing."))]);
    let config = place.dir.path().join("config/kitbag");
    std::fs::create_dir_all(&config).unwrap();
    let file = format!(
        "[run]\nmodel = \"from-file\"\nbase-url = \"{}\"\nmax-turns = 7\nsystem = \"At the end.\"\n",
        server.url
    );
    std::fs::write(config.join("kitbag.toml"), file).unwrap();
    let prompt = format!("@{}", place.path("ask.txt").display());
    let mut program = place.program(&["run", &prompt, "--json"]);
    let ran = Ran::of(program.env("KITBAG_ROOT", place.path("repo/sub")).output().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let events: Vec<Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let types: Vec<_> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(types[..3], ["start", "prompt", "request"], "{types:?}");
    assert_eq!(types[types.len() - 2..], ["reply", "end"], "{types:?}");
    let body = &server.asked()[0].body;
    assert_eq!(
        (&body["model"], &events[1]["text"]),
        (&"from-file".into(), &"What is here?\n".into())
    );
    let system = body["messages"][0]["content"].as_str().unwrap();
    assert_eq!(system, events[0]["system"].as_str().unwrap());
    let at = |text: &str| system.find(text);
    assert!(at("The top") < at("The nearest") && at("The nearest") < at("At the end."), "{system}");
    assert_eq!((system.matches("The top").count(), at("From above")), (1, None), "{system}");
    let shown = place.ok(&["config"]);
    let line = shown.lines().find(|line| line.starts_with("run.max-turns ")).unwrap();
    assert!(line.contains(" 7 ") && line.ends_with("kitbag.toml:4"), "{line}");
    // The file of a project may not choose who gets its files.
    place.write("kitbag.toml", "[run]\nbase-url = \"http://127.0.0.1:9/\"\n");
    let ran = place.run(&["run", "x"]);
    assert_eq!((ran.code, server.asked().len()), (Some(2), 1), "{ran:?}");
    assert!(ran.err.contains("kitbag.toml:2: a project may not set `base-url`"), "{ran:?}");
}

#[test]
fn approvals_are_asked_for_in_the_terminal() {
    let place = Place::new();
    let call = |path: &str| {
        format!(
            r#"{{"type": "reply", "calls": [{{"name": "write", "arguments": {{"path": "{path}", "content": "new\n"}}}}]}}"#
        )
    };
    let end = r#"{"type": "reply", "text": "One of two."}"#;
    let answers = place.dir.path().join("answers.jsonl");
    std::fs::write(&answers, format!("{}\n{}\n{end}\n", call("yes.txt"), call("no.txt"))).unwrap();
    let answers = format!("replay:{}", answers.display());
    let words = ["run", "go", "--policy", "ask", "--model", &answers];
    let Some(mut terminal) = Terminal::start(&place, &words) else { return };
    terminal.sees("needs approval: it changes files");
    terminal.sees("+new");
    terminal.types("y\n");
    terminal.sees("Allow it?");
    terminal.sees("Allow it?");
    terminal.types("n\n");
    terminal.sees("PermissionDenied");
    terminal.sees("One of two.");
    assert_eq!(terminal.ends(), Some(0));
    assert_eq!((place.has("yes.txt"), place.has("no.txt")), (true, false));
}

#[test]
fn a_pipe_gets_the_very_text_and_a_terminal_is_protected() {
    let place = Place::new();
    let text = "red \u{1b}[31mrot\u{1b}]0;title\u{7} \u{202e}back\r\nbell\u{7}\u{9b}1m\u{7f}";
    let says = || Server::start("openai", vec![Reply::Says(vec![Say::Text(text)])]);
    let server = says();
    let words = ["run", "Say it.", "--model", "m", "--base-url", &server.url];
    let ran = place.run(&words);
    assert_eq!((ran.code, ran.out), (Some(0), format!("{text}\n")));
    let json = place.ok(&[&words[..], &["--json"]].concat());
    let json: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let pieces = json.iter().filter(|event| event["type"] == "text");
    let whole: String = pieces.map(|event| event["text"].as_str().unwrap()).collect();
    assert_eq!(whole, text);
    assert!(place.ok(&["replay", "last"]).contains(r"rot\u{1b}]0;title\u{7} \u{202e}back"));
    let Some(mut terminal) = Terminal::start(&place, &words) else { return };
    let shown = terminal.sees("[success]");
    assert!(shown.contains(r"red \u{1b}[31mrot\u{1b}]0;title\u{7} \u{202e}back"), "{shown:?}");
    assert!(!shown.contains('\u{7}') && !shown.contains("\u{1b}[31m"), "{shown:?}");
}
