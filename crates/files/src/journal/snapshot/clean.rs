//! Tracked files that are as git left them: their contents are in its packs and need no copy.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use fault::Result;
use rustix::fs::FileType;

use super::super::PersonsGit;
use super::super::blobs::Hash;
use super::super::image::Image;
use super::super::packs::{Name, Packs};
use super::super::store::Tx;
use super::compare::{Old, Was};
use super::look::{Content, Item, Seen};
use super::missed::Missed;
use super::{Known, Look};
use crate::search::{Stamp, processors};
use crate::tree::git::{Index, texts};
use crate::workspace::{Kind, Workspace};

/// Fewest files to be copied for which git's index is read.
const FEWEST: usize = 100;
/// What in attributes can make a file something else for git than on the disk, of the same length.
/// Conversions of line endings change the length.
const CONVERTS: [&str; 3] = ["filter", "ident", "working-tree-encoding"];
/// What in a configuration names attributes elsewhere, or another format of objects.
const ELSEWHERE: [&str; 3] = ["attributesfile", "[include", "objectformat"];

/// Those among what was found and is not known, with the names of their contents.
pub(super) fn clean(
    workspace: &Workspace,
    persons_git: &PersonsGit,
    known: &Known,
    look: &Look,
) -> BTreeMap<PathBuf, Name> {
    let is_new = |(path, item): &(&PathBuf, &Item)| {
        item.kind == FileType::RegularFile
            && known.files.get(*path).is_none_or(|seen| seen.mark != item.mark)
    };
    let new = || look.found.iter().filter(is_new);
    let none = BTreeMap::new();
    let Some(packs) = known.packs.as_ref().filter(|_| new().nth(FEWEST).is_some()) else {
        return none;
    };
    let Ok(packs) = packs.loaded() else { return none };
    if may_convert(workspace, persons_git, &known.files, look).unwrap_or(true) {
        return none;
    }
    let Some(index) = workspace.folder(".").ok().as_ref().and_then(Index::read) else {
        return none;
    };
    let name = |path: &Path, item: &Item| {
        let entry = index.entry_of(path.strip_prefix(workspace.root()).ok()?.as_os_str())?;
        let size = item.mark.size.cast_unsigned();
        let stamp =
            Stamp { size, changed: item.mark.ctime, inode: item.mark.inode.cast_unsigned() };
        let is_clean = size <= workspace.limits().snapshot_file_bytes
            && !entry.is_racy
            && entry.is_untouched(Kind::File, stamp);
        (is_clean && packs.size(&entry.id) == Some(size)).then_some(entry.id)
    };
    let new: Vec<_> = new().collect();
    let share = new.len().div_ceil(processors());
    let of_share = |share: &[(&PathBuf, &Item)]| -> Vec<_> {
        share.iter().filter_map(|(path, item)| Some(((*path).clone(), name(path, item)?))).collect()
    };
    std::thread::scope(|scope| {
        let shares = new.chunks(share).map(|share| scope.spawn(move || of_share(share)));
        let shares: Vec<_> = shares.collect();
        shares.into_iter().flat_map(|share| share.join().unwrap_or_default()).collect()
    })
}

/// Whether files may be something else for git than on the disk; `None` if that cannot be told.
fn may_convert(
    workspace: &Workspace,
    persons_git: &PersonsGit,
    known: &BTreeMap<PathBuf, Seen>,
    look: &Look,
) -> Option<bool> {
    let git = workspace.root().join(".git");
    let mut configured = vec![git.join("config"), git.join("config.worktree")];
    configured.extend(persons_git.files.iter().cloned());
    let above = persons_git.files.iter().filter_map(|file| file.parent());
    let mut attributes: Vec<PathBuf> =
        above.flat_map(|dir| [dir.join("attributes"), dir.join("gitattributes")]).collect();
    attributes.push(git.join("info/attributes"));
    let is_attributes = |path: &&PathBuf| path.file_name() == Some(OsStr::new(".gitattributes"));
    attributes.extend(known.keys().chain(look.found.keys()).filter(is_attributes).cloned());
    let has = |paths: &[PathBuf], words: &[&str]| {
        let texts = texts(paths)?.into_iter().map(|text| text.to_ascii_lowercase());
        Some(texts.into_iter().any(|text| {
            words.iter().any(|word| memchr::memmem::find(&text, word.as_bytes()).is_some())
        }))
    };
    Some(has(&attributes, &CONVERTS)? || has(&configured, &ELSEWHERE)?)
}

impl Known {
    /// Opens the packs of the repository, if they are others than before. What they do not hold is
    /// copied from those before, or looked at anew.
    pub(super) fn hold_packs(&mut self, tx: &Tx<'_>, workspace: &Workspace) -> Result<()> {
        let Ok(top) = workspace.folder(".") else { return Ok(()) };
        if self.packs.as_ref().is_some_and(|packs| packs.is_current(&top)) {
            return Ok(());
        }
        let packs = Packs::open(&top);
        let held = packs.as_ref().and_then(|packs| packs.loaded().ok());
        let before = std::mem::replace(&mut self.packs, packs);
        let mut lost = Vec::new();
        for (path, seen) in &mut self.files {
            let Content::InGit(name) = seen.content else { continue };
            if held.as_ref().is_some_and(|packs| packs.has(&name)) {
                continue;
            }
            match before.as_ref().and_then(|packs| packs.read(&name)) {
                Some(bytes) => {
                    let hash = seen.keep(tx, &bytes)?;
                    let place = [workspace.root(), path].map(|path| path.as_os_str().as_bytes());
                    tx.run(
                        "UPDATE known SET hash = ?3 WHERE root = ?1 AND path = ?2",
                        rusqlite::params![place[0], place[1], hash],
                    )?;
                }
                None => lost.push(path.clone()),
            }
        }
        for path in lost {
            self.files.remove(&path);
            self.watched = None;
        }
        Ok(())
    }

    /// Copies what was known of files that are other now and what git has of them.
    pub(super) fn unpack(
        &mut self,
        tx: &Tx<'_>,
        workspace: &Workspace,
        old: &mut Old,
        missed: &mut Missed,
    ) -> Result<()> {
        for was in old.values_mut() {
            let Was::Seen(seen) = was else { continue };
            let Content::InGit(name) = seen.content else { continue };
            if self.packs.is_none() {
                // The server that looked before was killed.
                self.packs = Packs::open(&workspace.folder(".")?);
            }
            match self.packs.as_ref().and_then(|packs| packs.read(&name)) {
                Some(bytes) => drop(seen.keep(tx, &bytes)?),
                None => {
                    missed.lost += 1;
                    *was = Was::Uncovered;
                }
            }
        }
        Ok(())
    }
}

impl Seen {
    fn keep(&mut self, tx: &Tx<'_>, bytes: &[u8]) -> Result<Hash> {
        let hash = tx.put(bytes)?;
        self.content = Content::Kept(Image::File { hash, mode: Some(self.mark.mode) });
        Ok(hash)
    }
}
