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
    /// What the words of a digest hold in one line.
    pub words: &'a str,
    /// A file without a digest matters only if it holds this: as a word if it is one.
    pub text: &'a str,
    /// Upper and lower case are the same, and the text may be a part of a word.
    pub loose: bool,
    /// About how many files are wanted; there may be more.
    pub most: usize,
}

/// The files of a directory whose digests hold what is asked for, and those that have none.
/// `None` if there is no index, or too little in it: then all must be looked at.
///
/// # Errors
/// `DirectoryNotFound`, `NotADirectory`, `PathOutsideWorkspace`; `PermissionDenied` if the
/// directory may not be read.
pub fn digests(workspace: &Workspace, asked: &Asked<'_>) -> Result<Option<(Folder, Digests)>> {
    let folder = workspace.folder(asked.dir)?;
    folder.check_readable(asked.dir)?;
    let word = if asked.loose { None } else { Query::word(asked.text) };
    let text = word.or_else(|| Query::new(asked.text, true, true));
    let words = Query::new(asked.words, true, asked.loose);
    let found = folder
        .tree()
        .zip(text)
        .and_then(|((tree, place), text)| tree.digests(place, &text, words.as_ref(), asked.most));
    Ok(found.map(|digests| (folder, digests)))
}
