//! Makes a segment from texts.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher as _;

use crate::bytes::{length, put};
use crate::segment::{BLOCK, MAGIC, Section, Text};
use crate::tokens::tokens;

/// Collects the words of texts in memory, until they are written as one segment.
///
/// It takes about as much memory as a third of the texts, and the bodies.
#[derive(Default)]
pub struct Builder {
    texts: Texts,
    /// All words one after the other.
    letters: Vec<u8>,
    words: Vec<Word>,
    /// The hash of each word with its number.
    table: HashTable<(u64, u32)>,
    /// By pair.
    marks: Vec<Postings>,
    hash: FixedState,
}

/// What a segment says of its texts themselves.
#[derive(Default)]
pub(crate) struct Texts {
    texts: Vec<u8>,
    bodies: Vec<u8>,
    body_ends: Vec<u8>,
    count: u32,
}

impl Texts {
    /// Adds a text; gives its number.
    pub(crate) fn add(&mut self, text: &Text<'_>) -> u32 {
        put(text.name.len() as u32, &mut self.texts);
        self.texts.extend(text.name);
        self.texts.extend(text.state.iter().flat_map(|n| n.to_le_bytes()));
        self.texts.push(text.kind);
        self.bodies.extend(text.body);
        self.body_ends.extend((self.bodies.len() as u32).to_le_bytes());
        self.count += 1;
        self.count - 1
    }
}

struct Word {
    /// Its first bytes, which are enough to sort most words by.
    front: u64,
    start: u32,
    length: u8,
    postings: Postings,
}

impl Word {
    fn new(word: &[u8], front: u64, start: u32) -> Self {
        // A word is never longer than a window.
        Self { front, start, length: word.len() as u8, postings: Postings::default() }
    }

    /// Whether it is `word`, which begins with `front`: the bytes of a short word are not looked at.
    fn is(&self, word: &[u8], front: u64, letters: &[u8]) -> bool {
        self.front == front
            && usize::from(self.length) == word.len()
            && (word.len() <= FRONT || self.of(letters) == word)
    }

    fn of<'l>(&self, letters: &'l [u8]) -> &'l [u8] {
        &letters[self.start as usize..][..usize::from(self.length)]
    }
}

/// Places for words that were met just now.
const RECENT: usize = 2048;
/// Bytes of a word that are its front.
const FRONT: usize = size_of::<u64>();

/// The first bytes of a word, in their order; a word holds no NUL byte.
fn front(word: &[u8]) -> u64 {
    match word.first_chunk() {
        Some(bytes) => u64::from_be_bytes(*bytes),
        None => {
            let front = word.iter().fold(0, |front, byte| front << 8 | u64::from(*byte));
            front << (8 * (FRONT - word.len()))
        }
    }
}

/// Which texts hold something: the first, and of each other its distance from the one before. Most
/// words are in one text alone.
#[derive(Default)]
pub(crate) struct Postings {
    first: u32,
    /// One more than the last text, 0 before the first.
    next: u32,
    deltas: Vec<u8>,
}

impl Postings {
    /// Of these texts, in any order; they are taken.
    pub(crate) fn of(texts: &mut Vec<u32>) -> Self {
        texts.sort_unstable();
        let mut postings = Self::default();
        texts.drain(..).for_each(|text| postings.add(text));
        postings
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.next == 0
    }

    fn add(&mut self, text: u32) {
        if self.next == 0 {
            self.first = text;
        } else if self.next <= text {
            put(text - self.next, &mut self.deltas);
        } else {
            return;
        }
        self.next = text + 1;
    }

    /// Writes how long the list is, and the list.
    fn write(&self, out: &mut Vec<u8>) {
        put((length(self.first) + self.deltas.len()) as u32, out);
        put(self.first, out);
        out.extend_from_slice(&self.deltas);
    }
}

impl Builder {
    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.texts.count as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.count == 0
    }

    /// Adds a text: its words are those of `content`.
    pub fn add(&mut self, text: &Text<'_>, content: &[u8]) {
        let number = self.texts.add(text);
        let Self { letters, words, table, marks, hash, .. } = self;
        // Words that were met just now, by a few bits of their hash: most occur again.
        let mut recent: [&[u8]; RECENT] = [&[]; RECENT];
        let word = |word| {
            let key = hash.hash_one(word);
            let recent = &mut recent[(key >> 32) as usize % RECENT];
            if *recent == word {
                return;
            }
            *recent = word;
            let front = front(word);
            let is_it =
                |own: &(u64, u32)| own.0 == key && words[own.1 as usize].is(word, front, letters);
            let at = table.find(key, is_it).map(|own| own.1).unwrap_or_else(|| {
                let at = words.len() as u32;
                table.insert_unique(key, (key, at), |own| own.0);
                words.push(Word::new(word, front, letters.len() as u32));
                letters.extend_from_slice(word);
                at
            });
            words[at as usize].postings.add(number);
        };
        tokens(content, word, |pair| {
            let pair = usize::from(pair);
            if marks.len() <= pair {
                marks.resize_with(pair + 1, Postings::default);
            }
            marks[pair].add(number);
        });
    }

    /// The segment, to be written to a file of its own.
    pub fn finish(mut self) -> Vec<u8> {
        drop(std::mem::take(&mut self.table));
        let Self { letters, words, .. } = &mut self;
        words.sort_unstable_by(|a, b| {
            a.front.cmp(&b.front).then_with(|| a.of(letters).cmp(b.of(letters)))
        });
        let mut writer = Writer::default();
        for word in words {
            writer.put(word.of(letters), &word.postings);
        }
        writer.finish(&self.marks, self.texts)
    }
}

/// Puts a segment together from its words, which come in their order.
#[derive(Default)]
pub(crate) struct Writer {
    sections: Sections,
    grams: Grams,
    /// How many words there are.
    count: usize,
    /// The last one.
    before: Vec<u8>,
}

impl Writer {
    /// Adds a word with its texts, in any order; one without texts is left out. The texts are
    /// taken.
    pub(crate) fn word(&mut self, word: &[u8], texts: &mut Vec<u32>) {
        let postings = Postings::of(texts);
        if !postings.is_empty() {
            self.put(word, &postings);
        }
    }

    /// Whether the next word is the first one of a block.
    pub(crate) fn begins_block(&self) -> bool {
        self.count.is_multiple_of(BLOCK)
    }

    fn put(&mut self, word: &[u8], postings: &Postings) {
        let Self { sections, grams, .. } = self;
        if self.count.is_multiple_of(BLOCK) {
            let starts = [sections.of(Section::Words).len(), sections.of(Section::Postings).len()];
            let starts = starts.iter().flat_map(|at| (*at as u32).to_le_bytes());
            sections.of(Section::Blocks).extend(starts);
            self.before.clear();
        }
        let alike = word.iter().zip(&self.before).take_while(|(a, b)| a == b).count();
        let shared = alike - letters_at_end(&word[..alike]);
        let own = &word[shared..];
        // A word is never longer than a window.
        sections.of(Section::Words).extend([shared as u8, own.len() as u8]);
        sections.of(Section::Words).extend_from_slice(own);
        postings.write(sections.of(Section::Postings));
        let block = (self.count / BLOCK) as u32;
        // The others are in the word before it, of the same block.
        let new = &word[alike.saturating_sub(2)..];
        new.windows(3).for_each(|three| grams.add(gram(three), block));
        self.before.truncate(shared);
        self.before.extend_from_slice(own);
        self.count += 1;
    }

    /// The marks are by pair.
    pub(crate) fn finish(self, marks: &[Postings], texts: Texts) -> Vec<u8> {
        let Self { mut sections, grams, .. } = self;
        for (gram, blocks) in grams.sorted() {
            sections.row(Section::Grams, Section::GramBlocks, gram, &blocks);
        }
        for (pair, texts) in marks.iter().enumerate().filter(|(_, texts)| !texts.is_empty()) {
            sections.row(Section::Marks, Section::MarkTexts, pair as u32, texts);
        }
        *sections.of(Section::Texts) = texts.texts;
        *sections.of(Section::BodyEnds) = texts.body_ends;
        *sections.of(Section::Bodies) = texts.bodies;
        sections.assemble(texts.count)
    }
}

/// Letters of a run are never shared alone: what a run begins with is then found without putting
/// words together.
fn letters_at_end(shared: &[u8]) -> usize {
    shared.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count()
}

/// In which blocks each trigram is.
#[derive(Default)]
struct Grams {
    table: HashTable<(u32, Postings)>,
    hash: FixedState,
}

impl Grams {
    fn add(&mut self, gram: u32, block: u32) {
        let Self { table, hash } = self;
        let entry =
            table.entry(hash.hash_one(gram), |row| row.0 == gram, |row| hash.hash_one(row.0));
        entry.or_insert_with(|| (gram, Postings::default())).into_mut().1.add(block);
    }

    fn sorted(self) -> Vec<(u32, Postings)> {
        let mut rows: Vec<_> = self.table.into_iter().collect();
        rows.sort_unstable_by_key(|row| row.0);
        rows
    }
}

/// A trigram of a word in lower case: one search finds all spellings.
pub(crate) fn gram(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |gram, b| gram << 8 | u32::from(b.to_ascii_lowercase()))
}

#[derive(Default)]
struct Sections([Vec<u8>; Section::COUNT]);

impl Sections {
    fn of(&mut self, section: Section) -> &mut Vec<u8> {
        &mut self.0[section as usize]
    }

    /// A row of a table: the key, and where its list begins.
    fn row(&mut self, table: Section, lists: Section, key: u32, postings: &Postings) {
        let start = self.of(lists).len() as u32;
        self.of(table).extend([key, start].iter().flat_map(|n| n.to_le_bytes()));
        postings.write(self.of(lists));
    }

    /// The head says where each section ends.
    fn assemble(self, texts: u32) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(texts.to_le_bytes());
        let mut end = Section::HEAD;
        for section in &self.0 {
            end += section.len();
            out.extend((end as u32).to_le_bytes());
        }
        out.reserve_exact(end - out.len());
        self.0.into_iter().for_each(|section| out.extend(section));
        out
    }
}
