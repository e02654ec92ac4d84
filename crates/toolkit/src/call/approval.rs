//! What a person is shown before they say yes, and the bytes that the yes is for: a change is tried
//! without effect first, and only what was shown then is made.

use std::sync::Arc;

use files::journal::Approved;
use programs::process::Exit;
use serde_json::Value;

use super::permit::is_attended;
use super::{Call, Execution, Stop, declared};
use crate::effect::Effect;
use crate::entry::Prepared;
use crate::found::Found;
use crate::policy::Setting;
use crate::question::{Question, Wants, escape};
use crate::session::Session;
use crate::slots::blocking;
use crate::tool::Permission;

/// Most bytes of the arguments that are shown of a call which says nothing else about itself.
const ARGUMENTS: usize = 1000;

/// What a person is asked, and what a yes allows: for a change exactly the bytes that were shown,
/// found by trying the call without effect. A call that fails when tried is not asked about.
pub(super) async fn question(
    session: &Arc<Session>,
    setting: Setting,
    entry: Found<'_>,
    prepared: &Prepared,
    call: &Call,
    protected: Vec<std::path::PathBuf>,
) -> Result<Asked, Stop> {
    let name = entry.spec.name;
    let mut approved = Approved { protected, planned: None };
    let (shown, identity) = if prepared.effect == Effect::WRITES {
        let trial = Execution::new(
            &entry,
            entry.prepare(&call.input, session)?,
            approved.clone(),
            call.cancel.clone(),
        );
        let work = move |session: &Session| trial.plan(session);
        let (result, planned) = blocking(session, prepared.effect, &call.cancel, work).await?;
        result.map_err(|error| Stop::Failed(declared(&entry, error)))?;
        let shown = planned.show(&session.workspace);
        let identity = planned.identity();
        approved.protected.extend(planned.protected());
        approved.planned = Some(planned);
        (shown, identity)
    } else {
        (prepared.about.clone(), String::new())
    };
    let (rehearsed, changes) = match in_layer(session, entry, prepared, call).await? {
        Some((rehearsed, changes)) => (Some(rehearsed), changes),
        None => (None, String::new()),
    };
    let mut shown = shown + &changes;
    if shown.is_empty() {
        shown = match prepared.paths.as_slice() {
            [] => format!(
                "changes no file: {}",
                escape(&fault::cut(&call.input.to_string(), ARGUMENTS))
            ),
            paths => format!("no change: {}", paths.join(", ")),
        };
    }
    let reason = if let Some(path) = approved.protected.first() {
        format!(
            "{} is protected: programs run or load it automatically",
            session.workspace.show(path)
        )
    } else {
        setting.reason(prepared.effect).to_owned()
    };
    let digest = files::journal::digest(&[name, &call.input.to_string(), &shown, &identity]);
    let lasting = prepared.permission == Permission::Moderate || prepared.may_last;
    let wants = Wants::Decision { may_last: lasting && approved.protected.is_empty() };
    let question = Question { tool: name.to_owned(), reason, shown: escape(&shown), wants, digest };
    Ok(Asked { question, approved, rehearsed })
}

/// A question, and what a yes to it allows.
pub(super) struct Asked {
    pub(super) question: Question,
    pub(super) approved: Approved,
    pub(super) rehearsed: Option<Rehearsed>,
}

/// What a command did in its layer, waiting for a yes.
pub(super) struct Rehearsed {
    pub(super) value: Value,
    /// How its program ended.
    pub(super) program: Option<Exit>,
    pub(super) held: files::journal::Held,
    pub(super) after: Vec<crate::cx::After>,
}

/// Runs a command that needs a yes in its layer, if somebody is there to see what it would change
/// and nothing of it goes elsewhere; `None` if it is asked about by its words alone.
async fn in_layer(
    session: &Arc<Session>,
    entry: Found<'_>,
    prepared: &Prepared,
    call: &Call,
) -> Result<Option<(Rehearsed, String)>, Stop> {
    let attended = is_attended(session, call);
    if prepared.effect != Effect::RUNS || !attended || !session.project.runner.can_be_dropped() {
        return Ok(None);
    }
    let again = entry.prepare(&call.input, session)?;
    let mut trial = Execution::new(&entry, again, Approved::default(), call.cancel.clone());
    // Where the result has it in any case, it can be shown already.
    trial.live = call.live.clone().filter(|live| live.beside);
    let work = move |session: &Session| trial.rehearse(session);
    let (result, shown) = blocking(session, prepared.effect, &call.cancel, work).await?;
    let rehearsed = match result {
        Ok(rehearsed) => rehearsed,
        // It works over the network, or the root can have no layer.
        Err(error) if error.is_no_rehearsal() => return Ok(None),
        Err(error) => return Err(Stop::Failed(declared(&entry, error))),
    };
    let changes = match shown.is_empty() {
        true => "\nit changes nothing in the project".to_owned(),
        false => format!("\nit changes:\n{shown}"),
    };
    Ok(Some((rehearsed, changes)))
}
