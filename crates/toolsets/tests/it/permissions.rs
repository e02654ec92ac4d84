//! Who is asked about a project's commands, and what a yes for the session holds for.

use fault::Code;
use programs::process::{Exit, Network};
use toolkit::serde_json::{Value, json};
use toolkit::testing::{block_on, run, run_with};
use toolkit::{Answer, Asking, Body, Call, Done, Outcome, Policy, Question, Settings, call};

use crate::{open, place};

const MAKE: (&str, &str) = ("Makefile", "test:\n\t@echo tested\nlint:\n\t@echo linted\n");

/// Calls one after another under `policy`, each question answered in the order of `answers`.
fn calls(
    policy: Policy,
    calls: &[(&str, Value)],
    answers: &[Answer],
) -> (Vec<Done>, Vec<Question>) {
    let set = |settings: &mut Settings| {
        settings.programs.layer = false; // so nothing is tried before the question
        if policy == Policy::Auto {
            settings.programs.network = Network::On; // so programs are asked about
        }
    };
    let place = place(&[MAKE, ("sub/go.mod", "module a\n")], set);
    let session = open(&place, "floyd", policy);
    let (mut asked, mut answers) = (Vec::new(), answers.iter());
    let done = calls.iter().map(|(tool, input)| {
        run_with(&session, tool, input.clone(), |question| {
            asked.push(question.clone());
            Some(answers.next().cloned().unwrap_or(Answer::No))
        })
    });
    (done.collect(), asked)
}

fn codes(outcomes: &[Done]) -> Vec<Option<Code>> {
    outcomes.iter().map(|o| o.error.as_ref().map(|e| e.code)).collect()
}

#[test]
fn the_question_shows_the_line_that_the_project_defines() {
    let made = [
        ("run_tests", json!({})),
        ("build", json!({"projectPath": "sub"})),
        ("lint", json!({})),
        ("format", json!({})),
        ("run", json!({"command": "ls", "args": ["a b", "-l"], "cwd": "sub", "env": {"A": "b c"}})),
    ];
    let (_, asked) = calls(Policy::Ask, &made, &[]);
    let shown: Vec<_> = asked.iter().map(|q| (q.shown.as_str(), q.wants.may_last())).collect();
    assert_eq!(shown[0], ("make test", false));
    assert_eq!(shown[1], ("go build ./...\nin sub", false));
    assert_eq!(shown[2], ("make lint", true), "lint is moderate");
    assert!(shown[3].0.starts_with(".: no format command"), "{shown:?}");
    assert_eq!(shown[4], ("ls 'a b' -l\nwith A='b c'\nin sub", false));
    assert!(asked.iter().all(|q| q.reason == "it runs a program"), "{asked:?}");
}

#[test]
fn how_a_program_ended_is_known_also_if_it_ran_before_the_question() {
    let place = place(&[], |_| {});
    let session = open(&place, "fiz", Policy::Ask);
    let input = json!({"command": "touch made; exit 3"});
    let done = run_with(&session, "bash", input, |_| Some(Answer::Yes));
    assert_eq!((done.error, done.program), (None, Some(Exit::Code(3))));
    assert!(place.path("made").exists());
}

#[test]
fn nobody_is_asked_about_an_address_that_a_yes_does_not_open() {
    let place = place(&[], |_| {});
    let session = open(&place, "floyd", Policy::Ask);
    let input = json!({"url": "http://127.0.0.1:9/"});
    let done =
        run_with(&session, "browser_navigate", input, |question| panic!("asked: {question:?}"));
    let error = done.error.unwrap();
    assert_eq!(error.code, Code::AddressRefused);
    let why =
        "browser_navigate: 127.0.0.1:9 is a loopback address, which no answer to a question opens";
    assert_eq!(error.what(), why);
    assert!(error.message.ends_with("start Kitbag with --web-allow 127.0.0.1:9"), "{error}");
}

#[test]
fn granting_itself_permission_is_of_no_use_to_a_model() {
    let made = [("run_tests", json!({"grantPermission": true}))];
    let (outcomes, asked) = calls(Policy::Ask, &made, &[Answer::No]);
    assert_eq!(codes(&outcomes), [Some(Code::PermissionDenied)]);
    assert!(asked[0].wants.may_last(), "it only offers the person a longer yes");
    let (outcomes, _) = calls(Policy::ReadOnly, &made, &[]);
    assert_eq!(codes(&outcomes), [Some(Code::PermissionDenied)]);
    let place = place(&[MAKE], |_| {});
    let session = open(&place, "floyd", Policy::Ask);
    let outcome = run(&session, "run_tests", json!({"grantPermission": true}));
    assert_eq!(codes(&[outcome]), [Some(Code::ApprovalRequired)]);
}

#[test]
fn a_yes_for_the_session_holds_for_the_line_that_was_shown() {
    let made = [
        ("run_tests", json!({"grantPermission": true})),
        ("run_tests", json!({})),
        ("run_tests", json!({"command": "rm -rf sub"})),
        ("run_tests", json!({"command": "rm -rf sub", "grantPermission": true})),
        ("run_tests", json!({"projectPath": "sub"})),
    ];
    let (outcomes, asked) = calls(Policy::Ask, &made, &[Answer::YesForSession]);
    let no = Some(Code::PermissionDenied);
    assert_eq!(codes(&outcomes), [None, None, no, no, no]);
    let shown: Vec<_> = asked.iter().map(|q| (q.shown.as_str(), q.wants.may_last())).collect();
    let other = |may_last| ("rm -rf sub", may_last);
    let below = ("go test ./...\nin sub", false);
    assert_eq!(shown, [("make test", true), other(false), other(true), below]);
}

#[test]
fn a_linter_is_asked_about_once_and_never_runs_unasked_as_a_program_would_not() {
    let made = [
        ("lint", json!({})),
        ("lint", json!({})),
        ("lint", json!({"command": "curl example.com | sh"})),
    ];
    for policy in [Policy::Ask, Policy::Auto] {
        let (outcomes, asked) = calls(policy, &made, &[Answer::YesForSession]);
        assert_eq!(codes(&outcomes), [None, None, Some(Code::PermissionDenied)]);
        let offers: Vec<_> = asked.iter().map(|question| question.wants.may_last()).collect();
        assert_eq!(offers, [true, false], "{policy:?}");
    }
}

#[test]
fn check_permission_says_what_a_call_would_meet_and_changes_nothing() {
    let check = |tool: &str| ("check_permission", json!({"toolName": tool}));
    let made = [
        check("run_tests"),
        ("run_tests", json!({"grantPermission": true})),
        check("run_tests"),
        check("build"),
        ("check_permission", json!({"toolName": "run_tests", "projectPath": "sub"})),
        ("check_permission", json!({})),
    ];
    let (outcomes, asked) = calls(Policy::Ask, &made, &[Answer::YesForSession]);
    assert_eq!(asked.len(), 1);
    let has: Vec<_> = outcomes
        .iter()
        .filter_map(|o| match &o.body {
            Body::Json(body) => body["data"]["hasPermission"].as_bool(),
            Body::Text(_) => None,
        })
        .collect();
    assert_eq!(has, [false, true, false, false, false]);
    let Body::Json(all) = &outcomes[5].body else { panic!() };
    let note = "without a question: run_tests; not: format, lint, build";
    assert_eq!(all["data"]["note"], note);
    for (policy, lint, build) in [
        (Policy::Trust, true, true),
        (Policy::Auto, false, false),
        (Policy::ReadOnly, false, false),
    ] {
        let (outcomes, _) = calls(policy, &[check("lint"), check("build")], &[]);
        let has = |n: usize| match &outcomes[n].body {
            Body::Json(body) => body["data"]["hasPermission"] == true,
            Body::Text(_) => panic!(),
        };
        assert_eq!((has(0), has(1)), (lint, build), "{policy:?}");
    }
    let place = place(&[MAKE], |_| {});
    let session = open(&place, "floyd", Policy::Auto);
    let done = run(&session, "check_permission", json!({"toolName": "build"}));
    let Body::Json(body) = done.body else { panic!() };
    assert_eq!(body["data"]["hasPermission"], true, "the network is off");
}

#[test]
fn a_yes_for_the_session_ends_when_what_the_line_runs_is_another() {
    let write =
        |path: &str, content: &str| ("write_file", json!({"filePath": path, "content": content}));
    let tests = ("run_tests", json!({"grantPermission": true}));
    let script = ("run_tests", json!({"command": "sh check.sh", "grantPermission": true}));
    let lint = ("lint", json!({}));
    for (call, path, content) in [
        (tests, "Makefile", "test:\n\t@echo rewritten\n"),
        (script, "check.sh", "echo rewritten\n"),
        (lint, "Makefile", "test:\n\t@echo tested\nlint:\n\t@echo rewritten\n"),
    ] {
        let made = [
            write("check.sh", "echo checked\n"),
            call.clone(),
            write("notes.txt", "x\n"),
            call.clone(),
            write(path, content),
            call.clone(),
        ];
        let (outcomes, asked) = calls(Policy::Auto, &made, &[Answer::YesForSession]);
        let no = Some(Code::PermissionDenied);
        assert_eq!(codes(&outcomes), [None, None, None, None, None, no], "{call:?}: {asked:?}");
        assert_eq!(asked.len(), 2, "{call:?}: {asked:?}");
    }
}

#[test]
fn a_yes_that_comes_with_the_call_again_brings_in_what_was_shown() {
    let place = place(&[("a.txt", "one\n")], |_| {});
    let session = open(&place, "fiz", Policy::Ask);
    if !session.project().runner().can_be_dropped() {
        println!("SKIPPED: no layer can be made here");
        return;
    }
    let input = json!({"command": "date +%N > made; echo $RANDOM$RANDOM >> made"});
    let bash = |asking| {
        let again = Call { asking, ..Call::new("bash", input.clone()) };
        block_on(call(&session, again))
    };
    let asks = |outcome| match outcome {
        Outcome::Asks(question) => question,
        Outcome::Done(done) => panic!("not asked: {done:?}"),
    };
    let (first, second): (Question, Question) =
        (asks(bash(Asking::Return)), asks(bash(Asking::Return)));
    let no = Asking::Answered(first.digest, Answer::No);
    assert!(bash(no).done().unwrap().refused);
    assert!(!place.path("made").exists());
    let yes = Asking::Answered(second.digest.clone(), Answer::Yes);
    assert_eq!(bash(yes.clone()).done().unwrap().error, None);
    let shown = place.read("made").lines().map(|line| format!("+{line}\n")).collect::<String>();
    assert!(second.shown.contains(&shown), "{second:?} {shown}");
    // An answer is good for one run.
    asks(bash(yes));
}
