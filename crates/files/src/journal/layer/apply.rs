//! Bringing in what is in a layer.
//!
//! Each change is one step that the kernel makes whole: what was there before is exchanged into the
//! journal's trash, or renamed there. What the root held when it was looked at is compared with
//! what really came out, so that a save in between is found and given back.

mod direct;
mod judge;
mod make;
mod noted;
mod refs;

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::ignores::Ignores;
use super::look::{Findings, Item, Looking, What};
use super::{Held, Layer, Layers, git, open_directory};
use crate::journal::Step;
use crate::journal::closed::Opened;
use crate::journal::image::Image;
use crate::journal::store::{Altered, Staged};
use crate::journal::trash::Trash;
use crate::workspace::{Spot, Workspace, open_own};
use fault::{Bound, Code, Error, Result};

/// Up to so many files are brought to the disk one by one.
const SYNCED_ALONE: usize = 8;

/// Why a change is not brought in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// Programs run or load the path automatically.
    Protected,
    /// Somebody else changed it while the program ran.
    Conflict,
}

/// A layer that is being brought in.
struct Coming<'a> {
    step: &'a Step<'a>,
    workspace: &'a Workspace,
    layer: &'a Layer,
    upper: OwnedFd,
    trash: Trash,
    /// Nanoseconds since 1970: what changed later in the root, somebody else changed.
    began: i64,
}

/// A change with what the journal notes of it.
struct Noted {
    item: Item,
    /// Mostly one; what is replaced by something taken as it is needs two.
    altered: Vec<Altered>,
    /// Where what the root had goes.
    slot: Option<String>,
    /// The inode of what is exchanged into the place of something else.
    inode: Option<u64>,
}

/// What was found in a layer and is about to be brought in.
struct Sorted {
    taken: Vec<Item>,
    kept_back: Vec<(Item, Reason)>,
}

impl Step<'_> {
    /// Brings in what a program changed, and keeps aside what it may not change; false if `bound`
    /// was over before anything was brought in. Once the first change is made, it goes on to the
    /// last. An `own` program of Kitbag's changes what it must, or nothing.
    ///
    /// # Errors
    /// `RepositoryBusy` if a program of Kitbag's own met with somebody else's changes; `Io`,
    /// `DiskFull`. Nothing was brought in then.
    pub fn bring_in(
        &self,
        workspace: &Workspace,
        layers: Layers,
        own: bool,
        bound: &Bound<'_>,
    ) -> Result<bool> {
        let mut all = Vec::new();
        for layer in &layers.list {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let upper = rustix::fs::open(&layer.upper, flags, Mode::empty())
                .map_err(|e| Error::state(&layer.upper, &io::Error::from(e)))?;
            let trash = self.journal.trash()?;
            let began = layers.began;
            let coming = Coming { step: self, workspace, layer, upper, trash, began };
            match coming.look(own, bound) {
                Ok(sorted) => all.push((coming, sorted)),
                Err(_) if bound.is_over() => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        for (coming, sorted) in all {
            coming.bring_in(sorted, own)?;
        }
        if self.is_dry() {
            self.lock().held.0.push(layers);
        }
        Ok(true)
    }

    /// Whether a program of a rehearsal has run: what it did is not in the root.
    pub fn holds_programs(&self) -> bool {
        !self.lock().held.0.is_empty()
    }

    /// Takes what the programs of a rehearsal did.
    pub fn take_held(&self) -> Held {
        std::mem::take(&mut self.lock().held)
    }

    /// Brings in what a person saw and allowed: all of it, or nothing if somebody else changed one
    /// of the files meanwhile.
    ///
    /// # Errors
    /// `FileChanged` with the first of these; `Cancelled`; `Io`, `DiskFull`.
    pub fn bring_in_held(
        &self,
        workspace: &Workspace,
        held: Held,
        cancel: &fault::Cancel,
    ) -> Result<()> {
        let bound = Bound { until: None, stop: &|| cancel.is_cancelled() };
        for layers in held.0 {
            match self.bring_in(workspace, layers, true, &bound) {
                Ok(true) => {}
                Ok(false) => return Err(Error::cancelled()),
                Err(error) => {
                    return Err(match error.detail("path") {
                        Some(path) if error.code == Code::RepositoryBusy => {
                            Error::changed_while_asked(path)
                        }
                        _ => error,
                    });
                }
            }
        }
        Ok(())
    }
}

impl Coming<'_> {
    /// Finds what the program changed and what of it is brought in.
    fn look(&self, own: bool, bound: &Bound<'_>) -> Result<Sorted> {
        let root = &self.layer.root;
        let prefix = self.workspace.roots().find_map(|(above, _)| root.strip_prefix(above).ok());
        let obeyed = git::obeyed(root, &self.step.journal.persons_git);
        let mut looking = Looking {
            root,
            prefix: prefix.unwrap_or(Path::new("")),
            obeyed: &obeyed,
            ignores: Ignores::of(root),
            passed: &self.layer.passed,
            began: self.began,
            bound,
            found: Findings::default(),
        };
        let fail = |e: io::Error| Error::state(&self.layer.upper, &e);
        let upper = open_directory(&self.upper, Path::new(".")).map_err(|e| fail(e.into()))?;
        let lower = self.workspace.root_handle(root);
        let lower = lower.and_then(|root| open_directory(root, Path::new(".")).ok());
        looking.look(upper, lower).map_err(fail)?;
        let found = looking.found;
        self.step.journal.learn_ignored(root, &found.in_ignored);
        if !found.items.is_empty() {
            self.note_direct();
        }
        self.tell("sockets and devices are not kept", &found.left_out);
        self.tell("not kept, since the path is too long", &found.too_long);
        self.tell("no set-user-ID or set-group-ID bit is kept", &found.plain);
        let mut sorted = self.sort(found.items, own);
        if own && let Some((first, _)) = sorted.kept_back.first() {
            return Err(Error::changed_meanwhile(&self.show(first)));
        }
        if !self.step.is_dry() {
            // Copied while this can still be given up.
            self.keep_contents(&mut sorted.kept_back, bound)?;
        }
        Ok(sorted)
    }

    fn bring_in(&self, Sorted { taken, mut kept_back }: Sorted, own: bool) -> Result<()> {
        if self.step.is_dry() {
            return self.plan(&taken, &kept_back);
        }
        if taken.is_empty() && kept_back.is_empty() {
            return Ok(());
        }
        let late = self.apply(taken)?;
        self.step.note_layer()?;
        if let (true, Some(first)) = (own, late.first()) {
            self.step.take_back()?;
            return Err(Error::changed_meanwhile(&self.show(first)));
        }
        let mut late: Vec<_> = late.into_iter().map(|item| (item, Reason::Conflict)).collect();
        self.keep_contents(&mut late, &Bound::NONE)?;
        kept_back.append(&mut late);
        kept_back.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
        self.step.withhold(self.workspace, self.layer, kept_back)
    }

    /// Keeps the contents of files that are not brought in.
    fn keep_contents(&self, items: &mut [(Item, Reason)], bound: &Bound<'_>) -> Result<()> {
        for (item, _) in items {
            if let What::File { .. } = item.what {
                let fail = |e: io::Error| Error::io(&self.show(item), &e);
                let file = open_own(&self.upper, item.path.as_os_str()).map_err(fail)?;
                self.step.journal.store()?.write(|tx| tx.put_file(&file, bound))?;
            }
        }
        Ok(())
    }

    fn show(&self, item: &Item) -> String {
        self.workspace.show(&self.layer.root.join(&item.path))
    }

    /// Notes for the caller what became of these paths.
    fn tell(&self, what: &str, paths: &[PathBuf]) {
        if !paths.is_empty() {
            let shown = paths.iter().map(|path| self.workspace.show(&self.layer.root.join(path)));
            let shown = shown.collect::<Vec<_>>().join(", ");
            self.step.tell(&format!("{what}: {shown}"));
        }
    }

    /// What a rehearsal shows.
    fn plan(&self, taken: &[Item], kept_back: &[(Item, Reason)]) -> Result<()> {
        // Objects and refs are nothing that a diff could show.
        let in_git = |item: &Item| item.path.components().any(|part| part.as_os_str() == ".git");
        let (named, inner) = git::refs_of(taken.iter().filter(|item| in_git(item)));
        let inner = (inner > 0).then(|| format!("{inner} changes in .git"));
        let all: Vec<_> = named.into_iter().chain(inner).collect();
        if !all.is_empty() {
            let path = self.layer.root.join(".git");
            self.step.plan_note(path, format!("the repository: {}", all.join(", ")));
        }
        for item in taken.iter().filter(|item| !in_git(item)) {
            self.step.plan_item(self.workspace, self.layer, &self.upper, item, "");
        }
        for (item, reason) in kept_back {
            let note = match reason {
                Reason::Protected => "not brought in without being asked for",
                Reason::Conflict => "somebody else changed it meanwhile",
            };
            self.step.plan_item(self.workspace, self.layer, &self.upper, item, note);
        }
        Ok(())
    }

    /// Notes every change in the journal, then makes it; gives those that met with somebody else's.
    fn apply(&self, items: Vec<Item>) -> Result<Vec<Item>> {
        let durable = self.step.journal.durable;
        let alone = items.len() <= SYNCED_ALONE;
        let state = |e: io::Error| Error::state(&self.layer.upper, &e);
        if durable && !alone {
            rustix::fs::syncfs(&self.upper).map_err(|e| state(e.into()))?;
        }
        // Git writes its index also to look: what stages the same as before is alone nothing to undo.
        let staged = |item: &Item| git::is_index(&item.path).then(|| self.staged(&item.path));
        let staged: Vec<Option<Staged>> = items.iter().map(staged).collect();
        let tells = |(item, staged): (&Item, &Option<Staged>)| match staged {
            // One that is new is told with the commit that follows.
            Some(Staged { before, after }) => before.is_some() && before != after,
            None => !git::is_object(&item.path),
        };
        let is_look = !items.iter().zip(&staged).any(tells);
        let commits = self.commits(items.iter().map(|item| item.path.as_path()));
        let noted = items.into_iter().map(|item| self.note(item, is_look).map_err(state));
        let noted = noted.collect::<Result<Vec<Noted>>>()?;
        let all = noted.iter().zip(staged).flat_map(|(noted, staged)| {
            let inodes = std::iter::once(noted.inode).chain(std::iter::repeat(None));
            noted.altered.iter().zip(inodes).map(move |(change, inode)| (change, inode, staged))
        });
        let first = self.step.add_changes(all)?;
        let (mut done, mut late) = (Vec::new(), Vec::new());
        let (mut seq, mut opened) = (first, Opened::default());
        let (mut told, mut whole) = (Vec::new(), Vec::new());
        for (Noted { item, altered, slot, .. }, before) in noted.into_iter().zip(commits) {
            let place = seq..seq + altered.len();
            seq = place.end;
            let commit = before.filter(|_| !altered.is_empty());
            told.extend(commit.map(|before| (place.start, item.path.clone(), before)));
            opened.along(self.workspace, &self.layer.root.join(&item.path));
            match self.make(&item, slot.as_deref(), &opened, durable && alone) {
                Ok(true) => {
                    let is_whole = matches!(item.what, What::Whole) && !place.is_empty();
                    whole.extend(is_whole.then(|| (place.end - 1, item.path)));
                    done.extend(altered);
                }
                Ok(false) => {
                    self.step.drop_changes(place)?;
                    late.push(item);
                }
                Err(error) => {
                    let path = self.layer.root.join(&item.path);
                    let error = Error::io(&self.workspace.show(&path), &error);
                    done.extend(altered);
                    self.step.note_done(done);
                    // Half of what a program did is of no use to anybody.
                    self.step.take_back()?;
                    return Err(error);
                }
            }
        }
        self.set_modes(&done, opened)?;
        self.step.note_done(done);
        self.note_commits(told)?;
        self.note_whole(whole)?;
        if durable && !alone {
            self.workspace.sync()?;
        }
        Ok(late)
    }

    /// Sets the modes of directories: last, since one may be such that nothing can be put into it.
    /// The deepest first.
    fn set_modes(&self, done: &[Altered], mut opened: Opened) -> Result<()> {
        for change in done.iter().rev() {
            let Image::Directory { mode: Some(mode) } = change.after else { continue };
            let is_new = !matches!(change.before, Image::Directory { .. });
            if is_new && mode & 0o700 == 0o700 {
                continue; // made with it
            }
            if !opened.set_mode(&change.path, mode) {
                let spot = self.workspace.spot_of(&change.path)?;
                let fail = |e: Errno| Error::io(&self.workspace.show(&change.path), &e.into());
                set_mode(&spot, mode).map_err(fail)?;
            }
        }
        Ok(())
    }
}

/// Whether the root had a directory of objects there.
fn is_object_directory(item: &Item) -> bool {
    item.lower.is_some_and(|mark| mark.kind == FileType::Directory) && git::is_object(&item.path)
}

fn stat(at: &OwnedFd, name: &Path) -> io::Result<rustix::fs::Stat> {
    Ok(rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW)?)
}

fn set_mode(spot: &Spot, mode: u32) -> rustix::io::Result<()> {
    let mode = Mode::from_raw_mode(mode);
    rustix::fs::chmodat(&spot.parent, &spot.name, mode, AtFlags::empty())
}
