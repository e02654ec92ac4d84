//! What a call would change, and what of it a person allowed.

use std::path::{Path, PathBuf};

use crate::journal::blobs::{Hash, hash};
use crate::workspace::Workspace;

/// What a person allowed beyond the policy.
#[derive(Clone, Debug, Default)]
pub struct Approved {
    /// Protected paths, real.
    pub protected: Vec<PathBuf>,
    /// The exact changes that were shown; others are refused.
    pub planned: Option<Planned>,
}

/// What a call would change, found by trying it without effect.
#[derive(Clone, Debug, Default)]
pub struct Planned(pub(super) Vec<Plan>);

#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) path: PathBuf,
    pub(super) before: Option<Vec<u8>>,
    pub(super) after: After,
}

/// What is to stand at a path.
#[derive(Clone, Debug)]
pub(super) enum After {
    File(Vec<u8>),
    Directory,
    Nothing,
}

impl After {
    fn identity(&self) -> Option<Hash> {
        match self {
            Self::File(bytes) => Some(hash(bytes)),
            _ => None,
        }
    }
}

impl Planned {
    /// A text that is the same only for the same changes.
    pub fn identity(&self) -> String {
        let one = |p: &Plan| {
            format!("{:?}{:?}{:?}", p.path, p.before.as_deref().map(hash), p.after.identity())
        };
        self.0.iter().map(one).collect()
    }

    pub(in crate::journal) fn show(&self, workspace: &Workspace) -> String {
        let mut text = String::new();
        for plan in &self.0 {
            let path = workspace.show(&plan.path);
            match (&plan.before, &plan.after) {
                (before, After::File(after)) => {
                    let old = before.as_ref().map_or("/dev/null", |_| path.as_str());
                    text += &crate::edit::diff(
                        old,
                        &path,
                        before.as_deref().unwrap_or_default(),
                        after,
                    );
                }
                (_, After::Directory) => text += &format!("create folder {path}\n"),
                (_, After::Nothing) => text += &format!("remove {path}\n"),
            }
        }
        text
    }

    /// Whether just this change was planned: from the same content to the same content.
    pub(super) fn has(&self, path: &Path, before: Option<&[u8]>, after: &After) -> bool {
        self.0.iter().any(|p| {
            p.path == path
                && p.before.as_deref() == before
                && p.after.identity() == after.identity()
        })
    }
}
