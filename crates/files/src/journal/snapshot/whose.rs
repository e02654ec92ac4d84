//! Whose work it is what changed while programs ran.
//!
//! What is seen of their system calls says which files each may have changed. What else changed is
//! somebody else's and in no call. A file that was written more often than by the programs may hold
//! the work of both, so it is offered to be put back, and not part of the call either.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use fault::Result;

use super::super::image::Image;
use super::super::store::{Altered, Tx, now};
use super::super::{Journal, StepId};
use super::compare::{self, Old, Was, was_known};
use super::held::is_held;
use super::look;
use super::missed::{Missed, Why};
use super::{Before, Known, Meanwhile, some};
use crate::journal::layer::{is_harmless, takes_orders};
use crate::workspace::Workspace;

/// What changed and is not simply a program's.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// What no program may change.
    pub(super) protected: Vec<Altered>,
    /// What somebody else changed too.
    pub(super) shared: Vec<Altered>,
    /// What somebody else changed alone.
    pub(super) others: Vec<PathBuf>,
    /// What is gone and was too large to be kept.
    lost: Vec<PathBuf>,
    /// Pipes, sockets and devices that are new.
    special: Vec<PathBuf>,
    /// The step in which changes of others may be.
    pub(super) unsure: Option<StepId>,
}

impl Left {
    /// What is told of it, a sentence each; `offered` are the steps that put the first two back.
    pub(super) fn notes(&self, workspace: &Workspace, offered: [Option<StepId>; 2]) -> Vec<String> {
        let show = |path: &PathBuf| workspace.show(path);
        let paths = |all: &[Altered]| all.iter().map(|c| show(&c.path)).collect::<Vec<_>>();
        let mut notes = Vec::new();
        if let [Some(step), _] = offered {
            notes.push(format!(
                "programs run or load these files automatically, and they changed while the command ran, \
                 by it or by somebody else: {}; `kitbag redo {step}` puts back what they were",
                some(&paths(&self.protected))
            ));
        }
        if let [_, Some(step)] = offered {
            notes.push(format!(
                "changed by the command and by somebody else while it ran, so undo of the call leaves \
                 these as they are: {}; `kitbag redo {step}` puts back what was there before",
                some(&paths(&self.shared))
            ));
        }
        if !self.others.is_empty() {
            let others: Vec<_> = self.others.iter().map(show).collect();
            notes.push(format!(
                "changed by somebody else while the command ran, left as it is and not part of this \
                 call: {}",
                some(&others)
            ));
        }
        if !self.lost.is_empty() {
            let lost: Vec<_> = self.lost.iter().map(show).collect();
            notes.push(format!(
                "removed, and not kept since there is no layer here, so undo cannot bring it back: {}",
                some(&lost)
            ));
        }
        if !self.special.is_empty() {
            let special: Vec<_> = self.special.iter().map(show).collect();
            notes.push(format!(
                "pipes, sockets and devices are not covered by undo: {}",
                some(&special)
            ));
        }
        if let Some(step) = self.unsure {
            notes.push(format!(
                "what somebody else changed while the command ran may be among its changes: here nobody \
                 can tell; only the user can take them back, with `kitbag undo {step}`"
            ));
        }
        notes
    }
}

impl Journal {
    /// Notes what changed since the last look as the work of the programs that ran, the oldest
    /// first; gives what is not simply theirs.
    pub(super) fn note(
        &self,
        tx: &Tx<'_>,
        workspace: &Workspace,
        known: &mut Known,
        programs: &[Before],
        missed: &mut Missed,
    ) -> Result<Left> {
        let look = known.look(workspace, &self.own, true, missed);
        let none = BTreeMap::new(); // what came is kept, to be there for redo
        let mut old = self.update(tx, workspace, known, (&look, &none), missed)?;
        known.unpack(tx, workspace, &mut old, missed)?;
        let changes = compare::compare(&old, &known.files, &look.found);
        // What may have been there unseen is not new.
        let unseen =
            missed.is_partial() || changes.iter().any(|c| look::decides_what_is_seen(&c.path));
        let mut left = Left::default();
        let is_lost =
            |(path, was): &(&PathBuf, &Was)| matches!(was, Was::Uncovered) && !known.is_known(path);
        let lost = old.iter().filter(is_lost).map(|(path, _)| path);
        left.lost =
            lost.filter(|path| known.whose(programs, path, &old).is_some()).cloned().collect();
        let special =
            old.iter().filter(|(path, was)| matches!(was, Was::Absent) && known.is_special(path));
        let special = special.map(|(path, _)| path);
        left.special =
            special.filter(|path| known.whose(programs, path, &old).is_some()).cloned().collect();
        let mut of: Vec<Vec<Altered>> = programs.iter().map(|_| Vec::new()).collect();
        let mut others = Vec::new();
        for change in changes {
            match known.whose(programs, &change.path, &old) {
                Some(at) => of[at].push(change),
                None => others.push(change),
            }
        }
        for (program, mut changes) in programs.iter().zip(of) {
            changes.retain(|change| {
                let is_uncovered = matches!(old.get(&change.path), Some(Was::Uncovered));
                let is_new = change.before != Image::Absent || !(unseen || is_uncovered);
                missed.brought += usize::from(!is_new);
                is_new
            });
            self.note_of(tx, workspace, (known, &old, program), changes, (missed, &mut left))?;
        }
        self.pass_over(tx, workspace, (known, &old, programs), others, &mut left)?;
        Ok(left)
    }

    /// Notes the changes of one program.
    fn note_of(
        &self,
        tx: &Tx<'_>,
        workspace: &Workspace,
        (known, old, program): (&Known, &Old, &Before),
        mut changes: Vec<Altered>,
        (missed, left): (&mut Missed, &mut Left),
    ) -> Result<()> {
        let others = tx.changed_by_others(&self.root, program.id)?;
        changes.retain(|change| match others.get(&change.path) {
            Some(after) => {
                missed.shared += usize::from(*after != change.after);
                false
            }
            None => {
                let brought = compare::was_brought(workspace, old, change, program.time);
                missed.brought += usize::from(brought);
                !brought
            }
        });
        let mut seq = tx.change_count(program.id)?;
        for change in changes {
            match self.judge(tx, workspace, (known, old), &change)? {
                Verdict::MayNot if !program.own => left.protected.push(change),
                Verdict::Uncovered => {}
                _ if known.is_shared(&change.path, old) || is_held(workspace, &change) => {
                    left.shared.push(change);
                }
                _ => {
                    tx.add_change(program.id, seq, &change)?;
                    seq += 1;
                }
            }
        }
        Ok(())
    }

    /// Takes note of what no program touched. Of protected files that is not relied on.
    fn pass_over(
        &self,
        tx: &Tx<'_>,
        workspace: &Workspace,
        (known, old, programs): (&mut Known, &Old, &[Before]),
        changes: Vec<Altered>,
        left: &mut Left,
    ) -> Result<()> {
        let Some(oldest) = programs.first().filter(|_| !changes.is_empty()) else { return Ok(()) };
        let own = programs.iter().all(|program| program.own);
        let of_calls = tx.changed_by_others(&self.root, oldest.id)?;
        for change in changes.into_iter().filter(|change| !of_calls.contains_key(&change.path)) {
            match self.judge(tx, workspace, (known, old), &change)? {
                Verdict::MayNot if !own => left.protected.push(change),
                Verdict::Uncovered => {}
                _ => drop(known.meanwhile.others.insert(change.path, now())),
            }
        }
        Ok(())
    }

    /// Whether a program may have changed this. In a repository that it made itself it may, where that
    /// gives git no orders; one below a root is not covered otherwise.
    fn judge(
        &self,
        tx: &Tx<'_>,
        workspace: &Workspace,
        (known, old): (&Known, &Old),
        change: &Altered,
    ) -> Result<Verdict> {
        let path = change.path.as_path();
        if self.needs_person(workspace, path, false).is_none() {
            return Ok(Verdict::May);
        }
        let Some(git) = path.ancestors().find(|a| a.file_name() == Some(OsStr::new(".git"))) else {
            return Ok(Verdict::MayNot);
        };
        let is_main = workspace.roots().any(|(root, _)| git.parent() == Some(root));
        if is_main && was_known(old, &known.files, &git.join("config")) {
            return Ok(Verdict::MayNot);
        }
        let rest = path.strip_prefix(git).unwrap_or(path);
        let text = |image: &Image| match image {
            Image::File { hash, .. } => {
                tx.get(hash).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            }
            _ => Ok(String::new()),
        };
        let is_harmless = change.after == Image::Absent
            || rest.as_os_str().is_empty()
            || !takes_orders(rest)
            || rest == Path::new("config")
                && is_harmless(&text(&change.before)?, &text(&change.after)?);
        Ok(match is_harmless {
            false => Verdict::MayNot,
            true if is_main => Verdict::May,
            true => Verdict::Uncovered,
        })
    }
}

/// Whether a program may change something.
enum Verdict {
    May,
    MayNot,
    /// It may, and that is not covered.
    Uncovered,
}

impl Known {
    /// Which of these programs may have changed a path: the first that touched it, else the first of
    /// which nobody saw what it touched.
    fn whose(&self, programs: &[Before], path: &Path, old: &Old) -> Option<usize> {
        let inodes = self.inodes(path, old);
        let touches = |program: &Before| program.touched.has(path, inodes);
        let touched = programs.iter().position(touches);
        touched.or_else(|| programs.iter().position(|program| program.touched.is_blind()))
    }

    /// Whether there is a pipe, a socket or a device.
    fn is_special(&self, path: &Path) -> bool {
        self.uncovered.get(path) == Some(&Why::Special)
    }

    /// What was at a path and what is there now.
    fn inodes(&self, path: &Path, old: &Old) -> [Option<i64>; 2] {
        let was = match old.get(path) {
            Some(Was::Seen(seen)) => Some(seen),
            _ => None,
        };
        [was, self.files.get(path)].map(|seen| seen.map(|seen| seen.mark.inode))
    }

    /// Whether a file was written more often than by programs. Where it cannot be told, it was not.
    /// What was written under a name and moved is reported of either name, so that all the names are
    /// counted together.
    fn is_shared(&self, path: &Path, old: &Old) -> bool {
        let inodes = self.inodes(path, old);
        let Meanwhile { touched, reports, .. } = &self.meanwhile;
        let moved = reports.get(path).map_or(0, |reports| reports.moved);
        let (mut written, mut its_written, mut its_moved) = (0, 0, 0);
        let (mut names, mut waiting) = (BTreeSet::new(), vec![path.to_owned()]);
        while let Some(name) = waiting.pop() {
            if names.contains(&name) {
                continue;
            }
            written += reports.get(&name).map_or(0, |reports| reports.written);
            for touched in touched {
                let Some(touch) = touched.of(&name, inodes) else { return false };
                its_written += touch.written;
                its_moved += if name == path { touch.moved } else { 0 };
                waiting.extend(touch.from);
            }
            names.insert(name);
        }
        written > its_written || moved > its_moved
    }
}
