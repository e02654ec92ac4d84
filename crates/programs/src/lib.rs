//! Programs: started in a sandbox, with what they change of the files written to a layer first;
//! git through its own program; and the commands that a project's files call for.
//!
//! Nothing here knows the name of a tool or the spelling of a parameter, and no public type can be
//! serialized: the wire belongs to the crates above. Everything blocks; nothing is async.

pub mod git;
pub mod process;
pub mod project;
