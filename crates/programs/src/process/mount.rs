//! The file system that a program sees, made piece by piece in a mount namespace of its own.
//!
//! A list of [`Op`]s is worked out beforehand, since the process that carries it out is a copy of
//! one thread of the server: it makes system calls and nothing else, and never allocates. It puts
//! an empty file system below `/new`, reaches what the host has below `/old`, and at the end makes
//! `/new` the root and lets go of everything else.

#![expect(unsafe_code, reason = "mount_setattr and fchdir have no safe wrapper here")]

use std::ffi::CStr;
use std::ffi::CString;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags,
};

/// Where the list finds the host's files, and where it puts those of the program.
pub(super) const OLD: &str = "/old";
pub(super) const NEW: &str = "/new";
/// An empty directory and an empty file, put over what is hidden.
pub(super) const EMPTY_DIRECTORY: &CStr = c"/empty/directory";
pub(super) const EMPTY_FILE: &CStr = c"/empty/file";

/// Where the first file system is mounted; it must exist, nothing of it is lost.
const BASE: &CStr = c"/tmp";

/// The device and inode that a source must have, so that nobody swaps it for another directory.
pub(super) type Identity = (u64, u64);

/// One piece. Targets begin with [`NEW`], sources with [`OLD`].
#[derive(Debug)]
pub(super) enum Op {
    /// An empty directory, unless there is one.
    Directory(CString),
    /// An empty file, unless something is there.
    File(CString),
    /// A symbolic link to `to`.
    Link { to: CString, at: CString },
    /// What the host has, writable or not, with all that is mounted below it.
    Bind { from: CString, to: CString, writable: bool, devices: bool, identity: Option<Identity> },
    /// The same, left out where the host has none.
    BindIfThere { from: CString, to: CString },
    /// A file system of its own: type and options.
    Mount { kind: &'static CStr, to: CString, options: &'static CStr },
    /// `lower` with a layer above that takes every change.
    Overlay { lower: CString, identity: Identity, upper: CString, work: CString, to: CString },
}

impl Op {
    /// What messages say of it.
    pub(super) fn describe(&self) -> String {
        let text = |path: &CStr| path.to_string_lossy().replace(OLD, "").replace(NEW, "");
        match self {
            Self::Directory(at) | Self::File(at) => format!("make {}", text(at)),
            Self::Link { at, .. } => format!("link {}", text(at)),
            Self::Bind { from, to, .. } | Self::BindIfThere { from, to } => {
                format!("bind {} to {}", text(from), text(to))
            }
            Self::Mount { kind, to, .. } => {
                format!("mount {} at {}", kind.to_string_lossy(), text(to))
            }
            Self::Overlay { lower, .. } => format!("mount a layer above {}", text(lower)),
        }
    }

    /// Whether it is the layer above a root, without which the rest would still do.
    pub(super) fn is_layer(&self) -> bool {
        matches!(self, Self::Overlay { .. })
    }

    fn run(&self) -> Result<(), Errno> {
        match self {
            Self::Directory(at) => done_before(rustix::fs::mkdir(at, Mode::from_raw_mode(0o755))),
            Self::File(at) => {
                let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
                let made = rustix::fs::open(at, flags, Mode::from_raw_mode(0o644));
                done_before(made.map(drop))
            }
            Self::Link { to, at } => done_before(rustix::fs::symlink(to, at)),
            Self::Bind { from, to, writable, devices, identity } => {
                bind(from, to, *writable, *devices, *identity)
            }
            Self::BindIfThere { from, to } => match bind(from, to, false, false, None) {
                Err(Errno::NOENT | Errno::NOTDIR) => Ok(()),
                other => other,
            },
            Self::Mount { kind, to, options } => {
                let flags = MountFlags::NOSUID | MountFlags::NODEV;
                // A program executes in /dev/shm and in /tmp, never in /proc.
                let exec = if *kind == c"tmpfs" { MountFlags::empty() } else { MountFlags::NOEXEC };
                // The devices of a devpts are what it is for.
                let flags = if *kind == c"devpts" { MountFlags::NOSUID } else { flags };
                rustix::mount::mount(*kind, to, *kind, flags | exec, *options)
            }
            Self::Overlay { lower, identity, upper, work, to } => {
                overlay(lower, *identity, upper, work, to)
            }
        }
    }
}

fn done_before(made: Result<(), Errno>) -> Result<(), Errno> {
    match made {
        Err(Errno::EXIST) => Ok(()),
        other => other,
    }
}

/// Begins: an empty file system as the root, with [`OLD`] and [`NEW`] in it.
pub(super) fn begin() -> Result<(), Errno> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    rustix::mount::mount_change("/", private)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    rustix::mount::mount(c"tmpfs", BASE, c"tmpfs", flags, c"mode=0755")?;
    rustix::process::chdir(BASE)?;
    for directory in [c"new", c"old", c"empty", c"empty/directory"] {
        rustix::fs::mkdir(directory, Mode::from_raw_mode(0o755))?;
    }
    let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
    rustix::fs::open(c"empty/file", flags, Mode::from_raw_mode(0o444))?;
    rustix::process::pivot_root(c".", c"old")?;
    rustix::process::chdir(c"/")?;
    rustix::mount::mount(
        c"tmpfs",
        c"/new",
        c"tmpfs",
        MountFlags::NOSUID | MountFlags::NODEV,
        c"mode=0755",
    )
}

/// Carries the list out; the place of the piece that failed, if one did.
pub(super) fn carry_out(ops: &[Op]) -> Result<(), (usize, Errno)> {
    ops.iter().enumerate().try_for_each(|(at, op)| op.run().map_err(|errno| (at, errno)))
}

/// Ends: [`NEW`] is the root and read-only where nothing else is mounted; the rest is let go.
pub(super) fn finish() -> Result<(), Errno> {
    rustix::process::chdir(c"/new")?;
    rustix::process::pivot_root(c".", c".")?;
    // The old root now lies over the new one, in the same place.
    rustix::mount::unmount(c".", UnmountFlags::DETACH)?;
    rustix::process::chdir(c"/")?;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let root = rustix::fs::open(c"/", flags, Mode::empty())?;
    set_attributes(root.as_fd(), libc::MOUNT_ATTR_RDONLY, 0)
}

fn bind(
    from: &CStr,
    to: &CStr,
    writable: bool,
    devices: bool,
    identity: Option<Identity>,
) -> Result<(), Errno> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE
        | OpenTreeFlags::AT_SYMLINK_NOFOLLOW;
    let tree = rustix::mount::open_tree(CWD, from, flags)?;
    is_the_same(&tree, identity)?;
    let mut attributes = libc::MOUNT_ATTR_NOSUID;
    if !writable {
        attributes |= libc::MOUNT_ATTR_RDONLY;
    }
    if !devices {
        attributes |= libc::MOUNT_ATTR_NODEV;
    }
    set_attributes(tree.as_fd(), attributes, libc::AT_RECURSIVE)?;
    rustix::mount::move_mount(&tree, c"", CWD, to, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
}

fn is_the_same(file: &OwnedFd, identity: Option<Identity>) -> Result<(), Errno> {
    let Some(identity) = identity else { return Ok(()) };
    let stat = rustix::fs::fstat(file)?;
    if (stat.st_dev, stat.st_ino) == identity { Ok(()) } else { Err(Errno::STALE) }
}

fn set_attributes(mount: BorrowedFd<'_>, set: u64, flags: i32) -> Result<(), Errno> {
    let attributes = libc::mount_attr { attr_set: set, attr_clr: 0, propagation: 0, userns_fd: 0 };
    // SAFETY: the arguments live as long as the call, and the size is that of the structure.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH | flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    if done == 0 { Ok(()) } else { Err(last_errno()) }
}

pub(super) fn last_errno() -> Errno {
    let error = std::io::Error::last_os_error();
    Errno::from_raw_os_error(error.raw_os_error().unwrap_or(libc::EIO))
}

/// The directories are named by their descriptors: a path with a comma or a colon would be taken
/// for several options.
fn overlay(
    lower: &CStr,
    identity: Identity,
    upper: &CStr,
    work: &CStr,
    to: &CStr,
) -> Result<(), Errno> {
    let open = |path: &CStr| {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::open(path, flags, Mode::empty())
    };
    let (lower, upper, work) = (open(lower)?, open(upper)?, open(work)?);
    is_the_same(&lower, Some(identity))?;
    let mut options = Text { bytes: [0; 256], used: 0 };
    use std::fmt::Write as _;
    let written = write!(
        options,
        "lowerdir={OLD}/proc/self/fd/{},upperdir={OLD}/proc/self/fd/{},workdir={OLD}/proc/self/fd/{},userxattr,volatile\0",
        lower.as_raw_fd(),
        upper.as_raw_fd(),
        work.as_raw_fd(),
    );
    let options = CStr::from_bytes_until_nul(&options.bytes).map_err(|_| Errno::INVAL)?;
    written.map_err(|_| Errno::INVAL)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    rustix::mount::mount(c"overlay", to, c"overlay", flags, options)
}

/// A text on the stack.
struct Text {
    bytes: [u8; 256],
    used: usize,
}

impl std::fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let end = self.used + text.len();
        self.bytes.get_mut(self.used..end).ok_or(std::fmt::Error)?.copy_from_slice(text.as_bytes());
        self.used = end;
        Ok(())
    }
}
