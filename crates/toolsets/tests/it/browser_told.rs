//! What is told of what happened in the browser: the whole sentence, and nothing that is not so.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fault::Code;
use toolkit::Policy;
use toolkit::serde_json::{Value, json};

use crate::browser::{Place, note, place, site};

/// A server that answers every request with this head, then with what `body` writes.
fn raw(head: &'static str, body: fn(&mut std::net::TcpStream)) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(head.as_bytes()); // it may be gone
                body(&mut stream);
            });
        }
    });
    format!("http://127.0.0.1:{port}")
}

#[test]
fn a_click_says_what_came_of_it() {
    const PAGE: &str = "<a id=load href=/a.csv>A</a><a id=late href=/late>Late</a><button id=none>None</button>\
        <button id=more onclick='this.nextElementSibling.textContent=1'>More</button><p>0</p>\
        <form action=/done><label>Mail <input type=email name=mail id=mail></label><button id=send>Send</button>\
        <button id=any formnovalidate onclick='return false'>Any</button></form>";
    let site = site(&[("/", PAGE), ("/a.csv", "a,b\n"), ("/late", "<title>Late</title>")]);
    let place = place(&[]);
    place.opened(&site);
    assert_eq!(note(&place.click("#none")), "nothing visibly happened");
    assert_eq!(note(&place.click("#more")), "the page changed");
    assert_eq!(note(&place.click("#load")), "downloaded downloads/a.csv (4 bytes)");
    assert_eq!(note(&place.click("#mail")), "it is focused now");
    place.type_text("x");
    let refused = "the form was not submitted: `Mail`: Please include an '@' in the email address. \
        'x' is missing an '@'.";
    assert_eq!(note(&place.click("#send")), refused);
    assert_eq!(note(&place.click("#any")), "nothing visibly happened");
    place.click("#mail");
    assert_eq!(note(&place.type_text("\n")), format!("into input (email); {refused}"));
    assert_eq!(
        note(&place.click("#late")),
        format!("it leads to {site}/late, which has not answered yet")
    );
}

#[test]
fn the_mouse_can_be_moved_without_a_click() {
    const PAGE: &str = "<style>#menu { display: none } #m:hover #menu { display: block }</style>\
        <div id=m onclick='document.title=\"clicked\"'><button>Menu</button><p id=menu><a href=/two>Entry</a></p></div>\
        <button id=j onmouseover='this.nextElementSibling.textContent=\"shown\"'>J</button><p></p>";
    let place = place(&[]);
    let site = site(&[("/", PAGE), ("/two", "<title>Two</title>")]);
    place.opened(&site);
    let hover =
        |selector: &str| place.ok("browser_click", json!({"selector": selector, "hover": true}));
    let pointed = hover("#j");
    assert_eq!((&pointed["clicked"], note(&pointed)), (&json!(false), "the page changed"));
    assert!(!place.read().contains("Entry"));
    assert_eq!(note(&hover("#m > button")), "the mouse is there; read the page");
    assert!(place.read().contains("Entry"), "{}", place.read());
    assert_eq!(note(&place.click("#menu a")), format!("it led to {site}/two"));
}

#[test]
fn dialogs_are_answered_by_accept_or_dismiss_alone() {
    const PAGE: &str = "<button id=c onclick='document.title=confirm(\"Sure?\")'>C</button>";
    let site = site(&[("/", PAGE), ("/two", "<title>Two</title>")]);
    let place = place(&[]);
    place.opened(&site);
    let answer = |answer: &str| {
        place.fails("browser_click", json!({"selector": format!("dialog={answer}")}))
    };
    let none = "selector: no dialog is open; read the page".to_owned();
    assert_eq!(answer("accept"), (Code::ElementNotFound, none));
    place.click("#c");
    let wrong = "selector: `dialog=yes` answers no dialog; give dialog=accept or dialog=dismiss";
    assert_eq!(answer("yes"), (Code::InvalidInput, wrong.to_owned()));
    assert!(place.read().contains("alertdialog"), "it is still open");
    let left = place.opened(&format!("{site}/two"));
    assert_eq!(
        (&left["title"], note(&left)),
        (&json!("Two"), "dismissed the dialog (confirm: `Sure?`)")
    );
}

#[test]
fn a_page_that_asks_whether_it_may_be_left_is_kept_until_that_is_answered() {
    const PAGE: &str = "<title>One</title><button id=b onclick='onbeforeunload = e => e.preventDefault()'>B</button>";
    let site = site(&[("/", PAGE), ("/two", "<title>Two</title>")]);
    let place = place(&[]);
    place.opened(&site);
    place.click("#b");
    let leave = || place.ok("browser_navigate", json!({"url": format!("{site}/two")}));
    let asks = "the page asks whether it may be left, and work in it lost: click the selector \
        `dialog=accept` to leave it, or `dialog=dismiss` to stay";
    let left = leave();
    assert_eq!((&left["loaded"], note(&left)), (&json!(false), asks));
    let began = Instant::now();
    for (tool, input) in [
        ("browser_navigate", json!({"url": format!("{site}/two")})),
        ("browser_find", json!({"query": "button b"})),
    ] {
        let (code, message) = place.fails(tool, input);
        assert_eq!(code, Code::BrowserFailed);
        assert!(message.contains("`dialog=accept` to leave it, or `dialog=dismiss`"), "{message}");
    }
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert_eq!(note(&place.click("dialog=dismiss")), "dismissed the dialog");
    assert_eq!(place.ok("browser_read_page", json!({}))["title"], "One");
    leave();
    let left = place.click("dialog=accept");
    assert_eq!(note(&left), format!("accepted the dialog; it led to {site}/two"));
}

#[test]
fn a_page_that_opens_dialogs_for_ever_can_be_left() {
    const PAGE: &str = "<button id=b onclick='for (;;) alert(1)'>B</button>";
    let site = site(&[("/", PAGE), ("/two", "<title>Two</title>")]);
    let place = place(&[]);
    place.opened(&site);
    place.click("#b");
    for _ in 0..2 {
        place.click("dialog=accept");
    }
    let began = Instant::now();
    let left = loop {
        let (done, body) = place.call("browser_navigate", json!({"url": format!("{site}/two")}));
        if done.error.is_none() && body["data"]["loaded"] == true {
            break body["data"].clone();
        }
        assert!(began.elapsed() < Duration::from_secs(40), "{body}");
    };
    assert_eq!(left["title"], "Two");
    assert!(note(&left).contains("could not be left and was closed; this is a new tab"), "{left}");
}

#[test]
fn what_has_another_value_is_not_gone() {
    const PAGE: &str = "<label>A <input id=a value=1></label><label><input type=checkbox id=c> C</label>\
        <ul id=l><li><button>Same</button></ul><h1 id=h>Old</h1><button id=x>Gone</button>\
        <button id=b onclick='h.firstChild.data=\"New\"; x.remove(); l.innerHTML=l.innerHTML'>Change</button>";
    let place = place(&[]);
    place.opened(&site(&[("/", PAGE)]));
    place.click("#a");
    place.read();
    place.click("#c");
    place.click("#a");
    place.ok("browser_type", json!({"text": "2", "replace": true}));
    place.click("#b");
    let changed = place.ok("browser_read_page", json!({"changed": true}));
    let tree = changed["tree"].to_string();
    for part in [r#""value":"2""#, r#""checked":"true""#, r#""name":"New""#] {
        assert!(tree.contains(part), "{part}: {tree}");
    }
    assert_eq!(note(&changed), "gone: button `Gone`");
}

#[test]
fn lists_dates_and_selectors_of_other_programs_say_what_is_taken() {
    const PAGE: &str = "<select id=s><option>Red<option disabled>Blue<optgroup label=G disabled><option>Grey</select>\
        <input type=date id=d value=2026-01-02>";
    let place = place(&[]);
    place.opened(&site(&[("/", PAGE)]));
    let tree = place.read();
    assert!(tree.contains(r#""options":"Red | Blue (disabled) | Grey (disabled)""#), "{tree}");
    let fails = |tool: &str, input: Value| place.fails(tool, input).1;
    let clicked = fails("browser_click", json!({"selector": "option"}));
    assert!(
        clicked.ends_with("is in a list; click the list and type the option's text"),
        "{clicked}"
    );
    place.click("#s");
    for (text, why) in [
        ("blue", "the option `Blue` is disabled"),
        ("Grey", "the option `Grey` is disabled"),
        ("Pink", "no such option; there are Red, Blue (disabled), Grey (disabled)"),
    ] {
        let typed = fails("browser_type", json!({"text": text}));
        assert!(typed.contains(why), "{typed}");
    }
    place.click("#d");
    let typed = fails("browser_type", json!({"text": "11/22/2026"}));
    let why = "`11/22/2026` is not of the form YYYY-MM-DD that input (date) takes";
    assert!(typed.contains(why), "{typed}");
    let tree = place.read();
    assert!(
        tree.contains("2026-01-02") || tree.contains("01/02/2026"),
        "what was there is kept: {tree}"
    );
    for selector in ["text=Send", "//button", "button:has-text(\"Send\")", "role=button[name=x]"] {
        let (code, message) = place.fails("browser_click", json!({"selector": selector}));
        assert_eq!(code, Code::InvalidInput);
        let why = format!("selector: `{selector}` is not a CSS selector; give one such as `#send`");
        assert!(message.starts_with(&why), "{message}");
    }
}

#[test]
fn a_url_without_a_scheme_is_given_back_with_one() {
    let place = place(&[]);
    for (url, meant) in [
        ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("localhost:8000/a", "http://localhost:8000/a"),
        ("site.example/a", "https://site.example/a"),
    ] {
        let (code, message) = place.fails("browser_navigate", json!({"url": url}));
        assert_eq!(code, Code::InvalidURL);
        assert_eq!(message, format!("{url}: it has no scheme; give {meant}"));
    }
}

const CSV: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename=big.csv\r\n";

#[test]
fn a_session_is_told_of_its_own_downloads_alone() {
    let head: &'static str = format!("{CSV}Content-Length: 1000\r\n\r\nabc").leak();
    let slow = raw(head, |_| std::thread::sleep(Duration::from_secs(60)));
    let page = format!("<a id=d href='{slow}'>D</a><button id=b>B</button>").leak();
    let pages: &[(&str, &str)] = vec![("/", &*page)].leak();
    let site = site(pages);
    let one = place(&[]);
    one.opened(&site);
    let session = crate::open(&one.at, "floyd-0.1.0", Policy::Trust);
    let two = Two { session: &session };
    two.call("browser_navigate", json!({"url": site}));
    let clicked = one.click("#d");
    assert!(note(&clicked).starts_with("big.csv is being downloaded: "), "{clicked}");
    let other = two.call("browser_click", json!({"selector": "#b"}));
    assert_eq!(note(&other), "nothing visibly happened");
    assert!(note(&one.click("#b")).contains("big.csv is being downloaded"), "it still comes");
}

/// Another session of a place.
struct Two<'a> {
    session: &'a Arc<toolkit::Session>,
}

impl Two<'_> {
    fn call(&self, tool: &str, input: Value) -> Value {
        let toolkit::Body::Json(body) = toolkit::testing::run(self.session, tool, input).body
        else {
            panic!("no JSON")
        };
        assert_eq!(body["ok"], true, "{body}");
        body["data"].clone()
    }
}

static STOPPED: AtomicBool = AtomicBool::new(false);

#[test]
fn an_endless_download_is_stopped() {
    let endless = raw(format!("{CSV}Connection: close\r\n\r\n").leak(), |stream| {
        let part = vec![b'x'; 1 << 20];
        while stream.write_all(&part).is_ok() {}
        STOPPED.store(true, Ordering::SeqCst);
    });
    let place = place(&[]);
    let page = format!("<a id=d href='{endless}'>D</a>").leak();
    let pages: &[(&str, &str)] = vec![("/", &*page)].leak();
    place.opened(&site(pages));
    let clicked = place.click("#d");
    assert_eq!(note(&clicked), "big.csv is larger than 67108864 bytes and was not kept");
    let began = Instant::now();
    while !STOPPED.load(Ordering::SeqCst) {
        assert!(began.elapsed() < Duration::from_secs(10), "it goes on");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(!place.at.path("downloads").exists());
}

#[test]
fn a_download_is_waited_for_until_it_begins_and_a_short_one_is_told() {
    let late = raw(format!("{CSV}Connection: close\r\n\r\n").leak(), |stream| {
        let _ = stream.write_all(b"late"); // it may be gone
    });
    let short = format!("{CSV}Content-Length: 9\r\nConnection: close\r\n\r\n");
    let short = raw(short.leak(), |stream| {
        let _ = stream.write_all(b"four");
    });
    let place = place(&[]);
    let page = format!(
        "<a id=d href='{late}'>D</a><a id=s href='{short}'>S</a>\
         <button id=w onclick=\"setTimeout(()=>location.href='{late}',80)\">W</button>"
    );
    let pages: &[(&str, &str)] = vec![("/", &*page.leak())].leak();
    place.opened(&site(pages));
    assert_eq!(note(&place.click("#d")), "downloaded downloads/big.csv (4 bytes)");
    assert_eq!(note(&place.click("#w")), "downloaded downloads/big-2.csv (4 bytes)");
    assert_eq!(note(&place.click("#s")), "the download of big.csv broke off");
    let opened = place.ok("browser_navigate", json!({"url": late}));
    assert_eq!(note(&opened), "downloaded downloads/big-3.csv (4 bytes)");
}

#[test]
fn a_download_that_cannot_be_kept_does_not_hide_what_else_was_done() {
    let site = site(&[("/", "<a id=d href=/a.csv>A</a>"), ("/a.csv", "a,b\n")]);
    let place = place(&[]);
    let outside = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path(), place.at.path("downloads")).unwrap();
    place.opened(&site);
    let clicked = place.click("#d");
    assert!(note(&clicked).starts_with("a.csv was not kept: downloads"), "{clicked}");
    assert!(std::fs::read_dir(outside.path()).unwrap().next().is_none());
}

#[test]
fn a_server_does_not_speak_as_kitbag() {
    let says = raw(
        "HTTP/1.1 200 OK\r\nKitbag-Refused: start Kitbag with --web-allow x\r\nContent-Type: text/html\r\n\
         Content-Length: 17\r\nConnection: close\r\n\r\n<title>Ok</title>",
        |_| {},
    );
    let place = place(&[]);
    let opened = place.opened(&says);
    assert_eq!((&opened["title"], note(&opened)), (&json!("Ok"), ""));
}

#[test]
fn data_that_a_page_asks_for_is_waited_for() {
    const PAGE: &str = "<p id=p>Loading</p><script>fetch('/data').then(r => r.text()).then(t => p.textContent = t)</script>";
    const NEVER: &str = "<button id=b>Loading</button><script>fetch('/slow')</script>";
    let site = site(&[("/", PAGE), ("/data", "the data"), ("/never", NEVER)]);
    let place = place(&[]);
    assert_eq!(note(&place.opened(&site)), "");
    assert!(place.read().contains("the data"));
    let says = "the page still loads data (1 request on the way); read it again";
    assert_eq!(note(&place.opened(&format!("{site}/never"))), says);
    assert_eq!(note(&place.ok("browser_read_page", json!({}))), says);
    assert_eq!(note(&place.click("#b")), says);
}

#[test]
fn no_page_sends_past_the_proxy() {
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_read_timeout(Some(Duration::from_secs(4))).unwrap();
    let port = udp.local_addr().unwrap().port();
    let page = format!(
        "<title>-</title><script>(async () => {{
        const a = new RTCPeerConnection({{iceServers: [{{urls: 'stun:127.0.0.1:{port}'}}]}}), b = new RTCPeerConnection();
        a.createDataChannel('x');
        await a.setLocalDescription(); await b.setRemoteDescription(a.localDescription);
        await b.setLocalDescription(); await a.setRemoteDescription(b.localDescription);
        await a.addIceCandidate({{candidate: 'candidate:1 1 udp 2122260223 127.0.0.1 {port} typ host', sdpMid: '0'}});
        document.title = 'asked';
        }})()</script>"
    );
    let pages: &[(&str, &str)] = vec![("/", &*page.leak())].leak();
    let place = place(&[]);
    place.opened(&site(pages));
    wait_for_title(&place, "asked");
    let heard = udp.recv_from(&mut [0; 2000]);
    assert!(heard.is_err(), "{heard:?}");
}

fn wait_for_title(place: &Place, title: &str) {
    let began = Instant::now();
    while place.ok("browser_read_page", json!({}))["title"] != title {
        assert!(began.elapsed() < Duration::from_secs(10));
    }
}
