//! Programs that go on after the call that started them, such as servers.
//!
//! Each is watched by a thread of its own, which keeps its output in the bounds of any other
//! program's and answers questions for it. Stopping it, ending the session and the death of the
//! server end it as they end any program, with all it started. When the program itself ends, what
//! it left running is ended too.

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fault::{Cancel, Error, Result};
use files::journal::Layers;
use files::limits::Limits;
use files::workspace::Workspace;
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::pipe::PipeFlags;

use super::spill::Spills;
use super::tally::Counted;
use super::watch::Watch;
use super::{Exit, Output, Program, Runner, port};

/// How often a port is looked at while it is waited for.
const PORT_LOOK: Duration = Duration::from_millis(50);

/// How long a question for the output, or the end of a program, is waited for.
pub(super) const ANSWER: Duration = Duration::from_secs(10);

/// What to start.
#[derive(Clone, Copy, Debug)]
pub struct Background<'a> {
    /// By what it is stopped and asked for; unique among those that run.
    pub name: &'a str,
    /// The program. Its `timeout` is how long the port is waited for; there is no time at which it
    /// is ended.
    pub program: Program<'a>,
    /// The TCP port that it will listen on, free until now.
    pub port: Option<u16>,
    /// Its input stays open for [`Runner::input`]; else it is empty.
    pub input: bool,
}

/// A program in the background, as it is at the moment.
#[derive(Clone, Debug)]
pub struct Going {
    /// What it is called.
    pub name: String,
    /// Its process id.
    pub pid: Option<i32>,
    /// The port it was to listen on.
    pub port: Option<u16>,
    /// Whether somebody listens on that port.
    pub listens: bool,
    /// How it ended; `None` while it runs.
    pub exit: Option<Exit>,
    /// What it printed until now.
    pub stdout: Output,
    /// What it printed as errors until now.
    pub stderr: Output,
    /// How long it has run.
    pub wall: Duration,
}

/// What the runner keeps of one program.
pub(super) struct Kept {
    name: String,
    port: Option<u16>,
    started: Instant,
    shared: Arc<Shared>,
    /// What writes to its input, until that is closed.
    input: Arc<Mutex<Option<OwnedFd>>>,
}

/// What a program's thread and those who ask share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    now: Mutex<Now>,
    changed: Condvar,
    pub(super) stop: AtomicBool,
}

#[derive(Debug, Default)]
pub(super) struct Now {
    pub(super) pid: Option<i32>,
    /// Somebody wants to see the output.
    asked: bool,
    stdout: Output,
    pub(super) stderr: Output,
    pub(super) end: Option<(Exit, Duration)>,
}

impl Runner {
    /// Starts a program that goes on, and waits until it listens on its port, ends, or the time is
    /// up; what came of it is in the result.
    ///
    /// # Errors
    /// `PortInUse` if somebody listens on the port already, `InvalidInput` if a program of this
    /// name runs or too many do, and as [`Runner::run`]. Cancelled, it is stopped.
    pub fn start(
        &self,
        workspace: &Workspace,
        start: &Background<'_>,
        cancel: &Cancel,
    ) -> Result<Going> {
        cancel.check()?;
        if let Some(port) = start.port
            && port::is_open(port).map_err(|e| Error::io("/proc/net/tcp", &e))?
        {
            return Err(Error::port_in_use(port));
        }
        // It works on the roots themselves: a server and a watcher are to be seen at work.
        let mut ready = self.ready(workspace, &start.program, &Layers::default())?;
        let mut input = None;
        if start.input {
            let fail = |e: Errno| Error::not_started(&ready.name, &e.into());
            let (its, ours) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC).map_err(fail)?;
            rustix::fs::fcntl_setfl(&ours, OFlags::WRONLY | OFlags::NONBLOCK).map_err(fail)?;
            (ready.launch.input, input) = (Some(its), Some(ours));
        }
        let shared = Arc::new(Shared::default());
        {
            let mut kept = self.kept();
            kept.retain(|other| other.name != start.name || other.shared.runs());
            let running = kept.iter().filter(|other| other.shared.runs()).count();
            if kept.iter().any(|other| other.name == start.name) {
                return Err(Error::background_taken(start.name));
            }
            let most = workspace.limits().background;
            if running >= most {
                return Err(Error::too_many_in_background(most));
            }
            let counted = self.tally.count()?;
            let started = ready.launch.start(&|| counted.is_ending());
            let running = started.map_err(|e| e.into_error(&ready.name, &ready.path))?;
            let (limits, spills) = (workspace.limits().clone(), Arc::clone(&self.spills));
            let theirs = Arc::clone(&shared);
            std::thread::Builder::new()
                .name("background".to_owned())
                .spawn(move || attend(running, &limits, &spills, &counted, &theirs))
                .map_err(|e| Error::not_started(&ready.name, &e))?;
            let (name, port) = (start.name.to_owned(), start.port);
            let (started, shared) = (Instant::now(), Arc::clone(&shared));
            kept.push(Kept { name, port, started, shared, input: Arc::new(Mutex::new(input)) });
        }
        let began = Instant::now();
        let opened = || start.port.is_none_or(|port| port::is_open(port).unwrap_or(false));
        // One without a port gets a moment too: what cannot even begin says so at once.
        let least = if start.port.is_some() { Duration::ZERO } else { PORT_LOOK * 4 };
        while shared.runs() && began.elapsed() < start.program.timeout {
            if cancel.is_cancelled() {
                self.stop(workspace, start.name)?;
                return Err(Error::cancelled());
            }
            // A port may open before it was read which process the program is.
            if began.elapsed() >= least && opened() && shared.now().pid.is_some() {
                break;
            }
            shared.wait_for_end(PORT_LOOK);
        }
        self.background_program(workspace, start.name)
    }

    /// Every program that was started in the background and not stopped, in that order.
    pub fn background_programs(&self, workspace: &Workspace) -> Vec<Going> {
        let kept: Vec<_> = self.kept().iter().map(Kept::share).collect();
        kept.iter().map(|kept| self.going(workspace, kept)).collect()
    }

    /// The program of this name, with what it printed until now.
    ///
    /// # Errors
    /// `InvalidInput` that names those there are.
    pub fn background_program(&self, workspace: &Workspace, name: &str) -> Result<Going> {
        let kept = self.find_kept(name)?;
        Ok(self.going(workspace, &kept))
    }

    /// Stops a program: asks it to end, kills it and all it started if it does not, and forgets it.
    ///
    /// # Errors
    /// As [`Runner::background_program`].
    pub fn stop(&self, workspace: &Workspace, name: &str) -> Result<Going> {
        let kept = self.find_kept(name)?;
        kept.shared.stop.store(true, Ordering::Relaxed);
        kept.shared.wait_for_end(ANSWER);
        let going = self.going(workspace, &kept);
        self.kept().retain(|other| !Arc::ptr_eq(&other.shared, &kept.shared));
        Ok(going)
    }

    /// Writes to the input of a program that was started with one, and closes it at the end if
    /// `close` says so.
    ///
    /// # Errors
    /// `InvalidInput` if the program reads nothing more, or not in time; `Cancelled`.
    pub fn input(&self, name: &str, bytes: &[u8], close: bool, cancel: &Cancel) -> Result<()> {
        let kept = self.find_kept(name)?;
        let mut input = kept.input.lock().unwrap_or_else(PoisonError::into_inner);
        let (began, mut rest) = (Instant::now(), bytes);
        while !rest.is_empty() {
            let Some(fd) = input.as_ref() else { return Err(Error::input_closed()) };
            match rustix::io::write(fd, rest) {
                Ok(written) => rest = &rest[written..],
                Err(Errno::AGAIN | Errno::INTR) if began.elapsed() < ANSWER => {
                    cancel.check()?;
                    kept.shared.wait_for_end(PORT_LOOK);
                }
                Err(Errno::AGAIN) => {
                    return Err(Error::input_full(bytes.len() - rest.len(), bytes.len()));
                }
                Err(_) => {
                    *input = None;
                    return Err(Error::input_closed());
                }
            }
        }
        if close {
            *input = None;
        }
        Ok(())
    }

    /// The ports of the programs that run.
    pub(super) fn background_ports(&self) -> Vec<u16> {
        let kept = self.kept();
        kept.iter().filter(|kept| kept.shared.runs()).filter_map(|kept| kept.port).collect()
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.background.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find_kept(&self, name: &str) -> Result<Kept> {
        let kept = self.kept();
        kept.iter().find(|kept| kept.name == name).map(Kept::share).ok_or_else(|| {
            let names: Vec<_> = kept.iter().map(|kept| kept.name.as_str()).collect();
            Error::not_in_background(name, &names)
        })
    }

    fn going(&self, workspace: &Workspace, kept: &Kept) -> Going {
        let now = kept.shared.look();
        if now.stdout.spill.is_some() || now.stderr.spill.is_some() {
            workspace.let_read_spilled(&self.spills.folder());
        }
        let listens = kept.port.is_some_and(|port| port::is_open(port).unwrap_or(false));
        Going {
            name: kept.name.clone(),
            pid: now.pid,
            port: kept.port,
            listens: listens && now.end.is_none(),
            exit: now.end.map(|(exit, _)| exit),
            stdout: now.stdout.clone(),
            stderr: now.stderr.clone(),
            wall: now.end.map_or_else(|| kept.started.elapsed(), |(_, wall)| wall),
        }
    }
}

impl Kept {
    fn share(&self) -> Self {
        let (shared, input) = (Arc::clone(&self.shared), Arc::clone(&self.input));
        Self { name: self.name.clone(), port: self.port, started: self.started, shared, input }
    }
}

impl Shared {
    pub(super) fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn runs(&self) -> bool {
        self.now().end.is_none()
    }

    pub(super) fn wait_for_end(&self, most: Duration) {
        drop(self.changed.wait_timeout_while(self.now(), most, |now| now.end.is_none()));
    }

    /// What is known, with the output as it is now.
    fn look(&self) -> MutexGuard<'_, Now> {
        let mut now = self.now();
        now.asked = now.end.is_none();
        let answered = self.changed.wait_timeout_while(now, ANSWER, |now| now.asked);
        answered.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// The whole life of the thread that watches a program.
pub(super) fn attend(
    running: super::spawn::Running,
    limits: &Limits,
    spills: &Spills,
    counted: &Counted,
    shared: &Shared,
) {
    let mut watch = Watch::new(running, limits, spills).into_files();
    let (exit, left) = watch.wait(Duration::MAX, limits.kill_grace, |watch| {
        let mut now = shared.now();
        now.pid = watch.program.map(|pid| pid.as_raw_pid());
        if now.asked {
            now.stdout = watch.stdout.so_far();
            now.stderr = watch.stderr.so_far();
            now.asked = false;
            shared.changed.notify_all();
        }
        shared.stop.load(Ordering::Relaxed) || counted.is_ending()
    });
    let (finished, _) = watch.finish(exit, left);
    let mut now = shared.now();
    now.asked = false;
    now.end = Some((finished.exit, finished.wall));
    (now.stdout, now.stderr) = (finished.stdout, finished.stderr);
    shared.changed.notify_all();
}
