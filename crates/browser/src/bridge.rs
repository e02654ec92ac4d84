//! The bridge to extensions, which drive the browser of a person.
//!
//! An extension cannot listen, so we do, at a port of this machine; whichever side is there first
//! waits for the other. Of several servers the first listens, and the others reach the extension
//! through it. Only extensions of known ids are answered, ours only with its token; a page that
//! connects is refused by its origin.

mod hub;
mod socket;

use std::io::{self, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use fault::{Error, Result};
use files::State;
use parking_lot::{Condvar, Mutex};
use serde_json::json;

pub(crate) use hub::Extension;

use hub::Hub;
use socket::{Hear, Place, Say, accept};

use crate::world::Numbers;

/// The ids of the extensions that are known: ours, and FloydChrome as it is loaded unpacked. Each
/// follows from the key in its manifest.
pub(crate) const OURS: &str = "ehaajhaaomdcbkecpjoomcmlhhlibljb";
const FLOYD: &str = "cgoejdaeihcgfbdghpcaifocloaoofpj";

/// How often the other side hears from us: the worker of an extension sleeps after 30 seconds
/// without a message.
const PING: Duration = Duration::from_secs(20);

/// The name of the file with the token, in the state directory.
const TOKEN: &str = "extension-token";

/// What the operator decides about extensions.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where they connect to: `ws://localhost:PORT`.
    pub url: String,
    /// After how many failures connecting is left to the next call.
    pub most_attempts: u64,
    /// Between attempts.
    pub interval: Duration,
    /// Ids of further extensions that speak as FloydChrome does.
    pub ids: Vec<String>,
    /// Where the token is kept that ours must know.
    pub state: State,
}

/// The connection to an extension, or the wait for one.
pub(crate) struct Bridge {
    settings: Settings,
    token: String,
    hub: Arc<Hub>,
    life: Mutex<Life>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Life {
    /// Whether a thread cares for it.
    runs: bool,
    attempts: u64,
    /// Why it came to nothing, the last time.
    trouble: Option<String>,
    /// Set for good when the bridge is dropped.
    over: bool,
}

/// How it is with extensions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Health {
    pub(crate) connected: Option<String>,
    /// Who is connected and cannot be driven.
    pub(crate) idle: Option<String>,
    pub(crate) attempts: u64,
    pub(crate) trouble: Option<String>,
}

/// The token that our extension is paired with, made if there is none.
///
/// # Errors
/// `Io` if the state directory cannot be used.
pub fn token(state: &State) -> Result<String> {
    let fail = |e: &io::Error| Error::state_io(&state.dir().join(TOKEN), e);
    let mut file = state.file("", TOKEN)?;
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(|e| fail(&e))?;
    if text.trim().len() >= 32 {
        return Ok(text.trim().to_owned());
    }
    let mut bytes = [0_u8; 16];
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())
        .map_err(|e| fail(&e.into()))?;
    let token: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    file.write_all(token.as_bytes()).map_err(|e| fail(&e))?;
    Ok(token)
}

impl Bridge {
    /// Begins to listen, or to dial who listens already.
    pub(crate) fn open(settings: Settings, numbers: Arc<Numbers>) -> Result<Arc<Self>> {
        let token = token(&settings.state)?;
        let hub = Arc::new(Hub::new(numbers));
        let (life, changed) = Default::default();
        let bridge = Arc::new(Self { settings, token, hub, life, changed });
        bridge.ensure();
        Ok(bridge)
    }

    /// Tries again, if it was given up.
    pub(crate) fn ensure(self: &Arc<Self>) {
        let mut life = self.life.lock();
        if life.runs || life.over {
            return;
        }
        life.runs = true;
        life.attempts = 0;
        let bridge = Arc::clone(self);
        let begun = std::thread::Builder::new()
            .name("bridge".to_owned())
            .spawn(move || while bridge.once() {});
        life.runs = begun.is_ok();
    }

    /// The extension that is connected.
    pub(crate) fn extension(&self) -> Option<Extension> {
        self.hub.extension()
    }

    /// Ends all connections, for good.
    pub(crate) fn end(&self) {
        self.life.lock().over = true;
        self.changed.notify_all();
        self.hub.end();
    }

    pub(crate) fn health(&self) -> Health {
        let life = self.life.lock();
        let (connected, idle) = self.hub.names();
        Health { connected, idle, attempts: life.attempts, trouble: life.trouble.clone() }
    }

    /// Listens until that ends, or dials and hears until that ends. Whether it goes on.
    fn once(self: &Arc<Self>) -> bool {
        let Some(place) = Place::of(&self.settings.url) else {
            return self.failed("the address of the extension is not ws://localhost:PORT");
        };
        match place.listen() {
            Ok(listener) => {
                self.life.lock().attempts = 0;
                self.listen(&listener);
                !self.life.lock().over
            }
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => match place.dial() {
                Ok((hear, say)) => {
                    self.life.lock().attempts = 0;
                    self.join(hear, Arc::new(say));
                    !self.life.lock().over
                }
                Err(error) => self.failed(&format!("port {}: {error}", place.port)),
            },
            Err(error) => self.failed(&format!("port {}: {error}", place.port)),
        }
    }

    /// Waits before the next attempt; gives up after the last.
    fn failed(&self, why: &str) -> bool {
        let mut life = self.life.lock();
        life.attempts += 1;
        life.trouble = Some(why.to_owned());
        if life.attempts >= self.settings.most_attempts {
            life.runs = false;
            return false;
        }
        self.changed.wait_for(&mut life, self.settings.interval);
        !life.over
    }

    fn listen(self: &Arc<Self>, listener: &TcpListener) {
        self.life.lock().trouble = None;
        // The wait for a connection has no end of its own, so that it is looked for now and then.
        if listener.set_nonblocking(true).is_err() {
            return;
        }
        let mut pinged = std::time::Instant::now();
        loop {
            match listener.accept() {
                Ok((stream, _)) => {
                    let bridge = Arc::clone(self);
                    let begun = std::thread::Builder::new().name("extension".to_owned());
                    drop(begun.spawn(move || {
                        if let Err(error) = bridge.attend(stream) {
                            tracing::debug!("a connection to the bridge: {error}");
                        }
                    }));
                }
                Err(_) => {
                    let mut life = self.life.lock();
                    if !life.over {
                        self.changed.wait_for(&mut life, Duration::from_millis(50));
                    }
                    if life.over {
                        return;
                    }
                }
            }
            if pinged.elapsed() >= PING {
                pinged = std::time::Instant::now();
                self.hub.ping();
            }
        }
    }

    /// Hears one connection to its end.
    fn attend(&self, stream: std::net::TcpStream) -> io::Result<()> {
        stream.set_nonblocking(false)?;
        let (mut hear, say, origin) = accept(stream, |origin| self.may(origin))?;
        let ours = origin.as_deref() == Some(&format!("chrome-extension://{OURS}"));
        let say = Arc::new(say);
        let trusted = origin.is_some() && !ours;
        let peer = self.hub.enter(Arc::clone(&say), trusted, ours);
        while let Some(text) = hear.next() {
            if !self.hub.heard(peer, &text, &self.token) {
                break;
            }
        }
        say.end();
        self.hub.left(peer);
        Ok(())
    }

    /// Whether a program of this origin may speak with us at all; one without an origin is no page
    /// and must know the token.
    fn may(&self, origin: Option<&str>) -> bool {
        let Some(origin) = origin else { return true };
        let id = origin.strip_prefix("chrome-extension://");
        let known = |id: &str| {
            id == OURS || id == FLOYD || self.settings.ids.iter().any(|further| further == id)
        };
        id.is_some_and(known)
    }

    /// Reaches the extension through who listens already.
    fn join(&self, mut hear: Hear, say: Arc<Say>) {
        let join = json!({
            "jsonrpc": "2.0", "method": "kitbag/join", "params": {"token": self.token},
        });
        if say.text(&join.to_string()).is_err() {
            return;
        }
        self.life.lock().trouble = None;
        let peer = self.hub.enter(Arc::clone(&say), true, false);
        while let Some(text) = hear.next() {
            if self.life.lock().over || !self.hub.heard(peer, &text, &self.token) {
                break;
            }
        }
        say.end();
        self.hub.left(peer);
    }
}
