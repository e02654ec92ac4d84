//! Whether something is mounted below a root: a mount hides directories without a report.

use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};

const TABLE: &str = "/proc/self/mountinfo";
/// Bytes of the table that are read at once.
const CHUNK: usize = 16 << 10;

/// The table of mounts, which tells when it changes (proc_pid_mounts(5)).
#[derive(Debug)]
pub(crate) struct Mounts {
    table: OwnedFd,
    /// How many there are at the root itself.
    pub(crate) at_root: usize,
}

impl Mounts {
    /// The table as it is now; `None` if something is mounted below the root, or if it cannot be
    /// read.
    pub(crate) fn without_any_below(root: &Path) -> Option<Self> {
        let table =
            rustix::fs::open(TABLE, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
        let mut mounts = Self { table, at_root: 0 };
        mounts.changed(); // what it was before is of no interest
        let places = mounts.places()?;
        let root = root.as_os_str().as_bytes();
        mounts.at_root = places.iter().filter(|place| *place == root).count();
        let is_below = |place: &Vec<u8>| {
            let rest = place.strip_prefix(root);
            rest.is_some_and(|rest| !rest.is_empty() && (rest[0] == b'/' || root == b"/"))
        };
        (!places.iter().any(is_below)).then_some(mounts)
    }

    /// Whether it changed since the last time.
    pub(crate) fn changed(&self) -> bool {
        let mut polled = [PollFd::new(&self.table, PollFlags::PRI)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut polled, Some(&now)).is_ok_and(|ready| ready > 0)
    }

    fn places(&self) -> Option<Vec<Vec<u8>>> {
        let mut text = Vec::new();
        let mut chunk = [0; CHUNK];
        loop {
            match rustix::io::pread(&self.table, &mut chunk, text.len() as u64).ok()? {
                0 => break,
                read => text.extend(&chunk[..read]),
            }
        }
        let lines = text.split(|b| *b == b'\n');
        Some(lines.filter_map(|line| line.split(|b| *b == b' ').nth(4)).map(unescaped).collect())
    }
}

/// Blanks and backslashes stand as three octal digits.
fn unescaped(field: &[u8]) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::with_capacity(field.len()), field);
    while let Some((byte, after)) = rest.split_first() {
        let digits =
            after.get(..3).filter(|_| *byte == b'\\').and_then(|d| std::str::from_utf8(d).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                out.push(byte);
                rest = &after[3..];
            }
            None => {
                out.push(*byte);
                rest = after;
            }
        }
    }
    out
}
