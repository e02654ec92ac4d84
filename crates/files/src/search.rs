//! Looking for text in files, and for files by name, with ripgrep's own crates.
//!
//! A search that stays silent about what it passed over says "nothing there" where something is.
//! So every result says whether it is whole, and one that found nothing counts what was not
//! looked at: ignored, binary, unreadable.

mod digested;
mod file_list;
mod find;
mod fuzzy;
mod grep;
mod hit;
mod item;
mod map;
mod pattern;
#[cfg(test)]
mod tests;
mod unreadable;
mod walk;
mod weighed;

use fault::{Cancel, Result};
use grep_matcher::Matcher as _;
use std::num::NonZero;
use std::path::Path;
use std::sync::LazyLock;

use crate::workspace::Workspace;

pub use crate::tree::{Digest, Digested, Digests, Known};
pub use digested::{Asked, digests};
pub use file_list::{FileList, Stamp, list_files};
pub(crate) use item::{Item, name};
pub(crate) use unreadable::cause;
pub(crate) use walk::{PASSED_OVER, Walk, long_ignore};

pub use find::{Find, Kinds, Places, Spot, find};
pub use fuzzy::{Fitting, Fuzzy, fuzzy};
pub use grep::{Found, Grep, MOST_CONTEXT, grep};
pub use hit::Hit;
pub use map::{Map, map};
pub use walk::INTERNALS;
pub use weighed::{Weigh, Weighed, Weighing, weigh};

/// What tells where a line that is in no file, such as one that a program printed, first matches a
/// regular expression as those of files do: the byte at which the match begins.
///
/// # Errors
/// `InvalidRegex`, `InvalidInput` for an empty pattern.
pub fn line_matcher(pattern: &str) -> Result<impl Fn(&str) -> Option<usize> + use<>> {
    let (matcher, longest) = pattern::regex(&Grep::new(pattern, ".", 0))?;
    Ok(move |line: &str| {
        let line = &line.as_bytes()[..line.len().min(longest)];
        Some(matcher.find(line).ok()??.start()) // it has no error
    })
}

/// What tells whether a path, as it is shown, matches a glob; one without a slash is for names.
///
/// # Errors
/// `InvalidGlob`.
pub fn path_matcher(glob: &str) -> Result<impl Fn(&str) -> bool + use<>> {
    let glob = pattern::Glob::new(glob, Path::new("/"), true, false)?;
    Ok(move |path: &str| glob.matches(Path::new(path), name(Path::new(path))))
}

/// Directories that hold what nobody wrote by hand, skipped unless the caller names others.
const SKIPPED_FOLDERS: [&str; 5] = [".git", ".hg", ".svn", "node_modules", "vendor"];

/// What a search of the directory did not look at, as far as it is known without a look at the disk.
///
/// # Errors
/// `DirectoryNotFound`, `NotADirectory`, `PathOutsideWorkspace`.
pub fn left_out(workspace: &Workspace, dir: &str, cancel: &Cancel) -> Result<Skipped> {
    Ok(Walk::new(&workspace.folder(dir)?, cancel).left_out(workspace))
}

/// How many processors there are for this program. To ask the system each time costs as much as a
/// small file.
pub(crate) fn processors() -> usize {
    static PROCESSORS: LazyLock<usize> =
        LazyLock::new(|| std::thread::available_parallelism().map_or(1, NonZero::get));
    *PROCESSORS
}

/// Runs `work` on each processor, but not on more threads than there are `parts` of it; gives back
/// control when all are done.
pub fn in_parallel(parts: usize, work: impl Fn() + Sync) {
    std::thread::scope(|scope| {
        for _ in 1..processors().min(parts) {
            scope.spawn(&work);
        }
        work();
    });
}

/// What a search passes over. Hidden files are searched always, links are followed never.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignore<'a> {
    /// What `.gitignore` and `.ignore` files say, in a repository or not, and the directories
    /// `.git`, `.hg`, `.svn`, `node_modules` and `vendor`.
    Standard,
    /// The same with these directory names in place of the five.
    Folders(&'a [String]),
    /// Nothing: every file there is.
    Nothing,
}

/// What a search did not look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Files of the pattern that are ignored; counted only if nothing was found.
    pub ignored: usize,
    /// There are more ignored files than `ignored`: counting them all would take too long.
    pub ignored_more: bool,
    /// Files that hold NUL bytes; what is before the first of them may have been searched.
    pub binary: usize,
    /// Files with a line that is too long to be held in memory; searched up to it.
    pub too_large: usize,
    /// Files in another encoding than UTF-8 that are too large to be converted; what is ASCII in
    /// them was searched.
    pub unconverted: usize,
    /// Files and directories that the operating system did not let us read.
    pub unreadable: usize,
    /// The first few unreadable paths as they are shown, by name.
    pub unreadable_names: Vec<String>,
    /// Ignore files that are too long to be obeyed, as they are shown; their directories were left
    /// out.
    pub long_ignores: Vec<String>,
    /// Directories that are passed over because of their names though no ignore file names them, as
    /// they are shown.
    pub passed_over: Vec<String>,
}

impl Skipped {
    /// What was not looked at, in words; `None` if everything was. Beside what was `found`, files
    /// that are ignored, binary or have too long a line are not worth a word.
    pub fn beside(&self, found: bool) -> Option<String> {
        if !found {
            return self.note();
        }
        Self { ignored: 0, binary: 0, too_large: 0, ..self.clone() }.note()
    }

    /// What was not looked at, in words; `None` if everything was.
    pub fn note(&self) -> Option<String> {
        let mut parts = Vec::new();
        if self.ignored > 0 {
            let more = if self.ignored_more { "more than " } else { "" };
            parts.push(format!("{more}{}", fault::count(self.ignored, "ignored file")));
        }
        if self.binary > 0 {
            parts.push(fault::count(self.binary, "binary file"));
        }
        if self.too_large > 0 {
            let files = fault::count(self.too_large, "file");
            parts.push(format!("{files} with a line too long to search"));
        }
        if self.unconverted > 0 {
            let files = fault::count(self.unconverted, "file");
            parts.push(format!("non-ASCII text in {files} too large to decode"));
        }
        if self.unreadable > 0 {
            let names = self.unreadable_names.join(", ");
            let files = fault::count(self.unreadable, "unreadable file");
            parts.push(format!("{files} ({names})"));
        }
        for file in self.long_ignores.iter().take(5) {
            parts.push(format!("the directory of {file}, which is too long to be obeyed (1 MiB)"));
        }
        if let Some((first, others)) = self.passed_over.split_first() {
            let named = others.iter().take(4).fold(first.clone(), |all, name| all + ", " + name);
            let more = if others.len() > 4 { " and more" } else { "" };
            let count = match others.len() {
                0 => "1 directory".to_owned(),
                others => format!("{} directories", others + 1),
            };
            parts.push(format!("{count} ({named}{more}; name one to look into it)"));
        }
        (!parts.is_empty()).then(|| format!("skipped {}", parts.join(", ")))
    }
}
