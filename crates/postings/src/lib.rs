//! An index of the words of many texts: which of them can hold a match of a regular expression.
//!
//! A text is cut into words (letters, digits, underscores and all bytes beyond ASCII) and pairs of
//! punctuation marks. What is kept are the words of a [`Segment`], sorted and written once, and for
//! each the texts that hold it. A [`Query`] says which words a match must touch. The words that fit
//! are found by their trigrams, so that also a part of a word is found at once, and their texts are
//! joined. The answer may name a text without a match, never miss one that has it: whoever asks
//! looks into the texts that are named.
//!
//! It knows nothing of files; a text has a name, twenty-five bytes and a body that mean something to
//! the caller.

mod build;
mod bytes;
mod merge;
mod query;
mod segment;
mod set;
mod stems;
mod tokens;

pub use build::Builder;
pub use merge::merge;
pub use query::Query;
pub use segment::{Segment, Text};
pub use set::Set;
pub use stems::Stem;
