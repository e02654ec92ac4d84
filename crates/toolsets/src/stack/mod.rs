//! Stack 2.9: everyday tools whose results have `success` beside the fields of the tool.

mod copy;
mod delete;
mod edit;
mod format;
mod grep;
mod install;
mod line;
mod lint;
mod r#move;
mod read;
mod run;
mod search;
mod server;
mod test;
mod typecheck;
mod write;

use toolkit::{Entry, Toolset};

use crate::flat::FLAT;

/// The toolset in the order of its document.
pub(crate) fn toolset() -> Toolset {
    let mut toolset =
        Toolset::new("stack", "Stack 2.9: everyday tools, with the web, memory and tasks");
    toolset.instructions = "Paths are relative to the project folder or absolute inside it. Lines of \
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
        Entry::of::<run::Run>(),
        Entry::of::<test::Test>(),
        Entry::of::<lint::Lint>(),
        Entry::of::<format::Format>(),
        Entry::of::<typecheck::Typecheck>(),
        Entry::of::<server::Server>(),
        Entry::of::<install::Install>(),
    ])
}
