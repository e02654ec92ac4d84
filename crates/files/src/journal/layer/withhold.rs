//! What a program changed and what is not brought in: kept as a step of its own that was never
//! made, so that `redo` makes it.

use std::os::fd::OwnedFd;
use std::path::Path;

use fault::{Error, Result};

use super::Layer;
use super::apply::Reason;
use super::look::{Item, What};
use crate::journal::blobs::hash_file;
use crate::journal::image::Image;
use crate::journal::step::planned::{After, Plan};
use crate::journal::store::{Altered, Commits, Staged};
use crate::journal::{Journal, Label, Step, StepId, new_id};
use crate::workspace::{FileMode, Found, Stamp, Workspace, open_own};

/// What was kept back of one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withheld {
    /// The number of the step that makes it, by `redo`.
    pub step: StepId,
    /// Paths that programs run or load automatically, as shown.
    pub protected: Vec<String>,
    /// Paths that somebody else changed while the program ran, as shown.
    pub conflicts: Vec<String>,
}

impl Withheld {
    /// What is told of it, a sentence for each reason.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let step = self.step;
        if !self.protected.is_empty() {
            let paths = some(&self.protected);
            notes.push(format!(
                "not changed, since programs run or load these files automatically: {paths}; a person \
                 can allow it with `kitbag redo {step}`"
            ));
        }
        if !self.conflicts.is_empty() {
            let paths = some(&self.conflicts);
            notes.push(format!(
                "left as somebody else saved them while the command ran: {paths}; the command's \
                 versions are kept, `kitbag redo {step}` puts them in"
            ));
        }
        notes
    }
}

/// These paths; of many only the topmost, and of many of those the first.
pub(in crate::journal) fn some(paths: &[String]) -> String {
    if paths.len() <= NAMES {
        return paths.join(", ");
    }
    let is_below = |path: &String| {
        paths.iter().any(|above| path.strip_prefix(above).is_some_and(|rest| rest.starts_with('/')))
    };
    let topmost: Vec<&str> =
        paths.iter().filter(|path| !is_below(path)).map(String::as_str).collect();
    let more = topmost.len().saturating_sub(NAMES);
    let shown = topmost[..topmost.len() - more].join(", ");
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{shown}{more}, with all that is in them")
}

impl Journal {
    /// Remembers ignored directories in which a program wrote, so that the next may write there
    /// directly.
    pub(super) fn learn_ignored(&self, root: &Path, directories: &[std::path::PathBuf]) {
        let mut learnt = self.learnt();
        for real in directories.iter().map(|path| root.join(path)) {
            if !learnt.ignored.contains(&real) {
                learnt.ignored.push(real);
            }
        }
    }
}

impl Step<'_> {
    /// Keeps these changes aside, in the order of their paths; their contents are kept already.
    pub(super) fn withhold(
        &self,
        workspace: &Workspace,
        layer: &Layer,
        items: Vec<(Item, Reason)>,
    ) -> Result<()> {
        if items.is_empty() {
            return Ok(());
        }
        // What is taken as it is, an ignored directory or a pipe, is not covered by the journal, and
        // so there is nothing that could be put in later.
        let (dropped, items): (Vec<_>, Vec<_>) =
            items.into_iter().partition(|(item, _)| matches!(item.what, What::Whole));
        for (reason, why) in [
            (Reason::Conflict, "somebody else changed these meanwhile"),
            (Reason::Protected, "other programs run or trust these automatically"),
        ] {
            let of = dropped.iter().filter(|(_, given)| *given == reason);
            let paths = of.map(|(item, _)| workspace.show(&layer.root.join(&item.path)));
            let paths: Vec<_> = paths.collect();
            if !paths.is_empty() {
                let paths = paths.join(", ");
                self.tell(&format!("{why}, so they were not changed, and what the command made of them is dropped: {paths}"));
            }
        }
        if items.is_empty() {
            return Ok(());
        }
        let mut changes = Vec::new();
        // Nothing is in a directory that takes the place of another.
        let mut fresh: Option<&Path> = None;
        for (item, _) in &items {
            fresh = fresh.filter(|above| item.path.starts_with(above));
            changes.extend(self.withheld(workspace, layer, item, fresh.is_some())?);
            if fresh.is_none() && matches!(item.what, What::Directory { .. }) {
                fresh = Some(&item.path);
            }
        }
        let label = Label {
            session: self.label.session.clone(),
            tool: self.label.tool.clone(),
            about: format!("not made: {}", self.label.about),
        };
        let journal = self.journal;
        let step = journal.store()?.write(|tx| {
            let roots = workspace.root_ids()?;
            let step = tx.new_step(&journal.root, &label, false, &roots)?;
            for (seq, change) in changes.iter().enumerate() {
                tx.add_change(step, seq, change)?;
            }
            tx.set_held_back(step)?;
            Ok(step)
        })?;
        let shown = |wanted: Reason| -> Vec<String> {
            let of = items.iter().filter(|(_, reason)| *reason == wanted);
            of.map(|(item, _)| workspace.show(&layer.root.join(&item.path))).collect()
        };
        let withheld = Withheld {
            step,
            protected: shown(Reason::Protected),
            conflicts: shown(Reason::Conflict),
        };
        self.lock().withheld.push(withheld);
        Ok(())
    }

    /// From what the path holds now to what the program wanted.
    fn withheld(
        &self,
        workspace: &Workspace,
        layer: &Layer,
        item: &Item,
        anew: bool,
    ) -> Result<Option<Altered>> {
        let path = layer.root.join(&item.path);
        let shown = workspace.show(&path);
        let fail = |e: std::io::Error| Error::io(&shown, &e);
        let spot = workspace.spot_of(&path).ok().filter(|_| !anew);
        let found = match &spot {
            Some(spot) => spot.look().map_err(fail)?,
            None => Found::Nothing,
        };
        // A directory does not replace a file by its name: the two change places.
        let becomes_directory = matches!(item.what, What::Directory { .. });
        let before = match (&spot, found) {
            (Some(spot), Found::File { mode, .. }) if !becomes_directory => {
                let hash = hash_file(&spot.open_own().map_err(fail)?).map_err(fail)?;
                Image::File { hash, mode: Some(mode) }
            }
            (Some(spot), Found::Link) if !becomes_directory => {
                Image::Link { target: spot.link().map_err(fail)? }
            }
            (Some(_), Found::Nothing) | (None, _) => Image::Absent,
            (Some(_), Found::Directory { mode }) if matches!(item.what, What::Mode { .. }) => {
                Image::Directory { mode: Some(mode) }
            }
            _ => Image::Trash { name: new_id() },
        };
        let after = match &item.what {
            What::Removed if before == Image::Absent => return Ok(None),
            What::Removed => Image::Absent,
            What::File { hash, mode } => Image::File { hash: *hash, mode: Some(*mode) },
            What::Link { target } => Image::Link { target: target.clone() },
            What::Directory { mode } => Image::Directory { mode: Some(*mode) },
            What::Mode { new, content: None, .. } => Image::Directory { mode: Some(*new) },
            What::Mode { new, .. } => match &before {
                Image::File { hash, .. } => Image::File { hash: *hash, mode: Some(*new) },
                _ => return Ok(None),
            },
            // Told apart before.
            What::Whole => return Ok(None),
        };
        Ok(Some(Altered { path, before, after }))
    }

    /// Adds to what a dry step would change.
    pub(super) fn plan_item(
        &self,
        workspace: &Workspace,
        layer: &Layer,
        upper: &OwnedFd,
        item: &Item,
        note: &str,
    ) {
        let path = layer.root.join(&item.path);
        let limit = workspace.limits().file_bytes;
        let before = workspace.spot_of(&path).ok().and_then(|spot| spot.read(limit).ok());
        let mut notes: Vec<String> = Vec::new();
        let after = match &item.what {
            What::Removed => {
                notes
                    .extend(contents(&path).map(|all| format!("{}: {all}", workspace.show(&path))));
                After::Nothing
            }
            What::File { mode, .. } => {
                let read = || -> std::io::Result<Vec<u8>> {
                    let mut bytes = Vec::new();
                    let file = open_own(upper, item.path.as_os_str())?;
                    std::io::Read::read_to_end(&mut std::io::Read::take(file, limit), &mut bytes)?;
                    Ok(bytes)
                };
                match read() {
                    Ok(bytes) => After::File(bytes, Some(FileMode::Exact(*mode))),
                    Err(e) => {
                        notes.push(format!("{}: cannot be read: {e}", workspace.show(&path)));
                        After::Noted
                    }
                }
            }
            What::Link { target } => After::Link(target.clone()),
            What::Directory { .. } => After::Directory,
            What::Mode { old, new, .. } => {
                notes.push(format!("{}: mode {old:o} to {new:o}", workspace.show(&path)));
                After::Noted
            }
            What::Whole => {
                notes.push(format!("{}: new, ignored by the project", workspace.show(&path)));
                After::Noted
            }
        };
        if !note.is_empty() {
            notes.push(format!("{}: {note}", workspace.show(&path)));
        }
        self.lock().planned.0.push(Plan {
            path,
            before,
            after,
            note: notes.join("\n"),
            ..Plan::default()
        });
    }

    /// Adds a line to what a dry step would change.
    pub(super) fn plan_note(&self, path: std::path::PathBuf, note: String) {
        let plan = Plan { path, after: After::Noted, note, ..Plan::default() };
        self.lock().planned.0.push(plan);
    }

    /// Whether nothing of it is made.
    pub fn is_dry(&self) -> bool {
        self.dry
    }

    /// Notes changes that are about to be made, with the inode of what takes the place of another;
    /// gives the number of the first.
    pub(super) fn add_changes<'c>(
        &self,
        changes: impl Iterator<Item = (&'c Altered, Option<u64>, Option<Staged>)>,
    ) -> Result<usize> {
        let mut inner = self.lock();
        let (journal, id, first) = (self.journal, inner.id, inner.next);
        let (id, next) = journal.store()?.write(|tx| {
            let id = id.map_or_else(|| self.enter(tx), Ok)?;
            let mut next = first;
            for (change, inode, staged) in changes {
                tx.add_change(id, next, change)?;
                if let Some(inode) = inode {
                    tx.set_inode(id, next as i64, inode)?;
                }
                if let Some(staged) = staged {
                    tx.set_staged(id, next as i64, &staged)?;
                }
                next += 1;
            }
            Ok((id, next))
        })?;
        (inner.id, inner.next) = (Some(id), next);
        Ok(first)
    }

    /// Notes the commits that files of repositories went with, by the places of their changes.
    pub(super) fn set_commits(&self, commits: Vec<(usize, Commits)>) -> Result<()> {
        let Some(id) = self.lock().id.filter(|_| !commits.is_empty()) else { return Ok(()) };
        self.journal.store()?.write(|tx| {
            let mut all = commits.iter();
            all.try_for_each(|(seq, commits)| tx.set_commits(id, *seq as i64, commits))
        })
    }

    /// Notes by what things that were brought in as they are will be known, by the places of their changes.
    pub(super) fn set_stamps(&self, stamps: Vec<(usize, Stamp)>) -> Result<()> {
        let Some(id) = self.lock().id.filter(|_| !stamps.is_empty()) else { return Ok(()) };
        self.journal.store()?.write(|tx| {
            let mut all = stamps.iter();
            all.try_for_each(|(seq, stamp)| tx.set_stamp(id, *seq as i64, stamp))
        })
    }

    /// Forgets changes that were not made.
    pub(super) fn drop_changes(&self, place: std::ops::Range<usize>) -> Result<()> {
        let Some(id) = self.lock().id else { return Ok(()) };
        self.journal.store()?.write(|tx| {
            let sql = "DELETE FROM changes WHERE step = ?1 AND seq >= ?2 AND seq < ?3";
            tx.run(sql, (id, place.start as i64, place.end as i64))
        })
    }

    /// Notes that changes were made.
    pub(super) fn note_done(&self, changes: Vec<Altered>) {
        self.lock().changes.extend(changes);
    }

    /// Puts back what was made so far; the step goes on as if it had made nothing.
    pub(super) fn take_back(&self) -> Result<()> {
        let (id, changes) = {
            let mut inner = self.lock();
            (inner.id.take(), std::mem::take(&mut inner.changes))
        };
        match id {
            Some(id) => self.journal.roll_back(self.workspace, id, &changes),
            None => Ok(()),
        }
    }
}

/// Names of a directory that are shown, and how many files in it are counted.
const NAMES: usize = 10;
const COUNTED: usize = 10_000;

/// What is in a directory of the root that is to be removed.
fn contents(directory: &Path) -> Option<String> {
    let (mut waiting, mut files) = (vec![directory.to_owned()], Vec::new());
    if !std::fs::symlink_metadata(directory).is_ok_and(|data| data.is_dir()) {
        return None;
    }
    while let Some(above) = waiting.pop().filter(|_| files.len() < COUNTED) {
        for entry in std::fs::read_dir(above).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => waiting.push(entry.path()),
                _ => files.push(entry.path()),
            }
        }
    }
    files.sort();
    let names = files.iter().take(NAMES).filter_map(|file| file.strip_prefix(directory).ok());
    let names = names.map(|name| name.display().to_string()).collect::<Vec<_>>().join(", ");
    Some(match files.len() {
        0 => "a directory without files".to_owned(),
        count @ 1..=NAMES => format!("a directory with files in it ({count}): {names}"),
        count @ COUNTED.. => format!("a directory with at least {count} files in it: {names}, …"),
        count => format!("a directory with {count} files in it: {names}, …"),
    })
}
