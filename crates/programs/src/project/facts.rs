//! What is in a directory: names, and manifests read in bounds, each trouble noted once.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Read as _;

use fault::{Cancel, Code, Result, cut};
use files::search::{Find, Ignore, Kinds, find};
use files::workspace::{self, Workspace, unquote};
use serde_json::Value;

use super::Kind;

/// Largest manifest that is read, in bytes. Those of real projects have a few kilobytes.
const MANIFEST_BYTES: u64 = 1 << 20;

/// Directories below that are looked into.
const BELOW: usize = 200;

/// Projects below that are named.
const NAMED: usize = 12;

/// Sources that are counted to tell kinds apart.
const COUNTED: usize = 5000;

/// Directories that hold what nobody wrote by hand.
const MADE: &[&str] = &["node_modules", "vendor", "target", "dist", "build", "venv", "__pycache__"];

/// One of these alone makes a directory a project.
const MANIFESTS: &[(&str, Kind)] = &[
    ("Cargo.toml", Kind::Rust),
    ("go.mod", Kind::Go),
    ("package.json", Kind::Node),
    ("pyproject.toml", Kind::Python),
    ("setup.py", Kind::Python),
];

/// Names, or beginnings of names if they end in `*`, of files that configure a project.
const CONFIG: &[&str] = &[
    "Cargo.lock",
    "Cargo.toml",
    "rust-toolchain*",
    "rustfmt.toml",
    ".rustfmt.toml",
    "clippy.toml",
    ".clippy.toml",
    "deny.toml",
    "go.mod",
    "go.sum",
    "go.work",
    ".golangci.*",
    "package.json",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    ".yarnrc*",
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "bun.lock",
    "bun.lockb",
    "bunfig.toml",
    "tsconfig*",
    "jsconfig.json",
    ".eslintrc*",
    "eslint.config.*",
    ".prettierrc*",
    "prettier.config.*",
    "biome.json*",
    "jest.config.*",
    "vitest.config.*",
    "vite.config.*",
    "webpack.config.*",
    "rollup.config.*",
    "babel.config.*",
    ".babelrc*",
    "next.config.*",
    "deno.json*",
    ".nvmrc",
    ".npmrc",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "requirements*",
    "Pipfile*",
    "poetry.lock",
    "uv.lock",
    "tox.ini",
    "pytest.ini",
    "conftest.py",
    "mypy.ini",
    ".mypy.ini",
    "pyrightconfig.json",
    "ruff.toml",
    ".ruff.toml",
    ".flake8",
    ".pylintrc",
    "pylintrc",
    "noxfile.py",
    ".python-version",
    ".pre-commit-config.yaml",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "justfile",
    "Dockerfile*",
    "docker-compose*",
    "compose.y*",
    ".editorconfig",
    "CMakeLists.txt",
    "pom.xml",
    "build.gradle*",
    "Gemfile",
    "composer.json",
    "mix.exs",
    "Package.swift",
];

/// A directory as it was found.
pub(super) struct Facts<'a> {
    workspace: &'a Workspace,
    dir: &'a str,
    names: BTreeMap<String, workspace::Kind>,
    notes: RefCell<Vec<String>>,
}

impl<'a> Facts<'a> {
    pub(super) fn look(workspace: &'a Workspace, dir: &'a str) -> Result<Self> {
        let names = workspace.list(dir)?.into_iter().map(|entry| (entry.name, entry.kind));
        Ok(Self { workspace, dir, names: names.collect(), notes: RefCell::default() })
    }

    /// Whether there is something of this name that is no directory.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|kind| *kind != workspace::Kind::Directory)
    }

    /// The first of these files that is there.
    pub(super) fn first<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        names.iter().copied().find(|name| self.has(name))
    }

    /// Names that begin so and are no directories.
    pub(super) fn starting(&self, start: &str) -> impl Iterator<Item = &str> {
        let all = self.names.keys().map(String::as_str);
        all.filter(move |name| name.starts_with(start) && self.has(name))
    }

    /// The entries of a directory below, by name; none if there is no such directory.
    pub(super) fn inside(&self, folder: &str) -> Vec<String> {
        let listed = self.workspace.list(&self.path(folder)).unwrap_or_else(|e| {
            if ![Code::DirectoryNotFound, Code::NotADirectory].contains(&e.code) {
                self.note(format!("not listed: {}", e.message));
            }
            Vec::new()
        });
        listed.into_iter().map(|entry| entry.name).collect()
    }

    fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.dir.trim_end_matches('/'))
    }

    /// The text of a file; `None` if it is not there or, which is noted, cannot be read.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        if !self.has(name) {
            return None;
        }
        self.read(name).map_err(|e| self.note(format!("not read: {}", e.message))).ok()
    }

    /// The text of a file in or below the directory.
    ///
    /// # Errors
    /// Those of reading it; `FileTooLarge`.
    pub(super) fn read(&self, name: &str) -> Result<String> {
        let opened = self.workspace.open_file(&self.path(name))?;
        let mut bytes = Vec::new();
        let mut file = opened.file.take(MANIFEST_BYTES + 1);
        file.read_to_end(&mut bytes).map_err(|e| fault::Error::io(name, &e))?;
        if bytes.len() as u64 > MANIFEST_BYTES {
            let bytes = opened.size.max(MANIFEST_BYTES + 1);
            let advice = "a manifest is smaller";
            return Err(fault::Error::file_too_large(name, bytes, MANIFEST_BYTES, advice));
        }
        Ok(files::text::decode(name, &bytes)?.into_str().into_owned())
    }

    /// A JSON manifest; an object, empty if it cannot be read as one, which is noted.
    pub(super) fn json(&self, name: &str) -> Option<Value> {
        self.has(name).then(|| {
            let parsed = self.text(name).map(|text| serde_json::from_str(&text));
            match parsed {
                Some(Ok(Value::Object(map))) => Value::Object(map),
                Some(Ok(_)) => self.broken(name, "not an object"),
                Some(Err(e)) => self.broken(name, &format!("not valid JSON: {e}")),
                None => Value::Null,
            }
        })
    }

    /// A TOML manifest; a table, empty if it cannot be read, which is noted.
    pub(super) fn toml(&self, name: &str) -> Option<toml::Table> {
        self.has(name).then(|| {
            let parsed = self.text(name).map(|text| toml::from_str(&text));
            match parsed {
                Some(Ok(table)) => table,
                Some(Err(e)) => {
                    let problem = e.message().to_owned();
                    self.broken(name, &format!("not valid TOML: {problem}"));
                    toml::Table::new()
                }
                None => toml::Table::new(),
            }
        })
    }

    fn broken(&self, name: &str, problem: &str) -> Value {
        let problem = fault::visible(problem).replace('\n', " ");
        self.note(format!("{name}: {}; what it says is not known", cut(&problem, 200)));
        Value::Null
    }

    pub(super) fn note(&self, note: String) {
        self.notes.borrow_mut().push(note);
    }

    pub(super) fn into_notes(self) -> Vec<String> {
        self.notes.into_inner()
    }

    pub(super) fn config_files(&self) -> Vec<String> {
        let is_config = |name: &str| {
            CONFIG.iter().any(|known| match known.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => name == *known,
            })
        };
        self.names.keys().filter(|name| is_config(name) && self.has(name)).cloned().collect()
    }

    /// How many sources of a kind there are in the whole tree, up to a bound.
    pub(super) fn sources(&self, kind: Kind) -> usize {
        let pattern = match kind {
            Kind::Rust => "*.rs",
            Kind::Go => "*.go",
            Kind::Node => "*.{js,jsx,mjs,cjs,ts,tsx,vue,svelte}",
            Kind::Python => "*.py",
            Kind::Unknown => return 0,
        };
        let find_sources = Find {
            pattern,
            dir: self.dir,
            names: true,
            ignore_case: false,
            kinds: Kinds::Files,
            ignore: Ignore::Standard,
            exclude: &[],
            max: COUNTED,
            recursive: true,
        };
        let found = find(self.workspace, &find_sources, &Cancel::default());
        found.map_or(0, |places| places.spots.len())
    }

    /// The projects in the directories below, in one sentence.
    pub(super) fn below(&self) -> Option<String> {
        let folders = self.names.iter().filter(|(name, kind)| {
            let made = MADE.contains(&name.as_str()) || name.starts_with('.');
            **kind == workspace::Kind::Directory && !made
        });
        let (mut named, mut more, mut unseen) = (Vec::new(), 0, 0);
        for (looked, (name, _)) in folders.enumerate() {
            if looked == BELOW {
                unseen += 1;
                break;
            }
            let real = unquote(name).and_then(|real| real.into_string().ok());
            let folder = self.path(real.as_deref().unwrap_or(name));
            let is_file = |manifest: &str| {
                let kind = self.workspace.kind(&format!("{folder}/{manifest}"));
                matches!(kind, Ok(Some(workspace::Kind::File)))
            };
            let mut kinds: Vec<_> = MANIFESTS.iter().filter(|(m, _)| is_file(m)).collect();
            kinds.dedup_by_key(|(_, kind)| *kind);
            if !kinds.is_empty() && named.len() < NAMED {
                let kinds: Vec<_> = kinds.iter().map(|(_, kind)| kind.as_str()).collect();
                named.push(format!("{name}/ ({})", kinds.join(", ")));
            } else if !kinds.is_empty() {
                more += 1;
            }
        }
        if named.is_empty() {
            return None;
        }
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let unseen = if unseen > 0 { "; not all directories were looked at" } else { "" };
        Some(format!("projects one directory below: {}{more}{unseen}", named.join(", ")))
    }
}
