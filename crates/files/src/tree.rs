//! The resident tree: what is in the root, kept current by what the kernel reports of it.
//!
//! A search must know which files there are. Without this module each one walks the whole root;
//! with it a search costs what changed since the last one. [`View`] is what a walk would see,
//! `Words` says which files can hold a match, and [`Tree`] keeps both right: before every answer
//! the reports of the kernel are read and what they name is looked at again. While there is no view
//! yet, or there can be none (a network file system, no watches left), everything is looked at as
//! if this module did not exist. `docs/decisions/0028-resident-tree.md` says what that rests on.

mod change;
mod digest;
pub mod git;
mod ignored;
mod job;
mod kept;
mod mounts;
mod outside;
#[cfg(test)]
pub(crate) mod tests;
mod view;
mod watches;
mod words;
mod worker;

use std::ffi::OsStr;
use std::path::Path;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use fault::Cancel;
use postings::Query;

pub(crate) use self::change::RULES;
use self::change::{Changed, Changes};
pub(crate) use self::digest::Indexes;
pub use self::digest::{Digest, Digested, Digests, Known};
use self::ignored::Ignored;
use self::kept::Kept;
pub(crate) use self::mounts::Mounts;
use self::outside::Outside;
use self::worker::Bell;
use crate::search::Stamp;
use crate::state::State;
use crate::workspace::{Folder, Workspace};

use view::MOST_ENTRIES;
pub(crate) use view::{Directory, View};
pub(crate) use watches::Watches;
pub(crate) use watches::is_in;
pub use watches::most_watches;
pub(crate) use words::{Candidates, Texts, Words};

/// Directories that a call looks at before its answer; with more of them it looks at everything,
/// which takes about as long.
const MOST_LOOKS: usize = 100;

/// How long after a view was not to be had another one is tried: what was in the way may be gone.
const OFF: Duration = Duration::from_secs(300);
/// Files with more than one hard link that are looked at before each answer.
const MOST_LINKED: usize = 500;
/// Changed paths that are kept for who asks what changed; with more of them everything did.
const MOST_CHANGED: usize = 20_000;

/// The resident tree of a root. It ends when it is dropped.
pub(crate) struct Tree {
    shared: Arc<Shared>,
}

struct Shared {
    workspace: Workspace,
    /// What is kept of each file beside its words.
    digest: Option<Arc<dyn Digest>>,
    /// Where the segments of the words are, and those of the digests.
    kept: [Kept; 2],
    phase: Mutex<Phase>,
    /// What git would say of the files.
    git: Mutex<git::Kept>,
    /// How many views there were.
    views: AtomicUsize,
    bell: Bell,
}

/// How far it has come.
enum Phase {
    /// Nobody has asked yet, or it must be made anew.
    Wanted,
    Building,
    Current(Box<Current>),
    /// There can be none for now, for this reason, since then.
    Off(String, Instant),
}

impl Phase {
    fn off(why: &str) -> Self {
        tracing::info!("searches look at every file: {why}");
        Self::Off(why.to_owned(), Instant::now())
    }
}

/// A view with what keeps it current.
struct Current {
    /// Which view it is: work for another one is of no use to it.
    number: usize,
    view: Arc<View>,
    watches: Arc<Watches>,
    mounts: Mounts,
    changes: Changes,
    outside: Outside,
    words: Words,
    /// Made once somebody asks for them.
    digests: Option<Words>,
    ignored: Option<Arc<Ignored>>,
    /// What changed since it was last asked for that; `None` if it never was, or too much did.
    changed: Option<Changed>,
    /// When it was last asked.
    asked: Instant,
    /// When some of it was last compared with what is there.
    checked: Instant,
    /// How long it took.
    built: Duration,
}

/// One of the two indexes.
#[derive(Clone, Copy)]
enum Which {
    Words,
    Digests,
}

/// What must be done so that a view is right.
#[derive(Debug, PartialEq, Eq)]
enum Settled {
    /// Nothing.
    Right,
    /// More than a call should wait for.
    Later,
    /// Everything must be looked at.
    Lost,
    /// There can be no view any more, for this reason.
    Over(String),
}

impl Tree {
    /// The tree of the main root of a workspace. Nothing is looked at and no thread is started
    /// before somebody asks.
    pub(crate) fn new(
        workspace: Workspace,
        state: &State,
        digest: Option<Arc<dyn Digest>>,
    ) -> Self {
        let name = digest.as_ref().map_or("none", |digest| digest.name());
        let kept = ["words", name].map(|index| Kept::new(state, workspace.root(), index));
        let (phase, views) = (Mutex::new(Phase::Wanted), AtomicUsize::new(0));
        let bell = Bell::default();
        let git = Mutex::default();
        Self { shared: Arc::new(Shared { workspace, digest, kept, phase, git, views, bell }) }
    }

    /// The view as it is now, if it holds the directory `place` below the root; `None` if there is
    /// none yet.
    pub(crate) fn view(&self, place: &OsStr) -> Option<Arc<View>> {
        Some(self.look(place, None)?.0)
    }

    /// The same, and of one moment with it which files in the directory can match, if the index is
    /// of use.
    pub(crate) fn look(
        &self,
        place: &OsStr,
        query: Option<&Query>,
    ) -> Option<(Arc<View>, Option<Candidates>)> {
        self.ask(place, |current| {
            // As long as little is covered, reading the index first is a detour.
            let (_, _, covered, uncovered) = current.words.size();
            let query = query.filter(|_| covered > uncovered);
            let candidates = query.map(|query| current.words.candidates(place, query));
            (Arc::clone(&current.view), candidates)
        })
    }

    /// Whether there may be a view soon that holds a directory.
    pub(crate) fn is_coming(&self, place: &OsStr) -> bool {
        match &*self.shared.lock() {
            Phase::Wanted | Phase::Building => true,
            Phase::Current(current) => current.view.directories.contains_key(place),
            Phase::Off(..) => false,
        }
    }

    /// What is ignored in the root, looked for if that was too long ago; of a directory in it.
    pub(crate) fn ignored(&self, place: &OsStr, cancel: &Cancel) -> Option<Arc<Ignored>> {
        let (number, known) =
            self.ask(place, |current| (current.number, current.ignored.clone()))?;
        if let Some(known) = known.filter(|ignored| !ignored.is_stale()) {
            return Some(known);
        }
        let view = self.view(place)?;
        let found = Arc::new(Ignored::look(&self.shared.root()?, &view, cancel));
        self.shared.with_current(number, |current| {
            // What was reported meanwhile makes it old at once.
            if Arc::ptr_eq(&current.view, &view) && !cancel.is_cancelled() {
                current.ignored = Some(Arc::clone(&found));
            }
        });
        Some(found)
    }

    fn ask<T>(&self, place: &OsStr, answer: impl FnOnce(&mut Current) -> T) -> Option<T> {
        let mut phase = match self.shared.phase.try_lock() {
            Ok(phase) => phase,
            Err(TryLockError::Poisoned(phase)) => phase.into_inner(),
            // Somebody looks at what changed: to wait may take longer than to look.
            Err(TryLockError::WouldBlock) => return None,
        };
        let again = |since: &Instant| since.elapsed() > OFF;
        if matches!(&*phase, Phase::Wanted)
            || matches!(&*phase, Phase::Off(_, since) if again(since))
        {
            self.shared.start(&mut phase);
        }
        let Phase::Current(current) = &mut *phase else { return None };
        current.asked = Instant::now();
        let uncovered = |current: &Current| current.words.size().3;
        let before = uncovered(current);
        let settled = current.settle(&self.shared.workspace, MOST_LOOKS);
        let now = uncovered(current);
        if now > before && now >= self.shared.workspace.limits().words_changed_files {
            // The thread waits for reports, and these are read by now.
            self.shared.bell.ring();
        }
        if settled == Settled::Right {
            return current.view.directories.contains_key(place).then(|| answer(current));
        }
        self.shared.react(&mut phase, settled);
        None
    }

    /// What stands and what does not, in words.
    pub(crate) fn status(&self) -> String {
        match &*self.shared.lock() {
            Phase::Wanted => "not asked for yet".to_owned(),
            Phase::Building => "being built".to_owned(),
            Phase::Off(why, _) => format!("off: {why}"),
            Phase::Current(current) => {
                let index = |name: &str, words: &Words| {
                    let (segments, bytes, covered, uncovered) = words.size();
                    format!(
                        "; index of {name}: {covered} files in {segments} segments of {} MiB, \
                         {uncovered} files not indexed yet",
                        bytes >> 20,
                    )
                };
                format!(
                    "{} directories watched, built in {} ms{}{}",
                    current.watches.len(),
                    current.built.as_millis(),
                    index("words", &current.words),
                    current.digests.as_ref().map_or(String::new(), |own| index("definitions", own)),
                )
            }
        }
    }
}

impl std::fmt::Debug for Tree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Tree").field(&self.status()).finish()
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.shared.bell.ring_for_the_end();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does what follows from a view that is not right.
    fn react(self: &Arc<Self>, phase: &mut Phase, settled: Settled) {
        match settled {
            Settled::Right => {}
            Settled::Later => self.bell.ring(),
            Settled::Lost => {
                tracing::info!("the view of the root is made anew");
                self.start(phase);
            }
            Settled::Over(why) => *phase = Phase::off(&why),
        }
    }

    fn root(&self) -> Option<Folder> {
        self.workspace.folder(".").ok()
    }
}

impl Current {
    /// Reads what was reported and looks at what that names, at most so much of it.
    fn settle(&mut self, workspace: &Workspace, most: usize) -> Settled {
        let over = |why: &str| Settled::Over(why.to_owned());
        if self.collect().is_err() || self.outside.changed() || self.watches.refused().is_some() {
            return Settled::Lost;
        }
        if self.changes.is_end {
            return over("the root was moved, removed or unmounted");
        }
        if self.mounts.changed() {
            match Mounts::without_any_below(workspace.root()) {
                Some(mounts) if mounts.at_root == self.mounts.at_root => self.mounts = mounts,
                _ => return over("something is mounted on the root or below it"),
            }
        }
        if self.view.is_cut {
            return Settled::Over(format!("the root holds more than {MOST_ENTRIES} files"));
        }
        if self.view.linked.len() > MOST_LINKED {
            return over("too many files have more than one hard link");
        }
        self.changes.add_files(&self.view, workspace.root());
        if self.changes.is_empty() {
            return Settled::Right;
        }
        if self.changes.len() > most {
            return Settled::Later;
        }
        let Ok(root) = workspace.folder(".") else { return over("the root cannot be opened") };
        let changes = std::mem::take(&mut self.changes);
        if changes.ignored || changes.touches_rules() {
            self.ignored = None;
        }
        let view = Arc::make_mut(&mut self.view);
        let applied = changes.apply(view, &root, &self.watches);
        for index in std::iter::once(&mut self.words).chain(&mut self.digests) {
            index.touch(view, &applied.touched);
            index.doubt(view, &applied.reported);
        }
        if let Some(changed) = &mut self.changed {
            changed.add(&applied);
        }
        self.changed.take_if(|changed| changed.len() > MOST_CHANGED);
        applied.looked.iter().for_each(|directory| self.outside.add(root.path(), view, directory));
        Settled::Right
    }

    fn index(&mut self, which: Which) -> Option<&mut Words> {
        match which {
            Which::Words => Some(&mut self.words),
            Which::Digests => self.digests.as_mut(),
        }
    }

    /// Reads what was reported, to be looked at later.
    fn collect(&mut self) -> Result<(), watches::Overflow> {
        for event in self.watches.events()? {
            self.changes.add(&self.view, event);
        }
        Ok(())
    }
}

impl Stamp {
    /// The state of what is at a path; a link is not followed.
    pub(crate) fn at(path: &Path) -> rustix::io::Result<Self> {
        Ok(Self::of_stat(&rustix::fs::lstat(path)?))
    }

    pub(crate) fn of_stat(stat: &rustix::fs::Stat) -> Self {
        let changed = (stat.st_ctime, stat.st_ctime_nsec as i64);
        Self::new(stat.st_size.cast_unsigned(), changed, stat.st_ino)
    }

    fn state(self) -> [u64; 3] {
        [self.size, self.changed.cast_unsigned(), self.inode]
    }

    fn from_state([size, changed, inode]: [u64; 3]) -> Self {
        Self { size, changed: changed.cast_signed(), inode }
    }
}
