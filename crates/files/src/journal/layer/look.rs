//! What is in a layer: what the program did, held against the root below.

use std::cell::OnceCell;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::open_directory;
use crate::journal::blobs::{Hash, hash_file};

/// One thing that a program changed, by its path in the root.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) path: PathBuf,
    pub(super) what: What,
    /// What the root had there when it was looked at; only if the program changed that.
    pub(super) lower: Option<Mark>,
    /// Whether somebody else changed what the root has there since the program began.
    pub(super) conflict: bool,
}

#[derive(Debug)]
pub(super) enum What {
    /// It is gone.
    Removed,
    /// A regular file with this content.
    File { hash: Hash, mode: u32 },
    /// A symbolic link.
    Link { target: OsString },
    /// A directory, in place of nothing or of what was there before; what is in it follows.
    Directory { mode: u32 },
    /// The same file or directory with other permissions.
    Mode { old: u32, new: u32, content: Option<Hash> },
    /// Something that is taken as it is: a directory that the project ignores, or a pipe.
    Whole,
}

/// What tells that the root still has what was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) inode: u64,
    pub(super) size: i64,
    pub(super) mtime: (i64, i64),
    pub(super) kind: FileType,
}

impl Mark {
    pub(super) fn of(stat: &Stat) -> Self {
        Self {
            inode: stat.st_ino,
            size: stat.st_size,
            mtime: (stat.st_mtime, stat.st_mtime_nsec as i64),
            kind: FileType::from_raw_mode(stat.st_mode),
        }
    }
}

/// Which paths of a root the project ignores.
pub(super) struct Ignores {
    root: PathBuf,
    top: ignore::gitignore::Gitignore,
    /// The names that git tracks, as they stand in its index; a directory with tracked files is
    /// not ignored, whatever `.gitignore` says.
    index: OnceCell<Vec<u8>>,
}

impl Ignores {
    pub(super) fn of(root: &Path) -> Self {
        let mut builder = ignore::gitignore::GitignoreBuilder::new(root);
        // A file that is not there, or a line in it that is no pattern, ignores nothing.
        for file in [".gitignore", ".git/info/exclude"] {
            drop(builder.add(root.join(file)));
        }
        let top = builder.build().unwrap_or_else(|_| ignore::gitignore::Gitignore::empty());
        Self { root: root.to_owned(), top, index: OnceCell::new() }
    }

    /// Whether a directory is ignored and nothing in it is tracked.
    pub(super) fn ignored(&self, directory: &Path) -> bool {
        let in_git = directory.components().any(|part| part.as_os_str() == ".git");
        !in_git && self.matches(directory) && !self.tracked(directory)
    }

    fn matches(&self, directory: &Path) -> bool {
        let found = self.top.matched_path_or_any_parents(directory, true);
        if !found.is_none() {
            return found.is_ignore();
        }
        // A `.gitignore` further down speaks of what is below it.
        directory.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()).any(|above| {
            let file = self.root.join(above).join(".gitignore");
            let (own, _) = ignore::gitignore::Gitignore::new(file);
            directory
                .strip_prefix(above)
                .is_ok_and(|rest| own.matched_path_or_any_parents(rest, true).is_ignore())
        })
    }

    /// Whether the index names a file in the directory. Its newest format shortens names; then
    /// everything counts as tracked.
    #[expect(clippy::disallowed_methods, reason = "git's index tells what is tracked")]
    fn tracked(&self, directory: &Path) -> bool {
        // Without an index nothing is tracked.
        let read = || std::fs::read(self.root.join(".git/index")).unwrap_or_default();
        let index = self.index.get_or_init(read);
        if index.get(4..8) == Some(&[0, 0, 0, 4]) {
            return true;
        }
        let mut start = directory.as_os_str().as_bytes().to_vec();
        start.push(b'/');
        memchr::memmem::find(index, &start).is_some()
    }
}

/// Everything that a layer holds, directories before what is in them.
pub(super) struct Looking<'a> {
    /// Directories that the program wrote to directly: what changed there is its own work.
    pub(super) passed: &'a [PathBuf],
    pub(super) ignores: Ignores,
    /// Nanoseconds since 1970: what changed later in the root, somebody else changed.
    pub(super) began: i64,
    pub(super) items: Vec<Item>,
    /// Ignored directories of the root in which the program wrote.
    pub(super) in_ignored: Vec<PathBuf>,
    /// Sockets and devices, which are not brought in.
    pub(super) left_out: Vec<PathBuf>,
    /// Files that would have run as their owner or group, whoever starts them, and now do not.
    pub(super) plain: Vec<PathBuf>,
}

impl Looking<'_> {
    /// Looks at a directory of the layer and, if the root has it too, at the root's.
    pub(super) fn directory(
        &mut self,
        upper: &OwnedFd,
        lower: Option<&OwnedFd>,
        path: &Path,
    ) -> std::io::Result<()> {
        for entry in Dir::read_from(upper)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let stat = rustix::fs::statat(upper, name, AtFlags::SYMLINK_NOFOLLOW)?;
            let below = lower
                .and_then(|lower| rustix::fs::statat(lower, name, AtFlags::SYMLINK_NOFOLLOW).ok());
            self.entry(upper, lower, &path.join(name), Path::new(name), &stat, below.as_ref())?;
        }
        Ok(())
    }

    fn entry(
        &mut self,
        upper: &OwnedFd,
        lower: Option<&OwnedFd>,
        path: &Path,
        name: &Path,
        stat: &Stat,
        below: Option<&Stat>,
    ) -> std::io::Result<()> {
        let kind = FileType::from_raw_mode(stat.st_mode);
        let mut mode = stat.st_mode & 0o7777;
        let what = match kind {
            FileType::CharacterDevice if stat.st_rdev == 0 => match below {
                None => return Ok(()), // made and removed again
                Some(_) => What::Removed,
            },
            FileType::Directory => {
                return self.subdirectory(upper, lower, path, name, stat, below);
            }
            FileType::RegularFile => {
                let file = open_file(upper, name)?;
                let hash = hash_file(&file)?;
                let given = mode & SET_ID & !below.map_or(0, |below| below.st_mode);
                if given != 0 {
                    mode &= !given;
                    rustix::fs::fchmod(&file, Mode::from_raw_mode(mode))?;
                    self.plain.push(path.to_owned());
                }
                match below.filter(|b| FileType::from_raw_mode(b.st_mode) == kind) {
                    Some(old) if self.same_content(lower, name, stat, old, &hash)? => {
                        let before = old.st_mode & 0o7777;
                        if before == mode {
                            return Ok(()); // opened for writing, and nothing written
                        }
                        What::Mode { old: before, new: mode, content: Some(hash) }
                    }
                    _ => What::File { hash, mode },
                }
            }
            FileType::Symlink => {
                let target = rustix::fs::readlinkat(upper, name, Vec::new())?;
                What::Link { target: OsString::from_vec(target.into_bytes()) }
            }
            FileType::Fifo => What::Whole,
            _ => {
                self.left_out.push(path.to_owned());
                return Ok(());
            }
        };
        let conflict = self.conflicts(path, lower, name, below);
        self.add(path, what, below, conflict);
        Ok(())
    }

    fn add(&mut self, path: &Path, what: What, below: Option<&Stat>, conflict: bool) {
        let lower = below.map(Mark::of);
        self.items.push(Item { path: path.to_owned(), what, lower, conflict });
    }

    fn subdirectory(
        &mut self,
        upper: &OwnedFd,
        lower: Option<&OwnedFd>,
        path: &Path,
        name: &Path,
        stat: &Stat,
        below: Option<&Stat>,
    ) -> std::io::Result<()> {
        let mode = stat.st_mode & 0o7777;
        let opened = open_up(upper, name)?;
        let merged = below
            .filter(|b| FileType::from_raw_mode(b.st_mode) == FileType::Directory)
            .filter(|_| !is_opaque(&opened));
        let Some(old) = merged else {
            let conflict = self.conflicts(path, lower, name, below);
            if self.ignores.ignored(path) {
                self.add(path, What::Whole, below, conflict);
                return Ok(());
            }
            self.add(path, What::Directory { mode }, below, conflict);
            return self.directory(&opened, None, path);
        };
        if self.ignores.ignored(path) {
            self.in_ignored.push(path.to_owned());
        }
        let before = old.st_mode & 0o7777;
        if before != mode {
            self.add(path, What::Mode { old: before, new: mode, content: None }, below, false);
        }
        let lower = lower.and_then(|lower| open_directory(lower, name).ok());
        self.directory(&opened, lower.as_ref(), path)
    }

    /// Whether the program left a file as it was.
    fn same_content(
        &self,
        lower: Option<&OwnedFd>,
        name: &Path,
        stat: &Stat,
        old: &Stat,
        hash: &Hash,
    ) -> std::io::Result<bool> {
        let times = |s: &Stat| (s.st_size, s.st_mtime, s.st_mtime_nsec);
        let Some(lower) = lower.filter(|_| times(stat) == times(old)) else { return Ok(false) };
        let Ok(file) = rustix::fs::openat(lower, name, READ, Mode::empty()) else {
            return Ok(false);
        };
        Ok(hash_file(&file.into())? == *hash)
    }

    fn conflicts(
        &self,
        path: &Path,
        lower: Option<&OwnedFd>,
        name: &Path,
        below: Option<&Stat>,
    ) -> bool {
        let passed = self.passed.iter().any(|passed| passed == path);
        !passed && below.is_some_and(|below| self.changed_since(lower, name, below))
    }

    /// Whether what the root has at `name` changed since the program began; of a directory,
    /// whether anything in it did.
    fn changed_since(&self, lower: Option<&OwnedFd>, name: &Path, stat: &Stat) -> bool {
        let changed = stat.st_ctime * 1_000_000_000 + stat.st_ctime_nsec as i64 >= self.began;
        if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
            return changed;
        }
        let Some(directory) = lower.and_then(|lower| open_directory(lower, name).ok()) else {
            return changed;
        };
        let Ok(entries) = Dir::read_from(&directory) else { return changed };
        entries.flatten().any(|entry| {
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                return false;
            }
            let name = Path::new(OsStr::from_bytes(name));
            rustix::fs::statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW)
                .is_ok_and(|stat| self.changed_since(Some(&directory), name, &stat))
        })
    }
}

/// A program runs as the owner of the file, or as its group.
const SET_ID: u32 = 0o6000;

const READ: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

/// Opens a file of the layer, also one that the program closed.
pub(super) fn open_file(at: &OwnedFd, name: &Path) -> std::io::Result<File> {
    let open = || rustix::fs::openat(at, name, READ, Mode::empty());
    match open() {
        Err(Errno::ACCESS) => {
            let stat = rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW)?;
            let set =
                |mode| rustix::fs::chmodat(at, name, Mode::from_raw_mode(mode), AtFlags::empty());
            set(0o600)?;
            let opened = open();
            set(stat.st_mode & 0o7777)?;
            Ok(opened?.into())
        }
        other => Ok(other?.into()),
    }
}

/// Opens a directory of the layer, also one that the program closed.
pub(super) fn open_up(at: &OwnedFd, name: &Path) -> std::io::Result<OwnedFd> {
    match open_directory(at, name) {
        Err(Errno::ACCESS) => {
            rustix::fs::chmodat(at, name, Mode::from_raw_mode(0o700), AtFlags::empty())?;
            Ok(open_directory(at, name)?)
        }
        other => Ok(other?),
    }
}

fn is_opaque(directory: &OwnedFd) -> bool {
    let mut value = [0_u8; 4];
    let read = rustix::fs::fgetxattr(directory, c"user.overlay.opaque", &mut value[..]);
    read == Ok(1) && value[0] == b'y'
}
