//! From a path as the caller wrote it to a handle, without leaving the roots.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::path::{Component, Path, PathBuf};

use fault::{Code, Error, Result};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use super::{Access, RESOLVE, Root, Workspace};

/// Links that lead to links: as many as the kernel follows.
const MAX_LINKS: usize = 40;

/// Longest path that the kernel takes, in bytes, and its end.
const LONGEST: usize = 4096;

/// A place where a file is or could stand: the open directory, the name in it, links followed.
#[derive(Debug)]
pub(crate) struct Spot {
    pub(crate) parent: OwnedFd,
    pub(crate) name: OsString,
    /// The real path, without links.
    pub(crate) path: PathBuf,
    pub(crate) access: Access,
}

impl Spot {
    /// Whether its directory is still where it was found.
    pub(crate) fn is_current(&self) -> bool {
        real_path(&self.parent).is_ok_and(|real| Some(real.as_path()) == self.path.parent())
    }
}

/// Whether the last part of a path may be a link that is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Last {
    Follow,
    Keep,
}

impl Workspace {
    /// The root that a path belongs to and the path beneath it, by its spelling alone.
    pub(super) fn place(&self, path: &str) -> Result<(&Root, PathBuf)> {
        if path.is_empty() {
            return Err(Error::invalid_input(
                "path",
                "empty; name a file or directory, or . for the root",
            ));
        }
        if path.contains('\0') {
            return Err(Error::invalid_input(
                "path",
                "contains a NUL character, which no file name can",
            ));
        }
        if path.len() > LONGEST {
            return Err(Error::invalid_input(
                "path",
                format!(
                    "{} bytes, longer than any path ({LONGEST}); use a shorter one",
                    path.len()
                ),
            ));
        }
        let name = super::unquote(path).unwrap_or_else(|| OsString::from(path));
        self.place_of(Path::new(&name)).ok_or_else(|| self.outside(path))
    }

    fn place_of(&self, path: &Path) -> Option<(&Root, PathBuf)> {
        if path.is_relative() {
            return Some((&self.roots[0], path.to_owned()));
        }
        let (root, rest) = self
            .roots
            .iter()
            .chain(self.spilled.get())
            .filter_map(|r| {
                let rest = path.strip_prefix(&r.path).or_else(|_| path.strip_prefix(&r.given));
                rest.ok().map(|rest| (r, rest))
            })
            // Of a directory that was given twice, the stricter.
            .min_by_key(|(root, rest)| (rest.components().count(), root.access == Access::Write))?;
        Some((root, if rest.as_os_str().is_empty() { PathBuf::from(".") } else { rest.to_owned() }))
    }

    fn outside(&self, path: &str) -> Error {
        Error::path_outside(path, &self.root_names())
    }

    fn circle(&self, path: &str) -> Error {
        Error::links_in_circle(path, &self.root_names())
    }

    /// Opens `path` with `flags`, wherever its links lead as long as that is inside a root.
    pub(super) fn open_path(&self, path: &str, flags: OFlags) -> Result<(OwnedFd, &Root)> {
        let (root, rel) = self.place(path)?;
        match open_beneath(&root.dir, &rel, flags) {
            Ok(fd) => Ok((fd, root)),
            Err(Errno::XDEV) => {
                let (root, rel) =
                    self.through_links(root, &rel).ok_or_else(|| self.outside(path))?;
                let fd = open_beneath(&root.dir, &rel, flags)
                    .map_err(|e| self.open_error(path, root, &rel, e))?;
                Ok((fd, root))
            }
            Err(e) => Err(self.open_error(path, root, &rel, e)),
        }
    }

    /// The same with the real path. Where no link is on the way, which the kernel is asked to make
    /// sure of, that is the path as it is written.
    pub(super) fn open_real(&self, path: &str, flags: OFlags) -> Result<(OwnedFd, PathBuf)> {
        let (root, rel) = self.place(path)?;
        let parts: PathBuf = rel.components().filter(|c| *c != Component::CurDir).collect();
        let straight = parts.components().all(|c| matches!(c, Component::Normal(_)));
        let resolve = RESOLVE.union(ResolveFlags::NO_SYMLINKS);
        if straight
            && parts.file_name().is_some()
            && !path.ends_with('/')
            && let Ok(fd) = open_resolved(&root.dir, &parts, flags, resolve)
        {
            return Ok((fd, root.path.join(parts)));
        }
        let (fd, _) = self.open_path(path, flags)?;
        // What is open may just have been replaced, and be called by its name for the exchange: what
        // counts is the name that was asked for. Only a path that ends in `.` or `..` has none.
        let real = self.real(path).or_else(|_| real_path(&fd).map_err(|e| Error::io(path, &e)))?;
        Ok((fd, real))
    }

    /// The kernel refuses every absolute link and every step from one root into another. If the
    /// target is inside a root all the same, this finds it; the kernel then confines a second
    /// open from there, so a race can only end in a refusal.
    fn through_links(&self, root: &Root, rel: &Path) -> Option<(&Root, PathBuf)> {
        let full = root.path.join(rel);
        let real = match std::fs::canonicalize(&full) {
            Ok(real) => real,
            Err(_) => std::fs::canonicalize(full.parent()?).ok()?.join(full.file_name()?),
        };
        self.place_of(&real)
    }

    fn open_error(&self, path: &str, root: &Root, rel: &Path, errno: Errno) -> Error {
        match errno {
            Errno::XDEV => self.outside(path),
            Errno::LOOP => self.circle(path),
            Errno::NOENT if is_link(root, rel) => Error::link_to_nothing(path),
            Errno::NOENT => Error::file_not_found(path, &near_names(root, rel)),
            Errno::NXIO | Errno::NODEV => Error::not_a_file(path, "a socket or device"),
            e => Error::io(path, &e.into()),
        }
    }

    /// Finds where a write to `path` goes: links inside the roots are followed (or, with
    /// [`Last::Keep`], the last one is the thing itself), the directory is opened.
    ///
    /// # Errors
    /// `ParentDirectoryNotFound` if the directory is missing; `PathOutsideWorkspace`; `IsDirectory`
    /// if the path names a root itself.
    pub(crate) fn spot(&self, path: &str, last: Last) -> Result<Spot> {
        let (root, rel) = self.place(path)?;
        self.spot_at(path, root, rel, last)
    }

    /// The same for a real path that the journal remembers. It had no links; one that somebody has
    /// put in its way since is refused, so that nothing is written elsewhere.
    ///
    /// # Errors
    /// `ParentDirectoryNotFound`, `PathOutsideWorkspace`.
    pub(crate) fn spot_of(&self, real: &Path) -> Result<Spot> {
        let shown = self.show(real);
        let (root, rel) = self.place_of(real).ok_or_else(|| self.outside(&shown))?;
        let name = rel.file_name().ok_or_else(|| Error::is_directory(&shown))?.to_owned();
        let above = rel.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let resolve = RESOLVE.union(ResolveFlags::NO_SYMLINKS);
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        let parent = open_resolved(&root.dir, above, flags, resolve).map_err(|e| match e {
            Errno::NOENT => Error::parent_not_found(&shown),
            Errno::LOOP => Error::became_link(&shown),
            e => Error::io(&shown, &e.into()),
        })?;
        Ok(Spot { parent, name, path: root.path.join(rel), access: root.access })
    }

    fn spot_at<'w>(
        &'w self,
        path: &str,
        mut root: &'w Root,
        mut rel: PathBuf,
        last: Last,
    ) -> Result<Spot> {
        for turn in 1..=MAX_LINKS {
            let Some(name) = rel.file_name().map(OsStr::to_owned) else {
                return Err(match open_beneath(&root.dir, &rel, OFlags::PATH) {
                    Err(Errno::XDEV) => self.outside(path),
                    _ => Error::is_directory(path).with("reason", "it ends in . or .."),
                });
            };
            let parent_rel = match rel.parent() {
                Some(p) if !p.as_os_str().is_empty() => p.to_owned(),
                _ => PathBuf::from("."),
            };
            let flags = OFlags::PATH | OFlags::DIRECTORY;
            let parent = match open_beneath(&root.dir, &parent_rel, flags) {
                Err(Errno::XDEV) => {
                    let (r, p) =
                        self.through_links(root, &parent_rel).ok_or_else(|| self.outside(path))?;
                    root = r;
                    open_beneath(&root.dir, &p, flags)
                }
                other => other,
            };
            let parent = parent.map_err(|e| match e {
                Errno::NOENT => Error::parent_not_found(path),
                Errno::XDEV => self.outside(path),
                Errno::LOOP => self.circle(path),
                e => Error::io(path, &e.into()),
            })?;
            if let Some(target) = link_target(&parent, &name, last) {
                let from = real_path(&parent).map_err(|e| Error::io(path, &e))?;
                let next = from.join(target);
                (root, rel) = self.place_of(&next).ok_or_else(|| self.outside(path))?;
                continue;
            }
            let real = real_path(&parent).map_err(|e| Error::io(path, &e))?;
            if !real.starts_with(&root.path) {
                if turn < MAX_LINKS {
                    continue; // the directory was moved out while we looked
                }
                return Err(self.outside(path));
            }
            let path = real.join(&name);
            let access = self.access_of(&path)?;
            return Ok(Spot { parent, path, name, access });
        }
        Err(self.circle(path))
    }

    /// The real path that `path` will have once the directories above it are made.
    pub(crate) fn future_path(&self, path: &str) -> Result<PathBuf> {
        let (given, mut below) = (super::plain(path), PathBuf::new());
        let mut above = given.as_path();
        loop {
            match self.spot(&super::quote(above.as_os_str()), Last::Follow) {
                Ok(spot) if below.as_os_str().is_empty() => return Ok(spot.path),
                Ok(spot) => return Ok(spot.path.join(below)),
                Err(e) if e.code == Code::ParentDirectoryNotFound => {}
                Err(e) => return Err(e),
            }
            let Some((name, parent)) = above.file_name().zip(above.parent()) else {
                return Err(Error::parent_not_found(path));
            };
            below = if below.as_os_str().is_empty() {
                name.into()
            } else {
                Path::new(name).join(below)
            };
            above = parent;
        }
    }

    /// Whether `path` names a root itself, however it is spelt.
    pub(crate) fn is_root(&self, path: &str) -> bool {
        let Ok((fd, _)) = self.open_path(path, OFlags::PATH | OFlags::DIRECTORY) else {
            return false;
        };
        real_path(&fd).is_ok_and(|real| {
            self.roots.iter().any(|r| r.path == real || r.path.starts_with(&real))
        })
    }

    /// # Errors
    /// `InvalidInput` if `path` names a root itself, which is never removed.
    pub fn must_not_be_root(&self, path: &str) -> Result<()> {
        if !self.is_root(path) {
            return Ok(());
        }
        let why = "the root of the workspace is never removed; name a directory in it";
        Err(Error::invalid_input("path", format!("{path}: {why}")))
    }

    /// What may be done at a real path: what the innermost root above it says, however the path was
    /// written.
    pub(crate) fn access_of(&self, real: &Path) -> Result<Access> {
        let place = self.place_of(real).ok_or_else(|| self.outside(&self.show(real)))?;
        Ok(place.0.access)
    }

    /// The names in the directory at a real path.
    ///
    /// # Errors
    /// `PathOutsideWorkspace` and what the operating system refuses.
    pub fn names(&self, real: &Path) -> Result<Vec<OsString>> {
        use std::os::unix::ffi::OsStringExt as _;
        let shown = self.show(real);
        let (root, rel) = self.place_of(real).ok_or_else(|| self.outside(&shown))?;
        let fail = |e: Errno| Error::io(&shown, &e.into());
        let fd = open_beneath(&root.dir, &rel, OFlags::RDONLY | OFlags::DIRECTORY).map_err(fail)?;
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&fd).map_err(fail)? {
            let name = entry.map_err(fail)?.file_name().to_bytes().to_vec();
            if name != b"." && name != b".." {
                names.push(OsString::from_vec(name));
            }
        }
        Ok(names)
    }

    /// Opens a directory of a walk by its path.
    pub(crate) fn open_walked(&self, path: &Path) -> std::io::Result<OwnedFd> {
        let (root, rel) = self.place_of(path).ok_or(std::io::ErrorKind::NotFound)?;
        Ok(open_beneath(&root.dir, &rel, OFlags::RDONLY | OFlags::DIRECTORY)?)
    }
}

pub(super) fn open_beneath(dir: &OwnedFd, rel: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    open_resolved(dir, rel, flags, RESOLVE)
}

pub(super) fn open_resolved(
    dir: &OwnedFd,
    rel: &Path,
    flags: OFlags,
    resolve: ResolveFlags,
) -> Result<OwnedFd, Errno> {
    let mut tries = 0;
    loop {
        // EAGAIN: a rename elsewhere in the tree disturbed the resolution; the kernel says to
        // retry.
        match rustix::fs::openat2(dir, rel, flags | OFlags::CLOEXEC, Mode::empty(), resolve) {
            Err(Errno::AGAIN) if tries < 100 => tries += 1,
            other => return other,
        }
    }
}

fn link_target(parent: &OwnedFd, name: &OsStr, last: Last) -> Option<PathBuf> {
    if last == Last::Keep {
        return None;
    }
    let stat = rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::Symlink {
        return None;
    }
    let target = rustix::fs::readlinkat(parent, name, Vec::new()).ok()?;
    use std::os::unix::ffi::OsStringExt as _;
    Some(PathBuf::from(OsString::from_vec(target.into_bytes())))
}

/// The path of an open directory as the kernel knows it now.
pub(crate) fn real_path(fd: &impl AsFd) -> std::io::Result<PathBuf> {
    std::fs::read_link(format!("/proc/self/fd/{}", fd.as_fd().as_raw_fd()))
}

/// Whether a link is at this place.
fn is_link(root: &Root, rel: &Path) -> bool {
    open_beneath(&root.dir, rel, OFlags::PATH | OFlags::NOFOLLOW)
        .and_then(|fd| rustix::fs::fstat(&fd))
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

/// Names in the same directory that a misspelling may have meant, at most three.
pub(super) fn near_names(root: &Root, rel: &Path) -> Vec<String> {
    let Some(wanted) = rel.file_name().and_then(OsStr::to_str) else { return Vec::new() };
    let parent = rel.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let Ok(fd) = open_beneath(&root.dir, parent, flags) else { return Vec::new() };
    let Ok(dir) = rustix::fs::Dir::read_from(&fd) else { return Vec::new() };
    let names = dir
        .take(2000)
        .filter_map(|e| e.ok()?.file_name().to_str().ok().map(str::to_owned))
        .filter(|n| n != "." && n != "..");
    // The same ending alone makes no name near.
    let stem = |name: &str| name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned();
    let names = names.filter(|name| crate::spelling::is_near(&stem(wanted), &stem(name)));
    let mut near = crate::spelling::nearest(wanted, names, 3);
    for name in &mut near {
        *name = parent.join(&*name).to_string_lossy().trim_start_matches("./").to_owned();
    }
    near
}
