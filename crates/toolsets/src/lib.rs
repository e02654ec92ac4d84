//! The tool dialects: one folder a dialect, one file a tool, the file's name is the tool's name.
//!
//! Dialects never import each other; what two tools share is a function of the engine.

mod fiz;
mod local;
mod prelude;

use toolkit::Toolset;

/// Every dialect by its name on the command line, in the order in which they are documented.
pub const NAMES: &[&str] = &["fiz", "local"];

/// The toolset of this name.
pub fn toolset(name: &str) -> Option<Toolset> {
    match name {
        "fiz" => Some(fiz::toolset()),
        "local" => Some(local::toolset()),
        _ => None,
    }
}
