//! What needs little reading: Cargo packages, Go modules, makefiles.

use std::collections::BTreeMap;

use super::facts::Facts;
use super::{Candidate, Kind, Purpose};

pub(super) fn rust(facts: &Facts<'_>) -> Option<Candidate> {
    let manifest = facts.toml("Cargo.toml");
    let has = |key| manifest.as_ref().is_some_and(|table| table.contains_key(key));
    let weight = match &manifest {
        Some(_) if has("package") || has("workspace") => 0.95,
        Some(_) => 0.5,
        None => 0.0,
    };
    let source = facts.inside("src").iter().any(|name| name == "main.rs" || name == "lib.rs");
    let lock = if facts.has("Cargo.lock") { 0.3 } else { 0.0 };
    let evidence = [
        ("Cargo.toml", weight),
        ("Cargo.lock", lock),
        ("src/*.rs", if source { 0.3 } else { 0.0 }),
    ];
    let mut found = Candidate::weigh(Kind::Rust, "cargo", &evidence)?;
    if manifest.is_none() {
        return Some(found); // cargo would only say that there is no manifest
    }
    // In the directory of a package cargo looks at the package alone, though it leads a workspace.
    let all = if has("workspace") && has("package") { " --workspace" } else { "" };
    let nextest = facts.inside(".config").iter().any(|name| name == "nextest.toml");
    let test = if nextest { "nextest run" } else { "test" };
    let format = if has("workspace") { " --all" } else { "" };
    found.commands = BTreeMap::from([
        (Purpose::Test, format!("cargo {test}{all}")),
        (Purpose::Format, format!("cargo fmt{format}")),
        (Purpose::Lint, format!("cargo clippy{all} --all-targets")),
        (Purpose::Build, format!("cargo build{all}")),
        (Purpose::Typecheck, format!("cargo check{all} --all-targets")),
        (Purpose::Install, "cargo fetch".to_owned()),
    ]);
    Some(found)
}

pub(super) fn go(facts: &Facts<'_>) -> Option<Candidate> {
    let weigh = |name: &str, weight| if facts.has(name) { weight } else { 0.0 };
    let evidence = [
        ("go.mod", weigh("go.mod", 0.95)),
        ("go.work", weigh("go.work", 0.9)),
        ("go.sum", weigh("go.sum", 0.3)),
        ("main.go", weigh("main.go", 0.3)),
    ];
    let mut found = Candidate::weigh(Kind::Go, "go", &evidence)?;
    if !facts.has("go.mod") && !facts.has("go.work") {
        return Some(found);
    }
    if facts.text("go.mod").is_some_and(|text| !text.lines().any(|l| l.starts_with("module"))) {
        facts.note("go.mod: names no module; what it says is not known".to_owned());
    }
    if facts.starting(".golangci.").next().is_some() {
        found.take(Purpose::Lint, "golangci-lint");
    }
    for (purpose, program) in [
        (Purpose::Test, "go"),
        (Purpose::Format, "gofmt"),
        (Purpose::Lint, "go"),
        (Purpose::Build, "go"),
        (Purpose::Typecheck, "go"),
        (Purpose::Install, "go"),
    ] {
        found.take(purpose, program);
    }
    Some(found)
}

/// Commands that a makefile offers.
pub(super) fn make_targets(facts: &Facts<'_>) -> BTreeMap<Purpose, String> {
    let Some(name) = facts.first(&["GNUmakefile", "makefile", "Makefile"]) else {
        return BTreeMap::new();
    };
    let text = facts.text(name).unwrap_or_default();
    let is_target = |target: &str| {
        text.lines().any(|line| {
            let Some((left, right)) = line.split_once(':') else { return false };
            let rule = !line.starts_with(['\t', ' ', '#', '.']) && !right.starts_with('=');
            rule && left.split_whitespace().any(|word| word == target)
        })
    };
    let purposes: [(Purpose, &[&str]); 5] = [
        (Purpose::Test, &["test", "tests", "check"]),
        (Purpose::Format, &["format", "fmt"]),
        (Purpose::Lint, &["lint"]),
        (Purpose::Build, &["build", "all"]),
        (Purpose::Typecheck, &["typecheck"]),
    ];
    let line = |targets: &[&str]| {
        targets.iter().find(|target| is_target(target)).map(|target| format!("make {target}"))
    };
    purposes.iter().filter_map(|(purpose, targets)| Some((*purpose, line(targets)?))).collect()
}
