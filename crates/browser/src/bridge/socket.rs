//! A WebSocket whose two directions are used by two threads.

#![expect(clippy::disallowed_methods, reason = "the bridge to extensions is on a port of its own")]

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::Value;
use tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Message, WebSocket, http};

/// How long the other side may take, in all, until it is known who it is.
const HANDSHAKE: Duration = Duration::from_secs(5);

/// Largest message of somebody who is not known yet, in bytes.
const UNKNOWN: usize = 16 << 10;

/// Largest message of others, in bytes: a picture of a page takes some MiB.
const KNOWN: usize = 64 << 20;

/// How long the other side may take no byte.
const TAKES: Duration = Duration::from_secs(10);

/// Most bytes that wait to be written.
const WAITING: usize = 64 << 20;

/// Where somebody listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) port: u16,
}

impl Place {
    /// The port of a URL such as `ws://localhost:3005`; `None` if it leads to another machine.
    pub(crate) fn of(url: &str) -> Option<Self> {
        let rest = url.strip_prefix("ws://")?;
        let authority = rest.split(['/', '?']).next()?;
        let (host, port) = authority.rsplit_once(':')?;
        let own = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
        Some(Self { port: port.parse().ok().filter(|_| own)? })
    }

    /// Listens there.
    pub(crate) fn listen(&self) -> io::Result<TcpListener> {
        TcpListener::bind((Ipv4Addr::LOCALHOST, self.port))
    }

    /// Connects to who listens there.
    pub(crate) fn dial(&self) -> io::Result<(Hear, Say)> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        let (line, other) = prepare(stream)?;
        let url = format!("ws://127.0.0.1:{}/", self.port);
        let socket = tungstenite::client::client_with_config(url, line, Some(at_most(UNKNOWN)));
        split(socket.map_err(refused)?.0, other, Role::Client)
    }
}

fn at_most(bytes: usize) -> WebSocketConfig {
    WebSocketConfig::default().max_message_size(Some(bytes)).max_frame_size(Some(bytes))
}

/// The stream of a connection, which one thread reads and two write to.
#[derive(Debug)]
pub(crate) struct Line {
    stream: TcpStream,
    /// Until when what is read must have come.
    until: Option<Instant>,
    writing: Arc<Mutex<()>>,
}

impl Read for Line {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if let Some(until) = self.until {
            let rest = until.saturating_duration_since(Instant::now());
            self.stream.set_read_timeout(Some(rest.max(Duration::from_millis(1))))?;
        }
        self.stream.read(into)
    }
}

impl Write for Line {
    /// All of it, since what another thread writes must not come between.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _writing = self.writing.lock();
        self.stream.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// The direction towards us.
pub(crate) struct Hear(WebSocket<Line>);

impl Hear {
    /// The next text; `None` when no more will come.
    pub(crate) fn next(&mut self) -> Option<String> {
        loop {
            match self.0.read() {
                Ok(Message::Text(text)) => return Some(text.as_str().to_owned()),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// The next message, if it has this method.
    pub(crate) fn message(&mut self, method: &str) -> Option<Value> {
        let message: Value = serde_json::from_str(&self.next()?).ok()?;
        (message["method"] == method).then_some(message)
    }

    /// The other side is known: it may take its time, and say much.
    pub(crate) fn trust(&mut self) -> io::Result<()> {
        self.0.set_config(|config| *config = at_most(KNOWN));
        let line = self.0.get_mut();
        line.until = None;
        line.stream.set_read_timeout(None)
    }
}

/// The direction from us. Texts wait for a thread that writes them, so that who says something waits
/// for nobody.
pub(crate) struct Say {
    queue: Sender<Option<String>>,
    waiting: Arc<AtomicUsize>,
    stream: TcpStream,
}

impl Say {
    /// Sends a text.
    ///
    /// # Errors
    /// If the other side is gone or takes too little; then the connection is ended.
    pub(crate) fn text(&self, text: &str) -> io::Result<()> {
        let waiting = self.waiting.fetch_add(text.len(), Ordering::SeqCst);
        if waiting > WAITING || self.queue.send(Some(text.to_owned())).is_err() {
            let _ = self.stream.shutdown(Shutdown::Both); // it may be over already
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(())
    }

    /// Ends the connection after what was said, also for the thread that reads.
    pub(crate) fn end(&self) {
        let _ = self.queue.send(None); // the thread is gone, and has ended it
    }
}

/// Writes what is said until the end, or until the other side does not take it.
fn write(mut socket: WebSocket<Line>, queue: &Receiver<Option<String>>, waiting: &AtomicUsize) {
    while let Ok(Some(text)) = queue.recv() {
        let bytes = text.len();
        if socket.send(Message::text(text)).is_err() {
            break;
        }
        waiting.fetch_sub(bytes, Ordering::SeqCst);
    }
    let _ = socket.get_ref().stream.shutdown(Shutdown::Both); // it may be over already
}

/// Answers a connection; `may` says whether this origin may speak with us.
pub(crate) fn accept(
    stream: TcpStream,
    may: impl Fn(Option<&str>) -> bool,
) -> io::Result<(Hear, Say, Option<String>)> {
    let (line, other) = prepare(stream)?;
    let mut origin = None;
    #[expect(clippy::result_large_err, reason = "the type is that of the library")]
    let look = |request: &Request, response: Response| -> Result<Response, ErrorResponse> {
        let header = |name: &str| request.headers().get(name).and_then(|v| v.to_str().ok());
        origin = header("origin").map(str::to_owned);
        // A name that leads here is no name of ours.
        let host = header("host").unwrap_or_default();
        let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
        let own = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
        if own && may(origin.as_deref()) {
            return Ok(response);
        }
        let mut refused = ErrorResponse::new(Some("this origin may not connect".to_owned()));
        *refused.status_mut() = http::StatusCode::FORBIDDEN;
        Err(refused)
    };
    let socket = tungstenite::accept_hdr_with_config(line, look, Some(at_most(UNKNOWN)));
    let (hear, say) = split(socket.map_err(refused)?, other, Role::Server)?;
    Ok((hear, say, origin))
}

fn refused(error: impl std::fmt::Display) -> io::Error {
    io::Error::other(error.to_string())
}

fn prepare(stream: TcpStream) -> io::Result<(Line, Line)> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(TAKES))?;
    let writing = Arc::new(Mutex::new(()));
    let other = Line { stream: stream.try_clone()?, until: None, writing: Arc::clone(&writing) };
    Ok((Line { stream, until: Some(Instant::now() + HANDSHAKE), writing }, other))
}

fn split(socket: WebSocket<Line>, other: Line, role: Role) -> io::Result<(Hear, Say)> {
    let stream = other.stream.try_clone()?;
    let (queue, waits) = channel();
    let waiting = Arc::new(AtomicUsize::new(0));
    let written = Arc::clone(&waiting);
    let other = WebSocket::from_raw_socket(other, role, None);
    let begun = std::thread::Builder::new().name("extension".to_owned());
    begun.spawn(move || write(other, &waits, &written))?;
    Ok((Hear(socket), Say { queue, waiting, stream }))
}
