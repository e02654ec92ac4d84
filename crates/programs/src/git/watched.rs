//! What differs, without asking git each time.
//!
//! What git said of the branch and of what is staged holds as long as the index, the refs and the
//! configuration are as they were then. What differs in the files since is known from the resident
//! tree of the root (`files::git`). Where either cannot be told, git is asked as ever.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fault::Result;
use files::git::{Basis, Differences, Mark, Rules};
use files::workspace::{Folder, Workspace};

use super::status::Said;
use super::{Change, Head, Repository, Status, Upstream, shown, text};
use crate::process::{PersonsFiles, Runner};

/// The state of a repository, and what belongs to it in an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// What differs.
    pub status: Status,
    /// [`Repository::top`].
    pub top: String,
    /// [`Repository::note`].
    pub note: Option<String>,
}

/// What git said of the repository that was asked about last.
#[derive(Debug, Default)]
pub struct Watched(Mutex<Option<Known>>);

#[derive(Debug)]
struct Known {
    /// The top of the work tree.
    place: PathBuf,
    /// The name of what the branch follows.
    follows: Option<String>,
    said: Option<Answer>,
}

/// An answer of git that can be used again.
#[derive(Debug)]
struct Answer {
    basis: Basis,
    index: Mark,
    converts: bool,
    head: Head,
    upstream: Option<Upstream>,
    /// What differs between the commit and the index, by path.
    staged: Vec<(Vec<u8>, Change)>,
    top: String,
    note: Option<String>,
}

impl Watched {
    /// What differs in the repository of the directory `dir`, which `open` opens.
    ///
    /// # Errors
    /// Those of `open` and of [`Repository::status`].
    pub fn status<'r>(
        &self,
        runner: &Runner,
        workspace: &Workspace,
        dir: &str,
        open: impl FnOnce() -> Result<Repository<'r>>,
    ) -> Result<Seen> {
        let top = workspace.folder(dir)?;
        let persons = runner.persons_files();
        let follows = {
            let mut known = self.lock();
            if known.as_ref().is_some_and(|known| known.place != top.path()) {
                *known = None;
            }
            if let Some((said, persons)) =
                known.as_ref().and_then(|known| known.said.as_ref()).zip(persons.as_ref())
                && let Some(seen) = said.again(workspace, &top, persons)
            {
                return Ok(seen);
            }
            known.take().and_then(|known| known.follows)
        };
        files::git::expect(&top);
        let before = persons.as_ref().and_then(|persons| {
            Some((basis(&top, persons, follows.as_deref())?, files::git::mark(&top)?))
        });
        let repository = open()?;
        let said = repository.said()?;
        let named = said.upstream.as_ref().map(|upstream| upstream.name.clone());
        let answer = before.filter(|(_, index)| {
            named == follows
                && files::git::mark(&top) == Some(*index)
                && repository.top == top.path()
                && repository.history == top.path().join(".git")
        });
        let answer = answer.and_then(|(basis, index)| repository.learned(&said, basis, index));
        *self.lock() = Some(Known { place: top.path().to_owned(), follows: named, said: answer });
        let (top, note) = (repository.top(), repository.note());
        Ok(Seen { status: said.into_status(), top, note })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Repository<'_> {
    /// What can be used again of an answer that git gave since `basis` and `index` were looked at.
    fn learned(&self, said: &Said, basis: Basis, index: Mark) -> Option<Answer> {
        let is_whole = said.omitted_bytes == 0 && !said.changes.iter().any(|(_, c)| c.conflict);
        if !is_whole || !self.config.is_plain() || !basis.is_settled() || !basis.holds() {
            return None;
        }
        let staged = said.changes.iter().filter(|(_, change)| change.is_staged());
        let staged =
            staged.map(|(path, change)| (path.clone(), Change { file: ' ', ..change.clone() }));
        Some(Answer {
            basis,
            index,
            converts: self.config.converts(),
            head: said.head.clone(),
            upstream: said.upstream.clone(),
            staged: staged.collect(),
            top: self.top(),
            note: self.note(),
        })
    }
}

impl Answer {
    /// The answer that git would give now; `None` if only it can.
    fn again(&self, workspace: &Workspace, top: &Folder, persons: &PersonsFiles) -> Option<Seen> {
        if !self.basis.holds() {
            return None;
        }
        let ignores = [top.path().join(".git/info/exclude"), persons.ignore.clone()];
        let attributes = [
            top.path().join(".git/info/attributes"),
            persons.attributes.clone(),
            PathBuf::from("/etc/gitattributes"),
        ];
        let rules = Rules { ignores: &ignores, attributes: &attributes, converts: self.converts };
        let found = files::git::differences(top, &rules)?;
        if found.index != self.index {
            return None;
        }
        let status = Status {
            head: self.head.clone(),
            upstream: self.upstream.clone(),
            changes: self.changes(&found, workspace.limits().git_bytes)?,
            omitted_bytes: 0,
        };
        Some(Seen { status, top: self.top.clone(), note: self.note.clone() })
    }

    /// What is staged and what differs in the files, in the order of git; `None` if git's answer
    /// could be longer than `most` bytes, and would be cut.
    fn changes(&self, found: &Differences, most: usize) -> Option<Vec<Change>> {
        let staged = self.staged.iter().map(|(path, change)| (path.as_slice(), change.clone()));
        let mut changes: BTreeMap<&[u8], Change> = staged.collect();
        for (path, letter) in &found.changed {
            let path = path.as_bytes();
            changes.entry(path).or_insert_with(|| plain(path, ' ', ' ')).file = *letter;
        }
        let untracked = found.untracked.iter().map(|path| path.as_bytes());
        let length = |path: &[u8]| LINE + path.len();
        let all = changes.keys().copied().chain(untracked.clone()).map(length);
        if all.sum::<usize>() > most {
            return None;
        }
        let untracked = untracked.map(|path| plain(path, '?', '?'));
        Some(changes.into_values().chain(untracked).collect())
    }
}

/// What decides, beside the refs, what git says of a repository, below its directory.
const DECISIVE: &[&str] = &[
    "config",
    "config.worktree",
    "packed-refs",
    "refs/replace",
    "info/grafts",
    "shallow",
    ELSEWHERE,
];
/// Where it is that a directory of git's shares refs and configuration with another one.
const ELSEWHERE: &str = "commondir";

/// More bytes than a line of git's answer has beside its path.
const LINE: usize = 128;

fn plain(path: &[u8], index: char, file: char) -> Change {
    Change { path: shown(path), from: None, index, file, conflict: false }
}

/// What an answer of git rests on beside the index and the files of the work tree. `None` if that
/// cannot be told.
fn basis(top: &Folder, persons: &PersonsFiles, follows: Option<&str>) -> Option<Basis> {
    let top = top.path();
    let git = top.join(".git");
    let stamped = DECISIVE.iter().map(|name| git.join(name));
    let stamped = stamped.chain(persons.config.iter().cloned());
    let head = Basis::of(Vec::new(), Vec::new(), vec![git.join("HEAD")])?;
    let mut read = vec![git.join("HEAD")];
    if let Some(name) = text(head.text(0)).strip_prefix("ref: ") {
        let name = name.trim_end();
        let is_usual = name.starts_with("refs/heads/") && !name.split('/').any(|part| part == "..");
        read.push(is_usual.then(|| git.join(name))?);
    }
    for kind in ["refs", "refs/heads", "refs/remotes"] {
        read.extend(follows.map(|name| git.join(kind).join(name)));
    }
    let count = read.len();
    let basis = Basis::of(vec![top.to_owned(), git.clone()], stamped.collect(), read)?;
    // A ref that names another one rests on that too.
    let is_other = |at: usize| basis.text(at).starts_with(b"ref:");
    let is_same = basis.text(0) == head.text(0) && !basis.has(&git.join(ELSEWHERE));
    (is_same && !(1..count).any(is_other)).then_some(basis)
}
