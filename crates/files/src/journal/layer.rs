//! What a program changes is written to a layer first, and brought in when it ends.
//!
//! So it is known exactly what the program did, at the cost of the changes and not of the tree;
//! what a person saves meanwhile is theirs, since it never was in the layer; and what was there
//! before goes into the journal as the very file it was. A layer that nobody wants is dropped, and
//! nothing happened.

#![expect(clippy::disallowed_methods, reason = "layers stand in the state directory")]

mod apply;
mod foreign;
mod git;
mod ignores;
mod look;
mod repository;
mod staged;
mod withhold;

pub use foreign::OVERFLOW;
pub use git::PersonsGit;
pub(super) use git::{
    is_harmless, is_index, is_object, obeyed, obeys as takes_orders, stays_as_it_is,
};
pub(super) use ignores::{Ignores, read_text};
pub(super) use repository::is_obeyed;
pub(super) use staged::{digest as staged, digest_of as staged_in};
pub use withhold::Withheld;
pub(super) use withhold::some;

use std::fs::DirBuilder;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use fault::{Error, Result};
use rustix::fs::{Mode, OFlags};
use rustix::time::ClockId;

use super::{Journal, Step};
use crate::state::OwnDirectory;
use crate::workspace::{Access, Workspace};

/// Where layers stand in the state directory.
const LAYERS: &str = "layers";

/// What programs did in a rehearsal, in their layers, until it is allowed or dropped.
#[derive(Debug, Default)]
pub struct Held(Vec<Layers>);

/// What a session learnt about the roots.
#[derive(Debug, Default)]
pub(super) struct Learnt {
    /// Roots that cannot have a layer, and why.
    refused: Vec<(PathBuf, String)>,
    /// Roots whose files a layer can take, as far as was looked.
    taken: Vec<PathBuf>,
    /// Ignored directories in which programs have written, by real path.
    ignored: Vec<PathBuf>,
    swept: bool,
    /// Layers that are of no more use, to be removed when nobody waits for an answer.
    done: Vec<OwnDirectory>,
}

impl Drop for Learnt {
    fn drop(&mut self) {
        self.done.drain(..).for_each(|directory| remove(directory.path()));
    }
}

/// A directory above a root that takes every change of a program. The journal makes it, and brings
/// in what is in it.
#[derive(Debug)]
pub struct Layer {
    /// The root below it, a real path.
    pub root: PathBuf,
    /// Where what is changed is written; on the mount of the root.
    pub upper: PathBuf,
    /// What the kernel works in.
    pub work: PathBuf,
    /// Directories of the root that programs write to directly, by their path in it.
    pub passed: Vec<PathBuf>,
}

/// The layers of one program, one above each root that it may write; none if there are none to be
/// had. Dropped, they are gone with all that is in them.
#[derive(Debug, Default)]
pub struct Layers {
    list: Vec<Layer>,
    held: Option<OwnDirectory>,
    /// Nanoseconds since 1970 when they were made.
    began: i64,
    learnt: Option<Arc<Mutex<Learnt>>>,
}

impl Layers {
    /// Each with its root.
    pub fn list(&self) -> &[Layer] {
        &self.list
    }

    /// When they were made, in nanoseconds since 1970. A file stamped at that time or after it was
    /// changed by somebody else while the program ran. This holds only if the program starts once the
    /// coarse clock, which file systems stamp with, has reached it.
    pub fn began(&self) -> i64 {
        self.began
    }

    /// Whether there is none to be had.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether a root holds a file that no layer can take, deeper than was looked before they were
    /// made; then the next program gets no layers.
    pub fn met_foreign(&self, workspace: &Workspace) -> bool {
        let found = self.list.iter().find_map(|layer| {
            foreign::find(workspace.root_handle(&layer.root)?, &layer.passed, foreign::ALL)
        });
        if let Some(file) = &found {
            self.refused(&foreign::why(file));
        }
        found.is_some()
    }

    /// Notes that they cannot be had here, so that the next program gets none.
    pub fn refused(&self, why: &str) {
        if let Some(learnt) = &self.learnt {
            let mut learnt = learnt.lock().unwrap_or_else(PoisonError::into_inner);
            learnt.refused.extend(self.list.iter().map(|l| (l.root.clone(), why.to_owned())));
        }
    }
}

impl Drop for Layers {
    fn drop(&mut self) {
        let Some(held) = self.held.take() else { return };
        match &self.learnt {
            Some(learnt) => {
                learnt.lock().unwrap_or_else(PoisonError::into_inner).done.push(held);
            }
            None => remove(held.path()),
        }
    }
}

impl Step<'_> {
    /// Makes a layer above every root that may be written.
    ///
    /// # Errors
    /// `Io` or `DiskFull` if the state directory cannot be written.
    pub fn layers(&self, workspace: &Workspace) -> Result<Layers> {
        self.journal.make_layers(workspace, !self.dry)
    }
}

impl Journal {
    fn learnt(&self) -> std::sync::MutexGuard<'_, Learnt> {
        self.learnt.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the layers that are of no more use, which takes longer than the rest of a small
    /// command.
    pub(super) fn remove_layers(&self) {
        let done = std::mem::take(&mut self.learnt().done);
        done.into_iter().for_each(|directory| remove(directory.path()));
    }

    /// Why programs change a root directly and not in a layer, if it was tried.
    pub fn without_layer(&self) -> Vec<(PathBuf, String)> {
        self.learnt().refused.clone()
    }

    fn make_layers(&self, workspace: &Workspace, pass: bool) -> Result<Layers> {
        if !self.learnt().refused.is_empty() {
            return Ok(Layers::default());
        }
        let all = self.state.folder(LAYERS)?;
        if !std::mem::replace(&mut self.learnt().swept, true) {
            // Of servers that were killed: nothing of it was brought in.
            OwnDirectory::remove_abandoned(&all, "", remove);
        }
        let fail = |e: std::io::Error| Error::state(&all, &e);
        let held = OwnDirectory::make(&all, &super::new_id()).map_err(fail)?;
        let directory = held.path().to_owned();
        let learnt = Some(Arc::clone(&self.learnt));
        let mut layers = Layers { list: Vec::new(), held: Some(held), began: 0, learnt };
        let trash = self.trash()?;
        for (at, (root, access)) in workspace.roots().enumerate() {
            if access == Access::Read {
                continue;
            }
            let spot =
                workspace.root_handle(root).ok_or_else(|| Error::internal("no such root"))?;
            if !trash.is_on_mount_of(spot) {
                let why = "the state directory is on another file system";
                self.learnt().refused.push((root.to_owned(), why.to_owned()));
                return Ok(Layers::default());
            }
            // A rehearsal must leave nothing behind there either.
            let passed = if pass { self.passed(workspace, root) } else { Vec::new() };
            if let Some(file) = self.foreign(root, spot, &passed) {
                self.learnt().refused.push((root.to_owned(), foreign::why(&file)));
                return Ok(Layers::default());
            }
            let own = directory.join(at.to_string());
            let (upper, work) = (own.join("upper"), own.join("work"));
            let mode = rustix::fs::fstat(spot).map_err(|e| fail(e.into()))?.st_mode & 0o7777;
            for (path, mode) in [(&own, 0o700), (&upper, mode), (&work, 0o700)] {
                make_directory(path, mode).map_err(fail)?;
            }
            layers.list.push(Layer { root: root.to_owned(), upper, work, passed });
        }
        layers.began = nanoseconds(ClockId::Realtime);
        Ok(layers)
    }

    /// A file of a root that no layer can take; each root is looked at once.
    fn foreign(&self, root: &Path, handle: &OwnedFd, passed: &[PathBuf]) -> Option<PathBuf> {
        let mut learnt = self.learnt();
        if learnt.taken.iter().any(|taken| taken == root) {
            return None;
        }
        let found = foreign::find(handle, passed, foreign::UPPER);
        if found.is_none() {
            learnt.taken.push(root.to_owned());
        }
        found
    }

    /// Ignored directories of a root that exist: build output, installed packages. Programs write
    /// there directly, since nobody wants them undone, and since a person's own builds lock files
    /// in them at the same time. Those at the top are found by looking, others when a program has
    /// written there.
    fn passed(&self, workspace: &Workspace, root: &Path) -> Vec<PathBuf> {
        let ignores = ignores::Ignores::of(root);
        let top = std::fs::read_dir(root).into_iter().flatten().flatten();
        let top = top.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let top: Vec<PathBuf> = top.map(|entry| PathBuf::from(entry.file_name())).collect();
        let (learnt, obeyed) = (self.learnt(), git::obeyed(root, &self.persons_git));
        let deeper = learnt.ignored.iter().filter_map(|path| path.strip_prefix(root).ok());
        let known = top.into_iter().chain(deeper.map(Path::to_owned));
        let open = |relative: &PathBuf| {
            let real = root.join(relative);
            // Most are not ignored. What is in there may be a link by now; only a directory is
            // passed through.
            !relative.starts_with(".git")
                && ignores.ignores(relative)
                && !real.starts_with(&self.own)
                && std::fs::symlink_metadata(&real).is_ok_and(|data| data.is_dir())
                && !obeyed.iter().any(|path| git::concerns(path, relative))
                && self.needs_person(workspace, &real, false).is_none()
                && !holds_repository(&real)
        };
        known.filter(open).collect()
    }
}

fn nanoseconds(clock: ClockId) -> i64 {
    let now = rustix::time::clock_gettime(clock);
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}

/// Whether a directory is a repository or holds one next to others: what git obeys there must not
/// be written directly.
fn holds_repository(directory: &Path) -> bool {
    let inner = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let directories = inner.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let paths = directories.map(|entry| entry.path());
    std::iter::once(directory.to_owned()).chain(paths).any(|path| path.join(".git").exists())
}

fn make_directory(path: &Path, mode: u32) -> std::io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

/// Opens a directory for listing, through no link.
fn open_directory(at: &OwnedFd, name: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(at, name, flags, Mode::empty())
}

/// Removes the layers of a program, also what it closed; their lock last, so that whoever comes next
/// goes on if this is interrupted.
fn remove(directory: &Path) {
    for layer in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let is_layer = layer.file_type().is_ok_and(|kind| kind.is_dir());
        if is_layer && remove_tree(&layer.path()).is_err() {
            return;
        }
    }
    let _ = std::fs::remove_dir_all(directory); // else whoever comes next goes on
}

/// Removes a directory with all that is in it, also what is closed to its owner, and however deep
/// it is: what is far down is moved up, so that no path grows.
pub(super) fn remove_tree(top: &Path) -> std::io::Result<()> {
    let (unique, mut count) = (super::new_id(), 0);
    loop {
        let before = count;
        empty(top, FAR_DOWN, &mut |path| {
            count += 1;
            std::fs::rename(path, top.join(format!("{unique}-{count}")))
        })?;
        if count == before {
            return std::fs::remove_dir(top);
        }
    }
}

/// So many levels are removed where they are.
const FAR_DOWN: usize = 16;

fn empty(
    directory: &Path,
    levels: usize,
    move_up: &mut impl FnMut(&Path) -> std::io::Result<()>,
) -> std::io::Result<()> {
    std::fs::set_permissions(directory, std::fs::Permissions::from_mode(0o700))?;
    for entry in std::fs::read_dir(directory)? {
        let (entry, path) = entry.map(|entry| (entry.file_type(), entry.path()))?;
        if !entry?.is_dir() {
            std::fs::remove_file(path)?;
        } else if levels > 0 {
            empty(&path, levels - 1, move_up)?;
            std::fs::remove_dir(path)?;
        } else {
            // To get another parent it must be open to its owner.
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700))?;
            move_up(&path)?;
        }
    }
    Ok(())
}
