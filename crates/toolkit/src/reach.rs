//! What a call touches, so that calls on the same files take turns and small reads need no thread.

use std::path::PathBuf;

use crate::session::Session;

/// A file up to this size is read in less time than handing the work to another thread takes.
const SMALL_BYTES: u64 = 256 << 10;

/// What a call touches, as far as its input says.
pub(crate) struct Reach {
    /// The real paths, one for all spellings.
    pub(crate) paths: Vec<PathBuf>,
    /// It may look anywhere, or into a folder.
    pub(crate) is_wide: bool,
    /// It touches a few small files or folders and nothing else.
    pub(crate) is_small: bool,
}

impl Reach {
    pub(crate) fn of(session: &Session, paths: &[String]) -> Self {
        let few = (1..=4).contains(&paths.len());
        let mut reach = Self { paths: Vec::new(), is_wide: paths.is_empty(), is_small: few };
        for path in paths {
            match session.workspace.glance(path) {
                Some(found) => {
                    reach.is_small &= found.size <= SMALL_BYTES;
                    reach.is_wide |= found.folder;
                    reach.paths.push(found.path);
                }
                None => {
                    reach.paths.push(session.workspace.real(path).unwrap_or_else(|_| path.into()))
                }
            }
        }
        reach
    }
}
