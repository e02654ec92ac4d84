//! Edits after which a name means something else than it seems, and those that only look harmless.

mod python;
mod script;
mod typed;

/// An edit: the files before it, what becomes of some of them, and what is told.
#[derive(Clone)]
pub(super) struct Case {
    pub(super) about: &'static str,
    pub(super) files: &'static [(&'static str, &'static str)],
    /// The new text; `None` where the file goes.
    pub(super) change: &'static [(&'static str, Option<&'static str>)],
    /// All that is told; empty if nothing is.
    pub(super) says: &'static str,
}

const fn case(
    about: &'static str,
    files: &'static [(&'static str, &'static str)],
    change: &'static [(&'static str, Option<&'static str>)],
    says: &'static str,
) -> Case {
    Case { about, files, change, says }
}

/// The cases of each language.
pub(super) const CASES: [&[Case]; 3] = [python::CASES, script::CASES, typed::CASES];
