//! How much can go wrong with a diff, told from the diff alone.

use super::{Body, FilePatch, Kind, PatchSet};
use crate::patch::hunk::{Hunk, Sign};

/// How risky a diff is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Small changes of ordinary files.
    Low,
    /// More than 50 lines in one hunk, or more than 3 files.
    Medium,
    /// Binary or sensitive files, or deletions.
    High,
}

/// What is risky about a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Risk {
    /// The highest of all reasons.
    pub level: Level,
    /// Why, a sentence each.
    pub reasons: Vec<String>,
    /// Whether a binary file is in it.
    pub binary: bool,
    /// Hunks over all files.
    pub hunks: usize,
}

/// Parts of paths that hold secrets or decide what is installed.
const SENSITIVE: &[&str] = &[
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    ".env",
    "credentials",
    "secret",
    "private",
];
const BINARY: &[&str] = &[".bin", ".exe", ".dll"];
const LARGE_HUNK: usize = 50;
const MANY_FILES: usize = 3;

/// Judges a diff without looking at the files.
pub fn risk(set: &PatchSet) -> Risk {
    let mut reasons = Vec::new();
    let mut binary = false;
    for file in &set.files {
        let path = super::tree::shown(&file.path());
        let low = file.names().to_lowercase();
        if file.is_binary() || BINARY.iter().any(|part| low.contains(part)) {
            binary = true;
            reasons.push((Level::High, format!("Binary file: {path}")));
        }
        if let Some(part) = SENSITIVE.iter().find(|part| low.contains(*part)) {
            reasons.push((Level::High, format!("Sensitive file ({part}): {path}")));
        }
        if file.kind == Kind::Delete {
            reasons.push((Level::High, format!("File is deleted: {path}")));
        }
        let large = |hunk: &&Hunk| {
            let both = hunk.count(Sign::Both);
            hunk.count(Sign::Old).max(hunk.count(Sign::New)) + both > LARGE_HUNK
        };
        if let Body::Hunks(hunks) = &file.body
            && let Some(hunk) = hunks.iter().find(large)
        {
            let lines = hunk.rows.len();
            reasons.push((Level::Medium, format!("Large hunk ({lines} lines): {path}")));
        }
    }
    if set.files.len() > MANY_FILES {
        reasons.push((Level::Medium, format!("{} files are changed", set.files.len())));
    }
    Risk {
        level: reasons.iter().map(|(level, _)| *level).max().unwrap_or(Level::Low),
        reasons: reasons.into_iter().map(|(_, reason)| reason).collect(),
        binary,
        hunks: set.files.iter().map(FilePatch::hunks).sum(),
    }
}
