//! What happens in the process that `clone3` made, up to the program and beside it.
//!
//! It is a copy of one thread of a server with many, so that any lock of the others may be held in
//! it for ever. Nothing here allocates, panics or takes a lock: there are system calls alone, on
//! what the server prepared.

#![expect(unsafe_code, reason = "fork, exec and the calls between them")]

use std::os::fd::{AsFd, AsRawFd as _, OwnedFd, RawFd};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions};

use super::seccomp::Passed;
use super::spawn::{Confined, View};
use super::{handover, landlock_calls, loopback, mount, seccomp, tick};

/// Where it failed: a place in the list of mounts, or one of these.
pub(super) const EXECUTE: u32 = 1 << 30;
pub(super) const BEGIN: u32 = EXECUTE + 1;
pub(super) const FINISH: u32 = EXECUTE + 2;
pub(super) const DIRECTORY: u32 = EXECUTE + 3;
pub(super) const LANDLOCK: u32 = EXECUTE + 4;
pub(super) const SECCOMP: u32 = EXECUTE + 5;
pub(super) const FORK: u32 = EXECUTE + 6;
pub(super) const NETWORK: u32 = EXECUTE + 7;
pub(super) const DOOR: u32 = EXECUTE + 8;
pub(super) const GROUP: u32 = EXECUTE + 9;

/// What is left of root's powers for a program, by number: enough to install packages and change
/// owners, not to mount, to trace, to make devices or to open files past their directories.
const ROOT_CAPABILITIES: &[u64] = &[
    0,  // CAP_CHOWN
    1,  // CAP_DAC_OVERRIDE
    3,  // CAP_FOWNER
    4,  // CAP_FSETID
    5,  // CAP_KILL
    6,  // CAP_SETGID
    7,  // CAP_SETUID
    10, // CAP_NET_BIND_SERVICE
];

/// All that init needs, prepared by the server. The pointers end with a null.
pub(super) struct Plan<'a> {
    pub(super) argv: Vec<*const libc::c_char>,
    pub(super) env: Vec<*const libc::c_char>,
    pub(super) dir: &'a OwnedFd,
    pub(super) confined: &'a Confined,
    pub(super) limits: &'a [(libc::__rlimit_resource_t, u64)],
    pub(super) control: OwnedFd,
    pub(super) report: OwnedFd,
    /// A byte comes once the ids are mapped.
    pub(super) go: OwnedFd,
    /// Closed when the program begins; else where it failed and why.
    pub(super) trouble: OwnedFd,
    pub(super) stdio: [OwnedFd; 3],
    /// Where the server gets the doors of the view.
    pub(super) doors: OwnedFd,
    /// Where it gets the calls of the program that may change files, and which these are; if the
    /// kernel does not allow that, it gets none.
    pub(super) calls: Option<(OwnedFd, Vec<libc::sock_filter>)>,
    /// Where init enters the control group.
    pub(super) groups: &'a [OwnedFd],
    pub(super) is_root: bool,
}

type Failed = (u32, Errno);

/// The whole life of init.
pub(super) fn init(plan: &Plan<'_>) -> ! {
    if rustix::io::read(&plan.go, &mut [0; 1]) != Ok(1) {
        exit(); // the server is gone or gave up
    }
    match prepare(plan) {
        Ok((program, notify, passed)) => stay(program, plan, notify.as_ref(), &passed),
        Err(failed) => fail(plan, failed),
    }
}

fn fail(plan: &Plan<'_>, (stage, errno): Failed) -> ! {
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&stage.to_ne_bytes());
    bytes[4..].copy_from_slice(&errno.raw_os_error().to_ne_bytes());
    let _ = rustix::io::write(&plan.trouble, &bytes); // nobody is left to be told
    exit()
}

fn exit() -> ! {
    // SAFETY: ends this process at once, without the exit handlers of the server it is a copy of.
    unsafe { libc::_exit(0) }
}

/// Makes the view and forks the program; gives its id, and where its renames are asked about.
fn prepare(plan: &Plan<'_>) -> Result<(Pid, Option<OwnedFd>, Passed), Failed> {
    let own = rustix::process::getpid();
    rustix::process::setsid().map_err(|e| (FORK, e))?;
    rustix::process::set_child_subreaper(Some(own)).map_err(|e| (FORK, e))?;
    for group in plan.groups {
        rustix::io::write(group, b"0").map_err(|e| (GROUP, e))?;
    }
    die_before_the_server();
    let mut ruleset = None;
    if let Confined::View(view) = plan.confined {
        ruleset = enter(view, &plan.doors)?;
    }
    // The memory of this copy holds the server's environment: the program must not look into it.
    // The call refuses only values that it does not know.
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
    let passed = match plan.confined {
        Confined::View(view) => view.renames.as_deref(),
        _ => None,
    };
    let sockets =
        if passed.is_some() { Some(handover::sockets().map_err(|e| (SECCOMP, e))?) } else { None };
    let (ours, theirs) = sockets.unzip();
    let passed = Passed::of(passed.unwrap_or_default());
    // SAFETY: as for the clone that made this process: no CLONE_VM, system calls alone.
    let pid = unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) };
    match pid {
        -1 => Err((FORK, mount::last_errno())),
        0 => {
            let failed = become_program(plan, ruleset.as_ref(), theirs.as_ref());
            fail(plan, failed)
        }
        pid => {
            drop(theirs);
            let program = Pid::from_raw(pid as i32).ok_or((FORK, Errno::SRCH))?;
            // Nothing comes if the program failed before; it has told then.
            let notify = ours.map_or(Ok(None), |socket| handover::receive(&socket));
            Ok((program, notify.map_err(|e| (SECCOMP, e))?, passed))
        }
    }
}

/// Where memory runs out, the kernel is to choose the program rather than the server, or what else
/// the person runs. Here `/proc` is still the host's, and may be written to.
fn die_before_the_server() {
    let path = c"/proc/self/oom_score_adj";
    if let Ok(file) = rustix::fs::open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty()) {
        let _ = rustix::io::write(&file, b"500");
    }
}

/// Enters the file system of the view; gives the Landlock rules that hold in it.
fn enter(view: &View, doors: &OwnedFd) -> Result<Option<OwnedFd>, Failed> {
    if !view.network {
        loopback::up().map_err(|e| (NETWORK, e))?;
        for (port, _) in &view.doors {
            loopback::open_door(*port, doors).map_err(|e| (DOOR, e))?;
        }
    }
    mount::begin().map_err(|e| (BEGIN, e))?;
    mount::carry_out(&view.ops).map_err(|(at, e)| (at as u32, e))?;
    mount::finish().map_err(|e| (FINISH, e))?;
    tick::wait(view.begins);
    if view.writable.is_empty() {
        return Ok(None);
    }
    landlock_calls::rules_of_view(&view.writable).map(Some).map_err(|e| (LANDLOCK, e))
}

/// The only way back is a failure.
fn become_program(plan: &Plan<'_>, ruleset: Option<&OwnedFd>, notify: Option<&OwnedFd>) -> Failed {
    if let Err(failed) = confine(plan, ruleset, notify) {
        return failed;
    }
    // SAFETY: both lists are made of pointers to texts of the server that live in this copy of
    // its memory, and end with a null.
    unsafe { libc::execve(plan.argv[0], plan.argv.as_ptr(), plan.env.as_ptr()) };
    (EXECUTE, mount::last_errno())
}

fn confine(
    plan: &Plan<'_>,
    ruleset: Option<&OwnedFd>,
    notify: Option<&OwnedFd>,
) -> Result<(), Failed> {
    let start = |e| (EXECUTE, e);
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(start)?;
    rustix::process::setsid().map_err(start)?;
    match plan.confined {
        Confined::View(view) => rustix::process::chdir(view.dir.as_c_str()),
        _ => rustix::process::fchdir(plan.dir),
    }
    .map_err(|e| (DIRECTORY, e))?;
    for (resource, most) in plan.limits {
        let limit = libc::rlimit { rlim_cur: *most, rlim_max: *most };
        // SAFETY: a number and a structure of two. What cannot be set lower stays as it is.
        unsafe { libc::setrlimit(*resource, &raw const limit) };
    }
    stdio(&plan.stdio).map_err(start)?;
    // SAFETY: numbers alone. A new session keyring keeps the person's keys out of reach; where the
    // kernel has none there is nothing to keep.
    unsafe {
        libc::syscall(libc::SYS_keyctl, 1 /* KEYCTL_JOIN_SESSION_KEYRING */, 0)
    };
    if !matches!(plan.confined, Confined::No) {
        if plan.is_root {
            drop_capabilities();
        }
        // SAFETY: numbers alone.
        unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    }
    let rules = match plan.confined {
        Confined::Landlock(rules) => Some(rules),
        _ => ruleset,
    };
    if let Some(rules) = rules {
        landlock_calls::restrict(rules).map_err(|e| (LANDLOCK, e))?;
    }
    plain_signals();
    // SAFETY: every descriptor but the first three is closed by the exec, whoever opened it.
    unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    let seccomp = |e| (SECCOMP, e);
    let listener = match (notify, &plan.calls) {
        (Some(socket), _) => (seccomp::install(&seccomp::FILTER).map_err(seccomp)?, socket),
        (None, Some((socket, filter))) => match seccomp::install(filter) {
            Ok(listener) => (listener, socket),
            Err(_) => return Ok(()), // the server gets none, and tells it
        },
        (None, None) => return Ok(()),
    };
    // Without a listener every call of the filter fails.
    handover::send(listener.1, listener.0.as_fd()).map_err(seccomp)
}

/// Puts the three streams in their places, also if they are open in each other's.
fn stdio(streams: &[OwnedFd; 3]) -> Result<(), Errno> {
    let mut high = [-1; 3];
    for (stream, high) in streams.iter().zip(&mut high) {
        // SAFETY: duplicates an open descriptor to a number that nothing uses.
        *high = unsafe { libc::fcntl(stream.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 10) };
        if *high < 0 {
            return Err(mount::last_errno());
        }
    }
    for (at, high) in (0..).zip(high) {
        // SAFETY: what is open at 0 to 2 in this copy of the server is of no more use here.
        if unsafe { libc::dup2(high, at) } < 0 {
            return Err(mount::last_errno());
        }
    }
    Ok(())
}

/// What root could do past the mounts goes with the exec.
fn drop_capabilities() {
    for capability in 0..64 {
        if !ROOT_CAPABILITIES.contains(&capability) {
            // SAFETY: a number alone; those that the kernel does not know are refused.
            unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability) };
        }
    }
}

/// A server ignores SIGPIPE, and may have blocked others; a program is born with neither.
fn plain_signals() {
    // SAFETY: an empty set on the stack, and the default handler.
    unsafe {
        let mut none = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}

/// Init beside its program: tells how it ends, and ends everything when it is told to.
fn stay(program: Pid, plan: &Plan<'_>, notify: Option<&OwnedFd>, passed: &Passed) -> ! {
    let kept = [
        plan.control.as_raw_fd(),
        plan.report.as_raw_fd(),
        notify.map_or(plan.control.as_raw_fd(), |fd| fd.as_raw_fd()),
    ];
    close_all_but(kept);
    // SAFETY: a constant string. The name keeps `killall` of the server from hitting its inits.
    unsafe { libc::prctl(libc::PR_SET_NAME, c"program-init".as_ptr()) };
    let (control, report) = (plan.control.as_fd(), plan.report.as_fd());
    // Who does not read any more has gone, and the end of `control` says so below.
    let _ = rustix::io::write(report, &program.as_raw_pid().to_ne_bytes());
    let flags = rustix::process::PidfdFlags::empty();
    let mut running = rustix::process::pidfd_open(program, flags).ok();
    let namespace = matches!(plan.confined, Confined::View(_));
    let mut ended = false;
    loop {
        let mut status = None;
        let alone = loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, its))) if pid == program => {
                    status = Some(its);
                    (running, ended) = (None, true);
                }
                Ok(Some(_)) => {}
                Ok(None) | Err(Errno::INTR) => break false,
                Err(_) => break true, // no children: all of the program has ended
            }
        };
        if let Some(status) = status {
            let mut words = [0; 8];
            words[..4].copy_from_slice(&status.as_raw().to_ne_bytes());
            words[4..].copy_from_slice(&i32::from(alone).to_ne_bytes());
            let _ = rustix::io::write(report, &words);
        }
        if alone {
            exit();
        }
        // The pauses are how long an adopted process may stay a zombie.
        let pause = Timespec { tv_sec: 0, tv_nsec: if ended { 5_000_000 } else { 50_000_000 } };
        let watched = running.as_ref().map_or(control, AsFd::as_fd);
        let asked = notify.map_or(control, AsFd::as_fd);
        let mut fds =
            [control, watched, asked].map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        let _ = rustix::event::poll(&mut fds, Some(&pause));
        if let Some(notify) = notify
            && fds[2].revents().contains(PollFlags::IN)
        {
            seccomp::answer(notify, passed);
        }
        if fds[0].revents().is_empty() {
            continue;
        }
        match rustix::io::read(control, &mut [0; 1]) {
            // There is one request, spawn::TERMINATE.
            Ok(1) if !ended => {
                let _ = rustix::process::kill_process_group(program, Signal::TERM);
            }
            Ok(1) | Err(Errno::INTR) => {}
            _ if namespace => exit(),
            _ => kill_all(program),
        }
    }
}

/// Kills what init has for children until it has none: the children of one that is killed become
/// its own.
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

/// Init must not keep a pipe of the server or of another program open.
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
