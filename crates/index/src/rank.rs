//! Which chunks answer a question best: their words by BM25, joined with what they mean.

use std::collections::HashMap;
use std::sync::Arc;

use crate::document::{Chunk, Document};
use crate::table::{Vector, cosine};
use crate::words::Term;

/// How the parts of a score are weighed; chosen by `cargo xtask search-quality`.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// How soon repeating a word in a chunk stops to count.
    pub saturation: f32,
    /// How much longer chunks lose.
    pub length: f32,
    /// The part of the meaning; the rest is the words'.
    pub meaning: f32,
    /// How much is taken off what stands between definitions.
    pub between: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self { saturation: 1.2, length: 0.75, meaning: 0.65, between: 0.4 }
    }
}

/// What fits less than this part of the best is no answer.
const WORST: f32 = 0.3;

/// What all documents hold, by word.
#[derive(Default)]
pub(crate) struct Ranking {
    documents: Vec<Arc<Document>>,
    chunks: Vec<Known>,
    postings: HashMap<Term, Vec<(u32, u16)>>,
    mean_length: f32,
}

/// What the ranking needs of each chunk.
struct Known {
    document: u32,
    /// Which of its chunks it is.
    place: u32,
    /// Its number of words.
    length: f32,
    /// It stands between the definitions of a file.
    between: bool,
}

/// A chunk that answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranked {
    pub(crate) document: usize,
    pub(crate) chunk: usize,
    /// From 0 to 1.
    pub(crate) score: f32,
}

impl Ranking {
    pub(crate) fn new(documents: Vec<Arc<Document>>) -> Self {
        let mut new = Self { documents, ..Self::default() };
        let mut total = 0.0;
        for (at, document) in new.documents.iter().enumerate() {
            let defines = document.chunks.iter().any(|chunk| !chunk.name.is_empty());
            for (place, chunk) in document.chunks.iter().enumerate() {
                let number = new.chunks.len() as u32;
                new.chunks.push(Known {
                    document: at as u32,
                    place: place as u32,
                    length: chunk.length as f32,
                    between: defines && chunk.name.is_empty(),
                });
                total += f64::from(chunk.length);
                for (term, count) in &chunk.terms {
                    new.postings.entry(*term).or_default().push((number, *count));
                }
            }
        }
        new.mean_length = (total / new.chunks.len().max(1) as f64).max(1.0) as f32;
        new
    }

    pub(crate) fn chunk(&self, ranked: &Ranked) -> &Chunk {
        &self.documents[ranked.document].chunks[ranked.chunk]
    }

    /// How much it says that a word is in a chunk: nothing if it is in all.
    pub(crate) fn rarity(&self, term: Term) -> f32 {
        let (all, with) =
            (self.chunks.len() as f32, self.postings.get(&term).map_or(0, Vec::len) as f32);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    /// The chunks of the wanted documents, the best first.
    pub(crate) fn rank(
        &self,
        terms: &[Term],
        vector: &Vector,
        weights: &Weights,
        wanted: &[bool],
    ) -> Vec<Ranked> {
        let mut scores = vec![0.0; self.chunks.len()];
        for term in terms {
            let Some(postings) = self.postings.get(term) else { continue };
            let rarity = self.rarity(*term);
            for (chunk, count) in postings {
                let count = f32::from(*count);
                let length = self.chunks[*chunk as usize].length / self.mean_length;
                let soft = weights.saturation * (1.0 - weights.length + weights.length * length);
                scores[*chunk as usize] +=
                    rarity * count * (weights.saturation + 1.0) / (count + soft);
            }
        }
        let best = scores.iter().copied().fold(0.0, f32::max).max(f32::MIN_POSITIVE);
        let mut ranked = Vec::new();
        for (score, known) in scores.iter().zip(&self.chunks) {
            let (document, place) = (known.document as usize, known.place as usize);
            if !wanted[document] {
                continue;
            }
            let chunk = &self.documents[document].chunks[place];
            let mut joined = (1.0 - weights.meaning) * score / best;
            if weights.meaning > 0.0 {
                joined += weights.meaning * cosine(vector, &chunk.vector).clamp(0.0, 1.0);
            }
            if known.between {
                joined *= 1.0 - weights.between;
            }
            if joined > 0.0 {
                ranked.push(Ranked { document, chunk: place, score: joined });
            }
        }
        let worst = WORST * ranked.iter().map(|r| r.score).fold(0.0, f32::max);
        ranked.retain(|r| r.score >= worst);
        ranked.sort_unstable_by(|a, b| {
            b.score.total_cmp(&a.score).then((a.document, a.chunk).cmp(&(b.document, b.chunk)))
        });
        ranked
    }
}
