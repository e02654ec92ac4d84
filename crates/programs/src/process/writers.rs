//! Whether a program can still write to a file of a directory: it is open for writing, or mapped.
//! Nothing here allocates: init asks.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, RawDir};
use rustix::io::Errno;

/// Longest path that is compared, in bytes.
const LONGEST: usize = 4096;

/// A directory, by the path that the kernel has for it.
struct Within {
    path: [u8; LONGEST],
    length: usize,
}

/// Whether a process that this one sees can write to a file below `directory`. What cannot be looked
/// at counts as one that can; a file that waits in a socket to be received is not seen.
pub(super) fn any_below(directory: &CStr) -> bool {
    let looked = Within::of(directory).and_then(|within| {
        let all = open(CWD, c"/proc")?;
        any(&all, |process| Ok(is_number(process) && within.is_written_by(&all, process)?))
    });
    looked.unwrap_or(true)
}

impl Within {
    fn of(directory: &CStr) -> Result<Self, Errno> {
        let opened = open(CWD, directory)?;
        let own = open(CWD, c"/proc/self/fd")?;
        let mut name = [0; 16];
        use std::io::Write as _;
        write!(&mut name[..], "{}", opened.as_raw_fd()).map_err(|_| Errno::INVAL)?;
        let name = CStr::from_bytes_until_nul(&name).map_err(|_| Errno::INVAL)?;
        let mut within = Self { path: [0; LONGEST], length: 0 };
        within.length = rustix::fs::readlinkat_raw(&own, name, &mut within.path[..])?;
        Ok(within)
    }

    fn holds(&self, path: &[u8]) -> bool {
        path.strip_prefix(&self.path[..self.length]).is_some_and(|rest| rest.first() == Some(&b'/'))
    }

    fn is_written_by(&self, all: &OwnedFd, process: &CStr) -> Result<bool, Errno> {
        let Some(process) = still(open(all, process))? else { return Ok(false) };
        let Some(tasks) = still(open(&process, c"task"))? else { return Ok(false) };
        // Threads may have tables of files of their own.
        let has_open = any(&tasks, |task| {
            if !is_number(task) {
                return Ok(false);
            }
            let Some(task) = still(open(&tasks, task))? else { return Ok(false) };
            let Some(files) = still(open(&task, c"fd"))? else { return Ok(false) };
            any(&files, |file| self.is_open_for_writing(&files, file))
        })?;
        Ok(has_open || self.is_mapped_by(&process)?)
    }

    fn is_open_for_writing(&self, files: &OwnedFd, file: &CStr) -> Result<bool, Errno> {
        if !is_number(file) {
            return Ok(false);
        }
        let mut path = [0; LONGEST];
        let read = rustix::fs::readlinkat_raw(files, file, &mut path[..]);
        let Some(length) = still(read)? else { return Ok(false) };
        // The mode of the link is how the file was opened.
        let stat = still(rustix::fs::statat(files, file, AtFlags::SYMLINK_NOFOLLOW))?;
        Ok(self.holds(&path[..length]) && stat.is_some_and(|stat| stat.st_mode & 0o200 != 0))
    }

    /// Whether a file is mapped so that what is written to the memory reaches it: the descriptor may
    /// be closed by then.
    fn is_mapped_by(&self, process: &OwnedFd) -> Result<bool, Errno> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let file = still(rustix::fs::openat(process, c"maps", flags, Mode::empty()))?;
        let Some(file) = file else { return Ok(false) };
        let (mut buffer, mut used) = ([0; 2 * LONGEST], 0);
        loop {
            let Some(read) = still(rustix::io::read(&file, &mut buffer[used..]))? else {
                return Ok(false);
            };
            let filled = used + read;
            let lines = memchr::memrchr(b'\n', &buffer[..filled]).map_or(0, |end| end + 1);
            if buffer[..lines].split(|byte| *byte == b'\n').any(|line| self.is_shared(line)) {
                return Ok(true);
            }
            if read == 0 {
                return Ok(false);
            }
            if lines == 0 && filled == buffer.len() {
                return Err(Errno::NAMETOOLONG);
            }
            buffer.copy_within(lines..filled, 0);
            used = filled - lines;
        }
    }

    /// A line of `maps`: addresses, permissions, offset, device, inode, path.
    fn is_shared(&self, line: &[u8]) -> bool {
        let permissions = line.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
        let path = memchr::memchr(b'/', line).map_or(&[][..], |start| &line[start..]);
        permissions.contains(&b's') && permissions.contains(&b'w') && self.holds(path)
    }
}

fn is_number(name: &CStr) -> bool {
    name.to_bytes().iter().all(u8::is_ascii_digit)
}

/// What ended meanwhile writes no more.
fn still<T>(looked: Result<T, Errno>) -> Result<Option<T>, Errno> {
    match looked {
        Err(Errno::NOENT | Errno::SRCH) => Ok(None),
        other => other.map(Some),
    }
}

fn open(at: impl AsFd, path: &CStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::openat(at, path, flags, Mode::empty())
}

fn any(
    directory: &OwnedFd,
    mut holds: impl FnMut(&CStr) -> Result<bool, Errno>,
) -> Result<bool, Errno> {
    let mut space = [MaybeUninit::uninit(); 2048];
    let mut entries = RawDir::new(directory, &mut space);
    while let Some(entry) = entries.next() {
        let Some(entry) = still(entry)? else { return Ok(false) };
        if holds(entry.file_name())? {
            return Ok(true);
        }
    }
    Ok(false)
}
