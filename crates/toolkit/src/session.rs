//! What one conversation owns: it lives from the first call to the last and nothing is global.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use fault::Result;
use files::journal::Journal;
use files::{Access, Limits, State, Workspace};
use index::Index;
use programs::process::{self, Runner};

use crate::approval::Desk;
use crate::audit::Audit;
use crate::gateway::Doors;
use crate::kept::Kept;
use crate::policy::{Decision, Policy, decide};
use crate::slots::Slots;
use crate::tool::{Effect, Permission};
use crate::toolset::Toolset;

/// What a session is made from.
#[derive(Debug)]
pub struct Settings {
    /// The folder that relative paths start at.
    pub root: PathBuf,
    /// Further folders, by what may be done there.
    pub allow: Vec<(PathBuf, Access)>,
    /// Protected paths that may be changed without asking, relative to the root.
    pub allow_protected: Vec<PathBuf>,
    /// Where Kitbag keeps its own files.
    pub state: State,
    /// Where the user's cache is; it may not exist yet.
    pub cache: PathBuf,
    /// What runs without being asked.
    pub policy: Policy,
    /// Where questions go.
    pub desk: Desk,
    /// Environment and sandbox of programs.
    pub programs: process::Settings,
    /// What of the network may be reached, and who searches it.
    pub web: web::Settings,
    /// The bounds.
    pub limits: Limits,
    /// Whether a change is on the disk, not only in the operating system's memory, when its call
    /// is answered.
    pub durable: bool,
}

/// One conversation.
pub struct Session {
    pub(crate) toolset: Toolset,
    pub(crate) workspace: Workspace,
    pub(crate) journal: Journal,
    pub(crate) runner: Runner,
    pub(crate) kept: Kept,
    pub(crate) index: Index,
    pub(crate) cache_dir: PathBuf,
    pub(crate) web: web::Client,
    pub(crate) state: State,
    pub(crate) policy: Policy,
    pub(crate) desk: Desk,
    pub(crate) audit: Audit,
    pub(crate) gates: Gates,
    pub(crate) slots: Slots,
    grants: Mutex<HashSet<(&'static str, String)>>,
    result_bytes: AtomicUsize,
}

impl Session {
    /// Opens a session over a toolset. Nothing is written and no program is started yet.
    ///
    /// # Errors
    /// `DirectoryNotFound` or `NotADirectory` if a root is no folder.
    pub fn open(toolset: Toolset, settings: Settings) -> Result<Arc<Self>> {
        let id = files::journal::new_id();
        let result_bytes = settings.limits.result_bytes.into();
        let workspace = Workspace::open(&settings.root, &settings.allow, settings.limits)?;
        let journal = Journal::new(
            settings.state.clone(),
            workspace.root().to_owned(),
            id.clone(),
            settings.durable,
            settings.allow_protected,
        );
        let doors = Doors(web::Client::new(settings.web.clone()));
        let programs = process::Settings { gateway: Some(Arc::new(doors)), ..settings.programs };
        Ok(Arc::new(Self {
            toolset,
            workspace,
            journal,
            runner: Runner::new(programs, settings.state.clone(), &id),
            kept: Kept::default(),
            index: Index::new(settings.state.clone()),
            cache_dir: settings.cache,
            web: web::Client::new(settings.web),
            state: settings.state.clone(),
            policy: settings.policy,
            desk: settings.desk,
            audit: Audit::new(settings.state, id),
            gates: Gates::default(),
            slots: Slots::default(),
            grants: Mutex::default(),
            result_bytes,
        }))
    }

    /// The tools of the session.
    pub fn toolset(&self) -> &Toolset {
        &self.toolset
    }

    /// The folders of the session.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The changes that were made in the root, for looking and for undo.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The programs of the session.
    pub fn runner(&self) -> &Runner {
        &self.runner
    }

    /// What runs without being asked.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Ends the programs that still run and writes what waits to be written.
    pub fn end(&self) {
        self.runner.end_all();
        self.audit.flush();
    }

    /// Most bytes of a text result.
    pub fn result_bytes(&self) -> usize {
        self.result_bytes.load(Ordering::Relaxed)
    }

    /// Sets the most bytes of a text result, when it is known how much the client will show.
    pub fn set_result_bytes(&self, bytes: usize) {
        self.result_bytes.store(bytes, Ordering::Relaxed);
    }

    /// What the policy, and a person who answered for the session, say about a call.
    pub(crate) fn decide(
        &self,
        tool: &'static str,
        permission: Permission,
        does: Effect,
        grant: &str,
    ) -> Decision {
        match decide(self.policy, permission, does) {
            Decision::Ask if self.is_granted(tool, permission, grant) => Decision::Allow,
            decision => decision,
        }
    }

    fn is_granted(&self, tool: &'static str, permission: Permission, grant: &str) -> bool {
        let grants = self.grants.lock().unwrap_or_else(PoisonError::into_inner);
        grants.contains(&granted(tool, permission, grant))
    }

    pub(crate) fn grant(&self, tool: &'static str, permission: Permission, grant: &str) {
        let mut grants = self.grants.lock().unwrap_or_else(PoisonError::into_inner);
        grants.insert(granted(tool, permission, grant));
    }
}

/// What a yes for the session holds for: of what is dangerous exactly that which was shown, since
/// the next command line of the same tool may be any.
fn granted(tool: &'static str, permission: Permission, grant: &str) -> (&'static str, String) {
    let all = permission < Permission::Dangerous;
    (tool, if all { String::new() } else { grant.to_owned() })
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("root", &self.workspace.root()).finish_non_exhaustive()
    }
}

type Gate = Arc<tokio::sync::RwLock<()>>;

/// Lets calls of one session that touch the same file run in the order in which they came.
/// Between processes the lock of the file itself does that.
#[derive(Debug, Default)]
pub(crate) struct Gates {
    files: Mutex<HashMap<PathBuf, Gate>>,
    /// Shared by all calls that change files.
    changes: Gate,
}

/// Held while a call runs.
#[derive(Debug)]
#[expect(dead_code, reason = "held, not read: dropping them opens the gate")]
pub(crate) enum Pass {
    Shared(tokio::sync::OwnedRwLockReadGuard<()>),
    Alone(tokio::sync::OwnedRwLockWriteGuard<()>),
}

impl Gates {
    /// Waits until no earlier call changes these real paths, and for a change until none works on
    /// them. A `wide` call may look anywhere, so it waits for all earlier changes; nobody waits
    /// for it.
    pub(crate) async fn pass(
        &self,
        mut paths: Vec<PathBuf>,
        wide: bool,
        effect: Effect,
    ) -> Vec<Pass> {
        if wide {
            drop(self.changes.write().await);
        }
        paths.sort_unstable(); // one order for all, so that two calls never wait for each other
        paths.dedup();
        let mut passes = Vec::with_capacity(paths.len() + 1);
        let changes = effect.writes();
        if changes {
            passes.push(Pass::Shared(Arc::clone(&self.changes).read_owned().await));
        }
        for gate in self.gates(paths) {
            passes.push(if changes {
                Pass::Alone(gate.write_owned().await)
            } else {
                Pass::Shared(gate.read_owned().await)
            });
        }
        passes
    }

    fn gates(&self, paths: Vec<PathBuf>) -> Vec<Gate> {
        let mut gates = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if gates.len() > 256 {
            gates.retain(|_, gate| Arc::strong_count(gate) > 1);
        }
        paths.into_iter().map(|path| gates.entry(path).or_default().clone()).collect()
    }
}
