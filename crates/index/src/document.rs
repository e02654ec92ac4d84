//! What is kept of a file: its chunks, each with its words counted and its vector.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::Path;

use syntax::{CHUNK_LINES, Grammars, Language, Parsed, Refusal};

use crate::table::{DIMS, Table, Vector, damped, direction};
use crate::words::{Term, term, words};

/// Lines of a chunk of a file that is no code, or that could not be read as such.
const WINDOW: usize = CHUNK_LINES / 2;
/// Words that a reader remembers; the next file starts anew beyond it.
const REMEMBERED: usize = 100_000;

/// A file as the index knows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Document {
    pub(crate) chunks: Vec<Chunk>,
    /// Where each chunk points; beside each other, since every question looks at all of them.
    pub(crate) vectors: Vec<Vector>,
    /// It is code of a language that is known, but was cut into windows all the same.
    pub(crate) refused: bool,
}

/// Some lines that belong together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chunk {
    /// Its lines, from 1, both included.
    pub(crate) lines: (u32, u32),
    /// What it defines, after what that is in; empty for what is between.
    pub(crate) name: String,
    /// How many words it has.
    pub(crate) length: u32,
    /// How often each stem is in it, by term.
    pub(crate) terms: Vec<(Term, u16)>,
}

/// How often the words of the name and of the path count beside those of the text.
#[derive(Clone, Copy, Debug)]
pub struct Fields {
    /// Those of what a chunk defines.
    pub name: usize,
    /// Those of its path.
    pub path: usize,
}

impl Default for Fields {
    fn default() -> Self {
        Self { name: 3, path: 2 }
    }
}

/// Reads files, one after the other: it remembers what it found out about words.
pub(crate) struct Reader<'a> {
    table: &'a Table,
    grammars: &'a Grammars,
    fields: Fields,
    /// Vectors are made too, which takes longer than the rest.
    meaning: bool,
    known: HashMap<String, u32>,
    words: Vec<Word>,
}

struct Word {
    term: Term,
    rows: Vec<u32>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(table: &'a Table, grammars: &'a Grammars, fields: Fields) -> Self {
        Self { table, grammars, fields, meaning: true, known: HashMap::new(), words: Vec::new() }
    }

    /// One that leaves the vectors empty.
    pub(crate) fn of_words(table: &'a Table, grammars: &'a Grammars, fields: Fields) -> Self {
        Self { meaning: false, ..Self::new(table, grammars, fields) }
    }

    /// What there is to know of the file at `path`. A binary file has no chunks. Code is not parsed
    /// if its spans are known.
    pub(crate) fn read(
        &mut self,
        path: &Path,
        bytes: &[u8],
        known: Option<Vec<Span>>,
        stop: &dyn Fn() -> bool,
    ) -> Document {
        let path = path.to_string_lossy();
        let Ok(text) = files::text::decode(&path, bytes) else { return Document::default() };
        let text = text.as_str();
        if self.words.len() > REMEMBERED {
            self.known.clear();
            self.words.clear();
        }
        let lines: Vec<&str> = text.split('\n').collect();
        let language = Language::of(&path, &text.as_bytes()[..text.len().min(4096)]);
        let parsed = known.map(Ok).or_else(|| {
            let parsed = self.grammars.parse(language?, text.as_bytes(), stop);
            Some(parsed.and_then(|parsed| spans(&parsed)))
        });
        let refused = matches!(parsed, Some(Err(_)));
        let spans = parsed.and_then(Result::ok).unwrap_or_else(|| windows(&lines));
        let chunk = |(name, span): Span| {
            let (first, last) = span.into_inner();
            let end = last.min(lines.len());
            let text = &lines[first.min(end + 1) - 1..end];
            self.chunk((first as u32, last as u32), name, &path, text)
        };
        let (chunks, vectors) = spans.into_iter().map(chunk).unzip();
        Document { chunks, vectors, refused }
    }

    pub(crate) fn chunk(
        &mut self,
        lines: (u32, u32),
        name: String,
        path: &str,
        text: &[&str],
    ) -> (Chunk, Vector) {
        let mut found = Vec::new();
        for line in text {
            self.number(line, 1, &mut found);
        }
        self.number(&name, self.fields.name, &mut found);
        self.number(path, self.fields.path, &mut found);
        let length = found.len() as u32;
        let vector = if self.meaning { direction(&self.sum(&mut found)) } else { [0; DIMS] };
        let mut terms: Vec<Term> = found.iter().map(|at| self.words[*at as usize].term).collect();
        terms.sort_unstable();
        let counted = terms.chunk_by(|a, b| a == b);
        let terms =
            counted.map(|run| (run[0], run.len().min(usize::from(u16::MAX)) as u16)).collect();
        (Chunk { lines, name, length, terms }, vector)
    }

    /// The terms of a text, and where it points.
    pub(crate) fn query(&mut self, text: &str) -> (Vec<Term>, Vector) {
        let mut found = Vec::new();
        self.number(text, 1, &mut found);
        let vector = direction(&self.sum(&mut found));
        let mut terms: Vec<_> = found.iter().map(|at| self.words[*at as usize].term).collect();
        terms.sort_unstable();
        terms.dedup();
        (terms, vector)
    }

    /// Puts the numbers of the words of `text` to the others, each so many times.
    fn number(&mut self, text: &str, times: usize, found: &mut Vec<u32>) {
        let Self { table, meaning, known, words: all, .. } = self;
        words(text, |word| {
            let at = known.get(word).copied().unwrap_or_else(|| {
                let at = all.len() as u32;
                let rows = if *meaning { table.rows(word) } else { Vec::new() };
                all.push(Word { term: term(word), rows });
                known.insert(word.to_owned(), at);
                at
            });
            found.extend(std::iter::repeat_n(at, times));
        });
    }

    fn sum(&self, found: &mut [u32]) -> [f32; DIMS] {
        let mut sum = [0.0; DIMS];
        found.sort_unstable();
        for run in found.chunk_by(|a, b| a == b) {
            for row in &self.words[run[0] as usize].rows {
                self.table.add(&mut sum, *row, damped(run.len()));
            }
        }
        sum
    }
}

/// What lines define, after what that is in, and which lines these are, from 1.
pub(crate) type Span = (String, RangeInclusive<usize>);

/// The pieces of a file of code.
pub(crate) fn spans(parsed: &Parsed<'_>) -> Result<Vec<Span>, Refusal> {
    let name = |c: &syntax::Chunk| match (&c.container, &c.name) {
        (Some(container), Some(name)) => format!("{container} {name}"),
        (_, name) => name.clone().unwrap_or_default(),
    };
    Ok(parsed.chunks()?.into_iter().map(|c| (name(&c), c.lines)).collect())
}

/// Text in pieces of some lines, cut before an empty line or a heading where there is one.
fn windows(lines: &[&str]) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut start = 0;
    while start < lines.len() {
        let most = (start + WINDOW).min(lines.len());
        let cut = |at: &usize| lines[*at].trim().is_empty() || lines[*at].starts_with('#');
        let end = match most < lines.len() {
            true => (start + WINDOW / 2..most).rev().find(cut).unwrap_or(most),
            false => most,
        };
        if lines[start..end].iter().any(|line| line.chars().any(char::is_alphanumeric)) {
            spans.push((String::new(), start + 1..=end));
        }
        start = end;
    }
    spans
}
