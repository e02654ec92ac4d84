//! What a walk could not read.

use std::path::{Path, PathBuf};

use super::{PASSED_OVER, Skipped};
use crate::workspace::Workspace;

/// Unreadable paths that are named.
const NAMED: usize = 5;

/// Which path an error is about, and what it is.
pub(crate) fn cause(error: &ignore::Error) -> (&Path, std::io::ErrorKind) {
    let (mut error, mut path) = (error, Path::new(""));
    loop {
        error = match error {
            ignore::Error::WithPath { path: at, err } => {
                path = at;
                err
            }
            ignore::Error::WithDepth { err, .. } => err,
            ignore::Error::Io(e) => return (path, e.kind()),
            _ => return (path, std::io::ErrorKind::Other),
        };
    }
}

/// What the walk could not read, and which paths those are.
#[derive(Debug, Default)]
pub(crate) struct Unreadable {
    count: usize,
    paths: Vec<PathBuf>,
    long_ignores: Vec<PathBuf>,
    passed_over: Vec<PathBuf>,
}

impl Unreadable {
    fn add(&mut self, path: &Path) {
        self.count += 1;
        let place = self.paths.partition_point(|p| p.as_path() < path);
        self.paths.insert(place, path.to_owned());
        self.paths.truncate(NAMED);
    }

    /// A file that is gone since the walk saw it is nothing missed.
    pub(super) fn add_io(&mut self, path: &Path, error: &std::io::Error) {
        match error.kind() {
            std::io::ErrorKind::NotFound => {}
            std::io::ErrorKind::FileTooLarge => self.long_ignores.push(path.to_owned()),
            PASSED_OVER => self.passed_over.push(path.to_owned()),
            _ => self.add(path),
        }
    }

    pub(super) fn add_error(&mut self, error: &ignore::Error) {
        let (path, kind) = cause(error);
        self.add_io(path, &kind.into());
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.paths.extend(other.paths);
        self.paths.sort_unstable();
        self.paths.truncate(NAMED);
        self.long_ignores.extend(other.long_ignores);
        self.long_ignores.sort_unstable();
        self.passed_over.extend(other.passed_over);
        self.passed_over.sort_unstable();
    }

    pub(super) fn tell(&self, workspace: &Workspace, skipped: &mut Skipped) {
        skipped.unreadable = self.count;
        let shown = |paths: &[PathBuf]| paths.iter().map(|path| workspace.show(path)).collect();
        skipped.unreadable_names = shown(&self.paths);
        skipped.long_ignores = shown(&self.long_ignores);
        skipped.passed_over = shown(&self.passed_over);
    }
}
