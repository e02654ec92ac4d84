//! Whether a call may run: the policy, and the person who is asked.

use std::sync::Arc;

use fault::{Error, Way};
use files::journal::Approved;

use super::approval::{Asked, Rehearsed, question};
use super::{Asking, Call, Stop, Trail};
use crate::effect::Effect;
use crate::entry::Prepared;
use crate::events::Happening;
use crate::found::Found;
use crate::policy::{Decision, Setting};
use crate::question::{Answer, Question, Wants, escape};
use crate::reach::Reach;
use crate::session::Session;

/// Policy and approval: what the call may do, or why it may not.
pub(super) async fn permit(
    session: &Arc<Session>,
    entry: Found<'_>,
    prepared: &Prepared,
    reach: &mut Reach,
    call: &Call,
    trail: &mut Trail<'_>,
) -> Result<(Approved, Option<Rehearsed>), Stop> {
    let protected = std::mem::take(&mut reach.protected);
    let Prepared { permission, effect, grant, .. } = prepared;
    let setting = Setting { protected: !protected.is_empty(), ..session.setting(*effect) };
    let decision = session.decide(setting, entry, *permission, *effect, grant);
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
    if is_attended(session, call)
        && let Some((place, why)) = kept_from(session, prepared)
    {
        return Err(Stop::Refused(Error::address_kept(entry.spec.name, place, why)));
    }
    let asked = match session.waiting.take(call) {
        Some(asked) => asked,
        None => question(session, setting, entry, prepared, call, protected).await?,
    };
    let answer = match ask(&asked.question, call, trail).await {
        Err(Stop::Asks(question)) => {
            session.waiting.keep(call, asked);
            return Err(Stop::Asks(question));
        }
        other => other?,
    };
    let Asked { question, approved, rehearsed } = asked;
    match answer {
        Answer::YesForSession if question.wants.may_last() => {
            session.grant(entry, prepared.permission, &prepared.grant);
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
                    "programs run or load it automatically",
                ),
                None => {
                    let ways = ways(session, setting, prepared, call);
                    Error::approval_required(entry.spec.name, &question.reason, ways)
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
    entry: Found<'_>,
    prepared: &Prepared,
    call: &Call,
) -> Error {
    let ways = ways(session, setting, prepared, call);
    Error::policy_refuses(entry.spec.name, setting.policy.as_str(), setting.policy.meaning(), ways)
}

/// What would let the call run.
fn ways(session: &Session, setting: Setting, prepared: &Prepared, call: &Call) -> Vec<Way> {
    let mut ways = setting.ways(prepared.permission, prepared.effect, is_attended(session, call));
    if let Some((place, meaning)) = kept_from(session, prepared) {
        let allow = fault::Setting { flag: "--web-allow", value: place, meaning };
        ways.iter_mut().for_each(|way| way.takes(allow.clone()));
    }
    if prepared.effect.has(Effect::OUTSIDE) && !setting.protected {
        ways.insert(0, Way::setting("--mcp-allow", &*call.tool));
    }
    ways
}

/// What would be refused also after a yes: an address that the operator must name, and why.
fn kept_from(session: &Session, prepared: &Prepared) -> Option<(String, &'static str)> {
    let url = prepared.url.as_deref()?;
    match session.web_with_own_ports() {
        Some(web) => web.kept_from(url),
        None => session.project.web.kept_from(url),
    }
}

/// Whether somebody can be asked about the call.
pub(super) fn is_attended(session: &Session, call: &Call) -> bool {
    call.asking != Asking::Desk || session.project.desk.is_attended(&session.id)
}

/// Asks in the way that the client wants, and gives what was answered.
async fn ask(question: &Question, call: &Call, trail: &Trail<'_>) -> Result<Answer, Stop> {
    match &call.asking {
        Asking::Desk => {
            trail.tell(|| Happening::Asked(Arc::new(question.clone())));
            let answer = trail.person.ask(question.clone()).await?;
            trail.tell(|| Happening::Answered(answer.clone()));
            Ok(answer)
        }
        Asking::Answered(digest, answer) if *digest == question.digest => Ok(answer.clone()),
        Asking::Return | Asking::Answered(..) => Err(Stop::Asks(question.clone())),
    }
}

/// What the person says to the question that a tool itself puts.
pub(super) async fn answer(
    entry: Found<'_>,
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
    match ask(&question, call, trail).await? {
        Answer::Text(answer) => Ok(answer),
        Answer::Nobody => Err(Error::nobody_answers().into()),
        _ => Err(Error::answer_declined().into()),
    }
}
