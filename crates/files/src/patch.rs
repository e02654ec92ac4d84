//! Unified diffs: read, tried against the files in memory, and applied to all of them or to none.
//!
//! Programs that apply diffs stop in the middle, skip what does not fit or put it where it fits
//! somehow, and say that all went well. Here the whole diff is worked out before the first file is
//! touched, by the rules of `git apply`, and a part that does not fit is an error that says why.

mod apply;
mod base85;
mod binary;
mod fit;
mod header;
mod hunk;
mod mismatch;
mod names;
mod parse;
mod plan;
mod risk;
mod tree;
mod v4a;

use std::path::{Path, PathBuf};

pub use fit::Placed;
pub use plan::{Base, FileChange, Plan, What, plan};
pub use risk::{Level, Risk, risk};

use binary::Binary;
use hunk::Hunk;
use names::Name;
pub use parse::parse;

/// The files of a diff and what it says of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchSet {
    files: Vec<FilePatch>,
}

/// What a diff says of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePatch {
    /// Where it begins in the diff, from 1.
    line: usize,
    kind: Kind,
    /// The names as written; the one that says `/dev/null` is missing.
    old: Option<Name>,
    new: Option<Name>,
    old_mode: Option<u32>,
    new_mode: Option<u32>,
    /// Whether its two names differ in their first part alone, so that this is a prefix.
    prefixed: bool,
    body: Body,
}

/// What is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Create,
    Delete,
    Edit,
    Rename,
    Copy,
}

/// How the content changes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Body {
    /// Line by line; no hunks: it stays.
    Hunks(Vec<Hunk>),
    Binary(Binary),
    /// It changes, and the diff does not say how.
    Unknown,
    /// It goes, whatever it is.
    Gone,
}

impl PatchSet {
    /// What it says of each file, in order.
    pub fn files(&self) -> &[FilePatch] {
        &self.files
    }

    /// Every path that applying it may touch, beneath `base`, sorted. `strip` as in [`plan`].
    pub fn paths(&self, base: &Base, strip: Option<usize>) -> Vec<PathBuf> {
        let names = self.files.iter().flat_map(|file| file.candidates(base, strip));
        let mut paths: Vec<PathBuf> =
            names.flatten().flat_map(|(old, new)| [old, new]).flatten().collect();
        paths.sort();
        paths.dedup();
        paths
    }
}

impl FilePatch {
    /// How many hunks it has.
    pub fn hunks(&self) -> usize {
        match &self.body {
            Body::Hunks(hunks) => hunks.len(),
            _ => 0,
        }
    }

    /// Whether its content is given or named as binary.
    pub fn is_binary(&self) -> bool {
        !matches!(self.body, Body::Hunks(_) | Body::Gone)
    }

    /// Its path as a person reads it, without the prefixes of git; the new one of two. One that is
    /// refused is as it was written.
    pub fn path(&self) -> PathBuf {
        let candidates = self.candidates(&Base::new(Path::new(""), &[]), None);
        let pair = candidates.ok().and_then(|all| all.into_iter().next());
        let written = || self.new.as_ref().or(self.old.as_ref()).map(Name::written);
        pair.and_then(|(old, new)| new.or(old)).or_else(written).unwrap_or_default()
    }

    /// What it does with the file.
    pub fn what(&self) -> What {
        match self.kind {
            Kind::Create => What::Created,
            Kind::Delete => What::Deleted,
            Kind::Edit => What::Modified,
            Kind::Rename => What::Renamed,
            Kind::Copy => What::Copied,
        }
    }
}

#[cfg(test)]
mod tests;
