//! The web tools of Stack through the whole call: steps, policy, what is left when they fail.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fault::Code;
use files::journal::Direction;
use toolkit::serde_json::{Value, json};
use toolkit::testing::{self, block_on, run};
use toolkit::web::{self, Backend};
use toolkit::{Answer, Asking, Body, Call, Done, Outcome, Policy, Question, Session, call};

struct Place {
    at: testing::Place,
    session: Arc<Session>,
}

/// A session that may reach the servers of this machine by number.
fn place(policy: Policy, web: web::Settings) -> Place {
    let at = crate::place(&[], |settings| settings.web = web);
    let session = crate::open(&at, "stack", policy);
    Place { at, session }
}

fn open() -> web::Settings {
    web::Settings { allow: vec!["127.0.0.1".to_owned()], ..web::Settings::default() }
}

impl Place {
    fn call(&self, tool: &str, input: Value) -> Done {
        run(&self.session, tool, input)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.at.path(name)
    }

    /// What is in the root, and what is kept of unfinished downloads.
    fn left(&self) -> (Vec<String>, usize) {
        let names = |dir: &Path| -> Vec<String> {
            let entries = fs::read_dir(dir).into_iter().flatten().flatten();
            entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect()
        };
        let mut root = names(&self.at.root());
        root.sort();
        (root, names(&self.at.state("partial")).len())
    }
}

/// The code and the fields of a result.
fn told(outcome: &Done) -> (Option<Code>, Value) {
    let Body::Json(fields) = &outcome.body else { panic!("{:?}", outcome.body) };
    (outcome.error.as_ref().map(|e| e.code), fields.clone())
}

/// A server; `answer` gets the first line and the headers.
fn serve(answer: impl Fn(&str, &str) -> Vec<u8> + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            std::thread::spawn(move || {
                let head = head(&stream);
                let (first, rest) = head.split_once('\n').unwrap_or((&head, ""));
                let _ = stream.write_all(&answer(first, rest)); // the client may be gone
            });
        }
    });
    format!("http://127.0.0.1:{port}")
}

fn head(stream: &TcpStream) -> String {
    let lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

fn ok(headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

#[test]
fn a_download_can_be_undone_and_redone() {
    let site = serve(|_, _| ok("", b"new\0bytes"));
    let place = place(Policy::Trust, open());
    fs::write(place.path("a.bin"), b"old").unwrap();
    let outcome = place.call("download", json!({"url": site, "destination": "a.bin"}));
    assert_eq!(
        told(&outcome),
        (None, json!({"success": true, "url": site, "destination": "a.bin", "size": 9}))
    );
    let read = || fs::read(place.path("a.bin")).unwrap();
    assert_eq!(read(), b"new\0bytes");
    let turn =
        |direction| place.at.project.journal().turn(place.session.workspace(), direction, None);
    turn(Direction::Undo).unwrap();
    assert_eq!(read(), b"old");
    turn(Direction::Redo).unwrap();
    assert_eq!(read(), b"new\0bytes");
    assert_eq!(place.left(), (vec!["a.bin".to_owned()], 0));
}

#[test]
fn a_download_larger_than_what_is_read_can_be_undone_and_redone() {
    let body: Vec<u8> = (0..70_u64 << 20).map(|n| ((n * n) >> 7) as u8).collect();
    let sent = body.clone();
    let site = serve(move |_, _| ok("", &sent));
    let place = place(Policy::Trust, open());
    let outcome = place.call("download", json!({"url": site, "destination": "new/large"}));
    assert_eq!(outcome.error, None);
    let turn =
        |direction| place.at.project.journal().turn(place.session.workspace(), direction, None);
    turn(Direction::Undo).unwrap();
    assert_eq!(place.left(), (vec![], 0));
    turn(Direction::Redo).unwrap();
    assert!(fs::read(place.path("new/large")).unwrap() == body);
}

#[test]
fn a_download_that_fails_leaves_the_old_file_and_goes_on_the_next_time() {
    let broken = Arc::new(AtomicBool::new(true));
    let flag = Arc::clone(&broken);
    let body: Vec<u8> = (0..500_000_u32).map(|n| n as u8).collect();
    let all = body.clone();
    let site = serve(move |_, head| {
        let tag = "ETag: \"v1\"\r\n";
        let from = head.lines().find_map(|l| l.strip_prefix("range: bytes=")?.strip_suffix('-'));
        if let Some(from) = from.and_then(|from| from.parse::<usize>().ok()) {
            let (last, length) = (all.len() - 1, all.len());
            let span = format!("{tag}Content-Range: bytes {from}-{last}/{length}\r\n");
            let answer = ok(&span, &all[from..]);
            return [b"HTTP/1.1 206 Partial Content", &answer[15..]].concat();
        }
        let mut answer = ok(tag, &all);
        if flag.load(Ordering::Relaxed) {
            answer.truncate(400_000);
        }
        answer
    });
    let place = place(Policy::Trust, open());
    fs::write(place.path("a"), "old").unwrap();
    let input = json!({"url": site, "destination": "a"});
    let outcome = place.call("download", input.clone());
    let (code, fields) = told(&outcome);
    assert_eq!((code, outcome.step), (Some(Code::NetworkError), None));
    assert!(fields["error"].as_str().unwrap().contains("are kept"), "{fields}");
    assert_eq!(fs::read(place.path("a")).unwrap(), b"old");
    assert_eq!(place.left(), (vec!["a".to_owned()], 2), "the part and its version");
    broken.store(false, Ordering::Relaxed);
    let (code, fields) = told(&place.call("download", input));
    assert_eq!((code, &fields["size"]), (None, &json!(500_000)));
    assert!(fields["note"].as_str().unwrap().contains("from the last time"), "{fields}");
    assert_eq!(fs::read(place.path("a")).unwrap(), body);
    assert_eq!(place.left().1, 0);
}

#[test]
fn where_nothing_may_be_written_nothing_is_asked_for() {
    let asked = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&asked);
    let site = serve(move |_, _| {
        flag.store(true, Ordering::Relaxed);
        ok("", b"x")
    });
    let place = place(Policy::Trust, open());
    fs::create_dir(place.path("directory")).unwrap();
    fs::create_dir(place.path(".git")).unwrap();
    for (to, code) in [
        ("../out", Code::PathOutsideWorkspace),
        ("/etc/passwd", Code::PathOutsideWorkspace),
        ("directory", Code::IsDirectory),
        ("directory/", Code::IsDirectory),
        (".git/hooks/pre-commit", Code::ProtectedPath),
        ("", Code::InvalidInput),
    ] {
        for tool in ["download", "screenshot"] {
            let outcome = place.call(tool, json!({"url": site, "destination": to}));
            assert_eq!(told(&outcome).0, Some(code), "{tool} {to}");
        }
    }
    assert!(!asked.load(Ordering::Relaxed));
    assert_eq!(place.left().1, 0);
}

fn asks(outcome: Outcome) -> Question {
    match outcome {
        Outcome::Asks(question) => question,
        Outcome::Done(done) => panic!("not asked: {done:?}"),
    }
}

#[test]
fn reaching_out_is_asked_about_once_also_where_what_can_be_undone_is_not() {
    let site = serve(|_, _| ok("Content-Type: text/plain\r\n", b"hello"));
    for policy in [Policy::Ask, Policy::Auto] {
        let place = place(policy, open());
        let fetch = json!({"url": site});
        let ask = |tool: &str, input: Value, asking| {
            block_on(call(&place.session, Call { asking, ..Call::new(tool, input) }))
        };
        let question = asks(ask("fetch", fetch.clone(), Asking::Return));
        assert_eq!(
            (question.shown.as_str(), question.reason.as_str()),
            (&*site, "it reaches out to the network")
        );
        assert!(question.wants.may_last());
        let yes = Asking::Answered(question.digest, Answer::YesForSession);
        assert_eq!(ask("fetch", fetch.clone(), yes).done().unwrap().error, None);
        assert!(ask("fetch", fetch, Asking::Return).done().is_ok(), "{policy:?}");
        let input = json!({"url": site, "destination": "a"});
        let question = asks(ask("download", input.clone(), Asking::Return));
        assert_eq!(question.shown, format!("{site}\nto a"));
        assert_eq!(place.left(), (vec![], 0), "nothing is tried beforehand");
        let yes = Asking::Answered(question.digest, Answer::Yes);
        assert_eq!(ask("download", input, yes).done().unwrap().error, None);
        assert_eq!(fs::read(place.path("a")).unwrap(), b"hello");
    }
    let place = place(Policy::ReadOnly, open());
    let outcome = place.call("fetch", json!({"url": site}));
    assert_eq!(told(&outcome).0, Some(Code::PermissionDenied));
}

#[test]
fn a_long_page_is_read_in_parts_that_fit_together() {
    let text: String = (0..30_000).map(|n| char::from_u32(0xe0 + n % 64).unwrap()).collect();
    let sent = text.clone();
    let site =
        serve(move |_, _| ok("Content-Type: text/plain; charset=utf-8\r\n", sent.as_bytes()));
    let place = place(Policy::Trust, open());
    let (mut whole, mut offset) = (String::new(), 0);
    loop {
        let (code, fields) = told(&place.call("fetch", json!({"url": site, "offset": offset})));
        assert_eq!((code, &fields["length"]), (None, &json!(30_000)));
        whole += fields["content"].as_str().unwrap();
        match fields["note"].as_str().unwrap().split("offset ").nth(1) {
            Some(next) => {
                let digits = next.split(|c: char| !c.is_ascii_digit()).next().unwrap();
                offset = digits.parse().unwrap();
            }
            None => break,
        }
    }
    assert_eq!(whole, text);
    let (code, _) = told(&place.call("fetch", json!({"url": site, "max_chars": 0})));
    assert_eq!(code, Some(Code::InvalidInput));
}

#[test]
fn without_an_engine_a_search_says_how_to_get_one() {
    let place = place(Policy::Trust, web::Settings::default());
    let (code, fields) = told(&place.call("web_search", json!({"query": "x"})));
    assert_eq!(code, Some(Code::NoSearchBackend));
    assert!(fields.get("results").is_none(), "nothing was searched: {fields}");
    assert!(fields["error"].as_str().unwrap().contains("--web-search"), "{fields}");
    let nobody =
        web::Settings { search: Some(Backend::Listed(vec![])), ..web::Settings::default() };
    let place = crate::web::place(Policy::Trust, nobody);
    for input in [
        json!({"query": " "}),
        json!({"query": "x", "count": 0}),
        json!({"query": "x", "count": 21}),
        json!({"query": "x", "freshness": "decade"}),
    ] {
        assert_eq!(told(&place.call("web_search", input)).0, Some(Code::InvalidInput));
    }
}

#[test]
fn a_picture_is_one_of_the_page_and_the_page_reaches_nothing_inside() {
    let secret = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&secret);
    let inner = serve(move |_, _| {
        flag.store(true, Ordering::Relaxed);
        ok("Content-Type: image/svg+xml\r\n", b"<svg xmlns='http://www.w3.org/2000/svg'/>")
    });
    let inner = inner.replace("127.0.0.1", "localhost");
    let page = format!(
        "<body style='background:#0f0'><h1>Hi</h1><img src='{inner}/secret'><script>fetch('{inner}/x')</script>"
    );
    let site = serve(move |first, _| match first.split(' ').nth(1) {
        Some("/page") => ok("Content-Type: text/html\r\n", page.as_bytes()),
        _ => {
            let answer = ok("Content-Type: text/html\r\n", b"<p>not here");
            [b"HTTP/1.1 404 Not Found", &answer[15..]].concat()
        }
    });
    let place = place(Policy::Trust, open());
    let url = format!("{site}/page");
    let outcome = place.call("screenshot", json!({"url": url, "destination": "shots/a.png"}));
    let (code, fields) = told(&outcome);
    assert_eq!(code, None, "{fields}");
    let png = fs::read(place.path("shots/a.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert_eq!(side(16), 1280);
    assert!(fields["note"].as_str().unwrap().contains("localhost:"), "{fields}");
    assert!(!secret.load(Ordering::Relaxed));
    fs::write(place.path("taken"), "a file").unwrap();
    let hindered = json!({"url": url, "destination": "taken/a.png"});
    let (code, fields) = told(&place.call("screenshot", hindered));
    assert!(code.is_some() && fields["success"] == false, "{fields}");
    let (code, fields) = told(&place.call("screenshot", json!({"url": site})));
    assert_eq!(code, None, "{fields}");
    assert!(fields["note"].as_str().unwrap().contains("the server answered 404"), "{fields}");
    assert!(place.path("screenshot.png").exists());
    place.at.project.journal().turn(place.session.workspace(), Direction::Undo, None).unwrap();
    assert!(!place.path("screenshot.png").exists());
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (code, _) = told(&place.call("screenshot", json!({"url": format!("http://{closed}/")})));
    assert_eq!(code, Some(Code::NavigationFailed));
    assert!(!place.path("screenshot.png").exists());
}

#[test]
fn without_a_browser_a_picture_says_how_to_get_one() {
    let site = serve(|_, _| ok("Content-Type: text/html\r\n", b"x"));
    let dir = tempfile::tempdir().unwrap();
    let at = crate::place(&[], |settings| {
        settings.programs.env = vec![("PATH".into(), dir.path().into())];
        settings.programs.programs = vec![dir.path().to_owned()];
        settings.web = open();
    });
    let session = crate::open(&at, "stack", Policy::Trust);
    let place = Place { at, session };
    if std::path::Path::new("/usr/bin/chromium").exists() {
        println!("SKIPPED: a browser is installed where Kitbag looks for its own programs");
    } else {
        let (code, fields) = told(&place.call("screenshot", json!({"url": site})));
        assert_eq!(code, Some(Code::BrowserUnavailable));
        assert!(fields["error"].as_str().unwrap().contains("install Chromium"), "{fields}");
    }
    // One that says it was done, and left nothing; one that left no picture.
    for script in [
        "#!/bin/sh\nexit 0\n",
        "#!/bin/sh\nfor a; do case $a in --screenshot=*) echo x > ${a#*=};; esac; done\n",
    ] {
        use std::os::unix::fs::PermissionsExt as _;
        let browser = dir.path().join("chromium");
        fs::write(&browser, script).unwrap();
        fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
        let (code, _) = told(&place.call("screenshot", json!({"url": site})));
        assert_eq!(code, Some(Code::BrowserFailed));
    }
    assert_eq!(place.left().0, Vec::<String>::new());
}
