//! One writer at a time for a path, also between processes.
//!
//! Whoever changes a path holds it alone, and the directories above it together with others: so a
//! file is not written into a directory that somebody removes or moves at the same time.

#![expect(unsafe_code, reason = "locks of one descriptor, which std and rustix do not have")]

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fault::{Error, Result};

use super::{Step, hash};
use crate::workspace::Spot;

/// The locks of a step: places in one file, each for a path, alone or shared.
#[derive(Debug, Default)]
pub(super) struct Locks {
    file: Option<File>,
    held: BTreeMap<i64, bool>,
}

/// The place of a real path in the file of locks.
fn place(real: &Path) -> i64 {
    let digest = hash(real.as_os_str().as_bytes());
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&digest[..8]);
    i64::from_le_bytes(bytes) & (i64::MAX >> 1)
}

/// Tries to lock a place for this descriptor, against all others also of this process.
fn try_lock(file: &File, place: i64, alone: bool) -> bool {
    let kind = if alone { libc::F_WRLCK } else { libc::F_RDLCK };
    let lock = libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: place,
        l_len: 1,
        l_pid: 0,
    };
    // SAFETY: the descriptor is open as long as `file` is borrowed, and the kernel reads the
    // structure during the call.
    unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const lock) == 0 }
}

impl Step<'_> {
    /// Takes the locks of many real paths, in an order that all processes keep, so that two of them
    /// never wait for each other.
    pub(crate) fn hold_all(&self, paths: Vec<PathBuf>) -> Result<()> {
        if self.dry {
            return Ok(());
        }
        let mut wanted: BTreeMap<i64, (bool, &Path)> = BTreeMap::new();
        let mut above: HashSet<&Path> = HashSet::new();
        for path in &paths {
            let root = self.workspace.roots().map(|(root, _)| root).find(|r| path.starts_with(r));
            for folder in path.ancestors().skip(1) {
                // What is above a directory that was met before was met too.
                if root.is_none_or(|r| folder == r || !folder.starts_with(r))
                    || !above.insert(folder)
                {
                    break;
                }
                wanted.entry(place(folder)).or_insert((false, path));
            }
            wanted.insert(place(path), (true, path));
        }
        let mut inner = self.lock();
        let Locks { file, held } = &mut inner.locks;
        let file = match file {
            Some(file) => file,
            None => file.insert(self.journal.state.file("locks", "paths")?),
        };
        let until = Instant::now() + self.workspace.limits().lock_wait;
        for (place, (alone, path)) in wanted {
            if held.get(&place).is_some_and(|held| *held || !alone) {
                continue;
            }
            let mut pause = Duration::from_micros(100);
            while !try_lock(file, place, alone) {
                if Instant::now() > until {
                    return Err(Error::file_busy(&self.workspace.show(path)));
                }
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(5));
            }
            held.insert(place, alone);
        }
        Ok(())
    }

    /// Takes the lock of a place for the rest of the step, against other processes and threads,
    /// unless nothing will be written.
    ///
    /// # Errors
    /// `FileBusy`; `FileChanged` if its directory was moved or removed before the lock was had.
    pub(super) fn lock_spot(&self, spot: &Spot, path: &str) -> Result<()> {
        self.hold_all(vec![spot.path.clone()])?;
        if self.dry || spot.is_current() { Ok(()) } else { Err(Error::file_changed(path)) }
    }
}
