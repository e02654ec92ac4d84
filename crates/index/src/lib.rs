//! What a codebase says: ranked search, symbols and references.
//!
//! `files` knows files and no language, `syntax` knows languages and no file. Here they meet:
//! which files changed, what they define, and where a question in words is answered.

mod definitions;
mod document;
mod fresh;
mod place;
mod rank;
mod search;
mod spoken;
mod store;
mod symbols;
mod table;
mod verdict;
mod wide;
mod words;

pub use document::Fields;
pub use place::Purpose;
pub use rank::Weights;
pub use search::{Answer, Hit, Index, Search, Tuning};
pub use spoken::declared;
pub use symbols::{Listed, Located, Named, Places, Use};
pub use table::Table;
pub use verdict::{Absent, Adrift, Loss, Missed, Spot, Touched, Verdict};
