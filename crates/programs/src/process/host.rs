//! What the host has to keep programs in bounds, found out by trying it.

#![expect(clippy::disallowed_methods, reason = "what exists on the host decides what is tried")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use files::limits::Limits;

use super::cgroup::{Group, Groups};
use super::mount::{NEW, Op};
use super::spawn::{Confined, Launch, View};
use super::watch::Watch;
use super::{Containment, Exit, Fence, Runner, Sandbox, execute, landlock, landlock_calls, view};

/// What the first call found on the host.
pub(super) struct Found {
    pub(super) containment: Containment,
    /// What of `/etc` only root may read.
    pub(super) closed: Vec<PathBuf>,
    /// What of the system every user may read.
    pub(super) system: Vec<PathBuf>,
    /// Whether renames of directories can be helped in a layer.
    pub(super) renames: bool,
    /// Where programs get control groups.
    pub(super) groups: Groups,
}

/// How much of the namespaces is tried.
#[derive(Clone, Copy)]
struct Try {
    landlock: bool,
    renames: bool,
}

impl Runner {
    pub(super) fn found(&self) -> &Found {
        self.found.get_or_init(|| self.look())
    }

    /// Tries what the host has, best first.
    fn look(&self) -> Found {
        let mut reasons = Vec::new();
        let landlock = landlock_calls::version() > 0;
        let (mut fence, mut renames) = (Fence::Nothing, false);
        if self.settings.sandbox == Sandbox::Auto {
            // A container may already have a listener for system calls; then one rename less works.
            let tries = [Try { landlock, renames: true }, Try { landlock, renames: false }];
            for attempt in tries {
                match self.try_namespaces(attempt) {
                    Ok(()) => {
                        (fence, renames) = (Fence::Namespaces, attempt.renames);
                        break;
                    }
                    Err(why) if attempt.renames => reasons.push(format!("namespaces: {why}")),
                    Err(_) => {}
                }
            }
        }
        match self.settings.sandbox {
            Sandbox::Off => reasons.push("the sandbox is switched off".to_owned()),
            _ if fence == Fence::Namespaces => {
                if !renames {
                    reasons.push("renaming a directory of the root is refused".to_owned());
                } else {
                    reasons.clear();
                }
            }
            _ => match landlock::probe() {
                Ok(()) => fence = Fence::Landlock,
                Err(e) => reasons.push(format!("Landlock: {e}")),
            },
        }
        let mut environment_hidden = fence != Fence::Nothing;
        if !environment_hidden {
            use rustix::process::{DumpableBehavior, geteuid, set_dumpable_behavior};
            // The kernel then gives /proc/<server>/environ to root alone.
            let hidden = set_dumpable_behavior(DumpableBehavior::NotDumpable).is_ok();
            environment_hidden = hidden && !geteuid().is_root();
        }
        let layer = fence == Fence::Namespaces && self.settings.layer;
        let reasons = reasons.into();
        let groups = Groups::find();
        let memory = groups.bound_memory();
        let containment =
            Containment { fence, landlock, layer, environment_hidden, memory, reasons };
        let closed = if fence == Fence::Nothing { Vec::new() } else { view::closed() };
        let system = view::system();
        Found { containment, closed, system, renames, groups }
    }

    /// Whether a program can be started in a view of its own: not the version of the kernel says
    /// so, but that it is done.
    fn try_namespaces(&self, attempt: Try) -> Result<(), String> {
        let c = |text: &str| std::ffi::CString::new(text).map_err(|e| e.to_string());
        let bind = |path: &str| -> Result<Op, String> {
            Ok(Op::Bind {
                from: c(&format!("{}{path}", super::mount::OLD))?,
                to: c(&format!("{NEW}{path}"))?,
                writable: false,
                devices: false,
                identity: None,
            })
        };
        let mut ops = vec![Op::Directory(c(&format!("{NEW}/usr"))?), bind("/usr")?];
        for path in ["/lib", "/lib64", "/bin"].into_iter().filter(|p| Path::new(p).exists()) {
            let real = Path::new(path);
            match std::fs::read_link(real) {
                Ok(to) => ops.push(Op::Link {
                    to: c(&to.to_string_lossy())?,
                    at: c(&format!("{NEW}{path}"))?,
                }),
                Err(_) => ops.extend([Op::Directory(c(&format!("{NEW}{path}"))?), bind(path)?]),
            }
        }
        for path in ["/nix", "/gnu"].into_iter().filter(|p| Path::new(p).exists()) {
            ops.extend([Op::Directory(c(&format!("{NEW}{path}"))?), bind(path)?]);
        }
        ops.push(Op::Directory(c(&format!("{NEW}/proc"))?));
        ops.push(Op::Mount { kind: c"proc", to: c(&format!("{NEW}/proc"))?, options: c"" });
        let writable = if attempt.landlock { vec![c("/dev")?] } else { Vec::new() };
        let view = View {
            ops,
            dir: c("/")?,
            network: false,
            doors: Vec::new(),
            writable,
            renames: attempt.renames.then(Vec::new),
            begins: 0,
        };
        let dir = rustix::fs::open("/", rustix::fs::OFlags::PATH, rustix::fs::Mode::empty())
            .map_err(|e| e.to_string())?;
        let launch = Launch {
            argv: vec!["/bin/sh".into(), "-c".into(), ":".into()],
            env: Vec::new(),
            dir,
            confined: Confined::View(Box::new(view)),
            limits: Vec::new(),
            gateway: None,
            group: Group::default(),
            input: None,
            output: None,
            is_seen: false,
        };
        let time = Duration::from_secs(5);
        let running = launch.start(&|| false).map_err(|e| e.to_string())?;
        let limits = Limits::default();
        let watch = Watch::new(running, &limits, &self.spills);
        let (tried, _) = execute(watch, time, &limits, || false);
        match tried.exit {
            Exit::Code(0) => Ok(()),
            exit => Err(format!("{exit:?} {}", tried.stderr.tail(1, 300).text)),
        }
    }
}
