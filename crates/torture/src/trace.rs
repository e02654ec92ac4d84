//! A program under ptrace: it stops before each system call that changes something, and there it
//! can be killed, be given an error, or wait while somebody else does something.
//!
//! A seccomp filter picks the calls, so all others run at full speed.

#![expect(unsafe_code, reason = "ptrace, seccomp and waitpid")]

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{Read as _, Seek as _};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::FileExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use crate::place::{Place, Ran};

/// Longer than any call takes that does not hang.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is done to a program before a system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Nothing: the call runs.
    Go,
    /// The call does not run and gives this error.
    Fail(i32),
    /// SIGKILL for the program that was started; its children live on.
    Kill,
    /// SIGKILL for it and all its descendants.
    KillAll,
}

/// A system call that is about to change something.
#[derive(Debug)]
pub(crate) struct Point {
    /// How many there were before it, plus 1.
    pub(crate) index: usize,
    pub(crate) name: &'static str,
    /// What it changes.
    pub(crate) path: PathBuf,
    /// The open file that it changes, below `/proc`.
    pub(crate) file: Option<PathBuf>,
    /// Whether Kitbag itself makes it, not a program that it runs.
    pub(crate) ours: bool,
}

impl Point {
    /// What is about to happen, for a message.
    pub(crate) fn about(&self, place: &Place) -> String {
        let path = self.path.strip_prefix(place.dir()).unwrap_or(&self.path);
        let who = if self.ours { "" } else { " by a program" };
        format!("{}{who} {}", self.name, path.display())
    }
}

/// How a traced program ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) ran: Ran,
    /// How many system calls changed something.
    pub(crate) points: usize,
}

/// Where a system call says what it changes.
#[derive(Clone, Copy)]
enum Names {
    /// In an argument that is a descriptor.
    Fd(usize),
    /// In an argument that is a path.
    Path(usize),
    /// In two: the descriptor of a directory, and a path.
    At(usize),
}

use Names::{At, Fd, Path as Named};

/// The system calls that change something.
const CALLS: &[(i64, &str, Names)] = &[
    (libc::SYS_write, "write", Fd(0)),
    (libc::SYS_writev, "writev", Fd(0)),
    (libc::SYS_pwrite64, "pwrite64", Fd(0)),
    (libc::SYS_pwritev, "pwritev", Fd(0)),
    (libc::SYS_pwritev2, "pwritev2", Fd(0)),
    (libc::SYS_copy_file_range, "copy_file_range", Fd(2)),
    (libc::SYS_sendfile, "sendfile", Fd(0)),
    (libc::SYS_ftruncate, "ftruncate", Fd(0)),
    (libc::SYS_truncate, "truncate", Named(0)),
    (libc::SYS_fallocate, "fallocate", Fd(0)),
    (libc::SYS_open, "open", Named(0)),
    (libc::SYS_creat, "creat", Named(0)),
    (libc::SYS_openat, "openat", At(0)),
    (libc::SYS_openat2, "openat2", At(0)),
    (libc::SYS_rename, "rename", Named(1)),
    (libc::SYS_renameat, "renameat", At(2)),
    (libc::SYS_renameat2, "renameat2", At(2)),
    (libc::SYS_link, "link", Named(1)),
    (libc::SYS_linkat, "linkat", At(2)),
    (libc::SYS_symlink, "symlink", Named(1)),
    (libc::SYS_symlinkat, "symlinkat", At(1)),
    (libc::SYS_unlink, "unlink", Named(0)),
    (libc::SYS_unlinkat, "unlinkat", At(0)),
    (libc::SYS_rmdir, "rmdir", Named(0)),
    (libc::SYS_mkdir, "mkdir", Named(0)),
    (libc::SYS_mkdirat, "mkdirat", At(0)),
    (libc::SYS_mknodat, "mknodat", At(0)),
    (libc::SYS_fsync, "fsync", Fd(0)),
    (libc::SYS_fdatasync, "fdatasync", Fd(0)),
    (libc::SYS_syncfs, "syncfs", Fd(0)),
    (libc::SYS_chmod, "chmod", Named(0)),
    (libc::SYS_fchmod, "fchmod", Fd(0)),
    (libc::SYS_fchmodat, "fchmodat", At(0)),
    (libc::SYS_chown, "chown", Named(0)),
    (libc::SYS_fchown, "fchown", Fd(0)),
    (libc::SYS_fchownat, "fchownat", At(0)),
    (libc::SYS_setxattr, "setxattr", Named(0)),
    (libc::SYS_fsetxattr, "fsetxattr", Fd(0)),
    (libc::SYS_utimensat, "utimensat", At(0)),
    (libc::SYS_mount, "mount", Named(1)),
    (libc::SYS_umount2, "umount2", Named(0)),
    (libc::SYS_move_mount, "move_mount", At(2)),
    (libc::SYS_pivot_root, "pivot_root", Named(0)),
];

/// Runs a command to its end and asks `decide` before each system call that changes something.
/// `program` is the executable whose own calls are told from those of the programs it runs.
pub(crate) fn run(
    mut command: Command,
    program: &Path,
    mut decide: impl FnMut(&Point) -> Act,
) -> std::io::Result<Ended> {
    let (mut out, mut err) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(err.try_clone()?);
    let filter = filter();
    // SAFETY: `be_traced` makes system calls only.
    unsafe { command.pre_exec(move || be_traced(&filter)) };
    let root = command.spawn()?.id() as i32;
    drop(command);
    let living = Arc::new(Mutex::new(BTreeSet::from([root])));
    let (ended, watched) = mpsc::channel::<()>();
    let all = Arc::clone(&living);
    let watchdog = std::thread::spawn(move || {
        let late = watched.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout);
        if late {
            kill(&all);
        }
        late
    });
    let (status, points) = follow(root, program, &living, &mut decide)?;
    drop(ended);
    let hung = watchdog.join().unwrap_or(true);
    let text = |file: &mut std::fs::File| {
        let mut bytes = Vec::new();
        file.rewind().and_then(|()| file.read_to_end(&mut bytes))?;
        Ok::<_, std::io::Error>(String::from_utf8_lossy(&bytes).into_owned())
    };
    let mut ran = Ran { code: status, out: text(&mut out)?, err: text(&mut err)? };
    if hung {
        ran.err += "\nit hung and was killed";
    }
    Ok(Ended { ran, points })
}

fn kill(living: &Mutex<BTreeSet<i32>>) {
    for pid in living.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        // SAFETY: only a signal to a process that this thread traces.
        unsafe { libc::kill(*pid, libc::SIGKILL) };
    }
}

/// In the child: stop before the system calls of the table, whoever makes them.
fn be_traced(filter: &[libc::sock_filter]) -> std::io::Result<()> {
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
    // SAFETY: the program lives until prctl has copied it.
    let done = unsafe {
        libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) == 0
            && libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &program) == 0
    };
    if done { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}

fn filter() -> Vec<libc::sock_filter> {
    let line = |code: u32, jt, k| libc::sock_filter { code: code as u16, jt, jf: 0, k };
    let mut lines = vec![line(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0)];
    for (n, (number, ..)) in CALLS.iter().enumerate() {
        let to_the_end = (CALLS.len() - n) as u8;
        lines.push(line(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, to_the_end, *number as u32));
    }
    lines.push(line(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ALLOW));
    lines.push(line(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_TRACE));
    lines
}

/// Waits for all tracees until none is left; the exit code of the first, and the points.
fn follow(
    root: i32,
    program: &Path,
    living: &Mutex<BTreeSet<i32>>,
    decide: &mut dyn FnMut(&Point) -> Act,
) -> std::io::Result<(Option<i32>, usize)> {
    let lock = || living.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut code, mut points) = (None, 0);
    let mut started = false;
    loop {
        let mut status = 0;
        // SAFETY: `status` is ours; only children and tracees of this thread are waited for.
        let pid = unsafe { libc::waitpid(-1, &mut status, libc::__WALL | libc::__WNOTHREAD) };
        if pid < 0 {
            let error = std::io::Error::last_os_error();
            match error.raw_os_error() {
                Some(libc::EINTR) => continue,
                Some(libc::ECHILD) => return Ok((code, points)),
                _ => return Err(error),
            }
        }
        if libc::WIFEXITED(status) || libc::WIFSIGNALED(status) {
            lock().remove(&pid);
            if pid == root {
                code = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
            }
            continue;
        }
        let (signal, event) = (libc::WSTOPSIG(status), status >> 16);
        let new = lock().insert(pid);
        let mut pass = 0;
        if !started {
            started = true;
            let options = libc::PTRACE_O_TRACESECCOMP
                | libc::PTRACE_O_TRACEFORK
                | libc::PTRACE_O_TRACEVFORK
                | libc::PTRACE_O_TRACECLONE
                | libc::PTRACE_O_TRACEEXEC
                | libc::PTRACE_O_EXITKILL;
            request(libc::PTRACE_SETOPTIONS, pid, options as usize)?;
        } else if event == libc::PTRACE_EVENT_SECCOMP {
            if let Some(mut point) = point(pid, program) {
                points += 1;
                point.index = points;
                act(decide(&point), pid, root, living)?;
            }
        } else if event == 0 && !(new && signal == libc::SIGSTOP) {
            pass = signal;
        }
        // One that was killed meanwhile has nothing to continue.
        let _ = request(libc::PTRACE_CONT, pid, pass as usize);
    }
}

fn act(act: Act, pid: i32, root: i32, living: &Mutex<BTreeSet<i32>>) -> std::io::Result<()> {
    match act {
        Act::Go => {}
        Act::Fail(errno) => {
            let mut registers = registers(pid)?;
            registers.orig_rax = u64::MAX;
            registers.rax = (-i64::from(errno)) as u64;
            request(libc::PTRACE_SETREGS, pid, &raw const registers as usize)?;
        }
        // SAFETY: only a signal to a process that this thread traces.
        Act::Kill => drop(unsafe { libc::kill(root, libc::SIGKILL) }),
        Act::KillAll => kill(living),
    }
    Ok(())
}

fn request(what: libc::c_uint, pid: i32, data: usize) -> std::io::Result<()> {
    // SAFETY: requests that take a number, or a pointer to something of the caller's.
    match unsafe { libc::ptrace(what, pid, 0, data) } {
        -1 => Err(std::io::Error::last_os_error()),
        _ => Ok(()),
    }
}

fn registers(pid: i32) -> std::io::Result<libc::user_regs_struct> {
    // SAFETY: a structure of numbers, which the kernel fills.
    let mut registers: libc::user_regs_struct = unsafe { std::mem::zeroed() };
    request(libc::PTRACE_GETREGS, pid, &raw mut registers as usize)?;
    Ok(registers)
}

/// The system call at which `pid` stopped, if it changes something that stays.
fn point(pid: i32, program: &Path) -> Option<Point> {
    let registers = registers(pid).ok()?;
    let argument =
        |n: usize| [registers.rdi, registers.rsi, registers.rdx, registers.r10, registers.r8][n];
    let (_, name, names) = CALLS.iter().find(|call| call.0 as u64 == registers.orig_rax)?;
    let flags = match *name {
        "open" => argument(1),
        "openat" => argument(2),
        "openat2" => word(pid, argument(2))?,
        _ => libc::O_CREAT as u64,
    };
    // The bit of O_TMPFILE that is not O_DIRECTORY.
    let made = libc::O_CREAT | libc::O_TRUNC | libc::O_TMPFILE & !libc::O_DIRECTORY;
    if flags & made as u64 == 0 {
        return None;
    }
    let fd = |n: usize| PathBuf::from(format!("/proc/{pid}/fd/{}", argument(n) as i32));
    let (path, file) = match *names {
        Fd(n) => (fd(n).read_link().ok()?, Some(fd(n))),
        Named(n) => (text(pid, argument(n))?, None),
        At(n) => {
            let directory = match argument(n) as i32 {
                libc::AT_FDCWD => PathBuf::from(format!("/proc/{pid}/cwd")),
                _ => fd(n),
            };
            let path = text(pid, argument(n + 1))?;
            (directory.read_link().unwrap_or_default().join(path), None)
        }
    };
    let exe = Path::new(&format!("/proc/{pid}/exe")).read_link().ok();
    let ours = exe.as_deref() == Some(program);
    let answer = ours && file.is_some() && matches!(argument(0), 1 | 2);
    // Pipes, terminals, and the settings of namespaces do not stay.
    let stays = path.is_absolute() && !path.starts_with("/proc") && !path.starts_with("/dev/pts");
    if !(stays || answer) || path == Path::new("/dev/null") {
        return None;
    }
    let path = if answer { PathBuf::from("(the answer)") } else { path };
    Some(Point { index: 0, name, path, file, ours })
}

fn memory(pid: i32) -> Option<std::fs::File> {
    std::fs::File::open(format!("/proc/{pid}/mem")).ok()
}

fn word(pid: i32, at: u64) -> Option<u64> {
    let mut bytes = [0; 8];
    memory(pid)?.read_exact_at(&mut bytes, at).ok()?;
    Some(u64::from_ne_bytes(bytes))
}

fn text(pid: i32, at: u64) -> Option<PathBuf> {
    let file = memory(pid)?;
    let mut text = Vec::new();
    let mut bytes = [0; 256];
    while text.len() < 4096 {
        let read = file.read_at(&mut bytes, at + text.len() as u64).ok().filter(|n| *n > 0)?;
        let end = bytes[..read].iter().position(|b| *b == 0);
        text.extend_from_slice(&bytes[..end.unwrap_or(read)]);
        if end.is_some() {
            return Some(OsString::from_vec(text).into());
        }
    }
    None
}
