//! The repositories whose hooks and filters their user lets run.
//!
//! A repository is known by where it is, by whom it belongs to, and by its device and inode:
//! another one that is unpacked at the same place has to be vetted anew.

#![expect(clippy::disallowed_methods, reason = "it asks who a directory of git's belongs to")]

use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fault::{Error, Result};
use files::state::{State, hold};
use files::workspace::{quote, unquote};

/// The list in the state directory: a line a repository.
const FILE: &str = "trusted-repositories";

/// How long another process may hold the list.
const PATIENCE: Duration = Duration::from_secs(5);

/// The list of vetted repositories.
#[derive(Clone, Debug)]
pub struct Vetted(State);

impl Vetted {
    /// The list that is kept in this state directory.
    pub fn new(state: State) -> Self {
        Self(state)
    }

    /// Whether the repository in this directory of git's was vetted as it is there now.
    pub(super) fn holds(&self, git_dir: &Path) -> bool {
        let Ok(text) = std::fs::read_to_string(self.0.dir().join(FILE)) else { return false };
        line(git_dir).is_some_and(|line| text.lines().any(|known| known == line))
    }

    /// Where the vetted repositories are.
    ///
    /// # Errors
    /// `Io`, `FileBusy`.
    pub fn list(&self) -> Result<Vec<PathBuf>> {
        if !self.0.exists() {
            return Ok(Vec::new());
        }
        let mut paths = Vec::new();
        self.change(|lines| paths = lines.iter().filter_map(|line| path_of(line)).collect())?;
        Ok(paths)
    }

    /// Puts a repository on the list, in the place of one that was there.
    pub(super) fn add(&self, git_dir: &Path) -> Result<()> {
        let line = line(git_dir)
            .ok_or_else(|| Error::directory_not_found(&git_dir.display().to_string()))?;
        self.change(|lines| {
            lines.retain(|known| path_of(known).as_deref() != Some(git_dir));
            lines.push(line);
        })
    }

    /// Takes what is at a path off the list, also if nothing is there any more; whether it was on
    /// it.
    ///
    /// # Errors
    /// `Io`, `FileBusy`.
    pub fn remove(&self, path: &Path) -> Result<bool> {
        let mut found = false;
        self.change(|lines| {
            let before = lines.len();
            lines.retain(|known| path_of(known).as_deref() != Some(path));
            found = lines.len() < before;
        })?;
        Ok(found)
    }

    fn change(&self, change: impl FnOnce(&mut Vec<String>)) -> Result<()> {
        let mut file = self.0.file("", FILE)?;
        let path = self.0.dir().join(FILE);
        if !hold(&file, PATIENCE) {
            return Err(Error::file_busy(&path.display().to_string()));
        }
        let fail = |e: std::io::Error| Error::state_io(&path, &e);
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(fail)?;
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        change(&mut lines);
        let changed: String = lines.iter().map(|line| format!("{line}\n")).collect();
        if changed == text {
            return Ok(());
        }
        file.set_len(0).and_then(|()| file.rewind()).map_err(fail)?;
        file.write_all(changed.as_bytes()).and_then(|()| file.sync_all()).map_err(fail)
    }
}

/// What is remembered of a repository: device, inode, owner, path.
fn line(git_dir: &Path) -> Option<String> {
    let meta = std::fs::symlink_metadata(git_dir).ok().filter(std::fs::Metadata::is_dir)?;
    Some(format!("{} {} {} {}", meta.dev(), meta.ino(), meta.uid(), quote(git_dir.as_os_str())))
}

fn path_of(line: &str) -> Option<PathBuf> {
    let path = line.splitn(4, ' ').nth(3)?;
    Some(unquote(path).map_or_else(|| PathBuf::from(path), PathBuf::from))
}
