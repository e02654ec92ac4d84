//! What a running tool may use. Only [`crate::call`] makes one, so no tool runs around the policy.

use std::any::Any;
use std::path::Path;
use std::sync::Arc;

use fault::{Cancel, Error, Result};
use files::journal::{Direction, Meant, Record, Step, StepId};
use files::partial::Partial;
use files::{Limits, Workspace};
use parking_lot::Mutex;
use programs::git::{Repository, Seen, Vetted};
use programs::process::{self, Exit};

use crate::effect::Effect;
use crate::person::Person;
use crate::picture::{Picture, Shown};
use crate::policy::Decision;
use crate::session::Session;
use crate::tool::Permission;
use crate::toolset::Toolset;

/// The view of the session that one call gets.
pub struct Cx<'a> {
    session: &'a Session,
    step: Option<&'a Step<'a>>,
    cancel: &'a Cancel,
    answer: Option<&'a str>,
    result_bytes: Option<usize>,
    pub(crate) live: Option<Live>,
    program: Mutex<Option<Exit>>,
    pictures: Mutex<Vec<Picture>>,
    after: Mutex<Vec<After>>,
    pub(crate) person: Option<Person>,
}

/// What is done once a call is kept.
pub(crate) type After = Box<dyn FnOnce() + Send>;

/// Where what programs print is shown as it comes.
#[derive(Clone)]
pub struct Live {
    live: Arc<dyn process::Live>,
    /// Whether the result has it too.
    pub(crate) beside: bool,
}

impl Live {
    /// Shown by this; results leave out what was shown.
    pub fn new(live: impl process::Live + 'static) -> Self {
        Self { live: Arc::new(live), beside: false }
    }

    /// Shown by this, beside a result that has it all: who looks on is not who called.
    pub fn beside(live: impl process::Live + 'static) -> Self {
        Self { beside: true, ..Self::new(live) }
    }
}

impl std::fmt::Debug for Cx<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cx").field("session", self.session).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Live {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Live")
    }
}

impl<'a> Cx<'a> {
    pub(crate) fn new(
        session: &'a Session,
        step: Option<&'a Step<'a>>,
        cancel: &'a Cancel,
        answer: Option<&'a str>,
        result_bytes: Option<usize>,
    ) -> Self {
        Self {
            session,
            step,
            cancel,
            answer,
            result_bytes,
            live: None,
            program: Mutex::default(),
            pictures: Mutex::default(),
            after: Mutex::default(),
            person: None,
        }
    }

    /// The files of the project, for reading.
    pub fn workspace(&self) -> &'a Workspace {
        &self.session.workspace
    }

    /// The change that this call makes; the only way to write.
    ///
    /// # Errors
    /// `Internal` if the tool does not declare that it writes.
    pub fn step(&self) -> Result<&'a Step<'a>> {
        self.step.ok_or_else(|| Error::internal("a tool that declares no writing asked to write"))
    }

    /// Runs a program; what it changes is part of this call's change.
    ///
    /// # Errors
    /// As for [`programs::process::Runner::run`].
    pub fn run_program(
        &self,
        program: &programs::process::Program<'_>,
    ) -> Result<programs::process::Finished> {
        let live = self.live.as_ref().map(|live| &*live.live);
        let runner = self.runner();
        let finished = runner.run_live(self.workspace(), program, self.step, self.cancel, live)?;
        *self.program.lock() = Some(finished.exit);
        Ok(finished)
    }

    /// Whether what programs print has been shown already, so that results need not repeat it.
    pub fn is_live(&self) -> bool {
        self.live.as_ref().is_some_and(|live| !live.beside)
    }

    /// How the last program ended that the call ran.
    pub(crate) fn program(&self) -> Option<Exit> {
        *self.program.lock()
    }

    /// The programs of the project.
    pub fn runner(&self) -> &'a programs::process::Runner {
        &self.session.project.runner
    }

    /// What the codebase says, in words and by name.
    pub fn index(&self) -> &'a index::Index {
        &self.session.project.index
    }

    /// The git repository of a directory.
    ///
    /// # Errors
    /// As for [`Repository::open`].
    pub fn repository(&self, dir: &str) -> Result<Repository<'a>> {
        let vetted = Vetted::new(self.session.project.state.clone());
        let (workspace, cancel) = (self.workspace(), self.cancel);
        Repository::open(self.runner(), workspace, cancel, self.step, &vetted, dir)
    }

    /// What differs in the git repository of a directory.
    ///
    /// # Errors
    /// As for [`Repository::open`] and [`Repository::status`].
    pub fn git_status(&self, dir: &str) -> Result<Seen> {
        let watched = &self.session.project.git;
        watched.status(self.runner(), self.workspace(), dir, || self.repository(dir))
    }

    /// What the tools of a dialect keep as long as the session lives, one of each type; the first
    /// who asks makes it.
    pub fn kept<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        self.session.kept.get()
    }

    /// The directory in which a dialect may have a cache that outlives the session.
    pub fn cache_dir(&self) -> &'a Path {
        &self.session.project.cache_dir
    }

    /// The web, as far as the operator lets it be reached.
    pub fn web(&self) -> &'a web::Client {
        &self.session.project.web
    }

    /// The web with the ports that this project's sessions opened themselves; `None` if there are
    /// none.
    pub fn web_with_own_ports(&self) -> Option<web::Client> {
        self.session.web_with_own_ports()
    }

    /// The browser of the session.
    pub fn browse<T>(
        &self,
        work: impl FnOnce(&browser::Session, &browser::With<'_>) -> Result<T>,
    ) -> Result<T> {
        let ports = self.session.own_ports();
        let with = browser::With {
            runner: self.runner(),
            workspace: self.workspace(),
            cancel: self.cancel,
            ports: &ports,
        };
        work(&self.session.browser, &with)
    }

    /// Shows a PNG beside the result.
    pub fn show(&self, png: &[u8]) -> Shown {
        self.pictures.lock().push(Picture::new("image/png", png));
        Shown
    }

    /// Shows a picture of any kind beside the result.
    pub fn show_picture(&self, picture: Picture) {
        self.pictures.lock().push(picture);
    }

    /// What is shown beside the result.
    pub(crate) fn take_pictures(&self) -> Vec<Picture> {
        std::mem::take(&mut self.pictures.lock())
    }

    /// Does this once the call is kept: not if it was only tried, or a person refuses what came of
    /// the trial.
    pub fn when_kept(&self, after: impl FnOnce() + Send + 'static) {
        self.after.lock().push(Box::new(after));
    }

    /// What is to be done once the call is kept.
    pub(crate) fn take_after(&self) -> Vec<After> {
        std::mem::take(&mut self.after.lock())
    }

    /// What came so far of a file from outside, by a name that says which.
    ///
    /// # Errors
    /// As for [`Partial::open`].
    pub fn partial(&self, name: &str) -> Result<Partial> {
        Partial::open(&self.session.project.state, name)
    }

    /// What the person said to the question of the tool; empty if it asks none.
    pub fn answer(&self) -> &'a str {
        self.answer.unwrap_or_default()
    }

    /// The person, whom a tool of another server may ask while it runs; nobody if it is only tried.
    pub fn person(&self) -> Option<&Person> {
        self.person.as_ref()
    }

    /// Whether a call of this tool that needs `permission` and a yes for the session of this kind
    /// ([`Tool::grant_in`](crate::Tool::grant_in)) would run now without asking; false for an
    /// unknown name.
    pub fn may(&self, tool: &str, permission: Permission, grant: &str) -> bool {
        self.session.find(tool).is_ok_and(|entry| {
            let does = entry.spec.effect;
            let setting = self.session.setting(does);
            let decision = self.session.decide(setting, entry, permission, does, grant);
            decision == Decision::Allow
        })
    }

    /// The tools of the session.
    pub fn toolset(&self) -> &'a Toolset {
        &self.session.toolset
    }

    /// Set when nobody wants the answer any more.
    pub fn cancel(&self) -> &'a Cancel {
        self.cancel
    }

    /// The changes that this session made in the root, the newest first.
    ///
    /// # Errors
    /// `Io` if the journal cannot be read.
    pub fn own_changes(&self) -> Result<Vec<Record>> {
        let all = self.session.project.journal.log(self.workspace(), usize::MAX >> 1)?;
        Ok(all.into_iter().filter(|record| *record.session == *self.session.id).collect())
    }

    /// The change of this session that is taken back if none is named.
    ///
    /// # Errors
    /// As for [`Journal::meant`](files::journal::Journal::meant).
    pub fn last_change(&self) -> Result<Meant> {
        let runs = |tool: &str| {
            let found = self.session.toolset.find(tool);
            found.is_ok_and(|entry| entry.spec.effect.has(Effect::RUNS))
        };
        let (journal, id) = (&self.session.project.journal, Some(&*self.session.id));
        journal.meant(self.workspace(), Direction::Undo, id, runs)
    }

    /// The change of this session before one whose undo was refused that can be taken back.
    pub fn earlier_change(&self, id: StepId) -> Option<Record> {
        self.session.project.journal.earlier(self.workspace(), Some(&*self.session.id), id)
    }

    /// Takes back a change of this session, or makes it again. Those of others, and one that never
    /// was made because it needs a person, are for a person to turn.
    ///
    /// # Errors
    /// As for [`Step::turn`].
    pub fn turn(&self, direction: Direction, id: StepId) -> Result<Record> {
        let found = self.session.project.journal.step(self.workspace(), id)?;
        let record = found.ok_or_else(|| Error::no_such_step(id))?;
        if *record.session != *self.session.id || record.held_back {
            return Err(Error::for_a_person(id, record.held_back));
        }
        self.step()?.turn(direction, id)
    }

    /// The bounds of the project.
    pub fn limits(&self) -> &'a Limits {
        self.session.workspace.limits()
    }

    /// Most bytes of a text result that the one who asked will show to the model.
    pub fn result_bytes(&self) -> usize {
        self.result_bytes.unwrap_or(self.limits().result_bytes)
    }
}
