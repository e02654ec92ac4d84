//! Who is at the other end of the bridge: programs that listen or connect and do not know the token,
//! and what they get to see and do.

use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

use fault::Code;
use sha2::{Digest as _, Sha256};
use toolkit::browser::token;
use toolkit::files::State;
use toolkit::serde_json::{Value, json};
use tungstenite::WebSocket;

use crate::bridge::{
    FLOYD, OURS, Socket, connect, floyd_chrome, free_port, next, pair, person, place, send, status,
};
use crate::browser::Place;

const NONCE: &str = "00112233445566778899aabbccddeeff";

fn token_of(place: &Place) -> String {
    token(&State::new(place.at.state(""))).unwrap()
}

/// A proof, as the two sides have to know it.
fn proof(role: &str, port: u16, nonce: &str, token: &str) -> String {
    let digest = Sha256::digest(format!("{role}\n{port}\n{nonce}\n{token}"));
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Says hello and gives the answer of who listens.
fn greeted(port: u16, origin: Option<&str>) -> (Socket, Value) {
    let mut socket = connect(port, origin).unwrap();
    send(&mut socket, &json!({"method": "kitbag/hello", "params": {"nonce": NONCE}}));
    let answer = next(&mut socket).unwrap();
    assert_eq!(answer["method"], "kitbag/proof");
    (socket, answer["params"].clone())
}

/// A connection of somebody who knows the token.
fn known(port: u16, token: &str, role: &str) -> Socket {
    let (origin, method) = match role {
        "server" => (None, "kitbag/join"),
        _ => (Some(OURS), "initialized"),
    };
    let (mut socket, answer) = greeted(port, origin);
    let nonce = answer["nonce"].as_str().unwrap();
    let params = json!({"proof": proof(role, port, nonce, token)});
    send(&mut socket, &json!({"method": method, "params": params}));
    socket
}

/// The next message that has this method.
fn heard(socket: &mut Socket, method: &str) -> Value {
    loop {
        let message = next(socket).unwrap();
        if message["method"] == method {
            return message;
        }
    }
}

#[test]
fn who_listens_and_who_connects_prove_that_they_know_the_token() {
    let port = free_port();
    let place = place(port, None);
    let token = token_of(&place);
    for (origin, role) in [(None, "server"), (Some(OURS), "extension")] {
        let (_, answer) = greeted(port, origin);
        assert_eq!(answer["proof"], proof("listener", port, NONCE, &token));
        assert!(!answer.to_string().contains(&token));
        let method = if role == "server" { "kitbag/join" } else { "initialized" };
        let nonce = |answer: &Value| answer["nonce"].as_str().unwrap().to_owned();
        let old = nonce(&answer);
        for wrong in [
            |_: &str, port, nonce: &str, token: &str| proof("listener", port, nonce, token),
            |role: &str, port, nonce: &str, token: &str| proof(role, port + 1, nonce, token),
            |role: &str, port, _: &str, token: &str| proof(role, port, NONCE, token),
            |role: &str, port, nonce: &str, _: &str| proof(role, port, nonce, "guessed"),
        ] {
            let (mut socket, answer) = greeted(port, origin);
            let new = nonce(&answer);
            assert!(new.len() == 32 && new != old, "{new}");
            let params = json!({"proof": wrong(role, port, &new, &token)});
            send(&mut socket, &json!({"method": method, "params": params}));
            assert_eq!(next(&mut socket), None, "{role}");
        }
        let mut known = known(port, &token, role);
        let said = next(&mut known).unwrap()["method"].clone();
        let first = if role == "server" { "kitbag/extension" } else { "Target.setDiscoverTargets" };
        assert_eq!(said, first);
    }
    // A nonce with which something else would be proven.
    let mut socket = connect(port, None).unwrap();
    send(&mut socket, &json!({"method": "kitbag/hello", "params": {"nonce": "a\nb"}}));
    assert_eq!(next(&mut socket), None);
}

#[test]
fn who_says_to_be_floyd_chrome_is_not_taken_for_our_extension() {
    let port = free_port();
    let place = place(port, None);
    let mut forged = connect(port, Some(FLOYD)).unwrap();
    let params = json!({"connected": true, "name": "Kitbag's extension"});
    send(&mut forged, &json!({"method": "kitbag/extension", "params": params}));
    // What it said was heard when its next message is answered.
    send(
        &mut forged,
        &json!({"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "x"}}}),
    );
    assert_eq!(next(&mut forged).unwrap()["id"], 1, "nothing is asked of it");
    assert_eq!(status(&place, "x is connected, but takes no calls")["connected"], false);
}

#[test]
fn who_says_to_be_floyd_chrome_answers_nothing_that_others_were_asked() {
    let port = free_port();
    let place = place(port, None);
    let token = token_of(&place);
    let mut extension = known(port, &token, "extension");
    status(&place, "Kitbag's extension is connected");
    let mut server = known(port, &token, "server");
    assert_eq!(heard(&mut server, "kitbag/extension")["params"]["connected"], true);
    let mut forged = connect(port, Some(FLOYD)).unwrap();
    send(&mut server, &json!({"id": 5, "method": "Target.getTargets", "params": {}}));
    let asked = heard(&mut extension, "Target.getTargets")["id"].clone();
    send(&mut forged, &json!({"id": asked, "result": "forged"}));
    send(&mut forged, &json!({"method": "Target.targetCreated", "params": {}}));
    send(
        &mut forged,
        &json!({"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "x"}}}),
    );
    assert_eq!(next(&mut forged).unwrap()["id"], 1);
    send(&mut extension, &json!({"id": asked, "result": "true"}));
    assert_eq!(next(&mut server), Some(json!({"id": 5, "result": "true"})));
}

#[test]
fn servers_with_other_tokens_do_not_join_and_say_so() {
    let port = free_port();
    let first = place(port, None);
    status(&first, "no extension is connected;");
    let second = place(port, None);
    let why = format!(
        "no extension is connected (port {port}: another program listens there, or a Kitbag with another state directory)"
    );
    assert!(status(&second, &why)["reconnect_attempts"].as_u64() > Some(0));
    floyd_chrome(port, &Arc::new(AtomicUsize::new(0)));
    status(&first, "FloydChrome is connected");
    assert_eq!(status(&second, &why)["connected"], false);
}

#[test]
fn a_token_that_cannot_be_kept_is_told_and_one_cut_short_is_made_anew() {
    let place = place(free_port(), None);
    status(&place, "no extension is connected;");
    let path = place.at.state("extension-token");
    let whole = token_of(&place);
    std::fs::write(&path, &whole[..9]).unwrap();
    let anew = token_of(&place);
    assert_eq!((anew.len(), std::fs::read_to_string(&path).unwrap()), (32, anew.clone()));
    assert!(!anew.starts_with(&whole[..9]) && token_of(&place) == anew);
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    let state = State::new(place.at.state(""));
    let other = crate::bridge::place(free_port(), Some(state));
    status(&other, "extension-token: Is a directory");
}

#[test]
fn a_server_that_reads_nothing_holds_nobody_up_and_is_let_go() {
    let port = free_port();
    let place = place(port, None);
    let token = token_of(&place);
    let mut extension = known(port, &token, "extension");
    status(&place, "Kitbag's extension is connected");
    let mut server = known(port, &token, "server");
    heard(&mut server, "kitbag/extension");
    // The system takes little for a reader who says so, and some for the writer.
    let tungstenite::stream::MaybeTlsStream::Plain(stream) = server.get_ref() else { panic!() };
    rustix::net::sockopt::set_socket_recv_buffer_size(stream, 64 << 10).unwrap();
    let event = json!({"method": "X.event", "params": {"text": "x".repeat(1 << 20)}});
    for _ in 0..50 {
        send(&mut extension, &event);
        let began = Instant::now();
        place.ok("browser_status", json!({}));
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    }
    // Ten seconds without a byte, each time that a text was taken in part, and once more.
    std::thread::sleep(Duration::from_secs(45));
    let mut heard = 0;
    while heard < 50
        && let Some(message) = next(&mut server)
    {
        heard += usize::from(message["method"] == "X.event");
    }
    assert!(heard < 50, "{heard} of 50");
    assert_eq!(place.ok("browser_status", json!({}))["connected"], true);
}

#[test]
fn strangers_are_few_short_and_soon_gone() {
    let port = free_port();
    let place = place(port, None);
    status(&place, "no extension is connected;");
    let threads = || std::fs::read_dir("/proc/self/task").unwrap().count();
    let before = threads();
    let all: Vec<_> =
        (0..100).filter_map(|_| TcpStream::connect(("127.0.0.1", port)).ok()).collect();
    std::thread::sleep(Duration::from_millis(300));
    assert!(threads() < before + 60, "{before} threads, then {}", threads());
    // Five seconds later those are gone, and others are heard.
    std::thread::sleep(Duration::from_secs(6));
    let mut server = known(port, &token_of(&place), "server");
    heard(&mut server, "kitbag/extension");
    drop(all);
    // More than a stranger has to say.
    let mut long = connect(port, None).unwrap();
    let nonce = "0".repeat(1 << 20);
    drop(long.send(tungstenite::Message::text(format!("{{\"a\":\"{nonce}\"}}"))));
    assert_eq!(next(&mut long), None);
}

/// The next connection to a listener, if there is one in time.
fn accepted(listener: &TcpListener, within: u64) -> Option<WebSocket<TcpStream>> {
    listener.set_nonblocking(true).unwrap();
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(within) {
        if let Ok((stream, _)) = listener.accept() {
            stream.set_nonblocking(false).unwrap();
            return Some(tungstenite::accept(stream).unwrap());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    None
}

#[test]
fn our_extension_tells_a_stranger_at_the_port_nothing_and_asks_seldom() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut chromium = person::Chromium::start();
    let worker = chromium.load();
    let token = "ab".repeat(16);
    chromium.run(&worker, &format!("kitbag.pair({{token: '{token}', port: {port}}})"));
    let mut socket = accepted(&listener, 10).unwrap();
    let hello = next(&mut socket).unwrap();
    let fields: Vec<_> = hello["params"].as_object().unwrap().keys().collect();
    assert_eq!((&hello["method"], fields), (&json!("kitbag/hello"), vec![&"nonce".to_owned()]));
    // It does not do what a stranger asks for.
    send(&mut socket, &json!({"id": 1, "method": "Target.getTargets", "params": {}}));
    let nonce = hello["params"]["nonce"].as_str().unwrap();
    let wrong = proof("listener", port, nonce, &"cd".repeat(16));
    send(
        &mut socket,
        &json!({"method": "kitbag/proof", "params": {"proof": wrong, "nonce": NONCE}}),
    );
    assert_eq!(next(&mut socket), None);
    let state = chromium.run(&worker, "kitbag.status({tab: 0}).then(status => status.state)");
    assert_eq!(state, "another program answers on this port, or the token is another");
    assert!(accepted(&listener, 4).is_none(), "it asks again at once");
    // When the worker wakes, its start and its alarm both connect: there is one connection.
    chromium.end_worker();
    let once = accepted(&listener, 45);
    assert!(once.is_some() && accepted(&listener, 2).is_none());
}

#[test]
fn what_the_user_opens_in_the_popup_stays_open() {
    let mut chromium = person::Chromium::start();
    chromium.load();
    let target = chromium.call(None, "Target.createTarget", json!({"url": "about:blank"}));
    let attach = json!({"targetId": target["targetId"], "flatten": true});
    let session = chromium.call(None, "Target.attachToTarget", attach)["sessionId"].clone();
    let session = session.as_str().unwrap();
    // The worker answers the real popup alone, which cannot be opened without a window.
    let answers = "globalThis.says = 'connected'; const own = globalThis.chrome?.runtime; \
        if (own) own.sendMessage = async () => ({state: says, shared: false, used: false, count: 0});";
    chromium.call(Some(session), "Page.enable", json!({}));
    let script = json!({"source": answers});
    chromium.call(Some(session), "Page.addScriptToEvaluateOnNewDocument", script);
    chromium.call(Some(session), "Page.navigate", json!({"url": format!("{OURS}/popup.html")}));
    let began = Instant::now();
    while chromium.run(session, "document.getElementById('state')?.textContent") != "connected" {
        assert!(began.elapsed() < Duration::from_secs(10));
    }
    let open = "document.getElementById('pairing').open";
    assert_eq!(chromium.run(session, open), false);
    chromium.run(session, &format!("{open} = true"));
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(chromium.run(session, open), true);
    // It is opened where the user has to do something.
    chromium.run(session, &format!("{open} = false; says = 'not paired'"));
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(chromium.run(session, open), true);
}

#[test]
fn a_server_that_is_paired_anew_reaches_the_extension_through_the_first() {
    let port = free_port();
    let mut chromium = person::Chromium::start();
    let worker = chromium.load();
    let first = place(port, None);
    pair(&mut chromium, &worker, &first, port);
    let second = place(port, Some(State::new(first.at.state(""))));
    status(&second, "Kitbag's extension is connected");
    let site = crate::browser::site(&[("/", "<title>Through</title><button id=b>B</button>")]);
    assert_eq!(second.opened(&site)["title"], "Through");
    assert_eq!(crate::browser::note(&second.click("#b")), "nothing visibly happened");
    let (code, _) = first.fails("browser_read_page", json!({}));
    assert_eq!(code, Code::TabNotFound, "the tab of another server's session");
}
