//! An earlier step turned by a call: as careful as a change of the same files.

use fault::{Error, Result};

use super::planned::{After, Plan};
use super::{Altered, Step};
use crate::journal::undo::paths;
use crate::journal::{Direction, Record, StepId};
use crate::workspace::{Access, Workspace};

impl Step<'_> {
    /// Takes an earlier step back, or makes it again. Without effect it is planned, and what was
    /// shown of it then is what a person allows.
    ///
    /// # Errors
    /// As for [`Journal::turn`](crate::journal::Journal::turn); `ProtectedPath` if it touches a path
    /// that needs a person, except git's own data, which programs change through git anyway;
    /// `FileChanged` if what was approved differs.
    pub fn turn(&self, direction: Direction, id: StepId) -> Result<Record> {
        let (row, changes) = self.journal.to_turn(direction, Some(id))?;
        let main = Workspace::root_id(self.workspace.root())?;
        let wider = self.journal.reaching(main, id, &changes)?;
        for path in changes.iter().flat_map(paths) {
            if wider.access_of(&path)? == Access::Read {
                return Err(Error::read_only_root(&self.workspace.show(&path)));
            }
        }
        let all = changes.iter().flat_map(paths);
        let needs_person = self.journal.needs_person_to_turn(self.workspace, all);
        if !self.dry && self.approved.planned.is_none() {
            let word = direction.word();
            if let Some((path, why)) = needs_person {
                let path = self.workspace.show(&path);
                return Err(Error::turned_by_a_person(word, id, &path, why));
            }
            if row.is_unsure {
                let paths: Vec<_> = changes.iter().map(|c| self.workspace.show(&c.path)).collect();
                return Err(Error::may_be_of_others(word, id, &paths));
            }
        }
        let diff = self.journal.diff(self.workspace, id)?;
        let others = if row.is_unsure { " (some of it perhaps somebody else's)" } else { "" };
        let note = match direction {
            Direction::Undo => format!("take back call {id}, which did this{others}:\n{diff}"),
            Direction::Redo => format!("make call {id} again{others}:\n{diff}"),
        };
        if self.dry {
            let would = self.journal.would_turn(self.workspace, direction, &[id])?;
            let (after, protected) =
                (After::Noted, needs_person.map(|(path, _)| path).into_iter().collect());
            self.lock().planned.0.push(Plan { note, after, protected, ..Plan::default() });
            return would.into_iter().next().ok_or_else(|| Error::no_such_step(id));
        }
        if let Some(planned) = &self.approved.planned
            && !planned.0.iter().any(|plan| plan.note == note)
        {
            let path = changes.first().map(|change: &Altered| self.workspace.show(&change.path));
            return Err(Error::file_changed(&path.unwrap_or_default()));
        }
        self.journal.turn(self.workspace, direction, Some(id))
    }
}
