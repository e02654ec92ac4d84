//! From what a caller asks for to what is started: the program found, its environment chosen, and
//! what confines it put around it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use fault::{Error, Result};
use files::journal::{Layers, Step};
use files::workspace::Workspace;

use super::gateway::{self, Leads, Network};
use super::not_started::NotStarted;
use super::spawn::{Confined, Launch, Running};
use super::view::{Rules, Sight};
use super::{
    Fence, Program, Reach, Runner, environment, find, landlock, must_be_droppable, scratch,
    touches, view,
};

/// Bounds of the kernel for each process: a file of this many bytes, and this many processes and
/// threads of one sandbox; no core files, which would land in the root.
const FILE_BYTES: u64 = 64 << 30;
const PROCESSES: u64 = 8192;

/// How long it is taken for granted what builds need: looking takes half a millisecond.
const BUILDS_KNOWN: Duration = Duration::from_secs(5);

/// A program that can be started.
pub(super) struct Ready {
    /// What messages call it.
    pub(super) name: String,
    /// The program, as it is on the host.
    pub(super) path: PathBuf,
    pub(super) launch: Launch,
    /// What it sees and where it can write; empty if it is not confined.
    pub(super) rules: Rules,
    /// What it reaches of the network if it is not in that of the host.
    pub(super) network: Option<Network>,
}

impl Runner {
    /// Starts a program; without a layer, once the files were looked at.
    pub(super) fn launch(
        &self,
        workspace: &Workspace,
        program: &Program<'_>,
        step: Option<&Step<'_>>,
        layers: &mut Layers,
        stop: &dyn Fn() -> bool,
    ) -> Result<(Running, Rules, Option<Network>)> {
        loop {
            if let Some(step) = step {
                step.see_repository(workspace.folder(program.dir)?.path(), layers.list());
            }
            let touched = match step.filter(|_| layers.is_empty()) {
                Some(step) => Some(step.look_before(program.line.is_own())?),
                None => None,
            };
            let mut ready = self.ready(workspace, program, layers)?;
            ready.launch.is_seen = touched.is_some();
            match ready.launch.start(stop) {
                Ok(mut running) => {
                    if let Some(touched) = touched {
                        touches::note(running.calls.take(), workspace, touched)?;
                    }
                    return Ok((running, ready.rules, ready.network));
                }
                Err(NotStarted::Layer(error)) if !layers.is_empty() => {
                    layers.refused(&error.to_string());
                    *layers = Layers::default();
                    must_be_droppable(program, step, layers)?;
                }
                Err(error) => return Err(error.into_error(&ready.name, &ready.path)),
            }
        }
    }

    /// Finds the program and puts what confines it around it.
    pub(super) fn ready(
        &self,
        workspace: &Workspace,
        program: &Program<'_>,
        layers: &Layers,
    ) -> Result<Ready> {
        let (dir, real) = workspace.folder(program.dir)?.into_parts();
        let (name, argv) = self.command_line(workspace, program, &dir)?;
        for (variable, value) in program.env {
            if variable.is_empty() || variable.contains(['=', '\0']) || value.contains('\0') {
                return Err(Error::invalid_input(
                    "env",
                    format!("{variable:?} cannot be a variable"),
                ));
            }
        }
        let mut env = self.env.clone();
        if program.reach == Reach::Keys {
            env.extend(environment::of_agents(&self.settings.env));
        }
        if program.line.is_own() {
            let roots: Vec<&Path> = workspace.roots().map(|(root, _)| root).collect();
            let person = environment::get(&self.env, "PATH");
            let path = find::own_path(&self.settings.programs, person, &roots);
            env.push(("PATH".into(), path));
        }
        let (rules, confined) = self.confine(workspace, program, layers, &real, &mut env)?;
        env.extend(program.env.iter().map(|(n, v)| (n.into(), v.into())));
        let own = matches!(&confined, Confined::View(_));
        let limits = vec![
            (libc::RLIMIT_CORE, 0),
            (libc::RLIMIT_FSIZE, FILE_BYTES),
            (libc::RLIMIT_NPROC, if own { PROCESSES } else { u64::MAX }),
        ];
        let path = PathBuf::from(&argv[0]);
        let apart = matches!(&confined, Confined::View(view) if !view.network);
        let network = apart.then(|| self.settings.network.clone());
        let group = self.found().groups.make(workspace.limits());
        let group = group.map_err(|e| Error::sandbox_failed(&format!("control group: {e}")))?;
        let gateway = self.settings.gateway.clone();
        let (input, output, is_seen) = (None, None, false);
        let launch =
            Launch { argv, env, dir, confined, limits, gateway, group, input, output, is_seen };
        Ok(Ready { name, path, launch, rules, network })
    }

    /// What a program sees and what confines it, with the variables that tell it of that.
    fn confine(
        &self,
        workspace: &Workspace,
        program: &Program<'_>,
        layers: &Layers,
        dir: &Path,
        env: &mut Vec<(OsString, OsString)>,
    ) -> Result<(Rules, Confined)> {
        let found = self.found();
        let namespaces = match found.containment.fence {
            Fence::Nothing => return Ok((Rules::default(), Confined::No)),
            fence => fence == Fence::Namespaces,
        };
        let network = self.settings.network == Network::On || program.reach.is_online();
        let doors = if namespaces && !network && self.settings.gateway.is_some() {
            gateway::doors(&self.settings.network, self.background_ports())
        } else {
            Vec::new()
        };
        if doors.iter().any(|(_, leads)| matches!(leads, Leads::Hosts(_))) {
            env.extend(gateway::environment());
        }
        let (state, scratch) = (self.state.folder("")?, self.scratch_root()?);
        let sight = Sight {
            workspace,
            settings: &self.settings,
            reach: program.reach,
            state: &state,
            spills: &self.spills.folder(),
            tmp: &scratch.path().join(scratch::TMP),
            home: &scratch.path().join(scratch::HOME),
            scratch: scratch.path(),
            closed: &found.closed,
            system: &found.system,
            builds: &self.builds(),
            layers,
            own: program.line.is_own(),
            network,
            doors,
            dir,
            landlock: found.containment.landlock,
            renames: found.renames,
        };
        let rules = sight.rules();
        let elsewhere = namespaces && program.reach != Reach::Keys;
        let tmp = if elsewhere { Path::new("/tmp") } else { sight.tmp };
        env.push(("TMPDIR".into(), tmp.into()));
        let failed = |e: &dyn std::fmt::Display| Error::sandbox_failed(&e.to_string());
        let confined = if namespaces {
            Confined::View(Box::new(sight.view(&rules).map_err(|e| failed(&e))?))
        } else {
            if let Some(path) = rules.cannot_be_hidden() {
                return Err(Error::cannot_hide(&path.display().to_string()));
            }
            Confined::Landlock(landlock::ruleset(&rules).map_err(|e| failed(&e))?)
        };
        Ok((rules, confined))
    }

    /// What builds need. A toolchain that is installed shows up within seconds.
    fn builds(&self) -> super::Builds {
        let mut known = self.builds.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some((since, builds)) if since.elapsed() < BUILDS_KNOWN => Arc::clone(builds),
            _ => {
                let builds = Arc::new(view::builds(&self.settings));
                *known = Some((Instant::now(), Arc::clone(&builds)));
                builds
            }
        }
    }
}
