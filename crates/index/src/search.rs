//! Ranked search: a question in words, answered with the places of the code that say most about it.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, TryLockError};
use std::time::Duration;

use fault::{Cancel, Code, Error, Result};
use files::search::{Digest, FileList};
use files::{State, Workspace};
use syntax::Grammars;

use crate::definitions::Definitions;
use crate::document::{Chunk, Fields, Lines, Reader};
use crate::fresh::{Known, Left, Means};
use crate::place::Place;
use crate::rank::{Ranked, Weights};
use crate::table::Table;
use crate::words::{Term, term, words};

/// Characters that a question has at least.
const SHORTEST: usize = 3;
/// Lines of a snippet.
const SNIPPET: usize = 9;
/// Lines of a hit that are named, at most.
const LINES: usize = 3;

/// What is known of the projects of a session. Made with it, filled at the first question.
pub struct Index {
    state: State,
    pub(crate) tuning: Tuning,
    pub(crate) table: OnceLock<Table>,
    pub(crate) grammars: Arc<Grammars>,
    known: Mutex<HashMap<PathBuf, Arc<Mutex<Known>>>>,
    /// Files whose syntax errors a verdict told, by their paths as they are shown.
    pub(crate) broken: Mutex<BTreeSet<String>>,
}

/// How the index counts and weighs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tuning {
    /// What a chunk is made of.
    pub fields: Fields,
    /// What makes it a good answer.
    pub weights: Weights,
}

/// A question.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// Words, names of code or a sentence.
    pub query: &'a str,
    /// The directory to look in.
    pub dir: &'a str,
    /// Files of tests too.
    pub tests: bool,
    /// Files that are no code too.
    pub docs: bool,
    /// Most hits in the answer.
    pub max: usize,
}

/// Where the code says something about the question.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// How the path of the file is shown.
    pub shown: String,
    /// How well it fits, from 0 to 1.
    pub score: f32,
    /// The lines that belong together there, from 1.
    pub lines: (usize, usize),
    /// What they define; empty if nothing.
    pub name: String,
    /// The lines among them that have most of the question's words, the best first, from 1.
    pub best: Vec<(usize, String)>,
    /// The lines around the best one.
    pub snippet: String,
}

/// The answer to a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The best first.
    pub hits: Vec<Hit>,
    /// How many there are, also beyond these.
    pub total: usize,
    /// Files of tests that were left out, since they were not asked for.
    pub tests: usize,
    /// Files of documentation that were left out, since they were not asked for.
    pub docs: usize,
    /// What could not be looked at, in words.
    pub note: Option<String>,
}

impl Index {
    /// An index that keeps itself in the state directory. Nothing is read or written yet.
    pub fn new(state: State) -> Self {
        Self::tuned(state, Tuning::default())
    }

    /// One that counts and weighs otherwise, to be compared.
    pub fn tuned(state: State, tuning: Tuning) -> Self {
        let (table, grammars) = (OnceLock::new(), Arc::default());
        let (known, broken) = Default::default();
        Self { state, tuning, table, grammars, known, broken }
    }

    /// What is kept of each file of a watched root, so that definitions are found by name without
    /// reading any.
    pub fn digest(&self) -> Arc<dyn Digest> {
        Arc::new(Definitions::new(Arc::clone(&self.grammars)))
    }

    /// Searches, after reading what changed since the last time; the first time that is all.
    ///
    /// # Errors
    /// `QueryTooShort` under three characters, `IndexNotBuilt` if the directory cannot be read any
    /// more; `DirectoryNotFound`, `NotADirectory`, `PathOutsideWorkspace`, `Cancelled`.
    pub fn search(
        &self,
        workspace: &Workspace,
        search: &Search<'_>,
        cancel: &Cancel,
    ) -> Result<Answer> {
        if search.query.trim().chars().count() < SHORTEST {
            return Err(Error::query_too_short(SHORTEST));
        }
        let (root, below) = root_of(workspace, search.dir)?;
        if root == workspace.root()
            && let Some(answer) = self.search_wide(workspace, search, cancel)?
        {
            return Ok(answer);
        }
        let known = self.known(&root);
        let mut known = wait_for(&known, cancel)?;
        let table = self.table.get_or_init(Table::new);
        let means = Means { table, grammars: &self.grammars, fields: self.tuning.fields };
        let shown = root.to_string_lossy();
        let list = known.refresh(workspace, &shown, &means, cancel).map_err(|e| match e.code {
            Code::Cancelled => e,
            _ => Error::index_not_built(&shown, &e),
        })?;
        let (mut tests, mut docs) = (0, 0);
        let everywhere = below.as_os_str().is_empty();
        let mut wanted = |place: &Place| {
            let inside = everywhere || place.path.starts_with(&below);
            let test = inside && !search.tests && place.test;
            let doc = inside && !search.docs && !test && place.documentation;
            (tests, docs) = (tests + usize::from(test), docs + usize::from(doc));
            inside && !test && !doc
        };
        let Tuning { fields, weights } = self.tuning;
        let mut reader = Reader::new(table, &self.grammars, fields);
        let (terms, vector) = reader.query(search.query);
        let weight = |place| if wanted(place) { weights.of_file(place, &terms) } else { 0.0 };
        let wanted: Vec<f32> = known.places.iter().map(weight).collect();
        let (ranked, total) = known.ranking.rank(&terms, &vector, &weights, &wanted, search.max);
        let telling = terms.iter().map(|term| (*term, known.ranking.rarity(*term, &weights)));
        let telling: Vec<_> = telling.collect();
        let mut texts = HashMap::new();
        let hit = |ranked: &Ranked| {
            let read = || Lines::new(known.text(workspace, &list, ranked.document));
            let text = texts.entry(ranked.document).or_insert_with(read);
            let path = list.path().join(&known.places[ranked.document].path);
            hit(workspace, &path, (ranked, known.ranking.chunk(ranked)), text, &telling)
        };
        let hits = ranked.iter().map(hit).collect();
        Ok(Answer { hits, total, tests, docs, note: known.left.note() })
    }

    fn known(&self, root: &Path) -> Arc<Mutex<Known>> {
        let mut all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let open = || Arc::new(Mutex::new(Known::open(&self.state, root)));
        Arc::clone(all.entry(root.to_owned()).or_insert_with(open))
    }
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index").field("tuning", &self.tuning).finish_non_exhaustive()
    }
}

/// The root that a directory is in, and the way from there.
fn root_of(workspace: &Workspace, dir: &str) -> Result<(PathBuf, PathBuf)> {
    let real = match workspace.glance(dir) {
        _ if dir == "." => workspace.root().to_owned(), // also when it is gone
        Some(glance) if !glance.folder => return Err(Error::not_a_directory(dir)),
        Some(glance) => {
            workspace.list(dir)?; // one that may not be read would look like an empty one
            glance.path
        }
        None => return Err(Error::directory_not_found(dir)),
    };
    let inside = |root: &Path| Some((root.to_owned(), real.strip_prefix(root).ok()?.to_owned()));
    workspace
        .roots()
        .find_map(|(root, _)| inside(root))
        .ok_or_else(|| Error::directory_not_found(dir))
}

/// Another call may be building; its work is ours too.
fn wait_for<'k>(
    known: &'k Mutex<Known>,
    cancel: &Cancel,
) -> Result<std::sync::MutexGuard<'k, Known>> {
    loop {
        match known.try_lock() {
            Ok(known) => return Ok(known),
            Err(TryLockError::Poisoned(known)) => return Ok(known.into_inner()),
            Err(TryLockError::WouldBlock) => cancel.check()?,
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

impl Known {
    /// What a file says now; nothing if it cannot be read any more.
    fn text(&self, workspace: &Workspace, list: &FileList, document: usize) -> String {
        let path = &self.places[document].path;
        let bytes = list.read(path, workspace.limits().index_file_bytes).unwrap_or_default();
        let text = files::text::decode("", &bytes).map(files::text::Text::into_str);
        text.unwrap_or_default().into()
    }
}

/// The terms of the question are in order, each with how much it says.
pub(crate) fn hit(
    workspace: &Workspace,
    path: &Path,
    (ranked, chunk): (&Ranked, &Chunk),
    text: &Lines<String>,
    terms: &[(Term, f32)],
) -> Hit {
    let (first, last) = (chunk.lines.0 as usize, chunk.lines.1 as usize);
    let lines: Vec<&str> = text.of(&(first..=last)).lines().collect();
    let last = first - 1 + lines.len();
    let weight = |line: usize| {
        let mut seen = vec![false; terms.len()];
        words(lines[line - first], |word| {
            if let Ok(at) = terms.binary_search_by_key(&term(word), |(term, _)| *term) {
                seen[at] = true;
            }
        });
        let seen = terms.iter().zip(seen).filter(|(_, seen)| *seen);
        seen.map(|((_, rarity), _)| rarity).sum::<f32>()
    };
    let mut weighed: Vec<_> = (first..=last).map(|line| (line, weight(line))).collect();
    weighed.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let telling = weighed.iter().filter(|(_, weight)| *weight > 0.0).count().clamp(1, LINES);
    let most = workspace.limits().hit_line_bytes;
    let show = |line: usize| fault::cut(lines[line - first].trim_end(), most).into_owned();
    let best: Vec<_> = weighed.iter().take(telling).map(|(line, _)| (*line, show(*line))).collect();
    let middle = best.first().map_or(first, |(line, _)| *line);
    let start = middle.saturating_sub(SNIPPET / 2).max(first);
    let snippet: Vec<_> = (start..=last).take(SNIPPET).map(show).collect();
    Hit {
        shown: workspace.show(path),
        score: ranked.score,
        lines: (first, last.max(first)),
        name: chunk.name.clone(),
        best,
        snippet: snippet.join("\n"),
    }
}

impl Left {
    fn note(&self) -> Option<String> {
        let files = |n: usize| if n == 1 { "1 file".to_owned() } else { format!("{n} files") };
        let mut parts = Vec::new();
        if self.more || self.beyond > 0 {
            let beyond = if self.more { "more".to_owned() } else { files(self.beyond) };
            parts
                .push(format!("{beyond} beyond the bounds of the index; search in a smaller root"));
        }
        for (count, why) in [(self.large, "oversized file"), (self.unreadable, "unreadable file")] {
            if count > 0 {
                parts.push(fault::count(count, why));
            }
        }
        let mut notes = Vec::new();
        if !parts.is_empty() {
            notes.push(format!("skipped {}", parts.join(", ")));
        }
        if self.refused > 0 {
            notes.push(format!("{} read as plain text: too hard to parse", files(self.refused)));
        }
        if self.unkept {
            notes.push(
                "the index is only in memory: the state directory cannot be written".to_owned(),
            );
        }
        (!notes.is_empty()).then(|| notes.join("; "))
    }
}
