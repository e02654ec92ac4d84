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

/// Who is at the other end of a connection. All but FloydChrome proved that they know the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    /// Our extension.
    Extension,
    /// Who says to be FloydChrome.
    Floyd,
    /// Another server, which reaches the extension through us.
    Joined,
    /// The server through which we reach the extension.
    Dialled,
}

pub(super) struct Hub {
    numbers: Arc<Numbers>,
    peers: Mutex<Peers>,
}

#[derive(Default)]
struct Peers {
    all: Vec<Peer>,
    last: u64,
    /// Requests of other servers on their way.
    relayed: HashMap<u64, Relayed>,
    next: u64,
    /// The extension that the other servers know of.
    announced: Option<u64>,
}

/// A request that another server sent.
struct Relayed {
    from: u64,
    /// Its number there.
    id: Value,
    /// Who was asked, and alone may answer.
    to: u64,
}

struct Peer {
    number: u64,
    say: Arc<Say>,
    who: Who,
    name: String,
    extension: Option<Extension>,
}

impl Hub {
    pub(super) fn new(numbers: Arc<Numbers>) -> Self {
        Self { numbers, peers: Mutex::default() }
    }

    /// Somebody connected, and is known.
    pub(super) fn enter(&self, say: Arc<Say>, who: Who) -> u64 {
        let mut peers = self.peers.lock();
        peers.last += 1;
        let number = peers.last;
        let mut peer = Peer { number, say, who, name: String::new(), extension: None };
        if who == Who::Extension {
            peer.name = "Kitbag's extension".to_owned();
            peer.extension = Some(self.made(&peer, None));
        }
        if who == Who::Joined {
            peer.tell(&peers.announcement());
        }
        peers.all.push(peer);
        peers.announce();
        number
    }

    /// Somebody is gone.
    pub(super) fn left(&self, number: u64) {
        let mut peers = self.peers.lock();
        let Some(at) = peers.all.iter().position(|peer| peer.number == number) else { return };
        let gone = peers.all.remove(at);
        peers.relayed.retain(|_, asked| asked.from != number && asked.to != number);
        gone.extension.iter().for_each(Extension::close);
        peers.announce();
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
        let ping = json!({"jsonrpc": "2.0", "method": "ping", "params": {}});
        self.peers.lock().all.iter().for_each(|peer| peer.tell(&ping));
    }

    pub(super) fn end(&self) {
        self.peers.lock().all.iter().for_each(|peer| peer.say.end());
    }

    /// How many are connected that are this.
    pub(super) fn count(&self, who: Who) -> usize {
        self.peers.lock().all.iter().filter(|peer| peer.who == who).count()
    }

    /// Takes a message; whether the connection goes on. What is said meanwhile only waits to be
    /// written, so nobody waits for a peer that takes nothing.
    pub(super) fn heard(&self, number: u64, text: &str) -> bool {
        let Ok(message) = serde_json::from_str::<Value>(text) else { return true };
        let mut peers = self.peers.lock();
        let Some(at) = peers.all.iter().position(|peer| peer.number == number) else {
            return false;
        };
        let params = &message["params"];
        match (peers.all[at].who, message["method"].as_str()) {
            (_, Some("ping" | "pong")) => {}
            (Who::Floyd, Some("initialized")) => self.initialized(&mut peers, at, params),
            // A client of its own: it is answered, and cannot be driven.
            (Who::Floyd, Some("initialize")) => {
                peers.all[at].name = name_of(&params["clientInfo"]);
                let info = json!({"name": "kitbag", "version": env!("CARGO_PKG_VERSION")});
                let result = json!({
                    "protocolVersion": "2024-11-05", "capabilities": {}, "serverInfo": info,
                });
                peers.all[at]
                    .tell(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}));
            }
            (Who::Dialled, Some("kitbag/extension")) => self.through(&mut peers, at, params),
            (Who::Joined, _) => peers.relay(at, message),
            _ => peers.deliver(at, message),
        }
        true
    }

    /// FloydChrome says what it can do.
    fn initialized(&self, peers: &mut Peers, at: usize, params: &Value) {
        let peer = &mut peers.all[at];
        peer.name = "FloydChrome".to_owned();
        let tools = names_in(&params["capabilities"]["tools"]).filter(|tools| !tools.is_empty());
        let extension = tools.map(|tools| self.made(peer, Some(tools)));
        peer.drives(extension);
        peers.announce();
    }

    /// The server that we dialled tells which extension is reached through it.
    fn through(&self, peers: &mut Peers, at: usize, params: &Value) {
        let peer = &mut peers.all[at];
        peer.name = name_of(params);
        let connected = params["connected"] == true;
        let extension = connected.then(|| self.made(peer, names_in(&params["tools"])));
        peer.drives(extension);
    }

    /// An extension with these tools, or ours, which has none of its own.
    fn made(&self, peer: &Peer, tools: Option<Vec<String>>) -> Extension {
        let say = Arc::clone(&peer.say);
        let floyd = tools.is_some();
        let send = move |text: &str| {
            // FloydChrome wants the version of the protocol, which a browser would refuse.
            match text.strip_prefix('{').filter(|_| floyd) {
                Some(rest) => say.text(&format!("{{\"jsonrpc\":\"2.0\",{rest}")),
                None => say.text(text),
            }
        };
        let cdp = Arc::new(Cdp::new(Box::new(send), World::new(Arc::clone(&self.numbers), None)));
        if let Some(tools) = tools {
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

fn names_in(list: &Value) -> Option<Vec<String>> {
    Some(list.as_array()?.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect())
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
    /// What is driven over it from now on.
    fn drives(&mut self, extension: Option<Extension>) {
        self.extension.iter().for_each(Extension::close);
        self.extension = extension;
    }

    /// Says something; if it is gone, the thread that hears it learns of that.
    fn tell(&self, message: &Value) {
        drop(self.say.text(&message.to_string()));
    }
}

impl Peers {
    fn best(&self) -> Option<&Peer> {
        let able = self.all.iter().filter(|peer| peer.extension.is_some());
        able.max_by_key(|peer| (matches!(peer.extension, Some(Extension::Browser(_))), peer.number))
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

    /// Tells the other servers if the extension is another now.
    fn announce(&mut self) {
        let best = self.best().map(|peer| peer.number);
        if self.announced != best {
            self.announced = best;
            self.tell_servers(&self.announcement());
        }
    }

    /// Tells all servers that reach the extension through us.
    fn tell_servers(&self, message: &Value) {
        self.all.iter().filter(|peer| peer.who == Who::Joined).for_each(|peer| peer.tell(message));
    }

    /// Passes a request of another server on to the extension, under a number of ours.
    fn relay(&mut self, at: usize, mut message: Value) {
        let (from, id) = (self.all[at].number, message["id"].clone());
        let Some((to, say)) = self.best().map(|peer| (peer.number, Arc::clone(&peer.say))) else {
            let error = json!({"code": -32000, "message": "no extension is connected"});
            return self.all[at].tell(&json!({"id": id, "error": error}));
        };
        self.next += 1;
        let number = OF_OTHERS + self.next;
        self.relayed.insert(number, Relayed { from, id, to });
        message["id"] = number.into();
        drop(say.text(&message.to_string())); // its end is heard by the thread that reads it
    }

    /// What an extension says: an answer to who asked, an event of the one that is used to all.
    fn deliver(&mut self, at: usize, mut message: Value) {
        let peer = &self.all[at];
        let id = message["id"].as_u64();
        if let Some(id) = id.filter(|id| *id > OF_OTHERS) {
            let asked = self.relayed.get(&id).is_some_and(|asked| asked.to == peer.number);
            if let Some(Relayed { from, id, .. }) =
                asked.then(|| self.relayed.remove(&id)).flatten()
            {
                message["id"] = id;
                self.all.iter().filter(|one| one.number == from).for_each(|one| one.tell(&message));
            }
            return;
        }
        if id.is_none() && self.announced == Some(peer.number) {
            self.tell_servers(&message);
        }
        if let Some(extension) = &peer.extension {
            extension.cdp().take(message);
        }
    }
}
