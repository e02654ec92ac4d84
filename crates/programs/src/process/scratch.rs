//! Directories that exist for one call of a program, such as the profile of a browser.
//!
//! They stand in the system's directory for temporary files: programs make sockets in them, whose
//! paths must be short.

#![expect(clippy::disallowed_methods, reason = "what programs leave in a directory of their own")]

use std::fs::{DirBuilder, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use fault::{Error, Result};
use files::state::OwnDirectory;
use rustix::fs::{Mode, OFlags};

use super::passing::Known;

/// What the directory of a session is called; its own name follows.
const NAME: &str = "kitbag-scratch-";

/// What programs of the session see as `/tmp` and as their home.
pub(super) const TMP: &str = "tmp";
pub(super) const HOME: &str = "home";

/// Settings of git that hold neither a key nor the name of a program.
const GIT_SETTINGS: &[&str] = &[
    "user.name",
    "user.email",
    "init.defaultbranch",
    "core.autocrlf",
    "core.eol",
    "core.quotepath",
    "core.whitespace",
    "pull.rebase",
    "pull.ff",
    "push.default",
    "push.autosetupremote",
    "merge.conflictstyle",
    "merge.ff",
    "rebase.autosquash",
    "rebase.autostash",
    "diff.algorithm",
    "diff.renames",
    "fetch.prune",
    "rerere.enabled",
    "safe.directory",
];

/// The directories of a session, removed with it.
pub(super) struct ScratchRoot {
    held: OwnDirectory,
    next: AtomicU64,
    pub(super) known: Known,
}

impl ScratchRoot {
    pub(super) fn make(temporary: &Path) -> Result<Self> {
        OwnDirectory::remove_abandoned(temporary, NAME, |path| drop(std::fs::remove_dir_all(path)));
        let name = format!("{NAME}{}", files::journal::new_id());
        let fail = |e: std::io::Error| Error::io(&temporary.join(&name).display().to_string(), &e);
        let held = OwnDirectory::make(temporary, &name).map_err(fail)?;
        for own in [TMP, HOME] {
            DirBuilder::new().mode(0o700).create(held.path().join(own)).map_err(fail)?;
        }
        Ok(Self { held, next: AtomicU64::new(1), known: Known::default() })
    }

    /// Puts the harmless of these settings, as `git config --list -z` prints them, into the home
    /// of programs. Without them git works, and says what it misses.
    pub(super) fn write_git_config(&self, printed: Vec<u8>) {
        use std::fmt::Write as _;
        let mut text = String::new();
        for entry in printed.split(|b| *b == 0).filter_map(|entry| std::str::from_utf8(entry).ok())
        {
            let Some((name, value)) = entry.split_once('\n') else { continue };
            if let Some((section, key)) = name.split_once('.')
                && GIT_SETTINGS.contains(&name)
            {
                let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
                let _ = writeln!(text, "[{section}]\n\t{key} = \"{value}\"");
            }
        }
        if let Err(e) = std::fs::write(self.path().join(HOME).join(".gitconfig"), text) {
            tracing::warn!("programs get no settings of git: {e}");
        }
        // No program wrote it.
        drop(self.known.news(self.path(), HOME));
    }

    pub(super) fn path(&self) -> &Path {
        self.held.path()
    }

    /// Removes it, when no program runs any more.
    pub(super) fn remove(&self) {
        // What stays is removed by the next server, which finds it without its lock.
        let _ = std::fs::remove_dir_all(self.path());
    }

    pub(super) fn folder(&self) -> Result<Scratch> {
        let path = self.path().join(self.next.fetch_add(1, Ordering::Relaxed).to_string());
        let made = DirBuilder::new().mode(0o700).create(&path);
        made.map_err(|e| Error::io(&path.display().to_string(), &e))?;
        Ok(Scratch { path })
    }
}

impl Drop for ScratchRoot {
    fn drop(&mut self) {
        self.remove();
    }
}

/// An empty directory outside of the workspace for one call; programs with
/// [`super::Reach::Scratch`] write there and nowhere else. Dropped, it is removed with all that is
/// in it.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The regular file of this name that a program left here, at most `most` bytes of it; `None`
    /// if there is none.
    ///
    /// # Errors
    /// `Io` if it cannot be read.
    pub fn read(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>> {
        let path = self.path.join(name);
        let fail = |e: std::io::Error| Error::io(&path.display().to_string(), &e);
        // A program wrote it: neither a link nor a pipe is opened.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Ok(file) = rustix::fs::open(&path, flags, Mode::empty()).map(File::from) else {
            return Ok(None);
        };
        if !file.metadata().map_err(fail)?.is_file() {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes).map_err(fail)?;
        Ok(Some(bytes))
    }

    /// Puts a new file of this name here, for a program to read, and gives its path.
    ///
    /// # Errors
    /// `Io` if it cannot be written, or something of that name is here.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        let path = self.path.join(name);
        let written = File::create_new(&path).and_then(|mut file| file.write_all(bytes));
        written.map_err(|e| Error::io(&path.display().to_string(), &e))?;
        Ok(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path); // else it goes with the directory above
    }
}
