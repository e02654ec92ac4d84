//! The files of a project: confined by the kernel, read as text without losing a byte, edited
//! exactly, searched, and changed only in steps of a journal that can be undone.
//!
//! Nothing here knows the name of a tool or the spelling of a parameter, and no public type can be
//! serialized: the wire belongs to the crates above. Everything blocks; nothing is async.

pub mod edit;
pub mod journal;
pub mod limits;
pub mod own;
pub mod partial;
pub mod patch;
pub mod search;
pub mod spelling;
pub mod state;
pub mod text;
mod tree;
pub mod workspace;

pub use limits::Limits;
pub use state::State;
pub use tree::{git, most_watches};
pub use workspace::{Access, Workspace};
