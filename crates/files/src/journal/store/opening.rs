//! Opening the database, also if it is missing, damaged or of another Kitbag.
//!
//! One that cannot be used is kept aside with its contents, a new one is begun, and the next
//! `kitbag log`, `undo` or `doctor` says so.

use std::path::Path;
use std::time::{Duration, Instant};

use fault::{Error, Result};
use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use super::{failure, now};
use crate::state::State;

/// The version of the schema that this program reads and writes.
const VERSION: i64 = 5;

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
        PRIMARY KEY (root, path)) WITHOUT ROWID;";

/// From version 1 to 2. `trouble`: why the step is neither done nor undone. `applied`: how many of
/// its changes are in place while it is turned. `clock`: the journal's own, see `prune`. `inode`:
/// that of the later of the two things that a slot of the trash and a path hold in turn; `size` and
/// `mtime`: those of the earlier. `turned` was a time, and is a number that only grows.
const SECOND: &str = "
    ALTER TABLE steps ADD COLUMN trouble TEXT NOT NULL DEFAULT '';
    ALTER TABLE steps ADD COLUMN applied INTEGER;
    ALTER TABLE steps ADD COLUMN clock INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE changes ADD COLUMN inode INTEGER;
    ALTER TABLE changes ADD COLUMN size INTEGER;
    ALTER TABLE changes ADD COLUMN mtime INTEGER;
    CREATE INDEX steps_by_turn ON steps (turned);
    CREATE TABLE roots (
        step INTEGER NOT NULL REFERENCES steps ON DELETE CASCADE, path BLOB NOT NULL,
        device INTEGER NOT NULL, inode INTEGER NOT NULL, PRIMARY KEY (step, path)) WITHOUT ROWID;
    CREATE TABLE notices (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
    INSERT OR REPLACE INTO facts VALUES ('clock', ?now), ('looked', ?now);
    UPDATE steps SET clock = min(time, ?now);
    PRAGMA user_version = 2;";

/// From version 2 to 3: what an index of git staged before a change and after it, see `staged`.
const THIRD: &str = "
    ALTER TABLE changes ADD COLUMN staged_before BLOB;
    ALTER TABLE changes ADD COLUMN staged_after BLOB;
    PRAGMA user_version = 3;";

/// From version 3 to 4: in place of the hash of a known content there may be the name that git has
/// for it.
const FOURTH: &str = "PRAGMA user_version = 4;";

/// From version 4 to 5: the commits that a file of a repository went with, see `Commits`.
const FIFTH: &str = "
    ALTER TABLE changes ADD COLUMN commit_before TEXT;
    ALTER TABLE changes ADD COLUMN commit_after TEXT;
    PRAGMA user_version = 5;";

/// The columns of each table. A development version may have had others under the same number.
const COLUMNS: &[(&str, &str)] = &[
    (
        "steps",
        "id root session owner tool about time phase turned program missed trouble applied clock",
    ),
    (
        "changes",
        "step seq path before_kind before_hash before_mode before_text after_kind after_hash \
         after_mode after_text inode size mtime staged_before \
         staged_after commit_before commit_after",
    ),
    ("facts", "name value"),
    ("blobs", "hash data"),
    ("known", "root path size mtime ctime inode mode hash target seen"),
    ("roots", "step path device inode"),
    ("notices", "id text"),
];

/// How long a process waits for others that write to the database.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a database is not used.
enum Unfit {
    Lost,
    Damaged,
    Newer(i64),
    /// It has this version, and other columns.
    Other,
    Failed(rusqlite::Error),
}

impl From<rusqlite::Error> for Unfit {
    fn from(error: rusqlite::Error) -> Self {
        if is_damage(&error) { Self::Damaged } else { Self::Failed(error) }
    }
}

/// Whether the error says that the database itself is damaged.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
}

/// Opens the database. With `durable`, a commit is on the disk when it returns; without, it
/// survives a killed process, and after a power cut the last ones may be missing. `damaged` says
/// that it was found to be damaged while it was used.
pub(super) fn open(state: &State, dir: &Path, durable: bool, damaged: bool) -> Result<Connection> {
    let why = match connect(dir, durable) {
        Ok(db) if !damaged => return Ok(db),
        Ok(_) => Unfit::Damaged,
        Err(Unfit::Failed(error)) => return Err(failure(dir, &error)),
        Err(why) => why,
    };
    let alone = state.file("journal", "opening.lock")?;
    rustix::fs::flock(&alone, rustix::fs::FlockOperation::LockExclusive)
        .map_err(|e| Error::state(dir, &e))?;
    // Another process may have begun a new one meanwhile.
    match connect(dir, durable) {
        Ok(db) if !damaged || is_sound(&db) => return Ok(db),
        _ => {}
    }
    let notice = set_aside(dir, &why)?;
    let db = connect(dir, durable).map_err(|again| match again {
        Unfit::Failed(error) => failure(dir, &error),
        _ => Error::state(dir, &"a new journal cannot be begun"),
    })?;
    db.execute("INSERT INTO notices (text) VALUES (?1)", [notice]).map_err(|e| failure(dir, &e))?;
    Ok(db)
}

fn is_sound(db: &Connection) -> bool {
    db.query_row("PRAGMA quick_check(1)", [], |r| r.get::<_, String>(0)).is_ok_and(|t| t == "ok")
}

fn connect(dir: &Path, durable: bool) -> Result<Connection, Unfit> {
    let path = dir.join("journal.db");
    // The directory of contents is made after the database, so one of them alone was left behind.
    let was_there = dir.join("blobs").is_dir();
    let empty = std::fs::metadata(&path).map_or(true, |data| data.len() == 0);
    if was_there && empty {
        return Err(Unfit::Lost);
    }
    let mut db = Connection::open(&path)?;
    db.busy_timeout(PATIENCE)?;
    // Changing to WAL does not wait for others who are about to do the same.
    let until = Instant::now() + PATIENCE;
    while let Err(error) = db.execute_batch("PRAGMA journal_mode = WAL") {
        let busy = error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy);
        if !busy || Instant::now() > until {
            return Err(error.into());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let synchronous = if durable { "FULL" } else { "NORMAL" };
    db.execute_batch(&format!(
        "PRAGMA synchronous = {synchronous}; PRAGMA foreign_keys = ON; PRAGMA cache_size = -1024;"
    ))?;
    let version = |db: &Connection| db.query_row("PRAGMA user_version", [], |r| r.get::<_, i64>(0));
    if version(&db)? < VERSION {
        let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let from = version(&tx)?;
        if from == 0 && was_there {
            return Err(Unfit::Lost);
        }
        if from == 0 {
            tx.execute_batch(SCHEMA)?;
        }
        if from < 2 {
            // It fails where a column is there already.
            tx.execute_batch(&SECOND.replace("?now", &now().to_string())).map_err(|e| {
                match e.sqlite_error_code() {
                    Some(ErrorCode::Unknown) => Unfit::Other,
                    _ => e.into(),
                }
            })?;
        }
        if from < 3 {
            tx.execute_batch(THIRD)?;
        }
        if from < 4 {
            tx.execute_batch(FOURTH)?;
        }
        if from < VERSION {
            tx.execute_batch(FIFTH)?;
        }
        tx.commit()?;
    }
    match version(&db)? {
        VERSION if has_columns(&db)? => Ok(db),
        VERSION => Err(Unfit::Other),
        newer => Err(Unfit::Newer(newer)),
    }
}

fn has_columns(db: &Connection) -> rusqlite::Result<bool> {
    let mut statement =
        db.prepare("SELECT coalesce(group_concat(name, ' '), '') FROM pragma_table_info(?1)")?;
    for (table, columns) in COLUMNS {
        if statement.query_row([table], |row| row.get::<_, String>(0))? != *columns {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Keeps the database and the contents that belong to it under other names; gives what to say.
fn set_aside(dir: &Path, why: &Unfit) -> Result<String> {
    let date = Connection::open_in_memory()
        .and_then(|db| {
            db.query_row("SELECT strftime('%Y%m%d-%H%M%S')", [], |r| r.get::<_, String>(0))
        })
        .map_err(|e| failure(dir, &e))?;
    let aside = |suffix: &str| format!("journal.db.damaged-{date}{suffix}");
    let contents = format!("contents.damaged-{date}");
    let moved = [
        ("journal.db", aside("")),
        ("journal.db-wal", aside("-wal")),
        ("blobs", format!("{contents}/blobs")),
        ("trash", format!("{contents}/trash")),
    ];
    std::fs::create_dir_all(dir.join(&contents)).map_err(|e| Error::state_io(dir, &e))?;
    for (name, to) in &moved {
        match std::fs::rename(dir.join(name), dir.join(to)) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::state_io(&dir.join(name), &e));
            }
            _ => {}
        }
    }
    let _ = std::fs::remove_file(dir.join("journal.db-shm")); // an index of the WAL, made anew
    let dir = dir.display();
    let what = match why {
        Unfit::Lost => "the journal's database was removed or emptied".to_owned(),
        Unfit::Newer(version) => format!(
            "the journal was written by a newer Kitbag (format {version}, this one knows {VERSION})"
        ),
        Unfit::Other => "the journal was written by a development version of Kitbag, with other \
                         tables"
            .to_owned(),
        Unfit::Damaged | Unfit::Failed(_) => "the journal's database is damaged".to_owned(),
    };
    Ok(format!(
        "{what}: calls before this cannot be undone here; what is left of it was kept as {dir}/{} \
         and {dir}/{contents}, and a new journal was begun",
        aside("")
    ))
}
