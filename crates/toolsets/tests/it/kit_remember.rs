//! `remember` of kit: notes, tasks and the cache by one key.

use fault::Code;
use toolkit::serde_json::json;
use toolkit::testing::run;
use toolkit::{Answer, Policy};

use crate::kit_run::Kit;
use crate::{open, place};

#[test]
fn a_note_is_replaced_removed_and_brought_back() {
    let by_hand =
        "# Ours\n\ntext by hand\n\n### build\n_2026-01-31 09:30_\nmake all\n\n### Client\nAlpha\n";
    let kit = Kit::new(&[("MEMORY.md", by_hand), ("memory/more.md", "### deploy\nby ship\n")]);
    kit.ok("remember", json!({"key": "build", "value": "just all\n### not a heading"}));
    let now = kit.at.read("MEMORY.md");
    assert!(
        now.starts_with("# Ours\n\ntext by hand\n\n### Client\nAlpha\n\n### build\n_20"),
        "{now}"
    );
    assert!(!now.contains("make all"), "{now}");
    let text = kit.ok("remember", json!({"key": "build"}));
    assert!(text.ends_with("\njust all\n### not a heading"), "{text}");
    kit.ok("remember", json!({"key": "deploy", "remove": true}));
    assert_eq!(kit.at.read("memory/more.md"), "");
    let listed = kit.ok("remember", json!({}));
    assert_eq!(listed, "notes: Client = Alpha\nnotes: build = just all ### not a heading");
    let done = run(&kit.session, "remember", json!({"key": "Client", "remove": true}));
    let step = done.step.expect("a note is a file, and its change is a step");
    let record = kit.at.project.journal().step(kit.session.workspace(), step).unwrap().unwrap();
    assert_eq!(record.changes.len(), 1);
    let other = open(&kit.at, "kit", Policy::Trust);
    let text = run(&other, "remember", json!({"find": "all just"})).body.to_text();
    assert!(text.starts_with("notes: build = "), "notes outlive the session: {text}");
}

#[test]
fn tasks_end_with_the_session_and_the_cache_does_not() {
    let kit = Kit::new(&[]);
    for (key, state) in [("one", "doing"), ("two", "next"), ("one", "done")] {
        kit.ok("remember", json!({"key": key, "value": state, "in": "tasks"}));
    }
    kit.ok("remember", json!({"key": "answer", "value": "forty-two", "in": "cache"}));
    assert_eq!(kit.ok("remember", json!({"in": "tasks"})), "tasks: one = done\ntasks: two = next");
    assert_eq!(kit.ok("remember", json!({"key": "two"})), "tasks\nnext");
    let other = open(&kit.at, "kit", Policy::Trust);
    let text = run(&other, "remember", json!({})).body.to_text();
    assert_eq!(text, "cache: answer = forty-two");
    assert_eq!(
        kit.ok("remember", json!({"key": "two", "in": "tasks", "remove": true})),
        "removed `two` from tasks"
    );
    assert_eq!(
        kit.ok("remember", json!({"key": "answer", "in": "cache", "remove": true})),
        "removed `answer` from cache"
    );
    assert_eq!(
        kit.ok("remember", json!({"key": "answer", "in": "cache", "remove": true})),
        "no `answer` in cache"
    );
    assert!(!kit.at.path("MEMORY.md").exists());
    let (text, code) = kit.call("remember", json!({"value": "x"}));
    assert!(code == Some(Code::InvalidInput), "{text}");
}

#[test]
fn who_only_may_read_reads_and_a_note_is_shown_before_it_is_made() {
    let at = place(&[("MEMORY.md", "### build\nmake\n")], |_| {});
    let session = open(&at, "kit", Policy::ReadOnly);
    let read = run(&session, "remember", json!({"key": "build"}));
    assert_eq!(read.body.to_text(), "notes\nmake");
    for input in [
        json!({"key": "a", "value": "b"}),
        json!({"key": "a", "value": "b", "in": "cache"}),
        json!({"key": "build", "remove": true}),
    ] {
        assert!(run(&session, "remember", input.clone()).refused, "{input}");
    }
    let session = open(&at, "kit", Policy::Ask);
    let mut shown = String::new();
    let input = json!({"key": "build", "value": "just"});
    toolkit::testing::run_with(&session, "remember", input, |question| {
        shown.clone_from(&question.shown);
        Some(Answer::Yes)
    });
    assert!(shown.contains("-make") && shown.contains("+just"), "{shown}");
}

#[test]
fn a_key_of_another_store_is_found_there() {
    let kit = Kit::new(&[]);
    kit.ok("remember", json!({"key": "step 1", "value": "doing", "in": "tasks"}));
    let (text, code) = kit.call("remember", json!({"key": "step 1", "remove": true}));
    assert_eq!(code, Some(Code::StringNotFound));
    let next = "next: remember {\"key\":\"step 1\",\"remove\":true,\"in\":\"tasks\"}";
    assert_eq!(text, format!("error: key: no note `step 1`; it is in tasks\n{next}"));
    let text = kit.ok("remember", json!({"key": "step 1", "value": "done"}));
    assert_eq!(text, "notes: step 1 = done\n[also there: tasks: step 1 = doing]");
    let text = kit.ok("remember", json!({"key": "step", "remove": true, "in": "tasks"}));
    assert_eq!(text, "no `step` in tasks; did you mean `step 1`?");
}

#[test]
fn a_value_of_nothing_is_refused_in_every_store() {
    let kit = Kit::new(&[]);
    for within in ["notes", "tasks", "cache"] {
        let (_, code) = kit.call("remember", json!({"key": "t", "value": " ", "in": within}));
        assert_eq!(code, Some(Code::EmptyValue), "{within}");
    }
    assert!(kit.ok("remember", json!({"key": "t"})).starts_with("nothing under"));
}
