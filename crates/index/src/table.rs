//! What words mean: a table of vectors, one for each piece of a word, whose sum is a text's vector.
//!
//! Without it "give up after some seconds" would never find `deadline`. The table is distilled from
//! a language model by `cargo xtask distill`; nothing of the model itself is in the program.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::words::words;

/// Numbers of a vector.
pub(crate) const DIMS: usize = 256;

/// A direction, scaled so that its largest number is 127 at most.
pub(crate) type Vector = [i8; DIMS];

static DATA: &[u8] = include_bytes!("../data/table.bin");

/// The rows of the table by the piece of a word that they belong to.
pub struct Table {
    scales: Vec<f32>,
    rows: &'static [u8],
    pieces: HashMap<&'static [u8], u32, RandomState>,
}

impl Default for Table {
    fn default() -> Self {
        Self::new()
    }
}

impl Table {
    /// Reads the table that the program carries; a millisecond.
    pub fn new() -> Self {
        let number =
            |at: usize| u32::from_le_bytes([DATA[at], DATA[at + 1], DATA[at + 2], DATA[at + 3]]);
        let count = number(0) as usize;
        let (scales, rest) = DATA[8..].split_at(4 * count);
        let (rows, names) = rest.split_at(DIMS * count);
        let scales = scales.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let pieces = names.split(|b| *b == b'\n').zip(0..).collect();
        Self { scales: scales.collect(), rows, pieces }
    }

    /// Changes whenever the table does.
    pub(crate) fn version() -> u32 {
        let count = u32::from_le_bytes([DATA[0], DATA[1], DATA[2], DATA[3]]) as usize;
        let hash = blake3::hash(&DATA[..8 + 4 * count]);
        let bytes = hash.as_bytes();
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    /// The rows of a word: the longest pieces that it can be cut into from its start. None if it
    /// cannot be cut so.
    pub(crate) fn rows(&self, word: &str) -> Vec<u32> {
        let mut rows = Vec::new();
        let mut rest = word;
        let mut key = Vec::with_capacity(word.len() + 2);
        while !rest.is_empty() {
            let found =
                (1..=rest.len()).rev().filter(|end| rest.is_char_boundary(*end)).find_map(|end| {
                    key.clear();
                    if !rows.is_empty() {
                        key.extend_from_slice(b"##");
                    }
                    key.extend_from_slice(&rest.as_bytes()[..end]);
                    Some((*self.pieces.get(&*key)?, end))
                });
            let Some((row, end)) = found else { return Vec::new() };
            rows.push(row);
            rest = &rest[end..];
        }
        rows
    }

    /// The rows that the words of a text need, each with how much it counts.
    pub fn bag(&self, text: &str) -> Vec<(u32, f32)> {
        let mut counts = std::collections::BTreeMap::new();
        words(text, |word| *counts.entry(word.to_owned()).or_insert(0) += 1);
        let rows = |(word, times): (String, usize)| {
            self.rows(&word).into_iter().map(move |row| (row, damped(times)))
        };
        counts.into_iter().flat_map(rows).collect()
    }

    /// Adds a row to a sum, so many times.
    pub(crate) fn add(&self, sum: &mut [f32; DIMS], row: u32, times: f32) {
        let factor = self.scales[row as usize] * times;
        let row = &self.rows[row as usize * DIMS..][..DIMS];
        for (sum, value) in sum.iter_mut().zip(row) {
            *sum += f32::from(value.cast_signed()) * factor;
        }
    }
}

/// The tenth time, a word says less than the first time.
pub(crate) fn damped(times: usize) -> f32 {
    (times as f32).sqrt()
}

/// The direction of a sum in small numbers, of the same length whatever the sum's was.
pub(crate) fn direction(sum: &[f32; DIMS]) -> Vector {
    let length = sum.iter().map(|v| v * v).sum::<f32>().sqrt();
    let mut vector = [0; DIMS];
    if length > 0.0 {
        for (small, value) in vector.iter_mut().zip(sum) {
            // A number of a direction is seldom over a quarter.
            *small = (value / length * UNIT).round().clamp(-127.0, 127.0) as i8;
        }
    }
    vector
}

/// The length of a direction in its small numbers.
const UNIT: f32 = 400.0;

/// Adds the cosine of the angle between a direction and each of the others.
pub(crate) fn cosines(of: &Vector, others: &[Vector], cosines: &mut Vec<f32>) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "the compiler cannot know which processor it will be")]
        // SAFETY: the processor has what the function was compiled for.
        return unsafe { cosines_avx2(of, others, cosines) };
    }
    cosines.extend(others.iter().map(|other| cosine(of, other)));
}

/// The same, four times as fast.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn cosines_avx2(of: &Vector, others: &[Vector], cosines: &mut Vec<f32>) {
    cosines.extend(others.iter().map(|other| cosine(of, other)));
}

#[inline(always)]
fn cosine(a: &Vector, b: &Vector) -> f32 {
    let dot: i32 = a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
    dot as f32 / (UNIT * UNIT)
}
