//! A server whose answers are written by hand, byte by byte.

use std::io::{BufRead as _, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// One request: its first line and its headers.
pub(crate) struct Asked {
    pub(crate) line: String,
    pub(crate) head: String,
}

impl Asked {
    pub(crate) fn path(&self) -> &str {
        self.line.split(' ').nth(1).unwrap_or_default()
    }
}

type Log = Arc<Mutex<Vec<String>>>;

/// A running server.
pub(crate) struct Site {
    pub(crate) port: u16,
    log: Log,
}

impl Site {
    /// A server that answers each request on a connection of its own; what `answer` gives is sent as
    /// it is, after what it wrote itself.
    pub(crate) fn start(
        answer: impl Fn(&Asked, &mut TcpStream) -> Vec<u8> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let log = Log::default();
        let (answer, seen) = (Arc::new(answer), Arc::clone(&log));
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let (answer, seen) = (Arc::clone(&answer), Arc::clone(&seen));
                std::thread::spawn(move || {
                    let reader = BufReader::new(stream.try_clone().unwrap());
                    let mut lines = reader.lines().map_while(Result::ok);
                    let Some(line) = lines.next() else { return };
                    let head: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
                    seen.lock().unwrap().push(line.clone());
                    let bytes = answer(&Asked { line, head: head.join("\n") }, &mut stream);
                    let _ = stream.write_all(&bytes); // the client may be gone
                });
            }
        });
        Self { port, log }
    }

    /// What the client may be allowed.
    pub(crate) fn allowed(&self) -> Vec<String> {
        vec![format!("127.0.0.1:{}", self.port)]
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The requests so far, without those for `robots.txt`.
    pub(crate) fn asked(&self) -> Vec<String> {
        let all = self.log.lock().unwrap().clone();
        all.into_iter().filter(|line| !line.contains("robots.txt")).collect()
    }
}

/// An answer with the right length.
pub(crate) fn whole(status: &str, headers: &[&str], body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n", body.len()).into_bytes();
    for header in headers {
        bytes.extend(format!("{header}\r\n").bytes());
    }
    bytes.extend(b"Connection: close\r\n\r\n");
    bytes.extend(body);
    bytes
}

pub(crate) fn gone() -> Vec<u8> {
    whole("404 Not Found", &["Content-Type: text/html"], b"<h1>Nothing here</h1>")
}

pub(crate) fn redirect(status: &str, to: &str) -> Vec<u8> {
    whole(status, &[&format!("Location: {to}")], b"")
}
