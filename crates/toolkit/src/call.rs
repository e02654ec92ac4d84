//! One call, top to bottom. The order of the steps is the security of the program.

mod approval;
mod execute;
mod permit;
mod waiting;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use fault::{Cancel, Code, Error, Result, Way};
use files::journal::Approved;
use programs::process::Exit;
use serde_json::Value;

use self::execute::Execution;
use self::permit::{answer, permit};
pub(crate) use self::waiting::Waiting;
use crate::audit::Line;
use crate::cx::Live;
use crate::effect::Effect;
use crate::entry::{Entry, Prepared};
use crate::events::Happening;
use crate::found::Found;
use crate::person::Person;
use crate::picture::{self, Picture};
use crate::policy::Decision;
use crate::question::{Answer, Question};
use crate::reach::Reach;
use crate::session::Session;
use crate::slots::{blocking, cancelled, caught};
use crate::tool::ANY_CALL;
use crate::toolset::Body;
use crate::truncate;

/// A call as it comes from a client.
#[derive(Debug)]
pub struct Call {
    /// The name or alias of the tool.
    pub tool: String,
    /// The arguments, an object.
    pub input: Value,
    /// Set by the client when it no longer wants the answer.
    pub cancel: Cancel,
    /// What happens if a person must be asked.
    pub asking: Asking,
    /// Whether it is only tried: what it would change is told and dropped.
    pub rehearse: bool,
    /// Who is shown what programs print as it comes, and whether results leave it out then. What a
    /// program printed before a yes to its changes is in the result.
    pub live: Option<Live>,
    /// Most bytes of a text result that the client will show; the bound of the project if none is
    /// given.
    pub result_bytes: Option<usize>,
}

impl Call {
    /// A call whose questions go to the desk.
    pub fn new(tool: impl Into<String>, input: Value) -> Self {
        Self {
            tool: tool.into(),
            input,
            cancel: Cancel::default(),
            asking: Asking::Desk,
            rehearse: false,
            live: None,
            result_bytes: None,
        }
    }
}

/// What happens if a person must be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asking {
    /// The question goes to the desk and the call waits.
    Desk,
    /// Nothing is done and the outcome is [`Outcome::Asks`]; the client asks and calls again.
    Return,
    /// The client asked, and calls again: the digest of the question that was answered, and the answer.
    Answered(String, Answer),
}

/// What came of a call.
#[derive(Debug)]
pub enum Outcome {
    /// It ran, or failed, or was refused.
    Done(Done),
    /// A person must be asked first, and nothing was done yet. Only clients that ask by themselves
    /// get it: see [`Asking`].
    Asks(Question),
}

/// A call that is over.
#[derive(Debug)]
pub struct Done {
    /// The result in the words of the dialect, a failure too.
    pub body: Body,
    /// Why it failed, if it did.
    pub error: Option<Error>,
    /// Whether the policy or a person refused it, so that nothing was done.
    pub refused: bool,
    /// The number of the change in the journal, if something was changed.
    pub step: Option<i64>,
    /// How the program ended that it ran, if it ran one; an exit code other than 0 need not be a
    /// failure of the tool.
    pub program: Option<Exit>,
    /// Whether what it printed was shown as it came, and is not in the result.
    pub was_live: bool,
    /// What a rehearsal would have changed, as diffs.
    pub rehearsed: Option<String>,
    /// What is shown beside the body.
    pub pictures: Vec<Picture>,
    /// How long it took, with the time that a person needed.
    pub wall: Duration,
    /// How long a person was waited for.
    pub asked: Duration,
}

impl Done {
    /// The body with the pictures in it, for programs; models get them beside it.
    #[must_use]
    pub fn with_pictures(mut self) -> Self {
        if let Body::Json(value) = &mut self.body {
            picture::put(value, &mut self.pictures.iter().map(|picture| picture.base64.clone()));
        }
        self
    }
}

impl Outcome {
    /// The call that is over.
    ///
    /// # Errors
    /// `ApprovalRequired` if a person must be asked first.
    pub fn done(self) -> Result<Done> {
        match self {
            Self::Done(done) => Ok(done),
            Self::Asks(question) => Err(Error::approval_required(
                &question.tool,
                &question.reason,
                vec![Way::Caller("ask, and call again with the answer".to_owned())],
            )),
        }
    }
}

/// Why a call stops before its result.
enum Stop {
    Failed(Error),
    Refused(Error),
    Asks(Question),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// What was found out on the way, for the audit log and those who watch.
struct Trail<'a> {
    session: &'a Arc<Session>,
    call: &'a Call,
    /// The number of the call in the project.
    number: u64,
    began: Instant,
    decision: &'static str,
    /// Whether the tool only looks.
    looks: bool,
    step: Option<i64>,
    program: Option<Exit>,
    was_live: bool,
    rehearsed: Option<String>,
    pictures: Vec<Picture>,
    /// Who is asked.
    person: Person,
    code: Option<Code>,
    /// How long the result is.
    bytes: usize,
}

impl<'a> Trail<'a> {
    fn begin(session: &'a Arc<Session>, call: &'a Call) -> Self {
        let number = session.project.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let trail = Self {
            session,
            call,
            number,
            began: Instant::now(),
            decision: "none",
            looks: false,
            step: None,
            program: None,
            was_live: false,
            rehearsed: None,
            pictures: Vec::new(),
            person: Person::new(&session.project.desk, &session.id, &call.cancel),
            code: Some(Code::Cancelled), // as long as nothing else came of it
            bytes: 0,
        };
        trail.tell(|| Happening::Began {
            tool: call.tool.clone(),
            input: Arc::new(call.input.clone()),
        });
        trail
    }

    fn tell(&self, what: impl FnOnce() -> Happening) {
        self.session.project.events.tell(&self.session.id, self.number, what);
    }
}

impl Drop for Trail<'_> {
    /// Also if the client went away and nobody waits for the call any more.
    fn drop(&mut self) {
        let (code, wall) = (self.code, self.began.elapsed());
        audit(self);
        self.tell(|| Happening::Ended { code, wall });
    }
}

/// Calls a tool. There is no other way to run one.
pub async fn call(session: &Arc<Session>, call: Call) -> Outcome {
    let (call, lost) = session.forwarded(call);
    let mut trail = Trail::begin(session, &call);
    let came = match lost {
        Some(error) => Err(Stop::Failed(error)),
        None => through(session, &call, &mut trail).await,
    };
    let (result, refused) = match came {
        Ok(value) => (Ok(value), false),
        Err(Stop::Failed(error)) => (Err(error), false),
        Err(Stop::Refused(error)) => (Err(error), true),
        Err(Stop::Asks(question)) => {
            trail.code = Some(Code::ApprovalRequired);
            return Outcome::Asks(question);
        }
    };
    let result = result.map_err(|error| session.told(&call, error));
    let error = result.as_ref().err().cloned();
    let body = match session.find(&call.tool) {
        Ok(found) => found.body(&call.input, result, session),
        Err(error) => Body::Text(format!("error: {error}")),
    };
    let most = session.workspace.limits().body_bytes.max(call.result_bytes.unwrap_or(0));
    let (body, bytes) = truncate::bound(body, most);
    (trail.code, trail.bytes) = (error.as_ref().map(|error| error.code), bytes);
    let ended = session.project.runner.take_ended();
    if !trail.looks || error.is_some() || ended.is_some() {
        let session = Arc::clone(session);
        drop(tokio::task::spawn_blocking(move || {
            drop(ended);
            session.project.clear_up();
        }));
    }
    Outcome::Done(Done {
        body,
        error,
        refused,
        step: trail.step,
        program: trail.program,
        was_live: trail.was_live,
        rehearsed: trail.rehearsed.take(),
        pictures: std::mem::take(&mut trail.pictures),
        wall: trail.began.elapsed(),
        asked: trail.person.waited(),
    })
}

fn audit(trail: &Trail<'_>) {
    let (toolset, tool) = match trail.session.find(&trail.call.tool) {
        Ok(found) => (found.toolset.name, found.spec.name),
        Err(_) => (trail.session.toolset.name, &*trail.call.tool),
    };
    let line = Line {
        session: &trail.session.id,
        toolset,
        tool,
        decision: trail.decision,
        code: trail.code.map(Code::as_str),
        step: trail.step,
        bytes: trail.bytes,
        ms: trail.began.elapsed().as_secs_f64() * 1000.0,
    };
    tracing::debug!(
        call = trail.number,
        session = line.session,
        tool = line.tool,
        decision = line.decision,
        code = line.code,
        step = line.step,
        ms = line.ms,
        "ended"
    );
    trail.session.project.audit.write(&line, trail.code.is_none() && trail.looks);
}

async fn through(
    session: &Arc<Session>,
    call: &Call,
    trail: &mut Trail<'_>,
) -> Result<Value, Stop> {
    let entry = session.find(&call.tool)?;
    trail.looks = entry.spec.effect.only_reads();
    let prepared = if entry.spec.effect.has(Effect::RUNS) {
        // What it would run may have to be looked up in the project.
        let (name, input) = (call.tool.clone(), call.input.clone());
        let work = move |s: &Session| {
            s.setting(Effect::RUNS); // looked at here, where waiting holds up nobody
            s.find(&name)?.prepare(&input, s)
        };
        blocking(session, Effect::RUNS, &call.cancel, work).await??
    } else {
        caught(|| entry.prepare(&call.input, session))??
    };
    if call.rehearse {
        return rehearse(session, entry, prepared, call, trail).await;
    }
    let mut reach = Reach::of(session, &prepared, &call.cancel).await?;
    let (approved, rehearsed) = permit(session, entry, &prepared, &mut reach, call, trail).await?;
    let answer = match &prepared.question {
        Some(text) => {
            reach.lane = None; // nobody waits behind a question
            Some(answer(entry, text, call, trail).await?)
        }
        None => None,
    };
    let quick = prepared.effect.only_reads() && reach.is_small;
    let Reach { paths, is_wide, lane, .. } = reach;
    let _pass = tokio::select! {
        biased;
        pass = session.project.gates.pass_from(lane, paths, is_wide, prepared.effect) => pass,
        () = cancelled(&call.cancel) => return Err(Error::cancelled().into()),
    };
    call.cancel.check()?;
    let (does, cancel) = (prepared.effect, call.cancel.clone());
    let mut run = Execution::new(&entry, prepared, approved, cancel);
    run.person = Some(trail.person.clone());
    (run.answer, run.rehearsed, run.result_bytes) = (answer, rehearsed, call.result_bytes);
    run.live = call.live.clone();
    let (result, left) = if quick {
        caught(|| run.keep_or_roll_back(session))?
    } else {
        let work = move |session: &Session| run.keep_or_roll_back(session);
        blocking(session, does, &call.cancel, work).await?
    };
    (trail.step, trail.program, trail.was_live) = (left.step, left.program, left.was_live);
    trail.pictures = left.pictures;
    if let Some(changed) = left.changed {
        trail.tell(|| changed);
    }
    result.map_err(|error| Stop::Failed(declared(&entry, error)))
}

/// Runs a call without effect: what it would change is told and dropped. So nobody is asked, but
/// what the policy refuses is refused.
async fn rehearse(
    session: &Arc<Session>,
    entry: Found<'_>,
    prepared: Prepared,
    call: &Call,
    trail: &mut Trail<'_>,
) -> Result<Value, Stop> {
    let (name, does) = (entry.spec.name, prepared.effect);
    trail.decision = "rehearsed";
    let setting = session.setting(does);
    if setting.decide(prepared.permission, does) == Decision::Deny {
        return Err(Stop::Refused(permit::denied(session, setting, entry, &prepared, call)));
    }
    if !Effect::WRITES.and(Effect::RUNS).has(does) {
        return Err(Error::cannot_rehearse(name, "what it does elsewhere cannot be dropped").into());
    }
    let trial = Execution::new(&entry, prepared, Approved::default(), call.cancel.clone());
    let work = move |session: &Session| {
        let (result, planned) = trial.plan(session);
        (result, planned.show(&session.workspace))
    };
    let (result, shown) = blocking(session, does, &call.cancel, work).await?;
    trail.rehearsed = result.is_ok().then_some(shown);
    result.map_err(|error| Stop::Failed(declared(&entry, error)))
}

/// Holds tools to the codes they declare; a slip is a defect and is shown as one while testing.
fn declared(entry: &Entry, error: Error) -> Error {
    let known = |code: &Code| entry.spec.codes().any(|c| c == *code) || ANY_CALL.contains(code);
    if cfg!(debug_assertions) && !known(&error.code) {
        let slip =
            format!("{} fails with {}, which it does not declare", entry.spec.name, error.code);
        return Error::internal(format!("{slip}: {error}"));
    }
    error
}
