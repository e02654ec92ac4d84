//! The journal's database: which step changed what. SQLite in WAL mode, shared by all servers.

#![expect(clippy::disallowed_methods, reason = "the journal's own files in the state folder")]

mod statements;

use std::fs::File;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior};

use super::StepId;
use super::blobs::Blobs;
use super::image::Image;
use crate::error::{Error, Result};
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

    fn parse(text: &str) -> Self {
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
    /// Whether a program made the changes.
    pub(super) program: bool,
    /// What the journal could not look at, in words; empty if it saw everything.
    pub(super) missed: String,
}

#[derive(Debug)]
pub(super) struct Store {
    db: Connection,
    pub(super) blobs: Blobs,
    pub(super) dir: PathBuf,
    /// Held as long as this process lives: others see by it that our open steps are not abandoned.
    _alive: File,
    pub(super) owner: String,
}

const SCHEMA: &str = "
    CREATE TABLE steps (
        id INTEGER PRIMARY KEY, root BLOB NOT NULL, session TEXT NOT NULL,
        owner TEXT NOT NULL, tool TEXT NOT NULL, about TEXT NOT NULL, time INTEGER NOT NULL,
        phase TEXT NOT NULL, turned INTEGER NOT NULL DEFAULT 0, program INTEGER NOT NULL,
        missed TEXT NOT NULL DEFAULT '');
    CREATE INDEX steps_by_root ON steps (root, id);
    CREATE TABLE changes (
        step INTEGER NOT NULL REFERENCES steps ON DELETE CASCADE, seq INTEGER NOT NULL,
        path BLOB NOT NULL,
        before_kind TEXT NOT NULL, before_hash BLOB, before_mode INTEGER, before_text BLOB,
        after_kind TEXT NOT NULL, after_hash BLOB, after_mode INTEGER, after_text BLOB,
        PRIMARY KEY (step, seq)) WITHOUT ROWID;
    CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE blobs (hash BLOB PRIMARY KEY, data BLOB NOT NULL);
    CREATE TABLE known (
        root BLOB NOT NULL, path BLOB NOT NULL, size INTEGER, mtime INTEGER, ctime INTEGER,
        inode INTEGER, mode INTEGER, hash BLOB, target BLOB, seen INTEGER,
        PRIMARY KEY (root, path)) WITHOUT ROWID;
    PRAGMA user_version = 1;";

/// How long a process waits for others that write to the database.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(10);

impl Store {
    pub(super) fn open(state: &State) -> Result<Self> {
        let dir = state.folder("journal")?;
        let fail = |e: &dyn std::fmt::Display| Error::state(&dir, e);
        let mut db = Connection::open(dir.join("journal.db")).map_err(|e| fail(&e))?;
        db.busy_timeout(PATIENCE).map_err(|e| fail(&e))?;
        // NORMAL: a commit survives a killed process; after a power cut the journal may miss its
        // last entries but is never damaged.
        // Changing to WAL does not wait for others who are about to do the same.
        let until = std::time::Instant::now() + PATIENCE;
        while let Err(error) = db.execute_batch("PRAGMA journal_mode = WAL") {
            let busy = error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy);
            if !busy || std::time::Instant::now() > until {
                return Err(failure(&dir, &error));
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        db.execute_batch(
            "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -1024;",
        )
        .map_err(|e| fail(&e))?;
        let version =
            |db: &Connection| db.query_row("PRAGMA user_version", [], |r| r.get::<_, i64>(0));
        if version(&db).map_err(|e| fail(&e))? == 0 {
            let tx = db
                .transaction_with_behavior(TransactionBehavior::Immediate)
                .map_err(|e| fail(&e))?;
            if version(&tx).map_err(|e| fail(&e))? == 0 {
                tx.execute_batch(SCHEMA).map_err(|e| fail(&e))?;
            }
            tx.commit().map_err(|e| fail(&e))?;
        }
        let owner = super::new_id();
        let alive = state.file("journal/owners", &owner)?;
        rustix::fs::flock(&alive, rustix::fs::FlockOperation::NonBlockingLockExclusive)
            .map_err(|e| fail(&e))?;
        let blobs = Blobs::new(state.folder("journal/blobs")?);
        Ok(Self { db, blobs, dir, _alive: alive, owner })
    }

    /// One transaction; everything in it is there afterwards or nothing.
    pub(super) fn write<T>(&mut self, work: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
        let Self { db, blobs, dir, owner, .. } = self;
        let fail = |e: rusqlite::Error| failure(dir, &e);
        let tx = db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fail)?;
        let value = work(&Tx { tx: &tx, blobs, dir, owner })?;
        tx.commit().map_err(fail)?;
        Ok(value)
    }

    /// Reading, without a lock that others would wait for.
    pub(super) fn read<T>(&self, work: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
        work(&Tx { tx: &self.db, blobs: &self.blobs, dir: &self.dir, owner: &self.owner })
    }
}

/// The hashes of contents that something still needs.
pub(super) const NAMED: &str = "SELECT before_hash FROM changes WHERE before_hash NOT NULL
     UNION SELECT after_hash FROM changes WHERE after_hash NOT NULL
     UNION SELECT hash FROM known WHERE hash NOT NULL";

impl Drop for Store {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.dir.join("owners").join(&self.owner));
    }
}

/// The statements of the journal, inside or outside a transaction.
pub(super) struct Tx<'a> {
    tx: &'a Connection,
    pub(super) blobs: &'a Blobs,
    dir: &'a Path,
    owner: &'a str,
}

fn failure(dir: &Path, error: &rusqlite::Error) -> Error {
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
