//! Where the names of a file are used, and as what: tokens only, never comments or strings.

use std::collections::HashSet;

use crate::columns::Columns;
use crate::grammar::Capture;
use crate::parsed::{Parsed, Refusal};

/// A token that is a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The name.
    pub name: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
    /// What it does there.
    pub role: Role,
}

/// What a name does where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// It is defined, also when only locally; parameters are `Other`.
    Definition,
    /// It is called.
    Call,
    /// It is brought in from elsewhere.
    Import,
    /// Anything else: a value, a type, a parameter.
    Other,
}

impl Role {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Definition => "definition",
            Self::Call => "call",
            Self::Import => "import",
            Self::Other => "other",
        }
    }
}

/// A name in the source, as bytes.
struct Token {
    start: usize,
    end: usize,
    row: usize,
}

impl Parsed<'_> {
    /// Every use of `name`, or of every name, in the order of the file.
    ///
    /// # Errors
    /// `TooSlow` or `Stopped`.
    pub fn references(&self, name: Option<&str>) -> Result<Vec<Reference>, Refusal> {
        let is_one = |bytes: &[u8]| name.is_none_or(|name| name.as_bytes() == bytes);
        let found = self.references_of(&self.definitions()?.names, &is_one)?;
        Ok(found.into_iter().map(|(_, reference)| reference).collect())
    }

    /// The uses of the names that are `wanted`, each with its first byte; names of definitions
    /// begin at `defined`.
    pub(crate) fn references_of(
        &self,
        defined: &HashSet<usize>,
        wanted: &dyn Fn(&[u8]) -> bool,
    ) -> Result<Vec<(usize, Reference)>, Refusal> {
        let mut tokens = Vec::new();
        let mut called = HashSet::new();
        let mut imports = Vec::new();
        self.matches(&self.grammar.references, |found| {
            for (what, node) in found.captures {
                match what {
                    Capture::Identifier => tokens.push(Token {
                        start: node.start_byte(),
                        end: node.end_byte(),
                        row: node.start_position().row,
                    }),
                    Capture::Call => _ = called.insert(node.start_byte()),
                    Capture::Import => imports.push(node.byte_range()),
                    _ => {}
                }
            }
        })?;
        tokens.sort_by_key(|t| (t.start, t.end));
        tokens.dedup_by_key(|t| t.start);
        imports.sort_by_key(|i| i.start);
        let mut columns = Columns::default();
        let mut references = Vec::new();
        for token in tokens {
            self.go_on()?;
            let column = columns.at(&self.source, token.row, token.start);
            let bytes = &self.source[token.start..token.end];
            if bytes.is_empty() || !wanted(bytes) {
                continue;
            }
            let imported = imports[..imports.partition_point(|i| i.start <= token.start)]
                .last()
                .is_some_and(|i| token.end <= i.end);
            let role = if imported {
                Role::Import
            } else if defined.contains(&token.start) {
                Role::Definition
            } else if called.contains(&token.start) {
                Role::Call
            } else {
                Role::Other
            };
            let name = String::from_utf8_lossy(bytes).into_owned();
            references.push((token.start, Reference { name, line: token.row + 1, column, role }));
        }
        Ok(references)
    }
}
