//! Setting right what a killed server left in the middle.

#![expect(clippy::disallowed_methods, reason = "the journal's own files in the state directory")]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use fault::{Error, Result};

use super::image::Image;
use super::store::{Altered, Phase, StepRow};
use super::turn::Turn;
use super::undo::Direction;
use super::{Journal, StepId};
use crate::workspace::{Expected, Workspace};

/// A step that is neither done nor undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Half {
    /// Its number.
    pub id: StepId,
    /// The root it belongs to.
    pub root: PathBuf,
    /// Why it is.
    pub trouble: String,
}

impl Journal {
    /// Sets right what a killed server left in the middle, for one who will only read. Where none was
    /// killed this costs the look at one directory; what opens the journal does it in any case. Of
    /// servers that are killed later nothing is known until then.
    ///
    /// # Errors
    /// `Io` if the journal cannot be read.
    pub fn settle(&self) -> Result<()> {
        let owners = std::fs::read_dir(self.state.dir().join("journal/owners"));
        let is_dead = |owner: std::io::Result<std::fs::DirEntry>| {
            let file = owner.and_then(|owner| std::fs::File::open(owner.path()));
            let free = rustix::fs::FlockOperation::NonBlockingLockShared;
            file.is_ok_and(|file| rustix::fs::flock(&file, free).is_ok())
        };
        if self.store.get().is_none() && owners.into_iter().flatten().any(is_dead) {
            drop(self.store()?);
        }
        Ok(())
    }

    /// Finishes what servers that no longer live left unfinished: a call's changes are taken back,
    /// a program's are noted, an undo or redo is completed unless somebody changed its files since.
    /// One that cannot be finished stays with its reason, and stops nobody.
    pub(super) fn recover(&self) -> Result<()> {
        if !self.store_now()?.read(|tx| tx.unfinished())?.is_empty() {
            self.finish_all()?;
        }
        for owner in std::fs::read_dir(self.state.folder("journal/owners")?).into_iter().flatten() {
            let Ok(owner) = owner else { continue };
            self.is_alive(&owner.file_name().to_string_lossy())?;
        }
        Ok(())
    }

    fn finish_all(&self) -> Result<()> {
        // One at a time, and what another has just finished is no longer there.
        let alone = self.state.file("journal", "recovery.lock")?;
        rustix::fs::flock(&alone, rustix::fs::FlockOperation::LockExclusive)
            .map_err(|e| Error::state(self.state.dir(), &e))?;
        let unfinished = self.store_now()?.read(|tx| tx.unfinished())?;
        for (row, owner, root) in unfinished {
            // A half turn whose reason is known waits for a person to say which way it goes.
            let waits = !row.trouble.is_empty() && row.phase != Phase::Open;
            if self.is_alive(&owner)? {
                continue;
            }
            if let Err(error) = self.finish(&row, &root, waits) {
                self.store_now()?.write(|tx| tx.set_trouble_if_open(row.id, &error.message))?;
            }
        }
        Ok(())
    }

    /// One that `waits` only gives back what it had locked.
    fn finish(&self, row: &StepRow, root: &Path, waits: bool) -> Result<()> {
        let (changes, remembered) =
            self.store_now()?.read(|tx| Ok((tx.changes(row.id)?, tx.roots(row.id)?)))?;
        let main = match remembered.into_iter().find(|known| known.path == root) {
            Some(known) => known,
            None => Workspace::root_id(root)?,
        };
        let workspace = self.reaching(main, row.id, &changes)?;
        self.free_git(&workspace, &changes);
        if waits {
            return Ok(());
        }
        self.sweep(&workspace, row.id, &changes)?;
        let turn = |direction: Direction| {
            let turn = Turn::new(self, &workspace, direction, Some(row.id), &changes)?;
            if turn.is_begun(row.applied)? {
                return self.carry_out(&workspace, direction, row, &changes, false).map(drop);
            }
            // Nobody was told that it happened, and a person may have gone on since.
            self.store_now()?.write(|tx| tx.set_phase(row.id, direction.phases().0))
        };
        match row.phase {
            // What is known of the files is kept by root: only the journal of that root can tell.
            Phase::Open if row.program && root != self.root => Ok(()),
            Phase::Open if row.program => self.note_abandoned_program(&workspace, row.id, row.time),
            Phase::Open => self.roll_back(&workspace, row.id, &changes),
            Phase::Undoing => turn(Direction::Undo),
            Phase::Redoing => turn(Direction::Redo),
            Phase::Done | Phase::Undone => Ok(()),
        }
    }

    /// Whether the process that owns a step lives: it holds the lock of its file as long as it
    /// does. The file of one that does not is removed.
    fn is_alive(&self, owner: &str) -> Result<bool> {
        if owner.is_empty() {
            return Ok(false); // given up by its owner
        }
        let path = self.state.folder("journal/owners")?.join(owner);
        let file = match std::fs::File::open(&path) {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            Err(e) => return Err(Error::state_io(&path, &e)), // it may live
        };
        let free = rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive);
        if free.is_ok() {
            let _ = std::fs::remove_file(&path); // else the next who asks does
        }
        Ok(free.is_err())
    }

    /// The steps of all roots that are neither done nor undone and that nobody works on.
    ///
    /// # Errors
    /// `Io` if the journal cannot be read.
    pub fn half(&self) -> Result<Vec<Half>> {
        let rows = self.store()?.read(|tx| tx.unfinished())?;
        let half = rows.into_iter().filter(|(row, ..)| !row.trouble.is_empty());
        Ok(half.map(|(row, _, root)| Half { id: row.id, root, trouble: row.trouble }).collect())
    }

    /// What happened to the journal itself, in words, since this was last asked.
    ///
    /// # Errors
    /// `Io` if the journal cannot be read or written.
    pub fn notices(&self) -> Result<Vec<String>> {
        let sql = "SELECT text FROM notices ORDER BY id";
        let texts = self.store()?.read(|tx| tx.query(sql, [], |r| r.get::<_, String>(0)))?;
        if !texts.is_empty() {
            self.store()?.write(|tx| tx.run("DELETE FROM notices", []))?;
        }
        Ok(texts)
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
            other => {
                store.set_damaged();
                Err(Error::state(&store.dir, &other.unwrap_or("no answer")))
            }
        }
    }

    /// Removes what a process that is gone left under temporary names beside the files of a step.
    /// What somebody saved goes back; what cannot is told.
    pub(super) fn sweep(
        &self,
        workspace: &Workspace,
        id: StepId,
        changes: &[Altered],
    ) -> Result<()> {
        let folders: BTreeSet<_> = changes.iter().filter_map(|c| c.path.parent()).collect();
        let mut left = Vec::new();
        for folder in folders {
            let here: Vec<_> = changes.iter().filter(|c| c.path.parent() == Some(folder)).collect();
            let names: Vec<_> = here.iter().filter_map(|c| c.path.file_name()).collect();
            let ours = |name: &OsStr| {
                let of = here.iter().filter(|c| c.path.file_name() == Some(name));
                let images = of.flat_map(|c| [&c.before, &c.after]);
                let kept = images.filter(|i| matches!(i, Image::File { .. } | Image::Link { .. }));
                kept.map(Image::expected).collect::<Vec<Expected<'_>>>()
            };
            let names = workspace.sweep(folder, &names, ours);
            left.extend(names.into_iter().map(|name| workspace.show(&folder.join(name))));
        }
        if left.is_empty() {
            return Ok(());
        }
        let missed = format!(
            "what somebody else saved when a call was killed was kept as {}",
            left.join(", ")
        );
        self.store_now()?.write(|tx| tx.set_missed(id, &missed))
    }
}
