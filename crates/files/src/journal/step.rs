//! One call's changes: the only way to write.

mod allowed;
mod backup;
mod compare_and_swap;
mod destination;
mod lock;
pub(super) mod planned;
mod remove;
mod settle;
mod transfer;
mod turned;

use std::collections::BTreeSet;
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::blobs::hash;
use super::image::Image;
use super::snapshot::{Before, ProgramChanges};
use super::store::{Altered, Tx};
use super::{Journal, Label, StepId, Touched, Withheld};
use crate::workspace::{Access, Expected, Found, Last, Spot, Workspace, plain, quote};

pub use backup::backup_of;
pub(crate) use compare_and_swap::Swap;
use fault::{Code, Error, Result};
use lock::Locks;
use planned::{After, Plan};
pub use planned::{Approved, Planned};
pub use transfer::Transfer;

/// What happens to directories that are missing on the way to a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parents {
    /// They are made.
    Create,
    /// The call fails with `ParentDirectoryNotFound`.
    Require,
}

/// The content and mode of a file that was there.
type Stood = (Vec<u8>, u32);

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Where it really is, links followed.
    pub path: PathBuf,
    /// Whether nothing stood there before.
    pub new: bool,
}

/// One call's changes. Dropped without a word, it is rolled back.
#[derive(Debug)]
pub struct Step<'a> {
    pub(super) journal: &'a Journal,
    pub(super) workspace: &'a Workspace,
    pub(super) label: Label,
    approved: Approved,
    /// The protected paths among what was approved.
    pub(super) allowed: BTreeSet<PathBuf>,
    pub(super) dry: bool,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
pub(super) struct Inner {
    pub(super) id: Option<StepId>,
    pub(super) changes: Vec<Altered>,
    /// The number of the next change.
    pub(super) next: usize,
    locks: Locks,
    /// A move that was planned is carried out as copies.
    moves_by_copy: bool,
    pub(super) planned: Planned,
    /// Protected paths that it would change, also below a directory that is moved or copied.
    pub(super) needs: BTreeSet<PathBuf>,
    settled: bool,
    /// Set once the files were looked at before a program that changes them directly.
    looked: Option<Before>,
    /// What that program changed, once it was looked for.
    noted: Option<ProgramChanges>,
    /// What programs of a rehearsal did.
    pub(super) held: super::Held,
    /// What was kept back of what programs changed in layers.
    pub(super) withheld: Vec<Withheld>,
    /// What else is told of them, a sentence each.
    pub(super) notes: Vec<String>,
    /// The repositories of the directories that they worked in, of which no layer took what they did.
    pub(super) repositories: Vec<(PathBuf, super::uncovered::Repository)>,
    pub(super) direct: super::uncovered::Direct,
}

impl<'a> Step<'a> {
    pub(super) fn new(
        journal: &'a Journal,
        workspace: &'a Workspace,
        label: Label,
        approved: Approved,
    ) -> Self {
        let (allowed, inner) = (approved.protected.iter().cloned().collect(), Mutex::default());
        Self { journal, workspace, label, approved, allowed, dry: false, inner }
    }

    /// A step in which nothing happens: what would be changed is noted.
    pub fn dry(journal: &'a Journal, workspace: &'a Workspace, approved: Approved) -> Self {
        let mut step = Self::new(journal, workspace, Label::default(), approved);
        step.dry = true;
        step
    }

    /// What would be changed.
    pub fn planned(self) -> Planned {
        let mut inner = self.lock();
        let needs = std::mem::take(&mut inner.needs);
        let mut planned = std::mem::take(&mut inner.planned);
        if let Some(first) = planned.0.first_mut() {
            first.protected.extend(needs);
        }
        planned
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a file with exactly these bytes at `path`.
    ///
    /// # Errors
    /// `FileChanged` if somebody else changed the file since this session read it; `IsDirectory`,
    /// `NotAFile`, `ParentDirectoryNotFound`, `ProtectedPath`, `PathOutsideWorkspace`, `DiskFull`.
    pub fn write(&self, path: &str, bytes: &[u8], parents: Parents) -> Result<Written> {
        let Some((spot, before)) = self.aim(path, parents)? else {
            return self.plan_in_new_folder(path, bytes);
        };
        let new = before.is_none();
        self.put(&spot, path, before, bytes)?;
        Ok(Written { path: spot.path, new })
    }

    /// Changes the file at `path`: `change` gets its bytes and gives the new ones.
    ///
    /// # Errors
    /// `FileNotFound` and what `change` fails with; else as for [`Step::write`].
    pub fn edit<T>(
        &self,
        path: &str,
        change: impl FnOnce(&[u8]) -> Result<(Vec<u8>, T)>,
    ) -> Result<T> {
        // Opening it first gives the errors of reading: missing, a directory, a device.
        drop(self.workspace.open_file(path)?);
        let spot = self.workspace.spot(path, Last::Follow)?;
        self.lock_spot(&spot, path)?;
        let before = self.content(&spot, path)?.ok_or_else(|| Error::file_not_found(path, &[]))?;
        let (after, value) = change(&before.0)?;
        self.put(&spot, path, Some(before), &after)?;
        Ok(value)
    }

    /// The same where the file may be missing: then `change` gets no bytes, and the file is made.
    ///
    /// # Errors
    /// As for [`Step::edit`] and [`Step::write`].
    pub fn edit_or_create<T>(
        &self,
        path: &str,
        change: impl FnOnce(&[u8]) -> Result<(Vec<u8>, T)>,
    ) -> Result<T> {
        let spot = self.workspace.spot(path, Last::Follow)?;
        self.lock_spot(&spot, path)?;
        let before = self.content(&spot, path)?;
        let (after, value) =
            change(before.as_ref().map(|(bytes, _)| bytes.as_slice()).unwrap_or_default())?;
        self.put(&spot, path, before, &after)?;
        Ok(value)
    }

    /// Makes a directory and those above it; gives whether it is new.
    ///
    /// # Errors
    /// `FileExists` if something else is there; else as for [`Step::write`].
    pub fn create_directory(&self, path: &str) -> Result<bool> {
        if self.workspace.kind(path)? == Some(crate::workspace::Kind::Directory) {
            return Ok(false);
        }
        let spot = match self.workspace.spot(path, Last::Follow) {
            Err(e) if e.code == Code::ParentDirectoryNotFound => {
                if self.dry {
                    let real = self.workspace.future_path(path)?;
                    self.check(&real, Access::Write, path, true)?;
                    self.plan(real, None, After::Directory);
                    return Ok(true);
                }
                self.create_parents(path)?;
                self.workspace.spot(path, Last::Follow)?
            }
            other => other?,
        };
        self.lock_spot(&spot, path)?;
        match spot.look().map_err(|e| Error::io(path, &e))? {
            Found::Nothing => {}
            Found::Directory { .. } => return Ok(false), // made meanwhile by somebody else
            _ => return Err(Error::file_exists(path)),
        }
        let change = Altered {
            path: spot.path.clone(),
            before: Image::Absent,
            after: Image::Directory { mode: None },
        };
        self.alter(&spot, path, None, After::Directory, change, |_, durable| {
            spot.put_directory(None, durable).map(|()| None)
        })?;
        Ok(true)
    }

    fn create_parents(&self, path: &str) -> Result<()> {
        // A name may be such that it is only told from others in quotes.
        let parent = plain(path).parent().map(|parent| quote(parent.as_os_str()));
        let parent = parent.as_deref().unwrap_or_default();
        if parent.is_empty() {
            return Err(Error::parent_not_found(path));
        }
        self.create_directory(parent).map(drop).map_err(|e| match e.code {
            Code::FileExists => Error::not_a_directory(parent),
            _ => e,
        })
    }

    /// The content and mode of the regular file at `spot`, which may be written; `None` if nothing
    /// is there.
    fn content(&self, spot: &Spot, path: &str) -> Result<Option<Stood>> {
        let limit = self.workspace.limits().file_bytes;
        match spot.look().map_err(|e| Error::io(path, &e))? {
            Found::Nothing => Ok(None),
            Found::File { size, .. } if size > limit => {
                Err(Error::file_too_large(path, size, limit, "change it with a program"))
            }
            Found::File { .. } if !spot.may_write() => Err(Error::read_only_file(path)),
            Found::File { mode, .. } => {
                Ok(Some((spot.read(limit).map_err(|e| Error::io(path, &e))?, mode)))
            }
            Found::Directory { .. } => Err(Error::is_directory(path)),
            Found::Link => Err(Error::file_changed(path)), // it became a link while we looked
            Found::Special => Err(Error::not_a_file(path, "a pipe, socket or device")),
        }
    }

    fn put(&self, spot: &Spot, path: &str, before: Option<Stood>, after: &[u8]) -> Result<()> {
        let (before, mode) = before.unzip();
        if before.as_deref() == Some(after) && !self.dry {
            self.check(&spot.path, spot.access, path, false)?;
            return Ok(()); // it holds what it should hold already
        }
        let stood = before.as_deref().map(hash);
        let image = stood.map_or(Image::Absent, |hash| Image::File { hash, mode });
        let now = hash(after);
        let change = Altered {
            path: spot.path.clone(),
            before: image,
            after: Image::File { hash: now, mode },
        };
        let wanted = After::File(after.to_vec(), None);
        self.alter(spot, path, before, wanted, change, |expected, durable| {
            spot.put_file(after, None, expected, durable)
        })?;
        if !self.dry {
            self.workspace.note_written(&spot.path, stood, now);
        }
        Ok(())
    }

    /// The one place where something is changed: checks, keeps what was there, notes the intent,
    /// then does it, where `change.before` is still what is there.
    fn alter(
        &self,
        spot: &Spot,
        path: &str,
        before: Option<Vec<u8>>,
        after: After,
        change: Altered,
        act: impl FnOnce(Expected<'_>, bool) -> std::io::Result<Option<File>>,
    ) -> Result<()> {
        let folder = after.is_folder();
        self.check(&spot.path, spot.access, path, folder)?;
        if self.dry {
            self.plan(spot.path.clone(), before, after);
            return Ok(());
        }
        if let Some(planned) = &self.approved.planned
            && !planned.has(&spot.path, before.as_deref(), &after)
            && !after.is_folder()
            && !self.lock().moves_by_copy
        {
            return Err(Error::file_changed(path));
        }
        {
            let mut inner = self.lock();
            let (id, seq) = (inner.id, inner.next);
            inner.id = Some(self.journal.store()?.write(|tx| {
                let id = id.map_or_else(|| self.enter(tx), Ok)?;
                if let Some(bytes) = &before {
                    tx.put(bytes)?;
                }
                tx.add_change(id, seq, &change)?;
                Ok(id)
            })?);
            inner.changes.push(change.clone());
            inner.next += 1;
        }
        let replaced =
            act(change.before.expected(), self.journal.durable).map_err(|e| Error::io(path, &e))?;
        self.journal.close_later(replaced);
        Ok(())
    }

    /// Forgets the last change that was noted, which was not made.
    fn forget_last(&self) -> Result<()> {
        let mut inner = self.lock();
        inner.changes.pop();
        let kept: Vec<usize> = (0..inner.changes.len()).collect();
        match inner.id {
            Some(id) => self.journal.store()?.write(|tx| tx.keep_only(id, &kept)),
            None => Ok(()),
        }
    }

    fn plan(&self, path: PathBuf, before: Option<Vec<u8>>, after: After) {
        self.lock().planned.0.push(Plan { path, before, after, ..Plan::default() });
    }

    fn plan_in_new_folder(&self, path: &str, bytes: &[u8]) -> Result<Written> {
        let real = self.workspace.future_path(path)?;
        self.check(&real, Access::Write, path, false)?;
        self.plan(real.clone(), None, After::File(bytes.to_vec(), None));
        Ok(Written { path: real, new: true })
    }

    /// Enters the step into the journal.
    pub(super) fn enter(&self, tx: &Tx<'_>) -> Result<StepId> {
        tx.new_step(&self.journal.root, &self.label, false, &self.workspace.root_ids()?)
    }

    /// Notes a sentence for [`Step::note_program`].
    pub fn tell(&self, sentence: &str) {
        self.lock().notes.push(sentence.to_owned());
    }

    /// Whether the journal has changes of this step.
    pub fn has_changes(&self) -> bool {
        !self.lock().changes.is_empty()
    }

    /// Looks at the files before a program that changes them directly, unless that was done; gives
    /// where to tell what it touches. An `own` program of Kitbag's changes what it must.
    ///
    /// # Errors
    /// `Io` if the state directory cannot be written.
    pub fn look_before(&self, own: bool) -> Result<Touched> {
        if let Some(before) = &self.lock().looked {
            return Ok(before.touched.clone());
        }
        let before = self.journal.before_program(self.workspace, &self.label, own)?;
        let touched = before.touched.clone();
        self.lock().looked = Some(before);
        Ok(touched)
    }

    /// Tells what the programs of this step changed, and looks for it where they had no layer; to
    /// be called once they ended.
    ///
    /// # Errors
    /// `Io` if the journal cannot be written.
    pub fn note_program(&self) -> Result<ProgramChanges> {
        let (looked, noted) = {
            let inner = self.lock();
            (inner.looked.clone(), inner.noted.clone())
        };
        let mut changes = match (looked, noted) {
            (_, Some(noted)) => noted,
            (None, None) => ProgramChanges::default(),
            (Some(before), None) => {
                let noted = self.journal.after_program(self.workspace, before)?;
                self.lock().noted = Some(noted.clone());
                noted
            }
        };
        let inner = self.lock();
        changes.step = changes.step.or(inner.id);
        changes.notes.extend(inner.notes.iter().cloned());
        changes.notes.extend(inner.withheld.iter().flat_map(Withheld::notes));
        drop(inner);
        changes.notes.extend(self.uncovered());
        Ok(changes)
    }
}
