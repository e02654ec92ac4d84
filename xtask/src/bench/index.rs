//! Ranked search over the sources of crates: building the index, a question, a look for changes.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use index::{Index, Search};
use toolkit::fault::{Cancel, Error};
use toolkit::files::search::list_files;
use toolkit::files::{Limits, State, Workspace};

use super::{Figure, ms, quantiles};
use crate::{Result, output, test};

/// How much each corpus is to have: a project of usual size, and a large one.
const CORPORA_KIB: [usize; 2] = [5_500, 40_000];
/// Questions whose times are compared.
const QUESTIONS: [&str; 5] = [
    "try again when the server does not answer",
    "parse a date from text",
    "hash map insert",
    "RESOLVE_BENEATH",
    "which characters may stand in a name",
];

pub(super) fn measure() -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for kib in CORPORA_KIB {
        figures.extend(measure_one(&corpus(kib)?)?);
    }
    Ok(figures)
}

fn measure_one(sources: &Path) -> Result<Vec<Figure>> {
    let state = test::target()?.join("bench-index-state");
    let _ = std::fs::remove_dir_all(&state);
    let fail = |e: Error| e.to_string();
    let limits = Limits::default();
    let workspace = Workspace::open(sources, &[], limits).map_err(fail)?;
    let index = Index::new(State::new(&state));
    let cancel = Cancel::default();
    let ask = |index: &Index, query| {
        let search = Search { query, dir: ".", tests: true, docs: true, max: 20 };
        let started = Instant::now();
        let answer = index.search(&workspace, &search, &cancel).map_err(fail)?;
        Ok::<_, String>((started.elapsed(), answer))
    };
    let (build, answer) = ask(&index, QUESTIONS[0])?;
    let lines = lines(sources)?;
    println!("{lines} lines; {:?}", answer.note);
    let mut files = 0;
    let (mut whole, mut walk, mut own) = (Vec::new(), Vec::new(), Vec::new());
    for query in QUESTIONS.iter().cycle().take(60) {
        let started = Instant::now();
        let seen =
            list_files(&workspace, ".", workspace.limits().index_files, &cancel).map_err(fail)?;
        let walked = started.elapsed();
        let (time, _) = ask(&index, query)?;
        whole.push(time);
        walk.push(walked);
        files = seen.files.len();
        own.push(time.saturating_sub(walked));
    }
    let (open, _) = ask(&Index::new(State::new(&state)), QUESTIONS[0])?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    let rate = lines as f64 / build.as_secs_f64() / cores;
    let own = quantiles(own).0;
    let say = Figure::alone;
    Ok(vec![
        say(
            format!("search index of {lines} lines: built and kept"),
            format!("{rate:.0} lines a second and core"),
            "≥ 20,000",
            Some(rate >= 20_000.0),
        ),
        say(
            "a question to it, without the look for changes".into(),
            ms(own),
            "≤ 2 ms",
            Some(own <= Duration::from_millis(2)),
        ),
        say(
            format!("the look for changes in {files} files before each question"),
            ms(quantiles(walk).0),
            "",
            None,
        ),
        say("a question as a whole".into(), ms(quantiles(whole).0), "", None),
        say("the first question of the next server".into(), ms(open), "", None),
    ])
}

/// Some of the crates that cargo has unpacked on this machine: the first by name.
fn corpus(kib: usize) -> Result<PathBuf> {
    let corpus = test::target()?.join(format!("bench-index-corpus-{kib}"));
    if !corpus.is_dir() {
        let (from, into) = (super::search::sources()?, corpus.display().to_string());
        let line = format!(
            "mkdir '{into}' && cd '{}' && for c in */*/; do \
             test $(du -sk '{into}' | cut -f1) -gt {kib} || cp -r \"$c\" '{into}'; done",
            from.display()
        );
        output("sh", &["-ec", &line])?;
    }
    Ok(corpus)
}

/// Lines of the files that an index takes.
fn lines(folder: &Path) -> Result<usize> {
    let line =
        format!("find '{}' -type f -size -1024k -print0 | xargs -0 cat | wc -l", folder.display());
    output("sh", &["-c", &line])?.trim().parse().map_err(|e| format!("wc: {e}"))
}
