//! What changed between two looks, and whose change it was.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::super::image::Image;
use super::super::store::Altered;
use super::look::{Found, Seen, birth};
use crate::workspace::Workspace;

/// How far the clock of the file system may be behind ours, in microseconds.
const SLACK: i64 = 20_000;

/// What the last look knew of a path that the next one found to be other.
#[derive(Debug)]
pub(super) enum Was {
    /// Nothing was there.
    Absent,
    /// It was there and could not be covered.
    Uncovered,
    Seen(Seen),
}

/// All of them; what is in here may be as it was after all.
pub(super) type Old = BTreeMap<PathBuf, Was>;

impl Was {
    fn seen(&self) -> Option<&Seen> {
        match self {
            Self::Seen(seen) => Some(seen),
            Self::Absent | Self::Uncovered => None,
        }
    }

    fn image(&self) -> Option<&Image> {
        self.seen().and_then(Seen::image)
    }
}

/// Whether something was known at a path, of which is known `now` what it is.
pub(super) fn was_known(old: &Old, now: &BTreeMap<PathBuf, Seen>, path: &Path) -> bool {
    old.get(path).map_or_else(|| now.contains_key(path), |was| was.seen().is_some())
}

/// What changed between two looks: what went first, the deepest first; then what came, from the
/// top down. Undone backwards, directories are there before what is in them. In place of what was
/// known, something that could not be looked at counts as whatever it is.
pub(super) fn compare(old: &Old, new: &BTreeMap<PathBuf, Seen>, found: &Found) -> Vec<Altered> {
    let is_directory = |i: &Image| matches!(i, Image::Directory { .. });
    let same_kind = |a: &Image, b: &Image| is_directory(a) == is_directory(b);
    let now = |path| new.get(path).and_then(Seen::image);
    let mut changes = Vec::new();
    for (path, before) in old.iter().rev().filter_map(|(path, was)| Some((path, was.image()?))) {
        let after = match now(path) {
            Some(now) if same_kind(now, before) => continue,
            None if found.contains_key(path) => Image::Trash { name: crate::journal::new_id() },
            _ => Image::Absent,
        };
        changes.push(Altered { path: path.clone(), before: before.clone(), after });
    }
    for (path, was) in old {
        let Some(after) = now(path) else { continue };
        let before = was.image().filter(|before| same_kind(before, after));
        if before != Some(after) {
            let before = before.cloned().unwrap_or(Image::Absent);
            changes.push(Altered { path: path.clone(), before, after: after.clone() });
        }
    }
    changes
}

/// Whether something that seems new is older than the program and was not known: a file of an
/// ignored directory that was moved, or is no longer ignored. Taking it away would destroy it.
pub(super) fn was_brought(workspace: &Workspace, old: &Old, change: &Altered, began: i64) -> bool {
    // What is there and was known has other contents: it is no move.
    if change.before != Image::Absent || old.get(&change.path).and_then(Was::seen).is_some() {
        return false;
    }
    let Some((born, inode)) = birth(workspace, &change.path) else { return false };
    // What was moved or linked from a known path is other there too.
    born < began - SLACK && !old.values().filter_map(Was::seen).any(|seen| seen.mark.inode == inode)
}
