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
use files::git::{self, Basis, Differences, Mark, Rules};
use files::workspace::{Folder, Workspace};
use memchr::memmem;

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

/// What differs, by path.
type Changes = Vec<(Vec<u8>, Change)>;

/// An answer of git that can be used again.
#[derive(Debug)]
struct Answer {
    basis: Basis,
    converts: bool,
    head: Head,
    upstream: Option<Upstream>,
    /// An index, and what differs between the commit and it.
    staged: Option<(Mark, Changes)>,
    base: Base,
    top: String,
    note: Option<String>,
}

/// What another index is compared with.
#[derive(Clone, Debug)]
enum Base {
    /// That is not known.
    Unknown,
    /// The commit, if the index is the same.
    Commit(String),
    /// An index that was the same as the commit.
    Index(Mark),
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
        if let Some(seen) = persons.as_ref().and_then(|own| self.known(workspace, &top, own)) {
            return Ok(seen);
        }
        let known = self.lock().take_if(|known| known.place == top.path());
        let (follows, old) = known.map(|known| (known.follows, known.said)).unwrap_or_default();
        git::expect(&top);
        let before = persons.as_ref().and_then(|persons| {
            let basis = basis(&top, persons, follows.as_deref())?;
            Some((Some(basis).filter(Basis::is_settled)?, git::mark(&top)?))
        });
        let repository = open()?;
        let said = repository.said()?;
        let named = said.upstream.as_ref().map(|upstream| upstream.name.clone());
        let answer = before.filter(|(_, index)| {
            named == follows
                && git::mark(&top) == Some(*index)
                && repository.history == top.path().join(".git")
        });
        let mut answer = answer.and_then(|(basis, index)| repository.learned(&said, basis, index));
        if let (Some(answer), Some(old)) = (&mut answer, old)
            && matches!(answer.base, Base::Unknown)
            && answer.basis == old.basis
        {
            answer.base = old.base;
        }
        if repository.top == top.path() {
            let place = repository.top.clone();
            *self.lock() = Some(Known { place, follows: named, said: answer });
        }
        let (top, note) = (repository.top(), repository.note());
        Ok(Seen { status: said.into_status(), top, note })
    }

    /// The answer without git, if there is one.
    fn known(&self, workspace: &Workspace, top: &Folder, persons: &PersonsFiles) -> Option<Seen> {
        let mut known = self.lock();
        let said = known.as_mut().filter(|known| known.place == top.path())?.said.as_mut()?;
        said.again(workspace, top, persons)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Repository<'_> {
    /// What can be used again of an answer that git gave since `basis` and `index` were looked at.
    fn learned(&self, said: &Said, basis: Basis, index: Mark) -> Option<Answer> {
        let is_whole = said.omitted_bytes == 0 && !said.changes.iter().any(|(_, c)| c.conflict);
        if !is_whole || !self.config.is_plain() || !basis.holds() {
            return None;
        }
        let staged = said.changes.iter().filter(|(_, change)| change.is_staged());
        let staged =
            staged.map(|(path, change)| (path.clone(), Change { file: ' ', ..change.clone() }));
        let staged: Changes = staged.collect();
        Some(Answer {
            basis,
            converts: self.config.converts(),
            head: said.head.clone(),
            upstream: said.upstream.clone(),
            base: if staged.is_empty() { Base::Index(index) } else { Base::Unknown },
            staged: Some((index, staged)),
            top: self.top(),
            note: self.note(),
        })
    }
}

impl Answer {
    /// The answer that git would give now; `None` if only it can.
    fn again(
        &mut self,
        workspace: &Workspace,
        top: &Folder,
        persons: &PersonsFiles,
    ) -> Option<Seen> {
        if !self.basis.holds() {
            self.follow(top, persons)?;
        }
        let ignores = [top.path().join(".git/info/exclude"), persons.ignore.clone()];
        let attributes = [
            top.path().join(".git/info/attributes"),
            persons.attributes.clone(),
            PathBuf::from("/etc/gitattributes"),
        ];
        let base = match &self.base {
            Base::Unknown => None,
            Base::Commit(commit) => Some(git::Base::Commit(commit)),
            Base::Index(mark) => Some(git::Base::Index(*mark)),
        };
        let rules =
            Rules { ignores: &ignores, attributes: &attributes, converts: self.converts, base };
        let found = git::differences(top, &rules)?;
        if self.staged.as_ref().is_none_or(|(index, _)| *index != found.index) {
            let staged = found.staged.as_ref()?.iter().map(|(path, letter)| {
                let path = path.as_bytes();
                (path.to_owned(), plain(path, *letter, ' '))
            });
            self.staged = Some((found.index, staged.collect()));
        }
        // Only where the index was seen to be that of the commit.
        let is_base = found.staged.as_ref().is_some_and(|staged| staged.is_empty());
        if is_base && matches!(self.base, Base::Commit(_)) {
            self.base = Base::Index(found.index);
        }
        let status = Status {
            head: self.head.clone(),
            upstream: self.upstream.clone(),
            changes: self.changes(&found, workspace.limits().git_bytes)?,
            omitted_bytes: 0,
        };
        Some(Seen { status, top: self.top.clone(), note: self.note.clone() })
    }

    /// Goes on to another commit of the same branch, if nothing else has changed. How far a branch of
    /// a remote is apart only git can say.
    fn follow(&mut self, top: &Folder, persons: &PersonsFiles) -> Option<()> {
        let now = basis(top, persons, None).filter(Basis::is_settled)?;
        let packed = top.path().join(".git").join(PACKED);
        let refs = Basis::of(Vec::new(), Vec::new(), vec![packed])?;
        let is_replaced = now.has(&top.path().join(".git").join(REPLACED))
            || memmem::find(refs.text(0), REPLACED.as_bytes()).is_some();
        let is_same = self.upstream.is_none()
            && now.differs_in_texts_alone(&self.basis)
            && now.text(0) == self.basis.text(0);
        let (Head::Branch(name, _) | Head::Unborn(name)) = &self.head else { return None };
        let commit = text(now.text(1)).trim_end().to_owned();
        if !is_same || is_replaced || commit.len() != DIGITS {
            return None;
        }
        self.head = Head::Branch(name.clone(), commit.clone());
        (self.basis, self.base, self.staged) = (now, Base::Commit(commit), None);
        Some(())
    }

    /// What is staged and what differs in the files, in the order of git; `None` if git's answer
    /// could be longer than `most` bytes, and would be cut.
    fn changes(&self, found: &Differences, most: usize) -> Option<Vec<Change>> {
        let (_, staged) = self.staged.as_ref()?;
        let staged = staged.iter().map(|(path, change)| (path.as_slice(), change.clone()));
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
const DECISIVE: &[&str] =
    &["config", "config.worktree", PACKED, REPLACED, "info/grafts", "shallow", ELSEWHERE];
/// Where it is that a directory of git's shares refs and configuration with another one.
const ELSEWHERE: &str = "commondir";

/// Refs that did not change lately, and those that put one object in the place of another.
const PACKED: &str = "packed-refs";
const REPLACED: &str = "refs/replace";
/// Digits of the name of a commit.
const DIGITS: usize = 40;

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
