//! A source file that was read: bounds, the tree, and the walk of a query over it.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use tree_sitter::{Node, Tree};

use crate::bounded::{self, Left};
use crate::grammar::Grammar;
use crate::languages::Language;
use crate::pattern::{Match, Patterns, Walk};

/// Largest file that is read; larger ones are data or generated.
pub const FILE_BYTES: usize = 4 << 20;
/// Longest line that is read; longer ones are minified code whose symbols say nothing.
pub const LINE_BYTES: usize = 100 << 10;
/// Longest that one file may take, from parsing to its last query.
///
/// Looked at every hundred steps of the parser, and every four thousand blocks of memory within a
/// step. How much memory that may be has a bound of its own, by the size of the file.
pub const PARSE_TIME: Duration = Duration::from_secs(10);

/// Why a file has no symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It has so many bytes.
    TooLarge(usize),
    /// This line, from 1, has so many bytes.
    LongLine(usize, usize),
    /// It took longer than it may.
    TooSlow,
    /// It took more memory than code of its size does.
    TooHard,
    /// Nobody wants it any more.
    Stopped,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooLarge(bytes) => {
                write!(f, "{bytes} bytes; symbols are read from files of at most {FILE_BYTES}")
            }
            Self::LongLine(line, bytes) => write!(
                f,
                "line {line} has {bytes} bytes; symbols are read from lines of at most {LINE_BYTES}"
            ),
            Self::TooSlow => {
                write!(f, "its symbols were not found within {} s", PARSE_TIME.as_secs())
            }
            Self::TooHard => f.write_str("broken in a way that takes too much memory to read"),
            Self::Stopped => f.write_str("stopped before its symbols were found"),
        }
    }
}

impl std::error::Error for Refusal {}

/// A source file and its tree.
pub struct Parsed<'a> {
    pub(crate) language: Language,
    pub(crate) grammar: &'a Grammar,
    pub(crate) source: Cow<'a, [u8]>,
    pub(crate) tree: Tree,
    pub(crate) stop: &'a dyn Fn() -> bool,
    started: Instant,
}

impl<'a> Parsed<'a> {
    pub(crate) fn new(
        grammar: &'a Grammar,
        language: Language,
        source: &'a [u8],
        stop: &'a dyn Fn() -> bool,
    ) -> Result<Self, Refusal> {
        check_size(source)?;
        let started = Instant::now();
        let source = prepare(source);
        let ended = || stop() || started.elapsed() > PARSE_TIME;
        let tree =
            bounded::parse(&grammar.language, &source, &ended).map_err(|left| match left {
                Left::Stopped => refusal(stop),
                Left::Full => Refusal::TooHard,
            })?;
        Ok(Self { language, grammar, source, tree, stop, started })
    }

    /// The language it was read as.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Whether some of it is no valid code of the language (or the grammar does not know it).
    pub fn is_broken(&self) -> bool {
        self.tree.root_node().has_error()
    }

    /// Gives every match of some patterns to `each`.
    pub(crate) fn matches<'t>(
        &'t self,
        patterns: &Patterns,
        each: impl FnMut(&Match<'_, 't>),
    ) -> Result<(), Refusal> {
        let go_on = || self.go_on().is_ok();
        let (tree, source, captures) = (&self.tree, &*self.source, &self.grammar.captures);
        let walk = Walk { tree, source, captures, go_on: &go_on };
        if walk.matches(patterns, each) { Ok(()) } else { Err(refusal(self.stop)) }
    }

    /// Gives every node to `enter`, which says whether to go on below it.
    pub(crate) fn walk<'t>(&'t self, mut enter: impl FnMut(Node<'t>) -> bool) {
        let mut cursor = self.tree.walk();
        loop {
            if enter(cursor.node()) && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    /// For work between the queries.
    pub(crate) fn go_on(&self) -> Result<(), Refusal> {
        let ended = (self.stop)() || self.started.elapsed() > PARSE_TIME;
        if ended { Err(refusal(self.stop)) } else { Ok(()) }
    }

    /// The text of a node, with `\u{fffd}` for what is no UTF-8.
    pub(crate) fn text(&self, node: Node<'_>) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.source[node.byte_range()])
    }
}

fn check_size(source: &[u8]) -> Result<(), Refusal> {
    if source.len() > FILE_BYTES {
        return Err(Refusal::TooLarge(source.len()));
    }
    let mut lines = source.split(|b| *b == b'\n').enumerate();
    match lines.find(|(_, line)| line.len() > LINE_BYTES) {
        Some((at, line)) => Err(Refusal::LongLine(at + 1, line.len())),
        None => Ok(()),
    }
}

/// Without the byte order mark and the `\r` of line ends, which some grammars stumble over. Neither
/// moves a line or a column.
fn prepare(source: &[u8]) -> Cow<'_, [u8]> {
    let source = source.strip_prefix(b"\xef\xbb\xbf").unwrap_or(source);
    if !source.windows(2).any(|pair| pair == b"\r\n") {
        return Cow::Borrowed(source);
    }
    let mut kept = Vec::with_capacity(source.len());
    for line in source.split_inclusive(|b| *b == b'\n') {
        kept.extend_from_slice(line.strip_suffix(b"\r\n").unwrap_or(line));
        if line.ends_with(b"\r\n") {
            kept.push(b'\n');
        }
    }
    Cow::Owned(kept)
}

fn refusal(stop: &dyn Fn() -> bool) -> Refusal {
    if stop() { Refusal::Stopped } else { Refusal::TooSlow }
}
