//! Which call is meant where none is named.
//!
//! Without this module, plain undo after a test run would meet the caches that the tests wrote, and
//! not the edit that was tested.

use fault::{Error, Result};

use super::records::{Record, record};
use super::store::{Phase, StepRow, Tx};
use super::undo::Direction;
use super::{Journal, StepId};
use crate::workspace::Workspace;

/// The call that is meant, and those that were passed over.
#[derive(Debug)]
pub struct Meant {
    /// It can be turned.
    pub record: Record,
    /// Newer ones, in which programs made by-products alone.
    pub passed: Vec<Record>,
}

impl Journal {
    /// The call that is turned if none is named: one that is half turned, else the one that was
    /// made or turned last. Calls of tools that run programs, as `runs` says, are passed over if
    /// they made by-products alone: caches, and what git ignores and the next run makes again. If there
    /// are only such, the last of them is meant. With a `session`, only calls of that one are.
    ///
    /// # Errors
    /// `NothingToUndo` if no call can be turned.
    pub fn meant(
        &self,
        workspace: &Workspace,
        direction: Direction,
        session: Option<&str>,
        runs: impl Fn(&str) -> bool,
    ) -> Result<Meant> {
        let mut passed = Vec::new();
        let rows = self.store()?.read(|tx| tx.turnable(&self.root, direction.phases().0))?;
        for row in rows {
            if session.is_some_and(|session| row.session != session) {
                continue;
            }
            let changes = self.store()?.read(|tx| tx.changes(row.id))?;
            let pass = row.trouble.is_empty()
                && runs(&row.tool)
                && self.are_byproducts(workspace, direction, &row, &changes)?;
            let record = record(workspace, &changes, row);
            if !pass {
                return Ok(Meant { record, passed });
            }
            passed.push(record);
        }
        match passed.is_empty() {
            true if session.is_some() => Err(Error::nothing_of_session(direction.word())),
            true => Err(Error::nothing_to_turn(direction.word(), None)),
            // Of what changed git's own state alone nothing can be turned.
            false => match passed.iter().position(|record| !record.changes.is_empty()) {
                Some(first) => Ok(Meant { record: passed.remove(first), passed: Vec::new() }),
                None => {
                    Err(Error::nothing_to_turn(direction.word(), None).noting(&passed[0].missed))
                }
            },
        }
    }

    /// The newest call before one that was refused which can be taken back as things are.
    pub fn earlier(
        &self,
        workspace: &Workspace,
        session: Option<&str>,
        id: StepId,
    ) -> Option<Record> {
        const TRIED: usize = 5;
        let rows = self.store().ok()?.read(|tx| tx.turnable(&self.root, Phase::Done)).ok()?;
        let is_before = |row: &StepRow| {
            row.id < id && !row.is_unsure && session.is_none_or(|session| row.session == session)
        };
        let mut rows: Vec<_> = rows.into_iter().filter(is_before).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.id));
        rows.into_iter().take(TRIED).find_map(|row| {
            let would = self.would_turn(workspace, Direction::Undo, &[row.id]).ok()?;
            would.into_iter().next().filter(|record| !record.changes.is_empty())
        })
    }

    /// Refuses a number that is of no call in this root.
    ///
    /// # Errors
    /// `NothingToUndo` with the root that it belongs to; `Io` if the journal cannot be read.
    pub fn must_have(&self, word: &str, id: StepId) -> Result<()> {
        self.store()?.read(|tx| match tx.step(&self.root, id)? {
            Some(_) => Ok(()),
            None => Err(self.nothing(tx, word, Some(id))),
        })
    }

    /// Why there is no step to turn or show.
    pub(super) fn nothing(&self, tx: &Tx<'_>, word: &str, id: Option<StepId>) -> Error {
        let Some(id) = id else { return Error::nothing_to_turn(word, None) };
        match tx.root_of(id) {
            Ok(None) => Error::no_such_step(id),
            Ok(Some(root)) if root != self.root => Error::of_other_root(word, id, &root),
            Ok(Some(_)) => match tx.step(&self.root, id) {
                Ok(Some(row)) if row.phase != Phase::Done && row.phase != Phase::Undone => {
                    Error::step_running(word, id)
                }
                _ => Error::nothing_to_turn(word, Some(id)),
            },
            Err(error) => error,
        }
    }
}
