//! The web tools of the real program: the addresses it may reach, and a kill in the middle of a
//! download.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;

use crate::place::{Place, wait_until};

const SIZE: usize = 1 << 20;

/// A server that gives a file slowly the first time, and the rest of it when asked for a part; the
/// heads of its requests.
fn slow_site() -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let seen = Arc::clone(&seen);
            std::thread::spawn(move || answer(stream, &seen));
        }
    });
    (port, asked)
}

fn body() -> Vec<u8> {
    (0..SIZE).map(|n| (n / 251) as u8).collect()
}

fn answer(mut stream: TcpStream, seen: &Mutex<Vec<String>>) -> Option<()> {
    let lines = BufReader::new(stream.try_clone().ok()?).lines().map_while(Result::ok);
    let head = lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    seen.lock().unwrap().push(head.clone());
    let body = body();
    let from = head.lines().find_map(|l| l.strip_prefix("range: bytes=")?.strip_suffix('-'));
    let tag = "ETag: \"v1\"\r\nConnection: close\r\n";
    if let Some(from) = from.and_then(|from| from.parse::<usize>().ok()) {
        let (last, rest) = (SIZE - 1, SIZE - from);
        let head = format!(
            "HTTP/1.1 206 Partial Content\r\n{tag}Content-Range: bytes {from}-{last}/{SIZE}\r\nContent-Length: {rest}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).ok()?;
        return stream.write_all(&body[from..]).ok();
    }
    stream
        .write_all(format!("HTTP/1.1 200 OK\r\n{tag}Content-Length: {SIZE}\r\n\r\n").as_bytes())
        .ok()?;
    for piece in body.chunks(SIZE / 64) {
        stream.write_all(piece).ok()?;
        std::thread::sleep(Duration::from_millis(200));
    }
    Some(())
}

#[test]
fn a_download_killed_half_way_leaves_no_half_file_and_goes_on() {
    let (port, asked) = slow_site();
    let place = Place::with(&[("a.bin", "old")]);
    let serve = || {
        let mut command = place.server("stack", "trust", &[]);
        command.env("KITBAG_WEB_ALLOW", format!("127.0.0.1:{port}"));
        crate::client::Server::start(command, false)
    };
    let input = json!({"url": format!("http://127.0.0.1:{port}/f"), "destination": "a.bin"});
    let mut stack = serve();
    stack.begin("download", &input);
    let partial = place.state().join("partial");
    let kept = || {
        let files = std::fs::read_dir(&partial).into_iter().flatten().flatten();
        files.map(|file| file.metadata().map_or(0, |m| m.len())).max().unwrap_or_default()
    };
    wait_until("the first part", || kept() > 50_000);
    stack.kill();
    assert_eq!(place.read("a.bin"), "old");
    let fields = serve().call("download", &input).fields();
    assert_eq!((&fields["success"], &fields["size"]), (&json!(true), &json!(SIZE)));
    assert!(place.bytes("a.bin") == body());
    let heads = asked.lock().unwrap().clone();
    assert!(heads.last().unwrap().contains("if-range: \"v1\""), "{heads:?}");
    assert_eq!(kept(), 0);
    place.ok(&["undo"]);
    assert_eq!(place.read("a.bin"), "old");
}

#[test]
fn the_operator_names_what_may_be_reached_and_who_searches() {
    let place = Place::new();
    let call = |more: &[&str], tool: &[&str]| {
        let start = ["call", "--toolset", "stack", "--policy", "trust"];
        place.run(&[&start, more, tool].concat())
    };
    let (port, _) = slow_site();
    let url = format!("url=http://127.0.0.1:{port}/");
    let refused = call(&[], &["check_url", &url]);
    assert!(refused.err.contains("--web-allow 127.0.0.1:"), "{refused:?}");
    let flag = format!("127.0.0.1:{port}");
    let reached = call(&["--web-allow", &flag], &["check_url", &url]);
    assert!(reached.out.contains("\"200\""), "{reached:?}");
    let none = call(&[], &["web_search", "query=x"]);
    assert!(none.err.contains("KITBAG_WEB_SEARCH"), "{none:?}");
    let unknown = call(&["--web-search", "altavista"], &["web_search", "query=x"]);
    assert!(unknown.err.contains("no search engine `altavista`"), "{unknown:?}");
    let keyless = call(&["--web-search", "brave"], &["web_search", "query=x"]);
    assert!(keyless.err.contains("KITBAG_BRAVE_KEY"), "{keyless:?}");
}
