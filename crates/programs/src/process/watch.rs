//! Waiting for a program: its output read, its time and the wish to cancel looked at.

#![expect(clippy::disallowed_methods, reason = "which processes there are is in /proc")]

use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use files::limits::Limits;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::process::{Pid, Signal};

use super::output::Capture;
use super::spawn::Running;
use super::spill::Spills;
use super::{Containment, Exit, Finished};

/// How long a wish to cancel may go unseen, or a question for the output.
const LOOK: Duration = Duration::from_millis(50);

/// How long processes that were killed get to disappear.
const VANISH: Duration = Duration::from_secs(5);

/// Signals that end a program when nothing else does. Shells report them as 128 + signal.
/// SIGHUP is left out: git means something else by 129.
const FATAL: &[i32] = &[2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 14, 15, 24, 25, 31];

pub(super) struct Watch<'a> {
    running: Running,
    start: Instant,
    /// Whether init has told that the program began.
    began: bool,
    /// Whether it has told that the program ended.
    ended: bool,
    /// Whether init reported that no process of the program is left.
    alone: bool,
    /// The process id of the program, if it could be found out.
    pub(super) program: Option<Pid>,
    pub(super) stdout: Capture<'a>,
    pub(super) stderr: Capture<'a>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(running: Running, limits: &Limits, spills: &'a Spills) -> Self {
        Self {
            running,
            start: Instant::now(),
            began: false,
            ended: false,
            alone: false,
            program: None,
            stdout: Capture::new("stdout", limits, spills),
            stderr: Capture::new("stderr", limits, spills),
        }
    }

    /// With files that have the output from its beginning.
    pub(super) fn into_files(self) -> Self {
        let (stdout, stderr) = (self.stdout.into_file(), self.stderr.into_file());
        Self { stdout, stderr, ..self }
    }

    /// What the program did, after it was waited for; and what is to be dropped when nobody waits.
    pub(super) fn finish(mut self, exit: Exit, ended: usize) -> (Finished, Running) {
        let finished = Finished {
            exit,
            stdout: self.stdout.finish(),
            stderr: self.stderr.finish(),
            wall: self.start.elapsed(),
            containment: Containment::default(),
            writable: Vec::new(),
            ended,
            advice: Vec::new(),
        };
        self.running.served = None;
        (finished, self.running)
    }

    /// Until the program has ended, and everything it started with it; also how many processes
    /// were left and killed. After `timeout`, or once `stop` says so, the program is asked to end,
    /// and killed after `grace`.
    pub(super) fn wait(
        &mut self,
        timeout: Duration,
        grace: Duration,
        mut stop: impl FnMut(&Self) -> bool,
    ) -> (Exit, usize) {
        let start = self.start;
        let mut ending: Option<(Exit, Instant)> = None;
        let exit = loop {
            if ending.is_none() {
                let exit = if stop(self) {
                    Some(Exit::Cancelled)
                } else {
                    (start.elapsed() >= timeout).then_some(Exit::TimedOut(timeout))
                };
                if let Some(exit) = exit {
                    self.running.terminate();
                    ending = Some((exit, Instant::now() + grace));
                }
            }
            let rest = match &ending {
                Some((_, until)) => until.saturating_duration_since(Instant::now()),
                None => timeout.saturating_sub(start.elapsed()),
            };
            let gone = self.read_some(rest.min(LOOK));
            let mut status = None;
            while let Some(word) = self.running.reported() {
                if !std::mem::replace(&mut self.began, true) {
                    self.program = self.running.program(word);
                } else if !std::mem::replace(&mut self.ended, true) {
                    status = Some(word);
                } else {
                    self.alone = word == 1;
                }
            }
            match (ending, status) {
                // What was asked to end has ended only when all of it has.
                (Some((exit, until)), _) if gone || Instant::now() >= until => break exit,
                (None, Some(status)) => break exit_of(status),
                (None, None) if gone => {
                    // Somebody killed init: the rest of the program must not live on.
                    if let Some(program) = self.program.filter(|_| !self.running.has_namespace()) {
                        end_session(program);
                    }
                    break Exit::Signal(Signal::KILL.as_raw());
                }
                _ => {}
            }
        };
        // The kernel takes some time to take init and its namespaces down. If nothing else is in
        // there, nobody has to wait for it.
        let mut left = 0;
        if !self.alone {
            left = below(self.running.init());
            self.running.kill();
            let killed = Instant::now();
            while !self.read_some(LOOK) && killed.elapsed() < VANISH {}
        }
        // Whoever could write more is dead, so this is what is left in the pipes, which hold less.
        for _ in 0..256 {
            let out = read_chunk(&self.running.stdout, &mut self.stdout);
            if !read_chunk(&self.running.stderr, &mut self.stderr) && !out {
                break;
            }
        }
        (exit, left)
    }

    /// Waits for output, a report or the end, at most `time`. Whether the guard is gone.
    fn read_some(&mut self, time: Duration) -> bool {
        let time = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() };
        let run = &self.running;
        let streams = [(&run.stdout, &mut self.stdout), (&run.stderr, &mut self.stderr)];
        let open: Vec<_> = streams.into_iter().filter(|(_, capture)| capture.takes()).collect();
        let mut fds = vec![&run.gone];
        fds.extend(open.iter().map(|(pipe, _)| *pipe));
        // Its end is seen before init is gone, and is no news.
        fds.extend((!self.ended).then_some(&run.report));
        let mut fds: Vec<_> = fds.into_iter().map(|fd| PollFd::new(fd, PollFlags::IN)).collect();
        if rustix::event::poll(&mut fds, Some(&time)).is_err() {
            return false; // a signal; the caller comes back
        }
        for ((pipe, capture), fd) in open.into_iter().zip(&fds[1..]) {
            if !fd.revents().is_empty() {
                read_chunk(pipe, capture);
            }
        }
        !fds[0].revents().is_empty()
    }
}

/// Reads once; whether there may be more.
fn read_chunk(pipe: &OwnedFd, capture: &mut Capture<'_>) -> bool {
    let mut buffer = [0; 64 << 10];
    match rustix::io::read(pipe, &mut buffer) {
        Ok(0) => capture.closed = true,
        Ok(read) => {
            capture.push(&buffer[..read]);
            return true;
        }
        Err(Errno::AGAIN) => {}
        Err(Errno::INTR) => return true,
        Err(_) => capture.closed = true,
    }
    false
}

fn exit_of(status: i32) -> Exit {
    let status = ExitStatus::from_raw(status);
    match (status.signal(), status.code()) {
        (Some(signal), _) => Exit::Signal(signal),
        (None, Some(code)) if FATAL.contains(&(code - 128)) => Exit::Signal(code - 128),
        (None, code) => Exit::Code(code.unwrap_or_default()),
    }
}

/// Kills all of the session that `program` leads, without an init that could tell who is in it. Who
/// has ended meanwhile is no longer a member when it is looked again.
fn end_session(program: Pid) {
    let _ = rustix::process::kill_process_group(program, Signal::KILL);
    let start = Instant::now();
    while start.elapsed() < VANISH {
        let numbers = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let members: Vec<Pid> = numbers
            .filter_map(Pid::from_raw)
            .filter(|pid| session_of(*pid) == Some(program))
            .collect();
        if members.is_empty() {
            return;
        }
        for pid in members {
            let _ = rustix::process::kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The leader of the session that a living process is in.
fn session_of(pid: Pid) -> Option<Pid> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let living = !matches!(fields.next()?, "Z" | "X");
    let session = Pid::from_raw(fields.nth(2)?.parse().ok()?)?; // after the parent and the group
    living.then_some(session)
}

/// How many processes live below `pid`, without what is dead and waits to be looked at.
fn below(pid: Pid) -> usize {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let children: Vec<Pid> = tasks
        .filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|list| {
            list.split(' ').filter_map(|p| Pid::from_raw(p.parse().ok()?)).collect::<Vec<_>>()
        })
        .collect();
    children.into_iter().map(|child| usize::from(counts(child)) + below(child)).sum()
}

fn counts(pid: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let Some((_, after)) = stat.rsplit_once(')') else { return false };
    !after.starts_with(" Z") && !after.starts_with(" X")
}
