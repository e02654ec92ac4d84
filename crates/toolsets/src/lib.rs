//! The tool dialects: a directory for each dialect, a file for each tool, named after the tool.
//!
//! Dialects never import each other; what two tools share is a function of the crates below. The
//! two versions of Floyd are one dialect.

mod browser;
mod cache;
mod fiz;
mod flat;
mod floyd;
mod floyd_0_1_0;
mod git;
mod kit;
mod local;
mod memory;
mod prelude;
mod program;
mod stack;
mod web;

use toolkit::Toolset;

/// Every dialect by its name on the command line, in the order in which they are documented.
pub const NAMES: &[&str] = &["floyd", "floyd-0.1.0", "stack", "local", "fiz", "kit"];

/// The toolset of this name.
pub fn toolset(name: &str) -> Option<Toolset> {
    match name {
        "floyd" => Some(floyd::toolset()),
        "floyd-0.1.0" => Some(floyd_0_1_0::toolset()),
        "stack" => Some(stack::toolset()),
        "fiz" => Some(fiz::toolset()),
        "kit" => {
            let mut kit = kit::toolset();
            kit.beyond = beyond;
            Some(kit)
        }
        "local" => Some(local::toolset()),
        _ => None,
    }
}

/// What the tools of `kit` that call others reach: all dialects, what both versions of Floyd have once.
fn beyond() -> Vec<Toolset> {
    let (floyd, mut former) = (floyd::toolset(), floyd_0_1_0::toolset());
    former.retain(|entry| entry.names().all(|name| floyd.find(name).is_err()));
    vec![floyd, stack::toolset(), local::toolset(), fiz::toolset(), former]
}
