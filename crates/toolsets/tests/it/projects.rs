//! Real projects with real programs; what is not installed must be said.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use fault::Code;
use files::Limits;
use toolkit::serde_json::{Value, json};
use toolkit::testing::{self, run};
use toolkit::{Done, Policy, Session};

use crate::{open, place};

/// A directory with these files, and a session of `floyd` in it.
struct Place {
    at: testing::Place,
    session: Arc<Session>,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        Self::with(files, Limits::default())
    }

    fn with(files: &[(&str, &str)], limits: Limits) -> Self {
        let at = place(files, |settings| settings.limits = limits);
        let session = open(&at, "floyd", Policy::Trust);
        Self { at, session }
    }

    fn call(&self, tool: &str, input: Value) -> Done {
        run(&self.session, tool, input)
    }

    /// The fields of the tool, whether it failed or not, and its code.
    fn fields(&self, tool: &str, input: Value) -> (Value, Option<Code>) {
        let outcome = self.call(tool, input);
        let code = outcome.error.map(|e| e.code);
        let toolkit::Body::Json(body) = outcome.body else { panic!("no object") };
        let fields = if code.is_none() { &body["data"] } else { &body["error"]["details"] };
        (fields.clone(), code)
    }

    fn message(&self, tool: &str, input: Value) -> (Code, String) {
        let error = self.call(tool, input).error.unwrap();
        (error.code, error.message)
    }
}

/// Where a program is not installed, the tests ask that its absence is said.
fn installed(program: &str) -> bool {
    std::process::Command::new(program).arg("--version").output().is_ok()
}

const SUMS: &str = "#[test]\nfn good() {}\n\n#[test]\nfn wrong_sum() {\n    assert_eq!(1 + 1, 3, \"sums differ\");\n}\n";

#[test]
fn a_cargo_package_is_tested_linted_formatted_and_built() {
    let manifest =
        "[package]\nname = \"sums\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n";
    let place = Place::new(&[("Cargo.toml", manifest), ("src/lib.rs", SUMS)]);
    let (tests, code) = place.fields("run_tests", json!({}));
    assert_eq!(code, Some(Code::CommandFailed), "{tests}");
    assert_eq!(tests["command"], "cargo test --workspace");
    assert_eq!((&tests["success"], &tests["exitCode"]), (&json!(false), &json!(101)));
    let summary = &tests["summary"];
    assert_eq!((&summary["passed"], &summary["failed"]), (&json!(1), &json!(1)), "{summary}");
    let failure = &summary["failures"][0];
    assert_eq!(failure["name"], "tests::wrong_sum".trim_start_matches("tests::"));
    assert!(failure["place"].as_str().unwrap().starts_with("src/lib.rs:6"), "{summary}");
    assert!(failure["message"].as_str().unwrap().contains("sums differ"));
    let (_, message) = place.message("run_tests", json!({"command": "cargo test --quiet"}));
    assert!(
        message.contains("exit code 101; 1 failed, the first: wrong_sum at src/lib"),
        "{message}"
    );

    fs::write(place.at.dir().join("root/src/lib.rs"), "pub fn f( ) {}\n").unwrap();
    let (format, code) = place.fields("format", json!({}));
    assert_eq!((code, &format["success"]), (None, &json!(true)), "{format}");
    let text = fs::read_to_string(place.at.dir().join("root/src/lib.rs")).unwrap();
    assert_eq!(text, "pub fn f() {}\n");
    let (build, code) = place.fields("build", json!({}));
    assert_eq!((code, &build["success"]), (None, &json!(true)), "{build}");
    let text =
        "pub fn f(a: &Vec<u8>) -> usize {\n    a.len()\n}\npub fn g() -> u8 {\n    \"x\"\n}\n";
    fs::write(place.at.dir().join("root/src/lib.rs"), text).unwrap();
    let (build, code) = place.fields("build", json!({}));
    assert_eq!(code, Some(Code::BuildFailed));
    let failure = &build["summary"]["failures"][0];
    assert_eq!(failure["name"], "error[E0308]: mismatched types", "{build}");
    assert_eq!(failure["place"], "src/lib.rs:5:5");
    let (lint, code) = place.fields("lint", json!({}));
    assert_eq!((code, &lint["success"]), (None, &json!(false)), "findings are an answer");
}

#[test]
fn node_projects_run_their_scripts() {
    let manifest = r#"{"name": "a", "scripts": {"test": "node --test", "build": "node -e \"require('fs').writeFileSync('out.txt', 'made')\""}}"#;
    let test = "const {test} = require('node:test');\nconst assert = require('node:assert');\ntest('good', () => {});\ntest('wrong sum', () => assert.equal(1 + 1, 3));\n";
    let place = Place::new(&[("package.json", manifest), ("a.test.js", test)]);
    if !installed("npm") {
        let (code, message) = place.message("run_tests", json!({}));
        assert_eq!(code, Code::CommandNotFound);
        assert!(
            message.starts_with("npm: not installed, and `npm test` needs it; to install it: http")
        );
        return;
    }
    let (tests, code) = place.fields("run_tests", json!({}));
    assert_eq!(code, Some(Code::CommandFailed), "{tests}");
    assert_eq!(tests["projectType"], "node");
    assert_eq!(tests["summary"]["failures"][0]["name"], "wrong sum", "{tests}");
    let (build, code) = place.fields("build", json!({}));
    assert_eq!(code, None, "{build}");
    assert_eq!(fs::read_to_string(place.at.dir().join("root/out.txt")).unwrap(), "made");
    let (code, message) = place.message("lint", json!({}));
    assert_eq!(code, Code::NoLintCommand);
    assert!(message.contains("(kind node, there are package.json)"), "{message}");
}

#[test]
fn python_projects_without_pytest_use_what_python_brings() {
    let test = "import unittest\n\nclass Sums(unittest.TestCase):\n    def test_good(self): pass\n    def test_wrong(self): self.assertEqual(1 + 1, 3)\n";
    let place =
        Place::new(&[("setup.py", ""), ("tests/__init__.py", ""), ("tests/test_sums.py", test)]);
    if !installed("python3") {
        let (code, message) = place.message("run_tests", json!({}));
        assert_eq!(code, Code::CommandNotFound, "{message}");
        return;
    }
    let (tests, code) = place.fields("run_tests", json!({}));
    assert_eq!(code, Some(Code::CommandFailed), "{tests}");
    let summary = &tests["summary"];
    assert_eq!((&summary["runner"], &summary["failed"]), (&json!("unittest"), &json!(1)));
    let place_of = summary["failures"][0]["place"].as_str().unwrap();
    assert!(place_of.ends_with("tests/test_sums.py:5"), "{summary}");
}

#[test]
fn a_program_that_is_not_installed_is_named_with_how_to_get_it() {
    let place = Place::new(&[("go.mod", "module a\n"), ("a.go", "package a\n")]);
    for (tool, program) in [("run_tests", "go"), ("build", "go"), ("format", "gofmt")] {
        let outcome = place.call(tool, json!({}));
        if installed("go") {
            assert!(outcome.error.is_none(), "{tool}: {:?}", outcome.error);
        } else {
            let error = outcome.error.unwrap();
            assert_eq!(error.code, Code::CommandNotFound);
            let how = format!("{program}: not installed, and `");
            assert!(error.message.starts_with(&how), "{error}");
            assert!(error.message.ends_with("to install it: https://go.dev/dl"), "{error}");
        }
    }
    let (code, message) = place.message("lint", json!({"command": "python3 -m no_such_module_x"}));
    if installed("python3") {
        assert_eq!(code, Code::CommandNotFound);
        assert!(message.starts_with("no_such_module_x: not installed"), "{message}");
    }
}

#[test]
fn a_long_output_is_cut_and_its_failures_are_found_in_the_whole() {
    let place = Place::new(&[]);
    let script = "echo 'running 1 test'; echo 'test first ... FAILED'; echo 'test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out'; seq 1 400000; exit 1";
    let (tests, code) = place.fields("run_tests", json!({"command": script}));
    assert_eq!(code, Some(Code::CommandFailed));
    assert_eq!(tests["summary"]["failures"][0]["name"], "first");
    let output = tests["output"].as_str().unwrap();
    assert!(output.ends_with("399999\n400000\n") && output.len() <= 51_200, "{}", output.len());
    let note = tests["note"].as_str().unwrap();
    assert!(note.starts_with("standard output: the first "), "{note}");
    let path = note.split("the whole is in ").nth(1).unwrap();
    let (read, _) = place.fields("read_file", json!({"filePath": path, "limit": 2}));
    assert_eq!(read["content"], "running 1 test\ntest first ... FAILED", "{read}");
}

#[test]
fn what_takes_too_long_is_ended_with_its_output_kept() {
    let limits = Limits { program_time: Duration::from_secs(1), ..Limits::default() };
    let place = Place::with(&[], limits);
    for tool in ["run_tests", "format", "lint", "build"] {
        let (done, code) = place.fields(tool, json!({"command": "echo begun; sleep 100"}));
        assert_eq!(code, Some(Code::Timeout), "{tool}");
        assert_eq!((&done["output"], &done["exitCode"]), (&json!("begun\n"), &Value::Null));
        assert_eq!(done["success"], false);
    }
}

#[test]
fn a_signal_is_told_apart_from_an_exit_code() {
    let place = Place::new(&[]);
    for (tool, code) in [
        ("run", Some(Code::Killed)),
        ("run_tests", Some(Code::CommandFailed)),
        ("build", Some(Code::BuildFailed)),
        ("lint", None),
    ] {
        let (done, failed) = place.fields(tool, json!({"command": "kill -9 $$"}));
        assert_eq!(failed, code, "{tool}: {done}");
        assert_eq!((&done["success"], &done["exitCode"]), (&json!(false), &Value::Null), "{tool}");
    }
}

#[test]
fn run_keeps_to_its_folder_its_time_and_its_variables() {
    let place = Place::new(&[("sub/plain", "echo"), ("sub/a b.txt", "")]);
    let of = |input| place.fields("run", input);
    let (done, _) = of(json!({"command": "pwd; ls", "cwd": "sub"}));
    assert!(done["stdout"].as_str().unwrap().ends_with("/sub\na b.txt\nplain\n"), "{done}");
    let (done, _) = of(json!({"command": "ls", "args": [], "cwd": "sub"}));
    assert_eq!(done["stdout"], "a b.txt\nplain\n");
    assert_eq!(of(json!({"command": "ls", "cwd": ".."})).1, Some(Code::PathOutsideWorkspace));
    assert_eq!(of(json!({"command": "ls", "cwd": "gone"})).1, Some(Code::DirectoryNotFound));
    assert_eq!(of(json!({"command": "ls", "cwd": "sub/plain"})).1, Some(Code::NotADirectory));
    assert_eq!(of(json!({"command": "ls", "timeout": 0})).1, Some(Code::InvalidInput));
    assert_eq!(of(json!({"command": " "})).1, Some(Code::InvalidInput));
    assert_eq!(of(json!({"command": "ls", "env": {"A=B": "x"}})).1, Some(Code::InvalidInput));
    assert_eq!(of(json!({"command": "./sub/plain"})).1, Some(Code::PermissionDenied));
    assert_eq!(of(json!({"command": "no-such-program-x"})).1, Some(Code::CommandNotFound));
    let (code, message) = place.message("run", json!({"command": "ls -l", "args": ["sub"]}));
    assert_eq!(code, Code::InvalidInput);
    assert!(message.contains("leave args out"), "{message}");
    let (done, _) = of(json!({"command": "(sleep 100 &) ; echo on"}));
    assert_eq!(done["stdout"], "on\n");
    assert_eq!(done["note"], "1 program left in the background was ended");
}

#[test]
fn what_programs_change_can_be_undone_and_protected_files_are_kept_aside() {
    let place = Place::new(&[
        ("Makefile", "build:\n\techo new > a.txt\n\techo x > .envrc\n"),
        ("a.txt", "old\n"),
    ]);
    let (done, code) = place.fields("build", json!({}));
    assert_eq!(code, None, "{done}");
    assert!(done["note"].as_str().unwrap().contains(".envrc"), "{done}");
    let root = place.at.root();
    assert!(!root.join(".envrc").exists());
    assert_eq!(fs::read_to_string(root.join("a.txt")).unwrap(), "new\n");
    let back = files::journal::Direction::Undo;
    place.at.project.journal().turn(place.session.workspace(), back, None).unwrap();
    assert_eq!(fs::read_to_string(root.join("a.txt")).unwrap(), "old\n");
}
