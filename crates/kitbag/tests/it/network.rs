//! What programs reach of the network, and what they are told when it is not enough. All of it is
//! on this machine.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use serde_json::json;

use crate::client::Server;
use crate::place::{Place, Ran, skipped};

/// A server that answers every connection with these words, as HTTP.
fn site(words: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let length = words.len();
            let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{words}");
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    port
}

/// Whether programs have a network of their own here.
fn confined(place: &Place) -> bool {
    let alone = bash(place, "off", "grep -c : /proc/net/dev").out.lines().any(|line| line == "1");
    if !alone {
        skipped("namespaces are denied, so programs are in the network of the host");
    }
    alone
}

fn bash(place: &Place, network: &str, script: &str) -> Ran {
    let command = format!("command={script}");
    place.run(&["call", "bash", &command, "--policy", "trust", "--network", network])
}

/// What the proxy of a program answers to a request.
fn asks(request: &str) -> String {
    format!(
        "exec 3<>/dev/tcp/127.0.0.1/1023; printf '{request}\\r\\n\\r\\n' >&3; timeout 5 cat <&3"
    )
}

#[test]
fn programs_reach_the_hosts_that_are_named_and_no_others() {
    let place = Place::new();
    if !confined(&place) {
        return;
    }
    let (named, other) = (site("the one that is named"), site("another"));
    let network = format!("localhost:{named},*.example.invalid");
    let get = |port| asks(&format!("GET http://localhost:{port}/ HTTP/1.1"));
    let ran = bash(&place, &network, &get(named));
    assert!(ran.out.contains("the one that is named"), "{ran:?}");
    let tunnel = asks(&format!("CONNECT localhost:{named} HTTP/1.1\\r\\n\\r\\nGET / HTTP/1.1"));
    let ran = bash(&place, &network, &tunnel);
    assert!(ran.out.contains("the one that is named"), "{ran:?}");
    for refused in [
        get(other),
        asks(&format!("CONNECT 127.0.0.1:{other} HTTP/1.1")),
        asks(&format!("CONNECT 127.0.0.1:{named} HTTP/1.1")),
        asks("CONNECT 169.254.169.254:80 HTTP/1.1"),
        asks("CONNECT example.invalid:443 HTTP/1.1"),
        asks("CONNECT notexample.invalid:443 HTTP/1.1"),
    ] {
        let ran = bash(&place, &network, &refused);
        let said = ran.out.contains("403 Forbidden") && ran.out.contains("--network HOST");
        assert!(said && !ran.out.contains("another"), "{refused}: {ran:?}");
    }
    // A port of this machine that is named needs no proxy; one that is not is not there.
    let reads = |port| {
        format!(
            "exec 3<>/dev/tcp/127.0.0.1/{port} && printf 'GET / HTTP/1.1\\r\\n\\r\\n' >&3 && timeout 5 cat <&3"
        )
    };
    let ran = bash(&place, &network, &reads(named));
    assert!(ran.out.contains("the one that is named"), "{ran:?}");
    assert!(!bash(&place, &network, &reads(other)).out.contains("another"));
    assert!(!bash(&place, "off", &reads(named)).out.contains("named\n"));
    let ran = bash(&place, &network, "echo $HTTPS_PROXY $http_proxy $ALL_PROXY");
    assert_eq!(ran.out.matches("http://127.0.0.1:1023").count(), 3, "{ran:?}");
    assert_eq!(bash(&place, "off", "echo \"[$HTTPS_PROXY]\"").out.matches("[]").count(), 1);
}

#[test]
fn what_is_no_host_is_refused_before_anything_runs() {
    let place = Place::new();
    for wrong in
        ["http://a.example", "a.example/x", "a b", "*", "a.example:0", "a.example,", "*.:1"]
    {
        let ran = bash(&place, wrong, "touch ran");
        assert_eq!(ran.code, Some(2), "{wrong}: {ran:?}");
        assert!(ran.err.contains("is not a host"), "{wrong}: {ran:?}");
    }
    assert!(!place.has("ran"));
}

#[test]
fn the_ports_of_the_sessions_own_programs_are_the_sessions() {
    let place = Place::with(&[("page", "from the server of the session\n")]);
    if !confined(&place) {
        return;
    }
    let other = site("somebody else's");
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let server = place.server("stack", "trust", &["--network", "off"]);
    let mut server = Server::start(server, false);
    let ask = |port| {
        let get = "GET /page HTTP/1.0\\r\\n\\r\\n";
        json!({"command": format!("exec 3<>/dev/tcp/127.0.0.1/{port} && printf '{get}' >&3 && timeout 5 cat <&3")})
    };
    assert!(!server.call("run", &ask(port)).fields()["stdout"].to_string().contains("from the"));
    let command = format!("exec python3 -m http.server {port} --bind 127.0.0.1");
    let start = json!({"command": command, "port": port, "background": true});
    let fields = server.call("server", &start).fields();
    assert_eq!(fields["success"], true, "{fields}");
    for _ in 0..3 {
        let fields = server.call("run", &ask(port)).fields();
        let printed = fields["stdout"].as_str().unwrap();
        assert!(printed.contains("from the server of the session"), "{fields}");
    }
    let fields = server.call("run", &ask(other)).fields();
    assert!(!fields.to_string().contains("somebody"), "{fields}");
    // Nothing is served for programs that have ended.
    let tasks = format!("/proc/{}/task", server.pid());
    let names = std::fs::read_dir(tasks).unwrap().flatten().map(|task| task.path().join("comm"));
    let proxies = names.filter_map(|name| std::fs::read_to_string(name).ok());
    assert_eq!(proxies.filter(|name| name.trim() == "proxy").count(), 0);
}

#[test]
fn a_program_cannot_use_up_the_descriptors_of_the_server() {
    let place = Place::new();
    if !confined(&place) {
        return;
    }
    let port = site("still served");
    let script = "python3 -c '
import socket, resource
s = []
for _ in range(900):
    c = socket.socket(); c.setblocking(False)
    c.connect_ex((\"127.0.0.1\", 1023)); s.append(c)
import time; time.sleep(1)'; echo over";
    let (network, command) = (format!("localhost:{port}"), format!("command={script}"));
    let words = ["call", "bash", &command, "--policy", "trust", "--network", &network];
    let mut server = place.program(&words).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut most = 0;
    while server.try_wait().unwrap().is_none() {
        let open = std::fs::read_dir(format!("/proc/{}/fd", server.id()));
        most = most.max(open.map_or(0, Iterator::count));
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let ran = Ran::of(server.wait_with_output().unwrap());
    assert!(ran.out.contains("over\n"), "{ran:?}");
    assert!((200..400).contains(&most), "{most} descriptors for 900 connections");
}

#[test]
fn a_failure_by_the_sandbox_names_the_setting_that_would_allow_it() {
    let place = Place::new();
    if !confined(&place) {
        return;
    }
    // Not below `/tmp`, which programs have to themselves, nor in the build directory, which they
    // may use where the environment names it.
    let home = std::env::var_os("HOME").expect("a home");
    let outside = tempfile::Builder::new().prefix("kitbag-out-").tempdir_in(home).unwrap();
    let file = outside.path().join("data");
    std::fs::write(&file, "what was outside\n").unwrap();
    std::fs::write(outside.path().join(".secret"), "hidden\n").unwrap();
    let shown = file.display().to_string();

    let off = "programs have no network here; start with --network on, or --network HOST,…";
    for says in [
        "curl: (6) Could not resolve host: example.invalid",
        "Temporary failure in name resolution",
        "npm error code EAI_AGAIN",
        "connect: Network is unreachable",
        "getaddrinfo ENOTFOUND registry.example.invalid",
        "failed to lookup address information: x",
    ] {
        let ran = bash(&place, "off", &format!("echo '{says}' >&2; exit 1"));
        assert!(ran.err.contains(off), "{says}: {ran:?}");
        let ran = bash(&place, "off", &format!("echo '{says}' >&2; exit 0"));
        assert!(!ran.err.contains(off), "it succeeded: {ran:?}");
        let ran = bash(&place, "on", &format!("echo '{says}' >&2; exit 1"));
        assert!(!ran.err.contains(off), "it has the network: {ran:?}");
    }
    let real = "python3 -c 'import urllib.request as u; u.urlopen(\"http://example.invalid/\")'";
    assert!(bash(&place, "off", real).err.contains(off));

    let ran = bash(&place, "off", &format!("cat {shown}"));
    let hidden =
        format!("{shown} exists, but programs do not see it; --expose {shown}:ro shows it");
    assert!(ran.err.contains(&hidden), "{ran:?}");
    let expose = format!("{shown}:ro");
    let command = format!("command=cat {shown}");
    let words = ["call", "bash", &command, "--policy", "trust", "--expose", &expose];
    assert!(place.run(&words).out.contains("what was outside"), "the advice holds");
    for silent in ["cat /not/there/at/all", &format!("cat {}/.secret", outside.path().display())] {
        let ran = bash(&place, "off", silent);
        assert!(!ran.err.contains("--expose"), "{silent}: {ran:?}");
    }

    let written = "programs write only to ";
    if crate::place::is_root() {
        let ran = bash(&place, "off", "touch /usr/share/kitbag-was-here");
        assert!(ran.err.contains(written) && ran.err.contains("--expose /usr/share "), "{ran:?}");
        // As pyenv says it after `pip install`.
        let ran = bash(&place, "off", "echo \"pyenv: /usr/share isn't writable\" >&2; exit 1");
        assert!(ran.err.contains("--expose /usr/share allows this directory too"), "{ran:?}");
        // What was refused, and not who says so.
        for (line, advised) in [
            ("/usr/bin/tool: cannot write /not/there: Permission denied", ""),
            ("/usr/bin/tool: [Errno 13] Permission denied: /usr/share/x", "--expose /usr/share "),
        ] {
            let ran = bash(&place, "off", &format!("echo '{line}' >&2; exit 1"));
            assert_eq!(ran.err.contains("--expose"), !advised.is_empty(), "{line}: {ran:?}");
            assert!(ran.err.contains(advised), "{line}: {ran:?}");
        }
    }
    let directory = outside.path().display().to_string();
    let command = format!("command=touch {directory}/new");
    let expose = format!("{directory}:ro");
    let words = ["call", "bash", &command, "--policy", "trust", "--expose", &expose];
    let ran = place.run(&words);
    assert!(ran.err.contains(written), "{ran:?}");
    let words = ["call", "bash", &command, "--policy", "trust", "--expose", &directory];
    assert_eq!(place.run(&words).code, Some(0));
    assert!(outside.path().join("new").exists(), "the advice holds");

    // The tools of the other dialects say it too.
    let fail = json!({"command": "echo 'Could not resolve host: x' >&2; exit 1"});
    for (toolset, tool) in [("stack", "run"), ("floyd", "run")] {
        let command = place.server(toolset, "trust", &["--network", "off"]);
        let answer = Server::start(command, false).call(tool, &fail);
        assert!(answer.0.to_string().contains(off), "{toolset}: {}", answer.0);
    }
}

#[test]
fn connections_to_a_port_of_the_host_still_work_with_the_network_on() {
    let place = Place::new();
    let port = site("reached");
    assert!(TcpStream::connect(("127.0.0.1", port)).is_ok());
    let script = format!(
        "exec 3<>/dev/tcp/127.0.0.1/{port} && printf 'GET /\\r\\n\\r\\n' >&3 && timeout 5 cat <&3"
    );
    assert!(bash(&place, "on", &script).out.contains("reached"));
}
