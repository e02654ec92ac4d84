//! A segment: written once, mapped into memory, asked many times.

#![expect(unsafe_code, reason = "a file is mapped into memory, and its pages given back")]

use std::fs::File;
use std::io;

use memchr::memmem::Finder;
use memchr::{memchr, memchr_iter, memrchr};
use memmap2::{Mmap, UncheckedAdvice};

use crate::build::gram;
use crate::bytes::{fixed, take};
use crate::query::Part;
use crate::set::Set;

/// Words of a block: what is found by trigrams is a block, and its words are then looked at.
pub(crate) const BLOCK: usize = 64;
/// What a segment of this version begins with.
pub(crate) const MAGIC: &[u8; 8] = b"kbwords4";
/// Bytes of a row of a table: the key, and where its list begins.
const ROW: usize = 8;

/// The parts of a segment, in their order.
#[derive(Clone, Copy)]
pub(crate) enum Section {
    /// For each text its name, its state and its kind.
    Texts,
    /// For each block where its words and their lists begin.
    Blocks,
    /// The words, sorted: for each how many bytes it shares with the one before in its block, how
    /// many are its own, and these.
    Words,
    /// For each word how long its list is, and the list.
    Postings,
    /// The trigrams, sorted, each with where the list of its blocks begins.
    Grams,
    GramBlocks,
    /// The pairs of marks, likewise.
    Marks,
    MarkTexts,
    /// For each text where its body ends.
    BodyEnds,
    Bodies,
}

impl Section {
    pub(crate) const COUNT: usize = 10;
    /// Bytes before the first section.
    pub(crate) const HEAD: usize = MAGIC.len() + 4 + 4 * Self::COUNT;
}

/// A text as the caller knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// Three numbers that tell this state of it from another.
    pub state: [u64; 3],
    /// What it is to the caller.
    pub kind: u8,
    /// What the caller keeps of it, beside its words.
    pub body: &'a [u8],
}

/// Words of texts that do not change any more.
pub struct Segment {
    map: Mmap,
    texts: usize,
    ends: [usize; Section::COUNT],
}

impl std::fmt::Debug for Segment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Segment")
            .field("texts", &self.texts)
            .field("bytes", &self.map.len())
            .finish()
    }
}

impl Segment {
    /// Maps a segment. The file must never be written again: who replaces it makes another file.
    /// What it says is believed: it belongs where nobody else writes.
    ///
    /// # Errors
    /// `InvalidData` if it is none, or one of another version; what the operating system refuses.
    pub fn open(file: &File) -> io::Result<Self> {
        // SAFETY: a segment is renamed into its place when it is complete, and only removed after
        // that; nobody cuts it short while it is mapped.
        let map = unsafe { Mmap::map(file)? };
        let invalid = || io::Error::from(io::ErrorKind::InvalidData);
        if !map.starts_with(MAGIC) {
            return Err(invalid());
        }
        let texts = fixed(&map, MAGIC.len()).ok_or_else(invalid)? as usize;
        let mut ends = [0; Section::COUNT];
        let mut start = Section::HEAD;
        for (number, end) in ends.iter_mut().enumerate() {
            *end = fixed(&map, MAGIC.len() + 4 + 4 * number).ok_or_else(invalid)? as usize;
            if *end < start || *end > map.len() {
                return Err(invalid());
            }
            start = *end;
        }
        // Of each text there is a length, three numbers and a kind at least.
        if texts > (ends[0] - Section::HEAD) / 26 {
            return Err(invalid());
        }
        Ok(Self { map, texts, ends })
    }

    /// Gives its memory back to the system; what is asked next is read from the disk again, or
    /// from what the system still holds of it.
    pub fn rest(&self) {
        // SAFETY: the map is shared and never written, so the pages come back as they were.
        let _ = unsafe { self.map.unchecked_advise(UncheckedAdvice::DontNeed) };
    }

    /// How many texts it holds.
    pub fn len(&self) -> usize {
        self.texts
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        self.map.len()
    }

    /// Whether it holds no text.
    pub fn is_empty(&self) -> bool {
        self.texts == 0
    }

    /// The texts, in the order of their numbers.
    pub fn texts(&self) -> impl Iterator<Item = Text<'_>> {
        let (mut rest, mut number) = (self.section(Section::Texts), 0);
        std::iter::from_fn(move || {
            let length = take(&mut rest)? as usize;
            let (name, after) = rest.split_at_checked(length)?;
            let (state, after) = after.split_first_chunk::<24>()?;
            let (&kind, after) = after.split_first()?;
            rest = after;
            let mut numbers = [0; 3];
            for (number, bytes) in numbers.iter_mut().zip(state.chunks_exact(8)) {
                *number = u64::from_le_bytes(*bytes.first_chunk()?);
            }
            number += 1;
            Some(Text { name, state: numbers, kind, body: self.body(number - 1) })
        })
    }

    /// The body of a text; empty for a number that no text has.
    pub fn body(&self, text: usize) -> &[u8] {
        let ends = self.section(Section::BodyEnds);
        let end = |text: usize| fixed(ends, text * 4).map(|end| end as usize);
        let start = text.checked_sub(1).map_or(Some(0), end);
        let range = start.zip(end(text)).map(|(start, end)| start..end);
        range.and_then(|range| self.section(Section::Bodies).get(range)).unwrap_or_default()
    }

    fn section(&self, section: Section) -> &[u8] {
        let number = section as usize;
        let start = number.checked_sub(1).map_or(Section::HEAD, |before| self.ends[before]);
        &self.map[start..self.ends[number]]
    }

    /// The list of a key of a table.
    fn list(&self, table: Section, lists: Section, key: u32) -> Option<&[u8]> {
        let rows = self.section(table).as_chunks::<ROW>().0;
        let at = rows.binary_search_by_key(&key, |row| fixed(row, 0).unwrap_or_default()).ok()?;
        let mut bytes = self.section(lists).get(fixed(&rows[at], 4)? as usize..)?;
        let length = take(&mut bytes)? as usize;
        bytes.get(..length)
    }

    /// The texts in which two marks follow each other.
    pub(crate) fn with_marks(&self, pair: u16) -> Set {
        let mut set = Set::empty(self.texts);
        if let Some(list) = self.list(Section::Marks, Section::MarkTexts, u32::from(pair)) {
            numbers(list).for_each(|text| set.insert(text));
        }
        set
    }

    /// The pairs of marks, each with the list of its texts.
    pub(crate) fn marks(&self) -> impl Iterator<Item = (u16, &[u8])> {
        let rows = self.section(Section::Marks).as_chunks::<ROW>().0;
        rows.iter().filter_map(|row| {
            let pair = fixed(row, 0)?;
            Some((u16::try_from(pair).ok()?, self.list(Section::Marks, Section::MarkTexts, pair)?))
        })
    }

    /// Where the words are that can hold this part.
    pub(crate) fn blocks(&self, part: &Part) -> Vec<u32> {
        match part.whole_word() {
            Some(word) => self.block_of(&word).into_iter().collect(),
            None => self.blocks_with(&part.needle(true)),
        }
    }

    /// The texts with a word in these blocks that holds this part.
    pub(crate) fn with_word(&self, part: &Part, blocks: &[u32]) -> Set {
        let mut set = Set::empty(self.texts);
        let folds = part.folds();
        let needle = part.needle(folds);
        let finder = Finder::new(&needle);
        let (mut words, mut lower, mut fits) = (Vec::new(), Vec::new(), Vec::new());
        for block in blocks {
            self.words_of(*block as usize, &mut words);
            let text = if folds {
                lower.clone_from(&words);
                lower.make_ascii_lowercase();
                &lower
            } else {
                &words
            };
            let mut from = 0;
            while let Some(found) = finder.find(&text[from..]) {
                let at = from + found;
                let start = memrchr(b'\n', &words[..at]).map_or(0, |before| before + 1);
                let end = memchr(b'\n', &words[at..]).map_or(words.len(), |after| at + after);
                from = at + 1;
                if part.fits(&words[start..end], at - start) {
                    fits.push(memchr_iter(b'\n', &words[..start]).count());
                    from = end;
                }
            }
            self.collect(*block, fits.drain(..), |text| set.insert(text));
        }
        set
    }

    /// The texts of words given by block.
    pub(crate) fn texts_of(&self, words: &[(u32, Vec<usize>)]) -> Set {
        let mut set = Set::empty(self.texts);
        for (block, fits) in words {
            self.collect(*block, fits.iter().copied(), |text| set.insert(text));
        }
        set
    }

    /// The blocks that hold every trigram of the needle, of at least three bytes.
    pub(crate) fn blocks_with(&self, needle: &[u8]) -> Vec<u32> {
        let list = |three| self.list(Section::Grams, Section::GramBlocks, gram(three));
        let lists: Option<Vec<&[u8]>> = needle.windows(3).map(list).collect();
        let Some(mut lists) = lists else { return Vec::new() };
        lists.sort_unstable_by_key(|list| list.len());
        let mut lists = lists.into_iter();
        let Some(first) = lists.next() else { return Vec::new() };
        let mut blocks: Vec<u32> = numbers(first).collect();
        for list in lists {
            // Looking at their words is cheaper than reading a list that is much longer.
            if blocks.len() * 8 <= list.len() {
                break;
            }
            let mut others = numbers(list).peekable();
            blocks.retain(|block| {
                while others.next_if(|other| other < block).is_some() {}
                others.peek() == Some(block)
            });
        }
        blocks
    }

    /// Where the words of a block begin, and their lists.
    fn block(&self, number: usize) -> Option<(usize, usize)> {
        let blocks = self.section(Section::Blocks);
        Some((fixed(blocks, number * 8)? as usize, fixed(blocks, number * 8 + 4)? as usize))
    }

    /// The lists of the words of a block, and of those after it.
    pub(crate) fn lists_of(&self, block: usize) -> Option<&[u8]> {
        self.section(Section::Postings).get(self.block(block)?.1..)
    }

    /// The words of a block as they are kept.
    pub(crate) fn packed(&self, block: usize) -> Option<&[u8]> {
        let start = self.block(block)?.0;
        let words = self.section(Section::Words);
        let end = self.block(block + 1).map_or(words.len(), |(next, _)| next);
        words.get(start..end)
    }

    /// Puts the words of a block in place of what is in `words`, each with a line break after it.
    pub(crate) fn words_of(&self, block: usize, words: &mut Vec<u8>) {
        words.clear();
        let (mut rest, mut before) = (self.packed(block).unwrap_or_default(), 0);
        while let Some(([shared, own], after)) = rest.split_first_chunk() {
            let (start, shared) = (words.len(), before..before + usize::from(*shared));
            let Some((own, after)) = after.split_at_checked(usize::from(*own)) else { return };
            if shared.end > start {
                return; // damaged
            }
            words.extend_from_within(shared);
            words.extend(own);
            words.push(b'\n');
            (before, rest) = (start, after);
        }
    }

    /// The only block in which a word can be.
    fn block_of(&self, word: &[u8]) -> Option<u32> {
        let first = |block: usize| {
            let ([_, own], rest) = self.packed(block)?.split_first_chunk()?;
            rest.get(..usize::from(*own))
        };
        let (mut low, mut high) = (0, self.section(Section::Blocks).len() / 8);
        while low < high {
            let middle = low.midpoint(high);
            if first(middle)? <= word { low = middle + 1 } else { high = middle }
        }
        low.checked_sub(1).map(|block| block as u32)
    }

    /// Gives the texts of words of a block, given by their numbers in order.
    pub(crate) fn collect(
        &self,
        block: u32,
        words: impl Iterator<Item = usize>,
        mut text: impl FnMut(u32),
    ) {
        let Some(mut lists) = self.lists_of(block as usize) else { return };
        let mut next = 0;
        for word in words {
            while next <= word {
                let Some(length) = take(&mut lists) else { return };
                let Some((list, rest)) = lists.split_at_checked(length as usize) else { return };
                lists = rest;
                if next == word {
                    numbers(list).for_each(&mut text);
                }
                next += 1;
            }
        }
    }
}

/// The numbers of a list.
pub(crate) fn numbers(mut list: &[u8]) -> impl Iterator<Item = u32> {
    let mut next = 0_u32;
    std::iter::from_fn(move || {
        let number = next.wrapping_add(take(&mut list)?);
        next = number.wrapping_add(1);
        Some(number)
    })
}
