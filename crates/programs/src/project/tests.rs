//! Directories that look like projects, and what real test runners printed.

#![expect(clippy::disallowed_methods, reason = "tests lay out the directories that are looked at")]

mod detecting;
mod summaries;

use files::{Limits, Workspace};
use tempfile::TempDir;

use super::{Kind, Project, Purpose, detect};

/// A workspace with these files.
fn folder(files: &[(&str, &str)]) -> (TempDir, Workspace) {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let workspace = Workspace::open(dir.path(), &[], Limits::default()).unwrap();
    (dir, workspace)
}

fn project(files: &[(&str, &str)]) -> Project {
    let (_dir, workspace) = folder(files);
    detect(&workspace, ".").unwrap()
}
