//! JavaScript and TypeScript: what `package.json` and the lock files say.

use serde_json::Value;

use super::facts::Facts;
use super::{Candidate, Kind, Purpose};

/// Lock files, and the package managers that write them.
const LOCKS: &[(&str, &str)] = &[
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("package-lock.json", "npm"),
    ("npm-shrinkwrap.json", "npm"),
];

/// Names of scripts for a purpose, the usual one first.
const SCRIPTS: &[(Purpose, &[&str])] = &[
    (Purpose::Test, &["test", "tests", "test:unit"]),
    (Purpose::Format, &["format", "fmt", "prettier", "format:write", "format:fix"]),
    (Purpose::Lint, &["lint", "eslint", "lint:js", "lint:ts"]),
    (Purpose::Build, &["build", "compile"]),
    (Purpose::Typecheck, &["typecheck", "type-check", "check-types", "tsc"]),
];

/// Programs that do it where no script does, if the project depends on them.
const PROGRAMS: &[(Purpose, &str, &str)] = &[
    (Purpose::Test, "vitest", "vitest"),
    (Purpose::Test, "jest", "jest"),
    (Purpose::Test, "mocha", "mocha"),
    (Purpose::Format, "prettier", "prettier"),
    (Purpose::Format, "@biomejs/biome", "biome"),
    (Purpose::Lint, "eslint", "eslint"),
    (Purpose::Lint, "@biomejs/biome", "biome"),
    (Purpose::Typecheck, "typescript", "tsc"),
];

pub(super) fn look(facts: &Facts<'_>) -> Option<Candidate> {
    let manifest = facts.json("package.json");
    let manager = manager(facts, manifest.as_ref());
    let ships = ["scripts", "dependencies", "main", "module", "exports", "bin", "workspaces"];
    let weight = match &manifest {
        Some(value) if ships.iter().any(|key| value.get(key).is_some()) => 0.9,
        Some(_) => 0.5, // broken, or no more than tools for a project of another kind
        None => 0.0,
    };
    let there = |name: &str, weight: f64| if facts.has(name) { weight } else { 0.0 };
    let mut evidence = vec![
        ("package.json", weight),
        ("tsconfig.json", there("tsconfig.json", 0.3)),
        ("index.js", there("index.js", 0.2)),
    ];
    evidence.extend(LOCKS.iter().map(|(lock, _)| (*lock, there(lock, 0.4))));
    let mut found = Candidate::weigh(Kind::Node, manager, &evidence)?;
    found.start.prefix = match manager {
        "yarn" => &["yarn", "run"],
        "pnpm" => &["pnpm", "exec"],
        "bun" => &["bun", "run"],
        _ => &["npx", "--no-install"],
    };
    if let Some(manifest) = &manifest {
        commands(facts, manifest, &mut found);
        found.commands.insert(Purpose::Install, format!("{manager} install"));
    }
    Some(found)
}

fn commands(facts: &Facts<'_>, manifest: &Value, found: &mut Candidate) {
    for (purpose, names) in SCRIPTS {
        let script = names.iter().find(|name| {
            let script = manifest["scripts"][name].as_str().unwrap_or_default();
            // What `npm init` writes only fails.
            !script.trim().is_empty() && !script.contains("no test specified")
        });
        if let Some(name) = script {
            let line = match (found.manager, *name) {
                ("bun", name) => format!("bun run {name}"), // `bun test` is bun's own runner
                (manager, "test") => format!("{manager} test"),
                ("yarn", name) => format!("yarn run {name}"),
                (manager, name) => format!("{manager} run {name}"),
            };
            found.commands.insert(*purpose, line);
        }
    }
    let depends = |name: &str| {
        let kinds = ["dependencies", "devDependencies"];
        kinds.iter().any(|kind| manifest[kind].get(name).is_some())
    };
    for (purpose, package, program) in PROGRAMS {
        let ready = *program != "tsc" || facts.has("tsconfig.json");
        if depends(package) && ready {
            found.take(*purpose, program);
        }
    }
}

/// What the manifest says, else what the lock files say, else npm.
fn manager(facts: &Facts<'_>, manifest: Option<&Value>) -> &'static str {
    let mut locks: Vec<_> = LOCKS.iter().filter(|(lock, _)| facts.has(lock)).collect();
    locks.dedup_by_key(|(_, manager)| *manager);
    let said = manifest.and_then(|m| m["packageManager"].as_str()).unwrap_or_default();
    let said = said.split('@').next().unwrap_or_default();
    let said = ["npm", "yarn", "pnpm", "bun"].into_iter().find(|name| *name == said);
    let manager = said.or_else(|| locks.first().map(|(_, manager)| *manager)).unwrap_or("npm");
    if locks.len() > 1 {
        let names: Vec<_> = locks.iter().map(|(lock, _)| *lock).collect();
        facts.note(format!(
            "lock files of several package managers ({}); {manager} is taken",
            names.join(", ")
        ));
    }
    manager
}
