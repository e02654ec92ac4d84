//! What a call would change, and what of it a person allowed.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::journal::blobs::{Hash, hash};
use crate::workspace::{FileMode, Workspace, quote};

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
pub struct Planned(pub(in crate::journal) Vec<Plan>);

#[derive(Clone, Debug, Default)]
pub(in crate::journal) struct Plan {
    pub(in crate::journal) path: PathBuf,
    pub(in crate::journal) before: Option<Vec<u8>>,
    pub(in crate::journal) after: After,
    /// The bytes that the new ones are shown against, if they are not those before.
    pub(in crate::journal) source: Option<Vec<u8>>,
    /// What the bytes do not show, a line; mostly empty.
    pub(in crate::journal) note: String,
    /// What it changes, or a call that it turns changed, which needs a person.
    pub(in crate::journal) protected: Vec<PathBuf>,
}

/// What is to stand at a path.
#[derive(Clone, Debug, Default)]
pub(in crate::journal) enum After {
    /// A file; without a mode it keeps the one it has.
    File(Vec<u8>, Option<FileMode>),
    Link(OsString),
    Directory,
    /// What is at the path is moved there.
    Moved(PathBuf),
    /// A directory goes because nothing is left in it.
    Emptied,
    /// What the note says.
    Noted,
    #[default]
    Nothing,
}

/// Stands for a mode where something is moved; no file has it.
const MOVED: u32 = u32::MAX;

impl After {
    fn identity(&self) -> Option<(Hash, Option<FileMode>)> {
        match self {
            Self::File(bytes, mode) => Some((hash(bytes), *mode)),
            Self::Link(target) => Some((hash(target.as_bytes()), Some(FileMode::Exact(0o120_000)))),
            Self::Moved(to) => {
                Some((hash(to.as_os_str().as_bytes()), Some(FileMode::Exact(MOVED))))
            }
            _ => None,
        }
    }

    /// Whether it is a directory, which comes and goes with what is in it and is not asked about.
    pub(super) fn is_folder(&self) -> bool {
        matches!(self, Self::Directory | Self::Emptied)
    }
}

/// A text of so many bytes is read whole; before a longer one stands the list of its paths, so many
/// of each kind.
const SHORT: usize = 4 << 10;
const LISTED: usize = 50;
/// Lines of the diff of a file; a person who is asked reads no more.
const DIFF_LINES: usize = 1000;

impl Planned {
    /// A text that is the same only for the same changes.
    pub fn identity(&self) -> String {
        let one = |p: &Plan| {
            format!("{:?}{:?}{:?}", p.path, p.before.as_deref().map(hash), p.after.identity())
        };
        self.0.iter().map(one).collect()
    }

    /// Paths that need a person and that only the trial could tell.
    pub fn protected(&self) -> Vec<PathBuf> {
        self.0.iter().flat_map(|plan| plan.protected.clone()).collect()
    }

    /// The changes as a person is shown them: a diff for each file.
    pub fn show(&self, workspace: &Workspace) -> String {
        let mut text = String::new();
        for plan in &self.0 {
            let path = workspace.show(&plan.path);
            if !plan.note.is_empty() {
                text += &format!("{}\n", plan.note);
            }
            match (plan.source.as_ref().or(plan.before.as_ref()), &plan.after) {
                (None, After::File(after, _)) if after.is_empty() => {
                    text += &format!("create {path}, empty\n");
                }
                (before, After::File(after, _)) => {
                    let old = before.map_or("/dev/null", |_| path.as_str());
                    let before = before.map(Vec::as_slice).unwrap_or_default();
                    text += &crate::edit::diff((old, before), (&path, after), DIFF_LINES);
                }
                (_, After::Directory) => text += &format!("create directory {path}\n"),
                (_, After::Link(target)) => text += &format!("link {path} to {}\n", quote(target)),
                (_, After::Moved(to)) => {
                    text += &format!("move {path} to {}\n", workspace.show(to));
                }
                (_, After::Emptied) => text += &format!("remove empty directory {path}\n"),
                (_, After::Noted) => {}
                (_, After::Nothing) => text += &format!("remove {path}\n"),
            }
        }
        if text.len() <= SHORT || self.0.len() == 1 {
            return text;
        }
        self.list(workspace) + &text
    }

    /// What would be changed, a path each; removals first, since they are what cannot be seen in the
    /// end of a long text.
    fn list(&self, workspace: &Workspace) -> String {
        let what = |plan: &Plan| match (&plan.before, &plan.after) {
            (_, After::Nothing | After::Emptied) => "remove",
            (None, After::File(..)) => "create",
            (_, After::Directory | After::Link(_)) => "create",
            (_, After::Moved(_)) => "move",
            _ => "change",
        };
        let mut text = format!("{} paths:\n", self.0.len());
        for word in ["remove", "move", "change", "create"] {
            let of: Vec<_> = self.0.iter().filter(|plan| what(plan) == word).collect();
            let shown = of.iter().take(LISTED).map(|plan| workspace.show(&plan.path));
            let mut shown = shown.collect::<Vec<_>>().join(", ");
            if of.len() > LISTED {
                shown += &format!(" and {} more", of.len() - LISTED);
            }
            if !of.is_empty() {
                text += &format!("  {word} {shown}\n");
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
