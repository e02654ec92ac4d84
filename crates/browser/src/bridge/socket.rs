//! A WebSocket whose two directions are used by two threads.

#![expect(clippy::disallowed_methods, reason = "the bridge to extensions is on a port of its own")]

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tungstenite::protocol::Role;
use tungstenite::{Message, WebSocket, http};

/// How long the other side may take to say what it wants.
const HANDSHAKE: Duration = Duration::from_secs(5);

/// How long a message may take to be taken.
const TAKES: Duration = Duration::from_secs(10);

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
        let socket = tungstenite::client(url, line).map_err(refused)?.0;
        split(socket, other, Role::Client)
    }
}

/// The stream of a connection, which one thread reads and several write to.
#[derive(Debug)]
pub(crate) struct Line {
    stream: TcpStream,
    writing: Arc<Mutex<()>>,
}

impl Read for Line {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
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

/// The direction from us.
pub(crate) struct Say(Mutex<WebSocket<Line>>);

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
}

impl Say {
    pub(crate) fn text(&self, text: &str) -> io::Result<()> {
        let mut socket = self.0.lock();
        socket.send(Message::text(text)).map_err(|e| io::Error::other(e.to_string()))
    }

    /// Ends the connection, also for the thread that reads.
    pub(crate) fn end(&self) {
        let _ = self.0.lock().get_ref().stream.shutdown(Shutdown::Both);
    }
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
    let socket = tungstenite::accept_hdr(line, look).map_err(refused)?;
    let (hear, say) = split(socket, other, Role::Server)?;
    Ok((hear, say, origin))
}

fn refused(error: impl std::fmt::Display) -> io::Error {
    io::Error::other(error.to_string())
}

fn prepare(stream: TcpStream) -> io::Result<(Line, Line)> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(HANDSHAKE))?;
    stream.set_write_timeout(Some(TAKES))?;
    let writing = Arc::new(Mutex::new(()));
    let other = Line { stream: stream.try_clone()?, writing: Arc::clone(&writing) };
    Ok((Line { stream, writing }, other))
}

fn split(socket: WebSocket<Line>, other: Line, role: Role) -> io::Result<(Hear, Say)> {
    socket.get_ref().stream.set_read_timeout(None)?;
    let say = WebSocket::from_raw_socket(other, role, None);
    Ok((Hear(socket), Say(Mutex::new(say))))
}
