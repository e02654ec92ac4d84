//! What a step changed, for people.

use fault::Result;

use super::image::Image;
use super::records::what;
use super::store::{Altered, Phase};
use super::{Journal, StepId};
use crate::limits::Limits;
use crate::workspace::{Found, Spot, Workspace};

impl Journal {
    /// What a step changed, as unified diffs.
    ///
    /// # Errors
    /// `NothingToUndo` if there is no such step.
    pub fn diff(&self, workspace: &Workspace, id: StepId) -> Result<String> {
        let (row, changes) = self.store()?.read(|tx| {
            let row = tx.step(&self.root, id)?;
            let row = row.ok_or_else(|| self.nothing(tx, "diff", Some(id)))?;
            let changes = tx.changes(row.id)?;
            Ok((row, changes))
        })?;
        let main = Workspace::root_id(workspace.root())?;
        // Without the roots of the call, what is in them is not shown.
        let wider = self.reaching(main, row.id, &changes).ok();
        let trash = self.trash()?;
        self.store()?.read(|tx| {
            let undone = matches!(row.phase, Phase::Undone | Phase::Redoing);
            let one = |change: &Altered| {
                let slot =
                    [&change.before, &change.after].into_iter().find_map(|image| match image {
                        Image::Trash { name } => trash.spot(name).ok(),
                        _ => None,
                    });
                let at_path = || there(&wider.as_ref()?.spot_of(&change.path).ok()?);
                let in_slot = || there(slot.as_ref()?);
                let side = |image: &Image, is_there: bool| match image {
                    // Not kept until it is undone: it is in the workspace.
                    Image::File { hash, mode } if slot.is_none() => {
                        let kept = tx.get(hash).ok().map(|bytes| (Some(bytes), None));
                        kept.or_else(at_path).map(|(bytes, now)| (bytes, mode.or(now)))
                    }
                    Image::File { .. } | Image::Trash { .. } if is_there => at_path(),
                    Image::File { .. } | Image::Trash { .. } => in_slot(),
                    Image::Directory { mode } => Some((None, *mode)),
                    _ => None,
                };
                let sides = (side(&change.before, undone), side(&change.after, !undone));
                shown(workspace, change, sides)
            };
            Ok(changes.iter().map(one).collect())
        })
    }
}

/// The content, of a file that is not too large for a diff, and the mode, where they are known.
type Side = (Option<Vec<u8>>, Option<u32>);

/// One change: its diff, and in words what a diff does not show.
fn shown(
    workspace: &Workspace,
    change: &Altered,
    (before, after): (Option<Side>, Option<Side>),
) -> String {
    let path = workspace.show(&change.path);
    if let Image::Moved { path: to } = &change.after {
        return format!("moved {path} to {}\n", workspace.show(to));
    }
    let mode = |side: &Option<Side>| side.as_ref().and_then(|(_, mode)| *mode);
    let mode = match (mode(&before), mode(&after)) {
        (Some(old), Some(new)) if old != new => format!("{path}: mode {old:o} to {new:o}\n"),
        _ => String::new(),
    };
    let content = |side: Option<Side>| side.and_then(|(bytes, _)| bytes);
    let (before, after) = (content(before), content(after));
    let old = before.as_ref().map_or("/dev/null", |_| path.as_str());
    let new = after.as_ref().map_or("/dev/null", |_| path.as_str());
    let (empty, kind) = (before.as_deref().or(after.as_deref()) == Some(b""), what(change));
    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
    let diff = crate::edit::diff((old, &before), (new, &after), usize::MAX);
    match diff.is_empty() && mode.is_empty() {
        true if empty => format!("{} {path}, empty\n", kind.as_str()),
        true => format!("{} {path}\n", kind.as_str()),
        false => mode + &diff,
    }
}

/// What is at a place.
fn there(spot: &Spot) -> Option<Side> {
    let most = Limits::default().file_bytes;
    match spot.look().ok()? {
        Found::File { mode, size, .. } if size <= most => {
            Some((Some(spot.read(most).ok()?), Some(mode)))
        }
        Found::File { mode, .. } | Found::Directory { mode } => Some((None, Some(mode))),
        _ => None,
    }
}
