//! What is in a layer: what the program did, held against the root below.

mod level;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rustix::fs::{AtFlags, Dir, FileType, Mode, Stat};

pub(super) use self::level::Lower;
pub(super) use self::level::changed;
use self::level::{Entry, Level, Repository};
use super::ignores::{Ignores, Ignoring};
use super::{is_object, open_directory};
use crate::journal::blobs::{Hash, hash_bounded};
use crate::workspace::{open_own, protected_in, protects_all};
use fault::Bound;

/// One thing that a program changed, by its path in the root.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) path: PathBuf,
    pub(super) what: What,
    /// What the root had there when it was looked at; only if the program changed that.
    pub(super) lower: Option<Mark>,
    /// Whether somebody else changed what the root has there since the program began.
    pub(super) conflict: bool,
    /// The inode in the layer.
    pub(super) inode: u64,
    /// The git directory that it is or lies in.
    pub(super) repository: Option<Rc<Path>>,
    /// Whether programs run or load a file of this path automatically.
    pub(super) protected: bool,
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

/// Everything that a layer holds, directories before what is in them.
pub(super) struct Looking<'a> {
    pub(super) root: &'a Path,
    /// The path of the root in the root of the session that holds it; mostly empty.
    pub(super) prefix: &'a Path,
    /// What git obeys in the root outside of its repository.
    pub(super) obeyed: &'a [PathBuf],
    /// Directories that the program wrote to directly: what changed there is its own work.
    pub(super) passed: &'a [PathBuf],
    pub(super) ignores: Ignores,
    /// Nanoseconds since 1970: what changed later in the root, somebody else changed.
    pub(super) began: i64,
    pub(super) bound: &'a Bound<'a>,
    pub(super) found: Findings,
}

#[derive(Default)]
pub(super) struct Findings {
    pub(super) items: Vec<Item>,
    /// Ignored directories of the root in which the program wrote.
    pub(super) in_ignored: Vec<PathBuf>,
    /// Sockets and devices, which are not brought in.
    pub(super) left_out: Vec<PathBuf>,
    /// Paths that are longer than system calls take, which are not brought in either.
    pub(super) too_long: Vec<PathBuf>,
    /// Files that would have run as their owner or group, whoever starts them, and now do not.
    pub(super) plain: Vec<PathBuf>,
}

impl Looking<'_> {
    /// Looks at all of a layer, by the directory above the root and the root's own.
    ///
    /// # Errors
    /// The kind is `TimedOut` once the bound is over.
    pub(super) fn look(&mut self, upper: OwnedFd, lower: Option<OwnedFd>) -> io::Result<()> {
        let protected = self.prefix.ancestors().any(protects_all);
        let lower = lower.and_then(|root| Lower::open(&root, Path::new(".")).ok());
        let (path, ignoring) = (PathBuf::new(), Ignoring::default());
        let top = Level { upper, lower, path, repository: None, protected, ignoring };
        // Not recursive: a program can make directories in directories without end.
        let mut waiting = Vec::new();
        self.list(Rc::new(top), &mut waiting)?;
        while let Some((above, name)) = waiting.pop() {
            let entry = Entry::of(&above, Path::new(&name))?;
            if let Some(level) = self.enter(entry)? {
                drop(above);
                self.list(Rc::new(level), &mut waiting)?;
            }
        }
        Ok(())
    }

    /// Looks at what is in a directory; further directories are to wait.
    fn list(
        &mut self,
        level: Rc<Level>,
        waiting: &mut Vec<(Rc<Level>, OsString)>,
    ) -> io::Result<()> {
        for entry in Dir::read_from(&level.upper)? {
            self.bound.check()?;
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let found = Entry::of(&level, Path::new(name))?;
            if self.root.as_os_str().len() + found.path.as_os_str().len() > LONGEST {
                self.found.too_long.push(found.path);
            } else if found.kind() == FileType::Directory {
                waiting.push((Rc::clone(&level), name.to_owned()));
            } else {
                self.file(found)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, entry: Entry<'_>) -> io::Result<()> {
        let kind = entry.kind();
        let what = match kind {
            FileType::CharacterDevice if entry.stat.st_rdev == 0 => match entry.below {
                None => return Ok(()), // made and removed again
                Some(_) => {
                    if is_object(&entry.path) {
                        self.removed_objects(&entry)?;
                    }
                    What::Removed
                }
            },
            FileType::RegularFile => match self.regular(&entry)? {
                Some(what) => what,
                None => return Ok(()),
            },
            FileType::Symlink => {
                let target = rustix::fs::readlinkat(&entry.above.upper, entry.name, Vec::new())?;
                What::Link { target: OsString::from_vec(target.into_bytes()) }
            }
            FileType::Fifo => What::Whole,
            _ => {
                self.found.left_out.push(entry.path);
                return Ok(());
            }
        };
        let conflict = self.conflicts(&entry)?;
        self.add(&entry, what, conflict);
        Ok(())
    }

    /// Objects that were removed with their directory, each by itself: others may come into a
    /// directory of this name.
    fn removed_objects(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        let lower = entry.above.lower.as_ref();
        let lower = lower.and_then(|at| Lower::open(&at.directory, entry.name).ok());
        let Some(lower) = lower else { return Ok(()) };
        for object in Dir::read_from(&lower.directory)? {
            let name = OsStr::from_bytes(object?.file_name().to_bytes()).to_owned();
            let stat = rustix::fs::statat(&lower.directory, &name, AtFlags::SYMLINK_NOFOLLOW)?;
            if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
                let conflict = self.is_new(&stat);
                let path = entry.path.join(name);
                let name = entry.name;
                let object = Entry { above: entry.above, name, path, stat, below: Some(stat) };
                self.add(&object, What::Removed, conflict);
            }
        }
        Ok(())
    }

    /// What the program did to a regular file; nothing if it only opened it for writing.
    fn regular(&mut self, entry: &Entry<'_>) -> io::Result<Option<What>> {
        let file = open_own(&entry.above.upper, entry.name.as_os_str())?;
        let hash = hash_bounded(&file, self.bound)?;
        let mut mode = entry.stat.st_mode & 0o7777;
        let given = mode & SET_ID & !entry.below.map_or(0, |below| below.st_mode);
        if given != 0 {
            mode &= !given;
            rustix::fs::fchmod(&file, Mode::from_raw_mode(mode))?;
            self.found.plain.push(entry.path.clone());
        }
        let old = entry.below.filter(|b| FileType::from_raw_mode(b.st_mode) == entry.kind());
        Ok(match old {
            Some(old) if self.same_content(entry, &old, &hash)? => {
                let before = old.st_mode & 0o7777;
                let changed = before != mode;
                changed.then_some(What::Mode { old: before, new: mode, content: Some(hash) })
            }
            _ => Some(What::File { hash, mode }),
        })
    }

    fn add(&mut self, entry: &Entry<'_>, what: What, conflict: bool) {
        let protected = entry.above.protected
            || self.obeyed.iter().any(|obeyed| match what {
                What::Directory { .. } | What::Mode { .. } => entry.path.starts_with(obeyed),
                _ => super::git::concerns(obeyed, &entry.path),
            })
            || protected_in(&self.in_session(entry)).is_some();
        self.found.items.push(Item {
            path: entry.path.clone(),
            what,
            lower: entry.below.as_ref().map(Mark::of),
            conflict,
            inode: entry.stat.st_ino,
            repository: entry.repository().map(|repository| repository.path),
            protected,
        });
    }

    fn in_session(&self, entry: &Entry<'_>) -> PathBuf {
        self.prefix.join(&entry.path)
    }

    /// Looks at a directory itself; gives it if what is in it is to be looked at.
    fn enter(&mut self, entry: Entry<'_>) -> io::Result<Option<Level>> {
        let mode = entry.stat.st_mode & 0o7777;
        let upper = open_up(&entry.above.upper, entry.name, mode)?;
        let ignoring = self.ignores.inside(&entry.above.ignoring, &entry.path);
        let ignored = self.ignores.ignored(&ignoring, &entry.path);
        let is_directory = |b: &Stat| FileType::from_raw_mode(b.st_mode) == FileType::Directory;
        let merged = entry.below.filter(is_directory).filter(|_| !is_opaque(&upper));
        let mut lower = None;
        match merged {
            None => {
                let conflict = self.conflicts(&entry)?;
                if ignored {
                    set_mode(&entry.above.upper, entry.name, mode)?;
                    self.add(&entry, What::Whole, conflict);
                    return Ok(None);
                }
                self.add(&entry, What::Directory { mode }, conflict);
            }
            Some(old) => {
                if ignored {
                    self.found.in_ignored.push(entry.path.clone());
                }
                let before = old.st_mode & 0o7777;
                if before != mode {
                    let what = What::Mode { old: before, new: mode, content: None };
                    self.add(&entry, what, false);
                }
                let at = entry.above.lower.as_ref();
                lower = at.and_then(|at| Lower::open(&at.directory, entry.name).ok());
            }
        }
        let mut repository = entry.repository();
        let has = |name: &str| {
            [Some(&upper), lower.as_ref().map(|lower| &lower.directory)]
                .into_iter()
                .flatten()
                .any(|at| rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW).is_ok())
        };
        if !repository.as_ref().is_some_and(|repository| repository.named)
            && super::repository::is_repository(has)
        {
            repository = Some(Repository { path: entry.path.as_path().into(), named: false });
        }
        let protected = entry.above.protected || protects_all(&self.in_session(&entry));
        let path = entry.path;
        Ok(Some(Level { upper, lower, path, repository, protected, ignoring }))
    }

    /// Whether the program left the content of a file as it was.
    fn same_content(&self, entry: &Entry<'_>, old: &Stat, hash: &Hash) -> io::Result<bool> {
        let times = |s: &Stat| (s.st_size, s.st_mtime, s.st_mtime_nsec);
        let same_times = times(&entry.stat) == times(old);
        let Some(lower) = entry.above.lower.as_ref().filter(|_| same_times) else {
            return Ok(false);
        };
        let Ok(file) = open_own(&lower.directory, entry.name.as_os_str()) else {
            return Ok(false);
        };
        Ok(hash_bounded(&file, self.bound)? == *hash)
    }

    /// Whether somebody else changed what the root has here since the program began; of a
    /// directory, anything in it.
    fn conflicts(&self, entry: &Entry<'_>) -> io::Result<bool> {
        let Some(below) = entry.below else { return self.was_removed(entry) };
        if self.passed.contains(&entry.path) {
            return Ok(false);
        }
        if FileType::from_raw_mode(below.st_mode) != FileType::Directory {
            return Ok(self.is_new(&below));
        }
        let above = entry.above.lower.as_ref();
        match above.map(|at| Lower::open(&at.directory, entry.name)) {
            Some(Ok(top)) => top.has_changed(self.began, self.bound),
            Some(Err(_)) => Ok(true), // it may hold a save
            None => Ok(self.is_new(&below)),
        }
    }

    /// Whether somebody else removed what the program changed. Of a directory, the layer has only
    /// what was changed in it. A file with an origin may also be one that the program renamed; then
    /// nobody changed the directory in the root.
    fn was_removed(&self, entry: &Entry<'_>) -> io::Result<bool> {
        let (at, name) = (&entry.above.upper, entry.name);
        match entry.kind() {
            FileType::Directory => Ok(has_origin(&open_directory(at, name)?)),
            FileType::RegularFile => {
                let lower = entry.above.lower.as_ref();
                Ok(lower.is_some_and(|lower| lower.changed >= self.began)
                    && has_origin(&open_own(at, name.as_os_str())?.into()))
            }
            _ => Ok(false),
        }
    }

    fn is_new(&self, stat: &Stat) -> bool {
        changed(stat) >= self.began
    }
}

/// Longest path that is brought in, in bytes: system calls take 4095.
const LONGEST: usize = 4000;

/// A program runs as the owner of the file, or as its group.
pub(super) const SET_ID: u32 = 0o6000;

/// Opens a directory of the layer, which stays open to its owner from then on.
fn open_up(at: &OwnedFd, name: &Path, mode: u32) -> io::Result<OwnedFd> {
    if mode & 0o700 != 0o700 {
        set_mode(at, name, mode | 0o700)?;
    }
    Ok(open_directory(at, name)?)
}

fn set_mode(at: &OwnedFd, name: &Path, mode: u32) -> io::Result<()> {
    Ok(rustix::fs::chmodat(at, name, Mode::from_raw_mode(mode), AtFlags::empty())?)
}

fn is_opaque(directory: &OwnedFd) -> bool {
    let mut value = [0_u8; 4];
    let read = rustix::fs::fgetxattr(directory, c"user.overlay.opaque", &mut value[..]);
    read == Ok(1) && value[0] == b'y'
}

/// Whether a file or directory of the layer began as a copy of one that the root had.
fn has_origin(copy: &OwnedFd) -> bool {
    rustix::fs::fgetxattr(copy, c"user.overlay.origin", &mut [0_u8; 512][..]).is_ok()
}
