//! A directory above a root that takes every change of a program.

use std::path::PathBuf;

/// What the launcher must know of a layer. The journal makes it, and brings in what is in it.
#[derive(Debug)]
pub(crate) struct Layer {
    /// The root below it, a real path.
    pub(crate) root: PathBuf,
    /// Where what is changed is written; on the mount of the root.
    pub(crate) upper: PathBuf,
    /// What the kernel works in.
    pub(crate) work: PathBuf,
    /// Directories of the root that programs write to directly, by their path in it.
    pub(crate) passed: Vec<PathBuf>,
}
