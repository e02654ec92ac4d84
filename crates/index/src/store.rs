//! The index on disk, so that the next server need not read the whole project again.
//!
//! One SQLite file a root, shared by all servers. It is a cache: what is damaged, or was written by
//! another version, is thrown away and made anew, and if it cannot be written, memory is enough.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use files::State;
use files::search::Stamp;
use rusqlite::{Connection, ErrorCode, TransactionBehavior, params};

use crate::document::{Chunk, Document};
use crate::table::DIMS;

/// The directory of the state directory.
const FOLDER: &str = "index";
/// Indexes that nobody wrote to for so long are of projects that are gone.
const AGE: Duration = Duration::from_secs(60 * 24 * 3600);
/// How long to wait for another server that writes.
const PATIENCE: Duration = Duration::from_secs(5);

/// A file with what is known of it.
pub(crate) type Entry = (PathBuf, Stamp, Arc<Document>);

pub(crate) struct Store {
    db: Connection,
}

impl Store {
    /// Opens the index of `root` and reads it. `version` tells what else could have made it.
    ///
    /// `None` if it cannot be kept: no state directory, no room, no permission.
    pub(crate) fn open(state: &State, root: &Path, version: u32) -> Option<(Self, Vec<Entry>)> {
        let folder = state.folder(FOLDER).ok()?;
        state.remove_unused(FOLDER, AGE);
        let hash = blake3::hash(root.as_os_str().as_bytes());
        let name = format!("{}.db", &hash.to_hex()[..32]);
        let (path, until) = (folder.join(&name), Instant::now() + PATIENCE);
        let mut anew = false;
        loop {
            match Self::try_open(&path, version) {
                Ok(opened) => return Some(opened),
                // SQLite does not wait while another server makes the file.
                Err(e) if is_busy(&e) && Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(e) if is_busy(&e) || anew => return None,
                Err(_) => {
                    for end in ["", "-wal", "-shm"] {
                        state.remove(FOLDER, &format!("{name}{end}"));
                    }
                    anew = true;
                }
            }
        }
    }

    fn try_open(path: &Path, version: u32) -> rusqlite::Result<(Self, Vec<Entry>)> {
        let mut db = Connection::open(path)?;
        db.busy_timeout(PATIENCE)?;
        db.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -1024;",
        )?;
        let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let found: i64 = tx.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if found != i64::from(version as i32) {
            tx.execute_batch(&format!(
                "DROP TABLE IF EXISTS files;
                 CREATE TABLE files (path BLOB PRIMARY KEY, size INTEGER NOT NULL,
                     changed INTEGER NOT NULL, inode INTEGER NOT NULL, body BLOB NOT NULL);
                 PRAGMA user_version = {};",
                version as i32
            ))?;
        }
        tx.commit()?;
        let entries = {
            let mut rows = db.prepare("SELECT path, size, changed, inode, body FROM files")?;
            let entry = |row: &rusqlite::Row<'_>| -> rusqlite::Result<Option<Entry>> {
                let path = PathBuf::from(OsStr::from_bytes(row.get_ref(0)?.as_blob()?));
                let stamp = Stamp {
                    size: row.get::<_, i64>(1)?.cast_unsigned(),
                    changed: row.get(2)?,
                    inode: row.get::<_, i64>(3)?.cast_unsigned(),
                };
                let document = unpack(row.get_ref(4)?.as_blob()?);
                Ok(document.map(|document| (path, stamp, Arc::new(document))))
            };
            let entries = rows.query_map([], entry)?.filter_map(Result::transpose);
            entries.collect::<rusqlite::Result<Vec<_>>>()?
        };
        Ok((Self { db }, entries))
    }

    /// Keeps what was read anew and drops what is gone; all of it or nothing.
    pub(crate) fn keep(&mut self, read: &[Entry], gone: &[PathBuf]) -> rusqlite::Result<()> {
        let tx = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let mut put = tx.prepare("INSERT OR REPLACE INTO files VALUES (?1, ?2, ?3, ?4, ?5)")?;
            for (path, stamp, document) in read {
                put.execute(params![
                    path.as_os_str().as_bytes(),
                    stamp.size.cast_signed(),
                    stamp.changed,
                    stamp.inode.cast_signed(),
                    pack(document)
                ])?;
            }
            let mut drop = tx.prepare("DELETE FROM files WHERE path = ?1")?;
            for path in gone {
                drop.execute(params![path.as_os_str().as_bytes()])?;
            }
        }
        tx.commit()
    }
}

/// Whether another server holds the file just now.
fn is_busy(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn pack(document: &Document) -> Vec<u8> {
    let mut out = vec![u8::from(document.refused)];
    for (chunk, vector) in document.chunks.iter().zip(&document.vectors) {
        let numbers = [
            chunk.lines.0,
            chunk.lines.1,
            chunk.length,
            chunk.name.len() as u32,
            chunk.terms.len() as u32,
        ];
        out.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
        out.extend(chunk.name.as_bytes());
        for (term, count) in &chunk.terms {
            out.extend(term.to_le_bytes());
            out.extend(count.to_le_bytes());
        }
        out.extend(vector.iter().map(|v| v.cast_unsigned()));
    }
    out
}

/// `None` if the bytes are not what [`pack`] wrote.
fn unpack(bytes: &[u8]) -> Option<Document> {
    let (refused, mut rest) = bytes.split_first()?;
    let (mut chunks, mut vectors) = (Vec::new(), Vec::new());
    while !rest.is_empty() {
        let mut number = || {
            let (four, after) = rest.split_first_chunk::<4>()?;
            rest = after;
            Some(u32::from_le_bytes(*four))
        };
        let lines = (number()?, number()?);
        let (length, name, terms) = (number()?, number()? as usize, number()? as usize);
        let (text, after) = rest.split_at_checked(name)?;
        let (counts, after) = after.split_at_checked(terms.checked_mul(6)?)?;
        let (vector, after) = after.split_first_chunk::<DIMS>()?;
        rest = after;
        chunks.push(Chunk {
            lines,
            length,
            name: String::from_utf8(text.to_vec()).ok()?,
            terms: counts
                .chunks_exact(6)
                .map(|b| {
                    (u32::from_le_bytes([b[0], b[1], b[2], b[3]]), u16::from_le_bytes([b[4], b[5]]))
                })
                .collect(),
        });
        vectors.push(vector.map(u8::cast_signed));
    }
    Some(Document { refused: *refused != 0, chunks, vectors })
}
