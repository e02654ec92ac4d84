//! The journal's database: which step changed what. SQLite in WAL mode, shared by all servers.

#![expect(clippy::disallowed_methods, reason = "the journal's own files in the state directory")]

mod notes;
mod opening;
mod statements;

pub(super) use notes::{Commits, Note, Staged};

use std::cell::Cell;
use std::fs::File;
use std::path::{Path, PathBuf};

use fault::{Error, Result};
use rusqlite::{Connection, TransactionBehavior};

use super::StepId;
use super::blobs::Blobs;
use super::image::Image;
use crate::state::State;

/// Where a step is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Its call runs.
    Open,
    /// Its call succeeded.
    Done,
    /// It is being undone.
    Undoing,
    /// It was undone and can be redone.
    Undone,
    /// It is being redone.
    Redoing,
}

impl Phase {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Done => "done",
            Self::Undoing => "undoing",
            Self::Undone => "undone",
            Self::Redoing => "redoing",
        }
    }

    pub(super) fn parse(text: &str) -> Self {
        [Self::Open, Self::Done, Self::Undoing, Self::Undone]
            .into_iter()
            .find(|p| p.as_str() == text)
            .unwrap_or(Self::Redoing)
    }
}

/// One changed path of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Altered {
    pub(super) path: PathBuf,
    pub(super) before: Image,
    pub(super) after: Image,
}

/// A row of the table of steps.
#[derive(Clone, Debug)]
pub(super) struct StepRow {
    pub(super) id: StepId,
    pub(super) tool: String,
    pub(super) about: String,
    /// Microseconds since 1970.
    pub(super) time: i64,
    pub(super) phase: Phase,
    /// Whether a program makes the changes before they are noted.
    pub(super) program: bool,
    /// Whether a program made the changes.
    pub(super) ran: bool,
    /// Whether others may have made some of them.
    pub(super) is_unsure: bool,
    /// What the journal could not look at, in words; empty if it saw everything.
    pub(super) missed: String,
    /// Why the step is neither done nor undone, or what of it could not be taken back; mostly
    /// empty.
    pub(super) trouble: String,
    /// How many of its changes are in place, the first ones, while it is turned.
    pub(super) applied: Option<usize>,
    /// The journal that made it: [`Record::session`](super::Record::session).
    pub(super) session: String,
    /// The place in the order of what was made and turned; 0 if it never was.
    pub(super) turned: i64,
}

#[derive(Debug)]
pub(super) struct Store {
    db: Connection,
    pub(super) blobs: Blobs,
    pub(super) dir: PathBuf,
    /// Held as long as this process lives: others see by it that our open steps are not abandoned.
    _alive: File,
    pub(super) owner: String,
    damaged: Cell<bool>,
}

impl Store {
    /// Opens the journal's database. `damaged` says that it was found to be damaged; it is then
    /// kept aside, and a new one begun.
    pub(super) fn open(state: &State, durable: bool, damaged: bool) -> Result<Self> {
        let dir = state.folder("journal")?;
        let db = opening::open(state, &dir, durable, damaged)?;
        let owner = super::new_id();
        // Others may look whether it is locked before it is, and remove it.
        let alive = loop {
            let alive = state.file("journal/owners", &owner)?;
            rustix::fs::flock(&alive, rustix::fs::FlockOperation::LockExclusive)
                .map_err(|e| Error::state(&dir, &e))?;
            if dir.join("owners").join(&owner).exists() {
                break alive;
            }
        };
        let blobs = Blobs::new(state.folder("journal/blobs")?, durable);
        Ok(Self { db, blobs, dir, _alive: alive, owner, damaged: Cell::new(false) })
    }

    /// Whether the database was found to be damaged while it was used.
    pub(super) fn is_damaged(&self) -> bool {
        self.damaged.get()
    }

    pub(super) fn set_damaged(&self) {
        self.damaged.set(true);
    }

    /// One transaction; everything in it is there afterwards or nothing.
    pub(super) fn write<T>(&mut self, work: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
        let Self { db, blobs, dir, owner, damaged, .. } = self;
        let fail = |e: rusqlite::Error| {
            damaged.set(damaged.get() || opening::is_damage(&e));
            failure(dir, &e)
        };
        let tx = db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fail)?;
        let value = work(&Tx { tx: &tx, blobs, dir, owner, damaged })?;
        tx.commit().map_err(fail)?;
        Ok(value)
    }

    /// The same where many contents are kept: they reach the disk together, before the commit.
    pub(super) fn write_together<T>(
        &mut self,
        work: impl FnOnce(&Tx<'_>) -> Result<T>,
    ) -> Result<T> {
        let durable = self.blobs.sync_each(false);
        let value = self.write(|tx| {
            let value = work(tx)?;
            if durable {
                tx.blobs.sync()?;
            }
            Ok(value)
        });
        self.blobs.sync_each(durable);
        value
    }

    /// Reading, without a lock that others would wait for.
    pub(super) fn read<T>(&self, work: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
        let Self { db: tx, blobs, dir, owner, damaged, .. } = self;
        work(&Tx { tx, blobs, dir, owner, damaged })
    }
}

/// The hashes of contents that something still needs.
pub(super) const NAMED: &str = "SELECT before_hash FROM changes WHERE before_hash NOT NULL
     UNION SELECT after_hash FROM changes WHERE after_hash NOT NULL
     UNION SELECT hash FROM known WHERE hash NOT NULL";

impl Drop for Store {
    fn drop(&mut self) {
        // Whoever finds it without its lock removes it.
        let _ = std::fs::remove_file(self.dir.join("owners").join(&self.owner));
    }
}

/// The statements of the journal, inside or outside a transaction.
pub(super) struct Tx<'a> {
    tx: &'a Connection,
    pub(super) blobs: &'a Blobs,
    dir: &'a Path,
    owner: &'a str,
    damaged: &'a Cell<bool>,
}

fn failure(dir: &Path, error: &rusqlite::Error) -> Error {
    if opening::is_damage(error) {
        return Error::journal_damaged(dir);
    }
    if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull) {
        return Error::io(&dir.display().to_string(), &std::io::ErrorKind::StorageFull.into());
    }
    Error::state(dir, error)
}

/// Microseconds since 1970.
pub(super) fn now() -> i64 {
    let now =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    now.as_micros() as i64
}
