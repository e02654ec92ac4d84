//! The copy of the process: made, cut off from all but its pipe, bounded, and left at its end.

#![expect(unsafe_code, reason = "a process is copied only so")]

use std::io::{self, Write as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};

use rustix::process::{Pid, Resource, Rlimit, Signal, setrlimit};

use crate::Limits;

/// Makes the copy, which does `work` and writes its result to `writer`; gives it to the parent.
///
/// # Errors
/// Those of the system, if it makes none.
pub(crate) fn fork(
    limits: &Limits,
    space: u64,
    writer: &OwnedFd,
    work: impl FnOnce() -> Vec<u8>,
) -> io::Result<Pid> {
    let parent = rustix::process::getpid();
    // SAFETY: POSIX promises the copy of a process with several threads only what a signal handler
    // may use. We rely on more, which the C libraries of Linux give: the locks of malloc are taken
    // around the fork, so memory can be had in the copy, and threads can be started. Other locks may
    // be held for ever by threads that the copy lacks; the caller of `run` is told not to wait for
    // any, and a copy that does is ended with its time. No destructor of ours runs twice with an
    // effect outside of memory: descriptors are closed first, and the copy leaves by `_exit`.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            let good = catch_unwind(AssertUnwindSafe(|| {
                let mut pipe = cut_off(limits, space, writer, parent)?;
                pipe.write_all(&work())
            }));
            let code = i32::from(!matches!(good, Ok(Ok(()))));
            // SAFETY: it ends this process at once, and runs nothing of it.
            unsafe { libc::_exit(code) }
        }
        pid => Pid::from_raw(pid).ok_or_else(|| io::Error::other("a process without a number")),
    }
}

/// Leaves the copy its memory and the pipe, which becomes descriptor 0, and sets its bounds.
fn cut_off(
    limits: &Limits,
    space: u64,
    writer: &OwnedFd,
    parent: Pid,
) -> io::Result<std::fs::File> {
    // SAFETY: numbers alone are passed. What owns the descriptors in this copy is never used or
    // dropped again: the copy leaves by `_exit`.
    unsafe {
        if libc::dup2(writer.as_raw_fd(), 0) != 0
            || libc::syscall(libc::SYS_close_range, 1, libc::c_uint::MAX, 0) != 0
        {
            return Err(io::Error::last_os_error());
        }
    }
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    if rustix::process::getppid() != Some(parent) {
        return Err(io::Error::other("the parent is gone"));
    }
    let bound = |most: u64| Rlimit { current: Some(most), maximum: Some(most) };
    setrlimit(Resource::Core, bound(0))?;
    setrlimit(Resource::Nofile, bound(1))?;
    setrlimit(Resource::Cpu, bound(limits.time.as_secs() + 1))?;
    setrlimit(Resource::As, bound(space.saturating_add(limits.memory)))?;
    // SAFETY: descriptor 0 is the pipe, and nothing else in this copy owns it.
    Ok(unsafe { std::fs::File::from_raw_fd(0) })
}
