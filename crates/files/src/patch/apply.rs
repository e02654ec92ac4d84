//! A diff applied in a step of the journal, to all its files or to none.

use std::path::Path;

use fault::{Error, Result};

use super::PatchSet;
use super::plan::{Base, Change, FileChange, Plan, plan};
use super::tree::shown;
use crate::journal::{Step, Swap};
use crate::workspace::{Folder, Node, Workspace};

impl PatchSet {
    /// Every path that applying it beneath the directory `root` may touch, as the workspace takes
    /// them; paths that are refused are left out. `strip` as in [`plan`].
    ///
    /// # Errors
    /// `DirectoryNotFound`, `PathOutsideWorkspace` for `root`.
    pub fn touches(
        &self,
        workspace: &Workspace,
        root: &str,
        strip: Option<usize>,
    ) -> Result<Vec<String>> {
        let (folder, base) = open(workspace, root)?;
        let paths = self.paths(&base, strip);
        Ok(paths.iter().map(|path| workspace.show(&folder.path().join(path))).collect())
    }

    /// What applying it beneath the directory `root` would do; nothing is written.
    ///
    /// # Errors
    /// As for [`PatchSet::apply`].
    pub fn preview(
        &self,
        workspace: &Workspace,
        root: &str,
        strip: Option<usize>,
    ) -> Result<Vec<FileChange>> {
        let (folder, base) = open(workspace, root)?;
        Ok(work_out(self, strip, &folder, &base, workspace)?.files)
    }

    /// Applies it beneath the directory `root`. All is worked out before the first file is touched;
    /// if writing fails all the same, the step is to be rolled back.
    ///
    /// # Errors
    /// As for [`plan`]; `ProtectedPath`, `PermissionDenied`, `FileBusy`, and `FileChanged` if
    /// somebody changed a file meanwhile.
    pub fn apply(
        &self,
        step: &Step<'_>,
        root: &str,
        strip: Option<usize>,
    ) -> Result<Vec<FileChange>> {
        let (folder, base) = open(step.workspace(), root)?;
        let paths = self.paths(&base, strip);
        step.hold_all(paths.iter().map(|path| folder.path().join(path)).collect())?;
        let plan = work_out(self, strip, &folder, &base, step.workspace())?;
        let swaps: Vec<Swap<'_>> = plan.changes.iter().map(swap).collect();
        swaps.iter().try_for_each(|swap| step.permits(&folder, swap))?;
        swaps.iter().try_for_each(|swap| step.swap(&folder, swap))?;
        Ok(plan.files)
    }
}

fn swap(change: &Change) -> Swap<'_> {
    Swap {
        path: &change.path,
        before: change.before.as_ref(),
        after: change.after.as_ref(),
        source: change.source.as_ref(),
        note: &change.note,
    }
}

fn open(workspace: &Workspace, root: &str) -> Result<(Folder, Base)> {
    let folder = workspace.folder(root)?;
    let base = Base::new(folder.path(), &workspace.spellings(folder.path()));
    Ok((folder, base))
}

fn work_out(
    set: &PatchSet,
    strip: Option<usize>,
    folder: &Folder,
    base: &Base,
    workspace: &Workspace,
) -> Result<Plan> {
    let limit = workspace.limits().file_bytes;
    let plan = plan(set, strip, base, &|path: &Path| folder.node(path, limit))?;
    for change in &plan.changes {
        if let Some(Node::Link { target }) = &change.after
            && !folder.holds_link(&change.path, Path::new(target))
        {
            let target = shown(Path::new(target));
            let why = format!("a link to {target}, which leads out of the workspace");
            return Err(Error::patch_failed(&shown(&change.path), why));
        }
    }
    Ok(plan)
}
