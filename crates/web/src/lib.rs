//! The only door to the network: pages, downloads, searches, and which addresses may be reached.
//!
//! Without this crate every tool would connect by itself, and one of them would forget that a name
//! may lead to the machine's own services. Here the address that was judged is the one that is
//! connected to, at every redirect again.

mod address;
mod answer;
mod apart;
mod charset;
mod check;
mod download;
mod error;
mod html;
mod link;
mod page;
mod post;
mod proxy;
mod robots;
mod search;
mod send;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

pub use address::refusal;
pub use check::Reached;
pub use download::{Downloaded, Part};
pub use error::{Error, Kind, Result};
pub use link::with_scheme;
pub use page::Page;
pub use post::{Coming, Endpoint, Unsent, connections};
pub use proxy::{Door, Proxy, REFUSED};
pub use search::{Backend, Freshness, Hit, Query};
pub use send::Hop;

/// What the operator decides about the web.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Addresses of this machine and its networks that may be reached all the same, each by the
    /// name that calls use: `host:port`, or `host` for any port.
    pub allow: Vec<String>,
    /// Names that lead to a fixed address, which may be any: hosts that no name server knows.
    pub hosts: Vec<(String, SocketAddr)>,
    /// Who is asked when the web is searched.
    pub search: Option<Backend>,
    /// The bounds.
    pub limits: Limits,
}

/// What one call may take.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How long a connection may take to stand.
    pub connect: Duration,
    /// The longest silence of a server.
    pub idle: Duration,
    /// How long a page, a check or a search may take as a whole; a server that sends a byte now and
    /// then is never silent.
    pub whole: Duration,
    /// How long a download may take as a whole.
    pub download: Duration,
    /// Most bytes of a page, decompressed; it is held in memory.
    pub page_bytes: u64,
    /// Most bytes of a download; as much as the journal keeps of one thing.
    pub download_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(20),
            // Hosts give up on a call after sixty seconds, and some after thirty.
            whole: Duration::from_secs(25),
            download: Duration::from_secs(3600),
            page_bytes: 8 << 20,
            download_bytes: 1 << 30,
        }
    }
}

/// Whether nobody wants the answer any more; looked at many times a second.
pub type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// The web as one session sees it. Nothing is read or connected until it is needed.
#[derive(Debug, Default)]
pub struct Client {
    settings: Settings,
    tls: OnceLock<rustls::ClientConfig>,
    robots: Mutex<robots::Known>,
    /// The page that was fetched last, for whoever reads on in it.
    last: Mutex<Option<Arc<Page>>>,
}

impl Client {
    /// The web under these settings.
    pub fn new(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// The same web with these ports of this machine beside what the operator lets be reached.
    #[must_use]
    pub fn with_own_ports(&self, ports: &[u16]) -> Self {
        let mut settings = self.settings.clone();
        settings.allow.extend(own_ports(ports));
        Self::new(settings)
    }

    /// Whether the place that a URL leads to may be reached; nothing is connected to.
    ///
    /// # Errors
    /// `InvalidUrl`, `AddressRefused`, and `Network` if the name has no address.
    pub fn judge(&self, url: &str, stop: Stop<'_>) -> Result<()> {
        let parsed = link::parse(url)?;
        let Some(place) = address::Place::of(&parsed) else {
            return Err(Error::network(url, "the URL names no host"));
        };
        self.block(url, self.settings.limits.connect, stop, async {
            address::addresses(url, &place, &self.settings, None).await.map(drop)
        })
    }

    /// What keeps a URL from being reached, as far as its words say so: the place, and why. A name
    /// is only looked up by a call that may run.
    pub fn kept_from(&self, url: &str) -> Option<(String, &'static str)> {
        address::kept_from(url, &self.settings)
    }

    /// Runs what waits to its end, to the time limit, or until nobody wants it.
    fn block<T>(
        &self,
        url: &str,
        whole: Duration,
        stop: Stop<'_>,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|e| Error::network(url, &e.to_string()))?;
        let stopped = async {
            while !stop() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let done = runtime.block_on(async {
            tokio::select! {
                done = work => done,
                () = stopped => Err(Error::stopped(url)),
                () = tokio::time::sleep(whole) => Err(Error::timeout(url, whole)),
            }
        });
        // A name that is still being looked up blocks a thread; nobody waits for it.
        runtime.shutdown_background();
        done
    }
}

/// The names by which ports of this machine are called.
fn own_ports(ports: &[u16]) -> Vec<String> {
    let hosts = ["127.0.0.1", "localhost", "[::1]"];
    ports.iter().flat_map(|port| hosts.map(|host| format!("{host}:{port}"))).collect()
}
