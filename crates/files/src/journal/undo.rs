//! Going back and forth in the journal. `turn/now.rs` tells what a file holds now: what the step made of
//! it, or what somebody changed since.

use std::collections::BTreeSet;
use std::path::PathBuf;

use fault::{Code, Error, Result};

use super::image::Image;
use super::layer::{is_index, stays_as_it_is};
use super::product::LeftOut;
use super::records::{Record, Status, record};
use super::store::{Altered, Phase, StepRow};
use super::turn::{Obstacles, Turn};
use super::{Approved, Journal, Label, StepId};
use crate::workspace::{RootId, Workspace};

/// Which way a step is turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Back to what was there before the call.
    Undo,
    /// Forward again to what the call made.
    Redo,
}

impl Direction {
    /// Before the turn, during it and after it.
    pub(super) fn phases(self) -> (Phase, Phase, Phase) {
        match self {
            Self::Undo => (Phase::Done, Phase::Undoing, Phase::Undone),
            Self::Redo => (Phase::Undone, Phase::Redoing, Phase::Done),
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Undo => "undo",
            Self::Redo => "redo",
        }
    }
}

impl Journal {
    /// Undoes or redoes one step: without a number one that is half turned, else the one that
    /// was made or turned last. If a file was changed since, nothing is touched.
    ///
    /// # Errors
    /// `NothingToUndo` if there is no such step or it is not in the state for it; `UndoConflict`
    /// with the files that were changed since; `ContentDamaged`; what stopped it half way.
    pub fn turn(
        &self,
        workspace: &Workspace,
        direction: Direction,
        id: Option<StepId>,
    ) -> Result<Record> {
        self.turn_any(workspace, direction, id, false)
    }

    /// The same, also if files were changed since: what is there instead is first moved aside in a
    /// step of its own. What was kept and is damaged is left as it is, and the record says so.
    ///
    /// # Errors
    /// `NothingToUndo`; what stopped it half way.
    pub fn turn_by_force(
        &self,
        workspace: &Workspace,
        direction: Direction,
        id: Option<StepId>,
    ) -> Result<Record> {
        self.turn_any(workspace, direction, id, true)
    }

    /// What turning these steps, in this order, would turn; nothing is touched.
    ///
    /// # Errors
    /// As for [`turn`](Self::turn), for the first of them that could not be turned then.
    pub fn would_turn(
        &self,
        workspace: &Workspace,
        direction: Direction,
        ids: &[StepId],
    ) -> Result<Vec<Record>> {
        let mut turned: Vec<PathBuf> = Vec::new();
        let mut records = Vec::new();
        for id in ids {
            let (row, changes) = self.to_turn(direction, Some(*id))?;
            let wider = self.reaching(Workspace::root_id(workspace.root())?, row.id, &changes)?;
            let mut left = LeftOut::default();
            if row.phase == direction.phases().0 {
                let turn = Turn::new(self, &wider, direction, Some(row.id), &changes)?;
                let start = if direction == Direction::Undo { changes.len() } else { 0 };
                let mut obstacles = turn.obstacles(start)?;
                obstacles.conflicts.retain(|at| {
                    let path = &changes[*at].path;
                    // What an earlier one of them turns is not there yet as it will be.
                    !stays_as_it_is(path) && !turned.iter().any(|other| path.starts_with(other))
                });
                left = self.leave_products(&row, &turn, start, &mut obstacles)?;
                obstacles.conflicts.extend(turn.built_on(row.id, ids)?);
                self.refuse(&turn, &row, &obstacles)?;
            }
            turned.extend(changes.iter().flat_map(paths));
            let mut record = record(workspace, &changes, row);
            left.leave(&mut record);
            records.push(record);
        }
        Ok(records)
    }

    fn turn_any(
        &self,
        workspace: &Workspace,
        direction: Direction,
        id: Option<StepId>,
        force: bool,
    ) -> Result<Record> {
        let (row, changes) = self.to_turn(direction, id)?;
        let wider = self.reaching(Workspace::root_id(workspace.root())?, row.id, &changes)?;
        // A step that changes nothing itself: it holds the locks until this is done.
        let label = Label { tool: row.tool.clone(), ..Label::default() };
        let step = self.begin(&wider, label, Approved::default());
        step.hold_all(changes.iter().flat_map(paths).collect())?;
        let (row, mut changes) = self.to_turn(direction, Some(row.id))?;
        if force && row.phase == Phase::Undone && row.turned == 0 {
            changes = self.found_now(&wider, &row, changes)?;
        }
        changes.iter().for_each(|change| workspace.forget_seen(&change.path));
        if row.phase == direction.phases().1 {
            self.sweep(&wider, row.id, &changes)?;
        }
        let left = match row.phase {
            Phase::Open => self.roll_back(&wider, row.id, &changes).map(|()| LeftOut::default())?,
            _ => self.carry_out(&wider, direction, &row, &changes, force)?,
        };
        let mut record = record(workspace, &changes, row);
        record.status = match direction {
            Direction::Undo => Status::Undone,
            Direction::Redo => Status::Done,
        };
        record.trouble.clear();
        left.leave(&mut record);
        Ok(record)
    }

    /// The step that is meant, if it can be turned this way: whole on the other side, or half way.
    pub(super) fn to_turn(
        &self,
        direction: Direction,
        id: Option<StepId>,
    ) -> Result<(StepRow, Vec<Altered>)> {
        let (from, ..) = direction.phases();
        self.store()?.read(|tx| {
            let can = |row: &StepRow| match row.phase {
                phase if phase == from => true,
                Phase::Open => direction == Direction::Undo && !row.trouble.is_empty(),
                Phase::Undoing | Phase::Redoing => !row.trouble.is_empty(),
                _ => false,
            };
            let row = match id {
                Some(id) => tx.step(&self.root, id)?,
                None => tx.turnable(&self.root, from)?.into_iter().next(),
            };
            let Some(row) = row.filter(can) else {
                return Err(self.nothing(tx, direction.word(), id));
            };
            let changes = tx.changes(row.id)?;
            Ok((row, changes))
        })
    }

    /// Turns what is left of a step; gives what it left as it is.
    pub(super) fn carry_out(
        &self,
        workspace: &Workspace,
        direction: Direction,
        row: &StepRow,
        changes: &[Altered],
        force: bool,
    ) -> Result<LeftOut> {
        let (from, during, to) = direction.phases();
        let is_made = matches!(row.phase, Phase::Done | Phase::Undoing | Phase::Open);
        let start = row.applied.unwrap_or(if is_made { changes.len() } else { 0 });
        let mut turn = Turn::new(self, workspace, direction, Some(row.id), changes)?;
        let start = turn.start(row.phase, start)?;
        let (mut obstacles, mut aside, mut applied) = (turn.obstacles(start)?, None, start);
        // What git has written among its objects and in its logs and notes since stays.
        turn.skip =
            obstacles.conflicts.extract_if(.., |at| stays_as_it_is(&changes[*at].path)).collect();
        let mut left = LeftOut::default();
        if !force {
            left = self.leave_products(row, &turn, start, &mut obstacles)?;
            turn.skip.extend(left.at());
            if row.phase == from {
                obstacles.conflicts.extend(turn.built_on(row.id, &[])?);
            }
        }
        if force {
            let whole = turn.part_refs(&mut obstacles);
            left.add(&turn, &whole, "since git packed other refs meanwhile");
            // What is where a kept thing belongs takes its slot, and so is kept itself.
            let takes_slot = |at: &usize| {
                let is_kept = matches!(turn.images(*at).0, Image::Trash { .. });
                is_kept && turn.is_there(&changes[*at].path).unwrap_or(false)
            };
            let any: Vec<_> = obstacles.conflicts.extract_if(.., |at| takes_slot(at)).collect();
            turn.any.extend(any);
            aside = self.move_aside(&turn, row, &obstacles)?;
            turn.forced = true;
            left.add(&turn, &obstacles.damaged, "since what was kept is damaged or gone");
            turn.skip.extend(obstacles.damaged);
        } else if let Err(error) = self.refuse(&turn, row, &obstacles) {
            // What was interrupted has no reason yet.
            let is_told = row.phase == from || !row.trouble.is_empty();
            return Err(match is_told {
                true => error,
                false => self.stopped(direction, row.id, changes.len(), start, &error),
            });
        }
        let turned = turn.take_git(row.id, during, start).and_then(|()| {
            turn.note_slots(start)?;
            self.store_now()?.write_together(|tx| {
                turn.remember(tx, start)?;
                tx.set_turning(row.id, during, start)
            })?;
            turn.run(&mut applied)
        });
        if let Err(error) = turned {
            if applied == start && row.phase == from && turn.is_untouched(start) {
                self.store_now()?.write(|tx| tx.set_phase(row.id, from))?;
                return Err(error);
            }
            let error = match aside {
                Some((id, _)) => error.noting(&format!("what was in the way is call {id}")),
                None => error,
            };
            return Err(self.stopped(direction, row.id, changes.len(), applied, &error));
        }
        let (aside, changes) = aside.unzip();
        let replaced = turn.replaced(changes.unwrap_or_default())?;
        self.store_now()?.write(|tx| {
            for (seq, change) in replaced.iter().enumerate() {
                if let Some(aside) = aside {
                    tx.add_change(aside, seq, change)?;
                }
            }
            tx.set_phase(row.id, to)
        })?;
        if direction == Direction::Redo {
            self.restamp(&turn, row)?;
        }
        Ok(left)
    }

    fn refuse(&self, turn: &Turn<'_>, row: &StepRow, obstacles: &Obstacles) -> Result<()> {
        let place = |at: &usize| match turn.images(*at).0 {
            Image::Moved { path } => path.as_path(),
            _ => turn.changes[*at].path.as_path(),
        };
        let shown = |at: &usize| turn.workspace.show(place(at));
        let word = turn.direction.word();
        if !obstacles.conflicts.is_empty() {
            let paths: Vec<_> = obstacles.conflicts.iter().map(place).collect();
            let later = self.store_now()?.read(|tx| tx.later(&self.root, row.id, &paths, &[]))?;
            let told = |at: &usize| match turn.is_there(place(at)) {
                _ if obstacles.of_commit.contains_key(at) => {
                    format!("{} (HEAD is at another commit now)", shown(at))
                }
                Ok(false) if turn.packed(place(at)).is_ok_and(|commit| commit.is_some()) => {
                    format!("{} (packed by git, at another commit)", shown(at))
                }
                Ok(false) => format!("{} (removed)", shown(at)),
                Ok(true) if is_index(&turn.changes[*at].path) => {
                    format!("{} (what is staged)", shown(at))
                }
                _ => shown(at),
            };
            let names: Vec<_> = obstacles.conflicts.iter().map(told).collect();
            let mut later: Vec<StepId> = later.into_iter().map(|(_, id)| id).rev().collect();
            later.dedup();
            let commit = obstacles.of_commit.values().next();
            return Err(Error::undo_conflict(word, row.id, &names, &later, commit));
        }
        if !obstacles.damaged.is_empty() {
            let names: Vec<_> = obstacles.damaged.iter().map(shown).collect();
            return Err(Error::kept_damaged(word, row.id, &names));
        }
        Ok(())
    }

    /// Stores how far a turn came and why no further; gives the error that says so.
    pub(super) fn stopped(
        &self,
        direction: Direction,
        id: StepId,
        all: usize,
        applied: usize,
        cause: &Error,
    ) -> Error {
        let (done, turned) = match direction {
            Direction::Undo => (all - applied, "undone"),
            Direction::Redo => (applied, "redone"),
        };
        let trouble = format!("{done} of {all} changes were {turned}, then: {}", cause.message);
        let stored = self.store_now().and_then(|mut store| {
            store.write(|tx| {
                tx.set_applied(id, applied)?;
                tx.set_trouble(id, &trouble)
            })
        });
        match stored {
            Ok(()) => Error::half_turned(direction.word(), id, cause, &trouble),
            // The next who opens the journal finds it half turned by nobody, and goes on with it.
            Err(worse) => worse.noting(&trouble),
        }
    }

    /// Takes back the changes of a step that failed, and forgets it. What somebody else changed
    /// after it is left alone, and kept in the step.
    pub(super) fn roll_back(
        &self,
        workspace: &Workspace,
        id: StepId,
        changes: &[Altered],
    ) -> Result<()> {
        let turned = Turn::new(self, workspace, Direction::Undo, Some(id), changes)
            .and_then(|turn| turn.take_back());
        let left = turned.and_then(|left| {
            self.store_now()?.write(|tx| match left.is_empty() {
                true => tx.forget_step(id),
                false => {
                    let names: Vec<_> =
                        left.iter().map(|at| workspace.show(&changes[*at].path)).collect();
                    let trouble = format!(
                        "the call failed and was taken back, except what somebody else changed \
                         meanwhile: {}",
                        names.join(", ")
                    );
                    tx.keep_only(id, &left)?;
                    tx.set_phase(id, Phase::Done)?;
                    tx.set_trouble(id, &trouble)
                }
            })
        });
        left.map_err(|error| {
            // If this cannot be stored either, the step stays open and is found when its owner ends.
            let stored = self
                .store_now()
                .and_then(|mut store| store.write(|tx| tx.set_trouble(id, &error.message)));
            if let Err(e) = stored {
                tracing::error!(id, "why a call was not taken back was not stored: {e}");
            }
            Error::not_taken_back(id, &error.message)
        })
    }

    /// A workspace that reaches all of these changes, also those in further roots of the session
    /// that made them. A root that was replaced since is refused.
    pub(super) fn reaching(
        &self,
        main: RootId,
        id: StepId,
        changes: &[Altered],
    ) -> Result<Workspace> {
        let remembered = self.store_now()?.read(|tx| tx.roots(id))?;
        let mut roots = vec![main];
        let folders: BTreeSet<PathBuf> = changes
            .iter()
            .flat_map(paths)
            .filter_map(|path| path.parent().map(PathBuf::from))
            .collect();
        for folder in folders {
            if roots.iter().any(|root| folder.starts_with(&root.path)) {
                continue;
            }
            let inside = |root: &&RootId| folder.starts_with(&root.path);
            match remembered.iter().filter(inside).max_by_key(|root| root.path.as_os_str().len()) {
                Some(root) => roots.push(root.clone()),
                // Steps of older versions do not say.
                None if remembered.is_empty() => match Workspace::root_id(&folder) {
                    Err(e) if e.code == Code::DirectoryNotFound => {}
                    id => roots.push(id?),
                },
                None => {}
            }
        }
        Workspace::reopen(&roots, crate::limits::Limits::default())
    }
}

/// Where a change is.
pub(super) fn paths(change: &Altered) -> Vec<PathBuf> {
    match &change.after {
        Image::Moved { path } => vec![change.path.clone(), path.clone()],
        _ => vec![change.path.clone()],
    }
}
