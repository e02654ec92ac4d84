//! Which kind wins, which commands there are, and what is said of manifests that cannot be read.

use std::os::unix::fs::symlink;

use fault::Code;

use super::*;
use crate::project::{how_to_get, missing, rows};

const CARGO: (&str, &str) = ("Cargo.toml", "[package]\nname = \"a\"\n");
const GO: (&str, &str) = ("go.mod", "module example.com/a\n");
const PYTHON: (&str, &str) =
    ("pyproject.toml", "[project]\nname = \"a\"\ndependencies = [\"pytest>=8\"]\n");
const NODE: (&str, &str) = (
    "package.json",
    r#"{"name": "a", "scripts": {"test": "jest", "build": "tsc", "lint": "eslint ."}}"#,
);

fn notes(project: &Project) -> String {
    project.notes.join("\n")
}

#[test]
fn the_evidence_decides_in_mixed_folders() {
    type Files = [(&'static str, &'static str)];
    let table: &[(&Files, Kind, f64)] = &[
        (&[CARGO], Kind::Rust, 0.95),
        (&[GO], Kind::Go, 0.95),
        (&[NODE], Kind::Node, 0.9),
        (&[PYTHON], Kind::Python, 0.9),
        (&[CARGO, ("requirements.txt", "mkdocs\n")], Kind::Rust, 0.7),
        (&[CARGO, ("main.py", "print(1)\n")], Kind::Rust, 0.8),
        (&[NODE, ("app.py", ""), ("main.py", "")], Kind::Node, 0.65),
        (&[GO, ("package.json", r#"{"devDependencies": {"prettier": "3"}}"#)], Kind::Go, 0.7),
        (&[("requirements.txt", "flask\n"), ("app.py", "")], Kind::Python, 0.65),
        (&[("main.py", "")], Kind::Python, 0.3),
        (&[("README.md", "# a\n")], Kind::Unknown, 0.0),
        (&[], Kind::Unknown, 0.0),
    ];
    for (files, kind, confidence) in table {
        let found = project(files);
        let names: Vec<_> = files.iter().map(|(name, _)| name).collect();
        assert_eq!((found.kind, found.confidence), (*kind, *confidence), "{names:?}: {found:?}");
    }
}

#[test]
fn equal_evidence_is_decided_by_the_sources() {
    let rust: &[_] = &[CARGO, PYTHON, ("src/lib.rs", ""), ("src/a.rs", ""), ("a.py", "")];
    let python: &[_] =
        &[CARGO, PYTHON, ("src/lib.rs", ""), ("a.py", ""), ("b.py", ""), ("c.py", "")];
    for (files, kind, other) in [(rust, Kind::Rust, "python"), (python, Kind::Python, "rust")] {
        let found = project(files);
        assert_eq!(found.kind, kind);
        assert!(found.confidence < 0.6, "{found:?}");
        assert!(
            notes(&found).starts_with(&format!("also in this directory: {other} (")),
            "{found:?}"
        );
    }
    let found = project(rust);
    assert_eq!(found.manager, Some("cargo"), "nothing of the other kind is taken");
    assert!(found.commands.values().all(|line| line.starts_with("cargo ")), "{found:?}");
    assert!(notes(&found).contains("(pyproject.toml; test `pytest`)"), "{found:?}");
}

#[test]
fn each_lock_file_names_its_package_manager() {
    for (file, manager, test, lint) in [
        ("package-lock.json", "npm", "npm test", "npm run lint"),
        ("yarn.lock", "yarn", "yarn test", "yarn run lint"),
        ("pnpm-lock.yaml", "pnpm", "pnpm test", "pnpm run lint"),
        ("bun.lock", "bun", "bun run test", "bun run lint"),
        ("bun.lockb", "bun", "bun run test", "bun run lint"),
    ] {
        let found = project(&[NODE, (file, "")]);
        assert_eq!(found.manager, Some(manager));
        assert_eq!(found.command(Purpose::Test), Some(test));
        assert_eq!(found.command(Purpose::Lint), Some(lint));
        assert_eq!(found.command(Purpose::Format), None, "no script, no program");
        assert_eq!(found.command(Purpose::Install).unwrap(), format!("{manager} install"));
        assert_eq!(found.confidence, 0.94);
    }
    let said = (NODE.0, r#"{"packageManager": "pnpm@9.1.0", "scripts": {"test": "x"}}"#);
    let found = project(&[said, ("yarn.lock", ""), ("package-lock.json", "")]);
    assert_eq!(found.manager, Some("pnpm"));
    assert!(notes(&found).contains("(yarn.lock, package-lock.json); pnpm is taken"), "{found:?}");
}

#[test]
fn node_commands_are_scripts_or_programs_it_depends_on() {
    let text = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1", "fmt": "x"},
        "devDependencies": {"vitest": "1", "eslint": "9", "typescript": "5"}}"#;
    let found = project(&[("package.json", text)]);
    assert_eq!(found.command(Purpose::Test), Some("npx --no-install vitest run"));
    assert_eq!(found.command(Purpose::Format), Some("npm run fmt"));
    assert_eq!(found.command(Purpose::Lint), Some("npx --no-install eslint ."));
    assert_eq!(found.command(Purpose::Build), None);
    assert_eq!(found.command(Purpose::Typecheck), None, "tsc has nothing to go by");
    let found = project(&[("package.json", text), ("tsconfig.json", "{}"), ("pnpm-lock.yaml", "")]);
    assert_eq!(found.command(Purpose::Typecheck), Some("pnpm exec tsc --noEmit"));
}

#[test]
fn python_commands_are_the_tools_it_is_set_up_for() {
    let of = |files: &[(&str, &str)], purpose| {
        project(files).command(purpose).map(str::to_owned).unwrap_or_default()
    };
    let setup = "[metadata]\nname = a\n[tool:pytest]\n[flake8]\n";
    assert_eq!(of(&[("setup.cfg", setup)], Purpose::Test), "pytest");
    assert_eq!(of(&[("setup.cfg", setup)], Purpose::Lint), "flake8 .");
    let tox = [("setup.py", ""), ("tox.ini", "[tox]\n[testenv]\n")];
    assert_eq!(of(&tox, Purpose::Test), "tox");
    let poetry = "[tool.poetry]\nname = \"a\"\n[tool.poetry.group.dev.dependencies]\npytest = \"8\"\n[tool.black]\n[tool.ruff]\n";
    let files = [("pyproject.toml", poetry)];
    assert_eq!(of(&files, Purpose::Test), "poetry run pytest");
    assert_eq!(of(&files, Purpose::Format), "poetry run black .");
    assert_eq!(of(&files, Purpose::Lint), "poetry run ruff check .");
    let uv = "[project]\nname = \"a\"\n[dependency-groups]\ndev = [\"PyTest ~=8\"]\n[tool.ruff.format]\n[build-system]\n";
    let files = [("pyproject.toml", uv), ("uv.lock", "")];
    assert_eq!(of(&files, Purpose::Test), "uv run pytest");
    assert_eq!(of(&files, Purpose::Format), "uv run ruff format .");
    assert_eq!(of(&files, Purpose::Build), "uv build");
    let plain = [("requirements.txt", "flask==3\nPylint\n"), ("tests/test_a.py", "")];
    assert_eq!(of(&plain, Purpose::Test), "python3 -m unittest discover -s tests -t .");
    // Unittest would run none of these and say "OK".
    for test in
        ["def test_a():\n    assert 1 == 2\n", "import pytest\n", "async def test_b(): pass\n"]
    {
        for name in ["tests/test_a.py", "test_a.py"] {
            assert_eq!(of(&[("setup.py", ""), (name, test)], Purpose::Test), "pytest");
        }
    }
    let class = "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\n";
    let files = [("setup.py", ""), ("test_a.py", class)];
    assert_eq!(of(&files, Purpose::Test), "python3 -m unittest discover");
    assert_eq!(of(&plain, Purpose::Lint), "pylint --recursive=y .");
    assert_eq!(of(&plain, Purpose::Install), "python3 -m pip install -r requirements.txt");
    assert_eq!(of(&plain, Purpose::Build), "");
    assert_eq!(of(&plain, Purpose::Format), "");
}

#[test]
fn managers_and_programs_of_another_language_are_started_by_themselves() {
    let node = project(&[("package.json", r#"{"scripts": {"test": "x"}}"#)]);
    let line = |purpose, program| node.line(purpose, program, &[]).unwrap().join(" ");
    assert_eq!(line(Purpose::Install, "npm"), "npm install");
    assert_eq!(line(Purpose::Install, "poetry"), "poetry install");
    assert_eq!(line(Purpose::Lint, "ruff"), "ruff check .");
    assert_eq!(line(Purpose::Lint, "eslint"), "npx --no-install eslint .");
    let poetry = project(&[("pyproject.toml", "[tool.poetry]\nname = \"a\"\n")]);
    let line = |purpose, program| poetry.line(purpose, program, &[]).unwrap().join(" ");
    assert_eq!(line(Purpose::Install, "poetry"), "poetry install");
    assert_eq!(line(Purpose::Lint, "ruff"), "poetry run ruff check .");
    assert_eq!(line(Purpose::Lint, "eslint"), "eslint .");
}

#[test]
fn programs_of_a_virtual_environment_are_started_from_it() {
    let found = project(&[PYTHON, (".venv/bin/pytest", ""), (".venv/bin/ruff", "")]);
    assert_eq!(found.command(Purpose::Test), Some(".venv/bin/pytest"));
    assert_eq!(found.words("ruff"), [".venv/bin/ruff"]);
    assert_eq!(found.words("black"), ["black"]);
    let line = |purpose, program, targets: &[&str]| found.line(purpose, program, targets).unwrap();
    assert_eq!(line(Purpose::Lint, "ruff", &["src"]), [".venv/bin/ruff", "check", "src"]);
    assert_eq!(line(Purpose::Format, "black", &[]), ["black", "."]);
    assert_eq!(found.line(Purpose::Format, "mypy", &[]), None);
}

#[test]
fn rust_and_go_commands_follow_their_settings() {
    let found = project(&[("Cargo.toml", "[workspace]\n[package]\nname = \"a\"\n")]);
    assert_eq!(found.command(Purpose::Test), Some("cargo test --workspace"));
    assert_eq!(found.command(Purpose::Format), Some("cargo fmt --all"));
    let found = project(&[CARGO, (".config/nextest.toml", "")]);
    assert_eq!(found.command(Purpose::Test), Some("cargo nextest run"));
    assert_eq!(found.command(Purpose::Lint), Some("cargo clippy --all-targets"));
    let found = project(&[GO]);
    assert_eq!(found.command(Purpose::Test), Some("go test ./..."));
    assert_eq!(found.command(Purpose::Format), Some("gofmt -w ."));
    assert_eq!(found.command(Purpose::Lint), Some("go vet ./..."));
    let found = project(&[GO, (".golangci.yml", "")]);
    assert_eq!(found.command(Purpose::Lint), Some("golangci-lint run"));
}

#[test]
fn a_makefile_fills_in_what_nothing_else_offers() {
    let make =
        "X := 1\ntest lint: deps\n\techo\nfmt:\n\techo\nbuild-all:\nCHECK = test:\n.PHONY: build\n";
    let found = project(&[("Makefile", make)]);
    assert_eq!(found.kind, Kind::Unknown);
    assert_eq!(found.command(Purpose::Test), Some("make test"));
    assert_eq!(found.command(Purpose::Lint), Some("make lint"));
    assert_eq!(found.command(Purpose::Format), Some("make fmt"));
    assert_eq!(found.command(Purpose::Build), None, "{found:?}");
    let found = project(&[("Makefile", make), NODE]);
    assert_eq!(found.command(Purpose::Test), Some("npm test"));
    assert_eq!(found.command(Purpose::Format), Some("make fmt"));
}

#[test]
fn broken_manifests_are_said_and_count_as_weak_evidence() {
    for (name, text, kind, word) in [
        ("package.json", "{\"scripts\": ", Kind::Node, "not valid JSON"),
        ("package.json", "[1]", Kind::Node, "not an object"),
        ("Cargo.toml", "[package\nname", Kind::Rust, "not valid TOML"),
        ("pyproject.toml", "a = = b", Kind::Python, "not valid TOML"),
        ("package.json", "\0\u{1}", Kind::Node, "a binary file"),
    ] {
        let found = project(&[(name, text)]);
        assert_eq!((found.kind, found.confidence), (kind, 0.5), "{name} {text:?}");
        assert!(notes(&found).contains(name) && notes(&found).contains(word), "{found:?}");
    }
    let deep = "[".repeat(100_000);
    assert!(notes(&project(&[("package.json", &deep)])).contains("not valid JSON"));
    let deep = format!("a = {deep}");
    assert!(notes(&project(&[("pyproject.toml", &deep)])).contains("not valid TOML"));
    let huge = format!("{{\"name\": \"{}\"}}", "x".repeat(2 << 20));
    assert!(notes(&project(&[("package.json", &huge)])).contains("over the limit of 1048576"));
}

#[test]
fn manifests_may_have_a_mark_and_other_encodings() {
    let found = project(&[(NODE.0, &format!("\u{feff}{}", NODE.1))]);
    assert_eq!((found.command(Purpose::Test), found.notes.len()), (Some("npm test"), 0));
    let (dir, workspace) = folder(&[]);
    let wide: Vec<u8> = NODE.1.encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(dir.path().join("package.json"), [&[0xff, 0xfe], &wide[..]].concat()).unwrap();
    let found = detect(&workspace, ".").unwrap();
    assert_eq!((found.command(Purpose::Test), found.notes.len()), (Some("npm test"), 0));
}

#[test]
fn links_out_pipes_and_folders_in_place_of_manifests_are_said() {
    let (dir, workspace) = folder(&[("package.json/a", ""), ("other/real.json", NODE.1)]);
    symlink("/etc/hostname", dir.path().join("Cargo.toml")).unwrap();
    let pipe = dir.path().join("pyproject.toml");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    symlink("real.json", dir.path().join("other/package.json")).unwrap();
    let found = detect(&workspace, ".").unwrap();
    assert!(notes(&found).contains("outside the workspace"), "{found:?}");
    assert!(notes(&found).contains("a named pipe, not a regular file"), "{found:?}");
    assert_ne!(found.kind, Kind::Node);
    let found = detect(&workspace, "other").unwrap();
    assert_eq!((found.kind, found.notes.len()), (Kind::Node, 0), "a link inside is followed");
}

#[test]
fn projects_one_folder_below_are_named() {
    let web = format!("web/{}", NODE.0);
    let files = [
        (web.as_str(), NODE.1),
        ("api/go.mod", "module a\n"),
        ("both/Cargo.toml", ""),
        ("both/pyproject.toml", ""),
        ("node_modules/package.json", "{}"),
        (".hidden/Cargo.toml", ""),
        ("odd\nname/go.mod", ""),
    ];
    let found = project(&files);
    assert_eq!(found.kind, Kind::Unknown);
    let wanted = "projects one directory below: \"odd\\nname\"/ (go), api/ (go), both/ (rust, python), web/ (node)";
    assert_eq!(notes(&found), wanted);
}

#[test]
fn config_files_are_named_and_nothing_else() {
    let found = project(&[
        NODE,
        ("tsconfig.base.json", ""),
        (".eslintrc.json", ""),
        ("notes.txt", ""),
        ("Dockerfile", ""),
        ("Makefile/a", ""),
    ]);
    assert_eq!(
        found.config_files,
        [".eslintrc.json", "Dockerfile", "package.json", "tsconfig.base.json"]
    );
}

#[test]
fn a_folder_that_is_missing_or_outside_is_refused() {
    let (_dir, workspace) = folder(&[NODE]);
    assert_eq!(detect(&workspace, "gone").unwrap_err().code, Code::DirectoryNotFound);
    assert_eq!(detect(&workspace, "package.json").unwrap_err().code, Code::NotADirectory);
    assert_eq!(detect(&workspace, "..").unwrap_err().code, Code::PathOutsideWorkspace);
}

#[test]
fn a_missing_program_is_known_by_what_was_printed() {
    for (code, text, program) in [
        (127, "bash: line 1: pytest: command not found\n", Some("pytest")),
        (127, "> a@1.0.0 test\n> jest\n\nsh: 1: jest: not found\n", Some("jest")),
        (127, "bash: line 1: ./run: No such file or directory\n", Some("./run")),
        (
            101,
            "error: no such command: `nextest`\n\nhelp: view all installed commands\n",
            Some("nextest"),
        ),
        (
            1,
            "error: 'cargo-clippy' is not installed for the toolchain 'stable'.\n",
            Some("cargo-clippy"),
        ),
        (1, "/usr/bin/python3: No module named build\n", Some("build")),
        (
            1,
            "npm error npx canceled due to missing packages and no YES option: [\"vitest@4.1.12\"]\nnpm error A complete log\n",
            Some("vitest"),
        ),
        (1, "Creating virtualenv x in .venv\nCommand not found: pytest\n", Some("pytest")),
        (
            2,
            "error: Failed to spawn: pytest\n  cause: No such file or directory (os error 2)\n",
            Some("pytest"),
        ),
        (1, "error: Script not found \"vitest\"\n", Some("vitest")),
        (
            127,
            "$ vitest run\n/usr/bin/bash: line 1: vitest: command not found\nerror: script \"test\" exited with code 127\n",
            Some("vitest"),
        ),
        (1, "ModuleNotFoundError: No module named 'x'\n", None),
        (1, "bash: line 1: pytest: command not found\n", None),
        (0, "error: no such command: `x`\n", None),
        (127, "", None),
        (2, "two\nlines\n", None),
    ] {
        assert_eq!(missing(code, text).as_deref(), program, "{text:?}");
    }
}

#[test]
fn every_program_of_the_table_says_how_to_get_it() {
    for row in rows() {
        assert!(how_to_get(row.program, None).is_some(), "{}", row.program);
    }
    let how = |program, manager| how_to_get(program, manager).unwrap_or_default();
    assert_eq!(how("pytest", Some("pip")), "pip install pytest");
    assert_eq!(how("pytest", Some("poetry")), "poetry add --group dev pytest");
    assert_eq!(how("ruff", Some("uv")), "uv add --dev ruff");
    assert_eq!(how("vitest", Some("pnpm")), "pnpm install, in the directory of the project");
    assert_eq!(how("go", Some("go")), "https://go.dev/dl");
    assert_eq!(how_to_get("no-such-program", None), None);
}
