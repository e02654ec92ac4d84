//! `run` of kit: programs whose output is asked about instead of being run again.

use fault::Code;
use toolkit::serde_json::{Value, json};
use toolkit::testing::{self, run, run_with};
use toolkit::{Answer, Body, Policy};

use crate::{open, place};

pub(crate) struct Kit {
    pub(crate) at: testing::Place,
    pub(crate) session: std::sync::Arc<toolkit::Session>,
}

impl Kit {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        Self::with(files, |_| {})
    }

    pub(crate) fn with(files: &[(&str, &str)], set: impl FnOnce(&mut toolkit::Settings)) -> Self {
        let at = place(files, set);
        let session = open(&at, "kit", Policy::Trust);
        Self { at, session }
    }

    /// The text of a call, and the code that it fails with.
    pub(crate) fn call(&self, tool: &str, input: Value) -> (String, Option<Code>) {
        let done = run(&self.session, tool, input);
        let Body::Text(text) = done.body else { panic!("{:?}", done.body) };
        (text, done.error.map(|error| error.code))
    }

    /// The text of a call that works.
    pub(crate) fn ok(&self, tool: &str, input: Value) -> String {
        let (text, code) = self.call(tool, input.clone());
        assert_eq!(code, None, "{tool} {input}: {text}");
        text
    }
}

/// A program that prints what `cargo test` prints.
const PASSES: &str = "echo running 302 tests; i=0; while [ $i -lt 300 ]; do echo test a::t$i ... ok; i=$((i+1)); done; \
    echo; echo 'test result: ok. 300 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.1s'";
const FAILS: &str = "\necho 'running 2 tests'\ni=0; while [ $i -lt 300 ]; do echo test a::t$i ... ok; i=$((i+1)); done
echo 'test a::bad ... FAILED'\necho\necho failures:\necho
echo '---- a::bad stdout ----'\necho
echo \"thread 'a::bad' panicked at src/lib.rs:7:9:\"\necho 'left is not right'
echo\necho failures:\necho '    a::bad'\necho
echo 'test result: FAILED. 300 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s'\nexit 101\n";

#[test]
fn tests_that_pass_are_one_line_and_those_that_fail_are_what_is_shown() {
    let kit = Kit::new(&[("make", PASSES), ("make2", FAILS)]);
    let text = kit.ok("run", json!({"command": "sh ./make; :"}));
    assert!(text.lines().count() > 20, "only what tests is summed up: {text}");
    kit.at.write("Makefile", "pass:\n\t@sh ./make\nfail:\n\t@sh ./make2\n");
    let text = kit.ok("run", json!({"command": "make pass"}));
    assert_eq!(text, "cargo test: 300 passed, 2 skipped (id 2, 303 lines)");
    let text = kit.ok("run", json!({"command": "make fail"}));
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with("exit ")
            && lines[0].ends_with("; cargo test: 1 failed, 300 passed (id 3, 315 lines)"),
        "{text}"
    );
    assert_eq!(lines[1..], ["FAIL a::bad at src/lib.rs:7:9: left is not right"]);
}

#[test]
fn success_says_no_more_than_it_printed() {
    let kit = Kit::new(&[]);
    assert_eq!(kit.ok("run", json!({"command": "true"})), "exit 0");
    assert_eq!(kit.ok("run", json!({"command": "echo a; echo b"})), "a\nb");
    assert_eq!(kit.ok("run", json!({"command": "echo a; exit 3"})), "exit 3 (id 3)\na");
    let slow = kit.ok("run", json!({"command": "sleep 10.1"}));
    assert!(slow.starts_with("exit 0 in 10.") && slow.ends_with("s (id 4)"), "{slow}");
}

#[test]
fn what_was_printed_is_asked_about_without_another_run() {
    let kit = Kit::new(&[("n", "one\ntwo\nthree\n")]);
    let count = "echo x >> runs; seq 1 5000; cat n";
    let text = kit.ok("run", json!({"command": count}));
    assert!(
        text.ends_with(r#"[20 of 5003 lines; next: {"id": 1, "lines": "4784-4983"}]"#),
        "{text}"
    );
    assert_eq!(kit.ok("run", json!({"id": 1, "lines": "4999-5002"})), "4999\n5000\none\ntwo");
    assert_eq!(
        kit.ok("run", json!({"id": 1, "grep": "^t|^77$"})),
        "77: 77\n5002: two\n5003: three"
    );
    let many = kit.ok("run", json!({"id": "1", "grep": "9"}));
    assert!(many.ends_with(r#"[100 of 1355; next: {"id":1,"grep":"9","lines":"559-"}]"#), "{many}");
    let more = kit.ok("run", json!({"id": 1, "grep": "9", "lines": "559-"}));
    assert!(more.starts_with("559: 559\n569: 569\n"), "{more}");
    kit.at.write("n", "one\nzwei\nthree\n");
    kit.ok("run", json!({"command": count}));
    let diff = kit.ok("run", json!({"diff": true}));
    assert!(diff.starts_with("since id 1:\n") && diff.contains("\n-two\n+zwei\n"), "{diff}");
    assert_eq!(kit.at.read("runs"), "x\nx\n", "asking runs nothing");
    let (text, code) = kit.call("run", json!({"id": 9}));
    assert!(code == Some(Code::InvalidInput) && text.contains("; there are 1, 2\n"), "{text}");
    let (text, code) = kit.call("run", json!({"id": 1, "grep": "("}));
    assert!(code == Some(Code::InvalidRegex), "{text}");
    let list = kit.ok("run", json!({}));
    assert!(list.starts_with("2: exit 0, 5003 lines: ") && list.lines().count() == 2, "{list}");
}

#[test]
fn old_outputs_go_and_their_absence_is_told() {
    let kit = Kit::new(&[]);
    for n in 0..22 {
        kit.ok("run", json!({"command": format!("echo {n}")}));
    }
    let (text, _) = kit.call("run", json!({"id": 2}));
    assert!(text.starts_with("error: id: 2: its output is no longer kept;"), "{text}");
    assert!(kit.ok("run", json!({"id": 3, "lines": "1"})) == "2");
}

#[test]
fn a_program_in_the_background_is_polled_written_to_and_stopped() {
    let kit = Kit::new(&[]);
    let script = "echo ready; while read line; do echo got $line; done; echo over; sleep 60";
    let text = kit.ok("run", json!({"command": script, "background": true}));
    assert!(text.starts_with("running for ") && text.ends_with("(id 1)\nready"), "{text}");
    let text = kit.ok("run", json!({"id": 1}));
    assert!(text.ends_with("\n[nothing new]"), "{text}");
    let text = kit.ok("run", json!({"id": 1, "input": "a\nb\n"}));
    assert!(text.ends_with("(id 1)\ngot a\ngot b"), "{text}");
    let text = kit.ok("run", json!({"id": 1, "input": "c\n\u{4}"}));
    assert!(text.ends_with("(id 1)\ngot c\nover"), "the end of the input is seen: {text}");
    let (text, _) = kit.call("run", json!({"id": 1, "input": "d\n"}));
    assert!(text.contains("closed its input"), "{text}");
    assert!(kit.ok("run", json!({})).starts_with("1: running for "));
    let text = kit.ok("run", json!({"id": 1, "stop": true}));
    assert!(text.starts_with("stopped after "), "{text}");
    let (text, _) = kit.call("run", json!({"id": 1, "input": "d\n"}));
    assert!(text.contains("it has ended"), "{text}");
    assert_eq!(kit.ok("run", json!({"id": 1, "grep": "got"})), "2: got a\n3: got b\n4: got c");
}

#[test]
fn a_line_of_a_running_program_is_waited_for() {
    let kit = Kit::new(&[]);
    let script = "sleep 1; echo listening; sleep 60";
    kit.ok("run", json!({"command": script, "background": true}));
    assert!(kit.ok("run", json!({"id": 1, "grep": "listen"})).ends_with("; it still runs"));
    let text = kit.ok("run", json!({"id": 1, "grep": "listen", "timeout": 20}));
    assert_eq!(text, "1: listening");
    let script = "sleep 0.5; exit 4";
    kit.ok("run", json!({"command": script, "background": true}));
    let text = kit.ok("run", json!({"id": 2, "timeout": 20}));
    assert!(text.starts_with("exit 4 (id 2)"), "{text}");
}

#[test]
fn what_a_person_refused_to_keep_cannot_be_asked_about() {
    let at = place(&[], |_| {});
    let session = open(&at, "kit", Policy::Ask);
    let input = json!({"command": "echo secret > a; echo printed"});
    let refused = run_with(&session, "run", input.clone(), |_| Some(Answer::No));
    assert!(refused.refused, "{refused:?}");
    let listed = run(&session, "run", json!({})).body.to_text();
    assert_eq!(listed, "no programs yet; give a command");
    let done = run_with(&session, "run", input, |_| Some(Answer::Yes));
    let text = done.body.to_text();
    assert_eq!(text, "printed");
    let asked = run(&session, "run", json!({"grep": "print"})).body.to_text();
    assert_eq!(asked, "1: printed");
    assert_eq!(at.read("a"), "secret\n");
}

#[test]
fn looking_needs_nobody_and_running_does() {
    let at = place(&[], |_| {});
    let session = open(&at, "kit", Policy::Ask);
    for input in [
        json!({"command": "true"}),
        json!({"command": "true", "background": true}),
        json!({"id": 1, "input": "x"}),
    ] {
        let done = run(&session, "run", input.clone());
        assert_eq!(done.error.unwrap().code, Code::ApprovalRequired, "{input}");
    }
    assert_eq!(run(&session, "run", json!({})).error, None);
}

#[test]
fn what_stands_beside_a_command_is_obeyed_or_refused() {
    let place = place(&[], |_| {});
    let session = open(&place, "kit", Policy::Trust);
    let told = |input: Value| run(&session, "run", input).body.to_text();
    assert_eq!(
        told(json!({"command": "seq 300", "grep": "29."})),
        format!(
            "exit 0 (id 1, 300 lines)\n{}",
            (290..300).map(|n| format!("{n}: {n}")).collect::<Vec<_>>().join("\n")
        )
    );
    assert_eq!(told(json!({"command": "seq 9", "lines": "2-3"})), "exit 0 (id 2, 9 lines)\n2\n3");
    assert!(told(json!({"command": "seq 9", "diff": true})).ends_with("since id 2: same output"));
    assert!(
        told(json!({"command": "seq 9", "lines": "20-30"})).contains("beyond the last line, 9")
    );
    for input in [
        json!({"command": "cat", "input": "hello\n"}),
        json!({"command": "touch ran", "grep": "("}),
        json!({"command": "touch ran", "lines": "x"}),
        json!({"command": "touch ran", "stop": true}),
    ] {
        assert!(run(&session, "run", input.clone()).error.is_some(), "{input}");
    }
    assert!(!place.path("ran").exists());
    let said =
        told(json!({"command": "read x; echo got $x", "background": true, "input": "hello\n"}));
    assert!(said.ends_with("got hello"), "{said}");
    let none = told(json!({"command": "python3 -m unittest discover"}));
    assert!(none.contains("no tests ran") || none.contains("NO TESTS RAN"), "{none}");
}

#[test]
fn a_program_that_prints_without_end_is_asked_for_its_end() {
    let place = place(&[], |_| {});
    let session = open(&place, "kit", Policy::Trust);
    let began = std::time::Instant::now();
    run(&session, "run", json!({"command": "exec yes", "background": true}));
    std::thread::sleep(std::time::Duration::from_millis(500));
    let told = run(&session, "run", json!({"id": 1})).body.to_text();
    assert!(told.contains("new lines; next:") && told.len() < 20_000, "{told}");
    run(&session, "run", json!({"id": 1, "stop": true}));
    assert!(began.elapsed() < std::time::Duration::from_secs(60), "it was read line by line");
}

#[test]
fn long_lines_and_long_outputs_are_asked_about_as_they_are() {
    let kit = Kit::new(&[("n", "0\n")]);
    let long = "head -c 50000 /dev/zero | tr '\\0' a; echo NEEDLE";
    let text = kit.ok("run", json!({"command": long}));
    assert!(text.starts_with("[37719 bytes of this line are left out; next: "), "{text:.100}");
    assert!(text.ends_with("aaNEEDLE"), "{text:.100}");
    let hit = kit.ok("run", json!({"id": 1, "grep": "NEEDLE"}));
    assert!(hit.starts_with("1: …aaaa") && hit.ends_with("aaNEEDLE"), "{hit:.100}");
    let line = kit.ok("run", json!({"id": 1, "lines": "1"}));
    assert!(
        line.ends_with(
            "aa\n[24576 of 50006 bytes of line 1; next: {\"id\":1,\"lines\":\"1:24577\"}]"
        ),
        "{line:.100}"
    );
    let many = "seq 1 300000; cat n";
    kit.ok("run", json!({"command": many}));
    kit.at.write("n", "1\n");
    let diff = kit.ok("run", json!({"command": many, "diff": true}));
    let hunk = "@@ -299998,4 +299998,4 @@\n 299998\n 299999\n 300000\n-0\n+1";
    assert!(diff.ends_with(hunk), "{diff:.300}");
    let same = kit.ok("run", json!({"command": many, "diff": true}));
    assert!(same.ends_with("since id 3: same output"), "{same:.300}");
}

#[test]
fn lines_that_are_kept_nowhere_are_said_to_be() {
    let place = place(&[], |settings| settings.limits.spill_bytes = 200_000);
    let session = open(&place, "kit", Policy::Trust);
    let ask = |input| run(&session, "run", input).body.to_text();
    ask(json!({"command": "seq 1 1000000; echo END"}));
    let hit = ask(json!({"grep": "^(END|999999|500000)$"}));
    let (hits, gap) = hit.rsplit_once('\n').unwrap();
    assert_eq!(hits, "999999: 999999\n1000001: END");
    assert!(gap.starts_with("[lines 35") && gap.ends_with(" were not kept]"), "{gap}");
    let none = ask(json!({"grep": "^500000$"}));
    assert!(none.ends_with(" were not kept"), "{none}");
    let end = ask(json!({"lines": "999998-1000001"}));
    assert_eq!(end, "999998\n999999\n1000000\nEND");
    let start = ask(json!({"lines": "1-"}));
    assert!(
        start.starts_with("1\n2\n") && start.contains("next: {\"id\":1,\"lines\":\"5"),
        "{start:.200}"
    );
    let middle = ask(json!({"lines": "500000-500001"}));
    assert_eq!(middle, "[lines 500000-500001 were not kept]");
}

#[test]
fn what_a_line_does_beside_its_tests_is_not_left_out() {
    let kit = Kit::new(&[
        ("pytest", "echo '=== 2 passed in 0.1s ==='\n"),
        (
            "broken/pytest",
            "echo '=== FAILURES ==='\necho '____ test_sum ____'\necho 'E   assert 3 == 4'\necho '=== 1 failed in 0.1s ==='\nexit 1\n",
        ),
    ]);
    let ok = |line: &str| kit.call("run", json!({"command": line})).0;
    assert_eq!(
        ok("sh ./pytest; python3 -c 'print(1)'"),
        "pytest: 2 passed (id 1)\n=== 2 passed in 0.1s ===\n1"
    );
    let tail = ok("python3 -c '' && sh broken/pytest 2>&1 | tail -1");
    assert!(tail.ends_with("=== 1 failed in 0.1s ==="), "{tail}");
    let both = ok("sh broken/pytest; python3 -c 'import nosuchmod'");
    assert!(
        both.contains("FAIL test_sum") && both.contains("No module named 'nosuchmod'"),
        "{both}"
    );
    assert!(!both.contains("no network"), "{both}");
}

#[test]
fn a_last_run_is_waited_for_and_an_input_without_its_end_is_told() {
    let kit = Kit::new(&[]);
    kit.ok("run", json!({"command": "read x; echo got $x", "background": true}));
    let text = kit.ok("run", json!({"input": "Bob", "description": "Answer the prompt"}));
    assert!(
        text.ends_with("\n[the input had no line break at its end; most programs wait for one]"),
        "{text}"
    );
    assert!(kit.ok("run", json!({"input": "\n", "timeout": 20})).ends_with("got Bob"));
    let (text, code) = kit.call("run", json!({"id": 1, "input": "x\n", "stop": true}));
    assert!(code == Some(Code::InvalidInput) && text.contains("stop: not together"), "{text}");
    kit.ok("run", json!({"command": "sleep 1; echo over", "background": true}));
    assert!(kit.ok("run", json!({"timeout": 20})).ends_with("over"));
    kit.ok("run", json!({"command": "sleep 1; seq 1 3000", "background": true}));
    let text = kit.ok("run", json!({"timeout": 20}));
    assert!(text.lines().count() <= 45 && text.contains("\n3000\n["), "{text}");
}
