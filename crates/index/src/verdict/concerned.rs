//! The files that may use what a change took away, and the tests that concern it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fault::{Cancel, Result};
use files::Workspace;
use files::search::{Grep, Hit};
use syntax::Language;

use super::paths;
use super::sources::{Sources, may_import};
use super::uses::has_word;
use super::{MOST_LINES, MOST_NAMES, SHORTEST, Touched, lost};
use crate::place::{is_foreign, is_test};
use crate::symbols::language_of;

/// A name in more files of tests than this says nothing about which of them are concerned.
const COMMON: usize = 10;
/// Files of tests whose imports are read.
const MOST_READ: usize = 12;
/// Files of tests that are told.
const MOST_TESTS: usize = 3;
/// Files that use what was changed and whose tests are looked for.
const MOST_BETWEEN: usize = 5;
/// Names that tests have of their own.
const OF_ANY: [&str; 19] = [
    "add", "app", "check", "close", "create", "get", "init", "load", "main", "new", "open",
    "print", "run", "set", "setUp", "setup", "start", "test", "update",
];

/// Lines that have one of these names, or bring in a file that went, by their files.
pub(super) fn lines_with(
    workspace: &Workspace,
    touched: &[Touched<'_>],
    (gone, changed): (&BTreeSet<&str>, &[&str]),
    stop: &Cancel,
) -> Result<Vec<Hit>> {
    let is_plain = |name: &&str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let rare = changed.iter().copied().filter(|name| !OF_ANY.contains(name));
    let words: BTreeSet<&str> = gone.iter().copied().chain(rare).filter(is_plain).collect();
    let words: Vec<&str> = words.into_iter().collect();
    let words = (!words.is_empty()).then(|| {
        let bound = bound(words.iter().all(|word| word.is_ascii()));
        format!("{bound}(?:{}){bound}", words.join("|"))
    });
    let away = |file: &Touched<'_>| lost::is_away(file, touched);
    let imports = modules(touched.iter().map(|file| (file.path, away(file))));
    // What a package has is brought in from beside by no name of it.
    let is_package = |file: &Touched<'_>| file.path.ends_with("__init__.py");
    let beside = touched.iter().any(is_package).then(|| r"from \.+ import".to_owned());
    let all = words.iter().chain(&imports).chain(&beside);
    let patterns: Vec<&str> = all.map(String::as_str).collect();
    if patterns.is_empty() {
        return Ok(Vec::new());
    }
    let pattern = patterns.join("|");
    let mut hits =
        files::search::grep(workspace, &Grep::new(&pattern, ".", MOST_LINES), stop)?.hits;
    hits.retain(|hit| !is_foreign(Path::new(&*hit.shown)));
    Ok(hits)
}

/// Where a word ends. An automaton of what all of Unicode calls a letter takes milliseconds to be made;
/// a word of ASCII ends beside other letters, too, which finds more lines and loses none.
fn bound(is_ascii: bool) -> &'static str {
    if is_ascii { r"(?-u:\b)" } else { r"\b" }
}

/// Patterns of the lines that bring in files, by names that may be short or common; of those that are
/// not there any more, by every line that has them.
fn modules<'p>(files: impl Iterator<Item = (&'p str, bool)>) -> Vec<String> {
    let names: BTreeSet<String> = files
        .flat_map(|(path, is_away)| {
            let module = if is_away { paths::entrance(path) } else { paths::module(path) };
            let names = [module, paths::stem(path)];
            let names = names
                .into_iter()
                .flatten()
                .filter(|name| name.chars().all(|c| c.is_alphanumeric() || "_-".contains(c)));
            names.map(move |name| {
                let bound = bound(name.is_ascii());
                match name.len() >= SHORTEST && is_away {
                    true => format!("{bound}{name}{bound}"),
                    false => format!(
                        r#"(?:['"/.]|(?:import|from|mod|use)[ \t](?:(?-u:.)*{bound})?){name}{bound}"#
                    ),
                }
            })
        })
        .collect();
    names.into_iter().take(MOST_NAMES).collect()
}

/// The files of tests that say most of what was changed: those that bring it in, those with its
/// names, which count the more the fewer files have them; without such, those that bring in what
/// uses it.
pub(super) fn tests(
    sources: &Sources<'_>,
    by_file: &BTreeMap<&str, Vec<&Hit>>,
    changed: &[&str],
    stop: &Cancel,
) -> Result<Vec<String>> {
    let touched = sources.touched;
    let is_touched = |path: &str| touched.iter().any(|file| file.path == path);
    let tests = by_file.iter().filter(|(path, _)| is_test(Path::new(path)) && !is_touched(path));
    let tests: Vec<_> = tests.collect();
    let homes: Vec<&str> = touched.iter().map(|file| file.path).collect();
    let (mut scores, mut read): (BTreeMap<&str, f64>, usize) = Default::default();
    for name in changed {
        let has = |hits: &[&Hit]| hits.iter().any(|hit| has_word(&hit.text, name));
        let have = tests.iter().filter(|(_, hits)| has(hits));
        let have: Vec<&str> = have.map(|(path, _)| **path).collect();
        if have.len() <= COMMON {
            let score = 1.0 / have.len() as f64;
            have.iter().for_each(|path| *scores.entry(path).or_default() += score);
        }
    }
    let mut ranked: Vec<(bool, f64, &str)> = Vec::new();
    for (path, hits) in tests {
        stop.check()?;
        let score = scores.get(path).copied().unwrap_or_default();
        let Some(text) = sources.text(path) else { continue };
        let mine = homes.iter().filter(|home| may_import(path, &text, home));
        let mine: Vec<&str> = mine.copied().collect();
        let mut brings = false;
        if !mine.is_empty() && read < MOST_READ {
            read += 1;
            brings = sources.tests((path, &text), &mine, changed);
        }
        let is_strict = language_of(path, &text).is_some_and(Language::imports_names);
        let says = |name: &&&str| {
            let is_distinct = super::gone::is_distinct(name);
            let is_rare = if is_strict { is_distinct } else { !OF_ANY.contains(*name) };
            is_rare && hits.iter().any(|hit| has_word(&hit.text, name))
        };
        if brings || score > 0.0 && changed.iter().any(|name| says(&name)) {
            ranked.push((brings, score, path));
        }
    }
    ranked.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(b.2)));
    let mut all: Vec<String> = ranked.into_iter().map(|(.., path)| path.to_owned()).collect();
    if all.is_empty() {
        all = beyond(sources, by_file, changed, stop)?;
    }
    all.truncate(MOST_TESTS);
    Ok(all)
}

/// The tests of files that bring in what was changed and have one of its names.
fn beyond(
    sources: &Sources<'_>,
    by_file: &BTreeMap<&str, Vec<&Hit>>,
    changed: &[&str],
    stop: &Cancel,
) -> Result<Vec<String>> {
    let homes: Vec<&str> = sources.touched.iter().map(|file| file.path).collect();
    let modules: Vec<&str> = homes.iter().filter_map(|home| paths::module(home)).collect();
    let uses_it = |hits: &[&Hit]| {
        let mut names = changed.iter().filter(|name| !modules.contains(name));
        names.any(|name| {
            hits.iter().any(|hit| has_word(&hit.text, name) && !only_passes_on(&hit.text, name))
        })
    };
    let mut between: Vec<&str> = Vec::new();
    for (path, hits) in by_file {
        stop.check()?;
        let is_other = !is_test(Path::new(path)) && !homes.contains(path);
        if between.len() == MOST_BETWEEN || !is_other || !uses_it(hits) {
            continue;
        }
        let Some(text) = sources.text(path) else { continue };
        if homes.iter().any(|home| may_import(path, &text, home))
            && sources.tests((path, &text), &homes, changed)
        {
            between.push(path);
        }
    }
    let pattern = self::modules(between.iter().map(|path| (*path, false))).join("|");
    if pattern.is_empty() {
        return Ok(Vec::new());
    }
    let lines = Grep::new(&pattern, ".", MOST_LINES);
    let hits = files::search::grep(sources.workspace, &lines, stop)?.hits;
    let paths: BTreeSet<&str> = hits.iter().map(|hit| &*hit.shown).collect();
    let mut found = Vec::new();
    let is_it = |path: &&str| is_test(Path::new(path)) && !is_foreign(Path::new(path));
    for path in paths.into_iter().filter(is_it).take(MOST_READ) {
        stop.check()?;
        let Some(text) = sources.text(path) else { continue };
        if between.iter().any(|home| may_import(path, &text, home))
            && sources.tests((path, &text), &between, &[])
        {
            found.push(path.to_owned());
        }
    }
    Ok(found)
}

/// Whether a line brings a name in, or lets others do so, and makes nothing of it.
fn only_passes_on(line: &str, name: &str) -> bool {
    let line = line.trim();
    let leads =
        ["import ", "from ", "use ", "pub use ", "export {", "export *", "#include", "mod "];
    leads.iter().any(|lead| line.starts_with(lead)) || line.trim_end_matches(',') == name
}
