//! fiz: nine tools whose results are plain text.

mod bash;
mod edit;
mod find;
mod grep;
mod ls;
mod patch;
mod read;
mod task;
mod tasks;
mod write;

use files::search::{Ignore, Skipped};
use toolkit::{Entry, TEXT, Toolset};

const ALL: &[&str] = &["bash", "edit", "find", "grep", "ls", "patch", "read", "task", "write"];

/// The toolset in the order of its document.
pub(crate) fn toolset() -> Toolset {
    let mut toolset = Toolset::new("fiz", "fiz: nine tools with plain text results");
    toolset.instructions = "Look with find, grep, ls and read; change with edit, patch and write; \
        build, test and use git with bash. Every change can be undone by the user.";
    toolset.presets = &[("default", ALL), ("smart", ALL), ("cheap", ALL), ("minimal", ALL)];
    toolset.envelope = TEXT; // failures as the loop of fiz shows them to the model
    toolset.with(vec![
        Entry::of::<bash::Bash>(),
        Entry::of::<edit::Edit>(),
        Entry::of::<find::Find>(),
        Entry::of::<grep::Grep>(),
        Entry::of::<ls::Ls>(),
        Entry::of::<patch::Patch>(),
        Entry::of::<read::Read>(),
        Entry::of::<task::Task>(),
        Entry::of::<write::Write>(),
    ])
}

/// What a search left out, and how it would not be.
fn left_out(skipped: &Skipped, found: bool, exclude: Option<&[String]>) -> Option<String> {
    let can_be_searched =
        !found && skipped.ignored > 0 && exclude.is_none_or(|dirs| !dirs.is_empty());
    let advice =
        if can_be_searched { "; exclude_dirs [] searches the ignored ones too" } else { "" };
    skipped.beside(found).map(|note| format!("({note}{advice})"))
}

/// How `exclude_dirs` is meant: absent, the usual directories; empty, none at all.
fn ignore(exclude: Option<&[String]>) -> Ignore<'_> {
    match exclude {
        None => Ignore::Standard,
        Some([]) => Ignore::Nothing,
        Some(folders) => Ignore::Folders(folders),
    }
}
