//! The system prompt: a few sentences of our own, what the toolset says, and what the project tells
//! agents in files of its own.

use std::fmt::Write as _;
use std::path::Path;

use files::{Limits, Workspace};
use toolkit::Session;

/// Files in which projects tell agents how to work.
const FILES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];
/// Most bytes that are taken of one of them.
const MOST: usize = 32 << 10;

/// The system prompt of a session, `more` at its end.
pub fn system(session: &Session, more: Option<&str>) -> String {
    let root = session.workspace().root();
    let mut text = format!(
        "You work on the project in {} by calling tools. Look at what is there before you change \
         it, change only what the task needs, and check the result, with the project's own tests \
         where it has some. A failed call says why and what would help: read it before the next \
         one. When the task is done, say briefly what you changed and what you checked; if it \
         cannot be done, say what is in the way.\n",
        root.display()
    );
    if !session.toolset().instructions.is_empty() {
        let _ = writeln!(text, "\n{}", session.toolset().instructions);
    }
    for (path, content) in instructions(root) {
        let _ = write!(text, "\nFrom {path}:\n\n{content}\n");
    }
    if let Some(more) = more {
        let _ = write!(text, "\n{more}\n");
    }
    text
}

/// What the files say, from the top directory of the repository down to `root`, so that the nearest
/// comes last. Without a repository only `root` is looked at.
fn instructions(root: &Path) -> Vec<(String, String)> {
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
    let mut found: Vec<(String, String)> = Vec::new();
    for workspace in directories.iter().rev() {
        for name in FILES {
            let Ok(contents) = workspace.read(name) else { continue };
            let content = String::from_utf8_lossy(&contents.bytes).into_owned();
            if found.iter().any(|(_, known)| *known == content) {
                continue; // mostly a link to the other
            }
            let path = workspace.root().join(name).display().to_string();
            found.push((path, content));
        }
    }
    for (_, content) in &mut found {
        if content.len() > MOST {
            let end = (0..=MOST).rev().find(|at| content.is_char_boundary(*at)).unwrap_or(0);
            let left = content.len() - end;
            content.truncate(end);
            let _ = write!(content, "\n[{left} bytes more are left out]");
        }
    }
    found
}
