//! The way out for a browser: a proxy on this machine that judges every connection.
//!
//! A page can make a browser ask for anything, by redirects, scripts and pictures, so checking its
//! address beforehand is not enough.

use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use url::Url;

use crate::address::{Place, connect};
use crate::{Client, Error, Kind, Result, Settings};

/// Most bytes of the head of a request.
const HEAD: usize = 64 << 10;

/// Most refusals that are remembered.
const MOST_REFUSED: usize = 20;

/// A running proxy. Dropped, it ends with all connections through it.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    refused: Refused,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

type Refused = Arc<Mutex<Vec<String>>>;

impl Client {
    /// Starts a proxy on a free port of this machine.
    ///
    /// # Errors
    /// `Network` if the system gives no port.
    pub fn proxy(&self) -> Result<Proxy> {
        let fail = |e: io::Error| Error::network("proxy", &e.to_string());
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(fail)?;
        let listener =
            runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).map_err(fail)?;
        let port = listener.local_addr().map_err(fail)?.port();
        let (stop, stopped) = oneshot::channel();
        let refused = Refused::default();
        let rules = Rules { settings: self.settings.clone(), refused: Arc::clone(&refused) };
        let work = move || {
            runtime.block_on(async {
                tokio::select! {
                    () = serve(listener, Arc::new(rules)) => {}
                    _ = stopped => {}
                }
            });
            runtime.shutdown_background();
        };
        let thread = std::thread::Builder::new().name("proxy".to_owned()).spawn(work);
        Ok(Proxy { port, refused, stop: Some(stop), thread: Some(thread.map_err(fail)?) })
    }
}

impl Proxy {
    /// Where it listens, on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The addresses that were asked for and refused, each with the reason.
    pub fn refused(&self) -> Vec<String> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone()
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
    settings: Settings,
    refused: Refused,
}

async fn serve(listener: TcpListener, rules: Arc<Rules>) {
    loop {
        match listener.accept().await {
            Ok((browser, _)) => {
                let rules = Arc::clone(&rules);
                tokio::spawn(async move { drop(pass(browser, &rules).await) });
            }
            // No more handles: wait until some are free.
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

/// One connection: a tunnel, or one request in the clear.
async fn pass(mut browser: TcpStream, rules: &Rules) -> io::Result<()> {
    let (head, more) = head(&mut browser).await?;
    let Some((place, request)) = understand(&head) else {
        return refuse(&mut browser, "400 Bad Request", "not a request to a proxy").await;
    };
    let mut server = match connect(&place, &rules.settings).await {
        Ok(server) => server,
        Err(error) => {
            // A browser also asks for things of its own, which need not be there.
            if error.kind == Kind::AddressRefused {
                let mut refused = rules.refused.lock().unwrap_or_else(PoisonError::into_inner);
                if !refused.contains(&error.message) && refused.len() < MOST_REFUSED {
                    refused.push(error.message.clone());
                }
            }
            return refuse(&mut browser, "403 Forbidden", &error.message).await;
        }
    };
    match request {
        Some(head) => server.write_all(head.as_bytes()).await?,
        None => browser.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?,
    }
    server.write_all(&more).await?;
    tokio::io::copy_bidirectional(&mut browser, &mut server).await.map(drop)
}

/// The head of a request, and what came after it.
async fn head(browser: &mut TcpStream) -> io::Result<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            let more = bytes.split_off(end + 4);
            return Ok((String::from_utf8_lossy(&bytes).into_owned(), more));
        }
        if bytes.len() > HEAD || browser.read_buf(&mut bytes).await? == 0 {
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

async fn refuse(browser: &mut TcpStream, status: &str, why: &str) -> io::Result<()> {
    let length = why.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{why}"
    );
    browser.write_all(answer.as_bytes()).await?;
    browser.shutdown().await
}
