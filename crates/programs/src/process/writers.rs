//! Whether a program has a file of a directory open for writing. Nothing here allocates: init asks.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, RawDir};

/// Longest path that is compared, in bytes; a longer one is taken for one in the directory.
const LONGEST: usize = 4096;

/// A directory, by the path that the kernel has for it.
struct Within {
    path: [u8; LONGEST],
    length: usize,
}

/// Whether a process that this one sees has a file below `directory` open for writing. What cannot
/// be looked at counts as one.
pub(super) fn any_below(directory: &CStr) -> bool {
    let Some(within) = Within::of(directory) else { return true };
    let is_process = |name: &CStr| name.to_bytes().iter().all(u8::is_ascii_digit);
    let Some(all) = open(CWD, c"/proc") else { return true };
    any(&all, |process| is_process(process) && within.is_written_by(all.as_fd(), process))
}

impl Within {
    fn of(directory: &CStr) -> Option<Self> {
        let opened = open(CWD, directory)?;
        let own = open(CWD, c"/proc/self/fd")?;
        let mut name = [0; 16];
        use std::io::Write as _;
        write!(&mut name[..], "{}", opened.as_raw_fd()).ok()?;
        let mut within = Self { path: [0; LONGEST], length: 0 };
        let name = CStr::from_bytes_until_nul(&name).ok()?;
        within.length = link(own.as_fd(), name, &mut within.path)?;
        Some(within)
    }

    fn is_written_by(&self, all: BorrowedFd<'_>, process: &CStr) -> bool {
        // One that ended meanwhile writes no more.
        let Some(process) = open(all, process) else { return false };
        let Some(files) = open(process.as_fd(), c"fd") else { return false };
        any(&files, |file| {
            let mut path = [0; LONGEST];
            let Some(length) = link(files.as_fd(), file, &mut path) else { return false };
            let rest = path[..length].strip_prefix(&self.path[..self.length]);
            // The mode of the link is how the file was opened.
            let stat = rustix::fs::statat(&files, file, AtFlags::SYMLINK_NOFOLLOW);
            rest.is_some_and(|rest| rest.first() == Some(&b'/'))
                && stat.is_ok_and(|stat| stat.st_mode & 0o200 != 0)
        })
    }
}

fn open(at: impl std::os::fd::AsFd, path: &CStr) -> Option<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::openat(at, path, flags, Mode::empty()).ok()
}

/// Reads a link; gives its length.
fn link(at: BorrowedFd<'_>, name: &CStr, to: &mut [u8; LONGEST]) -> Option<usize> {
    rustix::fs::readlinkat_raw(at, name, &mut to[..]).ok()
}

fn any(directory: &OwnedFd, mut holds: impl FnMut(&CStr) -> bool) -> bool {
    let mut space = [MaybeUninit::uninit(); 2048];
    let mut entries = RawDir::new(directory, &mut space);
    while let Some(Ok(entry)) = entries.next() {
        if holds(entry.file_name()) {
            return true;
        }
    }
    false
}
