//! What a step changed, for people.

use std::path::Path;

use super::image::Image;
use super::recover::reaching;
use super::undo::what;
use super::{Journal, StepId};
use crate::error::{Error, Result};
use crate::workspace::Workspace;

impl Journal {
    /// What a step changed, as unified diffs; the newest step if no number is given.
    ///
    /// # Errors
    /// `NothingToUndo` if there is no such step.
    pub fn diff(&self, workspace: &Workspace, id: Option<StepId>) -> Result<String> {
        self.store()?.read(|tx| {
            let row = match id {
                Some(id) => tx.step(&self.root, id)?,
                None => tx.steps(&self.root, 1)?.pop(),
            };
            let row = row.ok_or_else(|| Error::nothing_to_turn("show", id))?;
            let mut text = String::new();
            let changes = tx.changes(row.id)?;
            let wider = reaching(&self.root, &changes)?;
            for change in changes {
                let path = workspace.show(&change.path);
                let content = |image: &Image| match image {
                    // Not kept until it is undone: it stands in the workspace.
                    Image::File { hash, .. } => {
                        tx.get(hash).ok().or_else(|| standing(&wider, &change.path))
                    }
                    _ => None,
                };
                match (content(&change.before), content(&change.after)) {
                    (None, None) => text += &format!("{} {path}\n", what(&change)),
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

/// The content of the file at a real path, unless it is too large for a diff.
fn standing(workspace: &Workspace, real: &Path) -> Option<Vec<u8>> {
    let most = workspace.limits().file_bytes;
    let bytes = workspace.spot_of(real).ok()?.read(most + 1).ok()?;
    (bytes.len() as u64 <= most).then_some(bytes)
}
