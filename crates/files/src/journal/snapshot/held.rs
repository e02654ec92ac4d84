//! Files that somebody has open to write to.

#![expect(unsafe_code, reason = "leases, which std and rustix do not have")]

use std::fs::File;
use std::os::fd::AsRawFd as _;

use crate::journal::image::Image;
use crate::journal::store::Altered;
use crate::workspace::Workspace;

/// Whether somebody still has a changed file open to write to it, now that the program has ended with
/// all that it started: what was written that way is reported only when it is closed.
pub(super) fn is_held(workspace: &Workspace, change: &Altered) -> bool {
    let Image::File { .. } = change.after else { return false };
    let opened = workspace.spot_of(&change.path).ok().and_then(|spot| spot.open().ok());
    opened.is_some_and(|file| refuses_lease(&file))
}

/// The kernel gives no lease for reading on what is open for writing. Nor does it to others than the
/// owner, with another error. Dropped with the file, after no time.
fn refuses_lease(file: &File) -> bool {
    const F_SETSIG: libc::c_int = 10;
    // Who opens it in that time has a signal sent, which must be one that does nothing.
    // SAFETY: the arguments are numbers.
    unsafe {
        libc::fcntl(file.as_raw_fd(), F_SETSIG, libc::SIGURG) == 0
            && libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, libc::F_RDLCK) == -1
            && std::io::Error::last_os_error().raw_os_error() == Some(libc::EAGAIN)
    }
}
