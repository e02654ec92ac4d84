//! What the files are around a program, so that what it changed can be undone.
//!
//! Before a program runs, every file that changed since the last look is copied into the journal;
//! afterwards a second look finds what the program did. Folders that .gitignore leaves out are not
//! looked at (build output, installed packages), but ignored files beside tracked ones are.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType};

use super::blobs::Hash;
use super::image::Image;
use super::store::{Altered, Phase, Tx, now};
use super::{Journal, Label, StepId};
use crate::error::{Error, Result};
use crate::workspace::{Access, Workspace};

/// Folders that are never looked at: version control keeps its own history, packages come back.
const LEFT_OUT: &[&str] = &[".git", ".hg", ".svn", "node_modules"];

/// What is known of the files from the last look.
#[derive(Debug, Default)]
pub(super) struct Known {
    loaded: bool,
    files: BTreeMap<PathBuf, Seen>,
}

/// What tells that a file is the one that was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mark {
    size: i64,
    mtime: i64,
    ctime: i64,
    inode: i64,
    mode: u32,
}

#[derive(Clone, Debug)]
struct Seen {
    mark: Mark,
    image: Image,
    /// Changed so shortly before it was seen that the next change may leave the same mark.
    fresh: bool,
}

/// A program's step that is under way.
#[derive(Debug)]
pub(super) struct Before {
    id: StepId,
}

/// What came of a program's changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramChanges {
    /// The number of the step, if anything was changed.
    pub step: Option<StepId>,
    /// Protected files that the program changed and that were put back, as shown.
    pub put_back: Vec<String>,
}

/// What a look could not cover.
#[derive(Debug, Default)]
struct Missed {
    files: usize,
    large: usize,
    unreadable: usize,
    bytes: bool,
}

impl Missed {
    fn text(&self) -> String {
        let mut parts = Vec::new();
        if self.files > 0 {
            parts.push(format!("more than {} files", self.files));
        }
        if self.large > 0 {
            parts.push(format!("{} files too large", self.large));
        }
        if self.unreadable > 0 {
            parts.push(format!("{} files unreadable", self.unreadable));
        }
        if self.bytes {
            parts.push("more content than the limit".to_owned());
        }
        if parts.is_empty() {
            String::new()
        } else {
            format!("undo does not cover everything: {}", parts.join(", "))
        }
    }
}

impl Journal {
    pub(super) fn before_program(&self, workspace: &Workspace, label: &Label) -> Result<Before> {
        drop(self.store()?); // opening it may have to finish an abandoned program of this root
        let mut known = self.snapshots.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut store = self.store()?;
        if !known.loaded {
            known.files = store.read(|tx| self.load(tx))?;
            known.loaded = true;
        }
        let mut missed = Missed::default();
        let found = walk(workspace, &mut missed);
        let id = store.write(|tx| {
            self.update(tx, workspace, &mut known.files, &found, &mut missed)?;
            let id = tx.new_step(&self.root, &self.session, label, true)?;
            tx.set_missed(id, &missed.text())?;
            Ok(id)
        })?;
        Ok(Before { id })
    }

    /// Finds what the program changed, puts protected files back and notes the rest.
    pub(super) fn after_program(
        &self,
        workspace: &Workspace,
        before: &Before,
    ) -> Result<ProgramChanges> {
        self.note_changes(workspace, before.id)
    }

    pub(super) fn note_abandoned_program(&self, workspace: &Workspace, id: StepId) -> Result<()> {
        self.note_changes(workspace, id).map(drop)
    }

    fn note_changes(&self, workspace: &Workspace, id: StepId) -> Result<ProgramChanges> {
        let mut known = self.snapshots.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut missed = Missed::default();
        let found = walk(workspace, &mut missed);
        let (changes, forbidden) = {
            let store =
                self.store.get().ok_or_else(|| Error::internal("the journal is not open"))?;
            let mut store = store.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            store.write(|tx| {
                if !known.loaded {
                    known.files = self.load(tx)?;
                    known.loaded = true;
                }
                let old = known.files.clone();
                self.update(tx, workspace, &mut known.files, &found, &mut missed)?;
                let changes = compare(&old, &known.files);
                let (forbidden, changes): (Vec<_>, Vec<_>) =
                    changes.into_iter().partition(|c| self.is_forbidden(workspace, &old, &c.path));
                for (seq, change) in changes.iter().enumerate() {
                    tx.add_change(id, seq, change)?;
                }
                if changes.is_empty() {
                    tx.forget_step(id)?;
                } else {
                    tx.set_phase(id, Phase::Done)?;
                }
                Ok((changes, forbidden))
            })?
        };
        let put_back = forbidden.iter().map(|c| workspace.show(&c.path)).collect();
        for change in forbidden.iter().rev() {
            self.finish_turn(workspace, super::Direction::Undo, std::slice::from_ref(change))?;
        }
        Ok(ProgramChanges { step: (!changes.is_empty()).then_some(id), put_back })
    }

    /// Whether a program may not have changed this: a protected path outside of a repository that
    /// the program itself made.
    fn is_forbidden(
        &self,
        workspace: &Workspace,
        old: &BTreeMap<PathBuf, Seen>,
        path: &Path,
    ) -> bool {
        if self.needs_person(workspace, path).is_none() {
            return false;
        }
        match path.ancestors().find(|a| a.file_name() == Some(OsStr::new(".git"))) {
            Some(git) => old.contains_key(&git.join("config")),
            None => true,
        }
    }

    /// Brings what is known up to what was found; contents that are new are kept.
    fn update(
        &self,
        tx: &Tx<'_>,
        workspace: &Workspace,
        known: &mut BTreeMap<PathBuf, Seen>,
        found: &BTreeMap<PathBuf, (FileType, Mark)>,
        missed: &mut Missed,
    ) -> Result<()> {
        let root = self.root.as_os_str().as_bytes();
        let gone: Vec<PathBuf> =
            known.keys().filter(|p| !found.contains_key(*p)).cloned().collect();
        for path in gone {
            known.remove(&path);
            let path = path.as_os_str().as_bytes();
            tx.run(
                "DELETE FROM known WHERE root = ?1 AND path = ?2",
                rusqlite::params![root, path],
            )?;
        }
        let mut bytes_left = workspace.limits().snapshot_bytes;
        for (path, (kind, mark)) in found {
            if known.get(path).is_some_and(|s| s.mark == *mark && !s.fresh) {
                continue;
            }
            let Some(image) = look(tx, workspace, path, *kind, mark, &mut bytes_left, missed)?
            else {
                known.remove(path);
                continue;
            };
            let fresh = mark.mtime.max(mark.ctime) > now() * 1000 - 20_000_000;
            let (_, hash, _, target) = image.columns();
            // A fresh mark is stored as one that never fits, so that the next session looks again.
            let size = if fresh { -1 } else { mark.size };
            tx.run(
                "INSERT OR REPLACE INTO known VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                rusqlite::params![
                    root,
                    path.as_os_str().as_bytes(),
                    size,
                    mark.mtime,
                    mark.ctime,
                    mark.inode,
                    mark.mode,
                    hash,
                    target,
                    now()
                ],
            )?;
            known.insert(path.clone(), Seen { mark: mark.clone(), image, fresh });
        }
        Ok(())
    }

    fn load(&self, tx: &Tx<'_>) -> Result<BTreeMap<PathBuf, Seen>> {
        let row = |r: &rusqlite::Row<'_>| {
            let mark = Mark {
                size: r.get(1)?,
                mtime: r.get(2)?,
                ctime: r.get(3)?,
                inode: r.get(4)?,
                mode: r.get(5)?,
            };
            let image = match (r.get::<_, Option<Hash>>(6)?, r.get::<_, Option<Vec<u8>>>(7)?) {
                (Some(hash), _) => Image::File { hash, mode: mark.mode },
                (_, Some(target)) => Image::Link { target: std::ffi::OsString::from_vec(target) },
                _ => Image::Directory { mode: mark.mode },
            };
            let path = PathBuf::from(std::ffi::OsString::from_vec(r.get(0)?));
            Ok((path, Seen { mark, image, fresh: false }))
        };
        let sql =
            "SELECT path, size, mtime, ctime, inode, mode, hash, target FROM known WHERE root = ?1";
        Ok(tx.query(sql, [self.root.as_os_str().as_bytes()], row)?.into_iter().collect())
    }
}

/// Looks at one path that is new or changed; `None` if it cannot be covered.
fn look(
    tx: &Tx<'_>,
    workspace: &Workspace,
    path: &Path,
    kind: FileType,
    mark: &Mark,
    bytes_left: &mut u64,
    missed: &mut Missed,
) -> Result<Option<Image>> {
    let size = mark.size as u64;
    match kind {
        FileType::Directory => return Ok(Some(Image::Directory { mode: mark.mode })),
        FileType::Symlink => {
            let target = workspace.spot_of(path).ok().and_then(|s| s.link().ok());
            return Ok(target.map(|target| Image::Link { target }));
        }
        _ if size > workspace.limits().snapshot_file_bytes => missed.large += 1,
        _ if size > *bytes_left => missed.bytes = true,
        _ => {
            let read = workspace.spot_of(path).ok().and_then(|s| s.read(size + 1).ok());
            let Some(bytes) = read else {
                missed.unreadable += 1;
                return Ok(None);
            };
            *bytes_left -= size;
            return Ok(Some(Image::File { hash: tx.put(&bytes)?, mode: mark.mode }));
        }
    }
    Ok(None)
}

/// What changed between two looks: what went first, the deepest first; then what came, from the
/// top down. Undone backwards, folders are there before what stands in them.
fn compare(old: &BTreeMap<PathBuf, Seen>, new: &BTreeMap<PathBuf, Seen>) -> Vec<Altered> {
    let mut changes = Vec::new();
    let is_directory = |i: &Image| matches!(i, Image::Directory { .. });
    for (path, before) in old.iter().rev() {
        let kept =
            new.get(path).is_some_and(|n| is_directory(&n.image) == is_directory(&before.image));
        if !kept {
            changes.push(Altered {
                path: path.clone(),
                before: before.image.clone(),
                after: Image::Absent,
            });
        }
    }
    for (path, after) in new {
        let before = old.get(path).filter(|o| is_directory(&o.image) == is_directory(&after.image));
        match before {
            Some(b) if b.image == after.image || is_directory(&after.image) => {}
            before => changes.push(Altered {
                path: path.clone(),
                before: before.map_or(Image::Absent, |b| b.image.clone()),
                after: after.image.clone(),
            }),
        }
    }
    changes
}

/// Every folder that is not ignored, and every file and link in one.
fn walk(workspace: &Workspace, missed: &mut Missed) -> BTreeMap<PathBuf, (FileType, Mark)> {
    let most = workspace.limits().snapshot_files;
    let mut found = BTreeMap::new();
    for (root, access) in workspace.roots() {
        if access == Access::Read {
            continue;
        }
        let mut walk = ignore::WalkBuilder::new(root);
        walk.hidden(false).require_git(false).parents(false).git_global(false);
        walk.filter_entry(|e| {
            e.file_type().is_some_and(|t| t.is_dir())
                && !e.file_name().to_str().is_some_and(|n| LEFT_OUT.contains(&n))
        });
        let folders = walk.build().flatten().map(ignore::DirEntry::into_path);
        let hooks = [root.join(".git"), root.join(".git/hooks")];
        for folder in folders.chain(hooks) {
            if found.len() > most {
                missed.files = most;
                return found;
            }
            list(workspace, root, &folder, &mut found);
        }
    }
    found
}

fn list(
    workspace: &Workspace,
    root: &Path,
    folder: &Path,
    found: &mut BTreeMap<PathBuf, (FileType, Mark)>,
) {
    let Ok(fd) = workspace.open_walked(folder) else { return };
    if folder != root
        && let Ok(stat) = rustix::fs::fstat(&fd)
    {
        found.insert(
            folder.to_owned(),
            (
                FileType::Directory,
                Mark { size: 0, mtime: 0, ctime: 0, inode: 0, mode: stat.st_mode & 0o7777 },
            ),
        );
    }
    // Of a repository only what git obeys: its own history is not ours to turn back.
    let only_config = folder.file_name() == Some(OsStr::new(".git"));
    for entry in Dir::read_from(&fd).into_iter().flatten().flatten() {
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if entry.file_type() == FileType::Directory || only_config && name != "config" {
            continue;
        }
        let Ok(stat) = rustix::fs::statat(&fd, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
        let kind = FileType::from_raw_mode(stat.st_mode);
        if !matches!(kind, FileType::RegularFile | FileType::Symlink) {
            continue;
        }
        let mark = Mark {
            size: stat.st_size,
            mtime: stat.st_mtime * 1_000_000_000 + stat.st_mtime_nsec as i64,
            ctime: stat.st_ctime * 1_000_000_000 + stat.st_ctime_nsec as i64,
            inode: stat.st_ino as i64,
            mode: stat.st_mode & 0o7777,
        };
        found.insert(folder.join(name), (kind, mark));
    }
}
