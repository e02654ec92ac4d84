//! The index through its public door, with real files and a real state directory.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests change the files themselves, and stop where something is missing"
)]

mod lasting;
mod ranked;
mod symbols;
mod watched;

use std::fs;
use std::path::PathBuf;

use fault::{Cancel, Result};
use files::{Limits, State, Workspace};
use index::{Answer, Index, Search};

/// A project and a state directory.
struct Project {
    dir: tempfile::TempDir,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("root")).unwrap();
        let project = Self { dir };
        for (path, text) in files {
            project.put(path, text);
        }
        project
    }

    fn root(&self) -> PathBuf {
        self.dir.path().join("root")
    }

    fn state(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    fn put(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn workspace(&self) -> Workspace {
        self.bounded(Limits::default())
    }

    fn bounded(&self, limits: Limits) -> Workspace {
        Workspace::open(&self.root(), &[], limits).unwrap()
    }

    fn index(&self) -> Index {
        Index::new(State::new(self.state()))
    }

    /// The one file with the index of the project.
    fn database(&self) -> PathBuf {
        let entries = fs::read_dir(self.state().join("index")).unwrap();
        let is_db = |path: &PathBuf| path.extension().is_some_and(|e| e == "db");
        entries.map(|e| e.unwrap().path()).find(is_db).unwrap()
    }
}

fn ask(index: &Index, workspace: &Workspace, query: &str) -> Result<Answer> {
    let search = Search { query, dir: ".", tests: true, docs: true, max: 20 };
    index.search(workspace, &search, &Cancel::default())
}

/// The files of an answer, the best first.
fn files(answer: &Answer) -> Vec<&str> {
    answer.hits.iter().map(|hit| &*hit.shown).collect()
}
