//! Python: what `pyproject.toml`, `setup.cfg`, `tox.ini` and lists of requirements say.

use std::collections::BTreeSet;

use toml::{Table, Value};

use super::facts::Facts;
use super::{Candidate, Kind, Purpose, Start};

/// Files of tests that are looked into.
const LOOKED_INTO: usize = 20;

/// Where the programs of virtual environments stand by custom.
const ENVIRONMENTS: &[&str] = &[".venv/bin", "venv/bin"];

pub(super) fn look(facts: &Facts<'_>) -> Option<Candidate> {
    let manifest = facts.toml("pyproject.toml");
    let table = manifest.clone().unwrap_or_default();
    let ships = ["project", "build-system"].iter().any(|key| table.contains_key(*key))
        || tool(&table, "poetry").is_some();
    let weight = match &manifest {
        Some(_) if ships => 0.9,
        Some(_) => 0.5, // settings of tools alone, or broken
        None => 0.0,
    };
    let setup = Sections::of(facts, "setup.cfg");
    let named = setup.has("metadata") || setup.has("options");
    let there = |name: &str, weight: f64| if facts.has(name) { weight } else { 0.0 };
    let evidence = [
        ("pyproject.toml", weight),
        ("setup.py", there("setup.py", 0.85)),
        ("setup.cfg", if named { 0.8 } else { 0.0 }),
        ("Pipfile", there("Pipfile", 0.8)),
        ("uv.lock", there("uv.lock", 0.5)),
        ("poetry.lock", there("poetry.lock", 0.5)),
        ("manage.py", there("manage.py", 0.5)),
        ("requirements.txt", there("requirements.txt", 0.5)),
        ("main.py", there("main.py", 0.3)),
        ("app.py", there("app.py", 0.3)),
    ];
    let manager = if facts.has("uv.lock") || tool(&table, "uv").is_some() {
        "uv"
    } else if facts.has("poetry.lock") || tool(&table, "poetry").is_some() {
        "poetry"
    } else {
        "pip"
    };
    let mut found = Candidate::weigh(Kind::Python, manager, &evidence)?;
    found.start = start(facts, manager);
    let known = Known {
        facts,
        depends: requirements(facts, &table),
        setup,
        tox: Sections::of(facts, "tox.ini"),
        table,
    };
    known.commands(&mut found);
    Some(found)
}

/// Programs come from the environment in the directory, else through the package manager.
fn start(facts: &Facts<'_>, manager: &str) -> Start {
    let prefix: &[&str] = match manager {
        "poetry" => &["poetry", "run"],
        "uv" => &["uv", "run"],
        _ => &[],
    };
    let local = ENVIRONMENTS.iter().find_map(|bin| {
        let names = facts.inside(bin);
        (!names.is_empty()).then_some((*bin, names))
    });
    Start { prefix, local }
}

/// All that decides which tools a project uses.
struct Known<'a> {
    facts: &'a Facts<'a>,
    table: Table,
    depends: BTreeSet<String>,
    setup: Sections,
    tox: Sections,
}

impl Known<'_> {
    /// Whether a tool has settings in the directory: a section of a manifest, or a file of its own.
    fn configured(&self, name: &str, section: &str, files: &[&str]) -> bool {
        tool(&self.table, name).is_some()
            || self.setup.has(section)
            || self.tox.has(section)
            || self.facts.first(files).is_some()
    }

    fn commands(&self, found: &mut Candidate) {
        let depends = |name: &str| self.depends.contains(name);
        let ruff = self.configured("ruff", "ruff", &["ruff.toml", ".ruff.toml"]);
        let ruff_format = tool(&self.table, "ruff").is_some_and(|t| t.get("format").is_some());
        let black = self.configured("black", "black", &[]);
        let mypy = self.configured("mypy", "mypy", &["mypy.ini", ".mypy.ini"]);
        let pyright = self.configured("pyright", "pyright", &["pyrightconfig.json"]);
        let pytest = self.configured("pytest", "tool:pytest", &["pytest.ini", "conftest.py"])
            || self.tox.has("pytest")
            || self.facts.inside("tests").iter().any(|name| name == "conftest.py")
            || depends("pytest")
            || self.tests().iter().take(LOOKED_INTO).any(|name| self.is_for_pytest(name));
        let flake8 = self.configured("flake8", "flake8", &[".flake8"]);
        let pylint = self.configured("pylint", "pylint", &[".pylintrc", "pylintrc"]);
        let takes = [
            (Purpose::Test, "pytest", pytest),
            (Purpose::Test, "tox", self.tox.has("tox") || self.tox.has("testenv")),
            (Purpose::Format, "ruff", ruff_format),
            (Purpose::Format, "black", black || depends("black")),
            (Purpose::Format, "ruff", ruff || depends("ruff")),
            (Purpose::Lint, "ruff", ruff || depends("ruff")),
            (Purpose::Lint, "flake8", flake8 || depends("flake8")),
            (Purpose::Lint, "pylint", pylint || depends("pylint")),
            (Purpose::Typecheck, "mypy", mypy || depends("mypy")),
            (Purpose::Typecheck, "pyright", pyright || depends("pyright")),
        ];
        for (purpose, program, _) in takes.iter().filter(|(.., wanted)| *wanted) {
            found.take(*purpose, program);
        }
        self.python_commands(found);
    }

    /// The files of tests here and in `tests`.
    fn tests(&self) -> Vec<String> {
        let is_test = |name: &String| name.starts_with("test") && name.ends_with(".py");
        let here = self.facts.starting("test_").map(str::to_owned).filter(is_test);
        let inside = self.facts.inside("tests").into_iter().filter(is_test);
        here.chain(inside.map(|name| format!("tests/{name}"))).collect()
    }

    /// Whether a file of tests imports pytest, or has tests that are functions by themselves:
    /// unittest runs none of these and says "OK".
    fn is_for_pytest(&self, name: &str) -> bool {
        let starts = ["def test", "async def test", "import pytest", "from pytest import"];
        let text = self.facts.read(name).unwrap_or_default();
        text.lines().any(|line| starts.iter().any(|start| line.starts_with(start)))
    }

    /// What Python itself or the package manager does.
    fn python_commands(&self, found: &mut Candidate) {
        let python = found.start.words("python3").join(" ");
        let line = match self.tests() {
            _ if self.facts.has("manage.py") => Some("manage.py test"),
            tests if tests.iter().any(|name| name.starts_with("tests/")) => {
                Some("-m unittest discover -s tests -t .")
            }
            tests if tests.is_empty() => None,
            _ => Some("-m unittest discover"),
        };
        if let Some(line) = line {
            let tests = found.commands.entry(Purpose::Test);
            tests.or_insert_with(|| format!("{python} {line}"));
        }
        let builds = self.table.contains_key("build-system") || self.facts.has("setup.py");
        let (build, install) = match found.manager {
            "poetry" => ("poetry build".to_owned(), "poetry install".to_owned()),
            "uv" => ("uv build".to_owned(), "uv sync".to_owned()),
            _ if self.facts.has("requirements.txt") => (
                format!("{python} -m build"),
                format!("{python} -m pip install -r requirements.txt"),
            ),
            _ => (format!("{python} -m build"), format!("{python} -m pip install -e .")),
        };
        if builds {
            found.commands.insert(Purpose::Build, build);
        }
        let named = self.table.contains_key("project") || self.facts.has("requirements.txt");
        if builds || named || found.manager != "pip" {
            found.commands.insert(Purpose::Install, install);
        }
    }
}

/// The settings of a tool in `pyproject.toml`.
fn tool<'t>(table: &'t Table, name: &str) -> Option<&'t Value> {
    table.get("tool")?.get(name)
}

/// The names of the sections of an INI file.
struct Sections(BTreeSet<String>);

impl Sections {
    fn of(facts: &Facts<'_>, name: &str) -> Self {
        let text = facts.text(name).unwrap_or_default();
        let section = |line: &str| {
            Some(line.trim_end().strip_prefix('[')?.split(']').next()?.trim().to_lowercase())
        };
        Self(text.lines().filter_map(section).collect())
    }

    fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

/// The names of everything the project asks for, also for its development.
fn requirements(facts: &Facts<'_>, table: &Table) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let project = table.get("project");
    let lists = [
        project.and_then(|p| p.get("dependencies")),
        project.and_then(|p| p.get("optional-dependencies")),
        table.get("dependency-groups"),
        tool(table, "uv").and_then(|uv| uv.get("dev-dependencies")),
    ];
    for value in lists.into_iter().flatten() {
        strings(value, &mut all);
    }
    if let Some(poetry) = tool(table, "poetry") {
        let groups = poetry.get("group").and_then(Value::as_table).into_iter().flatten();
        let groups = groups.filter_map(|(_, group)| group.get("dependencies"));
        let own = [poetry.get("dependencies"), poetry.get("dev-dependencies")];
        for table in own.into_iter().flatten().chain(groups).filter_map(Value::as_table) {
            all.extend(table.keys().map(|name| normal(name)));
        }
    }
    let files: Vec<String> = facts.starting("requirements").map(str::to_owned).collect();
    for name in files.iter().filter(|name| name.ends_with(".txt")).take(10) {
        let text = facts.text(name).unwrap_or_default();
        all.extend(text.lines().map(normal).filter(|name| !name.is_empty()));
    }
    all
}

fn strings(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => drop(into.insert(normal(text))),
        Value::Array(list) => list.iter().for_each(|value| strings(value, into)),
        Value::Table(table) => table.values().for_each(|value| strings(value, into)),
        _ => {}
    }
}

/// The name that a requirement begins with, as the index of packages spells it.
fn normal(requirement: &str) -> String {
    let requirement = requirement.trim_start();
    let end = requirement.find(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c));
    requirement[..end.unwrap_or(requirement.len())].to_lowercase().replace(['_', '.'], "-")
}
