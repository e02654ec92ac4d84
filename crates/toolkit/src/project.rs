//! What all conversations about one project share: its root, journal, index and programs, and the
//! gates that keep their calls in order.

use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Once};

use browser::Browser;
use fault::Result;
use files::journal::Journal;
use files::{Access, Limits, State, Workspace};
use index::Index;
use programs::git::Watched;
use programs::process::{self, Runner};

use crate::audit::Audit;
use crate::desk::{Desk, Seat};
use crate::events::{Events, Stream};
use crate::gate::Gates;
use crate::gateway::Doors;
use crate::policy::Policy;
use crate::session::Session;
use crate::slots::Slots;
use crate::toolset::Toolset;

/// What a project is made from.
#[derive(Debug)]
pub struct Settings {
    /// The directory that relative paths start at.
    pub root: PathBuf,
    /// Further directories, by what may be done there.
    pub allow: Vec<(PathBuf, Access)>,
    /// Protected paths that may be changed without asking, relative to the root.
    pub allow_protected: Vec<PathBuf>,
    /// Where Kitbag keeps its own files.
    pub state: State,
    /// Where the user's cache is; it may not exist yet.
    pub cache: PathBuf,
    /// Environment and sandbox of programs.
    pub programs: process::Settings,
    /// What of the network may be reached, and who searches it.
    pub web: web::Settings,
    /// Which browsers may be driven, and how.
    pub browser: browser::Settings,
    /// The bounds.
    pub limits: Limits,
    /// Whether a change is on the disk, not only in the operating system's memory, when its call
    /// is answered.
    pub durable: bool,
}

impl Settings {
    /// The defaults for the directory `root`: nothing outside of it, no network, and the cache in
    /// the state directory.
    pub fn new(root: impl Into<PathBuf>, state: State) -> Self {
        Self {
            root: root.into(),
            allow: Vec::new(),
            allow_protected: Vec::new(),
            cache: state.dir().join("cache"),
            state,
            programs: process::Settings::default(),
            web: web::Settings::default(),
            browser: browser::Settings::default(),
            limits: Limits::default(),
            durable: true,
        }
    }
}

/// A root and all that belongs to it, however many sessions work in it. A process opens one for
/// each root: two would not see each other's calls.
pub struct Project {
    pub(crate) workspace: Workspace,
    pub(crate) journal: Journal,
    pub(crate) runner: Runner,
    pub(crate) index: Index,
    /// What git said of the repository.
    pub(crate) git: Watched,
    pub(crate) cache_dir: PathBuf,
    pub(crate) web: web::Client,
    pub(crate) browser: Arc<Browser>,
    pub(crate) state: State,
    pub(crate) desk: Arc<Desk>,
    pub(crate) events: Events,
    pub(crate) audit: Audit,
    pub(crate) gates: Gates,
    pub(crate) slots: Slots,
    /// How many calls there were.
    pub(crate) calls: AtomicU64,
    settled: Once,
}

impl Project {
    /// Opens a project. Nothing is written and no program is started yet.
    ///
    /// # Errors
    /// `DirectoryNotFound` or `NotADirectory` if a root is no directory.
    pub fn open(settings: Settings) -> Result<Arc<Self>> {
        let id = files::journal::new_id();
        let Settings { state, limits, .. } = settings;
        let workspace = Workspace::open(&settings.root, &settings.allow, limits.clone())?;
        let root = workspace.root().to_owned();
        let persons_git = settings.programs.persons_git();
        let doors = Doors(web::Client::new(settings.web.clone()));
        let programs = process::Settings { gateway: Some(Arc::new(doors)), ..settings.programs };
        Ok(Arc::new(Self {
            journal: Journal::new(
                state.clone(),
                root.clone(),
                id.clone(),
                settings.durable,
                settings.allow_protected,
            )
            .with_git(persons_git),
            runner: Runner::new(programs, state.clone(), &id),
            index: Index::new(state.clone()),
            git: Watched::default(),
            cache_dir: settings.cache,
            browser: Browser::new(settings.browser, web::Client::new(settings.web.clone())),
            web: web::Client::new(settings.web),
            desk: Arc::default(),
            events: Events::default(),
            audit: Audit::new(state.clone()),
            gates: Gates::default(),
            slots: Slots::default(),
            calls: AtomicU64::new(0),
            settled: Once::new(),
            state,
            workspace,
        }))
    }

    /// A conversation of its own: with its tools, its policy, and no knowledge of the files yet.
    pub fn session(self: &Arc<Self>, toolset: Toolset, policy: Policy) -> Arc<Session> {
        Arc::new(Session::new(Arc::clone(self), toolset, policy))
    }

    /// The directories of the project, as nobody has read them.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The changes that were made in the root, for looking and for undo.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The programs of the project.
    pub fn runner(&self) -> &Runner {
        &self.runner
    }

    /// Lets searches rest on what the kernel reports of the root, for a process that makes more
    /// than one. Nothing happens before the first.
    pub fn watch(&self) {
        self.workspace.watch(&self.state, Some(self.index.digest()));
    }

    /// Begins to wait for extensions that drive the browser of a person, if any are wanted.
    pub fn await_extensions(&self) {
        self.browser.listen();
    }

    /// A seat that sees the questions of all sessions.
    pub fn sit(&self) -> Seat {
        Desk::sit(&self.desk, None)
    }

    /// What happens from now on.
    pub fn events(&self) -> Stream {
        self.events.listen()
    }

    /// Before the first call: sets right what a killed server left half done, so that nobody reads it.
    pub(crate) fn settle(&self) {
        self.settled.call_once(|| {
            if let Err(error) = self.journal.settle() {
                tracing::warn!("what a killed server left is not set right: {error}");
            }
        });
    }

    /// Does what nobody waits for: lets go of what calls have left behind in the journal.
    pub(crate) fn clear_up(&self) {
        self.journal.close_replaced();
    }

    /// Ends the programs that still run and writes what waits to be written.
    pub fn end(&self) {
        self.runner.end_all();
        // A call leaves that to another thread, which does not outlive the process.
        self.clear_up();
        self.audit.flush();
    }
}

impl std::fmt::Debug for Project {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Project").field("root", &self.workspace.root()).finish_non_exhaustive()
    }
}
