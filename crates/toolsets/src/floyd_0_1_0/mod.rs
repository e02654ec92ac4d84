//! Floyd 0.1.0, the older of its two documents: every tool has fields of its own.

use toolkit::{Entry, Toolset};

use crate::flat::FLAT;
use crate::floyd::{
    apply_unified_diff, assess_patch_risk, build, delete_range, detect_project, edit_range, format,
    insert_at, lint, project_map, run, run_tests,
};

pub(crate) mod check_permission;
pub(crate) mod edit_file;
mod grep;
pub(crate) mod read_file;
mod search_replace;
mod write;

/// The toolset in the order of its document.
pub(crate) fn toolset() -> Toolset {
    let mut toolset = Toolset::new(
        "floyd-0.1.0",
        "Floyd 0.1.0: tools for a coding companion, each with its own fields",
    );
    toolset.instructions = crate::floyd::INSTRUCTIONS;
    toolset.envelope = FLAT;
    toolset.with(vec![
        Entry::of::<read_file::ReadFile>(),
        Entry::of::<write::Write>(),
        Entry::of::<edit_file::EditFile>(),
        Entry::of::<search_replace::SearchReplace>(),
        Entry::of::<grep::Grep>(),
        Entry::of::<run::Run>(),
        Entry::of::<apply_unified_diff::ApplyUnifiedDiff>(),
        Entry::of::<edit_range::EditRange>(),
        Entry::of::<insert_at::InsertAt>(),
        Entry::of::<delete_range::DeleteRange>(),
        Entry::of::<assess_patch_risk::AssessPatchRisk>(),
        Entry::of::<detect_project::DetectProject>(),
        Entry::of::<run_tests::RunTests>(),
        Entry::of::<format::Format>(),
        Entry::of::<lint::Lint>(),
        Entry::of::<build::Build>(),
        Entry::of::<check_permission::CheckPermission>(),
        Entry::of::<project_map::ProjectMap>(),
    ])
}
