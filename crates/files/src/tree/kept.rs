//! The segments of an index of a root in the state directory. They are a cache: what is damaged or of another
//! version is left out, and if nothing can be kept, every file is searched.

#![expect(clippy::disallowed_methods, reason = "files of Kitbag's own in the state directory")]

use std::fs::File;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use postings::Segment;

use crate::state::{State, hold};

/// The directory of the state directory.
const FOLDER: &str = "words";
/// Segments that nobody used for so long are of projects that are gone.
const AGE: Duration = Duration::from_secs(60 * 24 * 3600);

/// Where the segments of an index of one root are.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    state: State,
    root: String,
    /// How the names of its files end.
    end: String,
}

impl Kept {
    /// `index` tells this index of the root from its others.
    pub(crate) fn new(state: &State, root: &Path, index: &str) -> Self {
        let hash = blake3::hash(root.as_os_str().as_bytes()).to_hex();
        Self { state: state.clone(), root: hash[..32].to_owned(), end: format!(".{index}") }
    }

    /// The names of the segments that are there.
    pub(crate) fn list(&self) -> Vec<String> {
        let entries =
            std::fs::read_dir(self.state.dir().join(FOLDER)).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(|name| name.starts_with(&self.root) && name.ends_with(&self.end)).collect()
    }

    /// Opens a segment, and takes note that it is used.
    pub(crate) fn open(&self, name: &str) -> Option<Segment> {
        let path = self.path(name);
        let file = File::open(&path).ok()?;
        match Segment::open(&file) {
            Ok(segment) => {
                let _ = File::options()
                    .write(true)
                    .open(&path)
                    .and_then(|file| file.set_modified(std::time::SystemTime::now()));
                Some(segment)
            }
            Err(e) => {
                tracing::info!("a segment of an index is left out: {e}");
                self.remove(name);
                None
            }
        }
    }

    /// Holds the segments against other servers that would write them; none if one does.
    pub(crate) fn lock(&self) -> Option<File> {
        let file = self.state.file(FOLDER, &format!("{}{}.lock", self.root, self.end)).ok()?;
        self.state.remove_unused(FOLDER, AGE);
        hold(&file, Duration::ZERO).then_some(file)
    }

    /// Writes a segment: it appears when it is complete.
    pub(crate) fn write(&self, bytes: &[u8]) -> Option<(String, Segment)> {
        let name = format!("{}-{}{}", self.root, crate::journal::new_id(), self.end);
        let new = format!("{name}.new");
        let written = self.state.file(FOLDER, &new).ok().and_then(|mut file| {
            file.write_all(bytes).and_then(|()| file.sync_all()).ok()?;
            std::fs::rename(self.path(&new), self.path(&name)).ok()?;
            Segment::open(&File::open(self.path(&name)).ok()?).ok()
        });
        if written.is_none() {
            self.state.remove(FOLDER, &new);
        }
        written.map(|segment| (name, segment))
    }

    pub(crate) fn remove(&self, name: &str) {
        self.state.remove(FOLDER, name);
    }

    fn path(&self, name: &str) -> PathBuf {
        self.state.dir().join(FOLDER).join(name)
    }
}
