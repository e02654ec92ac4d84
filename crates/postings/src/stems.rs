//! Which texts say most about some words, by the beginnings of the parts of theirs.

use crate::segment::Segment;
use crate::set::Set;

/// A shorter stem has no trigram.
const SHORTEST: usize = 3;

/// The words of a segment in which a part begins with a stem: `sched` is in `schedule`,
/// `pick_sched` and `doSchedule`.
#[derive(Clone, Debug, Default)]
pub struct Stem {
    /// By block, with their numbers in it.
    words: Vec<(u32, Vec<usize>)>,
}

impl Segment {
    /// The words of a stem, which is in lower case. None if it is shorter than three bytes.
    pub fn stem(&self, stem: &str) -> Stem {
        let words = if stem.len() < SHORTEST { Vec::new() } else { self.of_stem(stem.as_bytes()) };
        Stem { words }
    }

    /// The texts that hold a word of it.
    pub fn texts_with(&self, stem: &Stem) -> Set {
        self.texts_of(&stem.words)
    }

    /// For each text how much its best word weighs: the sum of the weights of its stems, of which
    /// it has two at least.
    pub fn best_words(&self, stems: &[(&Stem, f32)]) -> Vec<f32> {
        let mut words: Vec<(u32, usize, f32)> = Vec::new();
        for (stem, weight) in stems {
            for (block, fits) in &stem.words {
                words.extend(fits.iter().map(|word| (*block, *word, *weight)));
            }
        }
        // One run of each stem, in order: a stable sort makes use of that.
        words.sort_by_key(|(block, word, _)| (*block, *word));
        let mut best = vec![0.0_f32; self.len()];
        for word in words.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).filter(|word| word.len() > 1) {
            let weight = word.iter().map(|(_, _, weight)| weight).sum();
            self.collect(word[0].0, std::iter::once(word[0].1), |text| {
                if let Some(best) = best.get_mut(text as usize) {
                    *best = best.max(weight);
                }
            });
        }
        best
    }
}
