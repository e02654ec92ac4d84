//! What the index of digests knows of a directory.

use fault::Result;
use postings::Query;

use crate::tree::Digests;
use crate::workspace::{Folder, Workspace};

/// What to look for in digests.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The directory.
    pub dir: &'a str,
    /// A file without a digest matters only if it holds this, in any case of its letters.
    pub text: &'a str,
    /// Texts, and whether the case of their letters counts, that digests are found by.
    pub words: &'a [(&'a str, bool)],
    /// About how many files are wanted for each; there may be more.
    pub most: usize,
}

/// The files of a directory whose digests hold what is asked for, and those that have none.
/// `None` if there is no index, or too little in it: then all must be looked at.
///
/// # Errors
/// `DirectoryNotFound`, `NotADirectory`, `PathOutsideWorkspace`; `PermissionDenied` if the
/// directory may not be read.
pub fn digests(
    workspace: &Workspace,
    asked: &Asked<'_>,
) -> Result<Option<(Folder, Digests)>> {
    let folder = workspace.folder(asked.dir)?;
    folder.check_readable(asked.dir)?;
    let queries: Vec<_> =
        asked.words.iter().map(|(text, exact)| Query::new(text, true, !exact)).collect();
    let text = Query::new(asked.text, true, true);
    let found = folder.tree().zip(text).and_then(|((tree, place), text)| {
        tree.digests(place, &text, &queries, asked.most)
    });
    Ok(found.map(|digests| (folder, digests)))
}
