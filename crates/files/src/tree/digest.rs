//! What an index may keep of files beside the words in them. What that is, others know; here is
//! when it is still right.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::words::Texts;

/// Makes of a file what is kept of it.
pub trait Digest: Send + Sync {
    /// What tells the digests of this maker from those of others and of other versions of it; a
    /// few letters and digits.
    fn name(&self) -> &str;

    /// What is kept of a file with this content; `None` if that cannot be said now. It is of no
    /// use any more once `stop` says so.
    fn of(&self, path: &Path, content: &[u8], stop: &dyn Fn() -> bool) -> Option<Digested>;
}

/// What is kept of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digested {
    /// What it is found by.
    pub words: Vec<u8>,
    /// What is said of it then.
    pub body: Vec<u8>,
}

/// The digest of a file as it is now.
#[derive(Clone, Debug)]
pub struct Known {
    /// Its path below the directory that was asked about.
    pub rel: PathBuf,
    pub(crate) texts: Arc<Texts>,
    pub(crate) text: usize,
}

impl Known {
    /// What the maker kept of it.
    pub fn body(&self) -> &[u8] {
        self.texts.segment.body(self.text)
    }
}

/// Which files of a directory the digests name, and which have none.
#[derive(Clone, Debug, Default)]
pub struct Digests {
    /// Files whose digest can hold what is asked for, by path.
    pub known: Vec<Known>,
    /// Files that have no digest of their content now and can hold the text asked for; those in fewer directories first.
    pub unknown: Vec<PathBuf>,
    /// Files of the root that have one, of so many.
    pub covered: (usize, usize),
}
