//! The files in `printed/` are what the real programs printed for a few tests that fail, with
//! other directory names.

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::super::summarize;
use crate::process::Output;

fn check(stdout: &str, stderr: &str, expect: &Expect) {
    expect.assert_eq(&told(stdout, stderr));
}

fn told(stdout: &str, stderr: &str) -> String {
    let Some(s) = summarize(&Output::of(stdout), &Output::of(stderr)) else {
        return "nothing known".to_owned();
    };
    let count = |n: Option<u64>| n.map_or("?".to_owned(), |n| n.to_string());
    let (passed, skipped) = (count(s.passed), count(s.skipped));
    let mut text =
        format!("{}: {} failed, {passed} passed, {skipped} skipped\n", s.runner, s.failed);
    for failure in &s.failures {
        let place = failure.place.as_deref().unwrap_or("no place");
        writeln!(text, "{} ({place}): {}", failure.name, failure.message.replace('\n', " | "))
            .unwrap();
    }
    if s.more > 0 {
        writeln!(text, "and {} more", s.more).unwrap();
    }
    text
}

#[test]
fn cargo_tells_panics_errors_and_what_did_not_panic() {
    let (out, err) =
        (include_str!("printed/cargo-test.out"), include_str!("printed/cargo-test.err"));
    check(
        out,
        err,
        &expect![[r#"
        cargo test: 4 failed, 1 passed, 1 skipped
        tests::gives_error (no place): Error: "no such value"
        tests::must_panic (src/lib.rs:26:8): note: test did not panic as expected at src/lib.rs:26:8
        tests::wrong_sum (src/lib.rs:15:9): assertion `left == right` failed: sums differ | left: 3 | right: 4
        whole_works (tests/whole.rs:3:5): assertion failed: sums::add(2, 2) == 5
    "#]],
    );
    check(
        "",
        include_str!("printed/cargo-nextest.err"),
        &expect![[r#"
        cargo nextest: 4 failed, 1 passed, 1 skipped
        sums tests::gives_error (no place): Error: "no such value"
        sums tests::must_panic (src/lib.rs:26:8): note: test did not panic as expected at src/lib.rs:26:8
        sums tests::wrong_sum (src/lib.rs:15:9): assertion `left == right` failed: sums differ | left: 3 | right: 4
        sums::whole whole_works (tests/whole.rs:3:5): assertion failed: sums::add(2, 2) == 5
    "#]],
    );
}

#[test]
fn what_the_compiler_refuses_is_told_in_place_of_tests() {
    check(
        "",
        include_str!("printed/cargo-build.err"),
        &expect![[r#"
            cargo: 1 failed, ? passed, ? skipped
            error[E0308]: mismatched types (src/lib.rs:1:21): 
        "#]],
    );
}

#[test]
fn pytest_tells_the_name_to_run_again_and_where_it_was_raised() {
    check(
        include_str!("printed/pytest.out"),
        "",
        &expect![[r#"
        pytest: 5 failed, 2 passed, 1 skipped
        test_sums.py::test_wrong_sum (test_sums.py:10): AssertionError: sums differ | assert 3 == 4 | +  where 3 = add(1, 2)
        test_sums.py::test_raises (test_sums.py:13): ValueError: no such value
        test_sums.py::test_even[1] (test_sums.py:21): assert (1 % 2) == 0
        test_sums.py::TestClass::test_inside (test_sums.py:25): AssertionError: assert {'a': 1} == {'a': 2} | Differing items: | {'a': 1} != {'a': 2}
        test_sums.py::test_fixture (test_sums.py:29): RuntimeError: fixture broke
    "#]],
    );
    check(
        include_str!("printed/pytest-import.out"),
        "",
        &expect![[r#"
            pytest: 1 failed, 0 passed, 0 skipped
            test_a.py (test_a.py:1): ModuleNotFoundError: No module named 'nothing_here'
        "#]],
    );
    let quiet = told(include_str!("printed/pytest-quiet.out"), "");
    assert_eq!(quiet, told(include_str!("printed/pytest.out"), ""));
}

#[test]
fn unittest_tells_how_many_of_those_it_ran_failed() {
    check(
        "",
        include_str!("printed/unittest.err"),
        &expect![[r#"
            unittest: 1 failed, 1 passed, 1 skipped
            test_sums.Sums.test_wrong_sum (/home/dev/ut/test_sums.py:4): AssertionError: 3 != 4
        "#]],
    );
}

#[test]
fn jest_vitest_and_node_tell_the_place_in_the_test() {
    check(
        "",
        include_str!("printed/jest.err"),
        &expect![[r#"
        jest: 2 failed, 1 passed, 1 skipped
        sums › wrong sum (sum.test.js:4:47): expect(received).toBe(expected) // Object.is equality | Expected: 4 | Received: 3
        sums › raises (sum.test.js:5:32): no such value
    "#]],
    );
    check(
        include_str!("printed/vitest.out"),
        include_str!("printed/vitest.err"),
        &expect![[r#"
        vitest: 2 failed, 1 passed, 1 skipped
        sum.test.mjs > sums > wrong sum (sum.test.mjs:5:47): AssertionError: expected 3 to be 4 // Object.is equality
        sum.test.mjs > sums > raises (sum.test.mjs:6:32): Error: no such value
    "#]],
    );
    check(
        include_str!("printed/node-test.out"),
        "",
        &expect![[r#"
        node --test: 1 failed, 1 passed, 1 skipped
        wrong sum (/home/dev/nt/sum.test.js:3:26): 3 == 4
    "#]],
    );
}

#[test]
fn node_tells_why_a_file_cannot_be_loaded_in_the_words_of_both_reporters() {
    check(
        include_str!("printed/node-test-files.out"),
        "",
        &expect![[r#"
        node --test: 5 failed, 1 passed, 0 skipped
        /home/dev/nt/test/mis.test.js (/home/dev/nt/test/mis.test.js:1:1): Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/home/dev/nt/test/nothing.js' imported from /home/dev/nt/test/mis.test.js
        wrong sum (/home/dev/nt/test/ok.test.js:4:1): Expected values to be strictly equal: | 2 !== 3
        inner (/home/dev/nt/test/ok.test.js:5:32): no such value
        /home/dev/nt/test/syn.test.js (/home/dev/nt/test/syn.test.js:2): SyntaxError: Unexpected strict mode reserved word
    "#]],
    );
    check(
        include_str!("printed/node-test-spec.out"),
        "",
        &expect![[r#"
        node --test: 5 failed, 1 passed, 0 skipped
        /home/dev/nt/test/mis.test.js (test/mis.test.js:1:1): Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/home/dev/nt/test/nothing.js' imported from /home/dev/nt/test/mis.test.js
        /home/dev/nt/test/syn.test.js (/home/dev/nt/test/syn.test.js:2): SyntaxError: Unexpected strict mode reserved word
        wrong sum (test/ok.test.js:4:1): AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: | 2 !== 3
        inner (test/ok.test.js:5:32): Error: no such value
    "#]],
    );
    // The end of it has the result.
    check(
        "# fail 5\n# cancelled 0\n# skipped 0\n# duration_ms 3.5\n",
        "",
        &expect![[r#"
        node --test: 5 failed, ? passed, 0 skipped
    "#]],
    );
}

#[test]
fn unittest_names_a_file_that_cannot_be_loaded_without_its_own_calls() {
    let printed = Output::of(include_str!("printed/unittest-files.err"));
    let told = summarize(&Output::of(""), &printed).unwrap();
    let traces: Vec<_> = told.failures.iter().map(|failure| &*failure.trace).collect();
    assert!(traces[0].starts_with("  File \"/home/dev/ut/test_a.py\""), "{traces:?}");
    assert_eq!(traces[1..], ["", "", ""]);
    check(
        "",
        include_str!("printed/unittest-files.err"),
        &expect![[r#"
        unittest: 4 failed, 0 passed, 0 skipped
        test_a.A.test_two (/home/dev/ut/stock.py:3): ValueError: no stock
        test_b (/home/dev/ut/test_b.py:1): ModuleNotFoundError: No module named 'nothing_here'
        test_c (/home/dev/ut/test_c.py:1): SyntaxError: invalid syntax
        test_a.A.test_one (/home/dev/ut/test_a.py:4): AssertionError: 1 != 2
    "#]],
    );
}

#[test]
fn a_documentation_test_that_does_not_compile_is_one_failure() {
    let text = "running 1 test\ntest src/lib.rs - add (line 1) ... FAILED\n\nfailures:\n\n\
        ---- src/lib.rs - add (line 1) stdout ----\nerror[E0308]: mismatched types\n \
        --> src/lib.rs:2:13\n  |\n2 | let x: u8 = \"a\";\n\nerror: aborting due to 1 previous error\n\n\
        failures:\n    src/lib.rs - add (line 1)\n\n\
        test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n";
    check(
        text,
        "",
        &expect![[r#"
        cargo test: 1 failed, 0 passed, 0 skipped
        src/lib.rs - add (line 1) (src/lib.rs:2:13): error[E0308]: mismatched types
    "#]],
    );
}

#[test]
fn go_tells_subtests_panics_and_packages_that_do_not_compile() {
    let err = include_str!("printed/go-test.err");
    check(
        include_str!("printed/go-test.out"),
        err,
        &expect![[r#"
        go test: 4 failed, ? passed, ? skipped
        TestWrongSum (sums_test.go:9): sums differ: 3
        TestGroup/one (sums_test.go:16): no such value
        example.com/sums/bad [build failed] (bad/b_test.go:5:30): undefined: undefined
        TestPanics (/home/dev/gosum/panics/p_test.go:5): panic: assignment to entry in nil map [recovered]
    "#]],
    );
    check(
        include_str!("printed/go-test-v.out"),
        err,
        &expect![[r#"
        go test: 4 failed, 3 passed, 1 skipped
        TestWrongSum (sums_test.go:9): sums differ: 3
        TestGroup/one (sums_test.go:16): no such value
        example.com/sums/bad [build failed] (bad/b_test.go:5:30): undefined: undefined
        TestPanics (/home/dev/gosum/panics/p_test.go:5): panic: assignment to entry in nil map [recovered]
    "#]],
    );
}

#[test]
fn a_run_without_failures_is_told_by_its_totals() {
    check(
        "running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
        "",
        &expect![[r#"
        cargo test: 0 failed, 1 passed, 2 skipped
    "#]],
    );
    check(
        "===== 3 passed, 1 warning in 0.02s =====\n",
        "",
        &expect![[r#"
            pytest: 0 failed, 3 passed, 0 skipped
        "#]],
    );
    check(
        "ok  \texample.com/a\t0.003s\n?   \texample.com/b\t[no test files]\n",
        "",
        &expect![[r#"
        go test: 0 failed, ? passed, ? skipped
    "#]],
    );
}

#[test]
fn output_of_other_programs_is_no_test_run() {
    for text in [
        "",
        "hello\n",
        "error: nothing\n",
        "3 passed\n",
        "Tests: some\n",
        "FAIL\n",
        "--> a.rs:1:1\n",
    ] {
        assert_eq!(told(text, text), "nothing known", "{text:?}");
    }
}

#[test]
fn failures_with_one_message_at_one_place_have_one_cause() {
    let mut text = String::from("running 30 tests\n");
    for n in 0..30 {
        let place = if n % 10 == 0 { 7 } else { 9 };
        writeln!(text, "---- t{n} stdout ----\nthread 't{n}' panicked at src/a.rs:{place}:1:")
            .unwrap();
        text += "no stock\n\n";
    }
    text += "test result: FAILED. 0 passed; 30 failed; 0 ignored\n";
    let all = summarize(&Output::of(&text), &Output::of("")).unwrap();
    let causes = all.causes();
    let names: Vec<_> = causes.iter().map(|cause| (&*cause[0].name, cause.len())).collect();
    assert_eq!(names, [("t0", 3), ("t1", 27)]);
    assert_eq!(all.lines, [(1, 122)]);
}

#[test]
fn of_several_runs_all_count() {
    let (vitest, jest) = (include_str!("printed/vitest.out"), include_str!("printed/jest.err"));
    let (go, cargo) =
        (include_str!("printed/go-test-v.out"), include_str!("printed/cargo-test.out"));
    let (node, pytest) =
        (include_str!("printed/node-test.out"), include_str!("printed/pytest.out"));
    let nextest = include_str!("printed/cargo-nextest.err");
    let unittest = include_str!("printed/unittest.err");
    let head = |texts: &[&str]| {
        let told = told(&texts.concat(), "");
        told.lines().next().unwrap().to_owned()
    };
    for text in [vitest, jest, cargo, node, pytest, nextest, unittest] {
        let (one, two) = (head(&[text]), head(&[text, text]));
        let numbers = |line: &str| -> Vec<u64> {
            line.split([' ', ',']).filter_map(|word| word.parse().ok()).collect()
        };
        let twice: Vec<u64> = numbers(&one).iter().map(|number| number * 2).collect();
        assert_eq!(numbers(&two), twice, "{one} | {two}");
    }
    assert_eq!(head(&[go, vitest]), "vitest and go test: 6 failed, 4 passed, 2 skipped");
    let green = "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
    assert_eq!(
        head(&[green, unittest, green]),
        "cargo test and unittest: 1 failed, 5 passed, 1 skipped"
    );
    let killed = unittest.split_once("\nRan ").unwrap().0;
    let again = "..\n----------\nRan 2 tests in 0.000s\n\nOK\n";
    assert_eq!(head(&[killed, again]), "unittest: 1 failed, 2 passed, 0 skipped");
    assert_eq!(head(&[unittest, again]), "unittest: 1 failed, 3 passed, 1 skipped");
    assert_eq!(
        head(&[nextest, green]),
        "cargo nextest and cargo test: 4 failed, 3 passed, 1 skipped"
    );
}

#[test]
fn what_is_cut_off_is_a_part() {
    let part = |text: &str| {
        let all = summarize(&Output::of(text), &Output::of("")).unwrap();
        assert!(all.is_partial, "{text}");
        (all.runner, all.failed)
    };
    let pytest = include_str!("printed/pytest.out");
    let head = |lines: usize| pytest.split_inclusive('\n').take(lines).collect::<String>();
    assert_eq!(part(&head(3)), ("pytest".to_owned(), 0));
    assert!(part(&head(40)).1 > 0);
    let cargo = include_str!("printed/cargo-test.out");
    let (begun, _) = cargo.rsplit_once("test result:").unwrap();
    assert_eq!(part(begun).0, "cargo test");
    let (_, end) = cargo.rsplit_once("running ").unwrap();
    let (_, end) = end.split_once('\n').unwrap();
    assert_eq!(part(end).0, "cargo test");
}

#[test]
fn of_many_failures_the_first_are_told_and_the_rest_counted() {
    let mut text = String::new();
    for n in 0..5000 {
        writeln!(text, "test t{n} ... FAILED").unwrap();
    }
    text += "test result: FAILED. 0 passed; 5000 failed; 0 ignored; 0 measured; 0 filtered out\n";
    let told = told(&text, "");
    assert!(told.starts_with("cargo test: 5000 failed, 0 passed"), "{told}");
    assert!(told.ends_with("t1999 (no place): \nand 3000 more\n"), "{told}");
}
