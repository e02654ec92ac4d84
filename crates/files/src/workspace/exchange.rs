//! Replacing and removing without losing what somebody else saves at the same moment.
//!
//! Between a check and a rename there is a moment in which an editor can save. So the new file is
//! exchanged with the old one in one step, and what came out is compared with what was read; if it
//! is something else it goes back, and the change fails with `FileChanged`.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

use fault::ChangedMeanwhile;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use super::Workspace;
use super::expected::Expected;
use super::replace::Found;
use super::resolve::Spot;

/// The inode of what has this name; a link is not followed.
pub(crate) fn inode(dir: &OwnedFd, name: &OsStr) -> Option<u64> {
    rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).ok().map(|stat| stat.st_ino)
}

fn unlink(parent: &OwnedFd, name: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::unlinkat(parent, name, AtFlags::empty())?)
}

/// Removes what never had its name. A leftover is removed when the journal is next opened.
fn discard(parent: &OwnedFd, staged: &OsStr) {
    let _ = unlink(parent, staged);
}

/// Whether the file system cannot do a rename of this kind (NFS, vfat, some FUSE).
fn unsupported(error: Errno) -> bool {
    matches!(error, Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP)
}

/// Renames where nothing has the new name.
pub(super) fn rename_new(
    from: &OwnedFd,
    name: &OsStr,
    to: &OwnedFd,
    new: &OsStr,
) -> io::Result<()> {
    match rustix::fs::renameat_with(from, name, to, new, RenameFlags::NOREPLACE) {
        // Without the flag a file that is made between the check and the rename is lost.
        Err(e) if unsupported(e) => match inode(to, new) {
            Some(_) => Err(Errno::EXIST.into()),
            None => Ok(rustix::fs::renameat(from, name, to, new)?),
        },
        other => Ok(other?),
    }
}

/// Gives what has the name `staged` the name `name` in the same directory, in one step.
pub(super) fn put_in_place(
    parent: &OwnedFd,
    staged: &OsStr,
    name: &OsStr,
    expected: Expected<'_>,
) -> io::Result<()> {
    let put = match expected {
        Expected::Anything => {
            rustix::fs::renameat(parent, staged, parent, name).map_err(io::Error::from)
        }
        Expected::Nothing => rename_new(parent, staged, parent, name).map_err(|e| match e.kind() {
            io::ErrorKind::AlreadyExists => ChangedMeanwhile.into(),
            _ => e,
        }),
        Expected::File(_) | Expected::Link(_) | Expected::Unsaved(_) => {
            return exchange(parent, staged, name, expected);
        }
    };
    if put.is_err() {
        discard(parent, staged);
    }
    put
}

fn exchange(
    parent: &OwnedFd,
    staged: &OsStr,
    name: &OsStr,
    expected: Expected<'_>,
) -> io::Result<()> {
    let ours = inode(parent, staged);
    let swap = || rustix::fs::renameat_with(parent, staged, parent, name, RenameFlags::EXCHANGE);
    match swap() {
        Ok(()) => {}
        // Without the exchange a save between the check and the rename is lost.
        Err(e) if unsupported(e) && expected.is_at(parent, name) => {
            return put_in_place(parent, staged, name, Expected::Anything);
        }
        Err(e) => {
            discard(parent, staged);
            let changed = unsupported(e) || e == Errno::NOENT;
            return Err(if changed { ChangedMeanwhile.into() } else { e.into() });
        }
    }
    let failed = match expected.is_at(parent, staged) {
        true => match unlink(parent, staged) {
            Ok(()) => return Ok(()),
            // What was replaced must not stay under another name.
            Err(error) => error,
        },
        false => ChangedMeanwhile.into(),
    };
    give_back(parent, staged, parent, name, ours)?;
    discard(parent, staged);
    Err(failed)
}

/// Puts back what came out of a place into `slot`, in exchange for `placed`. If somebody saved once
/// more before it was back, that goes back.
fn give_back(
    dir: &OwnedFd,
    slot: &OsStr,
    parent: &OwnedFd,
    name: &OsStr,
    mut placed: Option<u64>,
) -> io::Result<()> {
    loop {
        let given = inode(dir, slot);
        rustix::fs::renameat_with(dir, slot, parent, name, RenameFlags::EXCHANGE)?;
        if inode(dir, slot) == placed {
            return Ok(());
        }
        placed = given;
    }
}

impl Spot {
    /// Removes the file or link that is here.
    ///
    /// # Errors
    /// `ChangedMeanwhile` if something else is here, which stays.
    pub(crate) fn remove_file(&self, expected: Expected<'_>, durable: bool) -> io::Result<()> {
        if let Expected::Anything = expected {
            rustix::fs::unlinkat(&self.parent, &self.name, AtFlags::empty())?;
            return self.settle(durable);
        }
        let staged = staged_name(&self.name);
        rename_new(&self.parent, &self.name, &self.parent, &staged)?;
        if !expected.is_at(&self.parent, &staged) {
            match rename_new(&self.parent, &staged, &self.parent, &self.name) {
                // Saved once more: the newer one stays.
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                    discard(&self.parent, &staged)
                }
                other => other?,
            }
            return Err(ChangedMeanwhile.into());
        }
        if let Err(error) = unlink(&self.parent, &staged) {
            rename_new(&self.parent, &staged, &self.parent, &self.name)?;
            return Err(error);
        }
        self.settle(durable)
    }

    /// Moves what is here to `name` in the directory `to`, where nothing has that name. Both are on
    /// one file system.
    pub(crate) fn move_to(&self, to: &OwnedFd, name: &OsStr, durable: bool) -> io::Result<()> {
        rename_new(&self.parent, &self.name, to, name)?;
        self.settle(durable)?;
        sync(to, durable)
    }

    /// Moves `name` in the directory `from` to here, where nothing is.
    pub(crate) fn move_from(&self, from: &OwnedFd, name: &OsStr, durable: bool) -> io::Result<()> {
        rename_new(from, name, &self.parent, &self.name)?;
        self.settle(durable)?;
        sync(from, durable)
    }

    /// Exchanges what is here with `name` in the directory `other`, in one step.
    ///
    /// # Errors
    /// `ChangedMeanwhile` if something else than `expected` came out, which is back in its place.
    pub(crate) fn exchange(
        &self,
        other: &OwnedFd,
        name: &OsStr,
        expected: Expected<'_>,
        durable: bool,
    ) -> io::Result<()> {
        let ours = inode(other, name);
        let flags = RenameFlags::EXCHANGE;
        rustix::fs::renameat_with(&self.parent, &self.name, other, name, flags)?;
        if !expected.is_at(other, name) {
            give_back(other, name, &self.parent, &self.name, ours)?;
            return Err(ChangedMeanwhile.into());
        }
        self.settle(durable)?;
        sync(other, durable)
    }

    /// The inode of what is here, if anything is.
    pub(crate) fn inode(&self) -> Option<u64> {
        inode(&self.parent, &self.name)
    }

    /// How many names (hard links) what is here has; 0 if nothing is.
    pub(crate) fn links(&self) -> u64 {
        let stat = rustix::fs::statat(&self.parent, &self.name, AtFlags::SYMLINK_NOFOLLOW);
        stat.map_or(0, |stat| stat.st_nlink)
    }

    pub(super) fn settle(&self, durable: bool) -> io::Result<()> {
        sync(&self.parent, durable)
    }
}

/// Brings the names in a directory to the disk.
fn sync(dir: &OwnedFd, durable: bool) -> io::Result<()> {
    if durable {
        // The handle may be for paths only; syncing needs one that can be read.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        rustix::fs::fsync(rustix::fs::openat(dir, ".", flags, Mode::empty())?)?;
    }
    Ok(())
}

/// A file that has no name yet, so that a crash leaves nothing behind.
pub(crate) struct Unnamed {
    pub(crate) file: File,
    /// Its temporary name, where the file system cannot do without.
    temporary: Option<OsString>,
}

impl Unnamed {
    pub(crate) fn create(parent: &OwnedFd, mode: u32) -> io::Result<Self> {
        let mode = Mode::from_raw_mode(mode);
        let flags = OFlags::WRONLY | OFlags::CLOEXEC;
        match rustix::fs::openat(parent, ".", flags | OFlags::TMPFILE, mode) {
            Ok(fd) => return Ok(Self { file: File::from(fd), temporary: None }),
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOSYS) => {}
            Err(e) => return Err(e.into()),
        }
        let name = temporary_name();
        let fd = rustix::fs::openat(parent, &name, flags | OFlags::CREATE | OFlags::EXCL, mode)?;
        Ok(Self { file: File::from(fd), temporary: Some(name) })
    }

    /// Gives the file its name, in place of what is expected to have it.
    pub(crate) fn name_it(
        mut self,
        parent: &OwnedFd,
        name: &OsStr,
        expected: Expected<'_>,
    ) -> io::Result<()> {
        let staged = staged_name(name);
        match self.temporary.take() {
            Some(temporary) => rustix::fs::renameat(parent, &temporary, parent, &staged)?,
            None if matches!(expected, Expected::Nothing) => {
                return self.link(parent, name).map_err(|e| match e.kind() {
                    io::ErrorKind::AlreadyExists => ChangedMeanwhile.into(),
                    _ => e,
                });
            }
            None => self.link(parent, &staged)?,
        }
        put_in_place(parent, &staged, name, expected)
    }

    /// Links the open file; fails if the name is taken.
    fn link(&self, parent: &OwnedFd, name: &OsStr) -> io::Result<()> {
        let own = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        Ok(rustix::fs::linkat(CWD, own.as_str(), parent, name, AtFlags::SYMLINK_FOLLOW)?)
    }
}

impl Drop for Unnamed {
    fn drop(&mut self) {
        if let Some(name) = &self.temporary
            && let Ok(path) = super::resolve::real_path(&self.file)
            && path.file_name() == Some(name)
        {
            let _ = std::fs::remove_file(path); // else the next who opens the journal removes it
        }
    }
}

/// What temporary names begin with; the process that made one follows.
const TEMPORARY: &str = ".kitbag-";

fn temporary_name() -> OsString {
    let process = std::process::id();
    OsString::from(format!("{TEMPORARY}{process}-{}", crate::journal::new_id()))
}

/// The temporary name of what is about to be exchanged with `name`, or has just been: after a crash
/// it may be what somebody saved, so it says where it belongs.
pub(super) fn staged_name(name: &OsStr) -> OsString {
    let mut staged = temporary_name();
    staged.push(format!("-{}", tag(name)));
    staged
}

fn tag(name: &OsStr) -> String {
    blake3::hash(name.as_bytes()).to_hex()[..16].to_owned()
}

impl Workspace {
    /// Removes the temporary files of dead processes in the directory at a real path. One that was
    /// to be exchanged with a name in `known` is removed only if it has one of the contents or
    /// targets that `ours` gives for that name; else somebody saved it, and it goes back to its
    /// place if that has one of ours or is empty. Gives the names of those that could not.
    pub(crate) fn sweep<'a>(
        &self,
        folder: &Path,
        known: &[&'a OsStr],
        ours: impl Fn(&OsStr) -> Vec<Expected<'a>>,
    ) -> Vec<OsString> {
        let mut left = Vec::new();
        let names = self.names(folder).unwrap_or_else(|e| {
            tracing::debug!("not looked through for temporary files: {e}");
            Vec::new()
        });
        for name in names {
            let Some(rest) = name.to_str().and_then(|n| n.strip_prefix(TEMPORARY)) else {
                continue;
            };
            let mut parts = rest.split('-');
            let process = parts.next().and_then(|p| p.parse::<u32>().ok());
            let Ok(spot) = self.spot_of(&folder.join(&name)) else { continue };
            if process.is_none_or(|process| spot.is_in_use_by(process)) {
                continue;
            }
            if !matches!(spot.look(), Ok(Found::File { .. } | Found::Link)) {
                continue;
            }
            let wanted = parts.nth(1).and_then(|t| known.iter().find(|name| tag(name) == t));
            if wanted.is_none_or(|place| spot.give_back(place, &ours(place))) {
                discard(&spot.parent, &spot.name);
            } else if spot.inode().is_some() {
                left.push(name);
            }
        }
        left
    }
}

/// The unit in which the kernel tells when a process started.
const TICKS_A_SECOND: i64 = 100;

impl Spot {
    /// Whether the process that made what is here may still live: one with its number does, and it
    /// started before. Numbers are given again.
    fn is_in_use_by(&self, process: u32) -> bool {
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{process}/stat")) else {
            return false;
        };
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
        let ticks =
            fields.split_ascii_whitespace().nth(19).and_then(|field| field.parse::<i64>().ok());
        let made = rustix::fs::statat(&self.parent, &self.name, AtFlags::SYMLINK_NOFOLLOW);
        let (Some(ticks), Ok(made)) = (ticks, made) else { return true };
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime).tv_sec;
        let up = rustix::time::clock_gettime(rustix::time::ClockId::Boottime).tv_sec;
        let started = now - up + ticks / TICKS_A_SECOND;
        // The seconds are cut off on both sides.
        started <= made.st_ctime + 2
    }

    /// After a crash: puts what was saved by somebody else, and is here under a temporary name,
    /// back to `place`. True if the temporary name can go.
    fn give_back(&self, place: &OsStr, ours: &[Expected<'_>]) -> bool {
        if ours.iter().any(|image| image.is_at(&self.parent, &self.name)) {
            return true;
        }
        let there = inode(&self.parent, place);
        if there.is_none() {
            // Where that fails the temporary name stays, which the caller sees and tells.
            let _ = rename_new(&self.parent, &self.name, &self.parent, place);
            return false;
        }
        ours.iter().any(|image| image.is_at(&self.parent, place))
            && give_back(&self.parent, &self.name, &self.parent, place, there).is_ok()
    }
}

/// The target of the link that has this name, as it is written.
pub(super) fn link_at(parent: &OwnedFd, name: &OsStr) -> io::Result<OsString> {
    Ok(OsString::from_vec(rustix::fs::readlinkat(parent, name, Vec::new())?.into_bytes()))
}
