//! The directories that the operating system reports changes of.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{CStr, OsStr, OsString};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// Bytes of events that are read at once.
const BUFFER: usize = 16 << 10;

/// Directories below a root, each reported to one queue of the kernel. A change is in the queue
/// before the system call that made it returns (inotify(7)), with one exception: what is written
/// through a shared mapping is reported when the mapping ends.
#[derive(Debug)]
pub(crate) struct Watches {
    queue: OwnedFd,
    root: PathBuf,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    by_watch: HashMap<i32, OsString>,
    by_path: BTreeMap<OsString, i32>,
    /// Why a directory could not be watched.
    refused: Option<Errno>,
}

/// One change.
#[derive(Debug)]
pub(crate) struct Event {
    /// The directory below the root.
    pub(crate) directory: OsString,
    /// What of it changed; `None` if it was the directory itself.
    pub(crate) name: Option<OsString>,
    /// Something appeared or vanished under this name.
    pub(crate) is_listing: bool,
    /// The name is that of a directory.
    pub(crate) is_directory: bool,
    /// The directory was moved or removed, or its file system was.
    pub(crate) is_end: bool,
    /// A file was closed by one who could write to it.
    pub(crate) is_written: bool,
    /// Something was moved to the name.
    pub(crate) is_arrival: bool,
}

/// Too many changes to be told one by one.
#[derive(Debug)]
pub(crate) struct Overflow;

impl Watches {
    /// A queue for the root at this real path, which is watched itself.
    ///
    /// # Errors
    /// What the operating system refuses: usually too many queues of the user, or watches.
    pub(crate) fn new(root: &Path) -> Result<Self, Errno> {
        let queue = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        let watches = Self { queue, root: root.to_owned(), known: Mutex::default() };
        watches.add(root);
        match watches.refused() {
            Some(errno) => Err(errno),
            None => Ok(watches),
        }
    }

    /// Watches a directory; one that is gone is passed over. Whoever reads it after this misses
    /// nothing.
    pub(crate) fn add(&self, path: &Path) {
        let flags = WatchFlags::ATTRIB
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::DELETE_SELF
            | WatchFlags::MODIFY
            | WatchFlags::MOVE_SELF
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::DONT_FOLLOW
            | WatchFlags::EXCL_UNLINK
            | WatchFlags::ONLYDIR;
        let rel = path.strip_prefix(&self.root).unwrap_or(path).as_os_str().to_owned();
        let mut known = self.lock();
        match inotify::add_watch(&self.queue, path, flags) {
            Ok(watch) => {
                if let Some(old) = known.by_watch.insert(watch, rel.clone())
                    && old != rel
                {
                    known.by_path.remove(&old);
                }
                known.by_path.insert(rel, watch);
            }
            // It was replaced meanwhile, of which its parent is told; closed ones are found so.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::ACCESS) => {}
            Err(errno) => known.refused = Some(errno),
        }
    }

    /// Watches a directory no longer, unless it has moved elsewhere.
    pub(crate) fn remove(&self, directory: &OsStr) {
        let mut known = self.lock();
        if let Some(watch) = known.by_path.remove(directory) {
            known.by_watch.remove(&watch);
            let _ = inotify::remove_watch(&self.queue, watch); // it ends with its directory too
        }
    }

    /// Why a directory could not be watched, if one could not.
    pub(crate) fn refused(&self) -> Option<Errno> {
        self.lock().refused
    }

    /// The root.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// So many directories that are watched, other ones each `turn`.
    pub(crate) fn some(&self, count: usize, turn: usize) -> Vec<OsString> {
        let known = self.lock();
        let step = (known.by_path.len() / count).max(1);
        known.by_path.keys().skip(turn % step).step_by(step).take(count).cloned().collect()
    }

    /// How many directories are watched.
    pub(crate) fn len(&self) -> usize {
        self.lock().by_watch.len()
    }

    /// The changes since the last time, as far as they were of directories still known.
    ///
    /// # Errors
    /// [`Overflow`] if some were lost.
    pub(crate) fn events(&self) -> Result<Vec<Event>, Overflow> {
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut reader = Reader::new(&self.queue, &mut buffer);
        let mut events = Vec::new();
        loop {
            match reader.next() {
                Ok(event) if event.events().contains(ReadFlags::QUEUE_OVERFLOW) => {
                    return Err(Overflow);
                }
                Ok(event) => {
                    events.extend(self.event(event.wd(), event.events(), event.file_name()))
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(events),
                Err(_) => return Err(Overflow),
            }
        }
    }

    fn event(&self, watch: i32, what: ReadFlags, name: Option<&CStr>) -> Option<Event> {
        let directory = self.lock().by_watch.get(&watch)?.clone();
        let listing =
            ReadFlags::CREATE | ReadFlags::DELETE | ReadFlags::MOVED_FROM | ReadFlags::MOVED_TO;
        let end = ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::UNMOUNT;
        Some(Event {
            directory,
            name: name.map(|name| OsStr::from_bytes(name.to_bytes()).to_owned()),
            is_listing: what.intersects(listing),
            is_directory: what.contains(ReadFlags::ISDIR),
            is_end: what.intersects(end),
            is_written: what.contains(ReadFlags::CLOSE_WRITE),
            is_arrival: what.contains(ReadFlags::MOVED_TO),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AsFd for Watches {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.queue.as_fd()
    }
}

/// How many directories the kernel lets each user watch, if it says so.
pub fn most_watches() -> Option<u64> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let file = rustix::fs::open("/proc/sys/fs/inotify/max_user_watches", flags, Mode::empty());
    let mut bytes = [0; 32];
    let read = rustix::io::read(file.ok()?, &mut bytes).ok()?;
    std::str::from_utf8(&bytes[..read]).ok()?.trim().parse().ok()
}

/// Whether a path is a directory or lies in it; both are below the same root.
pub(crate) fn is_in(path: &OsStr, directory: &OsStr) -> bool {
    let (path, directory) = (path.as_bytes(), directory.as_bytes());
    directory.is_empty()
        || path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}
