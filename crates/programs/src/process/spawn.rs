//! Starting a program below a process of ours that stays beside it and ends all it started.
//!
//! That process, init, is a copy of the server made by `clone3`, with namespaces of its own where
//! the host allows them: in its process namespace it is the first, so the kernel kills everything
//! in there when it ends. Without one it adopts what the program leaves behind, also what called
//! `setsid` or daemonised, and kills it. It ends when the server closes a pipe, which the kernel
//! also does for a server that is killed. It holds no file of the server.

#![expect(unsafe_code, reason = "clone3, and handing descriptors to the process it makes")]
#![expect(clippy::disallowed_methods, reason = "this is the door to programs")]

use std::collections::BTreeMap;
use std::ffi::{CString, OsString};
use std::io;
use std::os::fd::{FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::ffi::OsStringExt as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fault::Bound;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::{Mode, OFlags};
use rustix::pipe::PipeFlags;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

use super::cgroup::Group;
use super::child::{self, Plan};
use super::gateway::{self, Gateway, Leads};
use super::handover;
use super::mount::Op;
use super::not_started::{NotStarted, said};
use super::touches;

/// How long a program may take to begin: longer than any disk, shorter than a network file system
/// that is gone.
const START: Duration = Duration::from_secs(30);

/// The byte that asks init to send SIGTERM to the program's process group.
pub(super) const TERMINATE: u8 = b'T';

/// What to start.
pub(super) struct Launch {
    /// The program, by path, and its arguments.
    pub(super) argv: Vec<OsString>,
    pub(super) env: Vec<(OsString, OsString)>,
    /// Where it starts, if it gets no view of its own.
    pub(super) dir: OwnedFd,
    pub(super) confined: Confined,
    /// Bounds of the kernel for each process.
    pub(super) limits: Vec<(libc::__rlimit_resource_t, u64)>,
    /// Who serves the doors of the view, if it has any.
    pub(super) gateway: Option<Arc<dyn Gateway>>,
    /// The control group that it runs in.
    pub(super) group: Group,
    /// What it reads, if somebody writes to it; else its input is empty.
    pub(super) input: Option<OwnedFd>,
    /// Where it prints to, if somebody talks with it; else that is captured.
    pub(super) output: Option<OwnedFd>,
    /// Whether it is to be seen what it touches.
    pub(super) is_seen: bool,
}

/// What confines a program.
#[derive(Debug)]
pub(super) enum Confined {
    /// Namespaces and a file system of its own.
    View(Box<View>),
    /// A Landlock ruleset.
    Landlock(OwnedFd),
    /// Nothing.
    No,
}

/// What a program sees.
#[derive(Debug)]
pub(super) struct View {
    pub(super) ops: Vec<Op>,
    /// Where it starts.
    pub(super) dir: CString,
    /// Whether it is in the network of the host; else in one that holds only a loopback device.
    pub(super) network: bool,
    /// The ways out of a network of its own: what is listened on inside, and where that leads.
    pub(super) doors: Vec<(u16, Leads)>,
    /// Where Landlock, below the mounts, lets it write; empty if the kernel has no Landlock.
    pub(super) writable: Vec<CString>,
    /// If renaming a directory is helped where the layer cannot do it: the directories that it
    /// writes to directly, which are mounts and may be taken off.
    pub(super) renames: Option<Vec<CString>>,
    /// When the program may begin, in nanoseconds since 1970: see [`super::tick`].
    pub(super) begins: i64,
}

/// A program that runs, with its init. Dropping it ends all of its processes.
pub(super) struct Running {
    init: Pid,
    /// Readable when init is gone, and with it every process of the program.
    pub(super) gone: OwnedFd,
    control: Option<OwnedFd>,
    /// Gives the id of the program; then its wait status, and 1 if nothing of it is left, else 0.
    pub(super) report: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
    /// Whether it has a process namespace of its own.
    namespace: bool,
    /// Where its calls that may change files wait, if they do.
    pub(super) calls: Option<OwnedFd>,
    /// What serves the doors of its network; they close with it.
    pub(super) served: Option<Box<dyn Send>>,
    /// Removed once nothing runs in it.
    _group: Group,
}

impl Launch {
    /// Starts it, unless nobody wants it any more before it has begun.
    pub(super) fn start(self, stop: &dyn Fn() -> bool) -> Result<Running, NotStarted> {
        let cloexec = PipeFlags::CLOEXEC;
        let (control_read, control) = rustix::pipe::pipe_with(cloexec)?;
        let (report, report_write) = rustix::pipe::pipe_with(cloexec | PipeFlags::NONBLOCK)?;
        let (go_read, go) = rustix::pipe::pipe_with(cloexec)?;
        let (trouble, trouble_write) = rustix::pipe::pipe_with(cloexec)?;
        let (stdout, stdout_write) = rustix::pipe::pipe_with(cloexec)?;
        let (stderr, stderr_write) = rustix::pipe::pipe_with(cloexec)?;
        for pipe in [&stdout, &stderr] {
            rustix::fs::fcntl_setfl(pipe, OFlags::RDONLY | OFlags::NONBLOCK)?;
        }
        let (doors, doors_in_init) = handover::sockets()?;
        let calls = if self.is_seen { Some(handover::sockets()?) } else { None };
        let (calls, calls_in_init) = calls.unzip();
        let null = rustix::fs::open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
        let (stdin, stdout_write) =
            (self.input.unwrap_or(null), self.output.unwrap_or(stdout_write));
        let argv: Vec<CString> = self.argv.into_iter().map(c_string).collect::<Result<_, _>>()?;
        // Of two values the last counts, while most programs would take the first.
        let env: BTreeMap<OsString, OsString> = self.env.into_iter().collect();
        let env = env.into_iter().map(|(mut name, value)| {
            name.push("=");
            name.push(value);
            c_string(name)
        });
        let env: Vec<CString> = env.collect::<Result<_, _>>()?;
        let pointers = |list: &[CString]| -> Vec<*const libc::c_char> {
            list.iter().map(|s| s.as_ptr()).chain([std::ptr::null()]).collect()
        };
        let namespace = matches!(self.confined, Confined::View(_));
        let plan = Plan {
            argv: pointers(&argv),
            env: pointers(&env),
            dir: &self.dir,
            confined: &self.confined,
            limits: &self.limits,
            control: control_read,
            report: report_write,
            go: go_read,
            trouble: trouble_write,
            stdio: [stdin, stdout_write, stderr_write],
            doors: doors_in_init,
            calls: calls_in_init.map(|socket| (socket, touches::filter())),
            groups: &self.group.entries,
            is_root: rustix::process::geteuid().is_root(),
        };
        let (init, gone) = clone(&plan, namespaces(&self.confined))?;
        drop(plan);
        let control = Some(control);
        let (served, _group) = (None, self.group);
        let mut running = Running {
            init,
            gone,
            control,
            report,
            stdout,
            stderr,
            namespace,
            calls: None,
            served,
            _group,
        };
        let mapped = if namespace { map_ids(init) } else { Ok(()) };
        if let Err(error) = mapped {
            running.kill();
            return Err(NotStarted::Confinement("map the user".to_owned(), error));
        }
        rustix::io::write(&go, &[0])?;
        begins(&trouble, &self.confined, stop)?;
        running.calls = receive_calls(calls.as_ref())?;
        running.served = gateway::serve(self.gateway.as_deref(), &self.confined, &doors)?;
        Ok(running)
    }
}

/// Where the calls of the program wait; nothing if it has no filter for them.
fn receive_calls(socket: Option<&OwnedFd>) -> Result<Option<OwnedFd>, NotStarted> {
    let lost = |e: rustix::io::Errno| {
        let what = "take over the system calls of the program".to_owned();
        NotStarted::Confinement(what, e.into())
    };
    socket.map_or(Ok(None), handover::receive).map_err(lost)
}

/// Waits until the program begins. If it does not, the drop of what was started kills it.
fn begins(
    trouble: &OwnedFd,
    confined: &Confined,
    stop: &dyn Fn() -> bool,
) -> Result<(), NotStarted> {
    if is_readable(trouble, START, stop)? {
        return match read_trouble(trouble) {
            Some((stage, errno)) => Err(said(confined, stage, errno)),
            None => Ok(()),
        };
    }
    if stop() {
        return Err(NotStarted::Cancelled);
    }
    let why = "the start took too long; a file system may not respond".to_owned();
    Err(NotStarted::Confinement(why, io::ErrorKind::TimedOut.into()))
}

fn c_string(text: OsString) -> Result<CString, NotStarted> {
    let nul = |_| io::Error::new(io::ErrorKind::InvalidInput, "a NUL character in an argument");
    Ok(CString::new(text.into_vec()).map_err(nul)?)
}

fn namespaces(confined: &Confined) -> libc::c_int {
    let Confined::View(view) = confined else { return 0 };
    let own = libc::CLONE_NEWUSER
        | libc::CLONE_NEWNS
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUTS;
    if view.network { own } else { own | libc::CLONE_NEWNET }
}

/// Makes init. In the server it gives the process and a descriptor of it; in init it never returns.
fn clone(plan: &Plan<'_>, namespaces: libc::c_int) -> io::Result<(Pid, OwnedFd)> {
    let mut pidfd: RawFd = -1;
    // SAFETY: a structure of numbers, for which zero means "not used".
    let mut args: libc::clone_args = unsafe { std::mem::zeroed() };
    args.flags = (namespaces | libc::CLONE_PIDFD) as u64;
    args.pidfd = (&raw mut pidfd) as u64;
    args.exit_signal = libc::SIGCHLD as u64;
    // SAFETY: without CLONE_VM the child has a copy of the memory, as after fork. It has one
    // thread, while locks of others may be held in its copy, so `child::init` makes system calls
    // alone and never allocates, and never comes back here.
    let pid =
        unsafe { libc::syscall(libc::SYS_clone3, &raw mut args, size_of::<libc::clone_args>()) };
    match pid {
        -1 => Err(io::Error::last_os_error()),
        0 => child::init(plan),
        pid => {
            let pid = Pid::from_raw(pid as i32).ok_or(io::ErrorKind::Other)?;
            // SAFETY: the kernel made the descriptor for this call.
            Ok((pid, unsafe { OwnedFd::from_raw_fd(pidfd) }))
        }
    }
}

/// Gives init the ids of the server: root all there are, so that files of others stay theirs, and
/// anybody else only their own.
fn map_ids(init: Pid) -> io::Result<()> {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    let write = |name: &str, text: &str| {
        let path = format!("/proc/{}/{name}", init.as_raw_pid());
        std::fs::write(path, text)
    };
    if user.is_root() && write("uid_map", "0 0 4294967295").is_ok() {
        return write("gid_map", "0 0 4294967295");
    }
    write("setgroups", "deny")?;
    write("uid_map", &format!("{0} {0} 1", user.as_raw()))?;
    write("gid_map", &format!("{0} {0} 1", group.as_raw()))
}

/// Waits until a pipe has something to say, or its other end is closed.
fn is_readable(pipe: &OwnedFd, limit: Duration, stop: &dyn Fn() -> bool) -> io::Result<bool> {
    let bound = Bound { until: Some(Instant::now() + limit), stop };
    let look = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
    loop {
        match rustix::event::poll(&mut [PollFd::new(pipe, PollFlags::IN)], Some(&look)) {
            Ok(0) | Err(rustix::io::Errno::INTR) if bound.is_over() => return Ok(false),
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            other => return Ok(other? > 0),
        }
    }
}

/// What init or the program said before the program began; nothing if it began.
fn read_trouble(trouble: &OwnedFd) -> Option<(u32, i32)> {
    let mut bytes = [0; 8];
    let read = loop {
        match rustix::io::read(trouble, &mut bytes) {
            Err(rustix::io::Errno::INTR) => {}
            other => break other,
        }
    };
    let [a, b, c, d, e, f, g, h] = bytes;
    (read == Ok(8)).then(|| (u32::from_ne_bytes([a, b, c, d]), i32::from_ne_bytes([e, f, g, h])))
}

impl Running {
    /// The process id of init, whose descendants are all the processes of the program.
    pub(super) fn init(&self) -> Pid {
        self.init
    }

    /// Whether the end of init ends everything by itself.
    pub(super) fn has_namespace(&self) -> bool {
        self.namespace
    }

    /// The process id of the program, which init reported by the number that it has below it.
    pub(super) fn program(&self, reported: i32) -> Option<Pid> {
        if !self.namespace {
            return Pid::from_raw(reported);
        }
        let init = self.init.as_raw_pid();
        let children =
            std::fs::read_to_string(format!("/proc/{init}/task/{init}/children")).ok()?;
        Pid::from_raw(children.split_ascii_whitespace().next()?.parse().ok()?)
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
        if self.namespace {
            let _ = rustix::process::pidfd_send_signal(&self.gone, Signal::KILL);
        }
    }

    /// What init has said since the last question.
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
        // Still there only if a process hangs in the kernel.
        let ended = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        let _ = rustix::process::waitid(WaitId::PidFd(std::os::fd::AsFd::as_fd(&self.gone)), ended);
    }
}
