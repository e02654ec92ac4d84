//! Starting a program under a guard: a process of ours that stays beside it.
//!
//! The guard is the parent of the program and adopts everything the program leaves behind, also
//! what called `setsid` or daemonised, so it can end all of it. It does so when the server closes
//! a pipe, which the kernel also does for a server that is killed. It is a fork that never
//! executes anything, runs in its own session, and holds no file of the server.

#![expect(unsafe_code, reason = "fork, and the calls that are made between fork and exec")]
#![expect(clippy::disallowed_methods, reason = "this is the door to programs")]

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use landlock::RulesetCreated;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::pipe::PipeFlags;
use rustix::process::{Pid, Signal, WaitOptions};

/// The byte that asks the guard to send SIGTERM to the program's group.
const TERMINATE: u8 = b'T';

/// What to start.
pub(super) struct Launch {
    /// The program, by path, and its arguments.
    pub(super) argv: Vec<OsString>,
    pub(super) env: Vec<(OsString, OsString)>,
    pub(super) dir: OwnedFd,
    pub(super) landlock: Option<RulesetCreated>,
}

/// A program that runs, with its guard. Dropping it ends all of its processes.
pub(super) struct Running {
    guard: Child,
    /// Readable when the guard is gone, and with it every process of the program.
    pub(super) gone: OwnedFd,
    control: Option<OwnedFd>,
    /// Gives the id of the program, then its wait status.
    pub(super) report: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

impl Launch {
    pub(super) fn start(self) -> io::Result<Running> {
        let (control_read, control) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
        let (report, report_write) =
            rustix::pipe::pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        let mut command = Command::new(&self.argv[0]);
        command.args(&self.argv[1..]).env_clear().envs(self.env);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (dir, mut landlock) = (self.dir, self.landlock);
        let kept = [control_read.as_raw_fd(), report.as_raw_fd(), report_write.as_raw_fd()];
        // SAFETY: the closure runs in a process with one thread, between fork and exec. It makes
        // system calls and does not touch the locks of the server's other threads; `kept` are open
        // there, because `spawn` returns only after the closure ran.
        unsafe {
            command.pre_exec(move || {
                leave_to_guard(kept)?;
                rustix::process::fchdir(&dir)?;
                match landlock.take().map(RulesetCreated::restrict_self) {
                    Some(Err(_)) => Err(io::ErrorKind::PermissionDenied.into()),
                    _ => Ok(()),
                }
            });
        }
        let mut guard = command.spawn()?;
        let pid = Pid::from_child(&guard);
        let gone = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty())?;
        let (Some(out), Some(err)) = (guard.stdout.take(), guard.stderr.take()) else {
            return Err(io::Error::other("no pipes"));
        };
        let (stdout, stderr) = (OwnedFd::from(out), OwnedFd::from(err));
        for pipe in [&stdout, &stderr] {
            rustix::fs::fcntl_setfl(pipe, OFlags::NONBLOCK)?;
        }
        Ok(Running { guard, gone, control: Some(control), report, stdout, stderr })
    }
}

impl Running {
    /// The process id of the guard, whose descendants are all the processes of the program.
    pub(super) fn guard(&self) -> Pid {
        Pid::from_child(&self.guard)
    }

    /// Asks the program's process group to end.
    pub(super) fn terminate(&self) {
        if let Some(control) = &self.control {
            let _ = rustix::io::write(control, &[TERMINATE]);
        }
    }

    /// Kills every process of the program. [`Running::gone`] says when that is done.
    pub(super) fn kill(&mut self) {
        self.control = None;
    }

    /// What the guard has said since the last question.
    pub(super) fn reported(&self) -> Option<i32> {
        let mut bytes = [0; 4];
        let read = rustix::io::read(&self.report, &mut bytes).ok()?;
        (read == bytes.len()).then(|| i32::from_ne_bytes(bytes))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
        let limit = Timespec { tv_sec: 5, tv_nsec: 0 };
        let _ = rustix::event::poll(&mut [PollFd::new(&self.gone, PollFlags::IN)], Some(&limit));
        // Still there only if a process hangs in the kernel; the guard goes on by itself.
        let _ = self.guard.try_wait();
    }
}

/// Forks: the child returns and becomes the program, the parent becomes its guard.
fn leave_to_guard(kept: [RawFd; 3]) -> io::Result<()> {
    let own = rustix::process::getpid();
    rustix::process::setsid()?;
    rustix::process::set_child_subreaper(Some(own))?;
    // SAFETY: this process has one thread, so its copy has no lock that another thread held.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            rustix::process::setsid()?;
            Ok(())
        }
        program => {
            let Some(program) = Pid::from_raw(program) else { exit() };
            guard(program, kept)
        }
    }
}

fn exit() -> ! {
    // SAFETY: ends this process at once, without the exit handlers of the server it is a copy of.
    unsafe { libc::_exit(0) }
}

/// The whole life of a guard. Nothing here allocates.
fn guard(program: Pid, kept: [RawFd; 3]) -> ! {
    close_all_but(kept);
    // SAFETY: a constant string. The name keeps `killall` of the server from hitting its guards.
    unsafe { libc::prctl(libc::PR_SET_NAME, c"program-guard".as_ptr()) };
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
    let [control, _, report] = kept.map(|fd| {
        // SAFETY: left open by `close_all_but`, and open until this process ends.
        unsafe { BorrowedFd::borrow_raw(fd) }
    });
    let _ = rustix::io::write(report, &program.as_raw_pid().to_ne_bytes());
    let flags = rustix::process::PidfdFlags::empty();
    let mut running = rustix::process::pidfd_open(program, flags).ok();
    let mut ended = false;
    loop {
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == program => {
                    let _ = rustix::io::write(report, &status.as_raw().to_ne_bytes());
                    (running, ended) = (None, true);
                }
                Ok(Some(_)) => {}
                Ok(None) | Err(Errno::INTR) => break,
                Err(_) => exit(), // no children: all of the program has ended
            }
        }
        // The pauses are how long an adopted process may stay a zombie.
        let pause = Timespec { tv_sec: 0, tv_nsec: if ended { 5_000_000 } else { 50_000_000 } };
        let watched = running.as_ref().map_or(control, AsFd::as_fd);
        let mut fds = [PollFd::new(&control, PollFlags::IN), PollFd::new(&watched, PollFlags::IN)];
        let _ = rustix::event::poll(&mut fds, Some(&pause));
        if fds[0].revents().is_empty() {
            continue;
        }
        match rustix::io::read(control, &mut [0; 1]) {
            Ok(1) if !ended => {
                let _ = rustix::process::kill_process_group(program, Signal::TERM);
            }
            Ok(1) | Err(Errno::INTR) => {}
            _ => kill_all(program),
        }
    }
}

/// Kills what the guard has for children until it has none: the children of one that is killed
/// become the guard's own.
fn kill_all(program: Pid) -> ! {
    loop {
        let kill = |pid| {
            let _ = rustix::process::kill_process(pid, Signal::KILL);
        };
        if for_each_child(kill).is_err() {
            let _ = rustix::process::kill_process_group(program, Signal::KILL);
        }
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => exit(),
        }
    }
}

fn for_each_child(mut visit: impl FnMut(Pid)) -> Result<(), Errno> {
    let path = c"/proc/thread-self/children";
    let file = rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let mut buffer = [0; 4096];
    let read = rustix::io::read(&file, &mut buffer)?;
    let mut number = 0_i32;
    for byte in &buffer[..read] {
        if byte.is_ascii_digit() {
            number = number.wrapping_mul(10).wrapping_add(i32::from(byte - b'0'));
        } else if let Some(pid) = Pid::from_raw(std::mem::take(&mut number)) {
            visit(pid);
        }
    }
    Ok(())
}

/// The guard must not keep a pipe of the server or of another program open.
fn close_all_but(mut kept: [RawFd; 3]) {
    kept.sort_unstable();
    let mut from = 0;
    for fd in kept.map(|fd| fd as u32).into_iter().chain([u32::MAX]) {
        if fd > from {
            // SAFETY: nothing in this process uses these files any more.
            unsafe { libc::syscall(libc::SYS_close_range, from, fd - 1, 0) };
        }
        from = fd.saturating_add(1);
    }
}
