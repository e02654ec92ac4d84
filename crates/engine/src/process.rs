//! The only door to programs.
//!
//! Without this module a program could outlive its call, wait for an answer that nobody types, fill
//! the memory with what it prints, read the keys in the server's environment, or write where the
//! session must not. Here every program runs under a guard that ends all it started, in a sandbox
//! if the host has one, with a closed input, a chosen environment and bounded output.
//!
//! In the sandbox a program reads the whole file system except stores of keys and Kitbag's own
//! state. It writes to the roots of the workspace that may be written, to `/tmp`, and to the caches
//! of build tools; [`Reach`] is for the few that need less or more. What it may not write looks to it like a read-only file system (bubblewrap) or
//! like missing permission (Landlock); [`Finished::writable`] says what it could write. The network
//! stays open, because package managers need it.

mod background;
mod containment;
mod environment;
mod find;
mod host;
mod landlock;
mod output;
mod port;
mod program;
mod sandbox;
mod scratch;
mod spawn;
mod spill;
mod tally;
#[cfg(test)]
mod tests;
mod watch;

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use crate::cancel::Cancel;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::state::State;
use crate::workspace::Workspace;

pub use background::{Background, Going};
pub use containment::{Containment, Fence};
pub use output::{Output, Shown, Spill};
pub use program::{Line, Program, Reach};
pub(crate) use sandbox::worktree_of;
pub use scratch::Scratch;

use host::Found;
use sandbox::Plan;
use scratch::ScratchRoot;
use spawn::Launch;
use spill::Spills;
use tally::Tally;
use watch::Watch;

/// Which sandbox is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sandbox {
    /// Bubblewrap if it works, else Landlock if the kernel has it, else none, which is said.
    #[default]
    Auto,
    /// Landlock, though bubblewrap may work: programs start faster, less is kept from them.
    Landlock,
    /// None. Bubblewrap is still used for its process namespace.
    Off,
}

/// What the operator decides about programs.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The environment of the server. Programs get what of it is known to be harmless.
    pub env: Vec<(OsString, OsString)>,
    /// Which sandbox is wanted.
    pub sandbox: Sandbox,
    /// Further folders that programs may write to.
    pub writable: Vec<PathBuf>,
    /// Where bubblewrap is, if not in `/usr/bin` or in a folder of `PATH`.
    pub bubblewrap: Option<PathBuf>,
}

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
}

/// A program that can be started.
struct Ready {
    /// What messages call it.
    name: String,
    launch: Launch,
    /// Where it can write.
    writable: Vec<PathBuf>,
}

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
        }
    }

    /// Runs a program to its end, and ends whatever it leaves in the background. Calls from several
    /// threads run side by side.
    ///
    /// # Errors
    /// `CommandNotFound`, `DirectoryNotFound`, `NotADirectory`, `PathOutsideWorkspace`,
    /// `InvalidInput` for what no program can be given, `PermissionDenied` for a file that is not
    /// executable, `Cancelled` before the start. Once it runs, [`Finished::exit`] says how it ended.
    pub fn run(
        &self,
        workspace: &Workspace,
        program: &Program<'_>,
        cancel: &Cancel,
    ) -> Result<Finished> {
        cancel.check()?;
        let ready = self.ready(workspace, program)?;
        let counted = self.tally.count()?;
        let stop = || cancel.is_cancelled() || counted.is_ending();
        let limits = workspace.limits();
        let finished = execute(ready.launch, &self.spills, program.timeout, limits, stop);
        let mut finished = finished.map_err(|e| Error::not_started(&ready.name, &e))?;
        let failure = setup_failure(finished.exit, &finished.stdout, &finished.stderr);
        if let Some(why) = failure.filter(|_| self.found().bubblewrap.is_some()) {
            return Err(Error::sandbox_failed(&why));
        }
        if finished.stdout.spill.is_some() || finished.stderr.spill.is_some() {
            workspace.let_read_spilled(&self.spills.folder());
        }
        finished.containment = self.containment();
        finished.writable = ready.writable;
        Ok(finished)
    }

    /// Finds the program and puts what confines it around it.
    fn ready(&self, workspace: &Workspace, program: &Program<'_>) -> Result<Ready> {
        let (dir, path) = workspace.folder(program.dir)?.into_parts();
        let (name, argv) = self.command_line(program, &dir)?;
        for (variable, value) in program.env {
            if variable.is_empty() || variable.contains(['=', '\0']) || value.contains('\0') {
                return Err(Error::invalid_input(
                    "env",
                    format!("{variable:?} cannot be a variable"),
                ));
            }
        }
        let found = self.found();
        let mut writable = Vec::new();
        let mut launch = Launch { argv, env: self.env.clone(), dir, landlock: None };
        if program.reach == Reach::Keys {
            launch.env.extend(environment::of_agents(&self.settings.env));
        }
        if found.containment.fence != Fence::Nothing {
            let hidden = self.state.folder("")?;
            let shown = self.spills.folder();
            let scratch = self.scratch.get().map(ScratchRoot::path);
            let plan =
                Plan::new(workspace, &self.settings, program.reach, &hidden, &shown, scratch);
            writable = plan.writable();
            if found.containment.fence == Fence::Landlock {
                let rules =
                    landlock::ruleset(&plan).map_err(|e| Error::sandbox_failed(&e.to_string()))?;
                launch.landlock = Some(rules);
            } else if let Some(bubblewrap) = &found.bubblewrap {
                launch.argv.splice(..0, plan.bubblewrap(bubblewrap, &path, program.env));
            }
        } else if let Some(bubblewrap) = &found.bubblewrap {
            launch.argv.splice(..0, sandbox::namespace_only(bubblewrap, &path, program.env));
        }
        if found.bubblewrap.is_none() {
            launch.env.extend(program.env.iter().map(|(n, v)| (n.into(), v.into())));
        }
        Ok(Ready { name, launch, writable })
    }

    /// A new empty folder for one call.
    ///
    /// # Errors
    /// `Io` or `PermissionDenied` if there is no place for temporary files.
    pub fn scratch(&self) -> Result<Scratch> {
        if self.scratch.get().is_none() {
            let temporary = environment::get(&self.settings.env, "TMPDIR");
            let temporary = temporary.map_or(Path::new("/tmp"), Path::new);
            // Two threads may both make one; the first stays.
            let _ = self.scratch.set(ScratchRoot::make(temporary)?);
        }
        let root = self.scratch.get();
        root.ok_or_else(|| Error::internal("no folder for temporary files"))?.folder()
    }

    /// What keeps programs in bounds on this host. The first question tries it.
    pub fn containment(&self) -> Containment {
        self.found().containment.clone()
    }

    /// Ends all programs that run, which their calls report as cancelled, and starts no more.
    pub fn end_all(&self) {
        self.tally.end(Duration::from_secs(10));
        self.scratch.get().into_iter().for_each(ScratchRoot::remove);
    }

    /// The name that messages call the program by, its path and its arguments.
    fn command_line(
        &self,
        program: &Program<'_>,
        dir: &OwnedFd,
    ) -> Result<(String, Vec<OsString>)> {
        let added = program.env.iter().rev().find(|(name, _)| name == "PATH");
        let path =
            added.map(|(_, value)| value.as_ref()).or_else(|| environment::get(&self.env, "PATH"));
        match program.line {
            Line::Shell(script) => {
                let bash =
                    find::find("bash", path, dir).or_else(|_| find::find("sh", path, dir))?;
                Ok(("bash".to_owned(), vec![bash, "-c".into(), "--".into(), script.into()]))
            }
            Line::Direct { name, args } => {
                let path = find::find(name, path, dir)?;
                let args = args.iter().map(OsString::from);
                Ok((name.to_owned(), std::iter::once(path).chain(args).collect()))
            }
            Line::Exact { name, args } => {
                let path = find::find(name, path, dir)?;
                Ok((name.to_owned(), std::iter::once(path).chain(args.iter().cloned()).collect()))
            }
        }
    }
}

/// Runs what was launched to its end.
fn execute(
    launch: Launch,
    spills: &Spills,
    timeout: Duration,
    limits: &Limits,
    stop: impl Fn() -> bool,
) -> std::io::Result<Finished> {
    let mut watch = Watch::new(launch.start()?, limits, spills);
    let (exit, ended) = watch.wait(timeout, limits.kill_grace, |_| stop());
    Ok(watch.finish(exit, ended))
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.end_all();
    }
}

/// What bubblewrap said if it ended before the program was started.
fn setup_failure(exit: Exit, stdout: &Output, stderr: &Output) -> Option<String> {
    let said = stderr.tail(1, 300).text;
    let own = exit == Exit::Code(1) && stdout.bytes == 0 && stderr.lines == 1;
    (own && said.starts_with("bwrap: ")).then(|| said.trim().to_owned())
}
