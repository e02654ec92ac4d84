//! Random numbers that a seed repeats.

/// SplitMix64: small, and the same on every machine.
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `most`, which is not 0.
    pub(crate) fn below(&mut self, most: usize) -> usize {
        (self.next() % most as u64) as usize
    }

    /// True once in `times`.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    pub(crate) fn shuffle<T>(&mut self, all: &mut [T]) {
        (0..all.len()).for_each(|at| all.swap(at, self.below(all.len())));
    }

    /// `most` different numbers of `1..=end`, sorted, the last among them; all if there are no more.
    pub(crate) fn sample(&mut self, end: usize, most: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (1..=end).rev().collect();
        for i in 1..most.min(end) {
            let other = i + self.below(end - i);
            all.swap(i, other);
        }
        all.truncate(most);
        all.sort_unstable();
        all
    }

    /// A word that occurs nowhere else.
    pub(crate) fn token(&mut self) -> String {
        format!("{:016x}", self.next())
    }
}
