//! Edits after which a name means something else than it seems, and those that only look harmless.

mod brought;
mod held_out;
mod invalid;
mod made;
mod python;
mod script;
mod typed;
mod values;

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

/// Uses `total_of` of the module `area` by its name.
const AREA_USE: &str = "use crate::area::total_of;\n\npub fn f() -> u8 {\n    total_of()\n}\n";

/// The cases of each language.
pub(super) const CASES: [&[Case]; 8] = [
    python::CASES,
    script::CASES,
    typed::CASES,
    made::CASES,
    invalid::CASES,
    brought::CASES,
    values::CASES,
    held_out::CASES,
];
