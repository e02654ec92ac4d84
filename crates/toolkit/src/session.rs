//! One conversation about a project: its tools, what it may do, and what it has read.

use std::collections::HashSet;
use std::sync::Arc;

use files::Workspace;
use parking_lot::Mutex;
use programs::process::Fence;

use crate::call::Waiting;
use crate::desk::{Desk, Seat};
use crate::effect::Effect;
use crate::found::Found;
use crate::kept::Kept;
use crate::policy::{Decision, Policy, Setting};
use crate::project::Project;
use crate::tool::Permission;
use crate::toolset::Toolset;

/// One conversation; [`Project::session`] begins it.
pub struct Session {
    pub(crate) id: Arc<str>,
    pub(crate) project: Arc<Project>,
    pub(crate) toolset: Toolset,
    pub(crate) workspace: Workspace,
    pub(crate) kept: Kept,
    pub(crate) browser: browser::Session,
    pub(crate) policy: Policy,
    pub(crate) waiting: Waiting,
    grants: Mutex<HashSet<Granted>>,
}

impl Session {
    pub(crate) fn new(project: Arc<Project>, toolset: Toolset, policy: Policy) -> Self {
        let id: Arc<str> = files::journal::new_id().into();
        Self {
            workspace: project.workspace.unseen(),
            browser: browser::Session::new(Arc::clone(&project.browser), &id),
            id,
            project,
            toolset,
            kept: Kept::default(),
            policy,
            waiting: Waiting::default(),
            grants: Mutex::default(),
        }
    }

    /// Its name, which no other session has; events, questions and the audit log give it.
    pub fn id(&self) -> &Arc<str> {
        &self.id
    }

    /// The project that it is about.
    pub fn project(&self) -> &Arc<Project> {
        &self.project
    }

    /// The tools of the session.
    pub fn toolset(&self) -> &Toolset {
        &self.toolset
    }

    /// The directories of the project, and what the session has read there.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// What runs without being asked.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Whether a tool keeps something that ends with the session, such as a list of tasks.
    pub fn keeps(&self) -> bool {
        !self.kept.is_empty()
    }

    /// A seat that sees the questions of this session alone.
    pub fn sit(&self) -> Seat {
        Desk::sit(&self.project.desk, Some(Arc::clone(&self.id)))
    }

    /// The web with the ports on which programs in the background listen that this project's
    /// sessions started: what a session opened itself is no secret to it. `None` if nothing listens.
    pub(crate) fn web_with_own_ports(&self) -> Option<web::Client> {
        let ports = self.own_ports();
        (!ports.is_empty()).then(|| self.project.web.with_own_ports(&ports))
    }

    /// The ports on which programs in the background listen that this project's sessions started.
    pub(crate) fn own_ports(&self) -> Vec<u16> {
        let going = self.project.runner.background_programs(&self.workspace);
        let open = going.iter().filter(|going| going.exit.is_none() && going.listens);
        open.filter_map(|going| going.port).collect()
    }

    /// Where calls that do this are decided on.
    pub(crate) fn setting(&self, does: Effect) -> Setting {
        let runner = &self.project.runner;
        // Looking takes time the first time, and only programs are confined.
        let runs = does.has(Effect::RUNS);
        let fence = if runs { runner.containment().fence } else { Fence::Nothing };
        Setting { policy: self.policy, fence, offline: runner.is_offline(), protected: false }
    }

    /// What the policy, and a person who answered for the session, say about a call.
    pub(crate) fn decide(
        &self,
        setting: Setting,
        tool: Found<'_>,
        permission: Permission,
        does: Effect,
        grant: &str,
    ) -> Decision {
        match setting.decide(permission, does) {
            Decision::Ask if setting.protected => Decision::Ask,
            Decision::Ask if self.grants.lock().contains(&granted(tool, permission, grant)) => {
                Decision::Allow
            }
            decision => decision,
        }
    }

    pub(crate) fn grant(&self, tool: Found<'_>, permission: Permission, grant: &str) {
        self.grants.lock().insert(granted(tool, permission, grant));
    }
}

/// A toolset, a tool of it, and of what is dangerous that which was shown.
type Granted = (&'static str, &'static str, String);

/// What a yes for the session holds for: of what is dangerous exactly that which was shown, since
/// the next command line of the same tool may be any.
fn granted(tool: Found<'_>, permission: Permission, grant: &str) -> Granted {
    let all = permission < Permission::Dangerous;
    let grant = if all { String::new() } else { grant.to_owned() };
    (tool.toolset.name, tool.spec.name, grant)
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("root", &self.workspace.root()).finish_non_exhaustive()
    }
}
