//! What files of a repository say: the commits that they go with, branches that are packed, and
//! what an index stages.

use std::io;
use std::path::{Path, PathBuf};

use fault::Result;
use rustix::fs::CWD;

use super::Coming;
use crate::journal::image::Image;
use crate::journal::layer::staged;
use crate::journal::refs;
use crate::journal::store::{Commits, Staged};

impl Coming<'_> {
    /// What an index of git stages in the root and in the layer.
    pub(super) fn staged(&self, path: &Path) -> Staged {
        let digest = |above: &Path| staged::digest(CWD, above.join(path).as_os_str());
        Staged { before: digest(&self.layer.root), after: digest(&self.layer.upper) }
    }

    /// The commits that these files of repositories go with in the root, `None` for other files.
    pub(super) fn commits<'p>(&self, paths: impl Iterator<Item = &'p Path>) -> Vec<Option<String>> {
        paths.map(|path| self.commit(path)).collect()
    }

    fn commit(&self, path: &Path) -> Option<String> {
        let (git, file) = refs::in_repository(path.to_str()?)?;
        let read = |name: &str| refs::read(&self.layer.root.join(refs::place(git, name)));
        refs::commit(refs::followed(file)?, read)
    }

    /// Notes which commits files went with before they were brought in, and go with now.
    pub(super) fn note_commits(&self, told: Vec<(usize, PathBuf, String)>) -> Result<()> {
        let with_now = told.into_iter().map(|(seq, path, before)| {
            (seq, Commits { before: Some(before), after: self.commit(&path) })
        });
        self.step.set_commits(with_now.collect())
    }

    /// A branch or tag that the root has among the packed ones alone, as a file of its own.
    pub(super) fn packed(&self, path: &Path) -> io::Result<Option<Image>> {
        let found = path.to_str().and_then(refs::in_repository);
        let Some((git, file)) = found.filter(|(_, file)| refs::is_alone(file)) else {
            return Ok(None);
        };
        let all = refs::read(&self.layer.root.join(git).join(refs::PACKED));
        let all = String::from_utf8_lossy(&all.unwrap_or_default()).into_owned();
        let Some(commit) = refs::packed(&all, file) else { return Ok(None) };
        let text = format!("{commit}\n");
        let kept =
            self.step.journal.store().and_then(|mut s| s.write(|tx| tx.put(text.as_bytes())));
        let hash = kept.map_err(|e| io::Error::other(e.message))?;
        Ok(Some(Image::File { hash, mode: None }))
    }
}
