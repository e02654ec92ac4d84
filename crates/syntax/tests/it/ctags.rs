//! Symbols against those of Universal Ctags, on sources that nobody wrote for this test.
//!
//! What ctags finds is looked up among our symbols by name and line. What may be missed stands in
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
    /// The least share of ctags' definitions that must be found, in percent.
    floor: f64,
}

const COMPARISONS: &[Comparison] = &[
    Comparison { language: Language::Rust, name: "Rust", sources: registry, apart: &[], floor: 0.0 },
    Comparison { language: Language::C, name: "C", sources: registry, apart: &[], floor: 0.0 },
    Comparison { language: Language::Cpp, name: "C++", sources: system, apart: &[], floor: 0.0 },
    Comparison { language: Language::Python, name: "Python", sources: python, apart: &[], floor: 0.0 },
    Comparison { language: Language::JavaScript, name: "JavaScript", sources: system, apart: &[], floor: 0.0 },
    Comparison { language: Language::Java, name: "Java", sources: java, apart: &[], floor: 0.0 },
    Comparison { language: Language::Php, name: "PHP", sources: system, apart: &[], floor: 0.0 },
    Comparison { language: Language::Bash, name: "Sh", sources: system, apart: &[], floor: 0.0 },
    Comparison { language: Language::Go, name: "Go", sources: system, apart: &[], floor: 0.0 },
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
    let folder = output("python3", &["-c", "import sysconfig; print(sysconfig.get_path('stdlib'))"]);
    files(Path::new(folder.trim()))
}

/// The library of a JDK, where its sources are installed.
fn java() -> Vec<PathBuf> {
    let unpack = "import sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
for n in [n for n in z.namelist() if '/java/util/' in n][:300]: z.extract(n, sys.argv[2])";
    let zips = files(Path::new("/usr/lib/jvm"));
    let Some(zip) = zips.iter().find(|f| f.ends_with("lib/src.zip")) else { return Vec::new() };
    let folder = std::env::temp_dir().join(format!("kitbag-java-{}", std::process::id()));
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
        let script = by_name.is_none() && language == Language::Bash && path.starts_with("/usr/bin");
        (script || by_name == Some(language) || by_name == Some(Language::C) && language == Language::Cpp)
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

struct Tag {
    name: String,
    line: u64,
    kind: String,
    path: String,
}

fn tags(comparison: &Comparison, files: &[(PathBuf, Vec<u8>)]) -> Vec<Tag> {
    let force = format!("--language-force={}", comparison.name);
    let mut arguments =
        vec!["--options=NONE", "--output-format=json", "--fields=+nK", "--extras=-F", "-f", "-", &force];
    arguments.extend(files.iter().filter_map(|(path, _)| path.to_str()));
    let text = output("ctags", &arguments);
    let tags = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    tags.filter_map(|tag| {
        Some(Tag {
            name: tag["name"].as_str()?.to_owned(),
            line: tag["line"].as_u64()?,
            kind: tag["kind"].as_str()?.to_owned(),
            path: tag["path"].as_str()?.to_owned(),
        })
    })
    .collect()
}

/// `operator ()` and `operator()` are one name.
fn bare(name: &str) -> String {
    name.chars().filter(|c| !c.is_whitespace()).collect()
}

#[test]
fn what_ctags_finds_is_found() {
    if output("ctags", &["--version"]).is_empty() {
        eprintln!("SKIPPED: no ctags here; install universal-ctags");
        return;
    }
    let mut failures = Vec::new();
    for comparison in COMPARISONS {
        let files = sample(comparison.language, (comparison.sources)());
        if files.is_empty() {
            eprintln!("SKIPPED: no sources of {} here", comparison.name);
            continue;
        }
        let mut ours = HashSet::new();
        for (path, bytes) in &files {
            let parsed = GRAMMARS.parse(comparison.language, bytes, &|| false).unwrap();
            for symbol in parsed.symbols().unwrap() {
                ours.insert((path.to_str().unwrap().to_owned(), symbol.line as u64, bare(&symbol.name)));
            }
        }
        let apart: BTreeSet<&str> = comparison.apart.iter().map(|(kind, _)| *kind).collect();
        let (mut all, mut found) = (0, 0);
        let mut missed: BTreeMap<String, Vec<Tag>> = BTreeMap::new();
        for tag in tags(comparison, &files) {
            if apart.contains(tag.kind.as_str()) || tag.name.starts_with("__anon") {
                continue;
            }
            all += 1;
            if ours.contains(&(tag.path.clone(), tag.line, bare(&tag.name))) {
                found += 1;
            } else {
                missed.entry(tag.kind.clone()).or_default().push(tag);
            }
        }
        let share = 100.0 * f64::from(found) / f64::from(all.max(1));
        eprintln!(
            "{}: {found} of {all} definitions of ctags in {} files found ({share:.1} %)",
            comparison.name,
            files.len(),
        );
        for (kind, tags) in &missed {
            eprintln!("  {} missed of kind {kind}", tags.len());
            for tag in tags.iter().take(25) {
                eprintln!("    {} {}:{}", tag.name, tag.path, tag.line);
            }
        }
        if share < comparison.floor {
            failures.push(format!("{}: {share:.1} % < {} %", comparison.name, comparison.floor));
        }
    }
    assert!(failures.is_empty(), "{failures:?}");
}
