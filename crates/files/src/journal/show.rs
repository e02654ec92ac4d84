//! What a step changed, for people.

use fault::{Error, Result};

use super::image::Image;
use super::records::what;
use super::store::Phase;
use super::{Journal, StepId};
use crate::limits::Limits;
use crate::workspace::{Spot, Workspace};

impl Journal {
    /// What a step changed, as unified diffs; the newest step if no number is given.
    ///
    /// # Errors
    /// `NothingToUndo` if there is no such step.
    pub fn diff(&self, workspace: &Workspace, id: Option<StepId>) -> Result<String> {
        let (row, changes) = self.store()?.read(|tx| {
            let row = match id {
                Some(id) => tx.step(&self.root, id)?,
                None => tx.steps(&self.root, 1)?.pop(),
            };
            let row = row.ok_or_else(|| Error::nothing_to_turn("show", id))?;
            let changes = tx.changes(row.id)?;
            Ok((row, changes))
        })?;
        let main = Workspace::root_id(workspace.root())?;
        // Without the roots of the call, what is in them is not shown.
        let wider = self.reaching(main, row.id, &changes).ok();
        let trash = self.trash()?;
        self.store()?.read(|tx| {
            let mut text = String::new();
            let undone = matches!(row.phase, Phase::Undone | Phase::Redoing);
            for change in changes {
                let path = workspace.show(&change.path);
                if let Image::Moved { path: to } = &change.after {
                    text += &format!("moved {path} to {}\n", workspace.show(to));
                    continue;
                }
                let slot =
                    [&change.before, &change.after].into_iter().find_map(|image| match image {
                        Image::Trash { name } => trash.spot(name).ok(),
                        _ => None,
                    });
                let at_path = || standing(&wider.as_ref()?.spot_of(&change.path).ok()?);
                let in_slot = || standing(slot.as_ref()?);
                let content = |image: &Image, is_there: bool| match image {
                    // Not kept until it is undone: it is in the workspace.
                    Image::File { hash, .. } if slot.is_none() => {
                        tx.get(hash).ok().or_else(at_path)
                    }
                    Image::File { .. } | Image::Trash { .. } if is_there => at_path(),
                    Image::File { .. } | Image::Trash { .. } => in_slot(),
                    _ => None,
                };
                match (content(&change.before, undone), content(&change.after, !undone)) {
                    (None, None) => text += &format!("{} {path}\n", what(&change).as_str()),
                    (before, after) => {
                        let old = before.as_ref().map_or("/dev/null", |_| path.as_str());
                        let new = after.as_ref().map_or("/dev/null", |_| path.as_str());
                        text += &crate::edit::diff(
                            old,
                            new,
                            before.as_deref().unwrap_or_default(),
                            after.as_deref().unwrap_or_default(),
                        );
                    }
                }
            }
            Ok(text)
        })
    }
}

/// The content of the file at a place, unless it is too large for a diff.
fn standing(spot: &Spot) -> Option<Vec<u8>> {
    let most = Limits::default().file_bytes;
    let bytes = spot.read(most + 1).ok()?;
    (bytes.len() as u64 <= most).then_some(bytes)
}
