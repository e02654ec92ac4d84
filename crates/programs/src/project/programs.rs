//! The programs that projects are tested, formatted, linted and built with: what they are called
//! with, how a missing one is known, and how to get it.

use super::Purpose;

/// One program and what it is called with for a purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// What it does.
    pub purpose: Purpose,
    /// Its name, as it is in `PATH`.
    pub program: &'static str,
    /// What always follows the name.
    pub words: &'static [&'static str],
    /// What it works on if the caller names nothing else; none if it knows by itself.
    pub target: &'static [&'static str],
}

const fn row(
    purpose: Purpose,
    program: &'static str,
    words: &'static [&'static str],
    target: &'static [&'static str],
) -> Row {
    Row { purpose, program, words, target }
}

const HERE: &[&str] = &["."];
const ALL: &[&str] = &["./..."];

const ROWS: &[Row] = &[
    row(Purpose::Test, "pytest", &[], &[]),
    row(Purpose::Test, "tox", &[], &[]),
    row(Purpose::Test, "vitest", &["run"], &[]),
    row(Purpose::Test, "jest", &[], &[]),
    row(Purpose::Test, "mocha", &[], &[]),
    row(Purpose::Test, "cargo", &["test"], &[]),
    row(Purpose::Test, "go", &["test"], ALL),
    row(Purpose::Format, "ruff", &["format"], HERE),
    row(Purpose::Format, "black", &[], HERE),
    row(Purpose::Format, "prettier", &["--write"], HERE),
    row(Purpose::Format, "biome", &["format", "--write"], HERE),
    row(Purpose::Format, "cargo", &["fmt"], &[]),
    row(Purpose::Format, "gofmt", &["-w"], HERE),
    row(Purpose::Lint, "ruff", &["check"], HERE),
    row(Purpose::Lint, "flake8", &[], HERE),
    row(Purpose::Lint, "pylint", &["--recursive=y"], HERE),
    row(Purpose::Lint, "mypy", &[], HERE),
    row(Purpose::Lint, "eslint", &[], HERE),
    row(Purpose::Lint, "biome", &["lint"], HERE),
    row(Purpose::Lint, "cargo", &["clippy", "--all-targets"], &[]),
    row(Purpose::Lint, "golangci-lint", &["run"], &[]),
    row(Purpose::Lint, "go", &["vet"], ALL),
    row(Purpose::Build, "poetry", &["build"], &[]),
    row(Purpose::Build, "uv", &["build"], &[]),
    row(Purpose::Build, "cargo", &["build"], &[]),
    row(Purpose::Build, "go", &["build"], ALL),
    row(Purpose::Typecheck, "mypy", &[], HERE),
    row(Purpose::Typecheck, "pyright", &[], HERE),
    row(Purpose::Typecheck, "tsc", &["--noEmit"], &[]),
    row(Purpose::Typecheck, "cargo", &["check", "--all-targets"], &[]),
    row(Purpose::Typecheck, "go", &["vet"], ALL),
    row(Purpose::Install, "pip", &["install"], &["-r", "requirements.txt"]),
    row(Purpose::Install, "poetry", &["install"], &[]),
    row(Purpose::Install, "uv", &["sync"], &[]),
    row(Purpose::Install, "npm", &["install"], &[]),
    row(Purpose::Install, "yarn", &["install"], &[]),
    row(Purpose::Install, "pnpm", &["install"], &[]),
    row(Purpose::Install, "bun", &["install"], &[]),
    row(Purpose::Install, "cargo", &["fetch"], &[]),
    row(Purpose::Install, "go", &["mod", "download"], &[]),
];

/// Every program that is known, by what it is for.
pub fn rows() -> &'static [Row] {
    ROWS
}

/// How to get a program that is not installed, a command or a place; `None` if it is not known.
/// In a project with a package manager, that manager gets what the project itself uses.
pub fn how_to_get(program: &str, manager: Option<&str>) -> Option<String> {
    let general = from_anywhere(program)?;
    Some(match manager {
        Some("poetry") if general.starts_with("pip ") => {
            format!("poetry add --group dev {program}")
        }
        Some("uv") if general.starts_with("pip ") => format!("uv add --dev {program}"),
        Some(manager) if general == IN_FOLDER => format!("{manager} {general}"),
        None if general == IN_FOLDER => format!("npm {general}"),
        _ => general.to_owned(),
    })
}

/// Whether a program is started by itself in a project whose programs begin with `prefix`, such as
/// `npx` or `poetry run`: a package manager, and what is written for another language.
pub(super) fn stands_alone(program: &str, prefix: &str) -> bool {
    match program {
        "poetry" | "uv" | "npm" | "yarn" | "pnpm" | "bun" | "cargo" | "go" => true,
        "python3" | "pip" => !PYTHONS.contains(&prefix),
        _ => match from_anywhere(program) {
            Some(IN_FOLDER) => PYTHONS.contains(&prefix),
            Some(how) => !(PYTHONS.contains(&prefix) && how.starts_with("pip ")),
            None => false,
        },
    }
}

/// The managers that start programs of a Python project.
const PYTHONS: [&str; 2] = ["poetry", "uv"];

/// What the package manager of a JavaScript project does.
const IN_FOLDER: &str = "install, in the directory of the project";

fn from_anywhere(program: &str) -> Option<&'static str> {
    Some(match program {
        "pytest" => "pip install pytest",
        "ruff" => "pip install ruff",
        "black" => "pip install black",
        "mypy" => "pip install mypy",
        "pyright" => "pip install pyright",
        "pylint" => "pip install pylint",
        "flake8" => "pip install flake8",
        "tox" => "pip install tox",
        "build" => "pip install build",
        "poetry" => "pipx install poetry",
        "uv" => "pip install uv",
        "python" | "python3" => "the package python3 of the operating system",
        "pip" | "pip3" => "python3 -m ensurepip --upgrade",
        "node" | "npm" | "npx" => "https://nodejs.org",
        "yarn" => "npm install --global yarn",
        "pnpm" => "npm install --global pnpm",
        "bun" => "npm install --global bun",
        "jest" | "vitest" | "mocha" | "eslint" | "prettier" | "tsc" | "biome" | "vite" => IN_FOLDER,
        "cargo" | "rustc" => "https://rustup.rs",
        "clippy" | "cargo-clippy" => "rustup component add clippy",
        "fmt" | "cargo-fmt" | "rustfmt" => "rustup component add rustfmt",
        "nextest" | "cargo-nextest" => "cargo install --locked cargo-nextest",
        "go" | "gofmt" => "https://go.dev/dl",
        "golangci-lint" => "https://golangci-lint.run",
        "make" => "the package make of the operating system",
        _ => return None,
    })
}

/// The program that a shell, a package manager, Python or cargo did not find, by the end of what
/// was printed as errors. A run that failed for another reason gives `None`.
pub fn missing(code: i32, stderr: &str) -> Option<String> {
    if code == 0 {
        return None;
    }
    let lines = stderr.lines().rev().take(20).map(str::trim_end);
    lines
        .filter_map(|line| if code == 127 { of_shell(line) } else { None }.or(of_manager(line)))
        .next()
}

/// What a shell says with the exit code 127.
fn of_shell(line: &str) -> Option<String> {
    let ends = [": command not found", ": not found", ": No such file or directory"];
    let start = ends.iter().find_map(|end| line.strip_suffix(end))?;
    name(start.rsplit(':').next().unwrap_or(start))
}

/// What those say that start programs for others.
fn of_manager(line: &str) -> Option<String> {
    for start in [
        "error: no such command: ", // cargo
        "Command not found: ",      // poetry
        "error: Failed to spawn: ", // uv
        "error: Script not found ", // bun
    ] {
        if let Some(rest) = line.strip_prefix(start) {
            return name(rest);
        }
    }
    if let Some((_, packages)) = line.split_once("npx canceled due to missing packages") {
        let package = packages.split('"').nth(1)?;
        return name(package.rsplit_once('@').map_or(package, |(package, _)| package));
    }
    if line.starts_with("error: '") && line.contains(" is not installed for the toolchain") {
        return name(line["error: '".len()..].split('\'').next()?); // rustup
    }
    // `python -m X`, and no import in a program, which would be a traceback.
    let (before, module) = line.split_once(": No module named ")?;
    let python = before.rsplit('/').next().unwrap_or(before).starts_with("python");
    (python && !before.contains(' ')).then(|| name(module)).flatten()
}

/// A word that can be the name of a program, without its quotes.
fn name(text: &str) -> Option<String> {
    let name = text.trim().trim_matches(['`', '\'', '"']);
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./+@".contains(c);
    (!name.is_empty() && name.len() < 200 && name.chars().all(plain)).then(|| name.to_owned())
}
