//! What a text must hold so that a pattern can match in it.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class as Characters, Hir, HirKind, Repetition};

use crate::segment::Segment;
use crate::set::Set;
use crate::tokens::{Class, IN_WINDOW, WINDOW, class, pair};

/// Most texts that an alternation or a class is written out to.
const MOST_TEXTS: usize = 32;
/// Most bytes of a text that is written out.
const MOST_BYTES: usize = 256;
/// Most characters of a class that is written out.
const MOST_CHARACTERS: usize = 8;
/// How many blocks of words are looked through in the time that it takes to look into one text.
const BLOCKS_OF_A_TEXT: usize = 4;
/// A part of a word that is shorter has no trigram.
const SHORTEST: usize = 3;

/// What a text must hold so that a pattern can match in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query(Node);

/// One condition.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    /// Every text may match.
    Any,
    All(Vec<Node>),
    One(Vec<Node>),
    Word(Part),
    Marks(u16),
}

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) units: Vec<Unit>,
    /// The word begins with it.
    pub(crate) left: bool,
    /// The word ends with it.
    pub(crate) right: bool,
}

/// One byte of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Byte(u8),
    /// An ASCII letter in either case, given in lower case.
    Letter(u8),
}

impl Unit {
    pub(crate) fn byte(self) -> u8 {
        match self {
            Self::Byte(byte) | Self::Letter(byte) => byte,
        }
    }

    pub(crate) fn lower(self) -> u8 {
        self.byte().to_ascii_lowercase()
    }

    fn fits(self, byte: u8) -> bool {
        match self {
            Self::Byte(own) => own == byte,
            Self::Letter(own) => own == byte.to_ascii_lowercase(),
        }
    }
}

impl Part {
    /// The one word that it can be, if it is a word with both its ends known.
    pub(crate) fn whole_word(&self) -> Option<Vec<u8>> {
        let whole = self.left && self.right && !self.folds() && self.units.len() < WINDOW;
        whole.then(|| self.units.iter().map(|unit| unit.byte()).collect())
    }

    /// Whether a letter of it may be in either case.
    pub(crate) fn folds(&self) -> bool {
        self.units.iter().any(|unit| matches!(unit, Unit::Letter(_)))
    }

    /// Its beginning, as much as is in one piece also where a word was cut into windows.
    pub(crate) fn needle(&self, lower: bool) -> Vec<u8> {
        let units = self.units.iter().take(IN_WINDOW);
        units.map(|unit| if lower { unit.lower() } else { unit.byte() }).collect()
    }

    /// Whether it lies in a word at this place.
    pub(crate) fn fits(&self, word: &[u8], at: usize) -> bool {
        // Of a window only the beginning is asked for: the rest may be in the next one.
        let is_window = word.len() == WINDOW;
        let length = if is_window { self.units.len().min(IN_WINDOW) } else { self.units.len() };
        let Some(bytes) = word.get(at..at + length) else { return false };
        let bounded = (!self.left || at == 0) && (!self.right || at + length == word.len());
        (is_window || bounded) && self.units.iter().zip(bytes).all(|(unit, b)| unit.fits(*b))
    }
}

impl Query {
    /// What `pattern` needs: a regular expression in Rust's syntax, or plain text if `literal`, as
    /// it is matched in single lines. `None` if every text may match, so that an index is no help;
    /// also for a pattern that cannot be parsed.
    pub fn new(pattern: &str, literal: bool, ignore_case: bool) -> Option<Self> {
        let escaped;
        let pattern = if literal {
            escaped = regex_syntax::escape(pattern);
            &escaped
        } else {
            pattern
        };
        let mut parser = ParserBuilder::new()
            .multi_line(true)
            .crlf(true)
            .utf8(false)
            .case_insensitive(ignore_case)
            .build();
        let node = Needs::of(&parser.parse(pattern).ok()?).node();
        (node != Node::Any).then_some(Self(node))
    }

    /// What the texts need that hold `word` with neither letter, digit nor underscore beside it.
    /// `None` if it is not one word.
    pub fn word(word: &str) -> Option<Self> {
        let is_word = !word.is_empty() && word.bytes().all(|byte| class(byte) == Class::Word);
        let units = || word.bytes().map(Unit::Byte).collect();
        is_word.then(|| Self(Node::Word(Part { units: units(), left: true, right: true })))
    }

    /// The texts of a segment that can match.
    pub fn texts(&self, segment: &Segment) -> Set {
        self.0.texts(segment).unwrap_or_else(|| {
            let mut all = Set::empty(segment.len());
            (0..segment.len()).for_each(|text| all.insert(text as u32));
            all
        })
    }
}

impl Node {
    /// `None` stands for all texts.
    fn texts(&self, segment: &Segment) -> Option<Set> {
        match self {
            Self::Any => None,
            Self::Word(part) => Some(segment.with_word(part, &segment.blocks(part))),
            Self::Marks(pair) => Some(segment.with_marks(*pair)),
            Self::All(nodes) => Self::texts_of_all(nodes, segment),
            Self::One(nodes) => {
                let mut one = Set::empty(segment.len());
                for node in nodes {
                    one.unite(&node.texts(segment)?);
                }
                Some(one)
            }
        }
    }

    /// The conditions that cost least come first; one that costs more than looking into the texts
    /// that are left is not asked.
    fn texts_of_all(nodes: &[Self], segment: &Segment) -> Option<Set> {
        let mut all: Option<Set> = None;
        let meet = |set: Set, all: &mut Option<Set>| match all {
            Some(all) => all.intersect(&set),
            None => *all = Some(set),
        };
        let mut words = Vec::new();
        for node in nodes {
            match node {
                Self::Word(part) => words.push((segment.blocks(part), part)),
                node => node.texts(segment).into_iter().for_each(|set| meet(set, &mut all)),
            }
        }
        words.sort_by_key(|(blocks, _)| blocks.len());
        for (blocks, part) in words {
            let left = all.as_ref().map_or(usize::MAX, Set::len);
            if blocks.len() > left.saturating_mul(BLOCKS_OF_A_TEXT) {
                break;
            }
            meet(segment.with_word(part, &blocks), &mut all);
        }
        all
    }

    fn all(nodes: Vec<Self>) -> Self {
        let mut nodes: Vec<Self> = nodes.into_iter().filter(|node| *node != Self::Any).collect();
        match nodes.len() {
            0 => Self::Any,
            1 => nodes.remove(0),
            _ => Self::All(nodes),
        }
    }

    fn one(mut nodes: Vec<Self>) -> Self {
        match nodes.len() {
            _ if nodes.contains(&Self::Any) => Self::Any,
            1 => nodes.remove(0),
            _ => Self::One(nodes),
        }
    }
}

type Text = Vec<Unit>;

/// What a part of a pattern needs.
enum Needs {
    /// Its matches are these texts and no others.
    Exactly(Vec<Text>),
    Node(Node),
}

impl Needs {
    fn of(pattern: &Hir) -> Self {
        match pattern.kind() {
            HirKind::Empty | HirKind::Look(_) => Self::Exactly(vec![Vec::new()]),
            HirKind::Literal(text) => {
                Self::Exactly(vec![text.0.iter().map(|byte| Unit::Byte(*byte)).collect()])
            }
            HirKind::Class(characters) => {
                written_out(characters).map_or(Self::Node(Node::Any), Self::Exactly)
            }
            HirKind::Capture(group) => Self::of(&group.sub),
            HirKind::Repetition(repeated) => Self::of_repetition(repeated),
            HirKind::Concat(parts) => Self::of_row(parts),
            HirKind::Alternation(parts) => Self::of_choice(parts),
        }
    }

    fn of_repetition(repeated: &Repetition) -> Self {
        let sub = Self::of(&repeated.sub);
        match (repeated.min, repeated.max, sub) {
            (1, Some(1), sub) => sub,
            (0, Some(1), Self::Exactly(mut texts)) => {
                texts.push(Vec::new());
                Self::Exactly(texts)
            }
            (0, ..) => Self::Node(Node::Any),
            (.., sub) => Self::Node(sub.node()),
        }
    }

    fn of_row(parts: &[Hir]) -> Self {
        let (mut run, mut nodes) = (vec![Vec::new()], Vec::new());
        for part in parts {
            match Self::of(part) {
                Self::Exactly(texts) => match crossed(&run, &texts) {
                    Some(longer) => run = longer,
                    None => nodes.push(Self::Exactly(std::mem::replace(&mut run, texts)).node()),
                },
                Self::Node(node) => {
                    nodes.push(Self::Exactly(std::mem::replace(&mut run, vec![Vec::new()])).node());
                    nodes.push(node);
                }
            }
        }
        if nodes.is_empty() {
            return Self::Exactly(run);
        }
        nodes.push(Self::Exactly(run).node());
        Self::Node(Node::all(nodes))
    }

    fn of_choice(parts: &[Hir]) -> Self {
        let (mut texts, mut nodes) = (Vec::new(), Vec::new());
        for part in parts {
            match Self::of(part) {
                Self::Exactly(own) => texts.extend(own),
                Self::Node(node) => nodes.push(node),
            }
        }
        if nodes.is_empty() && texts.len() <= MOST_TEXTS {
            return Self::Exactly(texts);
        }
        nodes.extend(texts.iter().map(|text| held_by(text)));
        Self::Node(Node::one(nodes))
    }

    fn node(self) -> Node {
        match self {
            Self::Exactly(texts) => Node::one(texts.iter().map(|text| held_by(text)).collect()),
            Self::Node(node) => node,
        }
    }
}

/// Each text of `first` followed by each of `second`, unless that is too much.
fn crossed(first: &[Text], second: &[Text]) -> Option<Vec<Text>> {
    let longest = |texts: &[Text]| texts.iter().map(Vec::len).max().unwrap_or_default();
    if first.len() * second.len() > MOST_TEXTS || longest(first) + longest(second) > MOST_BYTES {
        return None;
    }
    let pairs = first.iter().flat_map(|a| second.iter().map(move |b| [a.as_slice(), b].concat()));
    Some(pairs.collect())
}

/// The characters of a small class; both cases of an ASCII letter are one unit.
fn written_out(characters: &Characters) -> Option<Vec<Text>> {
    let mut few: Vec<char> = Vec::new();
    match characters {
        Characters::Unicode(class) => {
            for range in class.iter() {
                let all = range.start()..=range.end();
                few.extend(all.take(2 * MOST_CHARACTERS + 1));
            }
        }
        Characters::Bytes(class) => {
            for range in class.iter() {
                if range.end() >= 0x80 {
                    return None;
                }
                few.extend((range.start()..=range.end()).map(char::from));
            }
        }
    }
    let both =
        |c: &char| few.contains(&c.to_ascii_lowercase()) && few.contains(&c.to_ascii_uppercase());
    let text = |c: &char| match c {
        c if c.is_ascii_alphabetic() && both(c) => {
            c.is_ascii_lowercase().then(|| vec![Unit::Letter(*c as u8)])
        }
        c => Some(c.encode_utf8(&mut [0; 4]).bytes().map(Unit::Byte).collect()),
    };
    let texts: Vec<Text> = few.iter().filter_map(text).collect();
    (!texts.is_empty() && texts.len() <= MOST_CHARACTERS).then_some(texts)
}

/// What a text holds that holds this one.
fn held_by(text: &[Unit]) -> Node {
    let mut nodes = Vec::new();
    let mut start = 0;
    for run in text.chunk_by(|a, b| class(a.byte()) == class(b.byte())) {
        let (left, right) = (start > 0, start + run.len() < text.len());
        start += run.len();
        match class(run[0].byte()) {
            Class::Space => {}
            Class::Mark => {
                nodes.extend(
                    run.windows(2).map(|two| Node::Marks(pair(two[0].byte(), two[1].byte()))),
                );
            }
            Class::Word if run.len() >= SHORTEST => {
                nodes.push(Node::Word(Part { units: run.to_vec(), left, right }));
            }
            // A whole word, however short, is found by itself.
            Class::Word if left && right && run.iter().all(|u| matches!(u, Unit::Byte(_))) => {
                nodes.push(Node::Word(Part { units: run.to_vec(), left, right }));
            }
            Class::Word => {}
        }
    }
    Node::all(nodes)
}
