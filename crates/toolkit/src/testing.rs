//! For tests of tools: a directory with files, the project in it, and calls that are waited for.

#![expect(clippy::disallowed_methods, reason = "tests look at the real files")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use files::State;
use serde_json::Value;
use tempfile::TempDir;

use crate::{Answer, Call, Done, Policy, Project, Question, Session, Settings, Toolset, call};

/// A project in a temporary directory, with the state of Kitbag beside its root.
#[derive(Debug)]
pub struct Place {
    dir: TempDir,
    /// The project.
    pub project: Arc<Project>,
}

impl Place {
    /// A project with these files; a path that ends in `/` is a directory.
    pub fn new(files: &[(&str, &str)]) -> Self {
        Self::with(files, |_| {})
    }

    /// The same with other settings than the defaults. Changes are not synced to the disk.
    pub fn with(files: &[(&str, &str)], set: impl FnOnce(&mut Settings)) -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let root = dir.path().join("root");
        fs::create_dir(&root).expect("a new directory");
        files.iter().for_each(|(path, text)| lay_out(&root, path, text));
        let mut settings = Settings::new(root, State::new(dir.path().join("state")));
        settings.durable = false;
        set(&mut settings);
        let project = Project::open(settings).expect("the root is there");
        Self { dir, project }
    }

    /// A session of a toolset.
    pub fn session(&self, toolset: Toolset, policy: Policy) -> Arc<Session> {
        self.project.session(toolset, policy)
    }

    /// The directory with root and state in it.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// The root.
    pub fn root(&self) -> PathBuf {
        self.dir.path().join("root")
    }

    /// A path below the root.
    pub fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    /// A path below the state directory.
    pub fn state(&self, path: &str) -> PathBuf {
        self.dir.path().join("state").join(path)
    }

    /// Writes a file below the root, as somebody else would.
    pub fn write(&self, path: &str, text: &str) {
        lay_out(&self.root(), path, text);
    }

    /// The content of a file below the root; empty if there is none.
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_default()
    }
}

fn lay_out(root: &Path, path: &str, text: &str) {
    let full = root.join(path);
    let directory = if path.ends_with('/') { Some(full.as_path()) } else { full.parent() };
    fs::create_dir_all(directory.unwrap_or(root)).expect("a new directory");
    if !path.ends_with('/') {
        fs::write(&full, text).expect("a new file");
    }
}

/// A runtime as the server uses it.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(future)
}

/// Calls a tool to its end.
pub fn run(session: &Arc<Session>, tool: &str, input: Value) -> Done {
    block_on(call(session, Call::new(tool, input))).done().expect("questions go to the desk")
}

/// The same with somebody at the desk, who answers each question in turn; `None` leaves.
pub fn run_with(
    session: &Arc<Session>,
    tool: &str,
    input: Value,
    mut answer: impl FnMut(&Question) -> Option<Answer>,
) -> Done {
    let mut seat = session.sit();
    block_on(async {
        let calling = call(session, Call::new(tool, input));
        tokio::pin!(calling);
        loop {
            tokio::select! {
                outcome = &mut calling => return outcome.done().expect("questions go to the desk"),
                Some(pending) = seat.next() => {
                    let said = answer(&pending.question).unwrap_or(Answer::Nobody);
                    pending.answer(said);
                }
            }
        }
    })
}

/// Whether `text` is the pattern, in which `[..]` stands for any text.
pub fn fits(text: &str, pattern: &str) -> bool {
    let mut parts = pattern.split("[..]");
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}
