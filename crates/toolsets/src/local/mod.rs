//! LocalCliTool: eight file tools with one field or list each.

mod create_directory;
mod delete_directory;
mod delete_file;
mod find_files;
mod list_directory;
mod read_file;
mod search_codebase;
mod write_file;

use toolkit::{Entry, Toolset};

use crate::flat::FLAT;

/// The toolset in the order of its document.
pub(crate) fn toolset() -> Toolset {
    let mut toolset = Toolset::new("local", "LocalCliTool: eight file tools below one directory");
    toolset.instructions = "Paths are relative to the base directory; nothing outside of it can be \
        reached. Every change can be undone by the user.";
    toolset.envelope = FLAT;
    toolset.with(vec![
        Entry::of::<create_directory::CreateDirectory>(),
        Entry::of::<write_file::WriteFile>(),
        Entry::of::<read_file::ReadFile>(),
        Entry::of::<delete_file::DeleteFile>(),
        Entry::of::<delete_directory::DeleteDirectory>(),
        Entry::of::<list_directory::ListDirectory>(),
        Entry::of::<search_codebase::SearchCodebase>(),
        Entry::of::<find_files::FindFiles>(),
    ])
}
