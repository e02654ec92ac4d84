//! Which files may have changed since the last look.
//!
//! A directory is watched before it is listed, and a change is in the queue of the kernel before the
//! system call that made it returns. So once a program has ended, the queue names what it changed,
//! and only that is looked at. Where the queue does not tell all, everything is looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::look::{Item, Walk, item_at, list};
use super::missed::Missed;
use super::{Known, Look};
use crate::tree::{Mounts, RULES, Watches, most_watches};
use crate::workspace::{Access, Workspace};

/// Files with more than one name that are looked at each time: they may be changed by another one,
/// which is reported there.
const MOST_LINKED: usize = 500;
/// Directories that are walked one by one; with more of them everything is.
const MOST_DIRECTORIES: usize = 64;
/// What part of the watches that a user may have is taken at most: the view of the root, which makes
/// searches fast, needs as many.
const SHARE: usize = 3;
/// Directories that are compared each time with what is known of them.
const COMPARED: usize = 4;

/// How often the kernel reported each file.
pub(super) type Counts = BTreeMap<PathBuf, Reports>;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reports {
    /// That it was closed by one who could write to it.
    pub(super) written: u32,
    /// That something was moved there.
    pub(super) moved: u32,
}

/// The directories that were covered by the last look, with what keeps it current.
#[derive(Debug, Default)]
pub(super) struct Watched {
    /// The roots that may be written.
    roots: Vec<(Arc<Watches>, Mounts)>,
    /// Directories that are ignored now. Only what is known in them is looked at.
    apart: BTreeSet<PathBuf>,
    /// Files with more than one name.
    linked: BTreeSet<PathBuf>,
    /// How many looks there were.
    looks: usize,
    /// Since they were last taken.
    reports: Counts,
    /// Some of them were lost.
    is_deaf: bool,
}

/// What has to be looked at.
#[derive(Debug, Default)]
struct Reported {
    paths: BTreeSet<PathBuf>,
    /// Directories with all below them, and their roots.
    directories: BTreeMap<PathBuf, PathBuf>,
}

impl Reported {
    /// Whether a path lies in a directory that is walked, or is one.
    fn walks(&self, path: &Path) -> bool {
        !self.directories.is_empty()
            && path.ancestors().any(|above| self.directories.contains_key(above))
    }
}

impl Watched {
    /// None yet; `None` where the kernel would not report everything.
    fn new(workspace: &Workspace) -> Option<Self> {
        let writable = || workspace.roots().filter(|(_, a)| *a == Access::Write).map(|(r, _)| r);
        // In a root in a root other rules count.
        let nested = |root: &Path| writable().any(|other| other != root && root.starts_with(other));
        let watch = |root: &Path| {
            let mounts = Mounts::without_any_below(root)?;
            let fits = workspace.is_local(root) && !nested(root);
            Some((Arc::new(Watches::new(root).ok().filter(|_| fits)?), mounts))
        };
        let roots = writable().map(watch).collect::<Option<_>>()?;
        Some(Self { roots, ..Self::default() })
    }

    /// The watches of a root.
    pub(super) fn of(&self, root: &Path) -> Option<Arc<Watches>> {
        let mut own = self.roots.iter().map(|(watches, _)| watches);
        own.find(|watches| watches.root() == root).cloned()
    }

    /// Watches a directory only for what is known in it, unless it is a root; whether that is so.
    fn part(&mut self, directory: &Path) -> bool {
        let mut own = self.roots.iter().map(|(watches, _)| watches);
        let Some(watches) = own.find(|own| directory.starts_with(own.root())) else {
            return false;
        };
        if directory == watches.root() {
            return false;
        }
        watches.add(directory);
        self.apart.insert(directory.to_owned());
        true
    }

    /// Watches directories no longer that are gone.
    fn forget(&mut self, gone: &[PathBuf]) {
        for path in gone {
            self.apart.remove(path);
            for (watches, _) in &self.roots {
                if let Ok(place) = path.strip_prefix(watches.root()) {
                    watches.remove(place.as_os_str());
                }
            }
        }
    }

    /// Whether it can be relied on, with at most so many directories.
    fn is_whole(&self, most: usize) -> bool {
        let mut watches = self.roots.iter().map(|(watches, _)| watches);
        let count: usize = watches.clone().map(|own| own.len()).sum();
        count <= most
            && self.linked.len() <= MOST_LINKED
            && watches.all(|own| own.refused().is_none())
    }

    /// What changed since the last time, with what nobody reports; `None` if that may be everything.
    fn reported(&mut self, is_known: impl Fn(&Path) -> bool) -> Option<Reported> {
        let mut reported = Reported { paths: self.linked.clone(), ..Reported::default() };
        for (watches, mounts) in &mut self.roots {
            if mounts.changed() {
                let now = Mounts::without_any_below(watches.root());
                *mounts = now.filter(|now| now.at_root == mounts.at_root)?;
            }
            let events = watches.events().inspect_err(|_| self.is_deaf = true).ok()?;
            for event in events.iter().filter(|event| event.is_written || event.is_arrival) {
                let Some(name) = &event.name else { continue };
                let path = watches.root().join(&event.directory).join(name);
                let reports = self.reports.entry(path).or_default();
                reports.written += u32::from(event.is_written);
                reports.moved += u32::from(event.is_arrival);
            }
            for event in events {
                let directory = watches.root().join(&event.directory);
                let Some(name) = event.name else {
                    // Of other directories the one above is told.
                    if event.directory.is_empty() {
                        return None;
                    }
                    continue;
                };
                let path = directory.join(&name);
                if RULES.iter().any(|rule| name == *rule) {
                    return None;
                }
                let in_git = directory.file_name().is_some_and(|name| name == ".git");
                let is_apart = self.apart.contains(&directory);
                if in_git && name == "hooks" || is_apart && event.is_directory {
                    return None;
                }
                let is_passed = in_git && name != "config"
                    || event.is_directory && directory.ends_with(".git/hooks")
                    || is_apart && !is_known(&path);
                match event.is_directory {
                    _ if is_passed => {}
                    true => drop(reported.directories.insert(path, watches.root().to_owned())),
                    false => drop(reported.paths.insert(path)),
                }
            }
        }
        (reported.directories.len() <= MOST_DIRECTORIES).then_some(reported)
    }

    /// Lists some directories, others each time.
    fn sample(&mut self, workspace: &Workspace) -> Vec<(PathBuf, Item)> {
        self.looks += 1;
        let mut found = Vec::new();
        for (watches, _) in &self.roots {
            for directory in watches.some(COMPARED, self.looks) {
                let directory = watches.root().join(directory);
                if !self.apart.contains(&directory) {
                    list(workspace, watches.root(), &directory, &mut found);
                }
            }
        }
        found
    }

    /// Takes note of what has more than one name. Another name of one may be known, and what was
    /// done by this one is not reported there.
    fn link(&mut self, workspace: &Workspace, known: &Known, look: &mut Look) {
        let Look { found, gone } = look;
        let single = found.iter().filter(|(_, item)| !item.is_linked).map(|(path, _)| path);
        for path in gone.iter().chain(single) {
            self.linked.remove(path);
        }
        let linked = found.iter().filter(|(_, item)| item.is_linked);
        let new = linked.filter(|(path, _)| !self.linked.contains(*path));
        let new: Vec<_> = new.map(|(path, item)| (path.clone(), item.mark.inode)).collect();
        if new.is_empty() {
            return;
        }
        let inodes: BTreeSet<i64> = new.iter().map(|(_, inode)| *inode).collect();
        self.linked.extend(new.into_iter().map(|(path, _)| path));
        let files = known.files.iter().filter(|(_, seen)| inodes.contains(&seen.mark.inode));
        // Of what is not covered the inode is not known.
        for path in files.map(|(path, _)| path).chain(known.uncovered.keys()) {
            if !found.contains_key(path)
                && let Some(item) = item_at(workspace, path)
                && inodes.contains(&item.mark.inode)
            {
                self.linked.insert(path.clone());
                found.insert(path.clone(), item);
            }
        }
    }
}

impl Known {
    /// Looks at what may be other than it is known. What is ignored now is forgotten, unless it
    /// `stays` for the time of a program.
    pub(super) fn look(
        &mut self,
        workspace: &Workspace,
        own: &Path,
        stays: bool,
        missed: &mut Missed,
    ) -> Look {
        let mut watched = self.watched.take();
        // What is watched apart is to be forgotten then.
        let useful = watched.as_mut().filter(|watched| stays || watched.apart.is_empty());
        let look = useful.and_then(|watched| self.look_at(workspace, own, stays, watched));
        self.meanwhile.is_deaf |= watched.as_ref().is_some_and(|own| own.is_deaf);
        for (path, new) in watched.as_mut().map(|own| take(&mut own.reports)).unwrap_or_default() {
            let all = self.meanwhile.reports.entry(path).or_default();
            *all = Reports { written: all.written + new.written, moved: all.moved + new.moved };
        }
        let allowed = most_watches().map_or(usize::MAX, |most| most as usize / SHARE);
        let most = workspace.limits().watched_directories.min(allowed);
        let look = look.unwrap_or_else(|| {
            // The old ones first: the kernel counts both.
            drop(watched.take());
            if most > 0 && !self.is_unwatchable {
                watched = Watched::new(workspace);
            }
            self.look_at_all(workspace, own, stays, watched.as_mut(), missed)
        });
        let is_whole =
            watched.as_ref().is_some_and(|own| own.is_whole(most) && !missed.is_partial());
        if watched.is_some() && !is_whole {
            tracing::info!("commands without a layer look at every file: too much to be watched");
            self.is_unwatchable = true;
        }
        self.watched = watched.filter(|_| is_whole);
        look
    }

    fn look_at_all(
        &self,
        workspace: &Workspace,
        own: &Path,
        stays: bool,
        mut watched: Option<&mut Watched>,
        missed: &mut Missed,
    ) -> Look {
        let walk = Walk { workspace, own, watched: watched.as_deref() };
        let mut look = Look { found: walk.all(missed), gone: Vec::new() };
        let missing = |path: &&PathBuf| !look.found.contains_key(*path);
        let missing: Vec<_> = self.paths().filter(missing).cloned().collect();
        match stays {
            true => look.add_missing(workspace, missing, watched.as_deref_mut(), |_| true),
            false => look.gone = missing,
        }
        if let Some(watched) = watched {
            let linked = look.found.iter().filter(|(_, item)| item.is_linked);
            watched.linked = linked.map(|(path, _)| path.clone()).collect();
        }
        look
    }

    /// Looks at what was reported; `None` if everything has to be looked at.
    fn look_at(
        &mut self,
        workspace: &Workspace,
        own: &Path,
        stays: bool,
        watched: &mut Watched,
    ) -> Option<Look> {
        // First, so that the queue names what was changed in it before.
        let sample = watched.sample(workspace);
        let reported = watched.reported(|path| self.is_known(path))?;
        if let Some(path) = self.other_than_known(&sample, &reported) {
            tracing::warn!("{}: changed without a report of the kernel", path.display());
            self.is_unwatchable = true;
            return None;
        }
        let (mut new, mut missed) = (Vec::new(), Missed::default());
        let walk = Walk { workspace, own, watched: Some(watched) };
        let mut missing = Vec::new();
        for (directory, root) in &reported.directories {
            if !directory.parent().is_some_and(|above| reported.walks(above)) {
                walk.below(root, directory, &mut new, &mut missed);
                missing.extend(self.below(directory).cloned());
            }
        }
        let mut look = Look { found: new.into_iter().collect(), gone: Vec::new() };
        if missed.is_partial()
            || self.files.len() + look.found.len() > workspace.limits().snapshot_files
        {
            return None;
        }
        missing.retain(|path| !look.found.contains_key(path));
        match stays {
            true => look.add_missing(workspace, missing, Some(watched), |a| reported.walks(a)),
            // What is something else now is looked at below.
            false => look.gone = missing,
        }
        // Where something else was a directory, and in directories that are as they were.
        let alone = reported.directories.keys().filter(|path| !look.found.contains_key(*path));
        let files = reported.paths.iter().filter(|path| !reported.walks(path));
        let alone: Vec<_> = alone.chain(files).cloned().collect();
        for path in alone {
            match item_at(workspace, &path) {
                Some(item) if item.is_file() || stays && self.is_known(&path) => {
                    look.found.insert(path, item);
                }
                Some(_) if !self.is_known(&path) => {}
                _ => look.gone.push(path),
            }
        }
        watched.link(workspace, self, &mut look);
        watched.forget(&look.gone);
        Some(look)
    }

    /// The first of what was found that is neither known so nor reported.
    fn other_than_known<'i>(
        &self,
        found: &'i [(PathBuf, Item)],
        reported: &Reported,
    ) -> Option<&'i Path> {
        let is_other = |(path, item): &&(PathBuf, Item)| {
            let known = self.files.get(path).is_some_and(|seen| seen.mark == item.mark);
            let reported = reported.paths.contains(path) || reported.walks(path);
            !known && !reported && !self.uncovered.contains_key(path)
        };
        found.iter().find(is_other).map(|(path, _)| path.as_path())
    }

    pub(super) fn is_known(&self, path: &Path) -> bool {
        self.files.contains_key(path) || self.uncovered.contains_key(path)
    }

    /// All that is known to be there.
    fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.keys().chain(self.uncovered.keys())
    }

    /// The same of one path and all below it.
    fn below<'k>(&'k self, path: &'k Path) -> impl Iterator<Item = &'k PathBuf> {
        let from = (Bound::Included(path), Bound::Unbounded);
        let files = self.files.range::<Path, _>(from).map(|(own, _)| own);
        let uncovered = self.uncovered.range::<Path, _>(from).map(|(own, _)| own);
        let within = move |own: &&PathBuf| own.starts_with(path);
        files.take_while(within).chain(uncovered.take_while(within))
    }
}

impl Look {
    /// Adds what is known and was not found by a walk through the directories that `walks` tells. If
    /// it is ignored now, it is not gone.
    fn add_missing(
        &mut self,
        workspace: &Workspace,
        missing: Vec<PathBuf>,
        mut watched: Option<&mut Watched>,
        walks: impl Fn(&Path) -> bool,
    ) {
        let mut still = Vec::new();
        for path in missing {
            let Some(mut item) = item_at(workspace, &path) else {
                self.gone.push(path);
                continue;
            };
            if let (Some(watched), Some(above)) = (watched.as_deref_mut(), path.parent())
                && walks(above)
                && !self.found.contains_key(above)
                && watched.part(above)
            {
                // Now that it is watched.
                item = item_at(workspace, &path).unwrap_or(item);
            }
            still.push((path, item));
        }
        self.found.extend(still);
    }
}
