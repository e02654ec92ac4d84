//! Which files there are and when each was last changed, so that an index can tell what is stale.

use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fault::{Cancel, Error, Result};
use ignore::WalkState;

use super::unreadable::Unreadable;
use super::walk::Walk;
use crate::workspace::{Folder, Kind, Workspace};

/// How long after a change a clock may still give the same time to the next one.
const CLOCK: Duration = Duration::from_millis(100);
/// The same on a file system without parts of a second; some count by two.
const COARSE: Duration = Duration::from_secs(3);

/// What tells one state of a file from another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Its size in bytes.
    pub size: u64,
    /// When its content or its attributes were last changed, in nanoseconds since 1970; unlike the
    /// time of its content no program can set it.
    pub changed: i64,
    /// Which file it is on its file system: another one may have been put in its place.
    pub inode: u64,
}

/// The regular files of a directory.
#[derive(Debug)]
pub struct FileList {
    folder: Folder,
    /// Each with its path below the directory, in the order of its bytes.
    pub files: Vec<(PathBuf, Stamp)>,
    /// There are more files than were asked for.
    pub more: bool,
    /// Files and directories that the operating system did not let us look at.
    pub unreadable: usize,
}

/// Lists the first `most` files of `dir` that a search would look at. No file is opened.
///
/// # Errors
/// `DirectoryNotFound`, `NotADirectory`, `PathOutsideWorkspace`, `Cancelled`;
/// `PermissionDenied` if the directory itself is closed.
pub fn list_files(
    workspace: &Workspace,
    dir: &str,
    most: usize,
    cancel: &Cancel,
) -> Result<FileList> {
    let folder = workspace.folder(dir)?;
    // A directory that is gone or closed would look like an empty one.
    let data = folder.open(Path::new(".")).and_then(|f| f.metadata());
    if data.map_err(|e| Error::io(dir, &e))?.nlink() == 0 {
        return Err(Error::directory_not_found(dir));
    }
    let tree = Walk::new(&folder, cancel);
    let all =
        Mutex::new(Seen { files: Vec::new(), more: false, unreadable: Unreadable::default() });
    tree.walk(|| {
        let mut mine = Share { seen: Seen::default(), all: &all, most };
        move |entry| {
            match entry {
                Ok(item) if item.kind == Kind::File => match item.stamp() {
                    Ok(stamp) => mine.seen.add(item.rel.to_owned(), stamp, most),
                    Err(error) => mine.seen.unreadable.add_error(&error),
                },
                Ok(_) => {}
                Err(error) => mine.seen.unreadable.add_error(error),
            }
            WalkState::Continue
        }
    });
    cancel.check()?;
    let mut seen = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    seen.cut(most);
    let unreadable = seen.unreadable.count();
    Ok(FileList { folder, files: seen.files, more: seen.more, unreadable })
}

impl FileList {
    /// Reads a file that was listed, or the first `most` bytes of it; through no link.
    ///
    /// # Errors
    /// Those of the operating system, for the caller to count.
    pub fn read(&self, rel: &Path, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.folder.open(rel)?.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Where the directory really is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Stamp {
    /// What the operating system says of a file.
    pub(crate) fn of(data: &std::fs::Metadata) -> Self {
        Self::new(data.size(), (data.ctime(), data.ctime_nsec()), data.ino())
    }

    /// The time is in seconds and nanoseconds.
    pub(crate) fn new(size: u64, changed: (i64, i64), inode: u64) -> Self {
        let changed = changed.0.wrapping_mul(1_000_000_000).wrapping_add(changed.1);
        Self { size, changed, inode }
    }

    /// Whether the file has been left alone for so long that its next change will have another time.
    pub fn is_settled(self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let clock = if self.changed % 1_000_000_000 == 0 { COARSE } else { CLOCK };
        now.as_nanos().cast_signed() - i128::from(self.changed) > clock.as_nanos().cast_signed()
    }
}

#[derive(Default)]
struct Seen {
    files: Vec<(PathBuf, Stamp)>,
    more: bool,
    unreadable: Unreadable,
}

impl Seen {
    fn add(&mut self, rel: PathBuf, stamp: Stamp, most: usize) {
        self.files.push((rel, stamp));
        if self.files.len() > most.saturating_mul(2) {
            self.cut(most);
        }
    }

    /// Keeps the first ones by path, so that the same are kept every time.
    fn cut(&mut self, most: usize) {
        self.files.sort_unstable_by(|a, b| a.0.as_os_str().cmp(b.0.as_os_str()));
        self.more |= self.files.len() > most;
        self.files.truncate(most);
    }
}

/// One thread's files, put to those of the others when the thread ends.
struct Share<'a> {
    seen: Seen,
    all: &'a Mutex<Seen>,
    most: usize,
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        let mine = std::mem::take(&mut self.seen);
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.more |= mine.more;
        all.unreadable.merge(mine.unreadable);
        all.files.extend(mine.files);
        all.cut(self.most);
    }
}
