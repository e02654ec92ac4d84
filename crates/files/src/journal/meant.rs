//! Which call is meant where none is named.
//!
//! Without this module, plain undo after a test run would meet the caches that the tests wrote, and
//! not the edit that was tested.

use std::path::Path;

use fault::{Error, Result};

use super::image::Image;
use super::layer::Ignores;
use super::records::{Record, record};
use super::store::{Altered, Phase, Tx};
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
    /// they made by-products alone: caches, and files that the project ignores. If there are only
    /// such, the last of them is meant. With a `session`, only calls of that one are.
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
        let ignores = Ignores::of(&self.root);
        self.store()?.read(|tx| {
            let mut passed = Vec::new();
            let rows = tx.turnable(&self.root, direction.phases().0)?.into_iter();
            for row in rows.filter(|row| session.is_none_or(|session| row.session == session)) {
                let changes = tx.changes(row.id)?;
                let new = changes.iter().filter(|change| is_new_directory(change));
                let new: Vec<&Path> = new.map(|change| change.path.as_path()).collect();
                let pass = row.trouble.is_empty()
                    && runs(&row.tool)
                    && changes.iter().all(|change| self.is_byproduct(&ignores, &new, change));
                let record = record(workspace, &changes, row);
                if !pass {
                    return Ok(Meant { record, passed });
                }
                passed.push(record);
            }
            match passed.is_empty() {
                true if session.is_some() => Err(Error::nothing_of_session(direction.word())),
                true => Err(self.nothing(tx, direction.word(), None)),
                // Of what changed git's own state alone nothing can be turned.
                false => match passed.iter().position(|record| !record.changes.is_empty()) {
                    Some(first) => Ok(Meant { record: passed.remove(first), passed: Vec::new() }),
                    None => Err(self.nothing(tx, direction.word(), None).noting(&passed[0].missed)),
                },
            }
        })
    }

    /// Whether a change concerns a cache, or adds to what the project ignores. What was removed or
    /// moved there may be wanted back, and so may an ignored file such as `.env` that was changed.
    /// `new` are the directories that the same call made, in which nothing of a person's can be.
    fn is_byproduct(&self, ignores: &Ignores, new: &[&Path], change: &Altered) -> bool {
        let Ok(path) = change.path.strip_prefix(&self.root) else { return false };
        if ignores.in_python_cache(path)
            || new.iter().any(|new| change.path.starts_with(new) && is_tagged(new))
        {
            return true;
        }
        let is_kept = !matches!(change.before, Image::Moved { .. })
            && !matches!(change.after, Image::Absent | Image::Moved { .. });
        let is_new = change.before == Image::Absent;
        // A new ignored directory is brought in whole.
        let is_directory = matches!(change.after, Image::Directory { .. } | Image::Trash { .. });
        is_kept
            && (path.parent().is_some_and(|above| ignores.ignores(above))
                || is_directory && ignores.ignores(path)
                || is_new && ignores.ignores_file(path))
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

fn is_new_directory(change: &Altered) -> bool {
    change.before == Image::Absent && matches!(change.after, Image::Directory { .. })
}

/// Whether a directory says that it is a cache, as <https://bford.info/cachedir/> defines it.
fn is_tagged(directory: &Path) -> bool {
    let tag = crate::journal::layer::read_text(&directory.join("CACHEDIR.TAG"));
    tag.is_some_and(|tag| tag.starts_with("Signature: 8a477f597d28d172789f06886806bc55"))
}
