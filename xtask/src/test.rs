//! `cargo xtask test`: the one command that says whether the repository is fit to land.

use std::path::PathBuf;
use std::time::Instant;

use crate::{Result, bench, dependencies, output, root};

/// The versions of the official Python client that drive the server: the last of each line.
const PYTHON_CLIENTS: &[&str] = &["1.30.0", "2.3.0"];

/// What is checked, and how.
type Check = (&'static str, fn() -> Result);

/// Runs every check, the cheap ones first; stops at the first that fails.
pub(crate) fn run() -> Result {
    install()?;
    let checks: &[Check] = &[
        ("formatting", || crate::run("cargo", &["fmt", "--all", "--check"])),
        ("dependencies", dependencies::check),
        ("clippy", clippy),
        ("tests", tests),
        ("doctests", || {
            crate::run(
                "cargo",
                &["test", "--doc", "--locked", "-p", "kitbag-syntax", "-p", "kitbag-toolkit"],
            )
        }),
        ("release build", || {
            crate::run("cargo", &["build", "--release", "--locked", "-p", "kitbag"])
        }),
        ("contract", contract),
        ("Python client", python_client),
        ("README's first command", first_command),
    ];
    for (name, check) in checks {
        let started = Instant::now();
        check().map_err(|problem| format!("{name}: {problem}"))?;
        println!("-- {name}: passed in {:.0} s", started.elapsed().as_secs_f64());
    }
    println!("\nxtask: {} checks passed, 0 failed", checks.len());
    Ok(())
}

/// What the tests need beside Rust, installed with cargo and the system's package manager.
fn install() -> Result {
    bench::tools()?;
    let needed = [
        ("command -v ctags", "universal-ctags"),
        ("command -v git", "git"),
        ("command -v perl", "perl"),
        ("command -v setpriv", "util-linux"),
        ("command -v ssh-keygen", "openssh-client"),
        ("command -v chromium || command -v google-chrome", "chromium"),
        ("command -v python3", "python3"),
        ("python3 -c 'import ensurepip, venv'", "python3-venv"),
    ];
    let missing: Vec<&str> = needed
        .into_iter()
        .filter(|(probe, _)| output("sh", &["-c", probe]).is_err())
        .map(|(_, package)| package)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    println!("installing what the tests need: {}", missing.join(", "));
    let sudo = if output("id", &["-u"])?.trim() == "0" { "" } else { "sudo -n " };
    let line =
        format!("{sudo}apt-get update -qq; {sudo}apt-get install -y -qq {}", missing.join(" "));
    crate::run("sh", &["-c", &line]).map_err(|problem| {
        format!("{problem}; install {} by hand and run this again", missing.join(", "))
    })
}

fn clippy() -> Result {
    crate::run(
        "cargo",
        &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"],
    )
}

/// All tests, with nextest where it is installed. Browsers, kills and clocks are real, and so is a
/// busy machine: what fails gets a second try, and is named as flaky at the end if that passes.
fn tests() -> Result {
    if output("cargo", &["nextest", "--version"]).is_ok() {
        return crate::run(
            "cargo",
            &["nextest", "run", "--workspace", "--locked", "--no-fail-fast", "--retries", "1"],
        );
    }
    crate::run("cargo", &["test", "--workspace", "--locked", "--lib", "--bins", "--tests"])
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> Result<PathBuf> {
    let metadata =
        output("cargo", &["metadata", "--format-version", "1", "--no-deps", "--locked"])?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata).map_err(|e| e.to_string())?;
    metadata["target_directory"]
        .as_str()
        .map(PathBuf::from)
        .ok_or_else(|| "cargo names no target directory".to_owned())
}

pub(crate) fn release_binary() -> Result<String> {
    Ok(target()?.join("release/kitbag").display().to_string())
}

/// The first command that the README tells a newcomer to type, as it is written there.
fn first_command() -> Result {
    let readme = std::fs::read_to_string(root().join("README.md")).map_err(|e| e.to_string())?;
    let command = readme.lines().find_map(|line| line.strip_prefix("$ "));
    let command = command.ok_or("README.md shows no command")?;
    if !command.starts_with("cargo run ") {
        return Err(format!("README.md begins with another command: {command}"));
    }
    crate::run("sh", &["-c", command])
}

/// The documents' own check, where it is beside the repository.
fn contract() -> Result {
    let check = root().join("../shared/contract/check.py");
    if !check.exists() {
        println!("no ../shared/contract/check.py beside the repository: left out");
        return Ok(());
    }
    let check = check.display().to_string();
    let mut arguments = vec![check.as_str()];
    // kit is ours, and has no document.
    let documented = |name: &&&str| *name != &"kit";
    for name in toolsets::NAMES.iter().filter(documented) {
        arguments.extend(["--only", name]);
    }
    let binary = release_binary()?;
    arguments.extend(["--", &binary, "serve", "--toolset", "{toolset}", "--root", "{root}"]);
    let checked = std::process::Command::new("python3")
        .args(&arguments)
        .output()
        .map_err(|e| e.to_string())?;
    let printed = String::from_utf8_lossy(&checked.stdout);
    println!("{}", printed.trim_end());
    if checked.status.success() { Ok(()) } else { Err("the contract is broken".into()) }
}

/// Sessions of the official Python client with the server, each version in an environment of its
/// own.
fn python_client() -> Result {
    for version in PYTHON_CLIENTS {
        let folder = target()?.join(format!("python-client-{version}"));
        let python = folder.join("bin/python").display().to_string();
        let has = format!("import importlib.metadata as m; assert m.version('mcp') == '{version}'");
        if output(&python, &["-c", &has]).is_err() {
            println!("installing mcp {version} into {}", folder.display());
            crate::run("python3", &["-m", "venv", &folder.display().to_string()])
                .map_err(|p| format!("{p}; the package python3-venv may be missing"))?;
            let package = format!("mcp=={version}");
            crate::run(
                &python,
                &["-m", "pip", "install", "--quiet", "--disable-pip-version-check", &package],
            )?;
        }
        crate::run(&python, &["crates/mcp/tests/python_client.py", &release_binary()?])?;
    }
    Ok(())
}
