//! What the tools do: files, search, edits, programs and the journal.
//!
//! Nothing here knows the name of a tool or the spelling of a parameter, and no public type can be
//! serialized: the wire belongs to the crates above. Everything blocks; nothing is async.

pub mod cache;
mod cancel;
pub mod edit;
pub mod error;
pub mod git;
pub mod journal;
pub mod limits;
pub mod memory;
pub mod near;
pub mod partial;
pub mod patch;
pub mod process;
pub mod project;
pub mod search;
pub mod state;
pub mod tasks;
pub mod text;
pub mod workspace;

pub use cancel::Cancel;
pub use error::{Code, Error, Result};
pub use limits::Limits;
pub use state::State;
pub use workspace::{Access, Workspace};
