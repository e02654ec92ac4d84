//! What a look at the files could not cover.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Why the content of something that was found is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// A pipe or a device has none.
    Special,
    Large,
    Unreadable,
    /// As much as one look may copy was copied.
    Bytes,
}

#[derive(Debug, Default)]
pub(super) struct Missed {
    pub(super) files: usize,
    large: usize,
    unreadable: usize,
    bytes: bool,
    /// Changed by another call while the program ran.
    pub(super) shared: usize,
    /// What was in them before is no longer in git's packs.
    pub(super) lost: usize,
    /// Moved here from where nobody looks.
    pub(super) brought: usize,
}

impl Missed {
    /// Takes note of all that is there and not covered.
    pub(super) fn count(&mut self, uncovered: &BTreeMap<PathBuf, Why>) {
        let count = |wanted| uncovered.values().filter(|why| **why == wanted).count();
        (self.large, self.unreadable) = (count(Why::Large), count(Why::Unreadable));
        self.bytes = count(Why::Bytes) > 0;
    }

    /// Whether there may be files that nobody looked for.
    pub(super) fn is_partial(&self) -> bool {
        self.files > 0
    }

    /// Whether the next look can cover more though nothing changes.
    pub(super) fn is_unfinished(&self) -> bool {
        self.files > 0 || self.bytes
    }

    pub(super) fn text(&self) -> String {
        let Self { files, large, unreadable, bytes, shared, lost, brought } = *self;
        let file = |number: usize, what: &str| format!("{} {what}", fault::count(number, "file"));
        let all = [
            (files > 0, format!("more than {files} files")),
            (large > 0, file(large, "too large")),
            (unreadable > 0, file(unreadable, "unreadable")),
            (bytes, "more content than the limit".to_owned()),
            (shared > 0, file(shared, "that another call changed meanwhile")),
            (lost > 0, file(lost, "whose content git has lost")),
            (brought > 0, file(brought, "not covered before")),
        ];
        let parts: Vec<_> = all.into_iter().filter(|(is, _)| *is).map(|(_, part)| part).collect();
        match parts.is_empty() {
            true => String::new(),
            false => format!("undo does not cover everything: {}", parts.join(", ")),
        }
    }
}
