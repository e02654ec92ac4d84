//! Renaming directories in a layer.
//!
//! Above a root, an overlay refuses to rename a directory that the root has (EXDEV), and a mount
//! below it cannot be removed (EBUSY). `git mv`, `os.rename` and `rm -r` trip over that. So a
//! filter sends such calls to init, in the same namespaces: it makes the call itself and, where
//! only the layer refuses, copies and removes. The same filter closes io_uring, which would go
//! past it. What is here to set a filter and to read the calls that wait also serves
//! [`touches`](super::touches), which only looks at them.

#![expect(unsafe_code, reason = "seccomp and reading another process have no safe wrapper")]

use std::ffi::{CStr, CString};
use std::mem::{MaybeUninit, offset_of};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RenameFlags, StatxAttributes, StatxFlags};
use rustix::io::Errno;
use rustix::mount::UnmountFlags;

use super::mount::last_errno;
use super::writers;

#[cfg(target_arch = "x86_64")]
pub(super) const ARCH: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
pub(super) const ARCH: u32 = 0xc000_00b7;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("the filter of system calls is known for x86_64 and aarch64");

pub(super) const fn step(code: u32, jt: u8, jf: u8, k: u32) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt, jf, k }
}

pub(super) const fn load(at: usize) -> libc::sock_filter {
    step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, at as u32)
}

/// Goes `jt` steps on if the value is `k`, else to the next.
const fn equal(k: libc::c_long, jt: u8) -> libc::sock_filter {
    step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, jt, 0, k as u32)
}

pub(super) const fn give(what: u32) -> libc::sock_filter {
    step(libc::BPF_RET | libc::BPF_K, 0, 0, what)
}

#[cfg(target_arch = "x86_64")]
const OLD_CALLS: [libc::c_long; 2] = [libc::SYS_rename, libc::SYS_rmdir];
/// This machine has no such calls: no system call has this number, so the comparison never holds.
#[cfg(not(target_arch = "x86_64"))]
const OLD_CALLS: [libc::c_long; 2] = [-1, -1];

/// Jumps count from the next step; the last three are where they end.
pub(super) const FILTER: [libc::sock_filter; 14] = [
    load(offset_of!(libc::seccomp_data, arch)),
    // Calls in the way of another machine type are left alone: they are not helped.
    step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 9, ARCH),
    load(offset_of!(libc::seccomp_data, nr)),
    equal(OLD_CALLS[0], 8),
    equal(OLD_CALLS[1], 7),
    equal(libc::SYS_renameat, 6),
    equal(libc::SYS_renameat2, 5),
    equal(libc::SYS_io_uring_setup, 5),
    step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 2, libc::SYS_unlinkat as u32),
    load(offset_of!(libc::seccomp_data, args) + 2 * size_of::<u64>()),
    step(libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K, 1, 0, libc::AT_REMOVEDIR as u32),
    give(libc::SECCOMP_RET_ALLOW),
    give(libc::SECCOMP_RET_USER_NOTIF),
    give(libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32),
];

/// Installs a filter on this process, which becomes the program; gives its listener. A call that
/// waits is not interrupted by signals, where the kernel knows how: it would begin anew each time.
pub(super) fn install(filter: &[libc::sock_filter]) -> Result<OwnedFd, Errno> {
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
    let set = |flags: libc::c_ulong| {
        let flags = flags | libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
        // SAFETY: the kernel only reads the filter, which lives as long as the call; it checks that
        // the jumps stay inside.
        unsafe {
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                flags,
                &raw const program,
            )
        }
    };
    let killable = set(1 << 5 /* SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV */);
    let listener = if killable < 0 { set(0) } else { killable };
    if listener < 0 {
        return Err(last_errno());
    }
    // SAFETY: the kernel made the descriptor for this call.
    Ok(unsafe { OwnedFd::from_raw_fd(listener as i32) })
}

/// Answers one call that waits.
pub(super) fn answer(listener: &OwnedFd, passed: &Passed) {
    receive(listener, |asked| decide(asked, passed));
}

/// Takes one call that waits; what `decide` gives is its result, and `None` leaves it to the kernel.
pub(super) fn receive(
    listener: &OwnedFd,
    decide: impl FnOnce(&libc::seccomp_notif) -> Option<Result<(), Errno>>,
) {
    // SAFETY: structures of numbers, which the kernel wants to be zero at first.
    let (mut asked, mut reply): (libc::seccomp_notif, libc::seccomp_notif_resp) =
        unsafe { (std::mem::zeroed(), std::mem::zeroed()) };
    // SAFETY: the structure is as large as the request says.
    if unsafe { libc::ioctl(listener.as_raw_fd(), RECEIVE, &raw mut asked) } < 0 {
        return; // the process is gone
    }
    reply.id = asked.id;
    match decide(&asked) {
        None => reply.flags = libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32,
        Some(Ok(())) => {}
        Some(Err(errno)) => reply.error = -errno.raw_os_error(),
    }
    // SAFETY: as above.
    unsafe { libc::ioctl(listener.as_raw_fd(), SEND, &raw const reply) };
}

/// `SECCOMP_IOCTL_NOTIF_RECV` and `SECCOMP_IOCTL_NOTIF_SEND`.
const RECEIVE: libc::Ioctl = 0xc050_2100_u32 as libc::Ioctl;
const SEND: libc::Ioctl = 0xc018_2101_u32 as libc::Ioctl;

/// What is done for the call; `None` leaves it to the kernel.
fn decide(asked: &libc::seccomp_notif, passed: &Passed) -> Option<Result<(), Errno>> {
    let (args, pid) = (&asked.data.args, asked.pid);
    let cwd = libc::AT_FDCWD as u64;
    match libc::c_long::from(asked.data.nr) {
        libc::SYS_unlinkat => remove_directory(pid, args[0], args[1], passed),
        nr if nr == OLD_CALLS[1] => remove_directory(pid, cwd, args[0], passed),
        nr if nr == OLD_CALLS[0] => rename(pid, (cwd, args[0]), (cwd, args[1]), 0, passed),
        libc::SYS_renameat => rename(pid, (args[0], args[1]), (args[2], args[3]), 0, passed),
        _ => rename(pid, (args[0], args[1]), (args[2], args[3]), args[4] as u32, passed),
    }
}

/// The mounts of directories that programs write to directly; no other mount is ever taken off.
pub(super) struct Passed {
    ids: [u64; Self::MOST],
    count: usize,
}

impl Passed {
    /// So many are helped; further ones cannot be removed or renamed.
    const MOST: usize = 64;

    /// Looks at them in the finished view, before anything runs in it.
    pub(super) fn of(paths: &[CString]) -> Self {
        let mut passed = Self { ids: [0; Self::MOST], count: 0 };
        for path in paths.iter().take(Self::MOST) {
            let id = open_path(path).ok().and_then(|directory| mount_id(&directory));
            if let (Some(id), Some(slot)) = (id, passed.ids.get_mut(passed.count)) {
                *slot = id;
                passed.count += 1;
            }
        }
        passed
    }

    /// Takes the mount off a path, if it is one of these. What was looked at is what is taken off:
    /// the path may lead elsewhere by then.
    fn unmount(&self, path: &CStr) -> Result<(), Errno> {
        let directory = open_path(path)?;
        let id = mount_id(&directory).ok_or(Errno::BUSY)?;
        if !self.ids[..self.count].contains(&id) {
            return Err(Errno::BUSY);
        }
        let mut own = OtherPath([0; 4096 + 64]);
        let mut begin = Beginning { bytes: &mut own.0, used: 0 };
        use std::fmt::Write as _;
        write!(begin, "/proc/self/fd/{}", directory.as_raw_fd()).map_err(|_| Errno::INVAL)?;
        rustix::mount::unmount(own.text(), UnmountFlags::DETACH)
    }
}

fn open_path(path: &CStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty())
}

/// The mount that a directory is the root of.
fn mount_id(directory: &OwnedFd) -> Option<u64> {
    let wanted = StatxFlags::MNT_ID;
    let stat = rustix::fs::statx(directory, c"", AtFlags::EMPTY_PATH, wanted).ok()?;
    stat.stx_attributes.contains(StatxAttributes::MOUNT_ROOT).then_some(stat.stx_mnt_id)
}

/// A mount point cannot be removed. Emptied, it is unmounted, and what was below it removed: that
/// is in the layer.
fn remove_directory(pid: u32, dir: u64, path: u64, passed: &Passed) -> Option<Result<(), Errno>> {
    let path = OtherPath::read(pid, dir, path)?;
    let remove = || rustix::fs::unlinkat(CWD, path.text(), AtFlags::REMOVEDIR);
    Some(match remove() {
        Err(Errno::BUSY) if is_empty(path.text()) => {
            passed.unmount(path.text()).and_then(|()| remove())
        }
        other => other,
    })
}

fn is_empty(path: &CStr) -> bool {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Ok(directory) = rustix::fs::open(path, flags, Mode::empty()) else { return false };
    let mut space = [MaybeUninit::uninit(); 512];
    let mut entries = rustix::fs::RawDir::new(&directory, &mut space);
    while let Some(entry) = entries.next() {
        match entry {
            Ok(entry) if matches!(entry.file_name().to_bytes(), b"." | b"..") => {}
            _ => return false,
        }
    }
    true
}

fn rename(
    pid: u32,
    from: (u64, u64),
    to: (u64, u64),
    flags: u32,
    passed: &Passed,
) -> Option<Result<(), Errno>> {
    let (from, to) = (OtherPath::read(pid, from.0, from.1)?, OtherPath::read(pid, to.0, to.1)?);
    let flags = RenameFlags::from_bits_retain(flags);
    let is_directory = |path: &CStr| {
        rustix::fs::lstat(path)
            .is_ok_and(|s| FileType::from_raw_mode(s.st_mode) == FileType::Directory)
    };
    if !is_directory(from.text()) || !(flags - RenameFlags::NOREPLACE).is_empty() {
        return None;
    }
    let rename = || rustix::fs::renameat_with(CWD, from.text(), CWD, to.text(), flags);
    let mut renamed = rename();
    if renamed == Err(Errno::BUSY) {
        // One of them is a mount point; what is below the mount is the same directory.
        let unmounted = passed.unmount(from.text()).is_ok();
        if unmounted || is_empty(to.text()) && passed.unmount(to.text()).is_ok() {
            renamed = rename();
        }
    }
    if renamed != Err(Errno::XDEV) {
        return Some(renamed);
    }
    // What is written to the file that was copied would be lost.
    if writers::any_below(from.text()) {
        return Some(Err(Errno::BUSY));
    }
    if rustix::fs::lstat(to.text()).is_ok() {
        if flags.contains(RenameFlags::NOREPLACE) {
            return Some(Err(Errno::EXIST));
        }
        if let Err(error) = rustix::fs::unlinkat(CWD, to.text(), AtFlags::REMOVEDIR) {
            return Some(Err(error));
        }
    }
    Some(copy_and_remove(from.text(), to.text()))
}

/// Rare, and everything that a directory can hold must be kept: the system's own programs do it. If
/// the copy or the removal fails, what was removed is put back and the copy is taken away, with an
/// error after which no program tries to copy by itself.
fn copy_and_remove(from: &CStr, to: &CStr) -> Result<(), Errno> {
    let script = c"cp -a --reflink=auto -T -- \"$1\" \"$2\" || { rm -rf -- \"$2\"; exit 1; }
        find \"$1\" -type d ! -perm -700 -exec chmod u+rwx {} + 2>/dev/null
        rm -rf -- \"$1\" && exit 0
        cp -an -T -- \"$2\" \"$1\"; find \"$2\" -type d ! -perm -700 -exec chmod u+rwx {} +
        rm -rf -- \"$2\"; exit 1";
    let argv = [c"sh", c"-c", script, c"sh", from, to].map(CStr::as_ptr);
    let [a, b, c, d, e, f] = argv;
    let list = [a, b, c, d, e, f, std::ptr::null()];
    let env = [c"PATH=/usr/local/bin:/usr/bin:/bin".as_ptr(), std::ptr::null()];
    // SAFETY: no CLONE_VM; the child makes one call, with lists that end with a null.
    let child = unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) };
    if child == 0 {
        // SAFETY: as above; _exit runs nothing of the server.
        unsafe {
            libc::execve(c"/bin/sh".as_ptr(), list.as_ptr(), env.as_ptr());
            libc::_exit(127);
        }
    }
    let child = rustix::process::Pid::from_raw(child as i32).ok_or(Errno::XDEV)?;
    let ended = rustix::process::waitpid(Some(child), rustix::process::WaitOptions::empty());
    match ended {
        Ok(Some((_, status))) if status.exit_status() == Some(0) => Ok(()),
        _ => Err(Errno::IO),
    }
}

/// A path of another process as init reaches it: by its root, its directory or its descriptor.
struct OtherPath([u8; 4096 + 64]);

impl OtherPath {
    fn read(pid: u32, dir: u64, path: u64) -> Option<Self> {
        let mut found = Self([0; 4096 + 64]);
        let mut given = [0; 4096];
        let length = read_text(pid, path, &mut given)?;
        let given = &given[..length];
        let mut begin = Beginning { bytes: &mut found.0, used: 0 };
        use std::fmt::Write as _;
        let dir = dir as i32;
        match given.first()? {
            b'/' => write!(begin, "/proc/{pid}/root"),
            _ if dir == libc::AT_FDCWD => write!(begin, "/proc/{pid}/cwd/"),
            _ => write!(begin, "/proc/{pid}/fd/{dir}/"),
        }
        .ok()?;
        let used = begin.used;
        // A path that ends with a slash names the directory itself.
        let end = given.iter().rposition(|b| *b != b'/').map_or(1, |last| last + 1);
        found.0.get_mut(used..used + end)?.copy_from_slice(&given[..end]);
        Some(found)
    }

    fn text(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.0).unwrap_or(c"")
    }
}

struct Beginning<'a> {
    bytes: &'a mut [u8],
    used: usize,
}

impl std::fmt::Write for Beginning<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let end = self.used + text.len();
        self.bytes.get_mut(self.used..end).ok_or(std::fmt::Error)?.copy_from_slice(text.as_bytes());
        self.used = end;
        Ok(())
    }
}

/// The text at an address of another process, without its NUL; up to the end of its page first,
/// since the next may not be there.
pub(super) fn read_text(pid: u32, address: u64, to: &mut [u8; 4096]) -> Option<usize> {
    let mut have = 0;
    while have < to.len() {
        let at = address.checked_add(have as u64)?;
        let size = (4096 - (at as usize & 4095)).min(to.len() - have);
        let read = read_bytes(pid, at, &mut to[have..have + size]).filter(|read| *read > 0)?;
        if let Some(end) = to[have..have + read].iter().position(|b| *b == 0) {
            return Some(have + end);
        }
        have += read;
    }
    None
}

/// Reads what is at an address of another process; gives how many bytes could be.
pub(super) fn read_bytes(pid: u32, address: u64, to: &mut [u8]) -> Option<usize> {
    let local = libc::iovec { iov_base: to.as_mut_ptr().cast(), iov_len: to.len() };
    let remote = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: to.len() };
    // SAFETY: `local` is `to`; what `remote` names is checked by the kernel.
    let read =
        unsafe { libc::process_vm_readv(pid as i32, &raw const local, 1, &raw const remote, 1, 0) };
    usize::try_from(read).ok()
}
