//! The browser: pages that are opened, read, clicked and typed into over the Chrome DevTools
//! Protocol.
//!
//! Without this crate a model could fetch pages but not use them. What a page says is never obeyed
//! here: its texts are results, and no script of a page runs where ours do.

mod act;
mod cdp;
mod engine;
mod files;
mod page;
mod read;
mod session;
mod shot;
mod told;
mod tree;
mod world;

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Weak};
use std::time::Duration;

use ::files::workspace::Workspace;
use fault::{Cancel, Result};
use parking_lot::Mutex;
use programs::process::Runner;

pub use act::{Click, Clicked};
pub use files::Downloaded;
pub use read::{Found, Wanted};
pub use session::Session;
pub use shot::{Of, Shot};
pub use told::{Done, Status, TabInfo};
pub use tree::Node;

use engine::Engine;

/// What the operator decides about the browser.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Arguments that the browser is given beside those that it always gets.
    pub arguments: Vec<String>,
    /// Where extensions connect to, a port of this machine.
    pub extension_url: String,
    /// After how many failures connecting is left to the next call.
    pub most_attempts: u64,
    /// Between attempts.
    pub interval: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            arguments: Vec::new(),
            extension_url: "ws://localhost:3005".to_owned(),
            most_attempts: 3,
            interval: Duration::from_millis(5000),
        }
    }
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
    numbers: Arc<AtomicU64>,
}

impl Browser {
    /// The browser under these settings; nothing is started.
    pub fn new(settings: Settings, web: web::Client) -> Arc<Self> {
        let (own, numbers) = (Mutex::default(), Arc::default());
        Arc::new(Self { settings, web, own, numbers })
    }

    /// The browser of our own, started if it does not run.
    fn own(&self, with: &With<'_>) -> Result<Arc<Engine>> {
        let mut own = self.own.lock();
        if let Some(engine) = own.upgrade().filter(|engine| engine.lives()) {
            return Ok(engine);
        }
        let numbers = Arc::clone(&self.numbers);
        let engine = Engine::start(with, &self.web, &self.settings.arguments, numbers)?;
        let engine = Arc::new(engine);
        *own = Arc::downgrade(&engine);
        Ok(engine)
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}
