//! Floyd 0.1.0, the older of its two documents: every tool has fields of its own.

use toolkit::{Entry, Toolset};

use crate::floyd::{
    apply_unified_diff, assess_patch_risk, browser_click, browser_find, browser_get_tabs,
    browser_navigate, browser_read_page, browser_screenshot, browser_status, browser_type, build,
    command, delete_range, detect_project, edit_range, format, git_branch, git_commit, git_diff,
    git_log, git_stage, git_status, git_unstage, insert_at, is_protected_branch, lint,
    list_symbols, project_map, run, run_tests,
};

mod browser_create_tab;
mod cache_archive_reasoning;
mod cache_clear;
mod cache_delete;
mod cache_list;
mod cache_load_reasoning;
mod cache_prune;
mod cache_retrieve;
mod cache_search;
mod cache_stats;
mod cache_store;
mod cache_store_pattern;
mod cache_store_reasoning;
mod check_permission;
mod codebase_search;
mod edit_file;
mod envelope;
mod grep;
mod read_file;
mod search_replace;
mod semantic_search;
mod write;

/// Parameters as the later document spells them.
const SPELLINGS: &[(&str, &str)] = &[
    ("path", "filePath"),
    ("patch", "diff"),
    ("cwd", "rootPath"),
    ("oldStr", "oldString"),
    ("newStr", "newString"),
    ("oldString", "searchString"),
    ("newString", "replaceString"),
    ("replaceAll", "all"),
    ("all", "replaceAll"),
];

/// The toolset in the order of its document.
pub(crate) fn toolset() -> Toolset {
    let mut toolset = Toolset::new(
        "floyd-0.1.0",
        "Floyd 0.1.0: tools for a coding companion, each with its own fields",
    );
    toolset.instructions = crate::floyd::INSTRUCTIONS;
    toolset.spellings = SPELLINGS;
    toolset.envelope = envelope::ENVELOPE;
    toolset.with(vec![
        Entry::of::<read_file::ReadFile>(),
        Entry::of::<write::Write>(),
        Entry::of::<edit_file::EditFile>(),
        Entry::of::<search_replace::SearchReplace>(),
        Entry::of::<grep::Grep>(),
        Entry::of::<codebase_search::CodebaseSearch>(),
        Entry::of::<semantic_search::SemanticSearch>(),
        Entry::of::<list_symbols::ListSymbols>(),
        Entry::of::<run::Run>(),
        Entry::of::<git_status::GitStatus>(),
        Entry::of::<git_diff::GitDiff>(),
        Entry::of::<git_log::GitLog>(),
        Entry::of::<git_commit::GitCommit>(),
        Entry::of::<git_stage::GitStage>(),
        Entry::of::<git_unstage::GitUnstage>(),
        Entry::of::<git_branch::GitBranch>(),
        Entry::of::<is_protected_branch::IsProtectedBranch>(),
        Entry::of::<browser_navigate::BrowserNavigate>(),
        Entry::of::<browser_read_page::BrowserReadPage>(),
        Entry::of::<browser_screenshot::BrowserScreenshot>(),
        Entry::of::<browser_click::BrowserClick>(),
        Entry::of::<browser_type::BrowserType>(),
        Entry::of::<browser_find::BrowserFind>(),
        Entry::of::<browser_get_tabs::BrowserGetTabs>(),
        Entry::of::<browser_create_tab::BrowserCreateTab>(),
        Entry::of::<browser_status::BrowserStatus>(),
        Entry::of::<cache_store::CacheStore>(),
        Entry::of::<cache_retrieve::CacheRetrieve>(),
        Entry::of::<cache_delete::CacheDelete>(),
        Entry::of::<cache_clear::CacheClear>(),
        Entry::of::<cache_list::CacheList>(),
        Entry::of::<cache_search::CacheSearch>(),
        Entry::of::<cache_stats::CacheStats>(),
        Entry::of::<cache_prune::CachePrune>(),
        Entry::of::<cache_store_pattern::CacheStorePattern>(),
        Entry::of::<cache_store_reasoning::CacheStoreReasoning>(),
        Entry::of::<cache_load_reasoning::CacheLoadReasoning>(),
        Entry::of::<cache_archive_reasoning::CacheArchiveReasoning>(),
        Entry::of::<apply_unified_diff::ApplyUnifiedDiff>(),
        Entry::of::<edit_range::EditRange>(),
        Entry::of::<insert_at::InsertAt>(),
        Entry::of::<delete_range::DeleteRange>(),
        Entry::of::<assess_patch_risk::AssessPatchRisk>(),
        Entry::of::<detect_project::DetectProject>(),
        Entry::of::<command::ProjectCommand<run_tests::RunTests>>(),
        Entry::of::<command::ProjectCommand<format::Format>>(),
        Entry::of::<command::ProjectCommand<lint::Lint>>(),
        Entry::of::<command::ProjectCommand<build::Build>>(),
        Entry::of::<check_permission::CheckPermission>(),
        Entry::of::<project_map::ProjectMap>(),
    ])
}
