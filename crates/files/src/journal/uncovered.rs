//! Repositories that a program changes though no call covers them: it writes to them directly, as where
//! there is no layer, or in a linked work tree whose repository is outside of the root.
//!
//! Without this module a commit made there would be in no call, and nobody would be told.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fault::Result;
use rustix::fs::{CWD, Dir, FileType, Mode, OFlags};

use super::layer::{Layer, some, staged_in};
use super::refs::{self, HEAD};
use super::store::Phase;
use super::{Step, StepId};

/// More refs with a file of their own are not read.
const MOST_REFS: usize = 20_000;

/// What a repository said before a program.
#[derive(Debug)]
pub(super) struct Repository {
    /// Where it has its index and HEAD, and where its branches.
    own: PathBuf,
    common: PathBuf,
    before: BTreeMap<String, String>,
}

impl Repository {
    /// The one that a directory belongs to.
    fn of(directory: &Path) -> Option<Self> {
        let git = directory.ancestors().map(|above| above.join(".git"));
        let git = git.into_iter().find(|git| rustix::fs::lstat(git).is_ok())?;
        let leads = |text: Vec<u8>| String::from_utf8(text).ok().map(|t| t.trim_end().to_owned());
        // A file where the work tree is linked: it says where the rest is.
        let text = refs::read(&git).and_then(leads);
        let own = match text.as_deref().and_then(|text| text.strip_prefix("gitdir: ")) {
            Some(target) => git.parent()?.join(target),
            None => git,
        };
        let common = refs::read(&own.join("commondir")).and_then(leads);
        let common = common.map_or_else(|| own.clone(), |common| own.join(common));
        let mut found = Self { own, common, before: BTreeMap::new() };
        found.before = found.now();
        Some(found)
    }

    /// What is staged, what is checked out, and every branch and the like with its commit.
    fn now(&self) -> BTreeMap<String, String> {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim_end().to_owned();
        let mut all = BTreeMap::new();
        let packed = refs::read(&self.common.join(refs::PACKED)).map(text).unwrap_or_default();
        let packed = packed.lines().filter_map(|line| line.split_once(' '));
        all.extend(packed.map(|(commit, name)| (name.to_owned(), commit.to_owned())));
        let mut waiting = vec![refs::REFS.to_owned()];
        while let Some(directory) = waiting.pop().filter(|_| all.len() < MOST_REFS) {
            for (name, kind) in entries(&self.common.join(&directory)) {
                let name = format!("{directory}/{name}");
                match kind {
                    FileType::Directory => waiting.push(name),
                    _ => {
                        let commit = refs::read(&self.common.join(&name)).map(text);
                        all.extend(commit.map(|commit| (name, commit)));
                    }
                }
            }
        }
        let own = |name: &str| refs::read(&self.own.join(name));
        all.extend(own(HEAD).map(|head| (HEAD.to_owned(), text(head))));
        // Git writes it also to look.
        let index = own("index").map(|bytes| match staged_in(&bytes) {
            Some(staged) => format!("{staged:?}"),
            None => format!("{:?}", super::blobs::hash(&bytes)),
        });
        all.extend(index.map(|index| ("index".to_owned(), index)));
        all
    }

    /// What it says now and did not before, in words.
    fn changed(&self) -> Vec<String> {
        let now = self.now();
        let names = now.keys().chain(self.before.keys().filter(|name| !now.contains_key(*name)));
        let changed = names.filter(|name| now.get(*name) != self.before.get(*name));
        let told = changed.filter_map(|name| {
            let called = refs::called(name)?;
            let commit = now.get(name).filter(|_| refs::is_alone(name)).and_then(|c| c.get(..7));
            Some(match commit {
                Some(commit) => format!("{called} (now at {commit})"),
                None => called,
            })
        });
        told.collect()
    }
}

/// Ignored directories, as shown, to which programs wrote directly: those that changed, and those that are
/// too large to tell.
#[derive(Clone, Debug, Default)]
pub(super) struct Direct {
    pub(super) changed: BTreeSet<String>,
    pub(super) unknown: BTreeSet<String>,
}

impl Direct {
    fn told(&self) -> Option<String> {
        let list = |paths: &BTreeSet<String>| some(&paths.iter().cloned().collect::<Vec<_>>());
        let unknown =
            (!self.unknown.is_empty()).then(|| format!("{} if it changed", list(&self.unknown)));
        let changed = (!self.changed.is_empty()).then(|| list(&self.changed));
        let all: Vec<String> = changed.into_iter().chain(unknown).collect();
        (!all.is_empty())
            .then(|| format!("not covered, since git ignores it: {}", all.join(", and ")))
    }
}

impl Step<'_> {
    /// Looks at the repository of a directory before a program that works there, unless one of its
    /// layers takes what it does to it.
    pub fn see_repository(&self, directory: &Path, layers: &[Layer]) {
        let mut inner = self.lock();
        if self.is_dry() || inner.repositories.iter().any(|(seen, _)| seen == directory) {
            return; // before another program of the call
        }
        let is_layered = |path: &Path| layers.iter().any(|layer| path.starts_with(&layer.root));
        let found = Repository::of(directory).filter(|found| !is_layered(&found.own));
        inner.repositories.extend(found.map(|found| (directory.to_owned(), found)));
    }

    /// What programs did to repositories that is in no call, a sentence.
    pub(super) fn uncovered(&self) -> Option<String> {
        let inner = self.lock();
        let found = inner.repositories.iter();
        let mut changed: Vec<String> = found.flat_map(|(_, seen)| seen.changed()).collect();
        changed.dedup();
        (!changed.is_empty()).then(|| {
            format!(
                "git's own state changed meanwhile, and undo does not cover that here: {}; take it \
                 back with git",
                some(&changed)
            )
        })
    }

    /// Notes that with the call, also if it changed nothing else.
    pub(super) fn note_uncovered(&self, id: Option<StepId>) -> Result<Option<StepId>> {
        // What programs did there alone is in no call: nobody wants a build undone.
        let direct = self.lock().direct.told().filter(|_| id.is_some());
        let all: Vec<String> = self.uncovered().into_iter().chain(direct).collect();
        if all.is_empty() {
            return Ok(id);
        }
        let missed = all.join("; ");
        self.journal.store()?.write(|tx| {
            let known = id.map_or_else(|| self.enter(tx), Ok)?;
            tx.add_missed(known, &missed)?;
            match id {
                Some(_) => Ok(id),
                None => tx.set_phase(known, Phase::Done).map(|()| Some(known)),
            }
        })
    }
}

fn entries(directory: &Path) -> Vec<(String, FileType)> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = rustix::fs::openat(CWD, directory, flags, Mode::empty());
    let Some(listed) = opened.ok().and_then(|opened| Dir::new(opened).ok()) else {
        return Vec::new();
    };
    let named = listed.flatten().map(|entry| (entry.file_name().to_bytes().to_vec(), entry));
    let named = named.filter_map(|(name, entry)| {
        Some((String::from_utf8(name).ok()?, entry.file_type()))
            .filter(|(name, _)| name != "." && name != ".." && !name.ends_with(".lock"))
    });
    named.collect()
}
