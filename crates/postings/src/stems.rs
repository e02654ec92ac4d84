//! Which texts say most about some words, by the beginnings of the parts of theirs.

use memchr::memchr_iter;
use memchr::memmem::Finder;

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

    /// The words in which a part begins with `stem`, at least three bytes in lower case: by block,
    /// with their numbers in it. A part begins with the word, after what is no letter, and with a
    /// capital after a small letter.
    fn of_stem(&self, stem: &[u8]) -> Vec<(u32, Vec<usize>)> {
        let finder = Finder::new(stem);
        let is_letters = stem.iter().all(u8::is_ascii_alphabetic);
        let (mut words, mut lower, mut all) = (Vec::new(), Vec::new(), Vec::new());
        for block in self.blocks_with(stem) {
            let text = if is_letters {
                self.packed(block as usize).unwrap_or_default()
            } else {
                self.words_of(block as usize, &mut words);
                &words
            };
            lower.clear();
            lower.extend_from_slice(text);
            lower.make_ascii_lowercase();
            let begins = |at: &usize| {
                at.checked_sub(1).is_none_or(|before| {
                    let before = text[before];
                    !before.is_ascii_alphabetic()
                        || before.is_ascii_lowercase() && text[*at].is_ascii_uppercase()
                })
            };
            let mut from = 0;
            let places = std::iter::from_fn(|| {
                let at = from + finder.find(lower.get(from..)?)?;
                from = at + 1;
                Some(at)
            });
            let mut found = places.filter(begins).peekable();
            if found.peek().is_none() {
                continue;
            }
            let fits = match is_letters {
                true => numbers_packed(text, stem.len(), found),
                false => numbers_of_lines(text, found),
            };
            all.push((block, fits));
        }
        all
    }
}

/// The numbers of the words of a packed block that hold something of this length, found at these
/// places. It is letters, which no length looks like and of which no word shares a part alone.
fn numbers_packed(packed: &[u8], length: usize, found: impl Iterator<Item = usize>) -> Vec<usize> {
    let (mut found, mut fits) = (found.peekable(), Vec::new());
    let (mut start, mut number, mut held) = (0, 0, None);
    while let Some(([shared, own], _)) = packed.get(start..).and_then(<[u8]>::split_first_chunk) {
        let (shared, end) = (usize::from(*shared), start + 2 + usize::from(*own));
        held = held.filter(|held| *held <= shared);
        while let Some(at) = found.next_if(|at| *at < end) {
            held = held.or(Some(shared + (at + length).saturating_sub(start + 2)));
        }
        if held.is_some() {
            fits.push(number);
        }
        (start, number) = (end, number + 1);
    }
    fits
}

/// The numbers of the lines with these places.
fn numbers_of_lines(text: &[u8], found: impl Iterator<Item = usize>) -> Vec<usize> {
    let (mut number, mut counted, mut fits) = (0, 0, Vec::new());
    for at in found {
        number += memchr_iter(b'\n', &text[counted..at]).count();
        counted = at;
        fits.push(number);
    }
    fits.dedup();
    fits
}
