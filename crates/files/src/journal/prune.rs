//! Keeping the journal bounded, by age, by number and by size.
//!
//! Age is counted by a clock of the journal's own: it never goes back, and however far the clock of
//! the machine jumps ahead, it gains at most a day each time that the journal is looked at. So a
//! clock that is wrong for once costs nothing.

#![expect(clippy::disallowed_methods, reason = "the journal's own files in the state directory")]

use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use fault::Result;

use super::layer::remove_tree;
use super::store::{NAMED, Tx, now};
use super::{Journal, StepId};
use crate::limits::Limits;

/// Microseconds.
const DAY: i64 = 24 * HOUR;
const HOUR: i64 = 3_600_000_000;

impl Journal {
    /// Forgets what is too old or too much, if nobody did so for a day.
    pub(super) fn prune_if_due(&self) -> Result<()> {
        let mut store = self.store_now()?;
        // Noted once an hour, since it costs a write to the disk.
        let looked = store.read(|tx| fact(tx, "looked"))?;
        if looked.is_some_and(|looked| (0..HOUR).contains(&(now() - looked))) {
            return Ok(());
        }
        let due = store.write(|tx| {
            let clock = tick(tx)?;
            Ok(fact(tx, "pruned")?.is_none_or(|last| clock - last >= DAY))
        })?;
        drop(store);
        if due { self.prune(&Limits::default()) } else { Ok(()) }
    }

    /// Forgets the steps that are older, more or larger than the limits say, with the contents that
    /// only they needed.
    ///
    /// # Errors
    /// `Io` if the journal cannot be written.
    pub fn prune(&self, limits: &Limits) -> Result<()> {
        let mut store = self.store()?;
        let trash = store.dir.join("trash");
        store.write(|tx| {
            let clock = tick(tx)?;
            for id in too_much(tx, &trash, clock, limits)? {
                tx.forget_step(id)?;
            }
            // What is known of files that nobody touched for long is still what a command's
            // changes are held against, so it goes only with the directory.
            let roots =
                tx.query("SELECT DISTINCT root FROM known", [], |r| r.get::<_, Vec<u8>>(0))?;
            for root in roots.iter().filter(|r| !Path::new(OsStr::from_bytes(r)).exists()) {
                tx.run("DELETE FROM known WHERE root = ?1", [root])?;
            }
            tx.run("INSERT OR REPLACE INTO facts VALUES ('pruned', ?1)", [clock])?;
            tx.run(&format!("DELETE FROM blobs WHERE hash NOT IN ({NAMED})"), [])
        })?;
        // In a transaction of its own, so that nobody has kept a content whose row is yet to come.
        store.write(|tx| {
            let named = tx.query(NAMED, [], |r| r.get::<_, Vec<u8>>(0))?;
            let named: HashSet<_> = named.into_iter().collect();
            tx.blobs.retain(|hash| named.contains(hash));
            let slots: HashSet<_> =
                tx.query(SLOTS, [], |r| r.get::<_, Vec<u8>>(0))?.into_iter().collect();
            for entry in std::fs::read_dir(&trash).into_iter().flatten().flatten() {
                let path = entry.path();
                if !slots.contains(entry.file_name().as_bytes()) {
                    // What cannot be removed now is tried again the next day.
                    let _ = std::fs::remove_file(&path).or_else(|_| remove_tree(&path));
                }
            }
            Ok(())
        })
    }
}

/// The slots of the trash that a step needs.
const SLOTS: &str = "SELECT before_text FROM changes WHERE before_kind = 'trash'
     UNION SELECT after_text FROM changes WHERE after_kind = 'trash'";

fn fact(tx: &Tx<'_>, name: &str) -> Result<Option<i64>> {
    Ok(tx.query("SELECT value FROM facts WHERE name = ?1", [name], |r| r.get(0))?.pop())
}

/// Brings the clock of the journal up to date, and gives it.
fn tick(tx: &Tx<'_>) -> Result<i64> {
    let wall = now();
    let clock = fact(tx, "clock")?.unwrap_or(wall);
    let looked = fact(tx, "looked")?.unwrap_or(wall);
    let clock = clock + (wall - looked).clamp(0, DAY);
    let sql = "INSERT OR REPLACE INTO facts VALUES ('clock', ?1), ('looked', ?2)";
    tx.run(sql, [clock, wall])?;
    Ok(clock)
}

/// The steps that go: too old, beyond the number that is kept, or beyond the size. The newest stays
/// whatever its size, and so does what is in the middle of something.
fn too_much(tx: &Tx<'_>, trash: &Path, clock: i64, limits: &Limits) -> Result<Vec<StepId>> {
    let oldest = clock - limits.journal_days as i64 * DAY;
    let sql = "SELECT id, clock, phase IN ('done', 'undone') FROM steps ORDER BY id DESC";
    let rows = tx.query(sql, [], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?;
    let (mut goes, mut bytes) = (Vec::new(), 0);
    for (count, (id, clock, settled)) in rows.into_iter().enumerate() {
        let id: StepId = id;
        let made: i64 = clock;
        bytes += size(tx, trash, id)?;
        let over = count > 0 && (count >= limits.journal_steps || bytes > limits.journal_bytes);
        if settled && (made < oldest || over) {
            goes.push(id);
        }
    }
    Ok(goes)
}

fn slots_of(tx: &Tx<'_>, id: StepId) -> Result<Vec<String>> {
    let sql = "SELECT before_text FROM changes WHERE step = ?1 AND before_kind = 'trash'
         UNION SELECT after_text FROM changes WHERE step = ?1 AND after_kind = 'trash'";
    let names = tx.query(sql, [id], |r| r.get::<_, Vec<u8>>(0))?;
    Ok(names.into_iter().filter_map(|name| String::from_utf8(name).ok()).collect())
}

/// Bytes that are kept for a step. A content that two steps need counts for both.
fn size(tx: &Tx<'_>, trash: &Path, id: StepId) -> Result<u64> {
    let sql = "SELECT hash, length(data) FROM changes LEFT JOIN blobs
         ON hash IN (before_hash, after_hash) WHERE step = ?1";
    let small = tx.query(sql, [id], |r| r.get::<_, Option<i64>>(1))?;
    let small: i64 = small.into_iter().flatten().sum();
    let sql = "SELECT before_hash FROM changes WHERE step = ?1 AND before_hash NOT NULL
         UNION SELECT after_hash FROM changes WHERE step = ?1 AND after_hash NOT NULL";
    let hashes = tx.query(sql, [id], |r| r.get::<_, super::blobs::Hash>(0))?;
    let large: u64 = hashes.iter().map(|hash| tx.blobs.size(hash)).sum();
    let slots: u64 = slots_of(tx, id)?.iter().map(|slot| tree_size(&trash.join(slot))).sum();
    Ok(small as u64 + large + slots)
}

fn tree_size(path: &Path) -> u64 {
    let Ok(data) = std::fs::symlink_metadata(path) else { return 0 };
    let below = std::fs::read_dir(path).into_iter().flatten().flatten();
    data.len() + below.map(|entry| tree_size(&entry.path())).sum::<u64>()
}
