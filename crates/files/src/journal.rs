//! Nothing is ever lost: what stood there before a call, so that it can be put back.
//!
//! Every change happens in a [`Step`], one a call. A step that fails is rolled back whole; one that
//! succeeded can be undone and redone, also if it was a program that changed files. Before a file
//! is touched, its content is in the state directory and the intent is in the journal's database,
//! so after a crash the next server that opens the journal sets things right.

mod blobs;
mod closed;
mod image;
mod layer;
mod meant;
mod packs;
mod product;
mod prune;
mod records;
mod recover;
pub mod refs;
mod show;
mod snapshot;
mod step;
mod store;
pub mod told;
mod touched;
mod trash;
mod turn;
mod uncovered;
mod undo;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::state::State;
use crate::workspace::{Last, Workspace};

use fault::{Error, Result};
pub use layer::{Held, Layer, Layers, OVERFLOW, PersonsGit, Withheld};
pub use meant::Meant;
pub use records::{Change, ChangeKind, Record, Status};
pub use recover::Half;
pub use snapshot::ProgramChanges;
pub(crate) use step::Swap;
pub use step::{Approved, Parents, Planned, Step, Transfer, Written, backup_of};
use store::Store;
pub use touched::Touched;
pub use undo::Direction;

/// The number of a step.
pub type StepId = i64;

/// What a step is called in the journal.
#[derive(Clone, Debug, Default)]
pub struct Label {
    /// The session of the call.
    pub session: String,
    /// The tool that made it.
    pub tool: String,
    /// The paths or the command line, one line.
    pub about: String,
}

/// The journal of one root, as one process sees it. Nothing is opened until it is needed.
#[derive(Debug)]
pub struct Journal {
    state: State,
    /// The state directory without links; it may stand in the root.
    own: PathBuf,
    root: PathBuf,
    /// Of what no call does.
    session: String,
    durable: bool,
    allow_protected: Vec<PathBuf>,
    persons_git: PersonsGit,
    store: OnceLock<Mutex<Store>>,
    snapshots: Mutex<snapshot::Known>,
    learnt: Arc<Mutex<layer::Learnt>>,
    /// Files that were replaced and are still open.
    replaced: Mutex<Vec<File>>,
    /// Held while they are closed, so that whoever ends waits for it.
    closing: Mutex<()>,
}

impl Journal {
    /// The journal of `root` in `state`. With `durable`, a change is on the disk before its call is
    /// answered. `session` is that of steps which are no call's. `allow_protected` are protected paths, relative to the root, that need no person.
    pub fn new(
        state: State,
        root: PathBuf,
        session: String,
        durable: bool,
        allow_protected: Vec<PathBuf>,
    ) -> Self {
        let allow_protected = allow_protected.iter().map(|path| plain(path, &root)).collect();
        Self {
            own: state.real(),
            state,
            root,
            session,
            durable,
            allow_protected,
            persons_git: PersonsGit::default(),
            store: OnceLock::new(),
            snapshots: Mutex::default(),
            learnt: Arc::default(),
            replaced: Mutex::default(),
            closing: Mutex::default(),
        }
    }

    /// The same journal, which knows where the person configures git: what that names in a root is
    /// protected like what the repository names.
    #[must_use]
    pub fn with_git(mut self, persons_git: PersonsGit) -> Self {
        self.persons_git = persons_git;
        self
    }

    /// Starts the step of a call that writes files.
    pub fn begin<'a>(
        &'a self,
        workspace: &'a Workspace,
        label: Label,
        approved: Approved,
    ) -> Step<'a> {
        Step::new(self, workspace, label, approved)
    }

    /// Which of these paths are protected and need a person, as real paths. Paths that cannot be
    /// written for another reason are left to the writing to refuse.
    pub fn protected(&self, workspace: &Workspace, paths: &[String]) -> Vec<PathBuf> {
        let mut found = BTreeSet::new();
        for path in paths {
            let real = workspace.spot(path, Last::Follow).map(|spot| spot.path);
            // A directory that is missing may be a protected one: judge the spelling then.
            let real = real.unwrap_or_else(|_| workspace.root().join(path));
            if self.needs_person(workspace, &real, false).is_some() {
                found.insert(real);
            }
        }
        found.into_iter().collect()
    }

    /// Why a change at this real path needs a person, if it does; `folder`, if one is to be made.
    fn needs_person(
        &self,
        workspace: &Workspace,
        real: &Path,
        folder: bool,
    ) -> Option<&'static str> {
        if self.is_own(real) {
            return Some("Kitbag keeps its journal there");
        }
        if self.is_allowed(workspace, real, folder) {
            return None;
        }
        crate::workspace::protected(in_root(workspace, real)?).or_else(|| {
            let root = workspace.roots().map(|(root, _)| root).find(|r| real.starts_with(r))?;
            obeys(root, &layer::obeyed(root, &self.persons_git), real)
                .then_some("git runs or obeys it, as its configuration says")
        })
    }

    /// The first of these real paths whose turn needs a person, and why. Commits, branches and the
    /// like, which a program may change, may be turned too.
    fn needs_person_to_turn(
        &self,
        workspace: &Workspace,
        mut paths: impl Iterator<Item = PathBuf>,
    ) -> Option<(PathBuf, &'static str)> {
        // A commit has many files, and the configuration that names others is read once.
        let mut named: BTreeMap<&Path, Vec<PathBuf>> = BTreeMap::new();
        paths.find_map(|real| {
            let why = self.needs_person(workspace, &real, false)?;
            let root = workspace.roots().map(|(root, _)| root).find(|r| real.starts_with(r))?;
            // By its name: a repository that was taken back is no longer there to be looked at.
            let in_git = real.strip_prefix(root.join(".git")).ok();
            let in_git = in_git.filter(|path| !layer::takes_orders(path)).is_some();
            let mut obeyed = || {
                let read = || layer::obeyed(root, &self.persons_git);
                obeys(root, named.entry(root).or_insert_with(read), &real)
            };
            (!in_git || self.is_own(&real) || obeyed()).then_some((real, why))
        })
    }

    /// Whether a path is in the state directory, or holds it.
    fn is_own(&self, real: &Path) -> bool {
        real.starts_with(&self.own) || self.own.starts_with(real)
    }

    /// Whether the operator allows this path to be changed although it is protected.
    fn is_allowed(&self, workspace: &Workspace, real: &Path, folder: bool) -> bool {
        let allowed = |relative| self.allow_protected.iter().any(|a| allows(a, relative, folder));
        !self.allow_protected.is_empty() && in_root(workspace, real).is_some_and(allowed)
    }

    /// The nearest directory above the root that has calls of its own.
    ///
    /// # Errors
    /// If the journal cannot be opened.
    pub fn root_above(&self, workspace: &Workspace) -> Result<Option<PathBuf>> {
        self.store()?.read(|tx| {
            let above = workspace.root().ancestors().skip(1);
            for root in above {
                if !tx.steps(root, 1)?.is_empty() {
                    return Ok(Some(root.to_owned()));
                }
            }
            Ok(None)
        })
    }

    /// Closes the files that were replaced, and removes layers that are done with. That frees their
    /// space, which takes longer than the rest of a small edit, so it is done when the answer is on
    /// its way.
    pub fn close_replaced(&self) {
        let _closing = self.closing.lock().unwrap_or_else(PoisonError::into_inner);
        self.remove_layers();
        let files =
            std::mem::take(&mut *self.replaced.lock().unwrap_or_else(PoisonError::into_inner));
        drop(files);
    }

    fn close_later(&self, file: Option<File>) {
        self.replaced.lock().unwrap_or_else(PoisonError::into_inner).extend(file);
    }

    fn store(&self) -> Result<MutexGuard<'_, Store>> {
        let damaged = match self.store.get() {
            None => {
                let store = Store::open(&self.state, self.durable, false)?;
                // Two threads may both open one; the first stays.
                let _ = self.store.set(Mutex::new(store));
                self.recover()?;
                return self.store_now();
            }
            Some(_) => self.store_now()?.is_damaged(),
        };
        if damaged {
            let store = Store::open(&self.state, self.durable, true)?;
            *self.store_now()? = store;
        }
        self.store_now()
    }

    /// The database as it is, for those who set it right while it is being opened.
    fn store_now(&self) -> Result<MutexGuard<'_, Store>> {
        let store = self.store.get().ok_or_else(|| Error::internal("the journal is not open"))?;
        Ok(store.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Whether git runs or obeys what is at a real path in a root; `named` is what configurations name.
fn obeys(root: &Path, named: &[PathBuf], real: &Path) -> bool {
    named.iter().any(|path| real.starts_with(root.join(path))) || layer::is_obeyed(root, real)
}

impl Drop for Journal {
    /// Once a day a session that used the journal drops what is too old when it ends.
    fn drop(&mut self) {
        if self.store.get().is_some()
            && let Err(e) = self.prune_if_due()
        {
            tracing::warn!("what is too old was not dropped from the journal: {e}");
        }
    }
}

/// A real path from the root that holds it.
fn in_root<'p>(workspace: &Workspace, real: &'p Path) -> Option<&'p Path> {
    workspace.roots().find_map(|(root, _)| real.strip_prefix(root).ok())
}

/// Whether leave to change `allowed` covers a change at `path`: it covers the making of the
/// directories on the way too.
fn allows(allowed: &Path, path: &Path, folder: bool) -> bool {
    if folder { allowed.starts_with(path) } else { allowed == path }
}

/// One spelling, relative to the root, for a path that an operator wrote.
fn plain(path: &Path, root: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.strip_prefix(root).unwrap_or(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}

/// A fresh name that no other session, step or temporary file has.
pub fn new_id() -> String {
    use std::hash::{BuildHasher as _, Hasher as _};
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut hasher = std::hash::RandomState::new().build_hasher();
    hasher.write_u64(COUNT.fetch_add(1, Ordering::Relaxed));
    let now =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    format!("{:012x}{:016x}", now.as_micros() as u64 & 0xffff_ffff_ffff, hasher.finish())
}

/// A digest over several texts, for binding an answer to a question.
pub fn digest(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests;
