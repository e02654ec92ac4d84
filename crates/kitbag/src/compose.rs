//! The composition root: from settings to a project, a session, a runtime.

use std::sync::Arc;

use fault::{Error, Result};
use files::journal::Journal;
use files::{Limits, Workspace};
use tokio::runtime::Runtime;
use toolkit::{Project, Session, Settings};

use crate::config::{Common, Place};
use crate::log;

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
