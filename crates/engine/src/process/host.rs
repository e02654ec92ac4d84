//! What the host has to keep programs in bounds, found out by trying it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::sandbox::Plan;
use super::spawn::Launch;
use super::{Containment, Exit, Fence, Runner, Sandbox, environment, execute, find, landlock};
use crate::limits::Limits;

/// What the first call found on the host.
pub(super) struct Found {
    pub(super) containment: Containment,
    pub(super) bubblewrap: Option<PathBuf>,
}

impl Runner {
    pub(super) fn found(&self) -> &Found {
        self.found.get_or_init(|| self.look())
    }

    /// Tries what the host has, best first.
    fn look(&self) -> Found {
        let mut reasons = Vec::new();
        let bubblewrap = if self.settings.sandbox == Sandbox::Landlock {
            None
        } else {
            self.try_bubblewrap().map_err(|why| reasons.push(format!("bubblewrap: {why}"))).ok()
        };
        let fence = match self.settings.sandbox {
            Sandbox::Off => {
                reasons.push("the sandbox is switched off".to_owned());
                Fence::Nothing
            }
            Sandbox::Auto if bubblewrap.is_some() => Fence::Bubblewrap,
            _ => match landlock::probe() {
                Ok(()) => Fence::Landlock,
                Err(e) => {
                    reasons.push(format!("Landlock: {e}"));
                    Fence::Nothing
                }
            },
        };
        let namespace = bubblewrap.is_some();
        let mut environment_hidden = namespace || fence == Fence::Landlock;
        if !environment_hidden {
            use rustix::process::{DumpableBehavior, geteuid, set_dumpable_behavior};
            // The kernel then gives /proc/<server>/environ to root alone.
            let hidden = set_dumpable_behavior(DumpableBehavior::NotDumpable).is_ok();
            environment_hidden = hidden && !geteuid().is_root();
        }
        let reasons = reasons.into();
        let containment = Containment { fence, namespace, environment_hidden, reasons };
        Found { containment, bubblewrap }
    }

    /// Whether bubblewrap does here what a call will ask of it.
    fn try_bubblewrap(&self) -> Result<PathBuf, String> {
        let root = rustix::fs::open("/", rustix::fs::OFlags::PATH, rustix::fs::Mode::empty())
            .map_err(|e| e.to_string())?;
        let usual = || find::find("/usr/bin/bwrap", None, &root);
        let path = environment::get(&self.env, "PATH");
        let found = match &self.settings.bubblewrap {
            Some(given) => find::find(&given.to_string_lossy(), None, &root),
            None => usual().or_else(|_| find::find("bwrap", path, &root)),
        };
        let bubblewrap = PathBuf::from(found.map_err(|_| "not installed")?);
        let shell = find::find("sh", path, &root).map_err(|e| e.message)?;
        let mut argv = Plan::default().bubblewrap(&bubblewrap, Path::new("/"), &[]);
        argv.extend([shell, "-c".into(), ":".into()]);
        let launch = Launch { argv, env: self.env.clone(), dir: root, landlock: None };
        let time = Duration::from_secs(5);
        let tried = execute(launch, &self.spills, time, &Limits::default(), || false)
            .map_err(|e| e.to_string())?;
        match tried.exit {
            Exit::Code(0) => Ok(bubblewrap),
            exit => {
                let said = tried.stderr.tail(1, 300).text;
                Err(if said.is_empty() { format!("{exit:?}") } else { said.trim().to_owned() })
            }
        }
    }
}
