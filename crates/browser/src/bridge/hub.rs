//! Who is connected, which of them is the extension, and what goes from whom to whom.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::socket::Say;
use crate::cdp::Cdp;
use crate::engine::Engine;
use crate::foreign::Foreign;
use crate::world::{Numbers, World};

/// The first number of requests that other servers sent; our own are smaller.
const OF_OTHERS: u64 = 1 << 40;

/// What an extension can do.
#[derive(Clone)]
pub(crate) enum Extension {
    /// Ours: it passes the protocol of the browser on.
    Browser(Arc<Engine>),
    /// FloydChrome: it has tools of its own.
    Tools(Arc<Foreign>),
}

pub(super) struct Hub {
    numbers: Arc<Numbers>,
    peers: Mutex<Peers>,
}

#[derive(Default)]
struct Peers {
    all: Vec<Peer>,
    last: u64,
    /// Requests of other servers on their way: who sent them, and under which number.
    relayed: HashMap<u64, (u64, Value)>,
    next: u64,
}

struct Peer {
    number: u64,
    say: Arc<Say>,
    /// It may speak without a token.
    trusted: bool,
    /// It has the origin of our extension.
    ours: bool,
    /// It is another server that reaches the extension through us.
    joined: bool,
    name: String,
    extension: Option<Extension>,
}

impl Hub {
    pub(super) fn new(numbers: Arc<Numbers>) -> Self {
        Self { numbers, peers: Mutex::default() }
    }

    /// Somebody connected.
    pub(super) fn enter(&self, say: Arc<Say>, trusted: bool, ours: bool) -> u64 {
        let mut peers = self.peers.lock();
        peers.last += 1;
        let number = peers.last;
        let (joined, name, extension) = (false, String::new(), None);
        peers.all.push(Peer { number, say, trusted, ours, joined, name, extension });
        number
    }

    /// Somebody is gone.
    pub(super) fn left(&self, number: u64) {
        let mut peers = self.peers.lock();
        let Some(at) = peers.all.iter().position(|peer| peer.number == number) else { return };
        let gone = peers.all.remove(at);
        peers.relayed.retain(|_, (sender, _)| *sender != number);
        if let Some(extension) = gone.extension {
            extension.close();
            peers.announce();
        }
    }

    /// The extension that is used: of those that can do most, the one that came last. So a request
    /// is sent once, though an extension may be connected twice.
    pub(super) fn extension(&self) -> Option<Extension> {
        self.peers.lock().best().and_then(|peer| peer.extension.clone())
    }

    /// What the extension is called, and who is connected that cannot be driven.
    pub(super) fn names(&self) -> (Option<String>, Option<String>) {
        let peers = self.peers.lock();
        let idle = peers.all.iter().find(|peer| peer.extension.is_none() && !peer.name.is_empty());
        (peers.best().map(|peer| peer.name.clone()), idle.map(|peer| peer.name.clone()))
    }

    pub(super) fn ping(&self) {
        let ping = json!({"jsonrpc": "2.0", "method": "ping", "params": {}}).to_string();
        let all: Vec<_> = self.peers.lock().all.iter().map(|peer| Arc::clone(&peer.say)).collect();
        for say in all {
            if say.text(&ping).is_err() {
                say.end();
            }
        }
    }

    pub(super) fn end(&self) {
        let peers = self.peers.lock();
        peers.all.iter().for_each(|peer| peer.say.end());
    }

    /// Takes a message; whether the connection goes on.
    pub(super) fn heard(&self, number: u64, text: &str, token: &str) -> bool {
        let Ok(message) = serde_json::from_str::<Value>(text) else { return true };
        let mut peers = self.peers.lock();
        let Some(at) = peers.all.iter().position(|peer| peer.number == number) else {
            return false;
        };
        let params = &message["params"];
        match message["method"].as_str() {
            Some("initialized") => return self.initialized(&mut peers, at, params, token),
            Some("kitbag/join") => return peers.join(at, params["token"] == token),
            Some("kitbag/extension") if peers.all[at].trusted => {
                self.through(&mut peers, at, params);
                return true;
            }
            Some("kitbag/refused" | "pong" | "ping") => return true,
            _ if !peers.all[at].trusted => return false,
            // A client of its own: it is answered, and cannot be driven.
            Some("initialize") => {
                peers.all[at].name = name_of(&params["clientInfo"]);
                let info = json!({"name": "kitbag", "version": env!("CARGO_PKG_VERSION")});
                let result = json!({
                    "protocolVersion": "2024-11-05", "capabilities": {}, "serverInfo": info,
                });
                let id = &message["id"];
                return peers.all[at].tell(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
            }
            _ => {}
        }
        if peers.all[at].joined {
            return peers.relay(at, message);
        }
        peers.deliver(at, message)
    }

    /// An extension says what it is.
    fn initialized(&self, peers: &mut Peers, at: usize, params: &Value, token: &str) -> bool {
        let peer = &mut peers.all[at];
        if peer.ours && params["token"] != token {
            let why = "the token is not the one that `kitbag pair` prints";
            peer.tell(&json!({"method": "kitbag/refused", "params": {"why": why}}));
            return false;
        }
        peer.trusted |= peer.ours;
        if !peer.trusted {
            return false;
        }
        let tools = params["capabilities"]["tools"].as_array();
        let tools: Vec<String> =
            tools.into_iter().flatten().filter_map(|t| t.as_str().map(str::to_owned)).collect();
        let name = if peer.ours { "Kitbag's extension" } else { "FloydChrome" };
        peer.name = name.to_owned();
        peer.extension = (peer.ours || !tools.is_empty()).then(|| self.made(peer, tools));
        peers.announce();
        true
    }

    /// Another server tells which extension is reached through it.
    fn through(&self, peers: &mut Peers, at: usize, params: &Value) {
        let peer = &mut peers.all[at];
        if let Some(old) = peer.extension.take() {
            old.close();
        }
        let tools = params["tools"].as_array();
        let tools: Option<Vec<String>> =
            tools.map(|all| all.iter().filter_map(|t| t.as_str().map(str::to_owned)).collect());
        peer.name = name_of(params);
        peer.ours = tools.is_none();
        if params["connected"] == true {
            peer.extension = Some(self.made(peer, tools.unwrap_or_default()));
        }
    }

    fn made(&self, peer: &Peer, tools: Vec<String>) -> Extension {
        let say = Arc::clone(&peer.say);
        let floyd = !peer.ours;
        let send = move |text: &str| {
            // FloydChrome wants the version of the protocol, which a browser would refuse.
            match text.strip_prefix('{').filter(|_| floyd) {
                Some(rest) => say.text(&format!("{{\"jsonrpc\":\"2.0\",{rest}")),
                None => say.text(text),
            }
        };
        let cdp = Arc::new(Cdp::new(Box::new(send), World::new(Arc::clone(&self.numbers))));
        if floyd {
            return Extension::Tools(Arc::new(Foreign::new(cdp, tools)));
        }
        cdp.tell(None, "Target.setDiscoverTargets", json!({"discover": true}));
        Extension::Browser(Arc::new(Engine { cdp, own: None }))
    }
}

fn name_of(info: &Value) -> String {
    let name = info["name"].as_str().unwrap_or("an extension");
    fault::cut(&fault::visible(name), 60).into_owned()
}

impl Extension {
    fn cdp(&self) -> &Cdp {
        match self {
            Self::Browser(engine) => &engine.cdp,
            Self::Tools(foreign) => foreign.cdp(),
        }
    }

    fn close(&self) {
        self.cdp().close();
    }
}

impl Peer {
    fn tell(&self, message: &Value) -> bool {
        self.say.text(&message.to_string()).is_ok()
    }
}

impl Peers {
    fn best(&self) -> Option<&Peer> {
        let able = self.all.iter().filter(|peer| peer.extension.is_some());
        able.max_by_key(|peer| (matches!(peer.extension, Some(Extension::Browser(_))), peer.number))
    }

    /// Another server wants to reach the extension.
    fn join(&mut self, at: usize, knows: bool) -> bool {
        let peer = &mut self.all[at];
        (peer.joined, peer.trusted) = (knows, knows);
        knows && self.all[at].tell(&self.announcement())
    }

    /// Which extension there is, for the other servers.
    fn announcement(&self) -> Value {
        let extension = self.best().map(|peer| match &peer.extension {
            Some(Extension::Tools(foreign)) => json!({"name": peer.name, "tools": foreign.names()}),
            _ => json!({"name": peer.name}),
        });
        let mut params = extension.unwrap_or_else(|| json!({}));
        params["connected"] = self.best().is_some().into();
        json!({"method": "kitbag/extension", "params": params})
    }

    fn announce(&self) {
        self.tell_servers(&self.announcement());
    }

    /// Tells all servers that reach the extension through us; of one that is gone its own thread
    /// learns.
    fn tell_servers(&self, message: &Value) {
        for peer in self.all.iter().filter(|peer| peer.joined) {
            peer.tell(message);
        }
    }

    /// Passes a request of another server on to the extension, under a number of ours.
    fn relay(&mut self, at: usize, mut message: Value) -> bool {
        let (from, id) = (self.all[at].number, message["id"].clone());
        let Some(to) = self.best().map(|peer| Arc::clone(&peer.say)) else {
            let error = json!({"code": -32000, "message": "no extension is connected"});
            return self.all[at].tell(&json!({"id": id, "error": error}));
        };
        self.next += 1;
        let number = OF_OTHERS + self.next;
        self.relayed.insert(number, (from, id));
        message["id"] = number.into();
        drop(to.text(&message.to_string())); // its end is heard by the thread that reads it
        true
    }

    /// What an extension says: an answer to who asked, an event to all.
    fn deliver(&mut self, at: usize, mut message: Value) -> bool {
        let id = message["id"].as_u64();
        if let Some((from, id)) = id.and_then(|id| self.relayed.remove(&id)) {
            message["id"] = id;
            if let Some(asked) = self.all.iter().find(|peer| peer.number == from) {
                asked.tell(&message);
            }
            return true;
        }
        if id.is_none() {
            self.tell_servers(&message);
        }
        if let Some(extension) = &self.all[at].extension {
            extension.cdp().take(message);
        }
        true
    }
}
