//! The composition root: from settings to a project, a session, a runtime.

use std::rc::Rc;
use std::sync::Arc;

use agent::{Conversation, Event, History, Model, Record};
use fault::{Error, Result};
use files::journal::Journal;
use files::{Limits, Workspace};
use tokio::runtime::Runtime;
use toolkit::{Project, Session, Settings};

use crate::config::model::Asked;
use crate::config::servers::{OF_PROJECT, Servers};
use crate::config::{self, Common, Place};
use crate::{log, terminal};

/// The one session of a project of its own.
pub(crate) fn session(common: &Common) -> Result<Arc<Session>> {
    open(common, common.settings()?)
}

/// The same for a single call.
pub(crate) fn brief_session(common: &Common) -> Result<Arc<Session>> {
    let mut settings = common.settings()?;
    settings.programs.brief = true;
    open(common, settings)
}

fn open(common: &Common, settings: Settings) -> Result<Arc<Session>> {
    log::start(common.place.state()?, common.log());
    let toolset = common.tools()?;
    Ok(Project::open(settings)?.session(toolset, common.policy()))
}

/// A session of a model with the tools, ready to begin.
pub(crate) struct Agent {
    pub(crate) session: Arc<Session>,
    model: Rc<dyn Model>,
    settings: agent::Settings,
    record: Record,
    history: History,
}

/// The name of the newest session of the root, in the place of its own.
pub(crate) const LAST: &str = "last";

impl Agent {
    /// A new session, or the one to `resume`, by the beginning of its name or [`LAST`].
    pub(crate) async fn open(common: &Common, asked: &Asked, resume: Option<&str>) -> Result<Self> {
        let model = asked.model()?; // a key that is missing is told before anything is opened
        log::start(common.place.state()?, common.log());
        let asks = terminal::is_attended();
        let project = Project::open(common.settings()?)?;
        let own = Self::with(model, &project, common, asked, resume, asks).await?;
        tell_of_servers(project.workspace(), asked)?;
        Ok(own)
    }

    /// The same in a project that is open.
    pub(crate) async fn of(
        project: &Arc<Project>,
        common: &Common,
        asked: &Asked,
        resume: Option<&str>,
    ) -> Result<Self> {
        // An editor has no question for words.
        Self::with(asked.model()?, project, common, asked, resume, false).await
    }

    async fn with(
        (model, shown): (Rc<dyn Model>, String),
        project: &Arc<Project>,
        common: &Common,
        asked: &Asked,
        resume: Option<&str>,
        asks: bool,
    ) -> Result<Self> {
        project.watch();
        let (mut toolset, preset) = common.tools_and_preset()?;
        let state = common.place.state()?;
        let servers = asked.servers()?;
        if !servers.is_empty() {
            let place = mcp::client::Place {
                workspace: project.workspace().unseen(),
                state: state.clone(),
                env: config::environment(),
                asks,
            };
            let allowed = asked.allowed_of_servers();
            toolset.add(mcp::client::connect(servers, place, allowed).await?)?;
        }
        let session = project.session(toolset, common.policy());
        let system = agent::system(&session, preset, asked.system());
        let settings = asked.settings(shown, system);
        let (record, history) = match resume {
            None => (Record::begin(&state, session.id())?, History::default()),
            Some(wanted) => {
                let root = session.workspace().root().display().to_string();
                let id = resumed(&state, wanted, &root)?;
                Record::resume(&state, &id)?
            }
        };
        agent::record::prune(&state, asked.keep())?; // not this one, which is in use
        Ok(Self { session, model, settings, record, history })
    }

    /// The name of the session on the command line.
    pub(crate) fn id(&self) -> String {
        self.record.id()
    }

    /// Begins the conversation.
    pub(crate) fn begin<'a>(self, hear: impl FnMut(&Event) + 'a) -> Result<Conversation<'a>> {
        let Self { session, model, settings, record, history } = self;
        Conversation::begin(session, model, settings, record, history, hear)
    }
}

/// A project may not start programs by a file that it brings along, so its servers are only named.
fn tell_of_servers(workspace: &Workspace, asked: &Asked) -> Result<()> {
    let Ok(file) = workspace.read(OF_PROJECT) else { return Ok(()) };
    let Ok(servers) = Servers::of_file(&String::from_utf8_lossy(&file.bytes)) else {
        return Ok(());
    };
    let used = asked.servers()?;
    let is_used = |name: &str| name == "kitbag" || used.iter().any(|one| one.name == name);
    let names: Vec<_> = servers.names().filter(|name| !is_used(name)).collect();
    if !names.is_empty() {
        let names = fault::cut(&names.join(", "), 200).into_owned();
        terminal::say(&format!(
            "{OF_PROJECT} of this project names MCP servers ({names}); they start only with --mcp-config {OF_PROJECT}"
        ));
    }
    Ok(())
}

/// The session that is meant; it must be one of this root, whose files it knows.
pub(crate) fn resumed(state: &files::State, wanted: &str, root: &str) -> Result<String> {
    if wanted == LAST {
        return agent::record::last(state, root)?.ok_or_else(Error::no_session_here);
    }
    let id = agent::record::find(state, wanted)?;
    let (of, _) = agent::record::root(state, &id)?;
    if of != root {
        let problem = format!("{id} is one of {of}; go on with it there, or with --root");
        return Err(Error::invalid_input("session", problem));
    }
    Ok(id)
}

/// The journal of a directory, without a session.
pub(crate) fn journal(place: &Place) -> Result<(Workspace, Journal)> {
    let workspace = Workspace::open(&place.root()?, &[], Limits::default())?;
    let root = workspace.root().to_owned();
    let journal = Journal::new(place.state()?, root, files::journal::new_id(), true, Vec::new());
    Ok((workspace, journal))
}

/// One thread for everything that waits; what blocks has threads of its own.
pub(crate) fn runtime() -> Result<Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| Error::internal(format!("the runtime does not start: {e}")))
}
