//! The way out for browsers and other programs: a proxy on this machine that judges every connection.
//!
//! A page can make a browser ask for anything, by redirects, scripts and pictures, so checking its
//! address beforehand is not enough; of other programs nobody knows what they ask for.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, oneshot};
use url::Url;

use crate::address::{Place, connect, is_address, is_named};
use crate::{Client, Error, Kind, Result, Settings, own_ports};

/// The header in which the proxy says why it did not connect, where the server would have answered:
/// its mark, and the reason.
pub const REFUSED: &str = "Kitbag-Refused";

/// Most bytes of the head of a request.
const HEAD: usize = 64 << 10;

/// Most refusals that are remembered.
const MOST_REFUSED: usize = 20;

/// Most connections at a time, so that their number cannot use up the descriptors of the process.
const CONNECTIONS: usize = 256;

/// Where the connections to a socket may go.
#[derive(Debug)]
pub enum Door {
    /// Through a proxy, to whatever the settings let be reached.
    Any,
    /// Through a proxy, to the hosts of these names: `HOST`, `HOST:PORT` or `*.HOST`. One that is
    /// named by its address, or `localhost`, need not be public.
    Hosts(Vec<String>),
    /// To this port of this machine alone, as they are.
    Port(u16),
}

/// Sockets that are served. Dropped, it ends with all connections through it.
#[derive(Debug)]
pub struct Proxy {
    refused: Refused,
    own: OwnPorts,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

type Refused = Arc<Mutex<Vec<String>>>;

/// Names of places that may be reached beside what the settings say.
type OwnPorts = Arc<Mutex<Vec<String>>>;

impl Client {
    /// Starts a proxy on a free port of 127.0.0.1, which is the first that is given. Its refusals
    /// begin with `mark`, which no server knows.
    ///
    /// # Errors
    /// `Network` if the system gives no port.
    pub fn proxy(&self, mark: &str) -> Result<(u16, Proxy)> {
        #[expect(clippy::disallowed_methods, reason = "this crate is the door to the network")]
        let listen = || {
            let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
            Ok((listener.local_addr()?.port(), listener))
        };
        let fail = |e: io::Error| Error::network("proxy", &e.to_string());
        let (port, listener) = listen().map_err(fail)?;
        Ok((port, self.serve_marked(vec![(listener, Door::Any)], mark)?))
    }

    /// Serves listening sockets, all on one thread.
    ///
    /// # Errors
    /// `Network` if the system refuses a thread or what it needs.
    pub fn serve(&self, doors: Vec<(std::net::TcpListener, Door)>) -> Result<Proxy> {
        self.serve_marked(doors, "")
    }

    fn serve_marked(&self, doors: Vec<(std::net::TcpListener, Door)>, mark: &str) -> Result<Proxy> {
        let (stop, stopped) = oneshot::channel();
        let refused = Refused::default();
        let own = OwnPorts::default();
        let start = || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let entered = runtime.enter();
            let places = Arc::new(Semaphore::new(CONNECTIONS));
            for (listener, door) in doors {
                listener.set_nonblocking(true)?;
                let mut settings = self.settings.clone();
                if let Door::Hosts(names) = &door {
                    settings.allow.extend(names.iter().filter(|name| is_address(name)).cloned());
                }
                let (refused, own) = (Arc::clone(&refused), Arc::clone(&own));
                let rules = Rules { door, settings, refused, own, mark: mark.to_owned() };
                let listener = TcpListener::from_std(listener)?;
                runtime.spawn(serve(listener, Arc::new(rules), Arc::clone(&places)));
            }
            drop(entered);
            let work = move || {
                let _ = runtime.block_on(stopped);
                runtime.shutdown_background();
            };
            std::thread::Builder::new().name("proxy".to_owned()).spawn(work)
        };
        let thread = start().map_err(|e| Error::network("proxy", &e.to_string()))?;
        Ok(Proxy { refused, own, stop: Some(stop), thread: Some(thread) })
    }
}

impl Proxy {
    /// The addresses that were asked for and refused, each with the reason.
    pub fn refused(&self) -> Vec<String> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Lets these ports of this machine be reached from now on, and no others of those that were
    /// named in this way.
    pub fn set_own_ports(&self, ports: &[u16]) {
        *self.own.lock().unwrap_or_else(PoisonError::into_inner) = own_ports(ports);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // it ends either way
        }
    }
}

struct Rules {
    door: Door,
    settings: Settings,
    refused: Refused,
    own: OwnPorts,
    mark: String,
}

async fn serve(listener: TcpListener, rules: Arc<Rules>, places: Arc<Semaphore>) {
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((program, _)) => {
                let rules = Arc::clone(&rules);
                tokio::spawn(async move {
                    drop(pass(program, &rules).await);
                    drop(place);
                });
            }
            // No more handles: wait until some are free.
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

/// One connection: to a port, a tunnel, or one request in the clear.
async fn pass(mut program: TcpStream, rules: &Rules) -> io::Result<()> {
    if let Door::Port(port) = rules.door {
        let at = [(Ipv4Addr::LOCALHOST, port).into(), (Ipv6Addr::LOCALHOST, port).into()];
        let mut server = TcpStream::connect::<&[SocketAddr]>(&at).await?;
        return tokio::io::copy_bidirectional(&mut program, &mut server).await.map(drop);
    }
    let (head, more) = head(&mut program).await?;
    let Some((place, request)) = understand(&head) else {
        return rules.refuse(&mut program, "400 Bad Request", "not a request to a proxy").await;
    };
    let mut server = match rules.connect(&place).await {
        Ok(server) => server,
        Err(error) => {
            // A browser also asks for things of its own, which need not be there.
            if error.kind == Kind::AddressRefused {
                let mut refused = rules.refused.lock().unwrap_or_else(PoisonError::into_inner);
                if !refused.contains(&error.message) && refused.len() < MOST_REFUSED {
                    refused.push(error.message.clone());
                }
            }
            return rules.refuse(&mut program, "403 Forbidden", &error.message).await;
        }
    };
    match request {
        Some(head) => server.write_all(head.as_bytes()).await?,
        None => program.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?,
    }
    server.write_all(&more).await?;
    tokio::io::copy_bidirectional(&mut program, &mut server).await.map(drop)
}

impl Rules {
    async fn connect(&self, place: &Place) -> Result<TcpStream> {
        match &self.door {
            Door::Hosts(names) if !is_named(place, names) => {
                Err(Error::not_named(&place.to_string()))
            }
            _ => {
                let mut settings = self.settings.clone();
                let own = self.own.lock().unwrap_or_else(PoisonError::into_inner).clone();
                settings.allow.extend(own);
                connect(place, &settings).await
            }
        }
    }

    async fn refuse(&self, program: &mut TcpStream, status: &str, why: &str) -> io::Result<()> {
        let (mark, length) = (&self.mark, why.len());
        let plain = |c: char| if c.is_ascii() && !c.is_ascii_control() { c } else { '?' };
        let header: String = why.chars().map(plain).collect();
        let answer = format!(
            "HTTP/1.1 {status}\r\n{REFUSED}: {mark} {header}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{why}"
        );
        program.write_all(answer.as_bytes()).await?;
        program.shutdown().await
    }
}

/// The head of a request, and what came after it.
async fn head(program: &mut TcpStream) -> io::Result<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            let more = bytes.split_off(end + 4);
            return Ok((String::from_utf8_lossy(&bytes).into_owned(), more));
        }
        if bytes.len() > HEAD || program.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
}

/// Where it goes, and for a request in the clear what the server is sent. The connection is closed
/// after it, since the next request may go elsewhere.
fn understand(head: &str) -> Option<(Place, Option<String>)> {
    let (line, headers) = head.split_once("\r\n")?;
    let mut words = line.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    if method == "CONNECT" {
        return Some((Place::of(&Url::parse(&format!("https://{target}/")).ok()?)?, None));
    }
    let url = Url::parse(target).ok().filter(|url| url.scheme() == "http")?;
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let mut sent = format!("{method} {}{query} {version}\r\n", url.path());
    for header in headers.split("\r\n").filter(|line| !line.is_empty()) {
        let name = header.split(':').next().unwrap_or_default().to_ascii_lowercase();
        if !matches!(name.as_str(), "connection" | "keep-alive") && !name.starts_with("proxy-") {
            sent += &format!("{header}\r\n");
        }
    }
    sent += "Connection: close\r\n\r\n";
    Some((Place::of(&url)?, Some(sent)))
}
