//! The only door to programs.
//!
//! Without this module a program could outlive its call, wait for an answer that nobody types, fill
//! the memory with what it prints, read the keys in the server's environment, or write where the
//! session must not. Here every program runs below an init of ours that ends all it started, in a
//! sandbox if the host has one, with a closed input, a chosen environment and bounded output.
//!
//! In the sandbox a program sees what [`view`] puts together: the system, the roots, and a home
//! that is empty but for what builds need; [`Reach`] is for the few that need less or more. What it
//! changes of the roots is written to a layer first and brought in when it ends (`journal::layer`).
//! [`Finished::writable`] says what it could write.

mod background;
mod cgroup;
mod child;
mod containment;
mod denied;
mod environment;
mod find;
mod gateway;
mod handover;
mod home;
mod host;
mod landlock;
mod landlock_calls;
mod loopback;
mod mount;
mod not_started;
mod output;
mod passing;
mod port;
mod program;
mod ready;
mod scratch;
mod seccomp;
mod settings;
mod spawn;
mod spill;
mod talk;
mod tally;
#[cfg(test)]
mod tests;
mod tick;
mod touches;
mod view;
mod watch;
mod writers;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

pub use background::{Background, Going};
pub use containment::{Containment, Fence};
pub use gateway::{Gateway, Leads, Network};
pub use output::{LINE_BYTES, Live, Output, Shown, Spill, Stream};
pub use program::{Line, Program, Reach};
pub use scratch::Scratch;
pub(crate) use settings::PersonsFiles;
pub use settings::{Exposed, Sandbox, Settings};
pub use talk::Talk;
pub(crate) use view::worktree_of;

use cgroup::Group;
use denied::Confinement;
use fault::{Bound, Cancel, Error, Result};
use files::journal::{Layers, OVERFLOW, Step};
use files::limits::Limits;
use files::state::State;
use files::workspace::Workspace;
use host::Found;
use scratch::ScratchRoot;
use spawn::{Confined, Launch, Running};
use spill::Spills;
use tally::Tally;
use watch::Watch;

/// What is told of a program that changed files and was ended by its timeout.
const KEPT_OF_TIMED_OUT: &str =
    "what the command had changed when it was ended was kept; undo takes it back";

/// Most programs that have ended and are not taken down yet.
const MOST_ENDING: usize = 8;

/// What is told of a program that changed more than can be looked through in its time.
const NOT_BROUGHT_IN: &str = "the command ended, but nothing that it changed was kept: looking \
     through its changes took longer than its time; give it more time, or change less at once";

/// What is told of a program that met with files which no layer can take.
const NO_LAYER_NEXT: &str = "files of another group cannot be changed in the layer that commands \
     write to; the next command of this session writes to the root itself, so run it again";

/// What Chromium and its kind are called, the likeliest first.
pub const BROWSERS: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
    "microsoft-edge-stable",
    "brave-browser",
];

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal, or by saying so in the way of shells (a code of 128 + signal).
    Signal(i32),
    /// It was ended, because it ran for this long.
    TimedOut(Duration),
    /// It was ended, because nobody wants its answer any more.
    Cancelled,
}

/// What a program did.
#[derive(Clone, Debug)]
pub struct Finished {
    /// How it ended.
    pub exit: Exit,
    /// What it printed.
    pub stdout: Output,
    /// What it printed as errors.
    pub stderr: Output,
    /// How long it ran.
    pub wall: Duration,
    /// What kept it in bounds.
    pub containment: Containment,
    /// Where it could write; empty if that was nowhere, or if it was not confined.
    pub writable: Vec<PathBuf>,
    /// How many processes it left running, which were killed.
    pub ended: usize,
    /// If it failed and its words tell that its sandbox refused something: what would allow that.
    /// What it left that does not last.
    pub advice: Vec<String>,
}

/// Runs the programs of one session. Nothing that it started outlives it, nor the server, however
/// that ends.
pub struct Runner {
    settings: Settings,
    env: Vec<(OsString, OsString)>,
    state: State,
    spills: Arc<Spills>,
    scratch: OnceLock<ScratchRoot>,
    found: OnceLock<Found>,
    tally: Arc<Tally>,
    background: Mutex<Vec<background::Kept>>,
    /// Programs that have ended, whose namespaces the kernel may still take down.
    ending: Mutex<VecDeque<Running>>,
    /// What builds need, and when that was looked at.
    builds: Mutex<Option<(Instant, Builds)>>,
}

/// What builds need, as rules of a view.
type Builds = Arc<Vec<(PathBuf, view::Rule)>>;

impl Runner {
    /// A runner for the session of this name. Nothing is looked at or made until the first call.
    pub fn new(settings: Settings, state: State, session: &str) -> Self {
        Self {
            env: environment::of_programs(&settings.env),
            settings,
            spills: Arc::new(Spills::new(state.clone(), session)),
            state,
            scratch: OnceLock::new(),
            found: OnceLock::new(),
            tally: Arc::default(),
            background: Mutex::default(),
            ending: Mutex::default(),
            builds: Mutex::default(),
        }
    }

    /// Runs a program to its end, and ends whatever it leaves in the background. Calls from several
    /// threads run side by side. What it changes becomes part of `step`; nothing, if it was
    /// cancelled and a layer took its changes.
    ///
    /// # Errors
    /// `CommandNotFound`, `DirectoryNotFound`, `NotADirectory`, `PathOutsideWorkspace`,
    /// `InvalidInput` for what no program can be given, `PermissionDenied` for a file that is not
    /// executable, `Cancelled` before the start. Once it runs, [`Finished::exit`] says how it ended.
    pub fn run(
        &self,
        workspace: &Workspace,
        program: &Program<'_>,
        step: Option<&Step<'_>>,
        cancel: &Cancel,
    ) -> Result<Finished> {
        self.run_live(workspace, program, step, cancel, None)
    }

    /// The same, and what it prints is shown as it comes.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub fn run_live(
        &self,
        workspace: &Workspace,
        program: &Program<'_>,
        step: Option<&Step<'_>>,
        cancel: &Cancel,
        live: Option<&dyn Live>,
    ) -> Result<Finished> {
        cancel.check()?;
        if step.is_some_and(Step::holds_programs) {
            let why = "it runs several programs, and each would see the root as it was before all";
            return Err(Error::cannot_rehearse(program.line.name(), why));
        }
        let step = step.filter(|_| program.reach.writes());
        let mut layers = match step {
            Some(step) if self.found().containment.layer => step.layers(workspace)?,
            _ => Layers::default(),
        };
        must_be_droppable(program, step, &layers)?;
        let counted = self.tally.count()?;
        let stop = || cancel.is_cancelled() || counted.is_ending();
        let (running, rules, network) =
            self.launch(workspace, program, step, &mut layers, &stop)?;
        let limits = workspace.limits();
        let mut watch = Watch::new(running, limits, &self.spills);
        if let Some(live) = live {
            watch.stdout.show(live, Stream::Out);
            watch.stderr.show(live, Stream::Err);
        }
        let (mut finished, running) = execute(watch, program.timeout, limits, stop);
        self.let_end(running);
        if finished.stdout.spill.is_some() || finished.stderr.spill.is_some() {
            workspace.let_read_spilled(&self.spills.folder());
        }
        // A program can print that for reasons of its own.
        let overflow = finished.exit != Exit::Code(0)
            && denied::says(&finished, OVERFLOW)
            && layers.met_foreign(workspace);
        if let Some(step) = step
            && finished.exit != Exit::Cancelled
        {
            let left = program.timeout.saturating_sub(finished.wall);
            let left = left.max(limits.bring_in_grace);
            let bound = Bound { until: Some(Instant::now() + left), stop: &stop };
            if !step.bring_in(workspace, layers, program.line.is_own(), &bound)? {
                finished.exit = if stop() {
                    Exit::Cancelled
                } else {
                    step.tell(NOT_BROUGHT_IN);
                    Exit::TimedOut(program.timeout)
                };
            }
        }
        if let (Some(step), Exit::TimedOut(_)) = (step, finished.exit)
            && step.has_changes()
        {
            step.tell(KEPT_OF_TIMED_OUT);
        }
        finished.containment = self.containment();
        finished.writable = rules.writable();
        let network = network.as_ref();
        let confinement = Confinement { workspace, rules: &rules, network, state: &self.state };
        finished.advice = confinement.advice(&finished);
        finished.advice.extend(self.passing(workspace, program, &rules));
        if overflow {
            finished.advice.insert(0, NO_LAYER_NEXT.to_owned());
        }
        Ok(finished)
    }

    /// A new empty directory for one call.
    ///
    /// # Errors
    /// `Io` or `PermissionDenied` if there is no place for temporary files.
    pub fn scratch(&self) -> Result<Scratch> {
        self.scratch_root()?.folder()
    }

    fn scratch_root(&self) -> Result<&ScratchRoot> {
        if self.scratch.get().is_none() {
            let temporary = environment::get(&self.settings.env, "TMPDIR");
            let temporary = temporary.map_or(Path::new("/tmp"), Path::new);
            let made = ScratchRoot::make(temporary)?;
            made.write_git_config(self.git_config());
            // Two threads may both make one; the first stays.
            let _ = self.scratch.set(made);
        }
        self.scratch.get().ok_or_else(|| Error::internal("no directory for temporary files"))
    }

    /// The person's settings of git that programs get: who commits, and how things look; nothing
    /// that could hold a key or name a program. As NUL-separated `name\nvalue`.
    fn git_config(&self) -> Vec<u8> {
        let find = || {
            let git = find::own("git", &self.settings.programs, &[])?;
            let dir = rustix::fs::open("/", rustix::fs::OFlags::PATH, rustix::fs::Mode::empty())
                .map_err(|e| Error::io("/", &e.into()))?;
            let argv = vec![git, "config".into(), "--global".into(), "--list".into(), "-z".into()];
            let launch = Launch {
                argv,
                env: self.env.clone(),
                dir,
                confined: Confined::No,
                limits: Vec::new(),
                gateway: None,
                group: Group::default(),
                input: None,
                output: None,
                is_seen: false,
            };
            let running =
                launch.start(&|| false).map_err(|e| e.into_error("git", Path::new("git")))?;
            let time = Duration::from_secs(5);
            let limits = Limits::default();
            let watch = Watch::new(running, &limits, &self.spills);
            let (done, _) = execute(watch, time, &limits, || false);
            Ok::<_, Error>(done.stdout.into_bytes(1 << 20).0)
        };
        find().unwrap_or_else(|e| {
            tracing::warn!("the settings of git were not read: {e}");
            Vec::new()
        })
    }

    /// What keeps programs in bounds on this host. The first question tries it.
    pub fn containment(&self) -> Containment {
        self.found().containment.clone()
    }

    /// Whether what a program does can be dropped: it is written to a layer, and nothing leaves
    /// over the network.
    pub fn can_be_dropped(&self) -> bool {
        self.is_offline() && self.containment().layer
    }

    /// Whether programs are kept from the network, as far as the sandbox of the host can hold them
    /// to that. Those whose work is with others ([`Reach::Online`]) are not.
    pub fn is_offline(&self) -> bool {
        self.settings.network == Network::Off
    }

    /// Whether the session is one call, made by hand.
    pub fn is_brief(&self) -> bool {
        self.settings.brief
    }

    /// Keeps what is left of a program that has ended for [`take_ended`](Self::take_ended). Where nobody calls
    /// that, the oldest go first: each holds descriptors.
    fn let_end(&self, running: Running) {
        let mut ending = self.ending.lock().unwrap_or_else(PoisonError::into_inner);
        ending.push_back(running);
        let oldest = if ending.len() > MOST_ENDING { ending.pop_front() } else { None };
        drop(ending); // which may have to wait
        drop(oldest);
    }

    /// What is left of programs that have ended, if anything is: dropping it waits. The kernel takes
    /// longer for that than for a small program, so it is done when the answer is on its way.
    pub fn take_ended(&self) -> Option<impl Send + use<>> {
        let mut ending = self.ending.lock().unwrap_or_else(PoisonError::into_inner);
        Some(std::mem::take(&mut *ending)).filter(|ended| !ended.is_empty())
    }

    /// Ends all programs that run, which their calls report as cancelled, and starts no more.
    pub fn end_all(&self) {
        self.tally.end(Duration::from_secs(10));
        drop(self.take_ended());
        self.scratch.get().into_iter().for_each(ScratchRoot::remove);
    }
}

/// In a rehearsal, refuses what could not be dropped.
fn must_be_droppable(
    program: &Program<'_>,
    step: Option<&Step<'_>>,
    layers: &Layers,
) -> Result<()> {
    let why = match step {
        Some(step) if step.is_dry() && layers.is_empty() => "no layer can be made here",
        Some(step) if step.is_dry() && program.reach.is_online() => "it works over the network",
        _ => return Ok(()),
    };
    Err(Error::cannot_rehearse(program.line.name(), why))
}

/// Waits for what was started to end.
fn execute(
    mut watch: Watch<'_>,
    timeout: Duration,
    limits: &Limits,
    stop: impl Fn() -> bool,
) -> (Finished, Running) {
    let (exit, ended) = watch.wait(timeout, limits.kill_grace, |_| stop());
    watch.finish(exit, ended)
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.end_all();
    }
}
