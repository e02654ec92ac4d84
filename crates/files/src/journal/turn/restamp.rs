//! What redo puts back, in the eyes of the undone steps that come after it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use fault::Result;

use super::super::image::Image;
use super::super::store::{Phase, StepRow};
use super::super::{Journal, StepId};
use super::Turn;
use crate::workspace::Stamp;

impl Journal {
    /// A step knows by its stamp that nobody saved a file since undo gave it back. When an earlier
    /// step is undone as well and made again, the file is the same with another stamp: it is noted
    /// with the next step that changes the file.
    pub(in crate::journal) fn restamp(&self, turn: &Turn<'_>, row: &StepRow) -> Result<()> {
        let mut next: BTreeMap<PathBuf, Option<(StepId, i64)>> = BTreeMap::new();
        let mut store = self.store_now()?;
        store.read(|tx| {
            let mut later = tx.turnable(&self.root, Phase::Undone)?;
            later.retain(|step| step.id > row.id);
            later.sort_by_key(|step| step.id);
            for step in later {
                let notes = tx.notes(step.id)?;
                for (change, note) in tx.changes(step.id)?.into_iter().zip(notes) {
                    let known = note.stamp.map(|_| (step.id, note.seq));
                    next.entry(change.path).or_insert(known);
                }
            }
            Ok(())
        })?;
        let made = turn.changes.iter().enumerate().filter(|(at, change)| {
            let is_file = matches!(change.after, Image::File { .. } | Image::Link { .. });
            is_file && !turn.skip.contains(at)
        });
        let mut stamps = Vec::new();
        for (_, change) in made {
            if let Some(next) = next.get(&change.path).copied().flatten()
                && let Some(spot) = turn.spot(&change.path)?
            {
                stamps.extend(Stamp::of(&spot.parent, &spot.name).map(|stamp| (next, stamp)));
            }
        }
        if stamps.is_empty() {
            return Ok(());
        }
        store.write(|tx| {
            stamps.iter().try_for_each(|((step, seq), stamp)| tx.set_stamp(*step, *seq, stamp))
        })
    }
}
