//! Which chunks answer a question best: their words by BM25, joined with what they mean.

use std::collections::HashMap;
use std::sync::Arc;

use crate::document::{Chunk, Document};
use crate::place::Place;
use crate::table::{Vector, cosines};
use crate::words::{Term, is_filler, term, words};

/// How the parts of a score are weighed; chosen by `cargo xtask search-quality`.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// How soon repeating a word in a chunk stops to count.
    pub saturation: f32,
    /// How much longer chunks lose.
    pub length: f32,
    /// The part of the meaning; the rest is the words'.
    pub meaning: f32,
    /// How much is taken off what is between definitions.
    pub between: f32,
    /// The part of the words of the whole file; the rest is the chunk's own.
    pub file: f32,
    /// How much the words count that every question has, such as "how" and "does".
    pub filler: f32,
    /// How much more a chunk counts whose name the question says.
    pub name: f32,
    /// How much less longer chunks count, with what they mean.
    pub long: f32,
    /// How much tests count, if the question speaks of none.
    pub test: f32,
    /// How much documentation counts.
    pub documentation: f32,
}

impl Weights {
    fn of_term(&self, term: Term) -> f32 {
        if is_filler(term) { self.filler } else { 1.0 }
    }

    /// How much the file counts for a question with these words, which are in order.
    pub(crate) fn of_file(&self, place: &Place, asked: &[Term]) -> f32 {
        match place {
            Place { test: true, .. } if asked.binary_search(&term("test")).is_err() => self.test,
            Place { documentation: true, .. } => self.documentation,
            _ => 1.0,
        }
    }
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            saturation: 1.2,
            length: 0.75,
            meaning: 0.7,
            between: 0.4,
            file: 0.2,
            filler: 0.3,
            name: 0.1,
            long: 0.1,
            test: 0.7,
            documentation: 0.8,
        }
    }
}

/// What fits less than this part of the best is no answer.
const WORST: f32 = 0.3;

/// What all documents hold, by word.
#[derive(Default)]
pub(crate) struct Ranking {
    documents: Vec<Arc<Document>>,
    chunks: Vec<Known>,
    postings: HashMap<Term, Postings>,
    /// The words of each document, and of all on average.
    lengths: Vec<f32>,
    mean_lengths: Means,
}

/// Where a word is.
#[derive(Default)]
struct Postings {
    /// Chunks, by number, each with how often.
    chunks: Vec<(u32, u16)>,
    /// In how many documents these are.
    documents: usize,
}

/// Of a chunk and of a document.
#[derive(Clone, Copy, Default)]
struct Means {
    chunk: f32,
    document: f32,
}

/// What the ranking needs of each chunk.
struct Known {
    document: u32,
    /// Which of its chunks it is.
    place: u32,
    /// Its number of words.
    length: f32,
    /// It is between the definitions of a file.
    between: bool,
    /// The words of its own name.
    name: Vec<Term>,
}

/// A chunk that answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranked {
    pub(crate) document: usize,
    pub(crate) chunk: usize,
    /// From 0 to 1.
    pub(crate) score: f32,
}

impl Known {
    /// Which part of its name is in a question, whose words are in order.
    fn named(&self, terms: &[Term]) -> f32 {
        let said = self.name.iter().filter(|word| terms.binary_search(word).is_ok()).count();
        said as f32 / self.name.len().max(1) as f32
    }
}

/// The words of what a chunk defines, without what that is in.
fn own_name(chunk: &Chunk) -> Vec<Term> {
    let mut name = Vec::new();
    words(chunk.name.rsplit(' ').next().unwrap_or_default(), |word| name.push(term(word)));
    name
}

impl Ranking {
    pub(crate) fn new(documents: Vec<Arc<Document>>) -> Self {
        let mut new = Self { documents, ..Self::default() };
        let mut total = 0.0;
        for (at, document) in new.documents.iter().enumerate() {
            let defines = document.chunks.iter().any(|chunk| !chunk.name.is_empty());
            let first = new.chunks.len() as u32;
            let mut words = 0.0;
            for (place, chunk) in (0..).zip(&document.chunks) {
                let number = new.chunks.len() as u32;
                let length = chunk.length as f32;
                let between = defines && chunk.name.is_empty();
                let name = own_name(chunk);
                new.chunks.push(Known { document: at as u32, place, length, between, name });
                words += length;
                for (term, count) in &chunk.terms {
                    let postings = new.postings.entry(*term).or_default();
                    let again = postings.chunks.last().is_some_and(|(last, _)| *last >= first);
                    postings.documents += usize::from(!again);
                    postings.chunks.push((number, *count));
                }
            }
            new.lengths.push(words);
            total += f64::from(words);
        }
        let mean = |of: usize| (total / of.max(1) as f64).max(1.0) as f32;
        new.mean_lengths =
            Means { chunk: mean(new.chunks.len()), document: mean(new.documents.len()) };
        new
    }

    pub(crate) fn chunk(&self, ranked: &Ranked) -> &Chunk {
        &self.documents[ranked.document].chunks[ranked.chunk]
    }

    /// Says where a chunk points, if nobody else has its document.
    pub(crate) fn point(&mut self, ranked: &Ranked, vector: Vector) {
        let document = Arc::get_mut(&mut self.documents[ranked.document]);
        if let Some(own) = document.and_then(|document| document.vectors.get_mut(ranked.chunk)) {
            *own = vector;
        }
    }

    /// How much it says that a word is in a chunk: nothing if it is in all.
    pub(crate) fn rarity(&self, term: Term, weights: &Weights) -> f32 {
        let with = self.postings.get(&term).map_or(0, |postings| postings.chunks.len());
        weights.of_term(term) * rarity(self.chunks.len(), with)
    }

    /// The chunks of the documents: the best so many, the best first, and how many answer. What a
    /// document says counts as much as `wanted` says; nothing if it is not.
    pub(crate) fn rank(
        &self,
        terms: &[Term],
        vector: &Vector,
        weights: &Weights,
        wanted: &[f32],
        max: usize,
    ) -> (Vec<Ranked>, usize) {
        let (words, files) = self.words(terms, weights);
        let mut scores = Vec::with_capacity(self.chunks.len());
        for (document, wanted) in self.documents.iter().zip(wanted) {
            if *wanted > 0.0 && weights.meaning > 0.0 {
                cosines(vector, &document.vectors, &mut scores);
            } else {
                scores.resize(scores.len() + document.chunks.len(), 0.0);
            }
        }
        for ((score, words), known) in scores.iter_mut().zip(words).zip(&self.chunks) {
            let at = known.document as usize;
            let own = (1.0 - weights.meaning) * words + weights.meaning * score.clamp(0.0, 1.0);
            let whole = (1.0 - weights.file) * own + weights.file * files[at];
            let part = if known.between { 1.0 - weights.between } else { 1.0 };
            // The words of its name are among its words.
            let named = if words > 0.0 { known.named(terms) } else { 0.0 };
            let length = (known.length / self.mean_lengths.chunk).max(1.0).ln();
            let part = part * (1.0 + weights.name * named) / (1.0 + weights.long * length);
            *score = whole * part * wanted[at];
        }
        self.best(&scores, max)
    }

    /// The first so many in order, and how many are good enough to be answers.
    fn best(&self, scores: &[f32], max: usize) -> (Vec<Ranked>, usize) {
        let worst = WORST * scores.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        let answers = scores.iter().zip(&self.chunks).filter(|(score, _)| **score >= worst);
        let ranked = |(score, known): (&f32, &Known)| Ranked {
            document: known.document as usize,
            chunk: known.place as usize,
            score: *score,
        };
        let mut ranked: Vec<_> = answers.map(ranked).collect();
        let total = ranked.len();
        let order = |a: &Ranked, b: &Ranked| {
            b.score.total_cmp(&a.score).then((a.document, a.chunk).cmp(&(b.document, b.chunk)))
        };
        if max < total {
            ranked.select_nth_unstable_by(max, order);
            ranked.truncate(max);
        }
        ranked.sort_unstable_by(order);
        (ranked, total)
    }

    /// The words of the question by BM25, in each chunk and in each document; the best has 1.
    fn words(&self, terms: &[Term], weights: &Weights) -> (Vec<f32>, Vec<f32>) {
        let mut chunks = vec![0.0; self.chunks.len()];
        let mut documents = vec![0.0; self.documents.len()];
        let add = |score: &mut f32, rarity: f32, count: f32, length: f32| {
            let soft = weights.saturation * (1.0 - weights.length + weights.length * length);
            *score += rarity * count * (weights.saturation + 1.0) / (count + soft);
        };
        for term in terms {
            let Some(postings) = self.postings.get(term) else { continue };
            let of_chunk = self.rarity(*term, weights);
            let of_document = rarity(self.documents.len(), postings.documents);
            let of_document = weights.of_term(*term) * of_document;
            let document = |(chunk, _): &(u32, u16)| self.chunks[*chunk as usize].document;
            for run in postings.chunks.chunk_by(|a, b| document(a) == document(b)) {
                let mut whole = 0.0;
                for (chunk, count) in run {
                    let (chunk, count) = (*chunk as usize, f32::from(*count));
                    let length = self.chunks[chunk].length / self.mean_lengths.chunk;
                    add(&mut chunks[chunk], of_chunk, count, length);
                    whole += count;
                }
                let at = document(&run[0]) as usize;
                let length = self.lengths[at] / self.mean_lengths.document;
                add(&mut documents[at], of_document, whole, length);
            }
        }
        for scores in [&mut chunks, &mut documents] {
            let best = scores.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
            scores.iter_mut().for_each(|score| *score /= best);
        }
        (chunks, documents)
    }
}

fn rarity(all: usize, with: usize) -> f32 {
    let (all, with) = (all as f32, with as f32);
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}
