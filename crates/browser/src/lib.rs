//! The browser: pages that are opened, read, clicked and typed into over the Chrome DevTools
//! Protocol.
//!
//! Without this crate a model could fetch pages but not use them. What a page says is never obeyed
//! here: its texts are results, and no script of a page runs where ours do.

mod act;
mod bridge;
mod cdp;
mod engine;
mod files;
mod find;
mod foreign;
mod open;
mod outcome;
mod page;
mod read;
mod session;
mod shot;
mod told;
mod tree;
mod world;

use std::sync::{Arc, Weak};

use ::files::workspace::Workspace;
use fault::{Cancel, Result};
use parking_lot::Mutex;
use programs::process::Runner;

pub use act::{Click, Clicked};
pub use bridge::{Settings as Extensions, token};
pub use files::Downloaded;
pub use find::Found;
pub use read::Wanted;
pub use session::Session;
pub use shot::{Of, Shot};
pub use told::{Done, Status, TabInfo};
pub use tree::Node;

use bridge::Bridge;
use engine::Engine;
use world::Numbers;

/// What the operator decides about the browser.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// How extensions are reached; `None` if they are turned off.
    pub extension: Option<Extensions>,
}

/// What a call brings along.
#[derive(Clone, Copy)]
pub struct With<'a> {
    /// Who starts the browser.
    pub runner: &'a Runner,
    /// The directories of the project.
    pub workspace: &'a Workspace,
    /// Set when nobody wants the answer any more.
    pub cancel: &'a Cancel,
    /// The ports of this machine on which programs listen that the project's sessions started.
    pub ports: &'a [u16],
}

/// The browser of a project, which its sessions share; each has a context of its own in it. It is
/// started when it is needed first, and ends with the last session that used it.
#[derive(Debug)]
pub struct Browser {
    settings: Settings,
    web: web::Client,
    own: Mutex<Weak<Engine>>,
    numbers: Arc<Numbers>,
    bridge: Mutex<Option<Arc<Bridge>>>,
}

impl Browser {
    /// The browser under these settings; nothing is started.
    pub fn new(settings: Settings, web: web::Client) -> Arc<Self> {
        let (own, numbers, bridge) = Default::default();
        Arc::new(Self { settings, web, own, numbers, bridge })
    }

    /// Begins to wait for extensions, if any are wanted and nobody waits yet. Every call does so
    /// first; a server that does it when it starts has the extension by the first call.
    pub fn listen(&self) {
        let _ = self.bridge();
    }

    /// The bridge to extensions; `None` if they are turned off.
    fn bridge(&self) -> Option<Arc<Bridge>> {
        let settings = self.settings.extension.as_ref()?;
        let mut bridge = self.bridge.lock();
        let open = || Bridge::open(settings.clone(), Arc::clone(&self.numbers));
        let bridge = bridge.get_or_insert_with(open);
        bridge.ensure();
        Some(Arc::clone(bridge))
    }

    /// The browser of our own, started if it does not run.
    fn own(&self, with: &With<'_>) -> Result<Arc<Engine>> {
        let mut own = self.own.lock();
        if let Some(engine) = own.upgrade().filter(|engine| engine.lives()) {
            return Ok(engine);
        }
        let numbers = Arc::clone(&self.numbers);
        let engine = Engine::start(with, &self.web, numbers)?;
        let engine = Arc::new(engine);
        *own = Arc::downgrade(&engine);
        Ok(engine)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if let Some(bridge) = self.bridge.get_mut().take() {
            bridge.end();
        }
    }
}

impl std::fmt::Debug for Bridge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bridge").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}
