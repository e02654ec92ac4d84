//! How a step ends: kept, or taken back; and what is noted of all of it.

use fault::{Error, Result};

use super::super::store::{Altered, Phase};
use super::super::turn::{Now, Turn};
use super::super::undo::Direction;
use super::{Step, StepId};

impl Step<'_> {
    /// Notes that a program made what was changed.
    pub(in crate::journal) fn note_layer(&self) -> Result<()> {
        let id = self.lock().id;
        id.map_or(Ok(()), |id| self.journal.store()?.write(|tx| tx.set_from_layer(id)))
    }

    /// Ends the step with its changes in place; gives its number if it changed anything.
    ///
    /// # Errors
    /// `Io` if the journal cannot be written; the changes are then taken back.
    pub fn keep(self) -> Result<Option<StepId>> {
        let noted = self.note_program()?.step;
        self.lock().settled = true;
        let Some(id) = self.lock().id else { return self.note_uncovered(noted) };
        let stored = self.journal.store()?.write(|tx| {
            let made = tx.change_count(id)? > 0;
            if made {
                tx.set_phase(id, Phase::Done)?
            } else {
                tx.forget_step(id)?
            }
            Ok(made)
        });
        match stored {
            Ok(made) => self.note_uncovered(made.then_some(id)),
            Err(error) => {
                self.put_back(Some(&error))?;
                Err(error)
            }
        }
    }

    /// Ends the step and puts everything back as it was.
    ///
    /// # Errors
    /// `Io` if a file cannot be put back; the journal then tries again when it is next opened.
    pub fn roll_back(self) -> Result<()> {
        self.put_back(None)
    }

    /// Takes the changes back; if `stored` failed, the journal may not be able to say so.
    fn put_back(&self, stored: Option<&Error>) -> Result<()> {
        let mut inner = self.lock();
        inner.settled = true;
        let Some(id) = inner.id else { return Ok(()) };
        for change in inner.changes.iter().rev() {
            self.workspace.forget_seen(&change.path);
        }
        match self.journal.roll_back(self.workspace, id, &inner.changes) {
            // The files are as they were. That the step is forgotten is left to the next who opens
            // the journal.
            Err(_) if stored.is_some() && self.is_taken_back(id, &inner.changes) => Ok(()),
            other => other,
        }
    }

    fn is_taken_back(&self, id: StepId, changes: &[Altered]) -> bool {
        let turn = Turn::new(self.journal, self.workspace, Direction::Undo, Some(id), changes);
        turn.is_ok_and(|turn| (0..changes.len()).all(|at| matches!(turn.now(at), Ok(Now::Turned))))
    }
}

impl Drop for Step<'_> {
    fn drop(&mut self) {
        if !self.lock().settled {
            // Both store what they cannot do, and the next who opens the journal tries again.
            if let Err(e) = self.put_back(None) {
                tracing::error!("a call that was dropped was not taken back: {e}");
            }
            if let Err(e) = self.note_program() {
                tracing::error!("what the program of a dropped call changed was not noted: {e}");
            }
        }
    }
}
