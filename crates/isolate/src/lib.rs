//! Work on foreign bytes in a process of its own, with limits.
//!
//! Some converters call themselves for each layer of a page, or take time that grows with the square
//! of its length, and cannot be told to stop. Without this crate a stranger's page could end the
//! server or hold it up. Here such work runs in a copy of the process that has nothing open but one
//! pipe; when it takes too long or too much memory the copy is ended, and the server lives on.
//!
//! ```
//! let limits = isolate::Limits::default();
//! let text = isolate::run(&limits, &|| false, || "as bytes".repeat(2).into_bytes())?;
//! assert_eq!(text, b"as bytesas bytes");
//! # Ok::<(), isolate::Ended>(())
//! ```

mod child;

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, pidfd_open, pidfd_send_signal, waitid,
};

/// How often the parent looks whether the result is still wanted.
const LOOK: Duration = Duration::from_millis(20);

/// What one piece of work may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Memory beside what the process has already, in bytes of address space.
    pub memory: u64,
    /// From beginning to end; of the processor's time no more than that either.
    pub time: Duration,
    /// Bytes of the result.
    pub output: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { memory: 512 << 20, time: Duration::from_secs(5), output: 64 << 20 }
    }
}

/// Why there is no result.
#[derive(Debug)]
pub enum Ended {
    /// Nobody wants it any more.
    Stopped,
    /// It took longer than it may.
    TooLong,
    /// Its result has more bytes than it may.
    TooLarge,
    /// It ended by itself without a result: no memory or stack was left, or it panicked.
    Crashed,
    /// The system gave no process or pipe.
    System(io::Error),
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => f.write_str("stopped before it was done"),
            Self::TooLong => f.write_str("took longer than it may"),
            Self::TooLarge => f.write_str("gave more than it may"),
            Self::Crashed => f.write_str("took more memory or stack than it may"),
            Self::System(error) => write!(f, "no process for it: {error}"),
        }
    }
}

impl std::error::Error for Ended {}

impl<E: Into<io::Error>> From<E> for Ended {
    fn from(error: E) -> Self {
        Self::System(error.into())
    }
}

/// Runs `work` in a copy of this process and gives what it returns.
///
/// The copy has only the calling thread: `work` must not wait for a lock that another thread may
/// hold, nor for a value that another thread may be making. Nothing that it changes is seen here.
///
/// # Errors
/// Why it gave no result; `stop` is asked many times a second.
pub fn run(
    limits: &Limits,
    stop: &dyn Fn() -> bool,
    work: impl FnOnce() -> Vec<u8>,
) -> Result<Vec<u8>, Ended> {
    let until = Instant::now() + limits.time;
    let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    let space = address_space()?;
    let pid = child::fork(limits, space, &writer, work)?;
    drop(writer);
    let child = Child::of(pid)?;
    let result = read(&reader, limits, until, stop);
    let ended_well = child.end(result.is_ok())?;
    match result? {
        bytes if ended_well => Ok(bytes),
        _ if Instant::now() >= until => Err(Ended::TooLong),
        _ => Err(Ended::Crashed),
    }
}

/// Reads the result until the child closes its end.
fn read(
    reader: &OwnedFd,
    limits: &Limits,
    until: Instant,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<u8>, Ended> {
    let mut file = File::from(reader.try_clone()?);
    let (mut bytes, mut part) = (Vec::new(), vec![0; 64 << 10]);
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Ended::TooLong);
        }
        if stop() {
            return Err(Ended::Stopped);
        }
        let wait = Timespec::try_from(left.min(LOOK)).ok();
        if poll(&mut [PollFd::new(reader, PollFlags::IN)], wait.as_ref())? == 0 {
            continue;
        }
        match file.read(&mut part)? {
            0 => return Ok(bytes),
            count if bytes.len() + count > limits.output => return Err(Ended::TooLarge),
            count => bytes.extend_from_slice(&part[..count]),
        }
    }
}

/// The address space of this process, in bytes.
#[expect(clippy::disallowed_methods, reason = "only the kernel says so, and in a file")]
fn address_space() -> io::Result<u64> {
    let text = std::fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmSize:")?.strip_suffix("kB"));
    let kilobytes = line.and_then(|number| number.trim().parse::<u64>().ok());
    let unread = || io::Error::other("/proc/self/status does not say how large the process is");
    Ok(kilobytes.ok_or_else(unread)? * 1024)
}

/// A process that is ended and waited for whatever happens.
struct Child(OwnedFd);

impl Child {
    fn of(pid: Pid) -> io::Result<Self> {
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(fd) => Ok(Self(fd)),
            Err(error) => {
                let _ = rustix::process::kill_process(pid, Signal::KILL);
                let _ = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty());
                Err(error.into())
            }
        }
    }

    /// Waits for the end, which is made now unless the child is done; whether it ended well.
    fn end(self, done: bool) -> io::Result<bool> {
        if !done {
            pidfd_send_signal(&self.0, Signal::KILL)?;
        }
        loop {
            match waitid(WaitId::PidFd(std::os::fd::AsFd::as_fd(&self.0)), WaitIdOptions::EXITED) {
                Err(rustix::io::Errno::INTR) => {}
                status => return Ok(status?.is_some_and(|s| s.exit_status() == Some(0))),
            }
        }
    }
}
