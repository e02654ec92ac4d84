//! The browser of a server: how it comes, how it goes, and how a host gets its pictures.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Server;
use crate::place::{Place, is_root, skipped, wait_until};

/// A server of one page on this machine.
fn site() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let page = "<title>Here</title><button>Press</button>";
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close";
            let _ = write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{page}", page.len());
        }
    });
    port
}

fn command(place: &Place, port: u16, more: &[&str]) -> Command {
    let allow = format!("127.0.0.1:{port}");
    let flags = [&["--web-allow", &allow], more].concat();
    place.server("floyd", "trust", &flags)
}

fn open(server: &mut Server, port: u16) -> Value {
    let answer =
        server.call("browser_navigate", &json!({"url": format!("http://127.0.0.1:{port}/")}));
    let body = answer.0["result"]["structuredContent"].clone();
    assert_eq!(body["data"]["title"], "Here", "{answer:?}");
    body
}

/// The browsers that have this state directory's mark: scratch directories are of the server.
fn browsers(of: u32) -> Vec<String> {
    let children = |pid: &str| -> Vec<String> {
        let mut all = Vec::new();
        for task in std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
            let text = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            all.extend(text.split_ascii_whitespace().map(str::to_owned));
        }
        all
    };
    let (mut open, mut found) = (vec![of.to_string()], Vec::new());
    while let Some(pid) = open.pop() {
        let line = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        if line.contains("--remote-debugging-pipe") || line.contains("--type=") {
            found.push(pid.clone());
        }
        open.extend(children(&pid));
    }
    found
}

fn alive(pid: &String) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}

#[test]
fn no_browser_outlives_its_server() {
    let port = site();
    for signal in ["-KILL", "-TERM"] {
        let place = Place::new();
        let mut server = Server::start(command(&place, port, &[]), false);
        open(&mut server, port);
        let all = browsers(server.pid());
        assert!(all.len() > 2, "{all:?}");
        server.signal(signal);
        server.ended(Duration::from_secs(20)).unwrap_or_else(|| panic!("{signal}: it goes on"));
        wait_until(signal, || !all.iter().any(alive));
    }
}

#[test]
fn a_host_gets_a_picture_as_one_and_no_structure_that_would_hide_it() {
    let port = site();
    let place = Place::new();
    let mut server = Server::start(command(&place, port, &[]), false);
    open(&mut server, port);
    let answer = server.call("browser_screenshot", &json!({}));
    let result = &answer.0["result"];
    assert_eq!(result["content"][1]["type"], "image", "{answer:?}");
    assert_eq!(result["content"][1]["mimeType"], "image/png");
    assert!(result["content"][1]["data"].as_str().unwrap().starts_with("iVBORw0KGgo"));
    assert!(result["content"][0]["text"].as_str().unwrap().contains("the picture is beside"));
    assert_eq!(result["structuredContent"], Value::Null);
    let id = server.send("tools/list", &json!({}));
    let listed = server.wait(&id);
    let tools = listed["result"]["tools"].as_array().unwrap();
    let shot = tools.iter().find(|tool| tool["name"] == "browser_screenshot").unwrap();
    assert_eq!(shot["outputSchema"], Value::Null);
}

#[test]
fn an_ordinary_user_has_a_browser_too() {
    if !is_root() {
        return skipped("the other tests are by an ordinary user");
    }
    let port = site();
    let place = Place::new();
    let Some(command) = place.unprivileged(command(&place, port, &[])) else { return };
    open(&mut Server::start(command, false), port);
    let place = Place::new();
    let landlock = self::command(&place, port, &["--sandbox", "landlock"]);
    let Some(landlock) = place.unprivileged(landlock) else { return };
    open(&mut Server::start(landlock, false), port);
}

#[test]
fn as_root_no_browser_runs_unprotected() {
    if !is_root() {
        return skipped("it is about root");
    }
    let port = site();
    let place = Place::new();
    let mut server = Server::start(command(&place, port, &["--sandbox", "off"]), false);
    let url = format!("http://127.0.0.1:{port}/");
    let answer = server.call("browser_navigate", &json!({"url": url}));
    let body = &answer.0["result"]["structuredContent"];
    assert_eq!(body["error"]["code"], "BROWSER_EXTENSION_UNAVAILABLE", "{answer:?}");
    assert!(body["error"]["message"].as_str().unwrap().contains("as root without a sandbox"));
}
