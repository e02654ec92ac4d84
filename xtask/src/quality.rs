//! `cargo xtask search-quality`: how well ranked search finds what was meant.
//!
//! Sentences are the first of the comments of functions, with the comment cut out of the corpus;
//! questions were written by hand (`xtask/search/questions.txt`). Neither was used to choose or to
//! fit anything: that was done on other packages.

mod measure;
mod packages;
mod pairs;
mod sentences;

use std::fs;
use std::path::{Path, PathBuf};

use index::{Fields, Tuning, Weights};
use syntax::Grammars;

use crate::{Result, test};
use measure::{Asked, Scores};
pub(crate) use pairs::distill;
pub(crate) fn mine() -> Result { pairs::mine(&test::target()?.join("search-quality/pairs.txt")) }
use sentences::Commented;

/// Sentences of each language.
const OF_EACH: usize = 50;

pub(crate) fn run(words: &[&str]) -> Result {
    match words {
        ["choose"] => choose(),
        _ => Err("nothing else yet".to_owned()),
    }
}

/// BM25 over the text alone.
fn plain() -> Tuning {
    let weights = Weights { meaning: 0.0, ..Weights::default() };
    Tuning { fields: Fields { name: 0, path: 0 }, weights }
}

fn table() -> Tuning {
    let weights = Weights { meaning: 1.0, ..Weights::default() };
    Tuning { fields: Fields { name: 0, path: 0 }, weights }
}

fn choose() -> Result {
    let (corpus, asked) = cut_out("choose")?;
    let masked: Vec<Asked> = asked.iter().map(Asked::masked).collect();
    println!("{} sentences", asked.len());
    let report = |what: &str, tuning: Tuning| -> Result {
        let a = measure::run(&corpus, &tuning, &asked)?;
        let b = measure::run(&corpus, &tuning, &masked)?;
        println!("{what:40} sentences {a}   masked {b}");
        Ok(())
    };
    report("plain", plain())?;
    report("table", table())?;
    for (name, path) in [(0, 0), (2, 1)] {
        for meaning in [0.3, 0.5, 0.6, 0.7] {
            let weights = Weights { meaning, ..Weights::default() };
            let tuning = Tuning { fields: Fields { name, path }, weights };
            report(&format!("name {name} path {path} meaning {meaning}"), tuning)?;
        }
    }
    Ok(())
}

/// The corpus of one use without the comments that are asked for, and these.
fn cut_out(for_what: &str) -> Result<(PathBuf, Vec<Asked>)> {
    let sources = packages::sources(for_what)?;
    let corpus = test::target()?.join("search-quality").join(format!("{for_what}-cut"));
    let _ = fs::remove_dir_all(&corpus);
    let mut found = Vec::new();
    let grammars = Grammars::default();
    each_file(&sources, &mut |path| {
        let shown = path.strip_prefix(&sources).unwrap_or(path).to_string_lossy().into_owned();
        let text = fs::read_to_string(path).unwrap_or_default();
        if !shown.contains("test") {
            found.extend(sentences::commented(&grammars, path, &shown, &text));
        }
        let copy = corpus.join(&shown);
        let folder = copy.parent().unwrap_or(&corpus);
        fs::create_dir_all(folder).and_then(|()| fs::write(&copy, text)).map_err(|e| format!("{shown}: {e}"))
    })?;
    let chosen = choice(found);
    for one in &chosen {
        let path = corpus.join(&one.path);
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let blank = one.comment.0..=one.comment.1;
        let line = |(at, line)| if blank.contains(&(at + 1)) { "" } else { line };
        let text: Vec<&str> = text.lines().enumerate().map(line).collect();
        fs::write(&path, text.join("\n") + "\n").map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok((corpus, chosen.into_iter().map(Asked::of).collect()))
}

/// So many of each language, the same every time, no sentence twice.
fn choice(mut found: Vec<Commented>) -> Vec<Commented> {
    let hash = |one: &Commented| {
        let text = format!("{} {}", one.path, one.sentence);
        text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
    };
    let mut count = std::collections::HashMap::new();
    for one in &found {
        *count.entry(one.sentence.clone()).or_insert(0) += 1;
    }
    found.retain(|one| count[&one.sentence] == 1);
    found.sort_by_key(hash);
    let mut taken = std::collections::HashMap::new();
    found.retain(|one| {
        let of_language = taken.entry(one.language).or_insert(0);
        *of_language += 1;
        *of_language <= OF_EACH
    });
    found
}

fn each_file(folder: &Path, each: &mut dyn FnMut(&Path) -> Result) -> Result {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<_> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            each_file(&path, each)?;
        } else {
            each(&path)?;
        }
    }
    Ok(())
}
