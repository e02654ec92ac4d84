//! The grammars with their queries, read when they are first asked for.

use std::sync::OnceLock;

use crate::bounded;
use crate::languages::Language;
use crate::parsed::{Parsed, Refusal};
use crate::pattern::{Captures, Patterns};
use crate::symbol::Kind;

/// The grammars of all languages; the owner keeps one for as long as it reads sources.
///
/// Queries of a language are read at its first use and are shared by threads.
#[derive(Default)]
pub struct Grammars {
    known: [OnceLock<Grammar>; Language::ALL.len()],
}

impl Grammars {
    /// Reads a source file; broken code gives what can be had of it.
    ///
    /// UTF-8 is expected, with or without byte order mark; bytes that are no UTF-8 do no harm.
    /// Once `stop` says true the work ends.
    ///
    /// # Errors
    /// A file over [`FILE_BYTES`](crate::FILE_BYTES) or with a line over
    /// [`LINE_BYTES`](crate::LINE_BYTES), one that takes longer than
    /// [`PARSE_TIME`](crate::PARSE_TIME), and a stop.
    pub fn parse<'a>(
        &'a self,
        language: Language,
        source: &'a [u8],
        stop: &'a dyn Fn() -> bool,
    ) -> Result<Parsed<'a>, Refusal> {
        Parsed::new(self.grammar(language), language, source, stop)
    }

    fn grammar(&self, language: Language) -> &Grammar {
        self.known[language as usize].get_or_init(|| Grammar::new(language))
    }
}

/// What a capture of our queries stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capture {
    /// The name of a definition.
    Name,
    /// A declarator of C, with the name somewhere in it.
    Declarator,
    /// The name of what a definition belongs to, where it does not stand in it.
    Container,
    /// The whole definition.
    Definition(Kind),
    /// What others stand in though it is no definition.
    Scope,
    /// What hides the variables in it though it has no name.
    Local,
    /// What defines nothing for others, such as the type of a parameter that is written out there.
    Inline,
    /// A token that may refer to something.
    Identifier,
    /// An identifier that is called.
    Call,
    /// What names things of elsewhere: the identifiers in it are imports.
    Import,
    /// What binds the names in it where it is.
    Bound,
    /// Only for a predicate.
    Unused,
}

impl Capture {
    pub(crate) fn new(name: &str) -> Self {
        match name {
            "name" => Self::Name,
            "declarator" => Self::Declarator,
            "container" => Self::Container,
            "scope" => Self::Scope,
            "local" => Self::Local,
            "inline" => Self::Inline,
            "identifier" => Self::Identifier,
            "call" => Self::Call,
            "import" => Self::Import,
            "bound" => Self::Bound,
            kind => Kind::ALL
                .iter()
                .find(|k| k.as_str() == kind)
                .map_or(Self::Unused, |k| Self::Definition(*k)),
        }
    }

    /// Which part of the query file a pattern with it belongs to: definitions, references, or what
    /// is bound.
    pub(crate) fn part(self) -> usize {
        match self {
            Self::Identifier | Self::Call | Self::Import => 1,
            Self::Bound => 2,
            _ => 0,
        }
    }
}

/// A grammar and the three parts of its query file.
pub(crate) struct Grammar {
    pub(crate) language: tree_sitter::Language,
    pub(crate) definitions: Patterns,
    pub(crate) references: Patterns,
    pub(crate) bound: Patterns,
    pub(crate) captures: Captures,
}

impl Grammar {
    pub(crate) fn new(language: Language) -> Self {
        bounded::install();
        let row = language.row();
        let grammar = (row.grammar)();
        // The queries are part of the program; a law over all languages reads each.
        let ([definitions, references, bound], captures) = Patterns::read(row.queries, &grammar)
            .unwrap_or_else(|e| panic!("queries of {}: {e}", row.name));
        Self { definitions, references, bound, captures, language: grammar }
    }
}
