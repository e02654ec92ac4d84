//! Edits after which a name means something else than it seems, and those that only look harmless.

mod brought;
mod given;
mod held_out;
mod invalid;
mod later;
mod made;
mod members;
mod moved;
mod passed_on;
mod python;
mod same_named;
mod script;
mod typed;
mod values;

/// An edit: the files before it, what becomes of some of them, and what is told.
#[derive(Clone)]
pub(super) struct Case {
    pub(super) about: &'static str,
    pub(super) files: &'static [(&'static str, &'static str)],
    /// The new text; `None` where the file goes, `->` and a path where it is moved.
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

/// Uses `total_of` of the module `area` by its name.
const AREA_USE: &str = "use crate::area::total_of;\n\npub fn f() -> u8 {\n    total_of()\n}\n";

/// The cases of each language.
pub(super) const CASES: [&[Case]; 14] = [
    python::CASES,
    script::CASES,
    typed::CASES,
    made::CASES,
    invalid::CASES,
    brought::CASES,
    values::CASES,
    held_out::CASES,
    given::CASES,
    passed_on::CASES,
    moved::CASES,
    members::CASES,
    later::CASES,
    same_named::CASES,
];
