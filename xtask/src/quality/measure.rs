//! Questions put to an index, and how high the right answers stand.

use std::fmt;
use std::path::Path;

use index::{Index, Search, Tuning};
use toolkit::fault::Cancel;
use toolkit::files::{Limits, State, Workspace};

use super::sentences::Commented;
use crate::{Result, test};

/// Only the first so many answers count.
const DEPTH: usize = 10;

/// A question with its answer.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) question: String,
    pub(crate) path: String,
    pub(crate) lines: (usize, usize),
    name: String,
}

impl Asked {
    pub(crate) fn of(one: Commented) -> Self {
        Self { question: one.sentence, path: one.path, lines: one.lines, name: one.name }
    }

    /// A line of the list of questions: the file, its lines, what is asked.
    pub(crate) fn read(line: &str) -> Option<Self> {
        let (place, question) = line.split_once(' ')?;
        let (path, lines) = place.rsplit_once(':')?;
        let (first, last) = lines.split_once('-')?;
        let lines = (first.parse().ok()?, last.parse().ok()?);
        let [question, path] = [question, path].map(str::to_owned);
        Some(Self { question, path, lines, name: String::new() })
    }

    /// The question without the words of the name: as asked by one who does not know it.
    pub(crate) fn masked(&self) -> Self {
        let name = self.name.to_lowercase();
        let known = |word: &&str| {
            let word = word.to_lowercase();
            let stem: String = word.chars().filter(|c| c.is_alphanumeric()).take(4).collect();
            stem.len() < 3 || !name.contains(&stem)
        };
        let question: Vec<&str> = self.question.split_whitespace().filter(known).collect();
        Self { question: question.join(" ") + " ...", ..self.clone() }
    }
}

/// How well questions were answered, from 0 to 1: by the file and by the lines.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scores {
    pub(crate) file_ndcg: f64,
    pub(crate) file_mrr: f64,
    pub(crate) lines_ndcg: f64,
    pub(crate) lines_mrr: f64,
}

impl Scores {
    pub(crate) fn columns(&self) -> [f64; 4] {
        [self.file_ndcg, self.file_mrr, self.lines_ndcg, self.lines_mrr]
    }
}

impl fmt::Display for Scores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file_ndcg, file_mrr, lines_ndcg, lines_mrr } = self;
        write!(f, "file {file_ndcg:.3} {file_mrr:.3} lines {lines_ndcg:.3} {lines_mrr:.3}")
    }
}

pub(crate) fn run(corpus: &Path, tuning: &Tuning, asked: &[Asked]) -> Result<Scores> {
    let fail = |e: toolkit::fault::Error| e.to_string();
    let fields = tuning.fields;
    let state = test::target()?
        .join("search-quality")
        .join(format!("state-{}-{}", fields.name, fields.path));
    let workspace = Workspace::open(corpus, &[], Limits::default()).map_err(fail)?;
    let index = Index::tuned(State::new(state), *tuning);
    let mut scores = Scores::default();
    for one in asked {
        let search =
            Search { query: &one.question, dir: ".", tests: true, docs: true, max: 10 * DEPTH };
        let hits = index.search(&workspace, &search, &Cancel::default()).map_err(fail)?.hits;
        let mut files: Vec<&str> = Vec::new();
        for hit in &hits {
            if !files.contains(&&*hit.shown) {
                files.push(&hit.shown);
            }
        }
        let file = files.iter().position(|file| *file == one.path);
        let overlaps = |lines: (usize, usize)| lines.0 <= one.lines.1 && lines.1 >= one.lines.0;
        let lines = hits.iter().position(|hit| hit.shown == one.path && overlaps(hit.lines));
        let share = 1.0 / asked.len() as f64;
        for (place, ndcg, mrr) in [
            (file, &mut scores.file_ndcg, &mut scores.file_mrr),
            (lines, &mut scores.lines_ndcg, &mut scores.lines_mrr),
        ] {
            if let Some(place) = place.filter(|place| *place < DEPTH) {
                *ndcg += share / (place as f64 + 2.0).log2();
                *mrr += share / (place as f64 + 1.0);
            }
        }
    }
    Ok(scores)
}
