//! Commits to and from other repositories. Nobody can type a password here.

use fault::{Code, Error, Result};
use files::spelling::nearest;

use super::{Head, Repository, Run, failure, parts, shown};
use crate::process::{Exit, Finished};

/// What was pushed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pushed {
    /// The branch, here and there.
    pub branch: String,
    /// The remote had all of it already.
    pub up_to_date: bool,
    /// What git and the remote printed.
    pub output: String,
}

/// What was pulled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pulled {
    /// The branch of the remote.
    pub branch: String,
    /// The current commit before, if there was one, and after.
    pub commits: (Option<String>, String),
    /// What git printed.
    pub output: String,
}

impl Repository<'_> {
    /// Pushes a local branch, the current one if none is named, to the branch of the same name. A
    /// branch that follows nothing follows that from then on.
    ///
    /// # Errors
    /// `RemoteNotFound`, `BranchNotFound`, `CouldNotDetermineBranch`; `PushRejected` if the remote
    /// has commits that are not here, or refuses by its rules; `AuthenticationFailed`,
    /// `NetworkUnreachable`, `HookFailed`, `Timeout`, `GitFailed`.
    pub fn push(&self, remote: &str, branch: Option<&str>) -> Result<Pushed> {
        self.check_remote(remote)?;
        self.must_be_plain()?;
        let branch = match branch {
            Some(branch) => branch.to_owned(),
            None => match self.head()? {
                Head::Branch(name, _) => name,
                Head::Unborn(_) => {
                    return Err(Error::nothing_to_commit("there is no commit to push yet"));
                }
                Head::Detached(_) => return Err(Error::no_branch(&self.named)),
            },
        };
        self.must_be_branch(&branch)?;
        let refs = format!("refs/heads/{branch}:refs/heads/{branch}");
        let follows = self.config.get(&format!("branch.{branch}.merge")).is_some();
        let mut command = vec!["push", "--porcelain", "--no-progress"];
        if !follows {
            command.push("--set-upstream");
        }
        command.extend(["--", remote, &refs]);
        let finished = self.run(&command, Run::Push)?;
        let output = self.told(&[&finished]);
        if finished.exit == Exit::Code(0) {
            let up_to_date = output.lines().any(|line| line.starts_with("=\t"));
            return Ok(Pushed { branch, up_to_date, output });
        }
        if !self.is_vetted && output.contains("transport 'file' not allowed") {
            let named = "hooks of the local repository that is pushed to".to_owned();
            return Err(Error::not_vetted(&self.named, &self.top, &[named]));
        }
        let refused = output.lines().find_map(|line| line.strip_prefix("!\t"));
        if let Some(why) = refused.and_then(|line| line.split('\t').nth(1)) {
            return Err(Error::push_rejected(&branch, why).with("output", output));
        }
        let error = failure::failed("push", &finished);
        if error.code == Code::GitFailed && output.contains("failed to push some refs") {
            return Err(Error::git(Code::HookFailed, "push", &output));
        }
        Err(error)
    }

    /// Fetches a branch of a remote, the one that the current branch follows if none is named, and
    /// brings the current branch up to it: by a merge, or as `pull.rebase` and `pull.ff` say.
    ///
    /// # Errors
    /// `NoUpstream`, `RemoteNotFound`, `BranchNotFound`, `CouldNotDetermineBranch`; `LocalChanges`
    /// if a file would be overwritten, nothing is changed then; `MergeConflict`, the merge then
    /// waits; `AuthenticationFailed`, `NetworkUnreachable`, `HookFailed`, `Timeout`, `GitFailed`.
    pub fn pull(&self, remote: &str, branch: Option<&str>) -> Result<Pulled> {
        self.must_have_files()?;
        self.check_remote(remote)?;
        self.must_be_plain()?;
        let _alone = self.alone()?;
        let head = self.head()?;
        let current = head.branch().ok_or_else(|| Error::no_branch(&self.named))?;
        let branch = match branch {
            Some(branch) => branch.to_owned(),
            None => self.followed(current, remote).ok_or_else(|| Error::no_upstream(current))?,
        };
        self.check_name(&branch)?;
        let refs = format!("refs/heads/{branch}");
        let fetch = ["fetch", "--no-progress", "--no-recurse-submodules", "--", remote, &refs];
        let fetched = self.run(&fetch, Run::Speak)?;
        if fetched.exit != Exit::Code(0) {
            return Err(failure::failed("fetch", &fetched));
        }
        let theirs = self.commit_of("FETCH_HEAD")?;
        let theirs = theirs.ok_or_else(|| Error::branch_not_found(&branch, &[]))?;
        let (how, mut command) = self.way();
        let title = format!("Merge branch '{branch}' of {remote}");
        if how == "merge" {
            command.extend(["-m", &title]);
        }
        command.push(&theirs);
        let run = if self.config.is_on("commit.gpgsign") { Run::Speak } else { Run::Change };
        let merged = self.run(&command, run)?;
        if merged.exit != Exit::Code(0) {
            return Err(self.stopped(how, &merged)?);
        }
        let after = self.head()?.commit().unwrap_or_default().to_owned();
        let output = self.told(&[&fetched, &merged]);
        Ok(Pulled { branch, commits: (head.commit().map(str::to_owned), after), output })
    }

    /// What git printed, and what was left out.
    fn told(&self, finished: &[&Finished]) -> String {
        let parts = finished.iter().map(|finished| both(finished)).chain(self.left_out());
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// The branch of `remote` that a local one follows.
    fn followed(&self, branch: &str, remote: &str) -> Option<String> {
        let of = self.config.get(&format!("branch.{branch}.remote"))?;
        let name = self.config.get(&format!("branch.{branch}.merge"))?;
        (of == remote).then(|| name.strip_prefix("refs/heads/").unwrap_or(name).to_owned())
    }

    /// How commits of a remote are joined with those here.
    fn way(&self) -> (&'static str, Vec<&str>) {
        let rebase = self.config.get("pull.rebase").unwrap_or("false");
        match rebase {
            "merges" | "m" => return ("rebase", vec!["rebase", "--rebase-merges"]),
            _ if self.config.is_on("pull.rebase") => return ("rebase", vec!["rebase"]),
            _ => {}
        }
        let mut command = vec!["merge", "--no-edit", "--no-progress"];
        match self.config.get("pull.ff") {
            Some("only") => command.push("--ff-only"),
            Some("false") => command.push("--no-ff"),
            _ => command.push("--ff"),
        }
        ("merge", command)
    }

    /// Why a merge or rebase did not go through.
    fn stopped(&self, how: &str, finished: &Finished) -> Result<Error> {
        let listed =
            self.look(&["diff", "--name-only", "-z", "--diff-filter=U", "--no-relative"])?;
        let files: Vec<String> = parts(&listed.out).map(shown).collect();
        if !files.is_empty() && failure::said(finished).contains("CONFLICT") {
            return Ok(Error::conflict(&files, how));
        }
        Ok(failure::failed(how, finished))
    }

    fn check_remote(&self, remote: &str) -> Result<()> {
        let known = self.config.remotes();
        if known.iter().any(|name| name == remote) {
            return Ok(());
        }
        let near = nearest(remote, known.iter().cloned(), 3);
        Err(Error::remote_not_found(remote, if near.is_empty() { &known } else { &near }))
    }
}

fn both(finished: &Finished) -> String {
    let part = |output: &crate::process::Output| output.tail(200, 20_000).text;
    format!("{}{}", part(&finished.stdout), part(&finished.stderr)).trim().to_owned()
}
