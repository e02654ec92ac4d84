//! What `run` of kit says of tests: once, by their causes, also of a part of what they print, and how
//! long answers about what was printed go on.

use fault::Code;
use toolkit::serde_json::{Value, json};

use crate::kit_run::Kit;

/// What pytest prints for two tests that fail for one reason and one for another.
const PYTEST: &str = "cat <<'.'
============================= test session starts ==============================
collected 4 items

test_a.py FF.F                                                           [100%]

=================================== FAILURES ===================================
___________________________________ test_one ___________________________________
>       raise ValueError('no stock')
E       ValueError: no stock
stock.py:9: ValueError
___________________________________ test_two ___________________________________
>       raise ValueError('no stock')
E       ValueError: no stock
stock.py:9: ValueError
__________________________________ test_three __________________________________
E       assert 3 == 4
test_a.py:20: AssertionError
=========================== short test summary info ============================
FAILED test_a.py::test_one - ValueError: no stock
FAILED test_a.py::test_two - ValueError: no stock
FAILED test_a.py::test_three - assert 3 == 4
========================= 3 failed, 1 passed in 0.12s ==========================
.
exit 1
";

const CAUSES: &str = "FAIL test_a.py::test_one at stock.py:9: ValueError: no stock
  the same: test_a.py::test_two
FAIL test_a.py::test_three at test_a.py:20: assert 3 == 4";

fn command(line: &str) -> Value {
    json!({"command": line})
}

#[test]
fn failures_are_told_once_and_those_of_one_cause_together() {
    let kit = Kit::new(&[("bin/pytest", PYTEST), ("Makefile", "t:\n\t@sh bin/pytest\n")]);
    let (text, _) = kit.call("run", command("make -s t"));
    let (head, rest) = text.split_once('\n').unwrap();
    assert_eq!(head, "exit 2; pytest: 3 failed, 1 passed (id 1, 23 lines)");
    assert_eq!(rest, CAUSES);
    let (text, _) = kit.call("run", command("echo before; sh bin/pytest; echo after; exit 1"));
    assert_eq!(
        text,
        format!(
            "exit 1; pytest: 3 failed, 1 passed (id 2)\n{CAUSES}\nbefore\nafter\n\
             [without what the tests printed; next: {{\"id\":2,\"lines\":\"2-23\"}}]"
        )
    );
    let shown = kit.ok("run", json!({"id": 2, "lines": "2-23"}));
    assert!(
        shown.starts_with("=====") && shown.contains("\nFAILED test_a.py::test_three"),
        "{shown}"
    );
}

#[test]
fn what_a_pipe_cuts_off_is_summed_up_and_told() {
    let kit = Kit::new(&[("bin/pytest", PYTEST)]);
    let whole = r#"[the result of the tests is not in what came through the pipe; next: {"command":"sh bin/pytest"}]"#;
    let text = kit.ok("run", command("sh bin/pytest | head -12"));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "pytest: at least 2 failed (id 1)");
    assert_eq!(lines[1], whole);
    assert!(text.contains("FAIL test_one at stock.py:9: ValueError: no stock"), "{text}");
    let text = kit.ok("run", command("sh bin/pytest | head -3"));
    assert!(text.starts_with(&format!("pytest: no result (id 2)\n{whole}\n=====")), "{text}");
    let text = kit.ok("run", command("sh bin/pytest | tail -3"));
    assert!(
        text.starts_with("pytest: 3 failed, 1 passed (id 3)\nFAIL test_a.py::test_two"),
        "{text}"
    );
    assert!(!text.contains("came through the pipe"), "{text}");
    let text = kit.ok("run", command("sh bin/pytest | grep nothing; true"));
    assert_eq!(text, whole);
    // The last of several results is not that of all.
    let cargo = "echo 'running 2 tests'; echo 'test a ... FAILED'; echo 'test result: FAILED. 1 passed; 1 failed; 0 ignored'
        echo 'running 0 tests'; echo 'test result: ok. 0 passed; 0 failed; 0 ignored'\n";
    kit.at.write("test", cargo);
    let text = kit.ok("run", command("sh ./test | tail -1"));
    assert!(text.starts_with("cargo test: no result (id 5)\n[the result of the tests"), "{text}");
}

#[test]
fn a_script_that_tests_is_summed_up_beside_what_else_it_prints() {
    let script = "echo setting up\necho 'running 1 test'\necho 'test a ... FAILED'\necho\n\
        echo '---- a stdout ----'\necho \"thread 'a' panicked at src/lib.rs:3:5:\"\necho 'no stock'\n\
        echo 'test result: FAILED. 0 passed; 1 failed; 0 ignored'\necho tidying up\nexit 1\n";
    let kit =
        Kit::new(&[("ci.sh", script), ("old.log", "test result: FAILED. 0 passed; 1 failed\n")]);
    let (text, _) = kit.call("run", command("sh ci.sh"));
    assert_eq!(
        text,
        "exit 1; cargo test: 1 failed (id 1)\nFAIL a at src/lib.rs:3:5: no stock\nsetting up\n\
         tidying up\n[without what the tests printed; next: {\"id\":1,\"lines\":\"2-8\"}]"
    );
    let log = kit.ok("run", command("cat old.log"));
    assert_eq!(log, "test result: FAILED. 0 passed; 1 failed", "a log is wanted as it is");
}

#[test]
fn unittest_tells_the_whole_of_a_failure() {
    let stock = "def take(all):\n    return all[9]\n";
    let tests = "import unittest, stock\nclass T(unittest.TestCase):\n    def test_take(self):\n        \
        stock.take([])\n    def test_lists(self):\n        self.assertEqual([1, 2], [1, 3])\n";
    let kit = Kit::new(&[("stock.py", stock), ("test_stock.py", tests)]);
    let (text, _) = kit.call("run", command("python3 -B -m unittest -q test_stock"));
    assert!(text.starts_with("exit 1; unittest: 2 failed (id 1, "), "{text}");
    let lists = "AssertionError: Lists differ: [1, 2] != [1, 3]\n  \n  First differing element 1:\n  2\n  3\n  \n  - [1, 2]\n";
    assert!(text.contains(lists), "{text}");
    let take = "stock.py:2: IndexError: list index out of range\n  File \"";
    assert!(text.contains(take), "{text}");
    assert!(text.contains("in test_take\n") && text.contains("    return all[9]\n"), "{text}");
}

#[test]
fn a_difference_goes_on_and_is_searched() {
    let kit = Kit::new(&[("n", "0\n")]);
    let many = "for i in $(seq 600); do echo line $i of run $(cat n); done";
    kit.ok("run", command(many));
    kit.at.write("n", "1\n");
    kit.ok("run", command(many));
    let text = kit.ok("run", json!({"diff": true}));
    let end = r#"[200 of 1201 lines; next: {"id":2,"diff":true,"lines":"201-"}]"#;
    assert!(text.starts_with("since id 1:\n@@ ") && text.ends_with(end), "{text:.200}");
    let next = kit.ok("run", json!({"id": 2, "diff": true, "lines": "201-203"}));
    assert_eq!(next, "since id 1:\n-line 200 of run 0\n-line 201 of run 0\n-line 202 of run 0");
    let found = kit.ok("run", json!({"id": 2, "diff": true, "grep": r"^\+line 60\d? "}));
    assert!(
        found.starts_with("since id 1:\n661: +line 60 of run 1\n1201: +line 600 of run 1"),
        "{found}"
    );
    let more = kit.ok("run", json!({"id": 2, "diff": true, "grep": "run"}));
    assert!(
        more.ends_with(r#"[100 of 1200; next: {"id":2,"diff":true,"grep":"run","lines":"102-"}]"#),
        "{more}"
    );
    let (text, code) = kit.call("run", json!({"diff": true, "lines": "1300"}));
    assert!(
        code == Some(Code::InvalidInput) && text.contains("beyond the last line, 1201"),
        "{text}"
    );
}

#[test]
fn a_long_line_goes_on() {
    let kit = Kit::new(&[]);
    kit.ok("run", command("head -c 60000 /dev/zero | tr '\\0' a; echo END; echo next"));
    let text = kit.ok("run", json!({"id": 1, "lines": "1-2"}));
    assert!(
        text.ends_with(
            "a\n[24576 of 60003 bytes of line 1; next: {\"id\":1,\"lines\":\"1:24577\"}]"
        ),
        "{text:.100}"
    );
    let text = kit.ok("run", json!({"id": 1, "lines": "1:49153"}));
    assert_eq!(text, "a".repeat(60000 - 49152) + "END");
    let (text, code) = kit.call("run", json!({"id": 1, "lines": "1:x"}));
    assert!(code == Some(Code::InvalidInput) && text.contains("give a range"), "{text}");
}

#[test]
fn the_one_program_that_runs_is_stopped_without_its_id() {
    let kit = Kit::new(&[]);
    let (text, code) = kit.call("run", json!({"stop": true}));
    assert_eq!(code, Some(Code::InvalidInput));
    assert_eq!(text, "error: stop: nothing runs; {} lists what ran\nnext: run {}");
    let sleep = json!({"command": "sleep 60", "background": true});
    kit.ok("run", sleep.clone());
    kit.ok("run", command("true"));
    assert!(kit.ok("run", json!({"stop": true})).starts_with("stopped after "));
    kit.ok("run", sleep.clone());
    kit.ok("run", sleep);
    let (text, _) = kit.call("run", json!({"stop": true}));
    assert!(text.starts_with("error: stop: 4, 3 run; give the id of one\n"), "{text}");
    for id in [3, 4] {
        kit.ok("run", json!({"id": id, "stop": true}));
    }
}

#[test]
fn the_result_at_the_end_of_a_pipe_is_not_said_to_be_missing() {
    const CARGO: &str = "printf 'running 2 tests\\n\\nfailures:\\n    tests::sum\\n\\n'
printf 'test result: FAILED. 1 passed; 1 failed; 0 ignored\\n\\nerror: test failed\\n'\n";
    let kit = Kit::new(&[("bin/pytest", CARGO)]);
    let text = kit.ok("run", command("sh bin/pytest 2>&1 | tail -5"));
    assert!(
        text.starts_with("cargo test: at least 1 failed, at least 1 passed (id 1)\n"),
        "{text}"
    );
    assert!(!text.contains("pipe"), "{text}");
}

#[test]
fn paths_of_failures_are_those_that_the_tools_take() {
    let kit = Kit::new(&[]);
    let root = kit.at.root().display().to_string();
    let trace =
        |file: &str| format!("  File \"{root}/{file}\", line 7, in f\n    take('{root}/x')\n");
    let (a, b) = (trace("test_a.py"), trace("stock.py"));
    let printed = format!(
        "cat <<'.'\n======\nERROR: test_two (test_a.A.test_two)\n------\n\
         Traceback (most recent call last):\n{a}{b}ValueError: {root}/x\n\n------\nRan 1 test in 0.1s\n\n\
         FAILED (errors=1)\n.\nexit 1\n"
    );
    kit.at.write("t.sh", &printed.replace("======", "==========").replace("------", "----------"));
    let text = kit.ok("run", command("sh t.sh"));
    let (_, told) = text.split_once('\n').unwrap();
    let expected = format!(
        "FAIL test_a.A.test_two at stock.py:7: ValueError: {root}/x\n  \
         File \"test_a.py\", line 7, in f\n    take('{root}/x')\n  \
         File \"stock.py\", line 7, in f\n    take('{root}/x')"
    );
    assert!(told.starts_with(&expected), "{told}\n{expected}");
}

#[test]
fn what_the_compiler_shows_of_an_error_is_told_once_and_whole() {
    let shown = "error[E0308]: mismatched types\n --> src/lib.rs:2:22\n  |\n2 | pub fn bad() -> u8 { 1.5 }\n  \
        |                      ^^^ expected `u8`\n\n";
    let end = "error: could not compile `a` (lib test) due to 1 previous error";
    let kit = Kit::new(&[("t.sh", &format!("cat <<'.'\n{shown}{shown}{end}\n.\nexit 101\n"))]);
    kit.at.write("Makefile", "t:\n\t@sh t.sh\n");
    let text = kit.ok("run", command("make -s t 2>&1"));
    let (head, told) = text.split_once('\n').unwrap();
    assert!(head.contains("cargo: 1 failed (id 1, "), "{text}");
    assert_eq!(
        told,
        "FAIL error[E0308]: mismatched types at src/lib.rs:2:22\n2 | pub fn bad() -> u8 { 1.5 }\n  \
         |                      ^^^ expected `u8`"
    );
}

#[test]
fn a_difference_of_long_outputs_shows_each_place_and_of_a_long_line_what_differs() {
    let kit = Kit::new(&[("a", "s/^5$/5/"), ("line", "b")]);
    let count =
        command("seq 1 200000 | sed \"$(cat a)\"; head -c 150000 /dev/zero | tr '\\0' a; cat line");
    kit.ok("run", count.clone());
    kit.at.write("a", "s/^5$/five/;s/^199000$/x/");
    kit.at.write("line", "c");
    kit.ok("run", count);
    let diff = kit.ok("run", json!({"diff": true}));
    for part in ["\n-5\n+five\n", "@@ -198997,7 +198997,7 @@\n", "\n-199000\n+x\n"] {
        assert!(diff.contains(part), "{part}: {diff}");
    }
    let ends: Vec<_> = diff.lines().filter(|line| line[1..].starts_with("…a")).collect();
    assert!(ends.len() == 2 && ends[0].ends_with("ab") && ends[1].ends_with("ac"), "{ends:?}");
}
