//! The bridge to extensions, which drive the browser of a person.
//!
//! An extension cannot listen, so we do, at a port of this machine; whichever side is there first
//! waits for the other. Of several servers the first listens, and the others reach the extension
//! through it. Only extensions of known ids are answered; ours and other servers prove that they
//! know the token, and that is proven to them. A page that connects is refused by its origin.

mod hub;
mod proof;
mod socket;

use std::io;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use files::State;
use parking_lot::{Condvar, Mutex};

pub(crate) use hub::Extension;
pub(crate) use proof::random;
pub use proof::token;

use hub::{Hub, Who};
use proof::{Role, Secret};
use socket::{Hear, Place, Say, accept};

use crate::world::Numbers;

/// The ids of the extensions that are known: ours, and FloydChrome as it is loaded unpacked. Each
/// follows from the key in its manifest.
pub(crate) const OURS: &str = "ehaajhaaomdcbkecpjoomcmlhhlibljb";
const FLOYD: &str = "cgoejdaeihcgfbdghpcaifocloaoofpj";

/// How often the other side hears from us: the worker of an extension sleeps after 30 seconds
/// without a message.
const PING: Duration = Duration::from_secs(20);

/// Most connections at a time of whom it is not known yet who they are, and most of who say to be
/// FloydChrome, which connects twice.
const UNKNOWN: usize = 16;
const FLOYDS: usize = 8;

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
    hub: Hub,
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

impl Bridge {
    /// Begins to listen, or to dial who listens already.
    pub(crate) fn open(settings: Settings, numbers: Arc<Numbers>) -> Arc<Self> {
        let (life, changed) = Default::default();
        let bridge = Arc::new(Self { settings, hub: Hub::new(numbers), life, changed });
        bridge.ensure();
        bridge
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

    /// Listens or dials until that ends. Whether it goes on.
    fn once(self: &Arc<Self>) -> bool {
        match self.attempt() {
            Ok(()) => !self.life.lock().over,
            Err(why) => self.failed(&why),
        }
    }

    fn attempt(self: &Arc<Self>) -> Result<(), String> {
        let place = Place::of(&self.settings.url)
            .ok_or("the address of the extension is not ws://localhost:PORT")?;
        let token = token(&self.settings.state).map_err(|e| e.message)?;
        let secret = Arc::new(Secret { token, port: place.port });
        let fail = |e: io::Error| format!("port {}: {e}", place.port);
        match place.listen() {
            Ok(listener) => {
                self.succeeded();
                self.listen(&listener, &secret);
            }
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                let (mut hear, say) = place.dial().map_err(fail)?;
                if !secret.introduce(Role::Server, &mut hear, &say).map_err(fail)? {
                    return Err(format!(
                        "port {}: another program listens there, or a Kitbag with another state \
                         directory",
                        place.port
                    ));
                }
                self.succeeded();
                self.serve(hear, say, Who::Dialled).map_err(fail)?;
            }
            Err(error) => return Err(fail(error)),
        }
        Ok(())
    }

    fn succeeded(&self) {
        let mut life = self.life.lock();
        (life.attempts, life.trouble) = (0, None);
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

    fn listen(self: &Arc<Self>, listener: &TcpListener, secret: &Arc<Secret>) {
        // The wait for a connection has no end of its own, so that it is looked for now and then.
        if listener.set_nonblocking(true).is_err() {
            return;
        }
        let unknown = Arc::new(()); // held once more by each connection that is not known yet
        let mut pinged = Instant::now();
        loop {
            match listener.accept() {
                Ok((stream, _)) if Arc::strong_count(&unknown) <= UNKNOWN => {
                    let (bridge, secret) = (Arc::clone(self), Arc::clone(secret));
                    let held = Arc::clone(&unknown);
                    let begun = std::thread::Builder::new().name("extension".to_owned());
                    drop(begun.spawn(move || {
                        if let Err(error) = bridge.attend(stream, &secret, held) {
                            tracing::debug!("a connection to the bridge: {error}");
                        }
                    }));
                }
                Ok(_) => {} // one too many
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
                pinged = Instant::now();
                self.hub.ping();
            }
        }
    }

    /// Hears one connection to its end; `unknown` is held until it is known who it is.
    fn attend(&self, stream: TcpStream, secret: &Secret, unknown: Arc<()>) -> io::Result<()> {
        stream.set_nonblocking(false)?;
        let (mut hear, say, origin) = accept(stream, |origin| self.may(origin))?;
        let ours = format!("chrome-extension://{OURS}");
        let (who, known) = match origin {
            None => (Who::Joined, secret.admit(Role::Server, &mut hear, &say)?),
            Some(origin) if origin == ours => {
                (Who::Extension, secret.admit(Role::Extension, &mut hear, &say)?)
            }
            Some(_) => (Who::Floyd, self.hub.count(Who::Floyd) < FLOYDS),
        };
        drop(unknown);
        if known { self.serve(hear, say, who) } else { Ok(()) }
    }

    /// Hears somebody who is known to the end.
    fn serve(&self, mut hear: Hear, say: Say, who: Who) -> io::Result<()> {
        hear.trust()?;
        let say = Arc::new(say);
        let peer = self.hub.enter(Arc::clone(&say), who);
        while let Some(text) = hear.next() {
            if self.life.lock().over || !self.hub.heard(peer, &text) {
                break;
            }
        }
        say.end();
        self.hub.left(peer);
        Ok(())
    }

    /// Whether a program of this origin may speak with us at all; one without an origin is no page.
    fn may(&self, origin: Option<&str>) -> bool {
        let Some(origin) = origin else { return true };
        let id = origin.strip_prefix("chrome-extension://");
        let known = |id: &str| {
            id == OURS || id == FLOYD || self.settings.ids.iter().any(|further| further == id)
        };
        id.is_some_and(known)
    }
}
