//! What the files are around a program that changes them directly, where it can have no layer.
//!
//! Before it runs, every file that changed since the last look is copied into the journal;
//! afterwards a second look finds what changed. Whose work that is, is told by the system calls of
//! the program, where they are seen. It is done already, so nothing is put back here: what no program
//! may do, and what others changed too, is offered for a person to take back. Directories that
//! .gitignore leaves out are not looked at (build output, installed packages), but ignored files
//! beside tracked ones are.

mod clean;
mod compare;
mod held;
mod look;
mod missed;
mod watched;
mod whose;

use std::collections::BTreeMap;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;
use std::sync::PoisonError;

use super::blobs::Hash;
use super::image::Image;
use super::layer::some;
use super::packs::{Name, Packs};
use super::store::{Altered, Phase, Tx, now};
use super::touched::Touched;
use super::{Journal, Label, StepId};
use crate::workspace::Workspace;

use compare::{Old, Was};
use fault::{Error, Result};
use look::{Content, Found, Mark, Seen, look};
use missed::{Missed, Why};
use watched::{Counts, Watched};
use whose::Left;

/// What is known of the files from the last look.
#[derive(Debug, Default)]
pub(super) struct Known {
    loaded: bool,
    files: BTreeMap<PathBuf, Seen>,
    /// What was there and could not be covered.
    uncovered: BTreeMap<PathBuf, Why>,
    /// The programs that run, the oldest first.
    running: Vec<Before>,
    /// What happened since none of them ran.
    meanwhile: Meanwhile,
    /// Where the contents are that git keeps.
    packs: Option<Packs>,
    /// What names that which changed since the last look; `None` if everything has to be looked at.
    watched: Option<Watched>,
    /// It is of no use to try that again.
    is_unwatchable: bool,
}

#[cfg(test)]
impl Known {
    /// Whether only what is reported will be looked at.
    pub(super) fn is_watched(&self) -> bool {
        self.watched.is_some()
    }
}

/// What is there now of what may have changed.
#[derive(Debug, Default)]
struct Look {
    found: Found,
    /// What is known and no longer there.
    gone: Vec<PathBuf>,
}

/// What happened while programs ran.
#[derive(Debug, Default)]
struct Meanwhile {
    /// What was touched by each that ran, and how often the kernel reported each file.
    touched: Vec<Touched>,
    reports: Counts,
    /// Some of them were lost.
    is_deaf: bool,
    /// What somebody else changed, and when that was seen.
    others: BTreeMap<PathBuf, i64>,
}

/// A program's step that is under way.
#[derive(Clone, Debug)]
pub(super) struct Before {
    id: StepId,
    /// When it began, in microseconds since 1970.
    time: i64,
    /// It is one of Kitbag's own, which change what they must.
    own: bool,
    /// What it may have changed.
    pub(super) touched: Touched,
}

/// What came of a program's changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramChanges {
    /// The number of the step, if anything was changed.
    pub step: Option<StepId>,
    /// What a person must know of it, a sentence each.
    pub notes: Vec<String>,
}

impl Journal {
    pub(super) fn before_program(
        &self,
        workspace: &Workspace,
        label: &Label,
        own: bool,
    ) -> Result<Before> {
        drop(self.store()?); // opening it may have to finish an abandoned program of this root
        let mut missed = Missed::default();
        self.with_known(|tx, known| {
            if known.running.is_empty() {
                known.hold_packs(tx, workspace)?;
                let look = known.look(workspace, &self.own, false, &mut missed);
                let clean = clean::clean(workspace, &self.persons_git, known, &look);
                self.update(tx, workspace, known, (&look, &clean), &mut missed)?;
                known.meanwhile = Meanwhile::default();
            } else {
                let running = known.running.clone();
                let left = self.note(tx, workspace, known, &running, &mut missed)?;
                self.offer_all(tx, workspace, &left)?;
            }
            let time = now();
            let roots = workspace.root_ids()?;
            let id = tx.new_step(&self.root, label, true, &roots)?;
            tx.set_missed(id, &missed.text())?;
            let touched = Touched::with_most(workspace.limits().touched_paths);
            let before = Before { id, time, own, touched };
            known.running.push(before.clone());
            known.meanwhile.touched.push(before.touched.clone());
            Ok(before)
        })
    }

    /// Works on what is known of the files. If that fails, what it learnt is not in the journal, so
    /// it is forgotten here as well.
    fn with_known<T>(&self, work: impl FnOnce(&Tx<'_>, &mut Known) -> Result<T>) -> Result<T> {
        let mut known = self.snapshots.lock().unwrap_or_else(PoisonError::into_inner);
        let running = known.running.clone();
        let done = self.store_now()?.write(|tx| {
            self.load(tx, &mut known)?;
            work(tx, &mut known)
        });
        if done.is_err() {
            // A program that ended has ended all the same; one that was to begin did not.
            let Known { running: left, meanwhile, .. } = std::mem::take(&mut *known);
            (known.running, known.meanwhile) = (running, meanwhile);
            known.running.retain(|before| left.iter().any(|other| other.id == before.id));
        }
        done
    }

    /// Finds what changed while the program ran and notes it, protected files apart.
    pub(super) fn after_program(
        &self,
        workspace: &Workspace,
        before: Before,
    ) -> Result<ProgramChanges> {
        let mut missed = Missed::default();
        let id = before.id;
        let noted = self.with_known(|tx, known| {
            let running = known.running.clone();
            known.running.retain(|other| other.id != id);
            let mut left = self.note(tx, workspace, known, &running, &mut missed)?;
            let changed = tx.change_count(id)? > 0;
            if changed {
                tx.set_phase(id, Phase::Done)?;
                if before.touched.is_blind() || known.meanwhile.is_deaf {
                    tx.set_unsure(id)?;
                    left.unsure = Some(id);
                }
                if !missed.text().is_empty() {
                    tx.set_missed(id, &missed.text())?;
                }
            } else {
                tx.forget_step(id)?;
            }
            let since = known.meanwhile.others.iter().filter(|(_, seen)| **seen > before.time);
            left.others = since.map(|(path, _)| path.clone()).collect();
            let offered = self.offer_all(tx, workspace, &left)?;
            if known.running.is_empty() {
                known.meanwhile = Meanwhile::default();
            }
            Ok((changed, left.notes(workspace, offered)))
        });
        let (changed, notes) = noted.map_err(|error| {
            // Given up, so that whoever opens the journal next notes it. If this fails as well, that
            // is when this process has ended.
            let _ = self.store_now().and_then(|mut s| s.write(|tx| tx.set_trouble(id, "")));
            Error::not_noted(&error)
        })?;
        Ok(ProgramChanges { step: changed.then_some(id), notes })
    }

    /// What changed since a program began whose server was killed: nobody can tell whose work it
    /// is, so all of it is only offered.
    pub(super) fn note_abandoned_program(
        &self,
        workspace: &Workspace,
        id: StepId,
        time: i64,
    ) -> Result<()> {
        let before = Before { id, time, own: false, touched: Touched::default() };
        let mut missed = Missed::default();
        self.with_known(|tx, known| {
            let left = self.note(tx, workspace, known, &[before], &mut missed)?;
            let mut unsure = [left.protected, left.shared].concat();
            unsure.extend(tx.changes(id)?);
            tx.forget_step(id)?;
            self.offer(tx, workspace, "changed since a command was killed", &unsure).map(drop)
        })
    }

    /// Offers to put back what programs may not change, and what others changed too; gives the
    /// numbers of the steps.
    fn offer_all(
        &self,
        tx: &Tx<'_>,
        workspace: &Workspace,
        left: &Left,
    ) -> Result<[Option<StepId>; 2]> {
        Ok([
            self.offer(tx, workspace, "changed while a command ran", &left.protected)?,
            self.offer(tx, workspace, "a command and somebody else changed", &left.shared)?,
        ])
    }

    /// A step that was never made and takes these changes back: it is there to be redone.
    fn offer(
        &self,
        tx: &Tx<'_>,
        workspace: &Workspace,
        about: &str,
        changes: &[Altered],
    ) -> Result<Option<StepId>> {
        if changes.is_empty() {
            return Ok(None);
        }
        let label = Label {
            session: self.session.clone(),
            tool: "kitbag".to_owned(),
            about: format!("put back what {about}"),
        };
        let roots = workspace.root_ids()?;
        let step = tx.new_step(&self.root, &label, false, &roots)?;
        for (seq, change) in changes.iter().rev().enumerate() {
            let Altered { path, before, after } = change.clone();
            tx.add_change(step, seq, &Altered { path, before: after, after: before })?;
        }
        tx.set_held_back(step)?;
        Ok(Some(step))
    }

    /// Brings what is known up to what was found, and gives what was known instead; contents that
    /// are new are kept.
    fn update(
        &self,
        tx: &Tx<'_>,
        workspace: &Workspace,
        known: &mut Known,
        (Look { found, gone }, clean): (&Look, &BTreeMap<PathBuf, Name>),
        missed: &mut Missed,
    ) -> Result<Old> {
        let Known { files: known, uncovered, watched, .. } = known;
        let (root, mut old) = (self.root.as_os_str().as_bytes(), Old::new());
        let mut forget = |known: &mut BTreeMap<_, _>, uncovered: &mut BTreeMap<_, _>, path| {
            let was = match (known.remove(path), uncovered.remove(path)) {
                (Some(seen), _) => Was::Seen(seen),
                (None, Some(_)) => Was::Uncovered,
                (None, None) => Was::Absent,
            };
            old.insert(PathBuf::clone(path), was);
        };
        for path in gone {
            if !known.contains_key(path) && !uncovered.contains_key(path) {
                continue; // it came and went
            }
            forget(known, uncovered, path);
            let path = path.as_os_str().as_bytes();
            tx.run(
                "DELETE FROM known WHERE root = ?1 AND path = ?2",
                rusqlite::params![root, path],
            )?;
        }
        let mut bytes_left = workspace.limits().snapshot_bytes;
        for (path, item) in found {
            let mark = &item.mark;
            if known.get(path).is_some_and(|s| s.mark == *mark && !s.fresh) {
                continue;
            }
            let fresh = mark.mtime.max(mark.ctime) > now() * 1000 - 20_000_000;
            let looked = match clean.get(path).filter(|_| !fresh) {
                Some(name) => Ok(Content::InGit(*name)),
                None => look(tx, workspace, path, item, &mut bytes_left)?.map(Content::Kept),
            };
            forget(known, uncovered, path);
            let content = match looked {
                Ok(content) => content,
                Err(why) => {
                    uncovered.insert(path.clone(), why);
                    continue;
                }
            };
            let (hash, target) = match &content {
                Content::InGit(name) => (Some(&name[..]), None),
                Content::Kept(image) => (image.columns().1, image.columns().3),
            };
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
            known.insert(path.clone(), Seen { mark: mark.clone(), content, fresh });
        }
        missed.count(uncovered);
        watched.take_if(|_| missed.is_unfinished());
        Ok(old)
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
            let content = match (r.get::<_, Option<Vec<u8>>>(6)?, r.get::<_, Option<Vec<u8>>>(7)?) {
                (Some(hash), _) => match Hash::try_from(hash) {
                    Ok(hash) => Content::Kept(Image::File { hash, mode: Some(mark.mode) }),
                    // What is no name either is in no pack.
                    Err(name) => Content::InGit(Name::try_from(name).unwrap_or_default()),
                },
                (_, Some(target)) => {
                    Content::Kept(Image::Link { target: std::ffi::OsString::from_vec(target) })
                }
                _ => Content::Kept(Image::Directory { mode: Some(mark.mode) }),
            };
            let path = PathBuf::from(std::ffi::OsString::from_vec(r.get(0)?));
            Ok((path, Seen { mark, content, fresh: false }))
        };
        let sql =
            "SELECT path, size, mtime, ctime, inode, mode, hash, target FROM known WHERE root = ?1";
        known.files = tx.query(sql, [self.root.as_os_str().as_bytes()], row)?.into_iter().collect();
        known.loaded = true;
        Ok(())
    }
}
