//! Which system calls can change files.

use std::mem::offset_of;

use crate::process::seccomp::{ARCH, give, load, step};

/// With one of these a file may be changed by opening it, or through what is opened.
pub(super) const WRITES: u32 =
    (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC) as u32;

/// Numbers that are the same on all machines, and younger than our definitions of them.
pub(super) const FCHMODAT2: libc::c_long = 452;
pub(super) const SETXATTRAT: libc::c_long = 463;
pub(super) const REMOVEXATTRAT: libc::c_long = 466;
pub(super) const FILE_SETATTR: libc::c_long = 469;

/// Calls that open a file, with the argument that has the flags.
#[cfg(target_arch = "x86_64")]
const OPENS: &[(libc::c_long, usize)] = &[(libc::SYS_openat, 2), (libc::SYS_open, 1)];
#[cfg(not(target_arch = "x86_64"))]
const OPENS: &[(libc::c_long, usize)] = &[(libc::SYS_openat, 2)];

/// Calls that change something by themselves. Times and owners alone are not in the journal.
const CHANGES: &[libc::c_long] = &[
    libc::SYS_openat2,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_unlinkat,
    libc::SYS_mkdirat,
    libc::SYS_symlinkat,
    libc::SYS_linkat,
    libc::SYS_mknodat,
    libc::SYS_truncate,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
    FILE_SETATTR,
    // After these a path may lead elsewhere than it does here.
    libc::SYS_open_by_handle_at,
    libc::SYS_chroot,
    libc::SYS_pivot_root,
    libc::SYS_mount,
    libc::SYS_move_mount,
    libc::SYS_setns,
];

#[cfg(target_arch = "x86_64")]
const OLD_CHANGES: &[libc::c_long] = &[
    libc::SYS_creat,
    libc::SYS_rename,
    libc::SYS_unlink,
    libc::SYS_rmdir,
    libc::SYS_mkdir,
    libc::SYS_symlink,
    libc::SYS_link,
    libc::SYS_mknod,
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD_CHANGES: &[libc::c_long] = &[];

/// Calls of another way of calling on the same machine have numbers from here on.
pub(super) const X32: u32 = 0x4000_0000;

/// Which calls wait. Those in the way of another machine type all do: they are not understood.
pub(in crate::process) fn filter() -> Vec<libc::sock_filter> {
    let if_equal = |nr: libc::c_long, others: u8| {
        step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, others, nr as u32)
    };
    let wait = give(libc::SECCOMP_RET_USER_NOTIF);
    let allow = give(libc::SECCOMP_RET_ALLOW);
    let mut all = vec![
        load(offset_of!(libc::seccomp_data, arch)),
        step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 1, 0, ARCH),
        wait,
        load(offset_of!(libc::seccomp_data, nr)),
        step(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, X32),
        wait,
    ];
    for (nr, flags) in OPENS {
        let flags = load(offset_of!(libc::seccomp_data, args) + flags * size_of::<u64>());
        let if_writes = step(libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K, 0, 1, WRITES);
        all.extend([if_equal(*nr, 4), flags, if_writes, wait, allow]);
    }
    for nr in CHANGES.iter().chain(OLD_CHANGES) {
        all.extend([if_equal(*nr, 1), wait]);
    }
    let closed = give(libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32);
    all.extend([if_equal(libc::SYS_io_uring_setup, 1), closed, allow]);
    all
}
