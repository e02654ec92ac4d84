//! Whether a call may run: the policy, and the person who is asked.

use std::sync::Arc;

use fault::Error;
use files::journal::Approved;
use programs::process::Exit;
use serde_json::Value;

use super::{Asking, Call, Execution, Stop, Trail, declared};
use crate::approval::{Answer, Question, Wants, escape};
use crate::effect::Effect;
use crate::entry::{Entry, Prepared};
use crate::events::Happening;
use crate::policy::{Decision, Setting};
use crate::reach::Reach;
use crate::session::Session;
use crate::slots::{blocking, cancelled};
use crate::tool::Permission;

/// Policy and approval: what the call may do, or why it may not.
pub(super) async fn permit(
    session: &Arc<Session>,
    entry: &Entry,
    prepared: &Prepared,
    reach: &mut Reach,
    call: &Call,
    trail: &mut Trail<'_>,
) -> Result<(Approved, Option<Rehearsed>), Stop> {
    let protected = std::mem::take(&mut reach.protected);
    let Prepared { permission, effect, grant, .. } = prepared;
    let setting = Setting { protected: !protected.is_empty(), ..session.setting(*effect) };
    let decision = session.decide(setting, entry.spec.name, *permission, *effect, grant);
    trail.decision = match decision {
        Decision::Allow => "allowed",
        Decision::Ask => "asked",
        Decision::Deny => "refused",
    };
    match decision {
        Decision::Allow => return Ok((Approved::default(), None)),
        Decision::Deny => {
            return Err(Stop::Refused(denied(session, setting, entry, prepared, call)));
        }
        Decision::Ask => reach.lane = None, // nobody waits behind a question
    }
    let asked = match session.waiting.take(call) {
        Some(asked) => asked,
        None => question(session, setting, entry, prepared, call, protected).await?,
    };
    let answer = match ask(session, &asked.question, call, trail).await {
        Err(Stop::Asks(question)) => {
            session.waiting.keep(call, asked);
            return Err(Stop::Asks(question));
        }
        other => other?,
    };
    let Asked { question, approved, rehearsed } = asked;
    match answer {
        Answer::YesForSession if question.wants.may_last() => {
            session.grant(entry.spec.name, prepared.permission, &prepared.grant);
        }
        Answer::Yes => {}
        // A choice that was not offered is no answer to what was asked.
        Answer::No | Answer::YesForSession | Answer::Text(_) => {
            return Err(Stop::Refused(Error::person_refused(entry.spec.name)));
        }
        Answer::Nobody => {
            let error = match approved.protected.first() {
                Some(path) => Error::protected_path(
                    &session.workspace.show(path),
                    "programs obey it by themselves",
                ),
                None => {
                    let ways = ways(session, setting, prepared, call);
                    Error::approval_required(entry.spec.name, &question.reason, &ways)
                }
            };
            return Err(Stop::Refused(error));
        }
    }
    Ok((approved, rehearsed))
}

/// The refusal of a call that the policy does not allow at all.
pub(super) fn denied(
    session: &Session,
    setting: Setting,
    entry: &Entry,
    prepared: &Prepared,
    call: &Call,
) -> Error {
    let ways = ways(session, setting, prepared, call);
    Error::policy_refuses(entry.spec.name, setting.policy.as_str(), setting.policy.meaning(), &ways)
}

/// What would let the call run.
fn ways(session: &Session, setting: Setting, prepared: &Prepared, call: &Call) -> Vec<String> {
    setting.ways(prepared.permission, prepared.effect, is_attended(session, call))
}

/// Whether somebody can be asked about the call.
fn is_attended(session: &Session, call: &Call) -> bool {
    call.asking != Asking::Desk || session.project.desk.is_attended(&session.id)
}

/// Asks in the way that the client wants, and gives what was answered.
async fn ask(
    session: &Session,
    question: &Question,
    call: &Call,
    trail: &Trail<'_>,
) -> Result<Answer, Stop> {
    match &call.asking {
        Asking::Desk => {
            trail.tell(|| Happening::Asked(Arc::new(question.clone())));
            let answer = tokio::select! {
                answer = session.project.desk.ask(&session.id, question.clone()) => answer,
                () = cancelled(&call.cancel) => return Err(Error::cancelled().into()),
            };
            trail.tell(|| Happening::Answered(answer.clone()));
            Ok(answer)
        }
        Asking::Answered(digest, answer) if *digest == question.digest => Ok(answer.clone()),
        Asking::Return | Asking::Answered(..) => Err(Stop::Asks(question.clone())),
    }
}

/// What the person says to the question that a tool itself puts.
pub(super) async fn answer(
    session: &Session,
    entry: &Entry,
    text: &str,
    call: &Call,
    trail: &Trail<'_>,
) -> Result<String, Stop> {
    let question = Question {
        tool: entry.spec.name.to_owned(),
        reason: escape(text),
        shown: String::new(),
        wants: Wants::Text,
        digest: files::journal::digest(&[entry.spec.name, text]),
    };
    match ask(session, &question, call, trail).await? {
        Answer::Text(answer) => Ok(answer),
        Answer::Nobody => Err(Error::nobody_answers().into()),
        _ => Err(Error::answer_declined().into()),
    }
}

/// What a person is asked, and what a yes allows: for a change exactly the bytes that were shown,
/// found by trying the call without effect. A call that fails when tried is not asked about.
async fn question(
    session: &Arc<Session>,
    setting: Setting,
    entry: &Entry,
    prepared: &Prepared,
    call: &Call,
    protected: Vec<std::path::PathBuf>,
) -> Result<Asked, Stop> {
    let name = entry.spec.name;
    let mut approved = Approved { protected, planned: None };
    let (shown, identity) = if prepared.effect == Effect::WRITES {
        let trial = Execution::new(
            entry,
            entry.prepare(&call.input, &session.workspace)?,
            approved.clone(),
            call.cancel.clone(),
        );
        let work = move |session: &Session| trial.plan(session);
        let (result, planned) = blocking(session, prepared.effect, &call.cancel, work).await?;
        result.map_err(|error| Stop::Failed(declared(entry, error)))?;
        let shown = planned.show(&session.workspace);
        let identity = planned.identity();
        approved.planned = Some(planned);
        (shown, identity)
    } else {
        (prepared.about.clone(), String::new())
    };
    let (rehearsed, changes) = match in_layer(session, entry, prepared, call).await? {
        Some((rehearsed, changes)) => (Some(rehearsed), changes),
        None => (None, String::new()),
    };
    let shown = shown + &changes;
    let reason = if let Some(path) = approved.protected.first() {
        format!("{} is a file that programs obey by themselves", session.workspace.show(path))
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
    approved: Approved,
    pub(super) rehearsed: Option<Rehearsed>,
}

/// What a command did in its layer, waiting for a yes.
pub(super) struct Rehearsed {
    pub(super) value: Value,
    /// How its program ended.
    pub(super) program: Option<Exit>,
    pub(super) held: files::journal::Held,
}

/// Most lines of a diff in a question.
const SHOWN_LINES: usize = 300;

/// Runs a command that needs a yes in its layer, if somebody is there to see what it would change
/// and nothing of it goes elsewhere; `None` if it is asked about by its words alone.
async fn in_layer(
    session: &Arc<Session>,
    entry: &Entry,
    prepared: &Prepared,
    call: &Call,
) -> Result<Option<(Rehearsed, String)>, Stop> {
    let attended = is_attended(session, call);
    if prepared.effect != Effect::RUNS || !attended || !session.project.runner.can_be_dropped() {
        return Ok(None);
    }
    let again = entry.prepare(&call.input, &session.workspace)?;
    let trial = Execution::new(entry, again, Approved::default(), call.cancel.clone());
    let work = move |session: &Session| trial.rehearse(session);
    let (result, shown) = blocking(session, prepared.effect, &call.cancel, work).await?;
    let rehearsed = match result {
        Ok(rehearsed) => rehearsed,
        // It works over the network, or the root can have no layer.
        Err(error) if error.detail("field") == Some("--rehearse") => return Ok(None),
        Err(error) => return Err(Stop::Failed(declared(entry, error))),
    };
    let lines = shown.lines().count();
    let changes = match lines {
        0 => "\nit changes nothing in the project".to_owned(),
        _ if lines > SHOWN_LINES => {
            let first: Vec<_> = shown.lines().take(SHOWN_LINES).collect();
            format!("\nit changes:\n{}\n({} lines more)", first.join("\n"), lines - SHOWN_LINES)
        }
        _ => format!("\nit changes:\n{shown}"),
    };
    Ok(Some((rehearsed, changes)))
}
