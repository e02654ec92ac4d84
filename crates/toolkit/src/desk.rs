//! The desk of a project: where questions lie open for everybody who may answer them.
//!
//! A client that can ask its user, a terminal and a console each take a seat. All seats see a
//! question; the first answer counts, and the others are told that it is settled. A question whose
//! call is cancelled is withdrawn. Nobody there, or no answer, is never a yes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::{oneshot, watch};

use crate::question::{Answer, Question};

/// The open questions, and who may answer them.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    state: Mutex<State>,
    /// Marked after each change of the state.
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct State {
    open: BTreeMap<u64, Open>,
    /// The seats by number, with the one session whose questions they see, or all.
    seats: BTreeMap<u64, Option<Arc<str>>>,
    /// The number of the next question or seat.
    next: u64,
}

#[derive(Debug)]
struct Open {
    session: Arc<str>,
    question: Question,
    /// The seats that may still answer.
    seats: BTreeSet<u64>,
    answer: oneshot::Sender<Answer>,
}

impl State {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}

fn sees(seat: &Option<Arc<str>>, session: &Arc<str>) -> bool {
    seat.as_ref().is_none_or(|own| own == session)
}

impl Desk {
    /// A seat that sees the open and the coming questions of one session, or of all.
    pub(crate) fn sit(desk: &Arc<Self>, session: Option<Arc<str>>) -> Seat {
        let mut state = desk.state.lock();
        let number = state.number();
        for open in state.open.values_mut().filter(|open| sees(&session, &open.session)) {
            open.seats.insert(number);
        }
        state.seats.insert(number, session);
        Seat { number, seen: 0, changed: desk.changed.subscribe(), desk: Arc::downgrade(desk) }
    }

    /// Whether anybody sees the questions of a session.
    pub(crate) fn is_attended(&self, session: &Arc<str>) -> bool {
        self.state.lock().seats.values().any(|seat| sees(seat, session))
    }

    /// Asks, and waits as long as anybody may answer. Dropping the future withdraws the question.
    pub(crate) async fn ask(&self, session: &Arc<str>, question: Question) -> Answer {
        let (answer, answered) = oneshot::channel();
        let number = {
            let mut state = self.state.lock();
            let seats = state.seats.iter().filter(|(_, seat)| sees(seat, session));
            let seats: BTreeSet<u64> = seats.map(|(number, _)| *number).collect();
            if seats.is_empty() {
                return Answer::Nobody;
            }
            let number = state.number();
            state.open.insert(number, Open { session: session.clone(), question, seats, answer });
            number
        };
        let _withdraw = Withdraw { desk: self, number };
        self.changed.send_replace(());
        answered.await.unwrap_or(Answer::Nobody)
    }

    /// Answers a question; false if it is not open any more.
    fn settle(&self, number: u64, answer: Answer) -> bool {
        let open = self.state.lock().open.remove(&number);
        let settled = open.is_some_and(|open| open.answer.send(answer).is_ok());
        self.changed.send_replace(());
        settled
    }

    /// A seat does not answer these questions; those that no other seat may answer are settled.
    fn pass(&self, seat: u64, of: impl Fn(u64) -> bool) {
        // Without its sender a question is answered by nobody.
        self.state.lock().open.retain(|number, open| {
            !(of(*number) && open.seats.remove(&seat) && open.seats.is_empty())
        });
        self.changed.send_replace(());
    }
}

/// Takes a question off the desk when nobody waits for its answer any more.
struct Withdraw<'a> {
    desk: &'a Desk,
    number: u64,
}

impl Drop for Withdraw<'_> {
    fn drop(&mut self) {
        if self.desk.state.lock().open.remove(&self.number).is_some() {
            self.desk.changed.send_replace(());
        }
    }
}

/// Where somebody sits who answers questions. Leaving it leaves the questions to the other seats.
#[derive(Debug)]
pub struct Seat {
    number: u64,
    /// The newest question that was taken from this seat.
    seen: u64,
    desk: Weak<Desk>,
    changed: watch::Receiver<()>,
}

impl Seat {
    /// The next question that is open; `None` once the project is gone.
    pub async fn next(&mut self) -> Option<Pending> {
        loop {
            self.changed.mark_unchanged();
            if let Some(pending) = self.try_next() {
                return Some(pending);
            }
            self.changed.changed().await.ok()?;
        }
    }

    /// The next question, if one is open now.
    pub fn try_next(&mut self) -> Option<Pending> {
        let desk = self.desk.upgrade()?;
        let state = desk.state.lock();
        let mut newer = state.open.range(self.seen + 1..);
        let (number, open) = newer.find(|(_, open)| open.seats.contains(&self.number))?;
        self.seen = *number;
        Some(Pending {
            question: open.question.clone(),
            session: Arc::clone(&open.session),
            number: *number,
            seat: self.number,
            changed: desk.changed.subscribe(),
            desk: Weak::clone(&self.desk),
        })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        if let Some(desk) = self.desk.upgrade() {
            desk.state.lock().seats.remove(&self.number);
            // What was taken is answered or passed on by itself.
            desk.pass(self.number, |number| number > self.seen);
        }
    }
}

/// An open question as one seat sees it. Dropping it leaves it to the other seats.
#[derive(Debug)]
pub struct Pending {
    /// What is asked.
    pub question: Question,
    /// The session that asks.
    pub session: Arc<str>,
    number: u64,
    seat: u64,
    desk: Weak<Desk>,
    changed: watch::Receiver<()>,
}

impl Pending {
    /// Answers; false if somebody else was faster or the question was withdrawn.
    /// [`Answer::Nobody`] leaves it to the other seats.
    pub fn answer(self, answer: Answer) -> bool {
        let desk = self.desk.upgrade();
        answer != Answer::Nobody && desk.is_some_and(|desk| desk.settle(self.number, answer))
    }

    /// Ready once somebody else answered, or the question was withdrawn.
    pub async fn settled(&mut self) {
        loop {
            self.changed.mark_unchanged();
            let desk = self.desk.upgrade();
            if desk.is_none_or(|desk| !desk.state.lock().open.contains_key(&self.number)) {
                return;
            }
            if self.changed.changed().await.is_err() {
                return;
            }
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(desk) = self.desk.upgrade() {
            desk.pass(self.seat, |number| number == self.number);
        }
    }
}
