//! Looking at the files: which there are, by what each is known again, and what is in them.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use fault::Result;
use rustix::fs::{AtFlags, Dir, FileType, Stat, StatxFlags};

use super::super::image::Image;
use super::super::store::Tx;
use crate::search::long_ignore;
use crate::workspace::{Access, Workspace};

/// Directories that are never looked at: version control keeps its own history, packages come back.
const LEFT_OUT: &[&str] = &[".git", ".hg", ".svn", "node_modules"];

/// What was found, by real path.
pub(super) type Found = BTreeMap<PathBuf, (FileType, Mark)>;

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
    pub(super) image: Image,
    /// Changed so shortly before it was seen that the next change may leave the same mark.
    pub(super) fresh: bool,
}

/// What a look could not cover.
#[derive(Debug, Default)]
pub(super) struct Missed {
    files: usize,
    large: usize,
    unreadable: usize,
    bytes: bool,
    /// Changed by another call while the program ran.
    pub(super) shared: usize,
    /// Moved here from where nobody looks.
    pub(super) brought: usize,
}

impl Missed {
    /// Whether there may be files that nobody looked for.
    pub(super) fn is_partial(&self) -> bool {
        self.files > 0
    }

    pub(super) fn text(&self) -> String {
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
        if self.shared > 0 {
            parts.push(format!("{} files that another call changed meanwhile", self.shared));
        }
        if self.brought > 0 {
            parts.push(format!("{} files that were not covered before", self.brought));
        }
        if parts.is_empty() {
            String::new()
        } else {
            format!("undo does not cover everything: {}", parts.join(", "))
        }
    }
}

/// Looks at one path that is new or changed; `None` if it cannot be covered.
pub(super) fn look(
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
        FileType::Directory => return Ok(Some(Image::Directory { mode: Some(mark.mode) })),
        FileType::Symlink => {
            let target = workspace.spot_of(path).ok().and_then(|s| s.link().ok());
            missed.unreadable += usize::from(target.is_none());
            return Ok(target.map(|target| Image::Link { target }));
        }
        kind if kind != FileType::RegularFile => {} // a pipe or device has no content to keep
        _ if size > workspace.limits().snapshot_file_bytes => missed.large += 1,
        _ if size > *bytes_left => missed.bytes = true,
        _ => {
            let read = workspace.spot_of(path).ok().and_then(|s| s.read(size + 1).ok());
            let Some(bytes) = read else {
                missed.unreadable += 1;
                return Ok(None);
            };
            *bytes_left -= size;
            return Ok(Some(Image::File { hash: tx.put(&bytes)?, mode: Some(mark.mode) }));
        }
    }
    Ok(None)
}

/// Every directory that is not ignored, and every file and link in one; but nothing in `own`, where
/// the journal itself is.
pub(super) fn walk(workspace: &Workspace, own: &Path, missed: &mut Missed) -> Found {
    let most = workspace.limits().snapshot_files;
    let mut found = Found::new();
    for (root, access) in workspace.roots() {
        if access == Access::Read {
            continue;
        }
        let mut walk = ignore::WalkBuilder::new(root);
        walk.hidden(false).require_git(false).parents(false).git_global(false);
        walk.ignore(false).git_exclude(false).git_ignore(long_ignore(root).is_none());
        let own = own.to_owned();
        walk.filter_entry(move |e| {
            e.path() != own
                && long_ignore(e.path()).is_none()
                && e.file_type().is_some_and(|t| t.is_dir())
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

fn list(workspace: &Workspace, root: &Path, folder: &Path, found: &mut Found) {
    let Ok(fd) = workspace.open_walked(folder) else { return };
    if folder != root
        && let Ok(stat) = rustix::fs::fstat(&fd)
    {
        found.insert(folder.to_owned(), (FileType::Directory, Mark::of(&stat)));
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
        if !matches!(kind, FileType::Unknown | FileType::Socket) {
            found.insert(folder.join(name), (kind, Mark::of(&stat)));
        }
    }
}

/// Whether a file says which others are looked at.
pub(super) fn decides_what_is_seen(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == ".gitignore")
}

/// Adds what is known and was not found, because it is ignored now or there was too much, but
/// is where it stood: it is not gone.
pub(super) fn still_there(
    workspace: &Workspace,
    known: &BTreeMap<PathBuf, Seen>,
    found: &mut Found,
) {
    for path in known.keys() {
        if found.contains_key(path) {
            continue;
        }
        let Ok(spot) = workspace.spot_of(path) else { continue };
        let stat = rustix::fs::statat(&spot.parent, &spot.name, AtFlags::SYMLINK_NOFOLLOW);
        if let Ok(stat) = stat {
            let kind = FileType::from_raw_mode(stat.st_mode);
            found.insert(path.clone(), (kind, Mark::of(&stat)));
        }
    }
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
