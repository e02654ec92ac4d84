//! Who is asked, what is shown, and what a yes allows.

use fault::Code;
use toolkit::serde_json::json;
use toolkit::testing::{Place, block_on, run, run_with};
use toolkit::{Answer, Asking, Call, Outcome, Policy, call};

use crate::{place, session};

/// Calls of `put` under the policy `ask`, with somebody who answers every question as given.
fn put(
    place: &Place,
    answers: Vec<Answer>,
    calls: usize,
    between: impl Fn(&str),
) -> (Vec<Option<Code>>, Vec<String>) {
    let session = session(place, Policy::Ask);
    let (mut shown, mut answers) = (Vec::new(), answers.into_iter());
    let codes = (0..calls).map(|n| {
        let input = json!({"path": "a", "text": format!("new {n}\n")});
        let done = run_with(&session, "put", input, |question| {
            between(&question.shown);
            shown.push(question.shown.clone());
            answers.next()
        });
        done.error.map(|e| e.code)
    });
    (codes.collect(), shown)
}

#[test]
fn the_question_shows_the_change_and_a_yes_makes_it() {
    let place = place();
    place.write("a", "old\n");
    let (codes, shown) = put(&place, vec![Answer::Yes], 1, |_| {});
    assert_eq!(codes, [None]);
    assert!(shown[0].contains("-old\n+new 0\n"), "{}", shown[0]);
    assert_eq!(place.read("a"), "new 0\n");
}

#[test]
fn a_no_and_a_silence_change_nothing() {
    for (answers, code) in
        [(vec![Answer::No], Code::PermissionDenied), (vec![], Code::ApprovalRequired)]
    {
        let place = place();
        place.write("a", "old\n");
        assert_eq!(put(&place, answers, 1, |_| {}).0, [Some(code)]);
        assert_eq!(place.read("a"), "old\n");
    }
}

#[test]
fn a_yes_for_the_session_is_asked_once() {
    let place = place();
    let (codes, shown) = put(&place, vec![Answer::YesForSession], 3, |_| {});
    assert_eq!((codes, shown.len()), (vec![None, None, None], 1));
    assert_eq!(place.read("a"), "new 2\n");
}

#[test]
fn a_yes_holds_only_for_what_was_shown() {
    let place = place();
    place.write("a", "old\n");
    let root = place.root();
    // The new content is the same whatever stood there, but what is lost is another file's content.
    let (codes, _) = put(&place, vec![Answer::Yes], 1, |_| {
        std::fs::write(root.join("a"), "precious\n").unwrap()
    });
    assert_eq!(codes, [Some(Code::FileChanged)]);
    assert_eq!(place.read("a"), "precious\n");
}

#[test]
fn a_call_that_would_fail_is_not_asked_about() {
    let place = place();
    let session = session(&place, Policy::Ask);
    let mut seat = session.sit();
    let outcome = run(&session, "put", json!({"path": "a", "text": "x", "fail": true}));
    assert_eq!(outcome.error.unwrap().code, Code::FileNotFound);
    assert!(seat.try_next().is_none());
}

#[test]
fn a_failed_call_leaves_nothing() {
    let place = place();
    place.write("a", "old");
    let session = session(&place, Policy::Trust);
    let outcome = run(&session, "put", json!({"path": "a", "text": "x", "fail": true}));
    assert_eq!((outcome.error.unwrap().code, outcome.step), (Code::FileNotFound, None));
    assert_eq!(place.read("a"), "old");
}

#[test]
fn a_client_that_asks_by_itself_answers_for_one_effect() {
    let place = place();
    place.write("a", "old\n");
    let session = session(&place, Policy::Ask);
    let ask = |asking| {
        let mut again = Call::new("put", json!({"path": "a", "text": "new\n"}));
        again.asking = asking;
        block_on(call(&session, again))
    };
    let asks = |asking| match ask(asking) {
        Outcome::Asks(question) => question,
        done => panic!("not asked: {done:?}"),
    };
    let question = asks(Asking::Return);
    assert_eq!(place.read("a"), "old\n");
    let other = asks(Asking::Answered("made up".into(), Answer::Yes));
    assert_eq!(other.digest, question.digest);
    assert_eq!(place.read("a"), "old\n");
    place.write("a", "changed\n");
    let question = asks(Asking::Answered(question.digest, Answer::Yes));
    let done = ask(Asking::Answered(question.digest, Answer::Yes)).done().unwrap();
    assert_eq!(done.error, None);
    assert_eq!(place.read("a"), "new\n");
}

#[test]
fn read_only_refuses_changes_and_allows_looking() {
    let place = place();
    let session = session(&place, Policy::ReadOnly);
    let error = run(&session, "put", json!({"path": "a", "text": "x"})).error.unwrap();
    assert_eq!(error.code, Code::PermissionDenied);
    let wanted = "put: refused by the policy read-only (read-only tools run, everything else is refused); \
         start Kitbag with --policy ask and a client that can ask its user, or start Kitbag with \
         --policy auto (";
    assert!(error.message.starts_with(wanted), "{error}");
    assert_eq!(run(&session, "take", json!({"count": 1})).error, None);
}

#[test]
fn protected_files_are_asked_about_under_every_policy() {
    for policy in [Policy::Auto, Policy::Trust] {
        let place = place();
        let session = session(&place, policy);
        let error = run(&session, "put", json!({"path": ".mcp.json", "text": "x"})).error.unwrap();
        assert_eq!(error.code, Code::ProtectedPath);
        assert!(error.message.contains("--allow-protected .mcp.json"), "{error}");
    }
}

#[test]
fn refused_calls_are_in_the_audit_log() {
    let place = place();
    let session = session(&place, Policy::ReadOnly);
    run(&session, "put", json!({"path": "a", "text": "x"}));
    run(&session, "take", json!({"count": 1}));
    place.project.end();
    let log = std::fs::read_to_string(place.state("audit.jsonl")).unwrap();
    let lines: Vec<_> = log.lines().collect();
    assert_eq!(lines.len(), 2, "{log}");
    assert!(lines[0].contains(r#""decision":"refused","code":"PermissionDenied""#), "{log}");
    assert!(lines[1].contains(r#""decision":"allowed","code":null"#), "{log}");
}
