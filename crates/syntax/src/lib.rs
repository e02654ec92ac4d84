//! From the bytes of a source file to its symbols, references, outline and chunks.
//!
//! A leaf: it knows no file, no tool and no other crate of ours, so the grammars compile once. All
//! that it needs of a language is a grammar and one file of queries in `queries/`.
//!
//! ```
//! use syntax::{Grammars, Language};
//!
//! let grammars = Grammars::default();
//! let parsed = grammars.parse(Language::Rust, b"fn answer() -> u8 { 42 }", &|| false)?;
//! let symbols = parsed.symbols()?;
//! assert_eq!(symbols[0].name, "answer");
//! assert_eq!(symbols[0].signature, "fn answer() -> u8");
//! # Ok::<(), syntax::Refusal>(())
//! ```

mod bounded;
mod broken;
mod chunk;
mod columns;
mod conditional;
mod declarator;
mod definitions;
mod detect;
mod doubled;
mod exports;
mod grammar;
mod imports;
mod languages;
mod made;
mod makers;
mod misplaced;
mod newer;
mod outline;
mod parsed;
mod pattern;
mod record;
mod reference;
mod signature;
mod strict;
mod symbol;
mod uses;

pub use broken::Broken;
pub use chunk::{CHUNK_LINES, Chunk};
pub use exports::Exports;
pub use grammar::Grammars;
pub use imports::Import;
pub use languages::Language;
pub use makers::{How, Maker};
pub use outline::{OUTLINE_DEPTH, Outline, outline};
pub use parsed::{FILE_BYTES, LINE_BYTES, PARSE_TIME, Parsed, Refusal};
pub use record::{put, take, version};
pub use reference::{Reference, Role};
pub use symbol::{Family, Kind, Symbol};
pub use uses::{Place, Used, Uses};
