//! Bringing in what was made elsewhere, by renaming: thousands of changes in one step, no content
//! copied.
//!
//! What is replaced or removed goes whole to a slot of the trash; what comes in waited in that slot.
//! So a step of this kind is undone and redone by exchanging the two.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;

use super::image::Image;
use super::store::{Altered, Phase};
use super::turn::Turn;
use super::undo::Direction;
use super::{Journal, Label, StepId};
use crate::error::{Error, Result};
use crate::workspace::Workspace;

/// One change to be brought in.
#[derive(Debug)]
pub(super) struct Incoming<'a> {
    /// What is replaced (`before: Trash`, `after: File`, `Link` or `Directory`), removed (`before:
    /// Trash`, `after: Absent`) or new (`before: Absent`, `after: Trash`), each with a slot of its
    /// own; or a new directory (`before: Absent`, `after: Directory`).
    pub(super) change: Altered,
    /// What comes in: its directory, on the file system of the trash, and its name there.
    pub(super) from: Option<(&'a OwnedFd, &'a OsStr)>,
}

impl Journal {
    /// Brings all of these in as one step: all or none, also after a crash. With `durable` they are
    /// on the disk afterwards, by one sync of the file system.
    ///
    /// # Errors
    /// `FileChanged` if a path is not as the change says; `Io`. What came in until then is taken
    /// back and is where it came from.
    pub(super) fn bring_in(
        &self,
        workspace: &Workspace,
        label: &Label,
        incoming: &[Incoming<'_>],
    ) -> Result<StepId> {
        let changes: Vec<Altered> = incoming.iter().map(|one| one.change.clone()).collect();
        let trash = self.trash()?;
        let id = self.store()?.write(|tx| {
            let id = tx.new_step(&self.root, &self.session, label, false)?;
            tx.add_roots(id, &workspace.root_ids()?)?;
            for (seq, one) in incoming.iter().enumerate() {
                tx.add_change(id, seq, &one.change)?;
                if let Some((dir, name)) = one.from {
                    let inode = crate::workspace::inode(dir, name);
                    let gone = || Error::internal("what is to be brought in is not there");
                    tx.set_inode(id, seq as i64, inode.ok_or_else(gone)?)?;
                }
            }
            Ok(id)
        })?;
        let mut staged = 0;
        let brought = incoming.iter().try_for_each(|one| {
            if let (Some(slot), Some((dir, name))) = (slot(&one.change), one.from) {
                let moved = trash.spot(slot).and_then(|spot| spot.move_from(dir, name, false));
                moved.map_err(|e| Error::state(self.state.dir(), &e))?;
            }
            staged += 1;
            Ok(())
        });
        let brought = brought.and_then(|()| {
            let turn = Turn::new(self, workspace, Direction::Redo, Some(id), &changes)?;
            if let Some(at) = turn.obstacles(0)?.conflicts.first() {
                return Err(Error::file_changed(&workspace.show(&changes[*at].path)));
            }
            turn.run_synced(&mut 0, false)
        });
        if let Err(error) = brought {
            let turn = Turn::new(self, workspace, Direction::Undo, Some(id), &changes)?;
            turn.take_back()?;
            for one in incoming.iter().take(staged) {
                if let (Some(slot), Some((dir, name))) = (slot(&one.change), one.from)
                    && trash.inode(slot).is_some()
                {
                    let back = trash.spot(slot).and_then(|spot| spot.move_to(dir, name, false));
                    back.map_err(|e| Error::state(self.state.dir(), &e))?;
                }
            }
            self.store()?.write(|tx| tx.forget_step(id))?;
            return Err(error);
        }
        self.store()?.write(|tx| tx.set_phase(id, Phase::Done))?;
        changes.iter().for_each(|change| workspace.forget_seen(&change.path));
        Ok(id)
    }
}

/// The slot in which what comes in waits, and which then holds what it replaced.
fn slot(change: &Altered) -> Option<&str> {
    match (&change.before, &change.after) {
        (Image::Trash { name }, _) | (_, Image::Trash { name }) => Some(name),
        _ => None,
    }
}
