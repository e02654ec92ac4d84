//! The wording of what goes wrong with diffs and with edits by line number.

use std::fmt;

use super::{Code, Error};

impl Error {
    /// A range of lines, from 0 and inclusive, that a file of `count` lines does not have.
    pub fn invalid_line_range(path: &str, start: usize, end: usize, count: usize) -> Self {
        let problem = if start > end { "end before they start" } else { "are not all in the file" };
        let advice = match count {
            0 => "it is empty; insert at line 0".to_owned(),
            _ => format!(
                "it has {}; use 0 to {}, counted from 0",
                crate::count(count, "line"),
                count - 1
            ),
        };
        Self::new(
            Code::InvalidLineRange,
            format!("{path}: the lines {start} to {end} {problem}, {advice}"),
        )
        .with("path", path)
        .with("lines", count)
    }

    /// A line to insert at, from 0, beyond the end of a file of `count` lines.
    pub fn invalid_line_number(path: &str, line: usize, count: usize) -> Self {
        Self::new(
            Code::InvalidLineNumber,
            format!(
                "{path}: no line {line}, the file has {}; use 0 to {count}, counted from 0",
                crate::count(count, "line")
            ),
        )
        .with("path", path)
        .with("lines", count)
    }

    /// What was given is no diff; `line` counts the lines of the diff from 1.
    pub fn no_valid_diff(
        line: usize,
        problem: impl fmt::Display,
        expected: impl fmt::Display,
    ) -> Self {
        Self::new(
            Code::NoValidDiff,
            format!("line {line} of the diff: {problem}; expected {expected}"),
        )
        .with("line", line)
    }

    /// A file of the diff cannot be changed as it says, hunks aside.
    pub fn patch_failed(path: &str, why: impl fmt::Display) -> Self {
        Self::new(Code::PatchFailed, format!("{path}: {why}")).with("path", path)
    }

    /// A path of a diff that leads through a link.
    pub fn through_link(path: &str) -> Self {
        Self::patch_failed(path, "leads through a link; name the directory that the link leads to")
    }

    /// Hunk `hunk` of `of`, from 1, does not fit; it is at `line` of the diff.
    pub fn hunk_failed(
        path: &str,
        hunk: usize,
        of: usize,
        line: usize,
        why: impl fmt::Display,
    ) -> Self {
        Self::new(
            Code::PatchFailed,
            format!("{path}: hunk {hunk} of {of} (line {line} of the diff) does not apply: {why}"),
        )
        .with("path", path)
        .with("hunk", hunk)
        .with("line", line)
    }

    /// A binary change of which the diff has not the content.
    pub fn binary_without_data(path: &str) -> Self {
        Self::new(
            Code::BinaryFile,
            format!(
                "{path}: the diff says that the binary file differs but not how; make it with \
                 `git diff --binary`"
            ),
        )
        .with("path", path)
    }

    /// Several files of one call failed: the first with the others listed, an empty line between
    /// each two.
    pub fn all_of(errors: Vec<Self>) -> Self {
        const SHOWN: usize = 10;
        let more = errors.len().saturating_sub(SHOWN);
        let count = errors.len();
        let mut errors = errors.into_iter();
        let Some(mut first) = errors.next() else {
            return Self::internal("a failure without a reason");
        };
        if count > 1 {
            for error in errors.take(SHOWN - 1) {
                first.message += &format!("\n\n{}", error.message);
            }
            if more > 0 {
                first.message += &format!("\n\n… and {more} more");
            }
            first = first.with("failures", count);
        }
        first
    }
}
