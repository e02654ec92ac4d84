//! Floyd, the later of its two documents: tools in an envelope `{success, data?, error?}`.
//!
//! The older document is `floyd_0_1_0`; where both state a tool alike, its file stands here.

mod edit_file;
pub(crate) mod envelope;
mod read_file;

use toolkit::{Entry, Toolset};

/// What both versions tell the model.
pub(crate) const INSTRUCTIONS: &str = "Paths are relative to the project folder or absolute inside \
    it. edit_range, insert_at, delete_range and offset count lines from 0; grep, symbols and search \
    report lines from 1. Every change of a file can be undone by the user.";

/// The toolset in the order of its document.
pub(crate) fn toolset() -> Toolset {
    let mut toolset = Toolset::new("floyd", "Floyd: tools for a coding companion, in an envelope");
    toolset.instructions = INSTRUCTIONS;
    toolset.envelope = envelope::ENVELOPE;
    toolset.with(vec![Entry::of::<read_file::ReadFile>(), Entry::of::<edit_file::EditFile>()])
}
