//! What changed between two looks, and whose change it was.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::super::image::Image;
use super::super::store::Altered;
use super::look::{Found, Seen, birth};
use crate::workspace::Workspace;

/// How far the clock of the file system may be behind ours, in microseconds.
const SLACK: i64 = 20_000;

/// What changed between two looks: what went first, the deepest first; then what came, from the
/// top down. Undone backwards, directories are there before what is in them. In place of what was
/// known, something that could not be looked at counts as whatever it is.
pub(super) fn compare(
    old: &BTreeMap<PathBuf, Seen>,
    new: &BTreeMap<PathBuf, Seen>,
    found: &Found,
) -> Vec<Altered> {
    let is_directory = |i: &Image| matches!(i, Image::Directory { .. });
    let same_kind = |a: &Seen, b: &Seen| is_directory(&a.image) == is_directory(&b.image);
    let mut changes = Vec::new();
    for (path, before) in old.iter().rev() {
        let after = match new.get(path) {
            Some(now) if same_kind(now, before) => continue,
            None if found.contains_key(path) => Image::Trash { name: crate::journal::new_id() },
            _ => Image::Absent,
        };
        changes.push(Altered { path: path.clone(), before: before.image.clone(), after });
    }
    for (path, after) in new {
        let before = old.get(path).filter(|before| same_kind(before, after));
        if before.is_none_or(|before| before.image != after.image) {
            changes.push(Altered {
                path: path.clone(),
                before: before.map_or(Image::Absent, |b| b.image.clone()),
                after: after.image.clone(),
            });
        }
    }
    changes
}

/// Whether something that seems new is older than the program and was not known: a file of an
/// ignored directory that was moved, or is no longer ignored. Taking it away would destroy it.
pub(super) fn was_brought(
    workspace: &Workspace,
    old: &BTreeMap<PathBuf, Seen>,
    change: &Altered,
    began: i64,
) -> bool {
    if change.before != Image::Absent || old.contains_key(&change.path) {
        return false;
    }
    let Some((born, inode)) = birth(workspace, &change.path) else { return false };
    born < began - SLACK && !old.values().any(|seen| seen.mark.inode == inode)
}
