//! A permitted call at work, on a thread that may block: in a step of the journal, or without
//! effect.

use fault::{Cancel, Code, Result};
use files::journal::{Approved, Label, Planned, Step};
use programs::process::Exit;
use serde_json::Value;

use super::approval::Rehearsed;
use crate::cx::{Cx, Live};
use crate::effect::Effect;
use crate::entry::{Entry, Prepared};
use crate::events::{Happening, LISTED};
use crate::person::Person;
use crate::picture::Picture;
use crate::session::Session;

/// A prepared and permitted call, ready for its thread.
pub(super) struct Execution {
    name: &'static str,
    effect: Effect,
    prepared: Prepared,
    approved: Approved,
    cancel: Cancel,
    pub(super) answer: Option<String>,
    pub(super) rehearsed: Option<Rehearsed>,
    pub(super) result_bytes: Option<usize>,
    pub(super) live: Option<Live>,
    /// Whom a tool of another server may ask.
    pub(super) person: Option<Person>,
}

/// What an execution leaves beside its result.
#[derive(Default)]
pub(super) struct Left {
    /// The step of the journal.
    pub(super) step: Option<i64>,
    /// What those who watch are told of the step.
    pub(super) changed: Option<Happening>,
    /// How the program ended that it ran.
    pub(super) program: Option<Exit>,
    /// What is shown beside the result.
    pub(super) pictures: Vec<Picture>,
    /// Whether what it printed was shown as it came.
    pub(super) was_live: bool,
}

impl Left {
    fn kept(self, session: &Session, step: Option<i64>) -> Self {
        let changed = step.and_then(|step| changed(session, step));
        Self { step, changed, ..self }
    }
}

impl Execution {
    pub(super) fn new(
        entry: &Entry,
        prepared: Prepared,
        approved: Approved,
        cancel: Cancel,
    ) -> Self {
        let (name, effect) = (entry.spec.name, prepared.effect);
        Self {
            name,
            effect,
            prepared,
            approved,
            cancel,
            answer: None,
            rehearsed: None,
            result_bytes: None,
            live: None,
            person: None,
        }
    }

    /// Runs in a step of the journal; a failed change is rolled back whole. What a program did
    /// before it failed stays, and can be undone.
    pub(super) fn keep_or_roll_back(self, session: &Session) -> (Result<Value>, Left) {
        session.project.settle();
        let label = Label {
            session: session.id.to_string(),
            tool: self.name.to_owned(),
            about: self.about(),
        };
        let step = match self.effect {
            effect if effect.makes_step() => {
                session.project.journal.begin(&session.workspace, label, self.approved)
            }
            _ => {
                let answer = self.answer.as_deref();
                let mut cx = Cx::new(session, None, &self.cancel, answer, self.result_bytes);
                (cx.live, cx.person) = (self.live, self.person);
                let result = (self.prepared.run)(&cx);
                let (program, was_live) = (cx.program(), cx.is_live() && cx.program().is_some());
                let pictures = cx.take_pictures();
                if result.is_ok() && !self.cancel.is_cancelled() {
                    cx.take_after().into_iter().for_each(|after| after());
                }
                return (result, Left { program, was_live, pictures, ..Left::default() });
            }
        };
        let answer = self.answer.as_deref();
        let mut cx = Cx::new(session, Some(&step), &self.cancel, answer, self.result_bytes);
        cx.live = self.live;
        let mut left = Left::default();
        let done = match self.rehearsed {
            // What was seen and allowed is brought in, and not made anew.
            Some(Rehearsed { value, held, program, after }) => {
                let brought = step.bring_in_held(&session.workspace, held, &self.cancel);
                left.program = program;
                brought.map(|()| {
                    after.into_iter().for_each(|after| after());
                    value
                })
            }
            None => {
                let done = (self.prepared.run)(&cx);
                left.program = cx.program();
                left.was_live = cx.is_live() && left.program.is_some();
                left.pictures = cx.take_pictures();
                done
            }
        };
        let after = cx.take_after();
        let once_kept = || after.into_iter().for_each(|after| after());
        match done {
            Ok(value) => match step.keep() {
                Ok(step) => {
                    once_kept();
                    (Ok(value), left.kept(session, step))
                }
                Err(error) => (Err(error), Left::default()),
            },
            // What a program did before it failed is its work; nobody wants that of a cancelled one.
            Err(error) if self.effect.has(Effect::RUNS) && error.code != Code::Cancelled => {
                let step = step.keep().unwrap_or_else(|kept| {
                    tracing::error!(
                        tool = self.name,
                        "what a failed program did was not kept: {kept}"
                    );
                    None
                });
                once_kept();
                (Err(error), left.kept(session, step))
            }
            Err(error) => match step.roll_back() {
                Ok(()) => (Err(error), Left::default()),
                Err(worse) => (Err(worse), Left::default()),
            },
        }
    }

    /// Runs without effect and gives what would be changed.
    pub(super) fn plan(self, session: &Session) -> (Result<Value>, Planned) {
        let step = Step::dry(&session.project.journal, &session.workspace, self.approved);
        let answer = self.answer.as_deref();
        let cx = Cx::new(session, Some(&step), &self.cancel, answer, self.result_bytes);
        let result = (self.prepared.run)(&cx);
        (result, step.planned())
    }

    /// The same for a command, with what it did in its layers.
    pub(super) fn rehearse(self, session: &Session) -> (Result<Rehearsed>, String) {
        let step = Step::dry(&session.project.journal, &session.workspace, self.approved);
        let mut cx = Cx::new(session, Some(&step), &self.cancel, None, self.result_bytes);
        cx.live = self.live;
        let result = (self.prepared.run)(&cx);
        let (held, program, after) = (step.take_held(), cx.program(), cx.take_after());
        let result = result.map(|value| Rehearsed { value, held, program, after });
        (result, step.planned().show(&session.workspace))
    }

    fn about(&self) -> String {
        if self.prepared.paths.is_empty() {
            self.prepared.about.clone()
        } else {
            self.prepared.paths.join(", ")
        }
    }
}

/// What those who watch are told of a step; read back only if there are any.
fn changed(session: &Session, step: i64) -> Option<Happening> {
    if !session.project.events.is_heard() {
        return None;
    }
    let record = session.project.journal.step(&session.workspace, step);
    let record =
        record.inspect_err(|e| tracing::warn!(step, "not told to watchers: {e}")).ok()??;
    let count = record.changes.len();
    let changes = record.changes.into_iter().take(LISTED).collect();
    Some(Happening::Changed { step, changes, count })
}
