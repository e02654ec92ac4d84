//! The system calls of Landlock for a process that must not allocate.

#![expect(
    unsafe_code,
    reason = "the calls of Landlock have no safe wrapper that does not allocate"
)]

use std::ffi::CStr;
use std::ffi::CString;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::mount::last_errno;

/// The rights that each version of Landlock knows about files, as bits, from version 1.
const RIGHTS: &[u64] = &[(1 << 13) - 1, 1 << 13, 1 << 14, 0, 1 << 15];
/// To execute, to read a file, to read a directory; from version 5 to control a device.
const LOOK: u64 = 1 | 1 << 2 | 1 << 3;
/// To make devices, which nothing in a view may.
const DEVICES: u64 = 1 << 6 | 1 << 11;

#[repr(C)]
struct RulesetAttr {
    handled_access_fs: u64,
    handled_access_net: u64,
    scoped: u64,
}

/// Abstract sockets and signals stay inside, from this version on.
const SCOPES: (i64, u64) = (6, 1 | 1 << 1);

#[repr(C, packed)]
struct PathBeneathAttr {
    allowed_access: u64,
    parent_fd: i32,
}

/// The version of Landlock in this kernel; 0 if it has none or it is switched off.
pub(super) fn version() -> i64 {
    // SAFETY: the form of the call that asks for the version: no structure, a flag.
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<RulesetAttr>(), 0, 1)
    };
    version.max(0)
}

/// Everything may be read and executed, and what is below these directories, `/dev` and `/proc`
/// written, as far as mounts and permissions let it.
pub(super) fn rules_of_view(writable: &[CString]) -> Result<OwnedFd, Errno> {
    let known = (version() as usize).min(RIGHTS.len());
    let all = RIGHTS[..known].iter().fold(0, |all, rights| all | rights);
    let scoped = if version() >= SCOPES.0 { SCOPES.1 } else { 0 };
    let attr = RulesetAttr { handled_access_fs: all, handled_access_net: 0, scoped };
    // An older kernel takes a longer structure if what it does not know is zero.
    // SAFETY: the structure lives as long as the call and has the size that is told.
    let ruleset = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            &raw const attr,
            size_of::<RulesetAttr>(),
            0,
        )
    };
    if ruleset < 0 {
        return Err(last_errno());
    }
    // SAFETY: the kernel made the descriptor for this call.
    let ruleset = unsafe { OwnedFd::from_raw_fd(ruleset as i32) };
    allow(&ruleset, c"/", LOOK & all)?;
    for directory in [c"/dev", c"/proc"] {
        allow(&ruleset, directory, all & !DEVICES)?;
    }
    for directory in writable {
        allow(&ruleset, directory, all & !DEVICES)?;
    }
    Ok(ruleset)
}

fn allow(ruleset: &OwnedFd, path: &CStr, access: u64) -> Result<(), Errno> {
    let directory = match rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(()),
        other => other?,
    };
    let is_file = rustix::fs::fstat(&directory).is_ok_and(|s| {
        rustix::fs::FileType::from_raw_mode(s.st_mode) != rustix::fs::FileType::Directory
    });
    // Rights over directories are refused for a file: it may be executed, read, written, cut short
    // and controlled.
    let access = if is_file { access & (1 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15) } else { access };
    let attr = PathBeneathAttr { allowed_access: access, parent_fd: directory.as_raw_fd() };
    // SAFETY: the structure lives as long as the call, which is told its type (1).
    let done = unsafe {
        libc::syscall(libc::SYS_landlock_add_rule, ruleset.as_raw_fd(), 1, &raw const attr, 0)
    };
    if done == 0 { Ok(()) } else { Err(last_errno()) }
}

/// Puts this process and all it will start under these rules. It must have given up new
/// privileges before.
pub(super) fn restrict(ruleset: &OwnedFd) -> Result<(), Errno> {
    // SAFETY: numbers alone.
    let done = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0) };
    if done == 0 { Ok(()) } else { Err(last_errno()) }
}
