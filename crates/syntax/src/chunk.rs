//! A file cut into pieces that say one thing each, for search by meaning.

use std::ops::RangeInclusive;

use crate::outline::OUTLINE_DEPTH;
use crate::parsed::{Parsed, Refusal};
use crate::symbol::{Kind, Symbol};

/// Most lines of a chunk; what is longer is cut into several.
pub const CHUNK_LINES: usize = 80;

/// What a row before a definition may be that belongs to it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lead {
    Comment,
    Attribute,
}

/// Nodes that belong to the definition behind them, besides comments.
const ATTRIBUTES: &[&str] = &["attribute_item", "attribute_declaration", "decorator"];

/// Some lines of a file that belong together.
///
/// Chunks of a file do not overlap, and every line with a letter or a digit is in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Its lines, from 1: the comment before a definition, the definition.
    pub lines: RangeInclusive<usize>,
    /// What it defines; `None` for what is between definitions.
    pub name: Option<String>,
    /// What that is.
    pub kind: Option<Kind>,
    /// What the definition is in or belongs to.
    pub container: Option<String>,
    /// The text of the comment before the definition, its marks included; also for the second and
    /// further chunks of a long one.
    pub doc: String,
}

/// Who owns a line: an index of the symbols.
type Owner = Option<usize>;

impl Parsed<'_> {
    /// Functions and types with the comments before them, and what is between.
    ///
    /// A short type is one chunk with all its methods; of a long one each method has its own. Long
    /// chunks are cut every [`CHUNK_LINES`] lines.
    ///
    /// # Errors
    /// `TooSlow` or `Stopped`.
    pub fn chunks(&self) -> Result<Vec<Chunk>, Refusal> {
        let mut symbols = self.symbols()?;
        symbols.sort_by_key(|s| (s.bytes.start, std::cmp::Reverse(s.bytes.end)));
        let lines: Vec<&[u8]> = self.source.split(|b| *b == b'\n').collect();
        let lead = self.leading_rows(lines.len())?;
        let docs: Vec<usize> = symbols.iter().map(|s| first_row(s, &lead)).collect();
        let owners = owners(&symbols, &docs, lines.len());
        let mut chunks = Vec::new();
        let mut start = 0;
        while start < lines.len() {
            let owner = owners[start];
            let run = owners[start..].iter().take(CHUNK_LINES).take_while(|o| **o == owner).count();
            let says = |line: &&[u8]| line.iter().any(|b| b.is_ascii_alphanumeric() || *b > 127);
            let rows = start..start + run;
            start = rows.end;
            if !lines[rows.clone()].iter().any(says) {
                continue;
            }
            let text = |row: usize| String::from_utf8_lossy(lines[row].trim_ascii());
            let blank = |line: &&[u8]| line.trim_ascii().is_empty();
            let first = lines[rows.clone()].iter().take_while(|l| blank(l)).count();
            let last = run - 1 - lines[rows.clone()].iter().rev().take_while(|l| blank(l)).count();
            let symbol = owner.map(|at| &symbols[at]);
            let is_comment = |row: &usize| lead[*row] == Some(Lead::Comment);
            let doc = owner.map(|at| (docs[at]..symbols[at].start_line - 1).filter(is_comment));
            chunks.push(Chunk {
                lines: rows.start + first + 1..=rows.start + last + 1,
                name: symbol.map(|s| s.name.clone()),
                kind: symbol.map(|s| s.kind),
                container: symbol.and_then(|s| s.container.clone()),
                doc: doc.into_iter().flatten().map(text).collect::<Vec<_>>().join("\n"),
            });
        }
        Ok(chunks)
    }

    /// Which rows are nothing but comments and attributes.
    fn leading_rows(&self, rows: usize) -> Result<Vec<Option<Lead>>, Refusal> {
        let mut lead = vec![None; rows];
        let mut cursor = self.tree.walk();
        loop {
            self.go_on()?;
            let node = cursor.node();
            let kind = node.kind();
            let what = match kind {
                kind if kind.ends_with("comment") => Some(Lead::Comment),
                kind if ATTRIBUTES.contains(&kind) => Some(Lead::Attribute),
                _ => None,
            };
            if what.is_some() {
                let (from, to) = (node.start_position(), node.end_position());
                let line_start = node.start_byte() - from.column;
                let before = &self.source[line_start..node.start_byte()];
                if before.trim_ascii().is_empty() {
                    let end = if to.column == 0 { to.row } else { to.row + 1 };
                    lead[from.row..end.clamp(from.row, rows)].fill(what);
                }
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Ok(lead);
                }
            }
        }
    }
}

/// The row at which the comments before a symbol begin, or its own.
fn first_row(symbol: &Symbol, lead: &[Option<Lead>]) -> usize {
    let own = symbol.start_line - 1;
    own - lead[..own].iter().rev().take_while(|l| l.is_some()).count()
}

/// Which symbol each row belongs to: the innermost, but nothing inside of one that is short.
fn owners(symbols: &[Symbol], docs: &[usize], rows: usize) -> Vec<Owner> {
    let mut owners = vec![None; rows];
    let mut short_until = 0;
    let mut open: Vec<usize> = Vec::new();
    for (at, symbol) in symbols.iter().enumerate() {
        let owns = symbol.kind.hides() || symbol.kind.has_methods() || symbol.kind == Kind::Macro;
        if !owns || symbol.bytes.end <= short_until {
            continue;
        }
        open.retain(|end| *end >= symbol.bytes.end);
        if open.len() >= OUTLINE_DEPTH {
            continue;
        }
        open.push(symbol.bytes.end);
        let end = symbol.end_line.min(rows);
        if end - docs[at] <= CHUNK_LINES {
            short_until = symbol.bytes.end;
        }
        owners[docs[at]..end].fill(Some(at));
    }
    owners
}
