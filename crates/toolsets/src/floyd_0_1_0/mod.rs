//! Floyd 0.1.0, the older of its two documents: every tool has fields of its own.

use toolkit::{Entry, Toolset};

use crate::flat::FLAT;

pub(crate) mod edit_file;
pub(crate) mod read_file;

/// The toolset in the order of its document.
pub(crate) fn toolset() -> Toolset {
    let mut toolset = Toolset::new(
        "floyd-0.1.0",
        "Floyd 0.1.0: tools for a coding companion, each with its own fields",
    );
    toolset.instructions = crate::floyd::INSTRUCTIONS;
    toolset.envelope = FLAT;
    toolset.with(vec![Entry::of::<read_file::ReadFile>(), Entry::of::<edit_file::EditFile>()])
}
