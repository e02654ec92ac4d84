//! Stack's programs: which are chosen for which project, and servers that stay or end.

use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use fault::Code;
use toolkit::serde_json::{Value, json};
use toolkit::testing::{self, run, run_with};
use toolkit::{Answer, Body, Policy, Session};

use crate::{open, place};

struct Place {
    at: testing::Place,
    session: Arc<Session>,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let at = place(files, |_| {});
        let session = open(&at, "stack", Policy::Trust);
        Self { at, session }
    }

    fn call(&self, tool: &str, input: Value) -> (Value, Option<Code>) {
        let done = run(&self.session, tool, input);
        let Body::Json(body) = done.body else { panic!("no object") };
        (body, done.error.map(|e| e.code))
    }
}

/// What a person would be asked about.
fn asked(files: &[(&str, &str)], tool: &str, input: Value) -> String {
    // Without layers nothing is tried before the question.
    let place = place(files, |settings| settings.programs.layer = false);
    let session = open(&place, "stack", Policy::Ask);
    let mut shown = None;
    run_with(&session, tool, input, |question| {
        shown = Some(question.shown.clone());
        Some(Answer::No)
    });
    shown.expect("not asked")
}

#[test]
fn the_program_fits_the_project_and_the_path() {
    let python = [
        (
            "pyproject.toml",
            "[project]\nname = \"a\"\ndependencies = [\"pytest\"]\n[tool.black]\n[tool.ruff]\n",
        ),
        ("src/a.py", ""),
    ];
    let rust = [("Cargo.toml", "[package]\nname = \"a\"\n"), ("src/lib.rs", "")];
    let mixed =
        [("package.json", r#"{"scripts": {"test": "node --test"}}"#), ("tests/test_a.py", "")];
    type Files = [(&'static str, &'static str)];
    let table: &[(&Files, &str, Value, &str)] = &[
        (&python, "test", json!({}), "pytest -v"),
        (
            &python,
            "test",
            json!({"path": "src", "verbose": false, "pattern": "check_*.py"}),
            "pytest src -o 'python_files=check_*.py'",
        ),
        (&python, "lint", json!({}), "ruff check ."),
        (
            &python,
            "lint",
            json!({"path": "src/a.py", "linter": "pylint"}),
            "pylint --recursive=y src/a.py",
        ),
        (&python, "lint", json!({"linter": "mypy"}), "mypy ."),
        (&python, "format", json!({}), "black ."),
        (&python, "format", json!({"path": "src", "formatter": "ruff"}), "ruff format src"),
        (&python, "typecheck", json!({}), "mypy ."),
        (&python, "install", json!({}), "python3 -m pip install -e ."),
        (&python, "install", json!({"package_manager": "poetry"}), "poetry install"),
        (
            &[("requirements.txt", "a\n")],
            "install",
            json!({"package_manager": "pip"}),
            "pip install -r requirements.txt",
        ),
        (&[("dev.txt", "a\n")], "install", json!({"path": "dev.txt"}), "pip install -r dev.txt"),
        (&[("-r.py", "")], "lint", json!({"path": "-r.py"}), "ruff check ./-r.py"),
        (&[("a.py", "")], "test", json!({}), "pytest -v"),
        (&mixed, "test", json!({}), "npm test"),
        (&mixed, "test", json!({"path": "tests/test_a.py"}), "pytest tests/test_a.py -v"),
        (&mixed, "typecheck", json!({"path": "tests/test_a.py"}), "mypy tests/test_a.py"),
        (&rust, "test", json!({}), "cargo test"),
        (&rust, "lint", json!({}), "cargo clippy --all-targets"),
        (&rust, "typecheck", json!({"path": "src"}), "cargo check --all-targets"),
        (&rust, "install", json!({}), "cargo fetch"),
        (
            &[("web/package.json", "{\"scripts\": {\"test\": \"x\"}}")],
            "test",
            json!({"path": "web"}),
            "npm test\nin web",
        ),
    ];
    for (files, tool, input, line) in table {
        assert_eq!(asked(files, tool, input.clone()), *line, "{tool} {input}");
    }
}

#[test]
fn a_run_without_a_test_is_told() {
    let files = [(
        "Makefile",
        "test:\n\t@echo 'running 0 tests'; echo 'test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s'\n",
    )];
    let (told, code) = Place::new(&files).call("test", json!({}));
    assert_eq!((code, &told["success"]), (None, &json!(true)), "{told}");
    let note = told["note"].as_str().unwrap();
    assert_eq!(note, "no test was run: see whether it looks in the right place");
}

#[test]
fn a_program_that_is_missing_says_how_to_get_it() {
    let place = Place::new(&[("pyproject.toml", "[tool.poetry]\nname = \"a\"\n")]);
    let (body, code) = place.call("run", json!({"command": "command -v poetry pylint-x"}));
    assert_eq!(code, None, "{body}");
    if body["success"] == false {
        let (body, code) = place.call("lint", json!({"linter": "pylint"}));
        assert_eq!(code, Some(Code::CommandNotFound), "{body}");
        let error = body["error"].as_str().unwrap();
        assert!(error.starts_with("poetry: not installed, and `poetry run pylint"), "{error}");
        assert!(error.ends_with("to install it: pipx install poetry"), "{error}");
    }
}

#[test]
fn a_signal_and_an_own_exit_code_are_answers() {
    let place = Place::new(&[]);
    let (body, code) = place.call("run", json!({"command": "kill -9 $$"}));
    assert_eq!((code, &body["returncode"], &body["success"]), (None, &json!(-9), &json!(false)));
    let (body, code) = place.call("run", json!({"command": "no-such-program-x"}));
    assert_eq!((code, &body["returncode"]), (None, &json!(127)));
    assert!(body["stderr"].as_str().unwrap().contains("not found"), "{body}");
}

/// A port that nobody listens on, and a command that listens there.
fn server() -> (u16, String) {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    (port, format!("exec python3 -u -m http.server {port} --bind 127.0.0.1"))
}

#[test]
fn a_server_in_the_background_stays_until_the_session_ends() {
    let place = Place::new(&[("index.html", "hello")]);
    let (port, command) = server();
    let input = json!({"command": command, "port": port, "background": true});
    let (body, code) = place.call("server", input.clone());
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        assert_eq!(body["success"], false, "{body}");
        return;
    }
    assert_eq!((code, &body["success"]), (None, &json!(true)), "{body}");
    assert!(body["pid"].as_i64().unwrap() > 1);
    let said = body["message"].as_str().unwrap();
    assert!(
        said.starts_with(&format!("it listens on port {port}; ")) && said.contains("undone"),
        "{said}"
    );
    TcpStream::connect(("127.0.0.1", port)).unwrap();
    // What the session opened, it may reach; what else listens on this machine, it may not.
    let url = |port: u16| json!({"url": format!("http://127.0.0.1:{port}/")});
    let (page, code) = place.call("fetch", url(port));
    assert_eq!(code, None, "{page}");
    assert!(page.to_string().contains("hello"), "{page}");
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let (_, code) = place.call("fetch", url(other.local_addr().unwrap().port()));
    assert_eq!(code, Some(Code::AddressRefused));
    let (body, _) = place.call("run", json!({"command": "echo beside"}));
    assert_eq!(body["stdout"], "beside\n");
    let (again, _) = place.call("server", input);
    let message = again["message"].as_str().unwrap();
    assert!(message.contains("what an earlier call had started there was stopped"), "{again}");
    TcpStream::connect(("127.0.0.1", port)).unwrap();
    // One that ended by itself was not stopped.
    let pid = again["pid"].to_string();
    assert!(std::process::Command::new("kill").arg(&pid).status().unwrap().success());
    while TcpStream::connect(("127.0.0.1", port)).is_ok() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let (third, _) =
        place.call("server", json!({"command": command, "port": port, "background": true}));
    let message = third["message"].as_str().unwrap();
    assert!(message.starts_with("it listens") && !message.contains("was stopped"), "{third}");
    place.at.project.end();
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    assert_eq!(place.call("fetch", url(port)).1, Some(Code::AddressRefused));
    assert!(place.at.dir().exists());
}

#[test]
fn a_port_that_is_taken_or_never_opens_is_said() {
    let place = Place::new(&[]);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let (body, code) = place.call("server", json!({"command": "touch started", "port": port}));
    assert_eq!(code, Some(Code::PortInUse), "{body}");
    assert!(!place.at.dir().join("root/started").exists());
    let (_, code) = place.call("server", json!({"command": "true", "port": 0}));
    assert_eq!(code, Some(Code::InvalidInput));
    let (_, code) = place.call("server", json!({"command": "true", "port": 70000}));
    assert_eq!(code, Some(Code::InvalidInput));
}

#[test]
fn a_project_without_a_command_says_so() {
    let place = Place::new(&[("package.json", "{\"scripts\": {\"start\": \"x\"}}")]);
    for (tool, code) in [
        ("test", Code::NoTestCommand),
        ("lint", Code::NoLintCommand),
        ("format", Code::NoFormatCommand),
        ("typecheck", Code::InvalidInput),
    ] {
        let (body, failed) = place.call(tool, json!({}));
        assert_eq!(failed, Some(code), "{tool}: {body}");
        let error = body["error"].as_str().unwrap();
        assert!(error.ends_with("use `run`, or name another directory"), "{error}");
    }
}
