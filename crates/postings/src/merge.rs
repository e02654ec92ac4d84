//! Several segments made one, without their texts.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::build::{Postings, Texts, Writer};
use crate::bytes::take;
use crate::segment::{Segment, numbers};
use crate::set::Set;

/// The segment that a builder would make of the texts in these sets, by their names; a name is in
/// one of them alone. `None` once `stop` says so.
pub fn merge(parts: &[(&Segment, &Set)], stop: &dyn Fn() -> bool) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    for (part, (segment, kept)) in parts.iter().enumerate() {
        let texts = segment.texts().enumerate().filter(|(number, _)| kept.contains(*number));
        all.extend(texts.map(|(number, text)| (text, part, number)));
    }
    all.sort_by(|a, b| a.0.name.cmp(b.0.name));
    let mut texts = Texts::default();
    let mut places: Vec<Vec<Option<u32>>> =
        parts.iter().map(|(segment, _)| vec![None; segment.len()]).collect();
    for (text, part, number) in &all {
        places[*part][*number] = Some(texts.add(text));
    }
    let mut found = Vec::new();
    let add = |part: usize, list: &[u8], found: &mut Vec<u32>| {
        found.extend(numbers(list).filter_map(|text| *places[part].get(text as usize)?));
    };
    let mut writer = Writer::default();
    let heads = parts.iter().enumerate().filter_map(|(part, (segment, _))| {
        let mut words = Words::of(segment);
        words.next().then_some(Head { words, part })
    });
    let mut heads: BinaryHeap<Head<'_>> = heads.collect();
    let mut word = Vec::new();
    while let Some(mut head) = heads.peek_mut() {
        if head.words.word() != word {
            writer.word(&word, &mut found);
            word.clear();
            word.extend(head.words.word());
        }
        add(head.part, head.words.list, &mut found);
        if !head.words.next() {
            std::collections::binary_heap::PeekMut::pop(head);
        }
        if writer.begins_block() && stop() {
            return None;
        }
    }
    writer.word(&word, &mut found);
    let mut marks: Vec<Vec<u32>> = Vec::new();
    for (part, (segment, _)) in parts.iter().enumerate() {
        for (pair, list) in segment.marks() {
            let pair = usize::from(pair);
            marks.resize_with(marks.len().max(pair + 1), Vec::new);
            add(part, list, &mut marks[pair]);
        }
    }
    let marks: Vec<Postings> = marks.iter_mut().map(Postings::of).collect();
    Some(writer.finish(&marks, texts))
}

/// The next word of a segment; the greatest is that which comes first.
struct Head<'s> {
    words: Words<'s>,
    part: usize,
}

impl Ord for Head<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.words.word().cmp(self.words.word())
    }
}

impl PartialOrd for Head<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Head<'_> {}

/// The words of a segment in their order, each with its list.
struct Words<'s> {
    segment: &'s Segment,
    /// The number of the next block.
    block: usize,
    /// The words of the block before it, each with a line break.
    words: Vec<u8>,
    /// Where the word is among them.
    word: std::ops::Range<usize>,
    list: &'s [u8],
    /// The lists after it.
    lists: &'s [u8],
}

impl<'s> Words<'s> {
    fn of(segment: &'s Segment) -> Self {
        Self { segment, block: 0, words: Vec::new(), word: 0..0, list: &[], lists: &[] }
    }

    fn word(&self) -> &[u8] {
        &self.words[self.word.clone()]
    }

    /// Goes to the next word; false if there is none.
    fn next(&mut self) -> bool {
        let mut start = self.word.end + 1;
        if start >= self.words.len() {
            let Some(lists) = self.segment.lists_of(self.block) else { return false };
            self.segment.words_of(self.block, &mut self.words);
            self.lists = lists;
            self.block += 1;
            start = 0;
        }
        let Some(length) = memchr::memchr(b'\n', &self.words[start..]) else { return false };
        self.word = start..start + length;
        let list =
            take(&mut self.lists).and_then(|length| self.lists.split_at_checked(length as usize));
        let Some((list, lists)) = list else { return false };
        (self.list, self.lists) = (list, lists);
        true
    }
}
