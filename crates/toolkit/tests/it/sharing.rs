//! Several sessions in one project: what they share, what each has for itself, and who is asked.

use std::sync::Arc;
use std::time::Duration;

use fault::Code;
use tokio::time::timeout;
use toolkit::serde_json::json;
use toolkit::testing::{block_on, run, run_with};
use toolkit::{Answer, Call, Done, Outcome, Policy, Session, Wants, call};

use crate::{place, session};

/// Longer than anything takes that does not hang.
const LONG: Duration = Duration::from_secs(20);

fn put(session: &Arc<Session>, text: &str) -> impl Future<Output = Outcome> + use<> {
    let session = Arc::clone(session);
    let call_ = Call::new("put", json!({"path": "a", "text": text}));
    async move { call(&session, call_).await }
}

fn code(outcome: Outcome) -> Option<Code> {
    outcome.done().unwrap().error.map(|e| e.code)
}

#[test]
fn two_sessions_take_turns_at_one_file_and_write_one_journal() {
    let place = place();
    let (one, two) = (session(&place, Policy::Trust), session(&place, Policy::Trust));
    let slow = json!({"path": "a", "text": "slow\n", "millis": 300});
    let (slow, quick) = block_on(async {
        let slow = call(&one, Call::new("put", slow));
        let quick = async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            put(&two, "quick\n").await
        };
        tokio::join!(slow, quick)
    });
    let step = |outcome: Outcome| outcome.done().unwrap().step.unwrap();
    let (slow, quick) = (step(slow), step(quick));
    assert!(slow < quick, "{slow} and {quick}");
    assert_eq!(place.read("a"), "quick\n", "the later call came last");
    let log = place.project.journal().log(place.project.workspace(), 10).unwrap();
    assert_eq!(log.iter().map(|record| record.id).collect::<Vec<_>>(), [quick, slow]);
}

#[test]
fn what_one_session_read_another_has_not() {
    let place = place();
    place.write("a", "old\n");
    let (one, two) = (session(&place, Policy::Trust), session(&place, Policy::Trust));
    one.workspace().read("a").unwrap();
    assert_eq!(run(&two, "put", json!({"path": "a", "text": "new\n"})).error, None);
    let stale = one.workspace().read_as_seen("a").unwrap_err();
    assert_eq!(stale.code, Code::FileChanged);
    two.workspace().read_as_seen("a").unwrap();
}

#[test]
fn a_yes_for_one_session_is_none_for_another() {
    let place = place();
    let (one, two) = (session(&place, Policy::Ask), session(&place, Policy::Ask));
    let input = || json!({"path": "a", "text": "x"});
    let granted = run_with(&one, "put", input(), |_| Some(Answer::YesForSession));
    assert_eq!(granted.error, None);
    assert_eq!(run(&one, "put", input()).error, None);
    assert_eq!(run(&two, "put", input()).error.unwrap().code, Code::ApprovalRequired);
}

#[test]
fn every_seat_sees_the_question_and_the_first_answer_counts() {
    let place = place();
    let session = session(&place, Policy::Ask);
    let (mut own, mut all, mut late) = (session.sit(), place.project.sit(), place.project.sit());
    block_on(async {
        let calling = tokio::spawn(put(&session, "new\n"));
        let first = timeout(LONG, own.next()).await.unwrap().unwrap();
        let mut second = timeout(LONG, all.next()).await.unwrap().unwrap();
        assert_eq!((&first.question, &*first.session), (&second.question, &**session.id()));
        assert!(first.answer(Answer::Yes));
        timeout(LONG, second.settled()).await.expect("the others are told");
        assert!(!second.answer(Answer::No));
        assert_eq!(code(calling.await.unwrap()), None);
        assert!(late.try_next().is_none(), "a settled question is not shown any more");
    });
    assert_eq!(place.read("a"), "new\n");
}

#[test]
fn a_session_is_not_asked_about_the_calls_of_another() {
    let place = place();
    let (one, two) = (session(&place, Policy::Ask), session(&place, Policy::Ask));
    let mut seat = two.sit();
    let refused = run(&one, "put", json!({"path": "a", "text": "x"}));
    assert_eq!(refused.error.unwrap().code, Code::ApprovalRequired);
    assert!(refused.refused && seat.try_next().is_none());
}

#[test]
fn whoever_leaves_leaves_the_question_to_the_others() {
    let place = place();
    let session = session(&place, Policy::Ask);
    let (mut one, two) = (session.sit(), place.project.sit());
    block_on(async {
        let calling = tokio::spawn(put(&session, "new\n"));
        drop(timeout(LONG, one.next()).await.unwrap().unwrap());
        drop(one);
        drop(two);
        // Nobody is left.
        let outcome = timeout(LONG, calling).await.expect("nobody can answer").unwrap();
        assert_eq!(code(outcome), Some(Code::ApprovalRequired));
        // The desk is still there for those who come.
        let mut three = session.sit();
        let calling = tokio::spawn(put(&session, "new\n"));
        timeout(LONG, three.next()).await.unwrap().unwrap().answer(Answer::Yes);
        assert_eq!(code(calling.await.unwrap()), None);
    });
}

#[test]
fn whoever_comes_late_sees_what_is_open() {
    let place = place();
    let session = session(&place, Policy::Ask);
    let mut one = session.sit();
    block_on(async {
        let calling = tokio::spawn(put(&session, "new\n"));
        let held = timeout(LONG, one.next()).await.unwrap().unwrap();
        let late = place.project.sit().try_next().expect("an open question");
        assert!(matches!(late.question.wants, Wants::Decision { .. }));
        drop(held);
        assert!(late.answer(Answer::Yes));
        assert_eq!(code(calling.await.unwrap()), None);
    });
}

#[test]
fn the_question_of_a_cancelled_call_is_withdrawn() {
    let place = place();
    let session = session(&place, Policy::Ask);
    let mut seat = place.project.sit();
    let done: Done = block_on(async {
        let asked = Call::new("put", json!({"path": "a", "text": "new\n"}));
        let cancel = asked.cancel.clone();
        let calling = async { call(&session, asked).await.done().unwrap() };
        let withdrawn = async {
            let mut pending = timeout(LONG, seat.next()).await.unwrap().unwrap();
            cancel.cancel();
            timeout(LONG, pending.settled()).await.expect("it is withdrawn");
            assert!(!pending.answer(Answer::Yes));
        };
        tokio::join!(calling, withdrawn).0
    });
    assert_eq!(done.error.unwrap().code, Code::Cancelled);
    assert!(place.project.sit().try_next().is_none());
    assert_eq!(place.read("a"), "");
}
