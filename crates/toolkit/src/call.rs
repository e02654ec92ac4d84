//! One call, top to bottom. The order of the steps is the security of the program.

mod permit;

use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::journal::{Approved, Label, Step};
use engine::{Cancel, Code, Error, Result};
use serde_json::Value;

use self::permit::{Rehearsed, answer, permit};
use crate::approval::{Answer, Question};
use crate::audit::Line;
use crate::cx::Cx;
use crate::entry::{Entry, Failure, Prepared};
use crate::policy::{Decision, decide};
use crate::reach::Reach;
use crate::session::Session;
use crate::slots::{blocking, caught};
use crate::tool::{ANY_CALL, Effect};
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
    /// Whether somebody is there to ask. A command that needs a yes then runs in its layer first,
    /// and what it would change is part of the question.
    pub attended: bool,
}

impl Call {
    /// A call whose questions go to the session's desk.
    pub fn new(tool: impl Into<String>, input: Value) -> Self {
        Self {
            tool: tool.into(),
            input,
            cancel: Cancel::default(),
            asking: Asking::Desk,
            rehearse: false,
            attended: false,
        }
    }
}

/// What happens if a person must be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asking {
    /// The question goes to the desk and the call waits.
    Desk,
    /// Nothing is done and [`Outcome::question`] has the question; the client asks and calls again.
    Return,
    /// The client asked, and calls again: the digest of the question that was answered, and the answer.
    Answered(String, Answer),
}

/// What came of a call.
#[derive(Debug)]
pub struct Outcome {
    /// The result in the words of the dialect, a failure too.
    pub body: Body,
    /// Why it failed, if it did.
    pub error: Option<Error>,
    /// What a person must be asked first; nothing was done yet.
    pub question: Option<Question>,
    /// The number of the change in the journal, if something was changed.
    pub step: Option<i64>,
    /// What a rehearsal would have changed, as diffs.
    pub rehearsed: Option<String>,
    /// How long it took.
    pub wall: Duration,
}

/// Why a call stops before its result.
enum Stop {
    Failed(Box<Failure>),
    Asks(Question),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error.into())
    }
}

/// What was found out on the way, for the audit log.
struct Trail {
    decision: &'static str,
    /// Whether the tool only looks.
    looks: bool,
    step: Option<i64>,
    rehearsed: Option<String>,
}

/// Calls a tool. There is no other way to run one.
pub async fn call(session: &Arc<Session>, call: Call) -> Outcome {
    let started = Instant::now();
    let mut trail = Trail { decision: "none", looks: false, step: None, rehearsed: None };
    let result = through(session, &call, &mut trail).await;
    let (value, failure, question) = match result {
        Ok(value) => (value, None, None),
        Err(Stop::Failed(failure)) => (Value::Null, Some(failure), None),
        Err(Stop::Asks(question)) => (Value::Null, None, Some(question)),
    };
    let body = match session.toolset.find(&call.tool) {
        Ok(entry) => {
            let result = failure.as_deref().map_or(Ok(value), Err);
            (session.toolset.envelope.body)(entry, &call.input, result)
        }
        Err(error) => Body::Text(format!("error: {error}")),
    };
    let error = failure.map(|failure| failure.error);
    let (body, bytes) = truncate::bound(body, session.workspace.limits().body_bytes);
    let wall = started.elapsed();
    let line = Line {
        toolset: session.toolset.name,
        tool: &call.tool,
        decision: trail.decision,
        code: error.as_ref().map(|e| e.code.as_str()),
        step: trail.step,
        bytes,
        ms: wall.as_secs_f64() * 1000.0,
    };
    session.audit.write(&line, error.is_none() && trail.looks);
    if !trail.looks || error.is_some() {
        let session = Arc::clone(session);
        drop(tokio::task::spawn_blocking(move || session.journal.close_replaced()));
    }
    Outcome { body, error, question, step: trail.step, rehearsed: trail.rehearsed, wall }
}

async fn through(session: &Arc<Session>, call: &Call, trail: &mut Trail) -> Result<Value, Stop> {
    let entry = session.toolset.find(&call.tool)?;
    trail.looks = entry.spec.effect == Effect::Reads;
    let prepared = if entry.spec.effect == Effect::Runs {
        // What it would run may have to be looked up in the project.
        let (name, input) = (entry.spec.name, call.input.clone());
        {
            let work = move |s: &Session| s.toolset.find(name)?.prepare(&input, &s.workspace);
            blocking(session, Effect::Runs, &call.cancel, work).await??
        }
    } else {
        caught(|| entry.prepare(&call.input, &session.workspace))??
    };
    if call.rehearse {
        return rehearse(session, entry, prepared, call, trail).await;
    }
    let (approved, rehearsed) = permit(session, entry, &prepared, call, trail).await?;
    let answer = match &prepared.question {
        Some(text) => Some(answer(session, entry, text, call).await?),
        None => None,
    };
    let reach = Reach::of(session, &prepared.paths);
    let quick = prepared.does == Effect::Reads && reach.is_small;
    let _pass = session.gates.pass(reach.paths, reach.is_wide, prepared.does).await;
    call.cancel.check()?;
    let (does, cancel) = (prepared.does, call.cancel.clone());
    let run = Execution { answer, rehearsed, ..Execution::new(entry, prepared, approved, cancel) };
    let (result, step) = if quick {
        caught(|| run.keep_or_roll_back(session))?
    } else {
        {
            let work = move |session: &Session| run.keep_or_roll_back(session);
            blocking(session, does, &call.cancel, work).await?
        }
    };
    trail.step = step;
    result.map_err(|failure| Stop::Failed(declared(entry, failure)))
}

/// Runs a call without effect: what it would change is told and dropped. So nobody is asked, but
/// what the policy refuses is refused.
async fn rehearse(
    session: &Arc<Session>,
    entry: &Entry,
    prepared: Prepared,
    call: &Call,
    trail: &mut Trail,
) -> Result<Value, Stop> {
    let (name, does) = (entry.spec.name, prepared.does);
    trail.decision = "rehearsed";
    if decide(session.policy, prepared.permission, does) == Decision::Deny {
        return Err(Error::policy_refuses(name, session.policy.as_str()).into());
    }
    if !matches!(does, Effect::Reads | Effect::Writes | Effect::Runs) {
        return Err(Error::cannot_rehearse(name, "what it does elsewhere cannot be dropped").into());
    }
    let trial = Execution::new(entry, prepared, Approved::default(), call.cancel.clone());
    let work = move |session: &Session| {
        let (result, planned) = trial.plan(session);
        (result, planned.show(&session.workspace))
    };
    let (result, shown) = blocking(session, does, &call.cancel, work).await?;
    trail.rehearsed = result.is_ok().then_some(shown);
    result.map_err(|failure| Stop::Failed(declared(entry, failure)))
}

/// A prepared and permitted call, ready for its thread.
struct Execution {
    name: &'static str,
    effect: Effect,
    prepared: Prepared,
    approved: Approved,
    cancel: Cancel,
    answer: Option<String>,
    rehearsed: Option<Rehearsed>,
}

impl Execution {
    fn new(entry: &Entry, prepared: Prepared, approved: Approved, cancel: Cancel) -> Self {
        let (name, effect) = (entry.spec.name, prepared.does);
        Self { name, effect, prepared, approved, cancel, answer: None, rehearsed: None }
    }

    /// Runs in a step of the journal; a failed change is rolled back whole. What a program did
    /// before it failed stays, and can be undone.
    fn keep_or_roll_back(self, session: &Session) -> (Result<Value, Box<Failure>>, Option<i64>) {
        let label = Label { tool: self.name.to_owned(), about: self.about() };
        let step = match self.effect {
            effect if effect.writes() || effect == Effect::Runs => {
                session.journal.begin(&session.workspace, label, self.approved)
            }
            _ => {
                let answer = self.answer.as_deref();
                let cx = Cx { session, step: None, cancel: &self.cancel, answer };
                return ((self.prepared.run)(&cx), None);
            }
        };
        let answer = self.answer.as_deref();
        let cx = Cx { session, step: Some(&step), cancel: &self.cancel, answer };
        let done = match self.rehearsed {
            // What was seen and allowed is brought in, and not made anew.
            Some(Rehearsed { value, held }) => {
                let brought = step.bring_in_held(&session.workspace, held, &self.cancel);
                brought.map(|()| value).map_err(Box::from)
            }
            None => (self.prepared.run)(&cx),
        };
        match done {
            Ok(value) => match step.keep() {
                Ok(id) => (Ok(value), id),
                Err(error) => (Err(error.into()), None),
            },
            // What a program did before it failed is its work; nobody wants that of a cancelled one.
            Err(failure)
                if self.effect == Effect::Runs && failure.error.code != Code::Cancelled =>
            {
                (Err(failure), step.keep().unwrap_or_default())
            }
            Err(failure) => match step.roll_back() {
                Ok(()) => (Err(failure), None),
                Err(worse) => (Err(worse.into()), None),
            },
        }
    }

    /// Runs without effect and gives what would be changed.
    fn plan(self, session: &Session) -> (Result<Value, Box<Failure>>, engine::journal::Planned) {
        let step = Step::dry(&session.journal, &session.workspace, self.approved);
        let answer = self.answer.as_deref();
        let cx = Cx { session, step: Some(&step), cancel: &self.cancel, answer };
        let result = (self.prepared.run)(&cx);
        (result, step.planned())
    }

    /// The same for a command, with its layers.
    fn rehearse(
        self,
        session: &Session,
    ) -> (Result<Value, Box<Failure>>, String, engine::journal::Held) {
        let step = Step::dry(&session.journal, &session.workspace, self.approved);
        let cx = Cx { session, step: Some(&step), cancel: &self.cancel, answer: None };
        let result = (self.prepared.run)(&cx);
        let held = step.take_held();
        (result, step.planned().show(&session.workspace), held)
    }

    fn about(&self) -> String {
        if self.prepared.paths.is_empty() {
            self.prepared.effect.clone()
        } else {
            self.prepared.paths.join(", ")
        }
    }
}

/// Holds tools to the codes they declare; a slip is a defect and is shown as one while testing.
fn declared(entry: &Entry, failure: Box<Failure>) -> Box<Failure> {
    let error = &failure.error;
    let known = |code: &Code| entry.spec.codes().any(|c| c == *code) || ANY_CALL.contains(code);
    if cfg!(debug_assertions) && !known(&error.code) {
        let slip =
            format!("{} fails with {}, which it does not declare", entry.spec.name, error.code);
        return Error::internal(format!("{slip}: {error}")).into();
    }
    failure
}
