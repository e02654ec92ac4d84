//! The system prompt: a few sentences of our own, what the toolset says, and what the project tells
//! agents in files of its own.

use std::fmt::Write as _;
use std::path::Path;

use files::{Limits, Workspace};
use serde::{Deserialize, Serialize};
use toolkit::Session;

/// Files in which projects tell agents how to work.
const FILES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];
/// Most bytes that are taken of one of them.
const MOST: usize = 32 << 10;

/// How the model is told to work, by the name of the preset; the first is the usual one.
pub const PRESETS: [(&str, &str); 4] = [
    (
        "default",
        "Look at what is there before you change it, change only what the task needs, and check the \
         result, with the project's own tests where it has some. A failed call says why and what \
         would help: read it before the next one. When the task is done, say briefly what you \
         changed and what you checked; if it cannot be done, say what is in the way.",
    ),
    (
        "smart",
        "First find out how the project is built, how it is tested, and who uses what you are about \
         to change; only then decide on a way, and say it in a sentence or two. Look for the cause \
         and not for the place where it shows. Change what the task needs in the style of the code \
         around it, and add a test where the project has tests. Run the tests, read what they say, \
         and go on until they pass for the right reason. A failed call says why and what would \
         help: read it before the next one. Before you end, look at your whole change as a reviewer \
         would. Then say what you changed, what you checked, and what is left or uncertain.",
    ),
    (
        "cheap",
        "Use few calls and few words. Search before you read, read only the part that you need, and \
         make several calls at once where none depends on another. Do not repeat what a result \
         said. Check the change with one command. End with one or two sentences.",
    ),
    ("minimal", "Do the task, check it, and say in a sentence what you did."),
];

/// A file that is part of the system prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Where it is.
    pub path: String,
    /// How many bytes of it are taken, from its beginning.
    pub bytes: usize,
    /// How many it has.
    pub of: usize,
}

/// The system prompt of a session, and the files that are part of it. `preset` is one of
/// [`PRESETS`], the usual one if there is none of the name; `more` is its end.
pub fn system(session: &Session, preset: &str, more: Option<&str>) -> (String, Vec<Source>) {
    let root = session.workspace().root();
    let named = PRESETS.iter().find(|(name, _)| *name == preset);
    let (_, how) = named.unwrap_or(&PRESETS[0]);
    let mut text =
        format!("You work on the project in {} by calling tools. {how}\n", root.display());
    if !session.toolset().instructions.is_empty() {
        let _ = writeln!(text, "\n{}", session.toolset().instructions);
    }
    let found = instructions(root);
    for (source, content) in &found {
        let _ = write!(text, "\nFrom {}:\n\n{content}\n", source.path);
        if source.bytes < source.of {
            let _ = writeln!(text, "[{} bytes more are left out]", source.of - source.bytes);
        }
    }
    if let Some(more) = more {
        let _ = write!(text, "\n{more}\n");
    }
    (text, found.into_iter().map(|(source, _)| source).collect())
}

/// What the files say, from the top directory of the repository down to `root`, so that the nearest
/// comes last. Without a repository only `root` is looked at.
fn instructions(root: &Path) -> Vec<(Source, String)> {
    let mut directories = Vec::new();
    let mut in_repository = false;
    for directory in root.ancestors() {
        let Ok(workspace) = Workspace::open(directory, &[], Limits::default()) else { break };
        in_repository = workspace.list(".").is_ok_and(|all| all.iter().any(|e| e.name == ".git"));
        directories.push(workspace);
        if in_repository {
            break;
        }
    }
    if !in_repository {
        directories.truncate(1);
    }
    let mut found: Vec<(Source, String)> = Vec::new();
    for workspace in directories.iter().rev() {
        for name in FILES {
            let Ok(contents) = workspace.read(name) else { continue };
            let mut content = String::from_utf8_lossy(&contents.bytes).into_owned();
            let of = content.len();
            content.truncate(content.floor_char_boundary(MOST));
            if found.iter().any(|(known, text)| known.of == of && *text == content) {
                continue; // mostly a link to the other
            }
            let path = workspace.root().join(name).display().to_string();
            found.push((Source { path, bytes: content.len(), of }, content));
        }
    }
    found
}
