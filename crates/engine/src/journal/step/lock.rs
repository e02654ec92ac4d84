//! One writer at a time for a path, also between processes.

use std::path::{Path, PathBuf};

use super::{Step, hash};
use crate::error::{Error, Result};
use crate::state::hold;

/// Locks are taken from a fixed set of files, so that they do not pile up.
const LOCK_FILES: u16 = 4096;

/// Which of the lock files is that of a real path.
fn slot(real: &Path) -> u16 {
    use std::os::unix::ffi::OsStrExt as _;
    let digest = hash(real.as_os_str().as_bytes());
    u16::from_le_bytes([digest[0], digest[1]]) % LOCK_FILES
}

impl Step<'_> {
    /// Takes the locks of many real paths, in an order that all processes keep, so that two of them
    /// never wait for each other.
    pub(crate) fn hold_all(&self, mut paths: Vec<PathBuf>) -> Result<()> {
        paths.sort_by_key(|real| slot(real));
        paths.iter().try_for_each(|real| self.lock_path(real, &self.workspace.show(real)))
    }

    /// Takes the lock of a real path for the rest of the step, against other processes and threads,
    /// unless nothing will be written.
    pub(super) fn lock_path(&self, real: &Path, path: &str) -> Result<()> {
        if self.dry {
            return Ok(());
        }
        let slot = slot(real);
        if self.lock().locks.iter().any(|(taken, _)| *taken == slot) {
            return Ok(());
        }
        let file = self.journal.state.file("locks", &format!("{slot:03x}"))?;
        if !hold(&file, self.workspace.limits().lock_wait) {
            return Err(Error::file_busy(path));
        }
        self.lock().locks.push((slot, file));
        Ok(())
    }
}
