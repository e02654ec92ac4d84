//! Branches: which there are, and making, taking and removing one.

use fault::{Error, Result};
use files::spelling::nearest;

use super::{Head, Repository, Run, failure, text};
use crate::process::Exit;

/// Names of branches that others build upon; also those that begin with one of them and a slash.
pub const PROTECTED: &[&str] =
    &["main", "master", "development", "develop", "production", "release"];

/// Whether a branch is one that others build upon. Case does not matter.
pub fn protected(branch: &str) -> bool {
    let branch = branch.to_lowercase();
    let first = branch.split('/').next().unwrap_or_default();
    PROTECTED.contains(&first)
}

/// One local branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Its name.
    pub name: String,
    /// Whether it is checked out here.
    pub current: bool,
    /// Its last commit.
    pub commit: String,
    /// The branch of a remote that it follows, as `origin/main`.
    pub upstream: Option<String>,
}

impl Repository<'_> {
    /// What is checked out.
    ///
    /// # Errors
    /// `GitFailed`, `Timeout`.
    pub fn head(&self) -> Result<Head> {
        let (on_branch, name) = self.ask(&["symbolic-ref", "-q", "HEAD"])?;
        let name = text(&name);
        let name = name.trim_end_matches('\n');
        let name = name.strip_prefix("refs/heads/").unwrap_or(name).to_owned();
        let commit = self.commit_of("HEAD")?;
        Ok(match (on_branch, commit) {
            (true, Some(commit)) => Head::Branch(name, commit),
            (true, None) => Head::Unborn(name),
            (false, commit) => Head::Detached(commit.unwrap_or_default()),
        })
    }

    /// The local branches, by name. One without a commit does not exist yet.
    ///
    /// # Errors
    /// `GitFailed`, `Timeout`.
    pub fn branches(&self) -> Result<Vec<Branch>> {
        let form = "--format=%(HEAD)%00%(refname:lstrip=2)%00%(objectname)%00%(upstream:short)";
        let out = text(&self.look(&["for-each-ref", form, "refs/heads"])?.out);
        let branch = |line: &str| {
            let mut fields = line.split('\0').map(str::to_owned);
            let current = fields.next()? == "*";
            let (name, commit) = (fields.next()?, fields.next()?);
            let upstream = fields.next().filter(|name| !name.is_empty());
            Some(Branch { name, current, commit, upstream })
        };
        Ok(out.lines().filter_map(branch).collect())
    }

    /// Makes a branch at the current commit; does not switch to it.
    ///
    /// # Errors
    /// `BranchAlreadyExists`; `BranchNotFound` if there is no commit to begin at; `InvalidInput`
    /// for what cannot be a name; `RepositoryBusy`, `PermissionDenied`, `GitFailed`.
    pub fn create_branch(&self, name: &str) -> Result<()> {
        self.check_name(name)?;
        if self.commit_of(&format!("refs/heads/{name}"))?.is_some() {
            return Err(Error::branch_exists(name, ""));
        }
        let head = self.head()?;
        if head.commit().is_none() {
            return Err(match head.branch() {
                Some(branch) if branch == name => Error::branch_exists(name, "without a commit"),
                _ => Error::no_commit_yet(name),
            });
        }
        let finished = self.run(&["branch", "--no-track", name], Run::Change)?;
        if finished.exit == Exit::Code(0) {
            return Ok(());
        }
        let said = failure::said(&finished);
        if said.contains("already exists") || said.contains("' exists; cannot create") {
            return Err(Error::branch_exists(name, &said));
        }
        Err(failure::failed("branch", &finished))
    }

    /// Checks out a local branch. Changes that are not committed come along, or it fails and
    /// nothing is changed. Gives what git remarked, such as that a hook failed afterwards.
    ///
    /// # Errors
    /// `BranchNotFound` with near names; `LocalChanges` if a file would be overwritten;
    /// `MergeConflict` in the middle of a merge; `RepositoryBusy`, `PermissionDenied`, `GitFailed`.
    pub fn switch(&self, name: &str) -> Result<Option<String>> {
        self.must_have_files()?;
        self.must_be_plain()?;
        let _alone = self.alone()?;
        self.must_be_branch(name)?;
        let form = ["switch", "--quiet", "--no-guess", "--no-progress", name];
        let finished = self.run(&form, Run::Change)?;
        match self.head()?.branch() {
            Some(now) if now == name => {
                let remark = failure::remark(&finished).into_iter().chain(self.left_out());
                Ok(remark.reduce(|first, next| format!("{first}\n{next}")))
            }
            _ => Err(failure::failed("switch", &finished)),
        }
    }

    /// Removes a local branch whose commits are also elsewhere; gives its last commit.
    ///
    /// # Errors
    /// `BranchNotFound`; `BranchNotMerged` if commits would be lost; `GitFailed` if it is checked
    /// out somewhere; `RepositoryBusy`, `PermissionDenied`.
    pub fn delete_branch(&self, name: &str) -> Result<String> {
        let commit = self.must_be_branch(name)?;
        let finished = self.run(&["branch", "--delete", name], Run::Speak)?;
        if finished.exit == Exit::Code(0) {
            return Ok(commit);
        }
        if failure::said(&finished).contains("not fully merged") {
            return Err(Error::branch_not_merged(name, &commit));
        }
        Err(failure::failed("branch", &finished))
    }

    /// The last commit of a local branch.
    pub(super) fn must_be_branch(&self, name: &str) -> Result<String> {
        self.check_name(name)?;
        if let Some(commit) = self.commit_of(&format!("refs/heads/{name}"))? {
            return Ok(commit);
        }
        let names = self.branches()?.into_iter().map(|branch| branch.name);
        Err(Error::branch_not_found(name, &nearest(name, names, 3)))
    }

    pub(super) fn check_name(&self, name: &str) -> Result<()> {
        let full = format!("refs/heads/{name}");
        let bad = name.starts_with('-') || name == "HEAD" || name.contains('\0');
        if bad || !self.ask(&["check-ref-format", &full])?.0 {
            return Err(Error::invalid_input("name", format!("`{name}` cannot name a branch")));
        }
        Ok(())
    }
}
