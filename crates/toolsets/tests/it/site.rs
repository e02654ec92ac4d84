//! A small site on this machine under the name that the examples use, and a search engine that knows
//! one page of it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use toolkit::web::{Backend, Hit, Settings};

const GUIDE: &str = "<!doctype html><html><head><title>Guide</title></head><body>\
    <h1>A guide</h1><p>It begins <a href='/data.json'>here</a></p></body></html>";

const FORM: &str = "<!doctype html><html><head><title>Form</title></head><body>\
    <label>Name <input id=name></label><button>Send</button></body></html>";

/// A text that is another one from the fourth time on.
fn news() -> &'static str {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    const NEWS: &str = "Something that is long enough that it takes more to send it again than to say \
        that it is what it was. It goes on for one more line, and then ends here.\n";
    if ASKED.fetch_add(1, Ordering::SeqCst) < 3 { NEWS } else { &NEWS[..NEWS.len() - 2] }
}

/// The web as tests see it.
pub(crate) fn settings() -> Settings {
    let hit = Hit {
        title: "Guide".to_owned(),
        url: "http://site.example/guide".to_owned(),
        snippet: "It begins here".to_owned(),
    };
    Settings {
        hosts: vec![("site.example".to_owned(), address())],
        search: Some(Backend::Listed(vec![hit])),
        ..Settings::default()
    }
}

/// Where the site is, which is started for the first who asks.
fn address() -> SocketAddr {
    static SITE: OnceLock<SocketAddr> = OnceLock::new();
    *SITE.get_or_init(|| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                std::thread::spawn(|| answer(stream));
            }
        });
        address
    })
}

fn answer(mut stream: TcpStream) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    let Some(first) = lines.next() else { return };
    lines.find(String::is_empty);
    let path = first.split(' ').nth(1).unwrap_or_default();
    let (status, headers, body) = match path {
        "/guide" => ("200 OK", "Content-Type: text/html\r\n", GUIDE),
        "/news" => ("200 OK", "Content-Type: text/plain\r\n", news()),
        "/form" => ("200 OK", "Content-Type: text/html\r\n", FORM),
        "/data.json" => ("200 OK", "Content-Type: application/json\r\n", "{\"a\":[1,2.50e1]}"),
        "/old" => ("301 Moved Permanently", "Location: /guide\r\n", ""),
        "/inside" => ("302 Found", "Location: http://127.0.0.1:1/\r\n", ""),
        _ => ("404 Not Found", "", "nothing here"),
    };
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\n\r\n");
    let body = if first.starts_with("HEAD") { "" } else { body };
    let _ = stream.write_all(format!("{head}{body}").as_bytes()); // the client may be gone
}
