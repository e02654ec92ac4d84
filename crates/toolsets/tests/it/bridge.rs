//! The bridge to extensions: both builds of FloydChrome as they were recorded, pages that try to
//! connect, a second server, and our own extension in a real Chromium.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fault::Code;
use toolkit::Policy;
use toolkit::browser::{Extensions, token};
use toolkit::files::State;
use toolkit::serde_json::{self, Value, json};
use toolkit::testing::run;
use tungstenite::client::IntoClientRequest as _;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

use crate::browser::{ORDER, Place, fill_in, note, place_with, site};
use crate::open;

pub(crate) const OURS: &str = "chrome-extension://ehaajhaaomdcbkecpjoomcmlhhlibljb";
pub(crate) const FLOYD: &str = "chrome-extension://cgoejdaeihcgfbdghpcaifocloaoofpj";

pub(crate) type Socket = WebSocket<MaybeTlsStream<TcpStream>>;

pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A session that waits for extensions at this port, with the state of another for the token.
pub(crate) fn place(port: u16, state: Option<State>) -> Place {
    let place = place_with(&[], |settings| {
        settings.browser.extension = Some(Extensions {
            url: format!("ws://localhost:{port}"),
            most_attempts: 3,
            interval: Duration::from_millis(100),
            ids: Vec::new(),
            state: state.unwrap_or_else(|| settings.state.clone()),
        });
    });
    place.at.project.await_extensions();
    place
}

pub(crate) fn connect(port: u16, origin: Option<&str>) -> Result<Socket, tungstenite::Error> {
    let began = Instant::now();
    loop {
        let mut request = format!("ws://127.0.0.1:{port}/").into_client_request().unwrap();
        if let Some(origin) = origin {
            request.headers_mut().insert("Origin", origin.parse().unwrap());
        }
        match tungstenite::connect(request) {
            Err(tungstenite::Error::Io(_) | tungstenite::Error::Url(_))
                if began.elapsed() < Duration::from_secs(10) =>
            {
                std::thread::sleep(Duration::from_millis(20));
            }
            other => return other.map(|(socket, _)| socket),
        }
    }
}

pub(crate) fn send<S: Read + Write>(socket: &mut WebSocket<S>, message: &Value) {
    socket.send(Message::text(message.to_string())).unwrap();
}

pub(crate) fn next<S: Read + Write>(socket: &mut WebSocket<S>) -> Option<Value> {
    loop {
        match socket.read() {
            Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
            Ok(Message::Close(_)) | Err(_) => return None,
            Ok(_) => {}
        }
    }
}

/// What the status says once it says this much.
pub(crate) fn status(place: &Place, wanted: &str) -> Value {
    let began = Instant::now();
    loop {
        let status = place.ok("browser_status", json!({}));
        if status["message"].as_str().unwrap().contains(wanted) {
            return status;
        }
        // The alarm that wakes the worker of an extension rings twice a minute.
        assert!(began.elapsed() < Duration::from_secs(70), "{wanted}: {status}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The build of FloydChrome that is loaded unpacked, as it was recorded: it says what it can do,
/// answers no `initialize`, and only calls of tools.
pub(crate) fn floyd_chrome(port: u16, calls: &Arc<AtomicUsize>) {
    let mut socket = connect(port, Some(FLOYD)).unwrap();
    let tools = json!([
        "browser_navigate",
        "browser_read_page",
        "get_page_text",
        "find",
        "browser_click",
        "browser_type",
        "tabs_create",
        "browser_get_tabs"
    ]);
    send(
        &mut socket,
        &json!({"jsonrpc": "2.0", "method": "initialized",
        "params": {"protocolVersion": "2024-11-05", "capabilities": {"tools": tools}}}),
    );
    let calls = Arc::clone(calls);
    std::thread::spawn(move || {
        let mut url = "chrome://newtab/".to_owned();
        while let Some(message) = next(&mut socket) {
            if message["method"] != "tools/call" {
                continue;
            }
            let id = message["id"].clone();
            assert!(message["jsonrpc"] == "2.0" && id.as_u64().unwrap() > 0, "{message}");
            let (name, given) = (&message["params"]["name"], &message["params"]["arguments"]);
            if name != "browser_get_tabs" {
                calls.fetch_add(1, Ordering::SeqCst);
            }
            let mut answer = match done(name.as_str().unwrap(), given, &mut url) {
                Ok(result) => {
                    let text = result.to_string();
                    json!({"result": {"content": [{"type": "text", "text": text}]}})
                }
                Err((code, message, data)) => {
                    json!({"error": {"code": code, "message": message, "data": data}})
                }
            };
            (answer["jsonrpc"], answer["id"]) = ("2.0".into(), id);
            send(&mut socket, &answer);
        }
    });
}

/// What a tool of that build gives, or how it fails.
fn done(
    name: &str,
    given: &Value,
    url: &mut String,
) -> Result<Value, (i32, &'static str, &'static str)> {
    Ok(match name {
        "browser_navigate" => {
            *url = given["url"].as_str().unwrap().to_owned();
            json!({"success": true, "tabId": 7, "url": url})
        }
        "browser_get_tabs" => json!({"success": true, "tabs": [
            {"id": 7, "url": url, "title": "Shop", "active": true, "windowId": 1}]}),
        "browser_click" if given["selector"] == "#buy" => {
            json!({"success": true, "tabId": 7, "coordinates": {"x": 0, "y": 4.5}})
        }
        "browser_type" if given["text"] == "override" => {
            return Err((-32000, "Safety check failed", "suspicious words"));
        }
        "browser_type" => json!({"success": true, "tabId": 7, "text": given["text"], "length": 3}),
        "browser_read_page" => json!({"success": true, "tabId": 7,
            "accessibilityTree": {"nodes": nodes()},
            "domStructure": {"nodes": [{"nodeName": "BUTTON", "backendNodeId": 12,
                "attributes": ["id", "buy", "class", "x"]}]}}),
        _ => return Err((-32603, "Internal error", "Element not found")),
    })
}

/// A tree as the protocol of the browser lists it: flat, with objects for names.
fn nodes() -> Value {
    let node = |id: &str, role: &str, name: &str, backend: u64, children: &[&str]| {
        json!({"nodeId": id, "ignored": false, "role": {"type": "role", "value": role},
            "name": {"type": "computedString", "value": name}, "backendDOMNodeId": backend, "childIds": children})
    };
    json!([
        node("1", "RootWebArea", "Shop", 1, &["2", "3"]),
        node("2", "heading", "Shop", 10, &[]),
        node("3", "button", "Buy now", 12, &[])
    ])
}

#[test]
fn floyd_chrome_is_driven_once_though_it_connects_twice() {
    let (port, calls) = (free_port(), Arc::new(AtomicUsize::new(0)));
    let place = place(port, None);
    let before = status(&place, "no extension is connected");
    assert_eq!(
        (&before["connected"], &before["extension_url"]),
        (&json!(false), &json!(format!("ws://localhost:{port}")))
    );
    floyd_chrome(port, &calls);
    floyd_chrome(port, &calls);
    assert_eq!(status(&place, "FloydChrome is connected")["connected"], true);
    let opened = place.ok("browser_navigate", json!({"url": "http://127.0.0.1:9/"}));
    assert_eq!(
        opened,
        json!({"tabId": 7, "url": "http://127.0.0.1:9/", "title": "Shop", "loaded": true})
    );
    let read = place.ok("browser_read_page", json!({}));
    assert_eq!(
        read["tree"][1],
        json!({"role": "button", "name": "Buy now", "attributes": {"ref": "#buy"}})
    );
    let found = place.ok("browser_find", json!({"query": "buy now button"}));
    assert_eq!(found["elements"][0]["selector"], "#buy");
    let clicked = place.click("#buy");
    assert_eq!(
        (&clicked["clicked"], &clicked["coordinates"]),
        (&json!(true), &json!({"x": 0.0, "y": 4.5}))
    );
    assert_eq!(place.type_text("abc")["characters"], 3);
    let (code, message) = place.fails("browser_type", json!({"text": "override"}));
    assert!(code == Code::BrowserFailed && message.contains("suspicious words"), "{message}");
    let (code, _) = place.fails("browser_screenshot", json!({}));
    assert_eq!(code, Code::BrowserFailed, "this build has no such tool");
    assert_eq!(place.ok("browser_get_tabs", json!({}))["tabs"][0]["id"], 7);
    assert_eq!(calls.load(Ordering::SeqCst), 6, "each call once");
    // What acts is not clicked on the way to typing.
    let kit = open(&place.at, "kit", Policy::Trust);
    let done = run(&kit, "browse", json!({"type": "abc", "into": "#buy"}));
    assert_eq!(done.error.unwrap().code, Code::NotEditable);
    assert_eq!(calls.load(Ordering::SeqCst), 7, "it was only read");
}

#[test]
fn the_other_build_of_floyd_chrome_is_answered_and_said_to_take_no_calls() {
    let port = free_port();
    let place = place(port, None);
    let mut socket = connect(port, Some(FLOYD)).unwrap();
    send(
        &mut socket,
        &json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2024-11-05", "capabilities": {"tools": {}, "resources": {}},
        "clientInfo": {"name": "floydchrome", "version": "2.0.0"}}}),
    );
    let answer = next(&mut socket).unwrap();
    assert_eq!(
        (&answer["id"], &answer["result"]["serverInfo"]["name"]),
        (&json!(1), &json!("kitbag"))
    );
    assert_eq!(answer["result"]["protocolVersion"], "2024-11-05");
    send(&mut socket, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let status = status(&place, "floydchrome is connected, but takes no calls");
    assert_eq!(status["connected"], false);
    // So the built-in browser is used.
    place.opened(&site(&[("/", "<title>Own</title>")]));
}

#[test]
fn pages_and_programs_without_the_token_are_refused() {
    let port = free_port();
    let place = place(port, None);
    for origin in [
        "http://127.0.0.1",
        "https://evil.example",
        "null",
        "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    ] {
        let Err(tungstenite::Error::Http(answer)) = connect(port, Some(origin)) else {
            panic!("{origin} got in")
        };
        assert_eq!(answer.status(), 403, "{origin}");
    }
    let token = token(&State::new(place.at.state(""))).unwrap();
    for message in [
        json!({"method": "kitbag/join", "params": {"token": token, "proof": token}}),
        json!({"method": "initialized", "params": {"token": token, "proof": token}}),
        json!({"method": "initialized", "params": {"capabilities": {"tools": ["navigate"]}}}),
        json!({"id": 1, "method": "tools/call", "params": {"name": "navigate"}}),
    ] {
        for origin in [None, Some(OURS)] {
            let mut nobody = connect(port, origin).unwrap();
            send(&mut nobody, &message);
            assert_eq!(next(&mut nobody), None, "{message}");
        }
    }
    // A page in the browser that we drive ourselves, though it may reach the port.
    let page = format!(
        "<title>?</title><script>const s = new WebSocket('ws://127.0.0.1:{port}');\
        s.onopen = () => document.title = 'in'; s.onclose = () => document.title = 'refused';</script>"
    );
    let pages: &[(&str, &str)] = vec![("/", &*page.leak())].leak();
    place.opened(&site(pages));
    let began = Instant::now();
    loop {
        let title = place.ok("browser_read_page", json!({}))["title"].clone();
        if title == "refused" {
            break;
        }
        assert!(title == "?" && began.elapsed() < Duration::from_secs(10), "{title}");
    }
    assert_eq!(place.ok("browser_status", json!({}))["connected"], false);
}

#[test]
fn a_second_server_reaches_the_extension_through_the_first() {
    let (port, calls) = (free_port(), Arc::new(AtomicUsize::new(0)));
    let first = place(port, None);
    status(&first, "no extension is connected");
    let second = place(port, Some(State::new(first.at.state(""))));
    floyd_chrome(port, &calls);
    for place in [&first, &second] {
        status(place, "FloydChrome is connected");
        let opened = place.ok("browser_navigate", json!({"url": "http://127.0.0.1:9/x"}));
        assert_eq!(opened["tabId"], 7);
    }
    assert_eq!(calls.load(Ordering::SeqCst), 2);
    // When the first ends, the second listens.
    drop(first);
    floyd_chrome(port, &calls);
    status(&second, "FloydChrome is connected");
    assert_eq!(second.ok("browser_navigate", json!({"url": "http://127.0.0.1:9/y"}))["tabId"], 7);
}

/// A browser of a person, with our extension: a Chromium that the test drives by pipes of its own.
pub(crate) mod person {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

    use super::{Value, json, serde_json};

    pub(crate) struct Chromium {
        child: Child,
        input: ChildStdin,
        output: BufReader<ChildStdout>,
        next: u64,
        _profile: tempfile::TempDir,
    }

    impl Chromium {
        pub(crate) fn start() -> Self {
            let profile = tempfile::tempdir().unwrap();
            let script = "exec chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage \
                --remote-debugging-pipe --enable-unsafe-extension-debugging --no-first-run \
                --user-data-dir=\"$0\" about:blank 3<&0 4>&1 </dev/null >/dev/null 2>&1";
            let mut child = Command::new("sh")
                .args(["-c", script, profile.path().to_str().unwrap()])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
            Self { child, input, output: BufReader::new(output), next: 0, _profile: profile }
        }

        pub(crate) fn call(&mut self, session: Option<&str>, method: &str, params: Value) -> Value {
            self.next += 1;
            let mut message = json!({"id": self.next, "method": method, "params": params});
            if let Some(session) = session {
                message["sessionId"] = session.into();
            }
            self.input.write_all(format!("{message}\0").as_bytes()).unwrap();
            loop {
                let mut text = Vec::new();
                assert!(self.output.read_until(0, &mut text).unwrap() > 0, "Chromium ended");
                text.pop();
                let answer: Value = serde_json::from_slice(&text).unwrap();
                if answer["id"] == self.next {
                    assert!(answer["error"].is_null(), "{method}: {answer}");
                    return answer["result"].clone();
                }
            }
        }

        /// Loads the extension and gives the session of its worker.
        pub(crate) fn load(&mut self) -> String {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../extension");
            let id =
                self.call(None, "Extensions.loadUnpacked", json!({"path": path}))["id"].clone();
            assert_eq!(id, "ehaajhaaomdcbkecpjoomcmlhhlibljb", "the id follows from the key");
            let worker = self.worker();
            while self.run(&worker, "typeof kitbag") != "object" {}
            worker
        }

        fn target(&mut self) -> Value {
            loop {
                let all = self.call(None, "Target.getTargets", json!({}));
                let mut all = all["targetInfos"].as_array().unwrap().iter();
                if let Some(worker) = all.find(|one| one["type"] == "service_worker") {
                    return worker["targetId"].clone();
                }
            }
        }

        fn worker(&mut self) -> String {
            let attach = json!({"targetId": self.target(), "flatten": true});
            let session = self.call(None, "Target.attachToTarget", attach);
            session["sessionId"].as_str().unwrap().to_owned()
        }

        pub(crate) fn end_worker(&mut self) {
            let target = self.target();
            self.call(None, "Target.closeTarget", json!({"targetId": target}));
        }

        /// What a script in the worker gives.
        pub(crate) fn run(&mut self, worker: &str, script: &str) -> Value {
            let params = json!({"expression": script, "awaitPromise": true, "returnByValue": true});
            let answer = self.call(Some(worker), "Runtime.evaluate", params);
            assert!(answer["exceptionDetails"].is_null(), "{script}: {answer}");
            answer["result"]["value"].clone()
        }
    }

    impl Drop for Chromium {
        fn drop(&mut self) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Pairs the extension with the place and waits until it is connected.
pub(crate) fn pair(chromium: &mut person::Chromium, worker: &str, place: &Place, port: u16) {
    let token = token(&State::new(place.at.state(""))).unwrap();
    chromium.run(worker, &format!("kitbag.pair({{token: '{token}', port: {port}}})"));
    status(place, "Kitbag's extension is connected");
}

#[test]
fn our_extension_fills_in_the_form_in_the_persons_browser() {
    let port = free_port();
    let mut chromium = person::Chromium::start();
    let worker = chromium.load();
    let place = place(port, None);
    pair(&mut chromium, &worker, &place, port);
    fill_in(&place, &site(ORDER));
    let tabs = place.ok("browser_get_tabs", json!({}));
    assert_eq!(
        tabs["tabs"].as_array().unwrap().len(),
        1,
        "the person's own tab is not shared: {tabs}"
    );
    let number = tabs["tabs"][0]["id"].as_u64().unwrap();
    let badge = "chrome.tabs.query({}).then(all => Promise.all(all.map(t => chrome.action.getBadgeText({tabId: t.id}))))";
    assert_eq!(chromium.run(&worker, badge), json!(["", "USED"]));
    let (done, body) = place.call("browser_screenshot", json!({}));
    assert!(done.pictures.len() == 1 && body["data"]["width"].as_u64().unwrap() > 300, "{body}");
    let made = place.ok("browser_create_tab", json!({}));
    assert_eq!(made["created"], true);
    // What the person shares can be used, and taken back.
    let page = site(&[("/", "<title>Shared</title><button>B</button>")]);
    let shared = format!(
        "chrome.tabs.create({{url: '{page}/'}}).then(async t => {{ await kitbag.share({{tab: t.id}}); return t.id; }})"
    );
    let tab = chromium.run(&worker, &shared);
    let began = Instant::now();
    let shared = loop {
        let tabs = place.ok("browser_get_tabs", json!({}));
        let found = tabs["tabs"].as_array().unwrap().iter().find(|tab| tab["title"] == "Shared");
        if let Some(found) = found {
            break found["id"].clone();
        }
        assert!(began.elapsed() < Duration::from_secs(10), "{tabs}");
    };
    let read = place.ok("browser_read_page", json!({"tabId": shared}));
    assert_eq!(read["title"], "Shared");
    chromium.run(&worker, &format!("kitbag.unshare({{tab: {tab}}})"));
    let began = Instant::now();
    while place.call("browser_read_page", json!({"tabId": shared})).0.error.is_none() {
        assert!(began.elapsed() < Duration::from_secs(10));
    }
    assert_eq!(place.fails("browser_read_page", json!({"tabId": shared})).0, Code::TabNotFound);
    // The stop button takes back all.
    chromium.run(&worker, "kitbag.stop()");
    let began = Instant::now();
    while !place.ok("browser_get_tabs", json!({}))["tabs"].as_array().unwrap().is_empty() {
        assert!(began.elapsed() < Duration::from_secs(10));
    }
    assert_eq!(place.fails("browser_read_page", json!({"tabId": number})).0, Code::TabNotFound);
}

#[test]
fn our_extension_comes_back_whichever_side_goes() {
    let port = free_port();
    let mut chromium = person::Chromium::start();
    let worker = chromium.load();
    let page = site(&[("/", "<title>Still</title><button id=b>B</button>")]);
    let first = place(port, None);
    pair(&mut chromium, &worker, &first, port);
    let state = State::new(first.at.state(""));
    let opened = first.opened(&page);
    // The worker ends, as when it sleeps, and its alarm wakes it.
    chromium.end_worker();
    status(&first, "no extension is connected");
    status(&first, "Kitbag's extension is connected");
    let read = first.ok("browser_read_page", json!({"tabId": opened["tabId"]}));
    assert_eq!(read["title"], "Still");
    // The server ends, with the tabs it opened; another starts later.
    let token_of_first = token(&state).unwrap();
    drop(first);
    let second = place_with(&[], |settings| {
        let folder = settings.state.folder("").unwrap();
        std::fs::write(folder.join("extension-token"), &token_of_first).unwrap();
        settings.browser.extension = Some(Extensions {
            url: format!("ws://localhost:{port}"),
            most_attempts: 3,
            interval: Duration::from_millis(100),
            ids: Vec::new(),
            state: settings.state.clone(),
        });
    });
    status(&second, "Kitbag's extension is connected");
    assert_eq!(second.opened(&page)["title"], "Still");
    assert_eq!(note(&second.click("#b")), "nothing visibly happened");
}
