//! A set of texts of a segment.

/// Texts of one segment, by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set(Vec<u64>);

impl Set {
    /// None of so many texts.
    pub fn empty(texts: usize) -> Self {
        Self(vec![0; texts.div_ceil(64)])
    }

    /// Adds a text. Numbers that the set was not made for are passed over: a damaged index must not end the
    /// server.
    pub fn insert(&mut self, text: u32) {
        if let Some(word) = self.0.get_mut(text as usize / 64) {
            *word |= 1 << (text % 64);
        }
    }

    /// Keeps those that are in the other one too.
    pub fn intersect(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine &= theirs);
    }

    pub(crate) fn unite(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine |= theirs);
    }

    /// Takes a text out.
    pub fn remove(&mut self, text: usize) {
        if let Some(word) = self.0.get_mut(text / 64) {
            *word &= !(1 << (text % 64));
        }
    }

    /// Whether a text is in it.
    pub fn contains(&self, text: usize) -> bool {
        self.0.get(text / 64).is_some_and(|word| word >> (text % 64) & 1 == 1)
    }

    /// Whether there is none in it.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The numbers, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(at, &word)| {
            std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)))
                .take_while(|rest| *rest != 0)
                .map(move |rest| at * 64 + rest.trailing_zeros() as usize)
        })
    }
}
