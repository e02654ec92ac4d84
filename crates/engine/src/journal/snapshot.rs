//! What the files are around a program, so that what it changed can be undone.
//!
//! Before a program runs, every file that changed since the last look is copied into the journal;
//! afterwards a second look finds what the program did. Folders that .gitignore leaves out are not
//! looked at (build output, installed packages), but ignored files beside tracked ones are.

mod compare;
mod look;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use super::blobs::Hash;
use super::image::Image;
use super::store::{Altered, Phase, Tx, now};
use super::{Journal, Label, StepId};
use crate::error::Result;
use crate::workspace::Workspace;

use look::{Found, Mark, Missed, Seen, look};

/// What is known of the files from the last look.
#[derive(Debug, Default)]
pub(super) struct Known {
    loaded: bool,
    files: BTreeMap<PathBuf, Seen>,
    /// The programs that run, the oldest first.
    running: Vec<Before>,
}

/// A program's step that is under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    id: StepId,
    /// When it began, in microseconds since 1970.
    time: i64,
    /// It may change the configuration of a repository.
    configures: bool,
}

/// What came of a program's changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramChanges {
    /// The number of the step, if anything was changed.
    pub step: Option<StepId>,
    /// Protected files that the program changed and that were put back, as shown.
    pub put_back: Vec<String>,
}

impl Journal {
    pub(super) fn before_program(&self, workspace: &Workspace, label: &Label) -> Result<Before> {
        drop(self.store()?); // opening it may have to finish an abandoned program of this root
        let mut known = self.snapshots.lock().unwrap_or_else(PoisonError::into_inner);
        let running = known.running.first().copied();
        let mut missed = Missed::default();
        let (before, forbidden) = self.store()?.write(|tx| {
            self.load(tx, &mut known)?;
            let forbidden = match running {
                // What changed since that one began is its work, as far as anybody can tell.
                Some(other) => self.note(tx, workspace, &mut known.files, other, &mut missed)?,
                None => {
                    let found = look::walk(workspace, &self.own, &mut missed);
                    self.update(tx, workspace, &mut known.files, &found, &mut missed)?;
                    Vec::new()
                }
            };
            let time = now();
            let id = tx.new_step(&self.root, &self.session, label, true)?;
            tx.add_roots(id, &workspace.root_ids()?)?;
            tx.set_missed(id, &missed.text())?;
            Ok((Before { id, time, configures: false }, forbidden))
        })?;
        known.running.push(before);
        self.put_back(workspace, &forbidden)?;
        Ok(before)
    }

    /// Lets the program of this step change the configuration of a repository.
    pub(super) fn let_configure(&self, before: Before) {
        let mut known = self.snapshots.lock().unwrap_or_else(PoisonError::into_inner);
        let running = known.running.iter_mut().filter(|other| other.id == before.id);
        running.for_each(|other| other.configures = true);
    }

    /// Finds what the program changed, puts protected files back and notes the rest.
    pub(super) fn after_program(
        &self,
        workspace: &Workspace,
        before: Before,
    ) -> Result<ProgramChanges> {
        let mut known = self.snapshots.lock().unwrap_or_else(PoisonError::into_inner);
        let at = known.running.iter().position(|other| other.id == before.id);
        let before = at.map_or(before, |at| known.running.remove(at));
        let mut missed = Missed::default();
        let (changed, forbidden) = self.store_now()?.write(|tx| {
            self.load(tx, &mut known)?;
            let forbidden = self.note(tx, workspace, &mut known.files, before, &mut missed)?;
            let changed = tx.change_count(before.id)? > 0;
            if changed {
                tx.set_phase(before.id, Phase::Done)?;
                if !missed.text().is_empty() {
                    tx.set_missed(before.id, &missed.text())?;
                }
            } else {
                tx.forget_step(before.id)?;
            }
            Ok((changed, forbidden))
        })?;
        let put_back = forbidden.iter().map(|c| workspace.show(&c.path)).collect();
        self.put_back(workspace, &forbidden)?;
        Ok(ProgramChanges { step: changed.then_some(before.id), put_back })
    }

    pub(super) fn note_abandoned_program(
        &self,
        workspace: &Workspace,
        id: StepId,
        time: i64,
    ) -> Result<()> {
        self.after_program(workspace, Before { id, time, configures: false }).map(drop)
    }

    fn put_back(&self, workspace: &Workspace, forbidden: &[Altered]) -> Result<()> {
        for change in forbidden.iter().rev() {
            self.finish_turn(workspace, super::Direction::Undo, std::slice::from_ref(change))?;
        }
        Ok(())
    }

    /// Notes what changed since the last look as the work of a program; gives what no program may
    /// change.
    fn note(
        &self,
        tx: &Tx<'_>,
        workspace: &Workspace,
        known: &mut BTreeMap<PathBuf, Seen>,
        program: Before,
        missed: &mut Missed,
    ) -> Result<Vec<Altered>> {
        let mut found = look::walk(workspace, &self.own, missed);
        look::still_there(workspace, known, &mut found);
        let old = known.clone();
        self.update(tx, workspace, known, &found, missed)?;
        let mut changes = compare::compare(&old, known, &found);
        let others = tx.changed_by_others(&self.root, program.id, program.time)?;
        changes.retain(|change| match others.get(&change.path) {
            Some(after) => {
                missed.shared += usize::from(*after != change.after);
                false
            }
            None => {
                let brought = compare::was_brought(workspace, &old, change, program.time);
                missed.brought += usize::from(brought);
                !brought
            }
        });
        let configured = |path: &Path| program.configures && path.ends_with(".git/config");
        let forbidden =
            |c: &Altered| !configured(&c.path) && self.is_forbidden(workspace, &old, &c.path);
        let (forbidden, changes): (Vec<_>, Vec<_>) = changes.into_iter().partition(forbidden);
        let first = tx.change_count(program.id)?;
        for (seq, change) in changes.iter().enumerate() {
            tx.add_change(program.id, first + seq, change)?;
        }
        Ok(forbidden)
    }

    /// Whether a program may not have changed this: a protected path outside of a repository that
    /// the program itself made.
    fn is_forbidden(
        &self,
        workspace: &Workspace,
        old: &BTreeMap<PathBuf, Seen>,
        path: &Path,
    ) -> bool {
        if self.needs_person(workspace, path, false).is_none() {
            return false;
        }
        match path.ancestors().find(|a| a.file_name() == Some(OsStr::new(".git"))) {
            Some(git) => old.contains_key(&git.join("config")),
            None => true,
        }
    }

    /// Brings what is known up to what was found; contents that are new are kept.
    fn update(
        &self,
        tx: &Tx<'_>,
        workspace: &Workspace,
        known: &mut BTreeMap<PathBuf, Seen>,
        found: &Found,
        missed: &mut Missed,
    ) -> Result<()> {
        let root = self.root.as_os_str().as_bytes();
        let gone: Vec<PathBuf> =
            known.keys().filter(|p| !found.contains_key(*p)).cloned().collect();
        for path in gone {
            known.remove(&path);
            let path = path.as_os_str().as_bytes();
            tx.run(
                "DELETE FROM known WHERE root = ?1 AND path = ?2",
                rusqlite::params![root, path],
            )?;
        }
        let mut bytes_left = workspace.limits().snapshot_bytes;
        for (path, (kind, mark)) in found {
            if known.get(path).is_some_and(|s| s.mark == *mark && !s.fresh) {
                continue;
            }
            let Some(image) = look(tx, workspace, path, *kind, mark, &mut bytes_left, missed)?
            else {
                known.remove(path);
                continue;
            };
            let fresh = mark.mtime.max(mark.ctime) > now() * 1000 - 20_000_000;
            let (_, hash, _, target) = image.columns();
            // A fresh mark is stored as one that never fits, so that the next session looks again.
            let size = if fresh { -1 } else { mark.size };
            tx.run(
                "INSERT OR REPLACE INTO known VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                rusqlite::params![
                    root,
                    path.as_os_str().as_bytes(),
                    size,
                    mark.mtime,
                    mark.ctime,
                    mark.inode,
                    mark.mode,
                    hash,
                    target,
                    now()
                ],
            )?;
            known.insert(path.clone(), Seen { mark: mark.clone(), image, fresh });
        }
        Ok(())
    }

    fn load(&self, tx: &Tx<'_>, known: &mut Known) -> Result<()> {
        if known.loaded {
            return Ok(());
        }
        let row = |r: &rusqlite::Row<'_>| {
            let mark = Mark {
                size: r.get(1)?,
                mtime: r.get(2)?,
                ctime: r.get(3)?,
                inode: r.get(4)?,
                mode: r.get(5)?,
            };
            let image = match (r.get::<_, Option<Hash>>(6)?, r.get::<_, Option<Vec<u8>>>(7)?) {
                (Some(hash), _) => Image::File { hash, mode: Some(mark.mode) },
                (_, Some(target)) => Image::Link { target: std::ffi::OsString::from_vec(target) },
                _ => Image::Directory { mode: Some(mark.mode) },
            };
            let path = PathBuf::from(std::ffi::OsString::from_vec(r.get(0)?));
            Ok((path, Seen { mark, image, fresh: false }))
        };
        let sql =
            "SELECT path, size, mtime, ctime, inode, mode, hash, target FROM known WHERE root = ?1";
        known.files = tx.query(sql, [self.root.as_os_str().as_bytes()], row)?.into_iter().collect();
        known.loaded = true;
        Ok(())
    }
}
