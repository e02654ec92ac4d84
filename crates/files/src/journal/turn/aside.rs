//! What is in the way of a turn by force: moved aside in a step of its own, so that it can be had
//! back.

use std::collections::BTreeSet;

use fault::{Error, Result};

use super::super::blobs::hash_file;
use super::super::image::Image;
use super::super::refs;
use super::super::store::{Altered, Phase, StepRow};
use super::super::undo::Direction;
use super::super::{Journal, Label, StepId, new_id};
use super::{Obstacles, Turn};
use crate::workspace::{Found, Spot, Workspace};

impl Journal {
    /// Moves what is in the way of a turn aside; gives the step that does, if there is anything.
    pub(in crate::journal) fn move_aside(
        &self,
        turn: &Turn<'_>,
        row: &StepRow,
        obstacles: &Obstacles,
    ) -> Result<Option<(StepId, Vec<Altered>)>> {
        let changes = turn.aside(&obstacles.conflicts)?;
        if changes.is_empty() {
            return Ok(None);
        }
        let word = turn.direction.word();
        let label = Label {
            session: self.session.clone(),
            tool: word.to_owned(),
            about: format!("what was in the way of {word} {} --force", row.id),
        };
        let id = self.store_now()?.write(|tx| {
            let roots = tx.roots(row.id)?;
            let id = tx.new_step(&self.root, &label, false, &roots)?;
            for (seq, change) in changes.iter().enumerate() {
                tx.add_change(id, seq, change)?;
            }
            tx.set_turning(id, Phase::Redoing, 0)?;
            Ok(id)
        })?;
        let aside = Turn::new(self, turn.workspace, Direction::Redo, Some(id), &changes)?;
        let mut applied = 0;
        if let Err(error) = aside.run(&mut applied) {
            return Err(self.stopped(Direction::Redo, id, changes.len(), applied, &error));
        }
        self.store_now()?.write(|tx| tx.set_phase(id, Phase::Done))?;
        Ok(Some((id, changes)))
    }
}

impl Journal {
    /// What never was made is made by force of what is there now, whatever was there when it was held
    /// back: its undo brings that back.
    pub(in crate::journal) fn found_now(
        &self,
        workspace: &Workspace,
        row: &StepRow,
        mut changes: Vec<Altered>,
    ) -> Result<Vec<Altered>> {
        let turn = Turn::new(self, workspace, Direction::Redo, Some(row.id), &changes)?;
        let mut found = Vec::new();
        for at in turn.obstacles(0)?.conflicts {
            let now = match turn.spot(&changes[at].path)? {
                Some(spot) => turn.described(&spot)?,
                None => Image::Absent,
            };
            // What else is in the way is moved aside.
            let plain = |image: &Image| {
                matches!(image, Image::Absent | Image::File { .. } | Image::Link { .. })
            };
            if plain(&now) && plain(&changes[at].after) {
                found.push((at, turn.notes[at].seq, now));
            }
        }
        drop(turn);
        self.store_now()?.write(|tx| {
            for (at, seq, now) in found {
                changes[at].before = now;
                tx.add_change(row.id, seq as usize, &changes[at])?;
            }
            Ok(changes)
        })
    }
}

impl Turn<'_> {
    /// Leaves refs that git packed since out of a turn by force; gives the packed ones of which nobody can
    /// tell which of them the step changed. Of others these alone are turned, see `merged_refs`.
    pub(in crate::journal) fn part_refs(&mut self, obstacles: &mut Obstacles) -> BTreeSet<usize> {
        let is_packed = |at: &usize| {
            let path = self.changes[*at].path.to_str().and_then(refs::in_repository);
            path.is_some_and(|(_, file)| file == refs::PACKED)
                && self.is_there(&self.changes[*at].path).unwrap_or(false)
        };
        let packed: BTreeSet<usize> =
            obstacles.conflicts.iter().copied().filter(is_packed).collect();
        let known = |at: &usize| matches!(self.merged_refs(*at), Ok(Some(_)));
        let unknown: BTreeSet<usize> = packed.iter().copied().filter(|at| !known(at)).collect();
        obstacles.conflicts.retain(|at| !unknown.contains(at));
        self.skip.extend(packed);
        unknown
    }

    /// What packed refs become when those that the step changed are turned, and no others.
    fn merged_refs(&self, at: usize) -> Result<Option<Vec<u8>>> {
        let path = &self.changes[at].path;
        let is_packed = path.to_str().and_then(refs::in_repository);
        let Image::File { hash, .. } = self.images(at).0 else { return Ok(None) };
        if is_packed.is_none_or(|(_, file)| file != refs::PACKED) {
            return Ok(None);
        }
        let made = self.journal.store_now()?.read(|tx| Ok(tx.get(hash).ok()))?;
        let before = match self.images(at).1 {
            Image::Absent => Some(Vec::new()),
            _ => self.wanted_content(at)?,
        };
        let now = self.spot(path)?.and_then(|spot| spot.read(refs::MOST_BYTES).ok());
        let (Some(made), Some(before), Some(now)) = (made, before, now) else { return Ok(None) };
        Ok(refs::merged(&made, &before, &now))
    }

    /// Changes that put what these are turned to in place of whatever is there, which is kept.
    fn aside(&self, conflicts: &[usize]) -> Result<Vec<Altered>> {
        let mut changes = Vec::new();
        for at in conflicts {
            let (_, wanted) = self.images(*at);
            if let Some(merged) = self.merged_refs(*at)? {
                let hash = self.journal.store_now()?.write(|tx| tx.put(&merged))?;
                let (path, after) =
                    (self.changes[*at].path.clone(), Image::File { hash, mode: None });
                if let Some(spot) = self.spot(&path)? {
                    changes.push(Altered { before: self.kept(&spot)?, path, after });
                }
                continue;
            }
            // What comes from the trash or another path needs an empty place.
            let (path, after) = match wanted {
                Image::Moved { path } => (path, Image::Absent),
                Image::Trash { .. } => (&self.changes[*at].path, Image::Absent),
                other => (&self.changes[*at].path, other.clone()),
            };
            let before = match self.spot(path)? {
                Some(spot) if spot.inode().is_some() => self.kept(&spot)?,
                _ => Image::Absent,
            };
            if before != after {
                changes.push(Altered { path: path.clone(), before, after });
            }
        }
        Ok(changes)
    }

    /// What keeps whatever is at a place: a slot of the trash, or on another file system a copy.
    fn kept(&self, spot: &Spot) -> Result<Image> {
        if self.trash.takes(spot) {
            return Ok(Image::Trash { name: new_id() });
        }
        let image = self.described(spot)?;
        match &image {
            Image::File { .. } => {
                let file = spot.open_own().map_err(|e| self.fail(spot, &e))?;
                self.journal.store_now()?.write(|tx| tx.put_file(&file, &fault::Bound::NONE))?;
                Ok(image)
            }
            Image::Link { .. } => Ok(image),
            _ => Err(Error::file_changed(&self.workspace.show(&spot.path))),
        }
    }

    /// The changes that moved things aside, with what this turn put there instead, so that their
    /// undo finds what it expects.
    pub(in crate::journal) fn replaced(&self, changes: Vec<Altered>) -> Result<Vec<Altered>> {
        let replaced = changes.into_iter().map(|change| match self.spot(&change.path)? {
            Some(spot) if change.after == Image::Absent => {
                Ok(Altered { after: self.described(&spot)?, ..change })
            }
            _ => Ok(change),
        });
        replaced.collect()
    }

    fn described(&self, spot: &Spot) -> Result<Image> {
        let fail = |e: std::io::Error| self.fail(spot, &e);
        Ok(match spot.look().map_err(fail)? {
            Found::Nothing => Image::Absent,
            Found::File { mode, .. } => {
                let hash = hash_file(&spot.open_own().map_err(fail)?).map_err(fail)?;
                Image::File { hash, mode: Some(mode) }
            }
            Found::Link => Image::Link { target: spot.link().map_err(fail)? },
            Found::Directory { mode } => Image::Directory { mode: Some(mode) },
            Found::Special => return Err(Error::file_changed(&self.workspace.show(&spot.path))),
        })
    }

    fn fail(&self, spot: &Spot, error: &std::io::Error) -> Error {
        Error::io(&self.workspace.show(&spot.path), error)
    }
}
