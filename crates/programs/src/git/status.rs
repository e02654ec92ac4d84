//! What differs between the last commit, the index and the files.

use fault::Result;

use super::{Repository, parts, shown, text};

/// The state of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// What is checked out.
    pub head: Head,
    /// What the branch follows.
    pub upstream: Option<Upstream>,
    /// What differs, in the order of git: tracked files, conflicts, files that git does not know.
    pub changes: Vec<Change>,
    /// Bytes of git's answer that were left out, since it is too long; the changes are not all.
    pub omitted_bytes: u64,
}

/// What is checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// A branch, by its name, and its last commit.
    Branch(String, String),
    /// A branch without a commit.
    Unborn(String),
    /// A commit without a branch.
    Detached(String),
}

/// The branch of a remote that a branch follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upstream {
    /// As `origin/main`.
    pub name: String,
    /// How many commits the branch has that it lacks, and the other way around; none if it is gone.
    pub apart: Option<(u64, u64)>,
}

/// One path that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Relative to the top of the work tree.
    pub path: String,
    /// Where it was before, if it was renamed or copied.
    pub from: Option<String>,
    /// The letter of git for the index against the commit; `?` for a file that git does not know,
    /// a space if there is no difference.
    pub index: char,
    /// The same for the file against the index.
    pub file: char,
    /// Both sides of a merge changed it; the letters say what each did.
    pub conflict: bool,
}

impl Change {
    /// The two letters without spaces, such as `M`, `MM`, `R`, `UU` or `??`.
    pub fn letters(&self) -> String {
        [self.index, self.file].iter().filter(|c| **c != ' ').collect()
    }

    /// Whether the next commit holds something of it.
    pub fn is_staged(&self) -> bool {
        !self.conflict && !matches!(self.index, ' ' | '?')
    }
}

impl Head {
    /// The name of the branch, if there is one.
    pub fn branch(&self) -> Option<&str> {
        match self {
            Self::Branch(name, _) | Self::Unborn(name) => Some(name),
            Self::Detached(_) => None,
        }
    }

    /// The commit, if there is one.
    pub fn commit(&self) -> Option<&str> {
        match self {
            Self::Branch(_, commit) | Self::Detached(commit) => Some(commit),
            Self::Unborn(_) => None,
        }
    }
}

impl Repository<'_> {
    /// What differs; each file that git does not know is named, ignored ones are not.
    ///
    /// # Errors
    /// `NotAGitRepository` if there is no work tree; `GitFailed`, `Timeout`.
    pub fn status(&self) -> Result<Status> {
        Ok(self.said()?.into_status())
    }

    /// The same as git says it.
    pub(super) fn said(&self) -> Result<Said> {
        self.must_have_files()?;
        let said = self.look(&[
            "status",
            "--porcelain=v2",
            "--branch",
            "-z",
            "--untracked-files=all",
            "--ignore-submodules=dirty",
            "--find-renames",
            "--ahead-behind",
        ])?;
        let (mut commit, mut branch) = (String::new(), String::new());
        let (mut upstream, mut changes) = (None::<Upstream>, Vec::new());
        let mut lines = parts(&said.out);
        while let Some(line) = lines.next() {
            if let Some(header) = line.strip_prefix(b"# branch.") {
                let header = text(header);
                match header.split_once(' ') {
                    Some(("oid", oid)) => commit = oid.to_owned(),
                    Some(("head", name)) => branch = name.to_owned(),
                    Some(("upstream", name)) => {
                        upstream = Some(Upstream { name: name.to_owned(), apart: None });
                    }
                    Some(("ab", counts)) => {
                        if let Some(upstream) = &mut upstream {
                            upstream.apart = apart(counts);
                        }
                    }
                    _ => {}
                }
            } else if let Some((path, mut change)) = change(line) {
                if line.starts_with(b"2 ") {
                    change.from = lines.next().map(shown);
                }
                changes.push((path.to_owned(), change));
            }
        }
        let head = match (branch.as_str(), commit.as_str()) {
            ("(detached)", _) => Head::Detached(commit),
            (_, "(initial)") => Head::Unborn(branch),
            _ => Head::Branch(branch, commit),
        };
        Ok(Said { head, upstream, changes, omitted_bytes: said.omitted })
    }
}

/// The state of a repository with each path as it is.
pub(super) struct Said {
    pub(super) head: Head,
    pub(super) upstream: Option<Upstream>,
    pub(super) changes: Vec<(Vec<u8>, Change)>,
    pub(super) omitted_bytes: u64,
}

impl Said {
    pub(super) fn into_status(self) -> Status {
        let Self { head, upstream, changes, omitted_bytes } = self;
        let changes = changes.into_iter().map(|(_, change)| change).collect();
        Status { head, upstream, changes, omitted_bytes }
    }
}

/// `+1 -2`: ahead and behind.
fn apart(counts: &str) -> Option<(u64, u64)> {
    let (ahead, behind) = counts.split_once(' ')?;
    Some((ahead.strip_prefix('+')?.parse().ok()?, behind.strip_prefix('-')?.parse().ok()?))
}

/// A line of `--porcelain=v2`: its kind, the two letters, a number of fields, the path.
fn change(line: &[u8]) -> Option<(&[u8], Change)> {
    let fields = match line.first()? {
        b'1' => 8,
        b'2' => 9,
        b'u' => 10,
        b'?' => 1,
        _ => return None,
    };
    let path = line.splitn(fields + 1, |b| *b == b' ').nth(fields)?;
    let letter = |at: usize| match line.get(at) {
        _ if line[0] == b'?' => '?',
        None | Some(b'.') => ' ',
        Some(letter) => char::from(*letter),
    };
    let (index, file, conflict) = (letter(2), letter(3), line[0] == b'u');
    Some((path, Change { path: shown(path), from: None, index, file, conflict }))
}
