//! Files that decide what is ignored but are in no directory that is watched.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags};

use super::change::RULES;
use super::view::View;
use crate::search::{Stamp, name};
use crate::workspace::Kind;

/// Patterns of a repository for this machine alone, in its git directory.
const EXCLUDE: &str = "info/exclude";
/// Longest text of git that names a directory.
const LONGEST: usize = 8192;

/// Each with the state of what it leads to; `None` while it is not there.
#[derive(Debug, Default)]
pub(crate) struct Outside(BTreeMap<PathBuf, Option<Stamp>>);

impl Outside {
    /// Those of a root: ignore files above it, the exclude files of repositories, and what ignore
    /// files that are links lead to.
    pub(crate) fn of(root: &Path, view: &View) -> Self {
        let mut outside = Self::default();
        for above in root.ancestors().skip(1) {
            RULES.iter().for_each(|rule| outside.put(above.join(rule)));
            outside.put_repository(above, true);
        }
        outside.put_repository(root, true);
        outside.add(root, view, OsStr::new(""));
        outside
    }

    /// Adds those below a directory of the root.
    pub(crate) fn add(&mut self, root: &Path, view: &View, directory: &OsStr) {
        for path in view.below(directory) {
            let full = root.join(&path);
            self.put_repository(&full, path.is_empty());
            for rule in RULES {
                let entry = view.entry(&super::view::below(&path, rule.as_ref()));
                if entry.is_some_and(|entry| entry.kind == Kind::Link) {
                    self.put(full.join(rule));
                }
            }
        }
    }

    pub(crate) fn changed(&self) -> bool {
        self.0.iter().any(|(path, state)| Self::state(path) != *state)
    }

    fn put(&mut self, path: PathBuf) {
        let state = Self::state(&path);
        self.0.insert(path, state);
    }

    /// The exclude file of the repository that begins at a directory; also of one that begins there
    /// later, if `always`.
    fn put_repository(&mut self, directory: &Path, always: bool) {
        let git = directory.join(".git");
        let Ok(stat) = rustix::fs::stat(&git) else {
            if always {
                self.put(git.join(EXCLUDE));
            }
            return;
        };
        if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
            return self.put(git.join(EXCLUDE));
        }
        // A linked work tree or a submodule: the file names the git directory, and a file in that
        // the one that all work trees share.
        self.put(git.clone());
        let named =
            read(&git).and_then(|text| Some(directory.join(text.strip_prefix("gitdir: ")?)));
        if let Some(own) = named {
            self.put(own.join(EXCLUDE));
            if let Some(shared) = read(&own.join("commondir")) {
                self.put(own.join(shared).join(EXCLUDE));
            }
        }
    }

    fn state(path: &Path) -> Option<Stamp> {
        let stat = rustix::fs::stat(path).ok()?;
        // Of a repository it matters only that it is there: git writes in it all the time.
        let is_repository =
            name(path) == ".git" && FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        let stamp = Stamp::of_stat(&stat);
        Some(if is_repository { Stamp { size: 0, changed: 0, ..stamp } } else { stamp })
    }
}

/// A short text without its line break.
fn read(path: &Path) -> Option<String> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = rustix::fs::open(path, flags, Mode::empty()).ok()?;
    let mut bytes = vec![0; LONGEST];
    let read = rustix::io::read(&file, &mut bytes).ok()?;
    let text = OsStr::from_bytes(&bytes[..read]).to_str()?;
    Some(text.trim_end_matches('\n').to_owned())
}
