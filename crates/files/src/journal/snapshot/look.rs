//! Looking at the files: which there are, by what each is known again, and what is in them.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use fault::Result;
use ignore::WalkState;
use rustix::fs::{AtFlags, Dir, FileType, Stat, StatxFlags};

use super::super::image::Image;
use super::super::packs::Name;
use super::super::store::Tx;
use super::missed::{Missed, Why};
use super::watched::Watched;
use crate::search::{long_ignore, processors};
use crate::workspace::{Access, Workspace};

/// Directories that are never looked at: version control keeps its own history, packages come back.
const LEFT_OUT: &[&str] = &[".git", ".hg", ".svn", "node_modules"];

/// More threads than this only wait for each other.
const MOST_THREADS: usize = 8;

/// What was found, by real path.
pub(super) type Found = BTreeMap<PathBuf, Item>;

/// One thing that was found.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) kind: FileType,
    pub(super) mark: Mark,
    /// It is no directory and has other names, by which it may be changed.
    pub(super) is_linked: bool,
}

/// What tells that a file is the one that was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) size: i64,
    pub(super) mtime: i64,
    pub(super) ctime: i64,
    pub(super) inode: i64,
    pub(super) mode: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) mark: Mark,
    pub(super) content: Content,
    /// Changed so shortly before it was seen that the next change may leave the same mark.
    pub(super) fresh: bool,
}

/// Looks at one path that is new or changed.
///
/// # Errors
/// The inner one says why it cannot be covered.
pub(super) fn look(
    tx: &Tx<'_>,
    workspace: &Workspace,
    path: &Path,
    item: &Item,
    bytes_left: &mut u64,
) -> Result<Result<Image, Why>> {
    let Item { kind, mark, .. } = item;
    let size = mark.size as u64;
    Ok(match *kind {
        FileType::Directory => Ok(Image::Directory { mode: Some(mark.mode) }),
        FileType::Symlink => {
            let target = workspace.spot_of(path).ok().and_then(|s| s.link().ok());
            target.map(|target| Image::Link { target }).ok_or(Why::Unreadable)
        }
        kind if kind != FileType::RegularFile => Err(Why::Special),
        _ if size > workspace.limits().snapshot_file_bytes => Err(Why::Large),
        _ if size > *bytes_left => Err(Why::Bytes),
        _ => match workspace.spot_of(path).ok().and_then(|s| s.read(size + 1).ok()) {
            Some(bytes) => {
                *bytes_left -= size;
                Ok(Image::File { hash: tx.put(&bytes)?, mode: Some(mark.mode) })
            }
            None => Err(Why::Unreadable),
        },
    })
}

/// What is known of something.
#[derive(Clone, Debug)]
pub(super) enum Content {
    Kept(Image),
    /// A file whose content is in a pack of git's.
    InGit(Name),
}

impl Seen {
    pub(super) fn image(&self) -> Option<&Image> {
        match &self.content {
            Content::Kept(image) => Some(image),
            Content::InGit(_) => None,
        }
    }
}

/// Which directories are listed.
#[derive(Clone, Copy)]
pub(super) struct Walk<'a> {
    pub(super) workspace: &'a Workspace,
    /// Where the journal itself is.
    pub(super) own: &'a Path,
    /// What is told of each before it is read.
    pub(super) watched: Option<&'a Watched>,
}

impl Walk<'_> {
    /// Every directory that is not ignored, and every file and link in one.
    pub(super) fn all(self, missed: &mut Missed) -> Found {
        let mut found = Vec::new();
        for (root, access) in self.workspace.roots() {
            if access == Access::Write {
                self.below(root, root, &mut found, missed);
                for folder in [root.join(".git"), root.join(".git/hooks")] {
                    self.watched.inspect(|watched| watched.add(root, &folder));
                    list(self.workspace, root, &folder, &mut found);
                }
            }
        }
        found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        found.into_iter().collect()
    }

    /// The same of one directory in a root; nothing if that is ignored.
    ///
    /// The walk begins at the root: what is above a directory decides which rules count in it.
    pub(super) fn below(
        self,
        root: &Path,
        only: &Path,
        found: &mut Vec<(PathBuf, Item)>,
        missed: &mut Missed,
    ) {
        let most = self.workspace.limits().snapshot_files;
        let mut walk = ignore::WalkBuilder::new(root);
        walk.hidden(false).require_git(false).parents(false).git_global(false);
        walk.ignore(false).git_exclude(false).git_ignore(long_ignore(root).is_none());
        walk.threads(processors().min(MOST_THREADS));
        let (own, place) = (self.own.to_owned(), only.to_owned());
        let watches = self.watched.and_then(|watched| watched.of(root));
        walk.filter_entry(move |e| {
            let is_covered = e.file_type().is_some_and(|t| t.is_dir())
                && (e.path().starts_with(&place) || place.starts_with(e.path()))
                && e.path() != own
                && !e.file_name().to_str().is_some_and(|n| LEFT_OUT.contains(&n))
                && long_ignore(e.path()).is_none();
            if let Some(watches) = watches.as_ref().filter(|_| is_covered) {
                watches.add(e.path());
            }
            is_covered
        });
        let (all, count) = (Mutex::new(Vec::new()), AtomicUsize::new(found.len()));
        walk.build_parallel().run(|| {
            Box::new(|entry| {
                if count.load(Ordering::Relaxed) > most {
                    return WalkState::Quit;
                }
                let mut own = Vec::new();
                if let Some(folder) = entry.ok().filter(|e| e.path().starts_with(only)) {
                    list(self.workspace, root, folder.path(), &mut own);
                }
                count.fetch_add(own.len(), Ordering::Relaxed);
                all.lock().unwrap_or_else(PoisonError::into_inner).append(&mut own);
                WalkState::Continue
            })
        });
        found.append(&mut all.into_inner().unwrap_or_else(PoisonError::into_inner));
        if found.len() > most {
            missed.files = most;
        }
    }
}

/// Puts what is in a directory, and the directory itself unless it is a root.
pub(super) fn list(
    workspace: &Workspace,
    root: &Path,
    folder: &Path,
    found: &mut Vec<(PathBuf, Item)>,
) {
    let Ok(fd) = workspace.open_walked(folder) else { return };
    if folder != root
        && let Ok(stat) = rustix::fs::fstat(&fd)
    {
        found.push((folder.to_owned(), Item::of(&stat)));
    }
    // Of a repository only what git obeys: its own history is not ours to turn back.
    let only_config = folder.file_name() == Some(OsStr::new(".git"));
    for entry in Dir::read_from(&fd).into_iter().flatten().flatten() {
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if entry.file_type() == FileType::Directory || only_config && name != "config" {
            continue;
        }
        let Ok(stat) = rustix::fs::statat(&fd, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
        let item = Some(Item::of(&stat)).filter(Item::is_file);
        found.extend(item.map(|item| (folder.join(name), item)));
    }
}

/// What is at a path now; a link is not followed.
pub(super) fn item_at(workspace: &Workspace, path: &Path) -> Option<Item> {
    let spot = workspace.spot_of(path).ok()?;
    let stat = rustix::fs::statat(&spot.parent, &spot.name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some(Item::of(&stat))
}

/// Whether a file says which others are looked at.
pub(super) fn decides_what_is_seen(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == ".gitignore")
}

/// When what is at `path` was made, in microseconds since 1970; where the file system does not
/// know, when it last changed. And its inode.
pub(super) fn birth(workspace: &Workspace, path: &Path) -> Option<(i64, i64)> {
    let spot = workspace.spot_of(path).ok()?;
    let wanted = StatxFlags::BTIME | StatxFlags::CTIME;
    let stat =
        rustix::fs::statx(&spot.parent, &spot.name, AtFlags::SYMLINK_NOFOLLOW, wanted).ok()?;
    let known = StatxFlags::from_bits_retain(stat.stx_mask).contains(StatxFlags::BTIME);
    let time = if known { stat.stx_btime } else { stat.stx_ctime };
    Some((time.tv_sec * 1_000_000 + i64::from(time.tv_nsec) / 1000, stat.stx_ino as i64))
}

impl Item {
    fn of(stat: &Stat) -> Self {
        let kind = FileType::from_raw_mode(stat.st_mode);
        let is_linked = kind != FileType::Directory && stat.st_nlink > 1;
        Self { kind, mark: Mark::of(stat), is_linked }
    }

    /// Whether it is covered if its directory is.
    pub(super) fn is_file(&self) -> bool {
        !matches!(self.kind, FileType::Unknown | FileType::Socket | FileType::Directory)
    }
}

impl Mark {
    fn of(stat: &Stat) -> Self {
        let mode = stat.st_mode & 0o7777;
        let inode = stat.st_ino as i64;
        if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
            return Self { size: 0, mtime: 0, ctime: 0, inode, mode }; // what is in it is seen apart
        }
        Self {
            size: stat.st_size,
            mtime: stat.st_mtime * 1_000_000_000 + stat.st_mtime_nsec as i64,
            ctime: stat.st_ctime * 1_000_000_000 + stat.st_ctime_nsec as i64,
            inode,
            mode,
        }
    }
}
