//! Beginning and end of a server and of what it started.

use std::io::Write as _;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::Server;
use crate::place::{Place, alive, mark, system, wait_until};

/// A server in the middle of a command that ignores SIGTERM and has children everywhere.
fn busy(place: &Place) -> (Server, String) {
    let sleeper = mark();
    let mut fiz = place.serve("fiz", "trust");
    let script = format!(
        "trap '' TERM; (setsid nohup sleep {sleeper} &) ; sh -c 'trap \"\" TERM INT; sleep {sleeper}' & \
         sleep {sleeper}"
    );
    fiz.begin("bash", &json!({"command": script}));
    wait_until("the command runs", || alive(&sleeper).len() >= 3);
    (fiz, sleeper)
}

#[test]
fn the_end_of_input_ends_the_server_and_its_children() {
    let place = Place::new();
    let (mut fiz, sleeper) = busy(&place);
    let began = Instant::now();
    fiz.close();
    let status = fiz.ended(Duration::from_secs(10)).expect("the server goes on");
    assert!(status.success(), "{status:?}");
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    wait_until("the children end", || alive(&sleeper).is_empty());
}

#[test]
fn signals_end_the_server_and_its_children() {
    for signal in ["-TERM", "-INT", "-HUP", "-KILL"] {
        let place = Place::new();
        let (mut fiz, sleeper) = busy(&place);
        fiz.signal(signal);
        fiz.ended(Duration::from_secs(10))
            .unwrap_or_else(|| panic!("{signal}: the server goes on"));
        wait_until(signal, || alive(&sleeper).is_empty());
    }
}

/// A server whose input and output are the caller's to use, or not to.
fn piped(place: &Place) -> Child {
    let mut server = place.server("fiz", "trust", &[]);
    server.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn a_client_that_stops_reading_does_not_keep_the_server() {
    let place = Place::with(&[("big", &"x".repeat(40_000))]);
    let mut child = piped(&place);
    let mut to = child.stdin.take().unwrap();
    let feeder = std::thread::spawn(move || {
        for id in 0..2000 {
            let line = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "read", "arguments": {"path": "big"}}});
            if writeln!(to, "{line}").is_err() {
                return;
            }
        }
    });
    std::thread::sleep(Duration::from_millis(300));
    let memory = resident(child.id());
    assert!(memory < 200_000, "{memory} KiB for a client that does not read");
    drop(child.stdout.take());
    wait_until("the server ends", || child.try_wait().unwrap().is_some());
    feeder.join().unwrap();
}

/// Whoever ended the input and holds the output open without reading it, such as a shell that waits,
/// does not keep the server.
#[test]
fn a_client_that_ends_its_input_unread_does_not_keep_the_server() {
    let place = Place::with(&[("big", &"x".repeat(40_000))]);
    let mut child = piped(&place);
    let mut to = child.stdin.take().unwrap();
    let read = json!({"name": "read", "arguments": {"path": "big"}});
    let call = |id| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": read});
    let client = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let hello = json!({"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": client});
    writeln!(to, "{hello}").unwrap();
    writeln!(to, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).unwrap();
    // More than what waits in the server before it stops reading, and less than stops the client.
    for id in 0..400 {
        writeln!(to, "{}", call(id)).unwrap();
    }
    drop(to);
    let ended = Instant::now();
    std::thread::sleep(Duration::from_secs(1));
    assert!(child.try_wait().unwrap().is_none(), "it waits for one that reads late");
    wait_until("the server ends", || child.try_wait().unwrap().is_some());
    assert!(ended.elapsed() < Duration::from_secs(10), "{:?}", ended.elapsed());
    drop(child.stdout.take());
}

/// The resident memory of a process, in KiB.
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn a_server_that_nobody_asks_gives_memory_back() {
    let place = Place::with(&[("a", "one\n")]);
    let mut fiz = place.serve("fiz", "trust");
    for _ in 0..2 {
        assert_eq!(fiz.call("read", &json!({"path": "a"})).ok(), "one\n");
        let (pid, busy) = (fiz.pid(), resident(fiz.pid()));
        wait_until("memory is given back", || resident(pid) < busy / 2);
    }
}

#[test]
fn answers_to_what_was_asked_before_the_end_still_come() {
    let place = Place::with(&[("a", "one\n")]);
    let mut fiz = place.serve("fiz", "trust");
    let calls: Vec<_> = (0..10).map(|_| fiz.begin("read", &json!({"path": "a"}))).collect();
    fiz.close();
    for id in calls {
        assert_eq!(fiz.answer(&id).ok(), "one\n");
    }
}

#[test]
fn garbage_is_answered_and_the_server_goes_on() {
    let place = Place::with(&[("a", "one\n")]);
    let mut fiz = place.serve("fiz", "trust");
    let lines = [
        "garbage",
        "{",
        "{}",
        "[]",
        "null",
        "5",
        "\"x\"",
        "[1]",
        "{\"jsonrpc\":\"1.0\"}",
        "\u{0}\u{1}\u{2}",
        r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","id":77,"method":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","id":78,"method":"tools/call","params":{"name":null}}"#,
        r#"{"jsonrpc":"2.0","id":79,"method":"x\u0000y"}"#,
        r#"{"jsonrpc":"2.0","id":80,"method":"initialize","params":{"protocolVersion":5}}"#,
        r#"{"jsonrpc":"2.0","id":81,"result":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":1}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/nothing","params":[1]}"#,
    ];
    for line in lines {
        fiz.line(line);
    }
    assert_eq!(fiz.call("read", &json!({"path": "a"})).ok(), "one\n");
    let rest = fiz.drain(Duration::from_millis(300));
    assert!(rest.len() < lines.len());
}

#[test]
fn output_of_programs_never_reaches_the_protocol() {
    let place = Place::new();
    let mut fiz = place.serve("fiz", "trust");
    let script = "echo plain; echo error >&2; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}'; \
        (echo stray > /proc/$PPID/fd/1) 2>/dev/null; (echo tty > /dev/tty) 2>/dev/null; exit 0";
    let said = fiz.call("bash", &json!({"command": script}));
    assert!(said.ok().contains("plain"), "{said:?}");
    assert!(fiz.drain(Duration::from_millis(200)).is_empty());
}

#[test]
fn a_cancelled_command_ends_and_the_server_goes_on() {
    let place = Place::new();
    let (mut fiz, sleeper) = busy(&place);
    fiz.line(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#);
    wait_until("the children end", || alive(&sleeper).is_empty());
    fiz.call("write", &json!({"path": "a", "content": "x"})).ok();
    assert!(fiz.call("bash", &json!({"command": "cat a"})).ok().contains('x'));
    assert!(!place.log().iter().any(|s| s["about"].as_str().unwrap().contains(&sleeper)));
}

#[test]
fn a_withdrawn_call_is_done_and_answered_or_neither() {
    let place = Place::new();
    let mut fiz = place.serve("fiz", "trust");
    fiz.call("bash", &json!({"command": "true"})).ok();
    let (mut asked, mut ids) = (Vec::new(), std::collections::BTreeSet::new());
    for n in 0..240_u64 {
        let path = format!("f{n}");
        // Within the time that each takes, and a little after it.
        let (id, wait) = match n % 4 {
            0 => {
                let command = format!("echo x > {path}");
                (fiz.begin("bash", &json!({"command": command})), n * 200)
            }
            _ => (fiz.begin("write", &json!({"path": path, "content": "x"})), n * 10),
        };
        std::thread::sleep(Duration::from_micros(wait));
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 0}});
        fiz.line(&cancel.to_string().replace("\"requestId\":0", &format!("\"requestId\":{id}")));
        asked.push((id, path));
    }
    for message in fiz.drain(Duration::from_secs(2)) {
        assert_ne!(message["result"]["isError"], true, "{message}");
        ids.extend(message.get("result").map(|_| message["id"].to_string()));
    }
    let answered = |id: &String| ids.contains(id);
    let count = asked.iter().filter(|(id, _)| answered(id)).count();
    assert!((10..230).contains(&count), "{count} of 240 were answered: nothing was tried");
    for (id, path) in &asked {
        assert_eq!(place.has(path), answered(id), "{path}, request {id}");
    }
    let log = place.log();
    assert_eq!(log.len(), count, "each that was answered is in the journal");
}

#[test]
fn calls_that_run_programs_leave_no_process_and_no_descriptor() {
    let place = Place::new();
    system(&["git", "init", "-q", place.root().to_str().unwrap()]);
    let mut floyd = place.serve("floyd", "trust");
    let pid = floyd.pid();
    let of = |name: &str| std::fs::read_dir(format!("/proc/{pid}/{name}")).unwrap().count();
    let children = || {
        let list = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("children"));
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
        tasks
            .filter_map(|task| list(task).ok())
            .map(|l| l.split_whitespace().count())
            .sum::<usize>()
    };
    let mut look = || assert!(floyd.call("git_status", &json!({})).ok().contains("branch"));
    look();
    wait_until("the first is let go of", || children() == 0);
    let before = of("fd");
    for _ in 0..20 {
        look();
    }
    wait_until("all are let go of", || children() == 0 && of("fd") <= before);
}
