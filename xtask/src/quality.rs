//! `cargo xtask search-quality`: how well ranked search finds what was meant.
//!
//! Sentences are the first of the comments of functions, with the comment cut out of the corpus;
//! questions were written by hand (`xtask/search/questions.txt`). Neither was used to choose or to
//! fit anything: that was done on other packages.

mod measure;
mod packages;
mod pairs;
mod sentences;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use index::{Fields, Tuning, Weights};
use syntax::Grammars;

use crate::{Result, root, test};
use measure::{Asked, Scores};
pub(crate) use pairs::distill;
use sentences::Commented;

/// Sentences of each language.
const OF_EACH: usize = 50;

pub(crate) fn run(words: &[&str]) -> Result {
    match words {
        [] => report(),
        ["choose"] => choose(),
        _ => Err("search-quality takes nothing, or `choose`".to_owned()),
    }
}

/// Measures what ships beside its parts and writes the page.
fn report() -> Result {
    let (corpus, sentences) = cut_out("measure")?;
    let list = root().join("xtask/search/questions.txt");
    let text = fs::read_to_string(&list).map_err(|e| format!("{}: {e}", list.display()))?;
    let questions: Option<Vec<Asked>> =
        text.lines().filter(|line| !line.starts_with('#')).map(Asked::read).collect();
    let questions =
        questions.ok_or_else(|| format!("{}: not `file:1-2 question`", list.display()))?;
    if let Some(gone) = questions.iter().find(|one| !corpus.join(&one.path).is_file()) {
        return Err(format!("{}: no such file in the corpus", gone.path));
    }
    let ways = [("plain BM25", plain()), ("table alone", table()), ("joined", Tuning::default())];
    let mut page = String::new();
    for (what, asked) in [("sentences", &sentences), ("questions", &questions)] {
        let _ = writeln!(
            page,
            "## {} {what}\n\n| | file NDCG@10 | file MRR | lines NDCG@10 | lines MRR |\n|---|---|---|---|---|",
            asked.len()
        );
        let mut first: Option<Scores> = None;
        for (name, tuning) in ways {
            let scores = measure::run(&corpus, &tuning, asked)?;
            let plain = *first.get_or_insert(scores);
            let cell = |(ours, plain): (f64, f64)| {
                format!("{ours:.3} ({:+.1} %)", 100.0 * (ours / plain - 1.0))
            };
            let cells = scores.columns().into_iter().zip(plain.columns()).map(cell);
            let _ = writeln!(page, "| {name} | {} |", cells.collect::<Vec<_>>().join(" | "));
        }
        page.push('\n');
    }
    let files =
        crate::output("find", &[&corpus.display().to_string(), "-type", "f"])?.lines().count();
    let notes = fs::read_to_string(root().join("docs/search-quality-notes.md")).unwrap_or_default();
    let page = format!(
        "<!-- Written by `cargo xtask search-quality`; the notes below are docs/search-quality-notes.md. -->\n\
         # Search quality\n\nMeasured on {files} files of the packages marked `measure` in \
         `xtask/search/packages.txt`. In brackets: against plain BM25.\n\n{page}{notes}"
    );
    println!("{page}");
    fs::write(root().join("docs/search-quality.md"), page).map_err(|e| e.to_string())
}

/// BM25 over the text alone.
fn plain() -> Tuning {
    Tuning { fields: Fields { name: 0, path: 0 }, weights: words_alone() }
}

/// BM25 and nothing that is ours.
fn words_alone() -> Weights {
    let none = Weights { meaning: 0.0, between: 0.0, file: 0.0, name: 0.0, ..Weights::default() };
    Weights { filler: 1.0, long: 0.0, test: 1.0, documentation: 1.0, ..none }
}

fn table() -> Tuning {
    let weights = Weights { meaning: 1.0, ..words_alone() };
    Tuning { fields: Fields { name: 0, path: 0 }, weights }
}

fn choose() -> Result {
    let (corpus, asked) = cut_out("choose")?;
    let masked: Vec<Asked> = asked.iter().map(Asked::masked).collect();
    println!("{} sentences", asked.len());
    let try_out = |what: &str, tuning: Tuning| -> Result {
        let a = measure::run(&corpus, &tuning, &asked)?;
        let b = measure::run(&corpus, &tuning, &masked)?;
        println!("{what:40} sentences {a}   without the name {b}");
        Ok(())
    };
    try_out("plain", plain())?;
    try_out("table", table())?;
    try_out("joined", Tuning::default())?;
    for length in [0.4, 0.6] {
        let weights = Weights { length, ..plain().weights };
        try_out(&format!("plain, length {length}"), Tuning { weights, ..plain() })?;
        for meaning in [0.5, 0.6, 0.7] {
            let weights = Weights { meaning, length, ..Weights::default() };
            try_out(
                &format!("meaning {meaning} length {length}"),
                Tuning { weights, ..Tuning::default() },
            )?;
        }
    }
    for (name, path) in [(0, 0), (2, 1), (4, 1), (4, 2)] {
        let fields = Fields { name, path };
        try_out(&format!("name {name} path {path}"), Tuning { fields, ..Tuning::default() })?;
    }
    for between in [0.0, 0.2, 0.6] {
        let weights = Weights { between, ..Weights::default() };
        try_out(&format!("between {between}"), Tuning { weights, ..Tuning::default() })?;
    }
    let ours = Weights::default();
    let file = [0.0, 0.1, 0.3].map(|file| ("file", file, Weights { file, ..ours }));
    let filler = [0.1, 0.6, 1.0].map(|filler| ("filler", filler, Weights { filler, ..ours }));
    let name = [0.0, 0.05, 0.2].map(|name| ("name", name, Weights { name, ..ours }));
    let long = [0.0, 0.05, 0.2].map(|long| ("long", long, Weights { long, ..ours }));
    let test = [0.5, 0.9, 1.0].map(|test| ("test", test, Weights { test, ..ours }));
    for (what, value, weights) in [file, filler, name, long, test].concat() {
        try_out(&format!("{what} {value}"), Tuning { weights, ..Tuning::default() })?;
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
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&copy, text))
            .map_err(|e| format!("{shown}: {e}"))
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
        text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)
        })
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
