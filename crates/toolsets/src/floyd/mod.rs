//! Floyd, the later of its two documents: tools in an envelope `{success, data?, error?}`.
//!
//! The older document is `floyd_0_1_0`. What both state alike is here, and nothing here knows of
//! it.

pub(crate) mod apply_unified_diff;
mod ask_user;
pub(crate) mod assess_patch_risk;
pub(crate) mod browser_click;
pub(crate) mod browser_find;
pub(crate) mod browser_get_tabs;
pub(crate) mod browser_navigate;
pub(crate) mod browser_read_page;
pub(crate) mod browser_screenshot;
pub(crate) mod browser_status;
pub(crate) mod browser_type;
pub(crate) mod build;
mod cache_clear;
mod cache_delete;
mod cache_keys;
mod cache_retrieve;
pub(crate) mod cache_stats;
mod cache_store;
pub(crate) mod check_permission;
pub(crate) mod command;
pub(crate) mod delete_range;
pub(crate) mod detect_project;
pub(crate) mod edit_file;
pub(crate) mod edit_range;
mod envelope;
mod find_references;
mod find_symbol;
pub(crate) mod format;
mod get_file_info;
pub(crate) mod git_branch;
pub(crate) mod git_commit;
pub(crate) mod git_diff;
pub(crate) mod git_log;
pub(crate) mod git_stage;
pub(crate) mod git_status;
pub(crate) mod git_unstage;
pub(crate) mod grep_search;
pub(crate) mod insert_at;
pub(crate) mod is_protected_branch;
pub(crate) mod lint;
mod list_directory;
pub(crate) mod list_symbols;
mod patches;
pub(crate) mod project_map;
pub(crate) mod read_file;
pub(crate) mod run;
pub(crate) mod run_tests;
pub(crate) mod search_codebase;
mod search_files;
pub(crate) mod supercache;
mod write_file;

use fault::{Code, Error, Result};
use files::edit::Ranged;
use toolkit::{Cx, Entry, Toolset};

/// What both versions tell the model.
pub(crate) const INSTRUCTIONS: &str = "Paths are relative to the project directory or absolute inside \
    it. edit_range, insert_at, delete_range and offset count lines from 0; grep, symbols and search \
    report lines from 1. Every change of a file can be undone by the user.";

/// Parameters as the older document spells them.
const SPELLINGS: &[(&str, &str)] = &[
    ("path", "filePath"),
    ("name", "symbol"),
    ("query", "symbol"),
    ("type", "symbolType"),
    ("kind", "symbolType"),
    ("patch", "diff"),
    ("cwd", "rootPath"),
    ("oldString", "oldStr"),
    ("newString", "newStr"),
    ("replaceAll", "all"),
];

/// The toolset in the order of its document.
pub(crate) fn toolset() -> Toolset {
    let mut toolset = Toolset::new("floyd", "Floyd: tools for a coding companion, in an envelope");
    toolset.instructions = INSTRUCTIONS;
    toolset.spellings = SPELLINGS;
    toolset.envelope = envelope::ENVELOPE;
    toolset.with(vec![
        Entry::of::<read_file::ReadFile>(),
        Entry::of::<write_file::WriteFile>(),
        Entry::of::<edit_file::EditFile>(),
        Entry::of::<search_files::SearchFiles>(),
        Entry::of::<list_directory::ListDirectory>(),
        Entry::of::<get_file_info::GetFileInfo>(),
        Entry::of::<grep_search::GrepSearch>(),
        Entry::of::<search_codebase::SearchCodebase>(),
        Entry::of::<find_symbol::FindSymbol>(),
        Entry::of::<find_references::FindReferences>(),
        Entry::of::<list_symbols::ListSymbols>(),
        Entry::of::<detect_project::DetectProject>(),
        Entry::of::<command::ProjectCommand<run_tests::RunTests>>(),
        Entry::of::<command::ProjectCommand<format::Format>>(),
        Entry::of::<command::ProjectCommand<lint::Lint>>(),
        Entry::of::<command::ProjectCommand<build::Build>>(),
        Entry::of::<check_permission::CheckPermission>(),
        Entry::of::<project_map::ProjectMap>(),
        Entry::of::<git_status::GitStatus>(),
        Entry::of::<git_commit::GitCommit>(),
        Entry::of::<git_diff::GitDiff>(),
        Entry::of::<git_log::GitLog>(),
        Entry::of::<git_stage::GitStage>(),
        Entry::of::<git_unstage::GitUnstage>(),
        Entry::of::<git_branch::GitBranch>(),
        Entry::of::<is_protected_branch::IsProtectedBranch>(),
        Entry::of::<browser_status::BrowserStatus>(),
        Entry::of::<browser_navigate::BrowserNavigate>(),
        Entry::of::<browser_read_page::BrowserReadPage>(),
        Entry::of::<browser_screenshot::BrowserScreenshot>(),
        Entry::of::<browser_click::BrowserClick>(),
        Entry::of::<browser_type::BrowserType>(),
        Entry::of::<browser_find::BrowserFind>(),
        Entry::of::<browser_get_tabs::BrowserGetTabs>(),
        Entry::of::<cache_store::CacheStore>(),
        Entry::of::<cache_retrieve::CacheRetrieve>(),
        Entry::of::<cache_delete::CacheDelete>(),
        Entry::of::<cache_clear::CacheClear>(),
        Entry::of::<cache_stats::CacheStats>(),
        Entry::of::<cache_keys::CacheKeys>(),
        Entry::of::<apply_unified_diff::ApplyUnifiedDiff>(),
        Entry::of::<edit_range::EditRange>(),
        Entry::of::<insert_at::InsertAt>(),
        Entry::of::<delete_range::DeleteRange>(),
        Entry::of::<assess_patch_risk::AssessPatchRisk>(),
        Entry::of::<run::Run>(),
        Entry::of::<ask_user::AskUser>(),
    ])
}

/// How an edit by line number fails beside the number itself.
const IN_LINES: &[Code] = &[Code::BinaryFile, Code::FileChanged, Code::FileExists];

/// An edit by line number, with the content before it kept in a backup; nothing of that if it is
/// only tried. The numbers are those of the file as the session read it, if it did. Gives what was
/// edited, and where the backup is.
fn in_lines(
    cx: &Cx<'_>,
    path: &str,
    dry_run: bool,
    change: impl FnOnce(&[u8]) -> Result<Ranged>,
) -> Result<(Ranged, Option<String>)> {
    if dry_run {
        return Ok((change(&cx.workspace().look(path)?.bytes)?, None));
    }
    let step = cx.step()?;
    let before = cx.workspace().read_as_seen(path)?.bytes;
    let edited = change(&before)?; // no backup of what is not changed
    let backup = step.back_up(path)?;
    step.edit(path, |bytes| {
        if bytes != before {
            return Err(Error::file_changed(path));
        }
        Ok((edited.bytes.clone(), ()))
    })?;
    Ok((edited, backup))
}
