//! What is kept of a file: its chunks, each with its words counted and its vector.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::Path;

use foldhash::fast::RandomState;
use memchr::memchr_iter;
use syntax::{CHUNK_LINES, Grammars, Language, Parsed, Refusal};

use crate::table::{DIMS, Table, Vector, damped, direction};
use crate::words::{Term, Terms, term, words};

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

impl Fields {
    /// The texts that a chunk is made of, each with how often its words count.
    fn of<'t>(self, name: &'t str, path: &'t str, text: &'t str) -> [(&'t str, usize); 3] {
        [(text, 1), (name, self.name), (path, self.path)]
    }
}

/// A text and where its lines begin.
pub(crate) struct Lines<T> {
    text: T,
    starts: Vec<usize>,
}

impl<T: AsRef<str>> Lines<T> {
    pub(crate) fn new(text: T) -> Self {
        let ends = memchr_iter(b'\n', text.as_ref().as_bytes());
        let starts = std::iter::once(0).chain(ends.map(|end| end + 1)).collect();
        Self { text, starts }
    }

    /// The text of some lines, from 1.
    pub(crate) fn of(&self, lines: &RangeInclusive<usize>) -> &str {
        let text = self.text.as_ref();
        let start =
            |line: usize| self.starts.get(line.wrapping_sub(1)).copied().unwrap_or(text.len());
        text.get(start(*lines.start())..start(lines.end().saturating_add(1))).unwrap_or_default()
    }

    pub(crate) fn text(&self) -> &str {
        self.text.as_ref()
    }
}

/// Counts of the words of a file those that a question has.
pub(crate) struct Counter<'a> {
    pub(crate) terms: &'a Terms<'a>,
    pub(crate) fields: Fields,
}

impl Counter<'_> {
    /// The file at `path`, which is cut into `spans`; its vectors are empty.
    pub(crate) fn read(&self, path: &Path, text: &Lines<String>, spans: Vec<Span>) -> Document {
        let path = path.to_string_lossy();
        let chunk = |(name, lines): Span| self.chunk(&lines, name, &path, text.of(&lines));
        let chunks: Vec<_> = spans.into_iter().map(chunk).collect();
        let vectors = vec![[0; DIMS]; chunks.len()];
        Document { chunks, vectors, refused: false }
    }

    fn chunk(&self, lines: &RangeInclusive<usize>, name: String, path: &str, text: &str) -> Chunk {
        let terms = self.terms.as_slice();
        let mut counts = vec![0; terms.len()];
        let lengths = self.fields.of(&name, path, text);
        let lengths =
            lengths.map(|(text, times)| self.terms.count(text, times, &mut counts) as u32);
        let length = lengths.iter().sum();
        let counted = terms.iter().zip(counts).filter(|(_, count)| *count > 0);
        let terms =
            counted.map(|(term, count)| (*term, count.min(usize::from(u16::MAX)) as u16)).collect();
        Chunk { lines: (*lines.start() as u32, *lines.end() as u32), name, length, terms }
    }
}

/// Reads files, one after the other: it remembers what it found out about words.
pub(crate) struct Reader<'a> {
    table: &'a Table,
    grammars: &'a Grammars,
    fields: Fields,
    known: HashMap<String, u32, RandomState>,
    words: Vec<Word>,
}

struct Word {
    term: Term,
    rows: Vec<u32>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(table: &'a Table, grammars: &'a Grammars, fields: Fields) -> Self {
        Self { table, grammars, fields, known: HashMap::default(), words: Vec::new() }
    }

    /// What there is to know of the file at `path`. A binary file has no chunks.
    pub(crate) fn read(&mut self, path: &Path, bytes: &[u8], stop: &dyn Fn() -> bool) -> Document {
        let path = path.to_string_lossy();
        let Ok(text) = files::text::decode(&path, bytes) else { return Document::default() };
        if self.words.len() > REMEMBERED {
            self.known.clear();
            self.words.clear();
        }
        let text = Lines::new(text.into_str());
        let (spans, refused) = pieces(self.grammars, &path, &text, stop);
        let chunk = |(name, lines): Span| self.chunk(&lines, name, &path, text.of(&lines));
        let (chunks, vectors) = spans.into_iter().map(chunk).unzip();
        Document { chunks, vectors, refused }
    }

    fn chunk(
        &mut self,
        lines: &RangeInclusive<usize>,
        name: String,
        path: &str,
        text: &str,
    ) -> (Chunk, Vector) {
        let mut found = self.numbers(&name, path, text);
        let length = found.len() as u32;
        let vector = direction(&self.sum(&mut found));
        let mut terms: Vec<Term> = found.iter().map(|at| self.words[*at as usize].term).collect();
        terms.sort_unstable();
        let counted = terms.chunk_by(|a, b| a == b);
        let terms =
            counted.map(|run| (run[0], run.len().min(usize::from(u16::MAX)) as u16)).collect();
        (Chunk { lines: (*lines.start() as u32, *lines.end() as u32), name, length, terms }, vector)
    }

    /// Where a chunk points.
    pub(crate) fn vector(&mut self, name: &str, path: &str, text: &str) -> Vector {
        let mut found = self.numbers(name, path, text);
        direction(&self.sum(&mut found))
    }

    /// The numbers of all words of a chunk.
    fn numbers(&mut self, name: &str, path: &str, text: &str) -> Vec<u32> {
        let mut found = Vec::new();
        for (text, times) in self.fields.of(name, path, text) {
            self.number(text, times, &mut found);
        }
        found
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
        let Self { table, known, words: all, .. } = self;
        words(text, |word| {
            let at = known.get(word).copied().unwrap_or_else(|| {
                let at = all.len() as u32;
                all.push(Word { term: term(word), rows: table.rows(word) });
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

/// The pieces of a file, and whether it is code that was cut into windows all the same.
pub(crate) fn pieces<T: AsRef<str>>(
    grammars: &Grammars,
    path: &str,
    text: &Lines<T>,
    stop: &dyn Fn() -> bool,
) -> (Vec<Span>, bool) {
    let bytes = text.text().as_bytes();
    let language = Language::of(path, &bytes[..bytes.len().min(4096)]);
    let parsed = language
        .map(|language| grammars.parse(language, bytes, stop).and_then(|parsed| spans(&parsed)));
    let refused = matches!(parsed, Some(Err(_)));
    let spans = parsed.and_then(Result::ok);
    (spans.unwrap_or_else(|| windows(&text.text().split('\n').collect::<Vec<_>>())), refused)
}

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
