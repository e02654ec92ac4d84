//! Whether a repository still has the commits that a turn would name again: git removes what nothing
//! names, and a branch without its commit is worse than none.

use std::path::Path;

use fault::Result;

use super::super::blobs::parse_hex;
use super::super::image::Image;
use super::super::packs::Index;
use super::super::refs::{called, in_git};
use super::Turn;
use crate::workspace::Found;

/// Names of objects are hexadecimal, of SHA-1 or SHA-256.
const NAMES: [usize; 2] = [40, 64];
/// More than all branches and tags of a large repository.
const MOST_BYTES: u64 = 16 << 20;

impl Turn<'_> {
    /// Whether a change brings back a branch, a tag or the stash whose commit is gone. A repository
    /// that borrows objects of another one is not judged.
    pub(super) fn is_without_commit(&self, at: usize) -> Result<bool> {
        let path = &self.changes[at].path;
        let Some((above, file)) = path.to_str().and_then(in_git) else { return Ok(false) };
        if called(file.strip_prefix("logs/").unwrap_or(file)).is_none() {
            return Ok(false);
        }
        let wanted = match self.images(at).1 {
            Image::File { hash, .. } => {
                self.journal.store_now()?.read(|tx| Ok(tx.get(hash).unwrap_or_default()))?
            }
            Image::Trash { name } => {
                let read = self.trash.spot(name).and_then(|slot| slot.read(MOST_BYTES));
                read.unwrap_or_default() // a directory has none
            }
            _ => return Ok(false),
        };
        let now = self.spot(path)?.and_then(|spot| spot.read(MOST_BYTES).ok()).unwrap_or_default();
        let objects = Path::new(above).join(".git/objects");
        let lends = self.found(&objects.join("info/alternates"));
        if lends.is_some_and(|found| matches!(found, Found::File { .. }))
            || !matches!(self.found(&objects), Some(Found::Directory { .. }))
        {
            return Ok(false);
        }
        let named = names(&now);
        let gone = |name: &&[u8]| !named.contains(name) && !self.has_object(&objects, name);
        Ok(names(&wanted).iter().any(gone))
    }

    fn found(&self, path: &Path) -> Option<Found> {
        self.spot(path).ok().flatten()?.look().ok()
    }

    /// Whether a repository has an object by itself or in a pack, or gets it back by this turn.
    fn has_object(&self, objects: &Path, name: &[u8]) -> bool {
        let Ok(name) = std::str::from_utf8(name) else { return true };
        let alone = objects.join(&name[..2]).join(&name[2..]);
        let packs = objects.join("pack");
        let comes = |path: &Path| path == alone || path.starts_with(&packs);
        if matches!(self.found(&alone), Some(Found::File { .. }))
            || self.changes.iter().any(|change| comes(&change.path))
        {
            return true;
        }
        let listed = self.workspace.list(&self.workspace.show(&packs)).unwrap_or_default();
        let mut indexes = listed.iter().filter(|entry| entry.name.ends_with(".idx"));
        indexes.any(|entry| {
            let spot = self.spot(&packs.join(&entry.name)).ok().flatten();
            let index = spot.and_then(|spot| spot.open().ok());
            // A pack that cannot be read may have it.
            let found = index
                .zip(parse_hex(name))
                .map(|(index, name)| Index::OnDisk(index).position(&name));
            found.is_none_or(|found| found.map_or(true, |position| position.is_some()))
        })
    }
}

/// The names of objects in a file that holds references.
fn names(content: &[u8]) -> Vec<&[u8]> {
    let is_name = |word: &&[u8]| {
        let is_hex = NAMES.contains(&word.len()) && word.iter().all(u8::is_ascii_hexdigit);
        is_hex && word.iter().any(|digit| *digit != b'0') // what a log has before the first
    };
    content
        .split(u8::is_ascii_whitespace)
        .map(|word| word.strip_prefix(b"^").unwrap_or(word))
        .filter(is_name)
        .collect()
}
