//! Stack 2.9: everyday tools whose results have `success` beside the fields of the tool.

mod check_url;
mod context_load;
mod copy;
mod create_plan;
mod create_task;
mod delete;
mod delete_task;
mod download;
mod edit;
mod execute_plan;
mod fetch;
mod format;
mod git_branch;
mod git_commit;
mod git_diff;
mod git_log;
mod git_pull;
mod git_push;
mod git_status;
mod grep;
mod install;
mod line;
mod lint;
mod list_tasks;
mod memory_list;
mod memory_recall;
mod memory_save;
mod r#move;
mod project_path;
mod project_scan;
mod read;
mod records;
mod run;
mod screenshot;
mod search;
mod server;
mod tasks;
mod test;
mod typecheck;
mod update_task;
mod web_search;
mod write;

use toolkit::{Entry, Toolset};

use crate::flat::FLAT;

/// The toolset in the order of its document.
pub(crate) fn toolset() -> Toolset {
    let mut toolset =
        Toolset::new("stack", "Stack 2.9: everyday tools, with the web, memory and tasks");
    toolset.instructions = "Paths are relative to the project directory or absolute inside it. Lines of \
        read count from 0, those of grep from 1. Every change of a file can be undone by the user.";
    toolset.envelope = FLAT;
    toolset.with(vec![
        Entry::of::<read::Read>(),
        Entry::of::<write::Write>(),
        Entry::of::<edit::Edit>(),
        Entry::of::<search::Search>(),
        Entry::of::<grep::Grep>(),
        Entry::of::<copy::Copy>(),
        Entry::of::<r#move::Move>(),
        Entry::of::<delete::Delete>(),
        Entry::of::<git_status::GitStatus>(),
        Entry::of::<git_commit::GitCommit>(),
        Entry::of::<git_push::GitPush>(),
        Entry::of::<git_pull::GitPull>(),
        Entry::of::<git_branch::GitBranch>(),
        Entry::of::<git_log::GitLog>(),
        Entry::of::<git_diff::GitDiff>(),
        Entry::of::<run::Run>(),
        Entry::of::<line::ProjectCommand<test::Test>>(),
        Entry::of::<line::ProjectCommand<lint::Lint>>(),
        Entry::of::<line::ProjectCommand<format::Format>>(),
        Entry::of::<line::ProjectCommand<typecheck::Typecheck>>(),
        Entry::of::<server::Server>(),
        Entry::of::<line::ProjectCommand<install::Install>>(),
        Entry::of::<web_search::WebSearch>(),
        Entry::of::<fetch::Fetch>(),
        Entry::of::<download::Download>(),
        Entry::of::<check_url::CheckUrl>(),
        Entry::of::<screenshot::Screenshot>(),
        Entry::of::<memory_recall::MemoryRecall>(),
        Entry::of::<memory_save::MemorySave>(),
        Entry::of::<memory_list::MemoryList>(),
        Entry::of::<context_load::ContextLoad>(),
        Entry::of::<project_scan::ProjectScan>(),
        Entry::of::<create_task::CreateTask>(),
        Entry::of::<list_tasks::ListTasks>(),
        Entry::of::<update_task::UpdateTask>(),
        Entry::of::<delete_task::DeleteTask>(),
        Entry::of::<create_plan::CreatePlan>(),
        Entry::of::<execute_plan::ExecutePlan>(),
    ])
}

/// What is said of memories that could not be read.
fn not_read(reasons: &[String]) -> Option<String> {
    (!reasons.is_empty()).then(|| format!("not read: {}", reasons.join("; ")))
}

/// The beginning of a text, for a list.
fn preview(text: &str) -> String {
    const SHOWN: usize = 200;
    let end = text.char_indices().nth(SHOWN).map_or(text.len(), |(at, _)| at);
    let dots = if end < text.len() { "…" } else { "" };
    format!("{}{dots}", &text[..end])
}
