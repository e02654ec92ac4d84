//! What a turn does to a repository: whether it still has the commits that would be named again, since
//! git removes what nothing names and a branch without its commit is worse than none; whether HEAD is
//! where an index belongs; and branches that git has packed meanwhile.

use std::path::{Path, PathBuf};

use fault::{Error, Result};

use super::super::blobs::{hash, parse_hex};
use super::super::image::Image;
use super::super::packs::Index;
use super::super::refs::{self, HEAD, called, commit, in_git, in_repository};
use super::super::undo::Direction;
use super::{Now, Turn};
use crate::workspace::{Expected, FileMode, Found, Stamp};

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
        let Some(wanted) = self.wanted_content(at)? else { return Ok(false) };
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

    /// What is in the file that a change is turned to; none if that is no file.
    pub(super) fn wanted_content(&self, at: usize) -> Result<Option<Vec<u8>>> {
        let slot = |name: &str| self.trash.spot(name).and_then(|slot| slot.read(MOST_BYTES));
        Ok(match self.images(at) {
            // The two of a slot change places.
            (Image::Trash { name }, Image::File { .. }) if self.trash.inode(name).is_some() => {
                Some(slot(name).unwrap_or_default())
            }
            (_, Image::File { hash, .. }) => {
                Some(self.journal.store_now()?.read(|tx| Ok(tx.get(hash).unwrap_or_default()))?)
            }
            (_, Image::Trash { name }) => Some(slot(name).unwrap_or_default()), // a directory has none
            _ => None,
        })
    }

    /// The commit that an index, or HEAD that goes, belongs to, if somebody made or checked out
    /// another one since: what is staged would then undo it, and the repository be without it.
    pub(super) fn of_other_commit(&self, at: usize, left: &[usize]) -> Option<&str> {
        let path = &self.changes[at].path;
        let (git, file) = in_repository(path.to_str()?)?;
        // Several programs of one call may have written it.
        let last = left.iter().rfind(|other| self.changes[**other].path == *path);
        let commits = &self.notes.get(*last.filter(|last| **last == at)?)?.commits;
        let (there, wanted) = match self.direction {
            Direction::Undo => (&commits.after, &commits.before),
            Direction::Redo => (&commits.before, &commits.after),
        };
        let now = |name: &str| self.read(&refs::place(git, name));
        let (is, noted) = match file {
            "index" => (commit(HEAD, |name| self.then(&refs::place(git, name), left)), wanted),
            HEAD if *self.images(at).1 == Image::Absent => (commit(HEAD, now), there),
            _ => return None,
        };
        noted.as_deref().filter(|noted| is.is_some_and(|is| is != *noted))
    }

    /// What will be in a file once the changes that are `left` are turned.
    fn then(&self, path: &Path, left: &[usize]) -> Option<Vec<u8>> {
        let turned = left.iter().rfind(|at| self.changes[**at].path == path);
        match turned.filter(|at| matches!(self.now(**at), Ok(Now::ToTurn))) {
            Some(at) => self.wanted_content(*at).ok().flatten(),
            None => self.read(path),
        }
    }

    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        self.spot(path).ok().flatten()?.read(refs::MOST_BYTES).ok()
    }

    /// The commit of a branch or tag that has no file of its own but is among the packed ones.
    pub(in crate::journal) fn packed(&self, path: &Path) -> Result<Option<String>> {
        let Some((git, name)) = path.to_str().and_then(in_repository) else { return Ok(None) };
        if !refs::is_alone(name) || self.is_there(path)? {
            return Ok(None);
        }
        let all = self.read(&refs::place(git, refs::PACKED)).unwrap_or_default();
        Ok(refs::packed(&String::from_utf8_lossy(&all), name).map(str::to_owned))
    }

    /// Where a branch or tag that is about to go is packed, beside a file of its own or alone; none where
    /// the packed refs are turned as a whole.
    pub(super) fn goes_from(&self, at: usize) -> Option<PathBuf> {
        let path = &self.changes[at].path;
        let (git, name) = path.to_str().and_then(refs::in_repository)?;
        let place = refs::place(git, refs::PACKED);
        let goes = *self.images(at).1 == Image::Absent && refs::is_alone(name);
        if !goes || self.changes.iter().any(|change| change.path == place) {
            return None;
        }
        let all = self.read(&place)?;
        refs::packed(&String::from_utf8_lossy(&all), name).map(|_| place)
    }

    /// Whether git packed a branch or tag with the commit that `image` names.
    pub(super) fn is_packed(&self, path: &Path, image: &Image) -> Result<bool> {
        let Image::File { hash: named, .. } = image else { return Ok(false) };
        let commit = self.packed(path)?;
        Ok(commit.is_some_and(|commit| hash(format!("{commit}\n").as_bytes()) == *named))
    }

    /// The commit of a branch or tag that is where the change expects it, in a file that git wrote anew
    /// or among the packed ones.
    pub(super) fn ref_as_expected(&self, at: usize) -> Result<Option<String>> {
        let path = &self.changes[at].path;
        let found = path.to_str().and_then(in_repository);
        if !found.is_some_and(|(_, name)| refs::is_alone(name)) {
            return Ok(None);
        }
        let alone = self.read(path).and_then(|text| String::from_utf8(text).ok());
        let commit = match alone {
            Some(text) => text.trim_end().to_owned(),
            None => self.packed(path)?.unwrap_or_default(),
        };
        let is_expected = match self.images(at).0 {
            Image::Trash { .. } => self.notes.get(at).is_some_and(|note| {
                let noted = match self.direction {
                    Direction::Undo => &note.commits.after,
                    Direction::Redo => &note.commits.before,
                };
                noted.as_ref() == Some(&commit)
            }),
            Image::File { hash: named, .. } => hash(format!("{commit}\n").as_bytes()) == *named,
            _ => false,
        };
        Ok(Some(commit).filter(|commit| is_expected && !commit.is_empty()))
    }

    /// Gives what git has packed files of their own again, so that they are turned like others: that
    /// changes nothing, as git reads these first. What git wrote anew is known by its new stamp.
    pub(super) fn unpack(&mut self, applied: usize) -> Result<()> {
        for at in self.left(applied) {
            let Some(commit) = self.ref_as_expected(at)? else { continue };
            let spot = self.place(&self.changes[at].path)?;
            if spot.inode().is_none() {
                let text = format!("{commit}\n");
                let mode = Some(FileMode::New { executable: false });
                let put = spot.put_file(text.as_bytes(), mode, Expected::Nothing, false);
                put.map_err(|e| Error::io(&self.workspace.show(&spot.path), &e))?;
            }
            if let Some(place) = self.goes_from(at) {
                self.take_from_packed(&place, &self.changes[at].path)?;
            }
            if let (Image::Trash { .. }, Some(note)) = (self.images(at).0, self.notes.get(at)) {
                let is_known = note.stamp.is_some();
                let stamp = Stamp::of(&spot.parent, &spot.name).filter(|_| is_known);
                self.notes[at].stamp = stamp;
            }
        }
        Ok(())
    }

    /// Takes a branch or tag that has a file of its own out of the packed ones: it is about to go.
    fn take_from_packed(&self, place: &Path, path: &Path) -> Result<()> {
        let Some((_, name)) = path.to_str().and_then(in_repository) else { return Ok(()) };
        let spot = self.place(place)?;
        let fail = |e: std::io::Error| Error::io(&self.workspace.show(&spot.path), &e);
        let old = spot.read(refs::MOST_BYTES).map_err(fail)?;
        let mut is_it = false;
        let mut new = Vec::new();
        for line in old.split_inclusive(|byte| *byte == b'\n') {
            // What a tag leads to is in the line after it.
            is_it = match line.starts_with(b"^") {
                true => is_it,
                false => line.trim_ascii_end().ends_with(format!(" {name}").as_bytes()),
            };
            if !is_it {
                new.extend_from_slice(line);
            }
        }
        let put = spot.put_file(&new, None, Expected::File(&hash(&old)), self.journal.durable);
        put.map(drop).map_err(fail)
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
