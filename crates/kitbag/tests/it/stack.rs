//! Stack says so when what it was asked for did not happen. Its original reported success when git
//! failed, when a task was not there and when nothing was found out.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Server;
use crate::place::{Place, wait_until};

/// Every tool of the document but those that reach out to the web, which have tests of their own.
const TOOLS: &[&str] = &[
    "read",
    "write",
    "edit",
    "search",
    "grep",
    "copy",
    "move",
    "delete",
    "git_status",
    "git_commit",
    "git_push",
    "git_pull",
    "git_branch",
    "git_log",
    "git_diff",
    "run",
    "test",
    "lint",
    "format",
    "typecheck",
    "server",
    "install",
    "memory_recall",
    "memory_save",
    "memory_list",
    "context_load",
    "project_scan",
    "create_task",
    "list_tasks",
    "update_task",
    "delete_task",
    "create_plan",
    "execute_plan",
];

/// What goes wrong underneath, tool by tool. `MEMORY.md` and `AGENTS.md` are directories here, the
/// lists of tasks and plans are broken, and there is no repository.
fn failures() -> Vec<(&'static str, Value)> {
    vec![
        ("read", json!({"path": "gone.txt"})),
        ("write", json!({"path": "directory", "content": "x"})),
        ("edit", json!({"path": "a.txt", "old_text": "not there", "new_text": "x"})),
        ("search", json!({"path": "gone", "pattern": "*"})),
        ("grep", json!({"path": ".", "pattern": "("})),
        ("copy", json!({"source": "directory", "destination": "b.txt"})),
        ("move", json!({"source": "gone.txt", "destination": "c.txt"})),
        ("delete", json!({"path": "a.txt"})),
        ("delete", json!({"path": "gone.txt", "force": true})),
        ("git_status", json!({})),
        ("git_commit", json!({"message": "m"})),
        ("git_push", json!({})),
        ("git_pull", json!({})),
        ("git_branch", json!({})),
        ("git_branch", json!({"create": "x"})),
        ("git_branch", json!({"delete": "x"})),
        ("git_log", json!({})),
        ("git_diff", json!({})),
        ("run", json!({"command": "exit 3"})),
        ("run", json!({"command": "sleep 20", "timeout": 1})),
        ("run", json!({"command": "no-such-program-here"})),
        ("test", json!({"path": "gone"})),
        ("lint", json!({"path": "gone"})),
        ("format", json!({"path": "gone"})),
        ("typecheck", json!({"path": "gone"})),
        ("server", json!({"command": "exit 1", "port": 47311, "background": true})),
        ("install", json!({"path": "gone"})),
        ("memory_recall", json!({"query": " "})),
        ("memory_save", json!({"key": "k", "value": "v"})),
        ("memory_list", json!([])),
        ("context_load", json!([])),
        ("project_scan", json!({"path": "gone"})),
        ("create_task", json!({"title": "t"})),
        ("list_tasks", json!({})),
        ("update_task", json!({"task_id": "x", "status": "done"})),
        ("delete_task", json!({"task_id": "x"})),
        ("create_plan", json!({"goal": "g", "steps": ["s"]})),
        ("execute_plan", json!({"plan_id": "x"})),
    ]
}

#[test]
fn no_tool_says_that_it_succeeded_when_it_did_not() {
    let place = Place::with(&[
        ("a.txt", "a\n"),
        ("b.txt", "b\n"),
        ("directory/x", ""),
        ("MEMORY.md/x", ""),
        ("AGENTS.md/x", ""),
        (".tasks.json", "[{\"id\": "),
        (".plans.json", "{}"),
    ]);
    let before = place.tree();
    let mut server = place.serve("stack", "trust");
    let mut seen = BTreeSet::new();
    for (tool, arguments) in failures() {
        seen.insert(tool);
        let answer = server.call(tool, &arguments);
        let fields: Value = serde_json::from_str(answer.text()).unwrap_or_default();
        let said = answer.failed() || fields["success"] == false;
        assert!(said && fields["success"] != true, "{tool} {arguments}: {}", answer.0);
        let why = ["error", "warning", "message", "returncode", "errors"];
        assert!(
            why.iter().any(|field| !fields[*field].is_null()) || answer.failed(),
            "{}",
            answer.0
        );
    }
    assert_eq!(seen, TOOLS.iter().copied().collect());
    assert_eq!(place.tree(), before, "and nothing was changed");
}

#[test]
fn git_that_fails_in_a_repository_is_a_failure() {
    let place = Place::with(&[("a.txt", "a\n")]);
    let git = |words: &[&str]| place.git(words);
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "first"]);
    let mut server = place.serve("stack", "trust");
    for (tool, arguments, code) in [
        ("git_commit", json!({"message": "nothing"}), "NothingToCommit"),
        ("git_commit", json!({"message": "m", "files": ["gone.txt"]}), "FileNotFound"),
        ("git_branch", json!({"create": "main"}), "BranchAlreadyExists"),
        ("git_branch", json!({"delete": "gone"}), "BranchNotFound"),
        ("git_diff", json!({"file": "gone.txt"}), "FileNotFound"),
    ] {
        server.call(tool, &arguments).fails(code);
    }
    assert!(server.call("git_push", &json!({})).failed(), "there is no remote");
    assert!(server.call("git_pull", &json!({})).failed());
    assert_eq!(git(&["rev-list", "--count", "HEAD"]), "1\n");
}

#[test]
fn a_server_in_the_background_is_read_while_it_runs_and_gone_with_the_session() {
    let place = Place::new();
    let mut server = place.serve("stack", "trust");
    let port = free_port();
    let command = format!("echo ready; exec python3 -m http.server {port} --bind 127.0.0.1");
    let start = json!({"command": command, "port": port, "background": true});
    let fields = server.call("server", &start).fields();
    assert_eq!(fields["success"], true, "{fields}");
    let log = json!({"path": fields["logs"][0]});
    assert!(server.call("read", &log).fields()["content"].as_str().unwrap().starts_with("ready\n"));
    taken(&mut server, port);
    let again = server.call("server", &start).fields();
    assert!(again["message"].as_str().unwrap().contains("stopped"), "{again}");
    let listens = || {
        let look = format!("exec 3<>/dev/tcp/127.0.0.1/{port}");
        std::process::Command::new("bash").args(["-c", &look]).output().unwrap().status.success()
    };
    assert!(listens());
    server.close();
    assert!(server.ended(Duration::from_secs(20)).is_some());
    wait_until("the port is free", || !listens());
}

/// A port that somebody else listens on is an error, whoever that is.
fn taken(server: &mut Server, port: u16) {
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let theirs = other.local_addr().unwrap().port();
    assert_ne!(theirs, port);
    let start = json!({"command": "true", "port": theirs, "background": true});
    server.call("server", &start).fails("PortInUse");
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
