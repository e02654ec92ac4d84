//! Setting right what a killed server left in the middle, and keeping the journal bounded.

#![expect(clippy::disallowed_methods, reason = "the journal's own files in the state folder")]

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags, StatxFlags};

use super::Journal;
use super::store::{Altered, NAMED, Phase, StepRow};
use super::undo::Direction;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::workspace::{Access, Spot, Workspace};

/// Where removed things are kept whole.
pub(super) struct Trash {
    pub(super) dir: OwnedFd,
}

impl Trash {
    /// Whether what stands at `spot` can be moved here: only within one mount.
    pub(super) fn takes(&self, spot: &Spot) -> bool {
        self.is_on_mount(&spot.parent, &spot.name)
    }

    /// Whether what is in a directory can be moved here.
    pub(super) fn is_on_mount_of(&self, directory: &OwnedFd) -> bool {
        self.is_on_mount(directory, OsStr::new(""))
    }

    fn is_on_mount(&self, dir: &OwnedFd, name: &OsStr) -> bool {
        let here = mount(&self.dir, OsStr::new(""));
        here.is_some() && here == mount(dir, name)
    }
}

/// By what a mount is known.
fn mount(dir: &OwnedFd, name: &OsStr) -> Option<(u64, u32, u32)> {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::EMPTY_PATH;
    let stat = rustix::fs::statx(dir, name, flags, StatxFlags::MNT_ID).ok()?;
    Some((stat.stx_mnt_id, stat.stx_dev_major, stat.stx_dev_minor))
}

/// A workspace that reaches all of these changes, also those that a session made in further
/// folders which this one may not know of.
pub(super) fn reaching(root: &Path, changes: &[Altered]) -> Result<Workspace> {
    let beside = changes.iter().filter_map(|c| c.path.parent()).filter(|d| !d.starts_with(root));
    let mut more: Vec<(PathBuf, Access)> = Vec::new();
    for folder in beside.collect::<BTreeSet<_>>() {
        // Sorted, a folder comes before what is in it.
        if !more.iter().any(|(above, _)| folder.starts_with(above)) && folder.is_dir() {
            more.push((folder.to_owned(), Access::Write));
        }
    }
    Workspace::open(root, &more, Limits::default())
}

impl Journal {
    pub(super) fn trash(&self) -> Result<Trash> {
        let path = self.state.folder("journal/trash")?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir =
            rustix::fs::open(&path, flags, Mode::empty()).map_err(|e| Error::state(&path, &e))?;
        Ok(Trash { dir })
    }

    /// Finishes what servers that no longer live left unfinished: a call's changes are taken back,
    /// a program's are noted, an undo or redo is completed. One that cannot be finished now stays
    /// for the next time and stops nobody.
    pub(super) fn recover(&self) -> Result<()> {
        if self.store_now()?.read(|tx| tx.unfinished())?.is_empty() {
            return Ok(());
        }
        // One at a time, and what another has just finished is no longer there.
        let alone = self.state.file("journal", "recovery.lock")?;
        rustix::fs::flock(&alone, rustix::fs::FlockOperation::LockExclusive)
            .map_err(|e| Error::state(self.state.dir(), &e))?;
        let unfinished = self.store_now()?.read(|tx| tx.unfinished())?;
        for (row, owner, root) in unfinished {
            if self.is_alive(&owner)? {
                continue;
            }
            let _ = self.finish(&row, &root);
        }
        Ok(())
    }

    fn finish(&self, row: &StepRow, root: &Path) -> Result<()> {
        let changes = self.store_now()?.read(|tx| tx.changes(row.id))?;
        let workspace = reaching(root, &changes)?;
        let folders: BTreeSet<_> = changes.iter().filter_map(|c| c.path.parent()).collect();
        folders.into_iter().for_each(|folder| workspace.sweep(folder));
        match row.phase {
            // What is known of the files is kept by root: only the journal of that root can tell.
            Phase::Open if row.program && root != self.root => Ok(()),
            Phase::Open if row.program => self.note_abandoned_program(&workspace, row.id, row.time),
            Phase::Open => self.roll_back(&workspace, row.id, &changes),
            Phase::Undoing => {
                self.finish_turn(&workspace, Direction::Undo, &changes)?;
                self.store_now()?.write(|tx| tx.set_phase(row.id, Phase::Undone))
            }
            Phase::Redoing => {
                self.finish_turn(&workspace, Direction::Redo, &changes)?;
                self.store_now()?.write(|tx| tx.set_phase(row.id, Phase::Done))
            }
            Phase::Done | Phase::Undone => Ok(()),
        }
    }

    /// Whether the process that owns a step lives: it holds the lock of its file as long as it does.
    fn is_alive(&self, owner: &str) -> Result<bool> {
        let path = self.state.folder("journal/owners")?.join(owner);
        let Ok(file) = std::fs::File::open(&path) else { return Ok(false) };
        let free = rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive);
        if free.is_ok() {
            let _ = std::fs::remove_file(&path);
        }
        Ok(free.is_err())
    }

    /// Checks the journal's database.
    ///
    /// # Errors
    /// `Io` with what is damaged.
    pub fn verify(&self) -> Result<()> {
        let store = self.store()?;
        let said =
            store.read(|tx| tx.query("PRAGMA quick_check", [], |r| r.get::<_, String>(0)))?;
        match said.first().map(String::as_str) {
            Some("ok") => Ok(()),
            other => Err(Error::state(&store.dir, &other.unwrap_or("no answer"))),
        }
    }

    /// Forgets what is too old, if nobody did so for a day.
    pub(super) fn prune_if_due(&self) -> Result<()> {
        let day = 86_400_000_000;
        let last = "SELECT value FROM facts WHERE name = 'pruned'";
        let last = self.store_now()?.read(|tx| tx.query(last, [], |r| r.get::<_, i64>(0)))?;
        if last.first().is_some_and(|last| super::store::now() - last < day) {
            return Ok(());
        }
        self.prune(Limits::default().journal_days)
    }

    /// Forgets steps older than `days`, with the contents that only they needed.
    ///
    /// # Errors
    /// `Io` if the journal cannot be written.
    pub fn prune(&self, days: u64) -> Result<()> {
        let oldest = super::store::now() - (days as i64) * 86_400_000_000;
        let mut store = self.store()?;
        let trash = store.write(|tx| {
            let old = "SELECT id FROM steps WHERE time < ?1 AND phase IN ('done', 'undone')";
            let trash = tx.query(
                &format!("SELECT before_text FROM changes WHERE before_kind = 'trash' AND step IN ({old})"),
                [oldest],
                |r| r.get::<_, Vec<u8>>(0),
            )?;
            tx.run(&format!("DELETE FROM changes WHERE step IN ({old})"), [oldest])?;
            tx.run("DELETE FROM steps WHERE time < ?1 AND phase IN ('done', 'undone')", [oldest])?;
            // What is known of files that nobody touched for long is still what a command's
            // changes are held against, so it goes only with the folder.
            let roots = tx.query("SELECT DISTINCT root FROM known", [], |r| r.get::<_, Vec<u8>>(0))?;
            for root in roots.iter().filter(|r| !Path::new(OsStr::from_bytes(r)).exists()) {
                tx.run("DELETE FROM known WHERE root = ?1", [root])?;
            }
            tx.run("INSERT OR REPLACE INTO facts VALUES ('pruned', ?1)", [super::store::now()])?;
            tx.run(&format!("DELETE FROM blobs WHERE hash NOT IN ({NAMED})"), [])?;
            Ok(trash)
        })?;
        let dir = store.dir.join("trash");
        for name in trash.into_iter().filter_map(|n| String::from_utf8(n).ok()) {
            let path = dir.join(name);
            let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir_all(&path));
        }
        // In a transaction of its own, so that nobody has kept a content whose row is yet to come.
        store.write(|tx| {
            let named = tx.query(NAMED, [], |r| r.get::<_, Vec<u8>>(0))?;
            let named: HashSet<_> = named.into_iter().collect();
            tx.blobs.retain(|hash| named.contains(hash));
            Ok(())
        })
    }
}
