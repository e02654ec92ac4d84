//! The directory for Kitbag's own files: journal, locks, audit log, spill files.
//!
//! It is outside every workspace, is readable by its owner alone, and is made on first use, so
//! that a server that only reads leaves no trace.

#![expect(clippy::disallowed_methods, reason = "this module is the door to the state directory")]

use std::fs::{DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fault::{Error, Result};

/// Where the state directory is. Nothing is made until it is needed.
#[derive(Clone, Debug)]
pub struct State {
    dir: PathBuf,
}

impl State {
    /// State in `dir`, an absolute path.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// The state directory itself, which may not exist yet.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Where the state directory is or will be, without links.
    pub fn real(&self) -> PathBuf {
        let found = self.dir.ancestors().find_map(|above| {
            let rest = self.dir.strip_prefix(above).ok()?;
            Some(std::fs::canonicalize(above).ok()?.join(rest))
        });
        found.unwrap_or_else(|| self.dir.clone())
    }

    /// Whether anything was ever kept here.
    pub fn exists(&self) -> bool {
        self.dir.is_dir()
    }

    /// A directory below the state directory, made if it is missing, readable by its owner alone.
    ///
    /// # Errors
    /// `Io` with the path if it cannot be made.
    pub fn folder(&self, name: &str) -> Result<PathBuf> {
        let path = self.dir.join(name);
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&path)
            .map_err(|e| Error::state_io(&path, &e))?;
        Ok(path)
    }

    /// A file below the state directory, opened to append lines; its directory is made if it is
    /// missing.
    ///
    /// # Errors
    /// `Io` with the path if it cannot be opened.
    pub fn append(&self, name: &str) -> Result<File> {
        self.folder("")?;
        let path = self.dir.join(name);
        OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(&path)
            .map_err(|e| Error::state_io(&path, &e))
    }

    /// The same for a log: once it has `most` bytes it is begun anew, and the one before is kept as
    /// `NAME.old`.
    ///
    /// # Errors
    /// `Io` with the path if it cannot be opened.
    pub fn append_bounded(&self, name: &str, most: u64) -> Result<File> {
        let path = self.dir.join(name);
        if std::fs::metadata(&path).is_ok_and(|data| data.len() >= most) {
            let old = self.dir.join(format!("{name}.old"));
            std::fs::rename(&path, &old).map_err(|e| Error::state_io(&path, &e))?;
        }
        self.append(name)
    }

    /// A file below the state directory, opened for reading and writing, made if it is missing.
    ///
    /// # Errors
    /// `Io` with the path if it cannot be opened.
    pub fn file(&self, folder: &str, name: &str) -> Result<File> {
        let path = self.folder(folder)?.join(name);
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(|e| Error::state_io(&path, &e))
    }

    /// A regular file below the state directory, opened for reading.
    ///
    /// # Errors
    /// `Io` with the path if it cannot be opened, or is a directory or a pipe.
    pub fn open(&self, folder: &str, name: &str) -> Result<File> {
        let path = self.dir.join(folder).join(name);
        let nonblock = rustix::fs::OFlags::NONBLOCK.bits().cast_signed(); // of a pipe nobody writes
        let opened = OpenOptions::new().read(true).custom_flags(nonblock).open(&path);
        let file = opened.map_err(|e| Error::state_io(&path, &e))?;
        match file.metadata() {
            Ok(data) if data.is_file() => Ok(file),
            Ok(_) => Err(Error::state(&path, &"not a regular file")),
            Err(e) => Err(Error::state_io(&path, &e)),
        }
    }

    /// A file below the state directory.
    ///
    /// # Errors
    /// `Io` with the path if it cannot be read.
    pub fn read(&self, folder: &str, name: &str) -> Result<Vec<u8>> {
        let path = self.dir.join(folder).join(name);
        std::fs::read(&path).map_err(|e| Error::state_io(&path, &e))
    }

    /// The names of the files of a directory below the state directory; none if it is not there.
    ///
    /// # Errors
    /// `Io` with the path if the directory cannot be read.
    pub fn names(&self, folder: &str) -> Result<Vec<String>> {
        let directory = self.dir.join(folder);
        match std::fs::read_dir(&directory) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(e) => Err(Error::state_io(&directory, &e)),
            Ok(all) => {
                let names = all.flatten().map(|entry| entry.file_name());
                Ok(names.map(|name| name.to_string_lossy().into_owned()).collect())
            }
        }
    }

    /// Removes the files of a directory below the state directory that nobody wrote to for `age`,
    /// and the oldest of more than `count`; gives how many. One whose lock somebody holds stays.
    ///
    /// # Errors
    /// `Io` with the path if the directory cannot be read.
    pub fn keep_newest(&self, folder: &str, count: usize, age: Duration) -> Result<usize> {
        let time = |name: String| {
            let path = self.dir.join(folder).join(name);
            let time = std::fs::metadata(&path).and_then(|data| data.modified()).ok()?;
            Some((time, path))
        };
        let mut all: Vec<_> = self.names(folder)?.into_iter().filter_map(time).collect();
        all.sort_by(|a, b| b.cmp(a)); // the newest first
        let is_old = |time: &std::time::SystemTime| time.elapsed().is_ok_and(|since| since > age);
        let mut removed = 0;
        for (at, (time, path)) in all.iter().enumerate() {
            let wanted = at < count && !is_old(time);
            let free = || File::open(path).is_ok_and(|file| hold(&file, Duration::ZERO));
            if !wanted && free() && std::fs::remove_file(path).is_ok() {
                removed += 1;
            }
        }
        Ok(removed)
    }

    /// Removes a file below the state directory that is damaged or of no use; it may be gone
    /// already.
    pub fn remove(&self, folder: &str, name: &str) {
        let _ = std::fs::remove_file(self.dir.join(folder).join(name));
    }

    /// Removes the files of a directory below the state directory that nobody wrote to for so long.
    pub fn remove_unused(&self, folder: &str, age: Duration) {
        let Ok(entries) = std::fs::read_dir(self.dir.join(folder)) else { return };
        for entry in entries.flatten() {
            let changed = entry.metadata().and_then(|data| data.modified());
            if changed.is_ok_and(|time| time.elapsed().is_ok_and(|since| since > age)) {
                let _ = std::fs::remove_file(entry.path()); // tried again the next time
            }
        }
    }
}

/// Takes the lock of a file against other processes and threads, until it is closed; false if
/// somebody else holds it all that time.
pub fn hold(file: &File, wait: Duration) -> bool {
    let until = Instant::now() + wait;
    let mut pause = Duration::from_micros(100);
    while rustix::fs::flock(file, rustix::fs::FlockOperation::NonBlockingLockExclusive).is_err() {
        if Instant::now() > until {
            return false;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
    true
}

/// A file of this name, locked, says that somebody uses the directory it is in.
const IN_USE: &str = "lock";

/// A directory of one process, which others clear up once that is gone.
#[derive(Debug)]
pub struct OwnDirectory {
    path: PathBuf,
    _lock: File,
}

impl OwnDirectory {
    /// Makes the directory `name` in `parent`, readable by its owner alone. It appears with its
    /// lock held, so that nobody takes it for abandoned.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn make(parent: &Path, name: &str) -> std::io::Result<Self> {
        let (new, path) = (parent.join(format!(".new-{name}")), parent.join(name));
        DirBuilder::new().mode(0o700).create(&new)?;
        let lock = File::create_new(new.join(IN_USE))?;
        rustix::fs::flock(&lock, rustix::fs::FlockOperation::NonBlockingLockExclusive)?;
        std::fs::rename(&new, &path)?;
        Ok(Self { path, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the directories in `parent` whose names begin so and which nobody uses any more.
    pub fn remove_abandoned(parent: &Path, prefix: &str, remove: impl Fn(&Path)) {
        for directory in std::fs::read_dir(parent).into_iter().flatten().flatten() {
            let name = directory.file_name();
            if !name.to_string_lossy().starts_with(prefix)
                || name.to_string_lossy().starts_with('.')
            {
                continue;
            }
            let Ok(lock) = File::open(directory.path().join(IN_USE)) else { continue };
            let free = rustix::fs::FlockOperation::NonBlockingLockExclusive;
            if rustix::fs::flock(&lock, free).is_ok() {
                remove(&directory.path());
            }
        }
    }
}
