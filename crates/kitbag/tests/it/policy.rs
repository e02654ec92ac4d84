//! What an operator allows, what a person is asked, and what a yes covers.

use serde_json::{Value, json};

use crate::client::Server;
use crate::place::{Place, skipped};

const FILE: &[(&str, &str)] = &[("a.txt", "one\n")];

fn accept(decision: &str) -> Value {
    json!({"action": "accept", "content": {"decision": decision}})
}

fn calls() -> [(&'static str, Value); 3] {
    [
        ("read", json!({"path": "a.txt"})),
        ("edit", json!({"path": "a.txt", "old_string": "one", "new_string": "two"})),
        ("bash", json!({"command": "echo ran > ran.txt"})),
    ]
}

#[test]
fn each_cell_of_the_table_with_nobody_there() {
    let asks = "ApprovalRequired";
    for (policy, wanted) in [
        ("read-only", ["", "PermissionDenied", "PermissionDenied"]),
        ("ask", ["", asks, asks]),
        ("auto", ["", "", ""]),
        ("trust", ["", "", ""]),
    ] {
        let place = Place::with(FILE);
        let mut fiz = place.serve("fiz", policy);
        for ((tool, arguments), wanted) in calls().into_iter().zip(wanted) {
            let answer = fiz.call(tool, &arguments);
            assert_eq!(answer.code(), wanted, "{policy} {tool}: {answer:?}");
            if !wanted.is_empty() {
                assert!(answer.text().contains("--policy"), "how to allow it: {answer:?}");
            }
        }
        let changed = place.read("a.txt") == "two\n";
        assert_eq!(changed, wanted[1].is_empty(), "{policy}");
        assert_eq!(place.has("ran.txt"), wanted[2].is_empty(), "{policy}");
    }
}

#[test]
fn a_change_that_can_be_undone_runs_under_auto_whatever_its_document_calls_it() {
    for toolset in ["floyd", "floyd-0.1.0"] {
        let place = Place::with(FILE);
        let edit = json!({"filePath": "a.txt", "oldString": "one", "newString": "two"});
        place.serve(toolset, "ask").call("edit_file", &edit).fails("ApprovalRequired");
        let mut server = place.serve(toolset, "auto");
        server.call("edit_file", &edit).ok();
        assert_eq!(place.read("a.txt"), "two\n");
        place.ok(&["undo"]);
        assert_eq!(place.read("a.txt"), "one\n");
    }
}

#[test]
fn a_person_is_shown_the_effect_and_what_they_say_is_done() {
    for (said, runs) in [
        (accept("allow"), true),
        (accept("deny"), false),
        (accept("ALLOW"), false),
        (json!({"action": "accept"}), false),
        (json!({"action": "accept", "content": {}}), false),
        (json!({"action": "accept", "content": {"decision": true}}), false),
        (json!({"action": "decline"}), false),
        (json!({"action": "cancel"}), false),
        (json!({"action": "surely"}), false),
        (json!("yes"), false),
        (Value::Null, false),
    ] {
        let place = Place::with(FILE);
        let mut fiz = place.serve_asking("fiz", "ask");
        for (tool, arguments) in &calls()[1..] {
            fiz.answers.push_back(said.clone());
            let answer = fiz.call(tool, arguments);
            assert_eq!(answer.failed(), !runs, "{said} {tool}: {answer:?}");
            if !runs {
                assert!(
                    ["PermissionDenied", "ApprovalRequired"].contains(&&*answer.code()),
                    "{answer:?}"
                );
            }
        }
        assert_eq!(fiz.questions.len(), 2, "{said}");
        let shown = fiz.questions[0]["message"].as_str().unwrap();
        assert!(
            shown.contains("-one") && shown.contains("+two") && shown.contains("a.txt"),
            "{shown}"
        );
        let shown = fiz.questions[1]["message"].as_str().unwrap();
        assert!(shown.contains("echo ran > ran.txt"), "{shown}");
        assert_eq!((place.read("a.txt") == "two\n", place.has("ran.txt")), (runs, runs), "{said}");
    }
}

#[test]
fn for_this_session_covers_changes_and_never_programs() {
    let place = Place::with(FILE);
    let mut fiz = place.serve_asking("fiz", "ask");
    fiz.answers.push_back(accept("allow for this session"));
    for n in 0..3 {
        fiz.call("write", &json!({"path": format!("{n}"), "content": "x"})).ok();
    }
    assert_eq!(fiz.questions.len(), 1);
    fiz.answers.push_back(accept("allow for this session"));
    let refused = fiz.call("bash", &json!({"command": "touch ran"}));
    assert!(refused.failed() && !place.has("ran"), "a choice that was not offered: {refused:?}");
    for n in 0..2 {
        fiz.answers.push_back(accept("allow"));
        fiz.call("bash", &json!({"command": format!("touch ran{n}")})).ok();
    }
    assert_eq!(fiz.questions.len(), 4);
    // A protected file is asked about all the same, each time.
    for _ in 0..2 {
        fiz.answers.push_back(accept("allow"));
        fiz.call("write", &json!({"path": ".envrc", "content": "x"})).ok();
    }
    assert_eq!(fiz.questions.len(), 6);
    // The yes was to writing; another session asks again.
    let mut other = place.serve_asking("fiz", "ask");
    other.answers.push_back(accept("deny"));
    other.call("write", &json!({"path": "y", "content": "x"})).fails("PermissionDenied");
}

#[test]
fn a_yes_holds_for_the_bytes_that_were_shown() {
    let place = Place::with(FILE);
    let mut fiz = place.serve_asking("fiz", "ask");
    fiz.answers.push_back(accept("allow"));
    let path = place.path("a.txt");
    fiz.meanwhile = Some(Box::new(move || std::fs::write(path, "one, and more\n").unwrap()));
    let edit = json!({"path": "a.txt", "old_string": "one", "new_string": "two"});
    fiz.call("edit", &edit).fails("FileChanged");
    assert_eq!(place.read("a.txt"), "one, and more\n");
    // A link that takes the place of the file meanwhile.
    let (path, other) = (place.path("a.txt"), place.path("other.txt"));
    fiz.answers.push_back(accept("allow"));
    fiz.meanwhile = Some(Box::new(move || {
        std::fs::write(&other, "one, and more\n").unwrap();
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("other.txt", &path).unwrap();
    }));
    let answer = fiz.call("edit", &edit);
    assert!(answer.failed(), "{answer:?}");
    assert_eq!(place.read("other.txt"), "one, and more\n");
}

#[test]
fn what_a_command_did_in_its_layer_is_shown_and_brought_in_or_dropped() {
    let place = Place::with(FILE);
    let command = "echo two >> a.txt; echo $RANDOM$RANDOM > made; echo x > .envrc; echo said";
    let mut fiz = place.serve_asking("fiz", "ask");
    fiz.answers.push_back(accept("deny"));
    fiz.call("bash", &json!({"command": command})).fails("PermissionDenied");
    assert_eq!((place.read("a.txt").as_str(), place.has("made")), ("one\n", false), "dropped");
    assert_eq!(place.log(), [Value::Null; 0]);
    fiz.answers.push_back(accept("allow"));
    assert!(fiz.call("bash", &json!({"command": command})).ok().contains("said"));
    let shown = fiz.questions[1]["message"].as_str().unwrap().to_owned();
    assert!(
        shown.contains(command) && shown.contains("+two") && shown.contains("+++ .envrc"),
        "{shown}"
    );
    let made = place.read("made");
    assert!(shown.contains(&format!("+{made}")), "it was not run again: {made} {shown}");
    assert_eq!(place.read(".envrc"), "x\n", "a person saw it and allowed it");
    place.ok(&["undo"]);
    assert_eq!((place.read("a.txt").as_str(), place.has("made")), ("one\n", false));
    // Somebody saves while the question waits.
    fiz.answers.push_back(accept("allow"));
    let path = place.path("a.txt");
    fiz.meanwhile = Some(Box::new(move || std::fs::write(path, "a person's\n").unwrap()));
    fiz.call("bash", &json!({"command": command})).fails("FileBusy");
    assert_eq!((place.read("a.txt").as_str(), place.has("made")), ("a person's\n", false));
    let ran = place.ok(&[
        "call",
        "bash",
        "command=rm a.txt; echo x > y",
        "--rehearse",
        "--policy",
        "ask",
    ]);
    assert!(ran.contains("remove a.txt") && ran.contains("+++ y"), "{ran}");
    // What did not happen is not told as if it had.
    assert!(ran.contains("\nIt would answer:\nExit code: 0"), "{ran}");
    assert!(place.has("a.txt") && !place.has("y"));
    let ran = place.run(&["call", "bash", "command=true", "--rehearse", "--layer", "off"]);
    assert!(ran.code == Some(2) && ran.err.contains("cannot be rehearsed"), "{ran:?}");
}

#[test]
fn nobody_is_asked_about_what_would_fail() {
    let place = Place::with(FILE);
    let mut fiz = place.serve_asking("fiz", "ask");
    fiz.call("edit", &json!({"path": "a.txt", "old_string": "nine", "new_string": "x"}))
        .fails("StringNotFound");
    fiz.call("edit", &json!({"path": "../a.txt", "old_string": "one", "new_string": "x"}))
        .fails("PathOutsideWorkspace");
    fiz.call("write", &json!({"path": "a.txt/b", "content": "x"})).fails("NotADirectory");
    fiz.call("bash", &json!({"cmd": "x"})).fails("InvalidInput");
    assert!(fiz.questions.is_empty(), "{:?}", fiz.questions);
}

#[test]
fn what_is_shown_cannot_deceive() {
    let place = Place::with(FILE);
    let mut fiz = place.serve_asking("fiz", "ask");
    let tricks = "echo safe\u{1b}[2K\u{1b}[1A\r\u{202e}evil\u{200b}\u{7}\u{9b}31m # rm";
    fiz.answers.push_back(accept("deny"));
    fiz.call("bash", &json!({"command": tricks})).fails("PermissionDenied");
    fiz.answers.push_back(accept("deny"));
    let name = "in\u{202e}txt.exe";
    fiz.call("write", &json!({"path": name, "content": tricks})).fails("PermissionDenied");
    for question in &fiz.questions {
        let shown = question["message"].as_str().unwrap();
        let hidden =
            |c: char| c.is_control() && c != '\n' && c != '\t' || "\u{202e}\u{200b}".contains(c);
        assert!(!shown.contains(hidden), "{shown:?}");
        assert!(shown.contains("evil"), "{shown:?}");
    }
    assert!(!place.has(name));
    // What does not fit is said to be missing.
    fiz.answers.push_back(accept("deny"));
    let long = format!("echo start; {} rm -rf .", " ".repeat(50_000));
    fiz.call("bash", &json!({"command": long})).fails("PermissionDenied");
    let shown = fiz.questions[2]["message"].as_str().unwrap();
    assert!(shown.contains("Not shown") || shown.contains("rm -rf"), "{} bytes", shown.len());
    // Also of what a command changes, all of it is counted.
    fiz.answers.push_back(accept("deny"));
    fiz.call("bash", &json!({"command": "for i in $(seq 20); do seq 500 > m$i; done"}))
        .fails("PermissionDenied");
    let note = fiz.questions[3]["message"].as_str().unwrap().lines().last().unwrap();
    let all = note.split(" of ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
    assert!(all.is_some_and(|all: usize| all > 45_000), "{note}");
}

const PROTECTED: &[&str] = &[
    ".git/config",
    ".git/hooks/pre-commit",
    ".GIT/config",
    "sub/.git/hooks/post-checkout",
    ".mcp.json",
    ".envrc",
    "deep/er/.envrc",
    ".vscode/tasks.json",
    ".idea/x.xml",
    ".cursor/mcp.json",
    ".claude/settings.json",
    ".bashrc",
    ".kitbag/config",
    "sub/../.vscode/settings.json",
    "link/config",
];

#[test]
fn files_that_programs_obey_need_a_person_whatever_the_policy() {
    for policy in ["trust", "auto", "ask"] {
        let place = Place::with(&[(".git/HEAD", "ref: refs/heads/main\n"), ("sub/x", "")]);
        std::os::unix::fs::symlink(".git", place.path("link")).unwrap();
        let before = place.tree();
        let (mut fiz, mut local) = (place.serve("fiz", policy), place.serve("local", policy));
        for path in PROTECTED {
            let write = json!({"path": path, "content": "evil\n"});
            fiz.call("write", &write).fails("ProtectedPath");
            local.call("write_file", &write).fails("ProtectedPath");
        }
        local.call("create_directory", &json!({"path": ".git/hooks"})).fails("ProtectedPath");
        local.call("delete_file", &json!({"path": ".git/HEAD"})).fails("ProtectedPath");
        local.call("delete_directory", &json!({"path": ".git"})).fails("ProtectedPath");
        let append = json!({"path": ".git/HEAD", "content": "x", "operation": "append"});
        fiz.call("patch", &append).fails("ProtectedPath");
        assert_eq!(place.tree(), before, "{policy}");
    }
    let place = Place::new();
    place
        .serve("fiz", "read-only")
        .call("write", &json!({"path": ".envrc", "content": "x"}))
        .fails("PermissionDenied");
}

#[test]
fn a_repository_of_another_name_is_protected_as_far_as_git_obeys_it() {
    let orders = "[core]\n\tbare = false\n\tfsmonitor = touch x\n";
    let parts =
        [("HEAD", "ref: refs/heads/main\n"), ("objects/x", ""), ("refs/x", ""), ("config", orders)];
    for last in 0..parts.len() {
        let place = Place::with(&[("b/readme", "")]);
        let (mut fiz, mut local) = (place.serve("fiz", "auto"), place.serve("local", "auto"));
        let mut parts = parts.to_vec();
        let (name, content) = parts.remove(last);
        for (name, content) in parts {
            fiz.call("write", &json!({"path": format!("b/{name}"), "content": content})).ok();
        }
        let write = json!({"path": format!("b/{name}"), "content": content});
        fiz.call("write", &write).fails("ProtectedPath");
        local.call("write_file", &write).fails("ProtectedPath");
        assert!(!place.has(&format!("b/{name}")), "{name}");
    }
    // One that gives none may be made, and get further files.
    let place = Place::new();
    let mut fiz = place.serve("fiz", "auto");
    for (name, content) in &parts[..3] {
        fiz.call("write", &json!({"path": format!("b/{name}"), "content": content})).ok();
    }
    fiz.call("write", &json!({"path": "b/description", "content": "x"})).ok();
    fiz.call("write", &json!({"path": "b/hooks/pre-commit", "content": "x"}))
        .fails("ProtectedPath");
}

#[test]
fn a_person_may_allow_a_protected_file_and_the_operator_by_name() {
    let place = Place::new();
    let mut fiz = place.serve_asking("fiz", "trust");
    fiz.answers.push_back(accept("allow"));
    fiz.call("write", &json!({"path": ".vscode/tasks.json", "content": "{}\n"})).ok();
    let shown = fiz.questions[0]["message"].as_str().unwrap();
    assert!(shown.contains(".vscode/tasks.json") && shown.contains("+{}"), "{shown}");
    for spelling in [".envrc", "./.envrc", "sub/../.envrc", place.path(".envrc").to_str().unwrap()]
    {
        let place = if spelling.starts_with('/') { &place } else { &Place::new() };
        let allowed = place.server("fiz", "trust", &["--allow-protected", spelling]);
        let mut fiz = Server::start(allowed, false);
        fiz.call("write", &json!({"path": ".envrc", "content": "x\n"})).ok();
        fiz.call("write", &json!({"path": "deep/.envrc", "content": "x\n"})).fails("ProtectedPath");
        fiz.call("write", &json!({"path": ".mcp.json", "content": "x\n"})).fails("ProtectedPath");
        assert_eq!(place.read(".envrc"), "x\n", "{spelling}");
    }
}

#[test]
fn a_yes_to_moving_a_directory_covers_the_protected_files_in_it() {
    for (tool, input) in [
        ("move", json!({"source": "d", "destination": "e/f"})),
        ("copy", json!({"source": "d", "destination": "e/f"})),
    ] {
        let place = Place::with(&[("d/a", "a\n"), ("d/.vscode/tasks.json", "{}\n")]);
        let mut stack = place.serve_asking("stack", "ask");
        stack.answers.push_back(accept("allow"));
        stack.call(tool, &input).ok();
        let shown = stack.questions[0]["message"].as_str().unwrap();
        assert!(shown.contains("e/f/.vscode is protected"), "{shown}");
        assert!(!stack.questions[0].to_string().contains("for this session"), "{shown}");
        assert_eq!(place.read("e/f/.vscode/tasks.json"), "{}\n");
        place.ok(&["undo"]);
        assert_eq!(place.read("d/.vscode/tasks.json"), "{}\n");
        assert!(!place.has("e"));
        // Nothing that was not shown.
        let mut stack = place.serve_asking("stack", "ask");
        stack.answers.push_back(accept("deny"));
        stack.call(tool, &input).fails("PermissionDenied");
        assert!(place.has("d/.vscode/tasks.json") && !place.has("e"));
    }
}

#[test]
fn a_program_cannot_leave_a_file_that_others_obey() {
    let place =
        Place::with(&[(".git/HEAD", "ref: refs/heads/main\n"), (".git/config", "[core]\n")]);
    let mut fiz = place.serve("fiz", "trust");
    for script in [
        "echo '[core]' >> .git/config; echo fsmonitor=x >> .git/config",
        "mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit",
        "echo evil > .envrc; mkdir .vscode; echo {} > .vscode/tasks.json",
        "mv .git x; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit",
    ] {
        let said = fiz.call("bash", &json!({"command": script}));
        assert!(!place.has(".git/hooks/pre-commit"), "{script}: {said:?}");
        assert!(!place.has(".envrc") && !place.has(".vscode/tasks.json"), "{script}: {said:?}");
        assert_eq!(place.read(".git/config"), "[core]\n", "{script}: {said:?}");
    }
}

#[test]
fn a_question_that_nobody_wants_answered_any_more_is_dropped() {
    let place = Place::with(FILE);
    let mut fiz = place.serve_asking("fiz", "ask");
    let id = fiz.begin("bash", &json!({"command": "touch ran"}));
    while fiz.questions.is_empty() {
        let message = fiz.drain(std::time::Duration::from_millis(200));
        assert!(message.iter().all(|m| m["method"] == "elicitation/create"), "{message:?}");
    }
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id.parse::<u64>().unwrap()}});
    fiz.line(&cancel.to_string());
    fiz.call("read", &json!({"path": "a.txt"})).ok();
    crate::place::wait_until("the call is noted as cancelled", || {
        std::fs::read_to_string(place.state().join("audit.jsonl"))
            .unwrap_or_default()
            .contains("Cancelled")
    });
    assert!(!place.has("ran"));
}

/// What an ordinary project's test is to the policy: a program that writes here and reaches nothing.
const TEST: &str = "echo ran > ran.txt; echo 1 passed";

#[test]
fn under_auto_programs_of_the_sandbox_run_on_a_host_that_cannot_ask() {
    let as_root = Place::with(FILE);
    let ordinary = Place::with(FILE);
    for (place, server) in [
        (&as_root, Some(as_root.serve("fiz", "auto"))),
        (&ordinary, ordinary.serve_unprivileged("fiz", "auto")),
    ] {
        let Some(mut fiz) = server else { continue };
        let hook = json!({"command": "mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit"});
        let said = fiz.call("bash", &hook);
        assert!(!place.has(".git/hooks/pre-commit"), "{said:?}");
        let answer = fiz.call("bash", &json!({"command": TEST}));
        if ["Landlock alone", "without a sandbox"].iter().any(|why| answer.text().contains(why)) {
            return skipped("no namespaces here");
        }
        assert!(answer.ok().contains("1 passed"));
        assert_eq!(place.read("ran.txt"), "ran\n");
        let reached = fiz.call("bash", &json!({"command": "ls /sys/class/net; ls -A ~/.ssh"}));
        assert!(!reached.ok().contains("eth"), "{reached:?}");
    }
    as_root.ok(&["undo"]);
    assert!(!as_root.has("ran.txt"), "it can be undone");
}

/// Toolset and tool; flags; what the refusal names, and what it must not, since that is so already
/// or is of no use.
const REFUSED: &[(&str, &str, &[&str], &[&str])] = &[
    ("fiz bash", "--policy ask", &["--policy auto", "--policy trust"], &["--network"]),
    ("fiz bash", "--policy ask --network on", &["--network off and --policy auto"], &[]),
    ("fiz bash", "--policy auto --network on", &["with --network off,"], &["--policy auto"]),
    ("fiz bash", "--policy auto --network a.org", &["with --network off,"], &["--policy auto"]),
    ("fiz bash", "--policy auto --sandbox landlock", &["Landlock"], &["--policy auto", "--net"]),
    ("fiz bash", "--policy auto --sandbox off", &["without a sandbox"], &["--policy auto"]),
    ("stack fetch", "--policy auto", &["to the network"], &["--policy auto", "--network"]),
    ("stack git_push", "--policy auto", &[], &["--policy auto", "--network"]),
    ("stack server", "--policy auto", &[], &["--policy auto", "--network"]),
    ("stack install", "--policy ask", &[], &["--policy auto", "--network"]),
    ("floyd cache_clear", "--policy ask", &["from the cache"], &["--policy auto"]),
];

fn input(tool: &str) -> Value {
    match tool {
        "bash" => json!({"command": TEST}),
        "fetch" => json!({"url": "http://127.0.0.1:9/"}),
        "server" => json!({"command": "true", "port": 47125}),
        _ => json!({}),
    }
}

#[test]
fn a_refusal_names_what_allows_this_call_and_never_what_is_so() {
    for (tool, flags, named, not) in REFUSED {
        let place = Place::with(FILE);
        let (toolset, tool) = tool.split_once(' ').unwrap();
        let call = |flags: &str| {
            let words = ["serve", "--toolset", toolset].into_iter().chain(flags.split(' '));
            let mut server = Server::start(place.program(&words.collect::<Vec<_>>()), false);
            server.call(tool, &input(tool))
        };
        let said = call(flags).fails("ApprovalRequired");
        let what = format!("{tool} {flags}: {said}");
        assert!(!place.has("ran.txt"), "{what}");
        let always = ["a client that can ask its user", "--policy trust"];
        assert!(named.iter().chain(&always).all(|name| said.contains(name)), "{what}");
        assert!(not.iter().all(|name| !said.contains(name)), "{what}");
        // It is as it says.
        let contained = "--policy auto --network off";
        assert_ne!(call("--policy trust").code(), "ApprovalRequired", "{what}");
        if said.contains("--network off ") || said.contains("--network off,") {
            assert_eq!(call(contained).code(), "", "{what}");
        }
    }
    let place = Place::with(FILE);
    let said =
        place.serve("fiz", "read-only").call("bash", &input("bash")).fails("PermissionDenied");
    assert!(said.contains("--policy ask and a client that can ask its user"), "{said}");
}

#[test]
fn the_help_gives_every_policy_its_meaning() {
    let help = Place::new().ok(&["serve", "--help"]);
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for policy in toolkit::Policy::ALL {
        let line = format!("{}: {}", policy.as_str(), policy.meaning());
        assert!(help.contains(&line), "{line}: {help}");
    }
}
