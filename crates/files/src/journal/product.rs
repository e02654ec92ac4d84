//! What programs make and git ignores: caches and build products, which the next run makes again.
//!
//! Without this module undo would stop at a binary that was built anew since.

use std::collections::BTreeSet;
use std::path::Path;

use fault::Result;

use super::blobs::hash_file;
use super::image::Image;
use super::layer::Ignores;
use super::store::{Altered, StepRow};
use super::turn::{Now, Obstacles, Turn};
use super::undo::Direction;
use super::{Journal, Record};
use crate::workspace::Workspace;

/// Changes that a turn leaves as they are, by their positions, and why.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    at: BTreeSet<usize>,
    why: Vec<String>,
}

impl LeftOut {
    pub(super) fn add(&mut self, turn: &Turn<'_>, at: &BTreeSet<usize>, why: &str) {
        let shown = at.iter().map(|at| turn.workspace.show(&turn.changes[*at].path));
        let shown = shown.collect::<Vec<_>>().join(", ");
        self.why.extend((!at.is_empty()).then(|| format!("left as it is, {why}: {shown}")));
        self.at.extend(at);
    }

    pub(super) fn at(&self) -> &BTreeSet<usize> {
        &self.at
    }

    /// Takes them out of what is told of the step.
    pub(super) fn leave(&self, record: &mut Record) {
        let mut at = 0..;
        record.changes.retain(|_| at.next().is_none_or(|at| !self.at.contains(&at)));
        let before = (!record.missed.is_empty()).then(|| std::mem::take(&mut record.missed));
        record.missed =
            before.into_iter().chain(self.why.iter().cloned()).collect::<Vec<_>>().join("; ");
    }
}

impl Journal {
    /// Whether programs made these changes, and all are by-products: caches, files that git ignores and
    /// that are new, or that a program had left as they were before.
    pub(super) fn are_byproducts(
        &self,
        workspace: &Workspace,
        direction: Direction,
        row: &StepRow,
        changes: &[Altered],
    ) -> Result<bool> {
        let ignores = Ignores::of(&self.root);
        let new = changes.iter().filter(|change| is_new_directory(change));
        let new: Vec<&Path> = new.map(|change| change.path.as_path()).collect();
        let is_byproduct = |change: &Altered| self.is_byproduct(&ignores, &new, change);
        let doubtful: Vec<usize> =
            (0..changes.len()).filter(|at| !is_byproduct(&changes[*at])).collect();
        if doubtful.is_empty() {
            return Ok(true);
        }
        if doubtful.iter().any(|at| !self.is_ignored(&ignores, &changes[*at])) {
            return Ok(false);
        }
        let mut made = self.made(row)?;
        let turn = Turn::new(self, workspace, direction, Some(row.id), changes)?;
        let start = if direction == Direction::Undo { changes.len() } else { 0 };
        let conflicts = turn.obstacles(start)?.conflicts;
        Ok(doubtful.iter().all(|at| {
            let change = &changes[*at];
            made(change) && (conflicts.contains(at) || is_kept(change))
        }))
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
        let is_new = change.before == Image::Absent;
        // A new ignored directory is brought in whole.
        let is_directory = matches!(change.after, Image::Directory { .. } | Image::Trash { .. });
        is_kept(change)
            && (path.parent().is_some_and(|above| ignores.ignores(above))
                || is_directory && ignores.ignores(path)
                || is_new && ignores.ignores_file(path))
    }

    /// Whether git ignores what is changed in place, made or removed.
    fn is_ignored(&self, ignores: &Ignores, change: &Altered) -> bool {
        let Ok(path) = change.path.strip_prefix(&self.root) else { return false };
        let is_move = matches!(change.before, Image::Moved { .. });
        !is_move
            && (ignores.ignores(path)
                || ignores.ignores_file(path)
                || ignores.in_python_cache(path))
    }

    /// Tells whether what was at a path before a change was nothing, or what a program had left: a
    /// person can have nothing in it.
    fn made(&self, row: &StepRow) -> Result<impl FnMut(&Altered) -> bool> {
        let left = self.store()?.read(|tx| tx.left_by_programs(&self.root, row.id))?;
        let trash = self.trash()?;
        Ok(move |change: &Altered| {
            let hash = match &change.before {
                Image::Absent => return true,
                Image::File { hash, .. } => Some(*hash),
                Image::Trash { name } => {
                    trash.spot(name).and_then(|slot| hash_file(&slot.open_own()?)).ok()
                }
                _ => None,
            };
            hash.is_some_and(|hash| left.contains(&(change.path.clone(), hash)))
        })
    }

    /// Takes out of the conflicts of a program's step what programs made, git ignores, and what changed
    /// since, as after the next build, if anything else is left to be turned.
    pub(super) fn leave_products(
        &self,
        row: &StepRow,
        turn: &Turn<'_>,
        start: usize,
        obstacles: &mut Obstacles,
    ) -> Result<LeftOut> {
        let mut left = LeftOut::default();
        if !row.ran || obstacles.conflicts.is_empty() && obstacles.damaged.is_empty() {
            return Ok(left);
        }
        let ignores = Ignores::of(&self.root);
        let mut products = obstacles.conflicts.iter().copied().collect::<BTreeSet<usize>>();
        // What was left as it was once has no content after it.
        for at in &obstacles.damaged {
            products.extend((turn.now(*at)? == Now::Other).then_some(at));
        }
        products.retain(|at| self.is_ignored(&ignores, &turn.changes[*at]));
        let mut made = if products.is_empty() { None } else { Some(self.made(row)?) };
        products.retain(|at| made.as_mut().is_some_and(|made| made(&turn.changes[*at])));
        for at in turn.left(start) {
            let is_other = !products.contains(&at) && !turn.skip.contains(&at);
            if is_other && turn.now(at)? == Now::ToTurn {
                left.add(turn, &products, "since git ignores it and it changed since");
                obstacles.conflicts.retain(|at| !products.contains(at));
                obstacles.damaged.retain(|at| !products.contains(at));
                break;
            }
        }
        Ok(left)
    }
}

/// Whether something is at the path after the change, and was not moved there.
fn is_kept(change: &Altered) -> bool {
    !matches!(change.before, Image::Moved { .. })
        && !matches!(change.after, Image::Absent | Image::Moved { .. })
}

fn is_new_directory(change: &Altered) -> bool {
    change.before == Image::Absent && matches!(change.after, Image::Directory { .. })
}

/// Whether a directory says that it is a cache, as <https://bford.info/cachedir/> defines it.
fn is_tagged(directory: &Path) -> bool {
    let tag = super::layer::read_text(&directory.join("CACHEDIR.TAG"));
    tag.is_some_and(|tag| tag.starts_with("Signature: 8a477f597d28d172789f06886806bc55"))
}
