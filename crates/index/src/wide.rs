//! Ranked search in a root that is too large to be read as a whole.
//!
//! The indexes of the watched root say which files hold most of the question's words, in their
//! text and in the names that they define. Only these are read and ranked, at each question.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use fault::{Cancel, Result};
use files::Workspace;
use files::search::{Known, Weigh, Weighed, Weighing, in_parallel, weigh};
use syntax::Language;

use crate::Index;
use crate::definitions::unpack_spans;
use crate::document::{Counter, Document, Lines, Reader, pieces};
use crate::place::Place;
use crate::rank::{Ranked, Ranking, Weights};
use crate::search::{Answer, Search, Tuning, hit};
use crate::table::Table;
use crate::words::{Terms, beginning, is_filler, term, words};

/// Files that are read for a question.
const FILES: usize = 24;
/// How long the indexes are waited for at the first question.
const PATIENCE: Duration = Duration::from_secs(20);
/// Longest that one file may take to parse, if what it defines is not known.
const PARSE_TIME: Duration = Duration::from_millis(500);
/// Parts of them whose meaning is looked at.
const MEANT: usize = 100;
/// How much counts what is neither code nor documentation.
const DATA: f32 = 0.6;
/// Words of questions that are in too many files to tell which ones are asked for.
const COMMON: [&str; 10] =
    ["all", "code", "done", "file", "function", "get", "implement", "not", "use", "used"];

/// What a question is about.
struct Asked<'a> {
    /// Whether a file, by its path below the root, may answer it.
    wanted: &'a (dyn Fn(&Path) -> bool + Sync),
    stems: &'a [String],
    terms: &'a Terms<'a>,
}

/// What was read of a file.
struct ReadFile {
    /// Below the root.
    rel: PathBuf,
    path: PathBuf,
    text: Lines<String>,
    /// What it says counts so much.
    weight: f32,
}

impl Index {
    /// The answer for a root that is too large; `None` if it is not, or if there will be no index.
    pub(crate) fn search_wide(
        &self,
        workspace: &Workspace,
        search: &Search<'_>,
        cancel: &Cancel,
    ) -> Result<Option<Answer>> {
        let stems = stems(search.query);
        if stems.is_empty() {
            return Ok(None);
        }
        let started = Instant::now();
        let wanted = |path: &Path| {
            let place = Place::new(path.to_owned());
            (search.tests || !place.test) && (search.docs || !place.documentation)
        };
        let weigh_by = Weigh { dir: search.dir, stems: &stems, wanted: &wanted, max: FILES };
        let weighed = loop {
            cancel.check()?;
            match weigh(workspace, &weigh_by) {
                Ok(Weighing::Done(weighed)) => break weighed,
                Ok(Weighing::Soon) if started.elapsed() < PATIENCE => {}
                // Who reads the whole root says what is wrong with it.
                _ => return Ok(None),
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        let (covered, all) = weighed.covered;
        let Tuning { fields, weights } = self.tuning;
        let mut reader = Reader::new(self.table.get_or_init(Table::new), &self.grammars, fields);
        let (terms, vector) = reader.query(search.query);
        let (files, documents): (Vec<_>, Vec<_>) = self
            .read_weighed(
                workspace,
                &weighed,
                &Asked { wanted: &wanted, stems: &stems, terms: &Terms::new(search.query, &terms) },
                cancel,
            )
            .into_iter()
            .unzip();
        cancel.check()?;
        let mut ranking = Ranking::new(documents.into_iter().map(Arc::new).collect());
        let wanted: Vec<f32> = files.iter().map(|file| file.weight).collect();
        // What they mean is looked at only of those that have the words.
        let words = Weights { meaning: 0.0, ..weights };
        for ranked in ranking.rank(&terms, &vector, &words, &wanted, MEANT).0 {
            let (file, chunk) = (&files[ranked.document], ranking.chunk(&ranked));
            let lines = chunk.lines.0 as usize..=chunk.lines.1 as usize;
            let path = file.rel.to_string_lossy();
            let vector = reader.vector(&chunk.name, &path, file.text.of(&lines));
            ranking.point(&ranked, vector);
        }
        let (ranked, total) = ranking.rank(&terms, &vector, &weights, &wanted, search.max);
        let telling = terms.iter().map(|term| (*term, ranking.rarity(*term, &weights)));
        let telling: Vec<_> = telling.collect();
        let hit = |ranked: &Ranked| {
            let file = &files[ranked.document];
            hit(workspace, &file.path, (ranked, ranking.chunk(ranked)), &file.text, &telling)
        };
        let mut note = format!(
            "ranked are the {} files that hold most of the question's words, of {all}",
            files.len()
        );
        if all - covered >= workspace.limits().words_changed_files {
            note += &format!("; the index covers {covered} of them so far, ask again later");
        }
        let hits = ranked.iter().map(hit).collect();
        Ok(Some(Answer { hits, total, tests: 0, docs: 0, note: Some(note) }))
    }

    /// Reads the files that weigh most, and those that changed just now: of their words those of
    /// the question.
    fn read_weighed(
        &self,
        workspace: &Workspace,
        weighed: &Weighed,
        asked: &Asked<'_>,
        cancel: &Cancel,
    ) -> Vec<(ReadFile, Document)> {
        let changed =
            weighed.changed.iter().filter(|path| (asked.wanted)(path)).map(|path| (path, None));
        let heavy = weighed.files.iter().map(|(path, known)| (path, known.as_ref()));
        let files: Vec<_> = heavy.chain(changed).collect();
        let counter = Counter { terms: asked.terms, fields: self.tuning.fields };
        let most = workspace.limits().index_file_bytes;
        let (next, all) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let work = || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some((rel, known)) = files.get(at).filter(|_| !cancel.is_cancelled()) else {
                    break;
                };
                // What is gone meanwhile says nothing.
                let Ok((path, bytes)) = weighed.read(rel, most) else { continue };
                let text = files::text::decode("", &bytes).map(files::text::Text::into_str);
                let text: String = text.unwrap_or_default().into();
                if at >= weighed.files.len() && !holds_most(&text, asked.stems) {
                    continue;
                }
                let started = Instant::now();
                let stop = || cancel.is_cancelled() || started.elapsed() > PARSE_TIME;
                let code = Language::of(&path.to_string_lossy(), text.as_bytes()).is_some();
                let text = Lines::new(text);
                let known = known.map(Known::body).and_then(unpack_spans);
                let spans = known.unwrap_or_else(|| {
                    pieces(&self.grammars, &rel.to_string_lossy(), &text, &stop).0
                });
                let document = counter.read(rel, &text, spans);
                let place = Place::new(rel.to_path_buf());
                let weight = self.tuning.weights.of_file(&place, asked.terms.as_slice());
                let weight = if code || place.documentation { weight } else { DATA * weight };
                let file = ReadFile { rel: rel.to_path_buf(), path, text, weight };
                all.lock().unwrap_or_else(PoisonError::into_inner).push((at, (file, document)));
            }
        };
        in_parallel(files.len(), work);
        let mut read = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        read.sort_unstable_by_key(|(at, _)| *at);
        read.into_iter().map(|(_, file)| file).collect()
    }
}

/// Whether a file of which nothing is known may say as much as those that weigh most.
fn holds_most(text: &str, stems: &[String]) -> bool {
    let text = text.to_lowercase();
    let held = stems.iter().filter(|stem| text.contains(&***stem)).count();
    held * 3 >= stems.len() * 2
}

/// What the words of the question that tell something begin with.
fn stems(query: &str) -> Vec<String> {
    let mut all = BTreeSet::new();
    let mut telling = BTreeSet::new();
    words(query, |word| {
        let (stem, own) = (beginning(word), term(word));
        if stem.len() > 2 {
            all.insert(stem.to_owned());
            if !is_filler(own) && !COMMON.iter().any(|common| term(common) == own) {
                telling.insert(stem.to_owned());
            }
        }
    });
    Vec::from_iter(if telling.is_empty() { all } else { telling })
}
