//! Symbols against those of Universal Ctags, on sources that nobody wrote for this test.
//!
//! What ctags finds is looked up among our symbols by name and line. What may be missed is in
//! the table below, with the reason; the rest has a floor.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use syntax::{Language, Role};

use crate::{GRAMMARS, go_on};

/// Most files of a language.
const FILES: usize = 60;
/// Largest file that is compared, in bytes.
const BYTES: u64 = 150_000;

struct Comparison {
    language: Language,
    /// What ctags calls it.
    name: &'static str,
    sources: fn() -> Vec<PathBuf>,
    /// Kinds of ctags that are no symbols here, and why.
    apart: &'static [(&'static str, &'static str)],
    /// Whether ctags lists local variables there; those that we know as such are left out.
    locals: bool,
    /// The least share of the other definitions that must be found, in percent; and why not all.
    floor: f64,
    missing: &'static str,
}

const COMPARISONS: &[Comparison] = &[
    Comparison {
        language: Language::Rust,
        name: "Rust",
        sources: registry,
        apart: &[("implementation", "an impl is no name of its own; its methods say the type")],
        locals: true,
        floor: 99.0,
        missing: "statics inside the tokens of a macro call, such as thread_local!",
    },
    Comparison {
        language: Language::C,
        name: "C",
        sources: registry,
        apart: &[],
        locals: false,
        floor: 98.0,
        missing: "ctags takes a macro before a member (SQLITE_CDECL) for its name; a type with an \
                  attribute before its name; code that only a run of the preprocessor makes valid",
    },
    Comparison {
        language: Language::Cpp,
        name: "C++",
        sources: system,
        apart: &[],
        locals: false,
        floor: 93.0,
        missing: "names made of macros, and what follows a macro that stands for a brace or an \
                  attribute (_GLIBCXX_BEGIN_NAMESPACE_VERSION): the tree is broken there",
    },
    Comparison {
        language: Language::Python,
        name: "Python",
        sources: python,
        apart: &[
            ("namespace", "a name given to an import, a reference of role import"),
            ("unknown", "a name brought in by an import, a reference of role import"),
        ],
        locals: false,
        floor: 98.0,
        missing: "later assignments to a variable of a module: only the first defines it",
    },
    Comparison {
        language: Language::JavaScript,
        name: "JavaScript",
        sources: system,
        apart: &[(
            "property",
            "a key of an object literal is data, unless its value is a function",
        )],
        locals: true,
        floor: 90.0,
        missing: "keys of objects that ctags calls fields, and objects that it calls classes",
    },
    Comparison {
        language: Language::Java,
        name: "Java",
        sources: java,
        apart: &[],
        locals: false,
        floor: 98.0,
        missing: "",
    },
    Comparison {
        language: Language::Php,
        name: "PHP",
        sources: system,
        apart: &[("alias", "a name brought in by use, a reference of role import")],
        locals: false,
        floor: 98.0,
        missing: "constants that a function defines when it runs",
    },
    Comparison {
        language: Language::Bash,
        name: "Sh",
        sources: system,
        apart: &[("heredoc", "the mark at the end of a text is no symbol")],
        locals: false,
        floor: 85.0,
        missing: "lines of a here-document and array assignments that ctags takes for functions; \
                  a function whose body the grammar cannot read, such as `[ \"$A\" \"$B\" ]`",
    },
    Comparison {
        language: Language::Go,
        name: "Go",
        sources: system,
        apart: &[("anonMember", "an embedded type is a reference, not a name")],
        locals: false,
        floor: 98.0,
        missing: "",
    },
];

/// The sources of our dependencies.
fn registry() -> Vec<PathBuf> {
    let metadata = output(env!("CARGO"), &["metadata", "--format-version", "1", "--offline"]);
    let metadata: Value = serde_json::from_str(&metadata).unwrap_or_default();
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    let foreign = packages.iter().filter(|p| p["source"].is_string());
    let folders = foreign.filter_map(|p| Path::new(p["manifest_path"].as_str()?).parent());
    folders.flat_map(files).collect()
}

fn python() -> Vec<PathBuf> {
    let folder =
        output("python3", &["-c", "import sysconfig; print(sysconfig.get_path('stdlib'))"]);
    files(Path::new(folder.trim()))
}

/// The library of a JDK, where its sources are installed.
fn java() -> Vec<PathBuf> {
    let unpack = "import sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
for n in [n for n in z.namelist() if '/java/util/' in n][:300]: z.extract(n, sys.argv[2])";
    let zips = files(Path::new("/usr/lib/jvm"));
    let Some(zip) = zips.iter().find(|f| f.ends_with("lib/src.zip")) else { return Vec::new() };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("java");
    output("python3", &["-c", unpack, zip.to_str().unwrap(), folder.to_str().unwrap()]);
    files(&folder)
}

fn system() -> Vec<PathBuf> {
    let folders =
        ["/usr/include", "/usr/lib", "/usr/share", "/usr/bin", "/usr/local/lib/node_modules"];
    folders.iter().flat_map(|folder| files(Path::new(folder))).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found = Vec::new();
    for entry in entries.flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => found.extend(files(&entry.path())),
            Ok(kind) if kind.is_file() => found.push(entry.path()),
            _ => {}
        }
    }
    found
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default()
}

/// Files of a language, evenly out of all.
fn sample(language: Language, mut all: Vec<PathBuf>) -> Vec<(PathBuf, Vec<u8>)> {
    all.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let by_name = Language::of(&name, b"");
        let script =
            by_name.is_none() && language == Language::Bash && path.starts_with("/usr/bin");
        (script
            || by_name == Some(language)
            || by_name == Some(Language::C) && language == Language::Cpp)
            && path.metadata().is_ok_and(|m| (200..BYTES).contains(&m.len()))
    });
    all.sort();
    let step = (all.len() / (4 * FILES)).max(1);
    let read = |path: PathBuf| {
        let bytes = std::fs::read(&path).ok()?;
        let is = Language::of(path.to_str()?, &bytes) == Some(language);
        is.then_some((path, bytes))
    };
    all.into_iter().step_by(step).filter_map(read).take(FILES).collect()
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Tag {
    path: String,
    line: usize,
    name: String,
    kind: String,
}

fn tags(comparison: &Comparison, files: &[(PathBuf, Vec<u8>)]) -> BTreeSet<Tag> {
    let force = format!("--language-force={}", comparison.name);
    let mut arguments = vec!["--options=NONE", "--output-format=json", "--fields=+nK", "-f", "-"];
    arguments.push(&force);
    arguments.extend(files.iter().filter_map(|(path, _)| path.to_str()));
    let text = output("ctags", &arguments);
    let tags = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let tag = |tag: Value| {
        let word = |key: &str| tag[key].as_str().map(str::to_owned);
        let line = usize::try_from(tag["line"].as_u64()?).ok()?;
        Some(Tag { path: word("path")?, line, name: bare(&word("name")?), kind: word("kind")? })
    };
    // What has no name gets one of numbers.
    tags.filter_map(tag)
        .filter(|t| !t.name.starts_with("__anon") && !t.name.starts_with("Anonymous"))
        .collect()
}

/// `operator ()` is `operator()`, and ctags says `run` for `#run`.
fn bare(name: &str) -> String {
    name.chars().filter(|c| !c.is_whitespace() && *c != '#').collect()
}

/// Paths, lines and names of our symbols, and of what we know to be local.
type Names = HashSet<(String, usize, String)>;

fn ours(language: Language, files: &[(PathBuf, Vec<u8>)]) -> (Names, Names) {
    let (mut symbols, mut locals) = (Names::new(), Names::new());
    for (path, bytes) in files {
        let path = path.to_str().unwrap();
        let parsed = GRAMMARS.parse(language, bytes, &go_on).unwrap();
        for s in parsed.symbols().unwrap() {
            symbols.insert((path.to_owned(), s.line, bare(&s.name)));
        }
        for r in parsed.references(None).unwrap() {
            if matches!(r.role, Role::Definition | Role::Import) {
                locals.insert((path.to_owned(), r.line, bare(&r.name)));
            }
        }
    }
    (symbols, locals)
}

/// A sentence if too little was found.
fn compare(comparison: &Comparison, files: &[(PathBuf, Vec<u8>)]) -> Option<String> {
    let (symbols, locals) = ours(comparison.language, files);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut missed = Vec::new();
    for tag in tags(comparison, files) {
        let key = (tag.path.clone(), tag.line, tag.name.clone());
        let what = if comparison.apart.iter().any(|(kind, _)| *kind == tag.kind) {
            "of other kinds"
        } else if symbols.contains(&key) {
            "found"
        } else if comparison.locals && locals.contains(&key) {
            "local or imported"
        } else {
            missed.push(tag);
            "missed"
        };
        *counts.entry(what).or_default() += 1;
    }
    let found = counts.get("found").copied().unwrap_or_default();
    let share = 100.0 * found as f64 / (found + missed.len()).max(1) as f64;
    println!("{}: {share:.1} % in {} files, {counts:?}", comparison.name, files.len());
    for (kind, why) in comparison.apart {
        println!("  apart, {kind}: {why}");
    }
    println!("  missing: {}", comparison.missing);
    for tag in &missed {
        println!("    {} {} {}:{}", tag.kind, tag.name, tag.path, tag.line);
    }
    (share < comparison.floor)
        .then(|| format!("{}: {share:.1} % of at least {} %", comparison.name, comparison.floor))
}

#[test]
fn what_ctags_finds_is_found() {
    if !output("ctags", &["--version"]).contains("Universal") {
        println!("SKIPPED: no ctags here; install universal-ctags");
        return;
    }
    let mut failures = Vec::new();
    for comparison in COMPARISONS {
        let files = sample(comparison.language, (comparison.sources)());
        if files.is_empty() {
            println!("SKIPPED: no sources of {} here", comparison.name);
            continue;
        }
        failures.extend(compare(comparison, &files));
    }
    assert!(failures.is_empty(), "{failures:?}");
}
