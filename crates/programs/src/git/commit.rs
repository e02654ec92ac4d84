//! Commits, with hooks and signatures as the person configured them.

use std::ffi::OsString;

use fault::{Code, Error, Result};
use files::journal::backup_of;

use super::paths::args;
use super::{Head, Repository, Run, failure, parts, protected, shown};
use crate::process::{Exit, Finished};

/// A commit to be made.
#[derive(Clone, Debug, Default)]
pub struct Commit<'a> {
    /// Its message, not empty.
    pub message: &'a str,
    /// What it holds.
    pub stage: Stage<'a>,
    /// It may change nothing.
    pub allow_empty: bool,
    /// It replaces the last one.
    pub amend: bool,
}

/// What a commit holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage<'a> {
    /// What is staged.
    #[default]
    Staged,
    /// What is staged; all that changed if nothing is.
    StagedOrAll,
    /// All that changed.
    All,
    /// These files and nothing else; what else is staged stays staged.
    Only(&'a [String]),
}

/// A commit that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// Its hash.
    pub hash: String,
    /// The branch it is on; none if there is none.
    pub branch: Option<String>,
    /// The files that it changes, as paths from the top of the repository.
    pub files: Vec<String>,
    /// What should be known: that the branch is a protected one, what git remarked.
    pub warnings: Vec<String>,
    /// What git and the hooks printed.
    pub output: String,
}

impl Repository<'_> {
    /// Makes a commit.
    ///
    /// # Errors
    /// `NothingToCommit`; `HookFailed` and `SigningFailed` with what they printed; what was staged
    /// then stays staged. `MergeConflict` for unresolved files; `FileNotFound` for a file that
    /// nobody knows; `InvalidInput` for an empty message or if nobody is named as its author;
    /// `RepositoryBusy`, `PermissionDenied`, `Timeout`, `GitFailed`.
    pub fn commit(&self, commit: &Commit<'_>) -> Result<Committed> {
        self.must_have_files()?;
        if commit.message.trim().is_empty() {
            return Err(Error::invalid_input("message", "empty; say what the commit changes"));
        }
        let _alone = self.alone()?;
        let before = self.head()?;
        if commit.amend && before.commit().is_none() {
            return Err(Error::nothing_to_commit("there is no commit to amend yet"));
        }
        if commit.stage != Stage::Staged {
            self.must_have_author()?;
        }
        let Prepared { specs, files, remark } = self.prepare(commit)?;
        let message = format!("--message={}", commit.message);
        let mut command = vec!["commit", "--quiet", &message];
        command.extend(commit.allow_empty.then_some("--allow-empty"));
        command.extend(commit.amend.then_some("--amend"));
        let only = matches!(commit.stage, Stage::Only(_));
        command.extend(only.then_some("--only"));
        let rest = if only { specs.as_slice() } else { &[] };
        // A signature needs the key; hooks then run beside it.
        let run = if self.config.is_on("commit.gpgsign") { Run::Speak } else { Run::Change };
        let finished = self.run(&args(&command, rest), run)?;
        if finished.exit != Exit::Code(0) {
            return Err(self.refused(&finished));
        }
        let after = self.head()?;
        match after.commit() {
            // The same commit, amended within a second, has the same hash.
            Some(hash) if commit.amend || before.commit() != Some(hash) => {
                let files = if commit.amend { self.files_of(hash)? } else { files };
                let mut committed = committed(hash, &after, &finished, files);
                committed.warnings.extend(remark.into_iter().chain(self.left_out()));
                Ok(committed)
            }
            _ => Err(Error::git(Code::GitFailed, "commit", &failure::said(&finished))),
        }
    }

    /// The files that a commit changes.
    fn files_of(&self, hash: &str) -> Result<Vec<String>> {
        let form = ["diff-tree", "--root", "-r", "--no-commit-id", "--name-only", "--no-renames"];
        let said = self.look(&[&form[..], &["-z", "--ignore-submodules=dirty", hash]].concat())?;
        Ok(parts(&said.out).map(shown).collect())
    }

    /// Asked before anything is staged for a commit that cannot be.
    fn must_have_author(&self) -> Result<()> {
        for name in ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] {
            let asked = self.run(&["var", name], Run::Look)?;
            if asked.exit != Exit::Code(0) {
                return Err(self.refused(&asked));
            }
        }
        Ok(())
    }

    /// Stages what is to be committed; an error if that is nothing.
    fn prepare(&self, commit: &Commit<'_>) -> Result<Prepared> {
        let mut remark = None;
        let specs = match commit.stage {
            Stage::Staged => self.specs(&[])?,
            Stage::StagedOrAll if !self.staged(&self.specs(&[])?)?.is_empty() => self.specs(&[])?,
            Stage::All | Stage::StagedOrAll => {
                remark = self.add(&[])?.1;
                self.specs(&[])?
            }
            Stage::Only([]) => {
                return Err(Error::invalid_input("files", "empty; name files, or leave it out"));
            }
            Stage::Only(files) => {
                self.add(files)?;
                self.specs(files)?
            }
        };
        let merging = self.commit_of("MERGE_HEAD")?.is_some();
        let files = self.staged(&specs)?;
        if commit.allow_empty || commit.amend || merging || !files.is_empty() {
            return Ok(Prepared { specs, files, remark });
        }
        Err(Error::nothing_to_commit(match commit.stage {
            Stage::Staged => "nothing is staged; stage files first",
            Stage::All | Stage::StagedOrAll => "no file changed since the last commit",
            Stage::Only(_) => "these files did not change since the last commit",
        }))
    }

    /// Why a commit failed.
    fn refused(&self, finished: &Finished) -> Error {
        let said = failure::said(finished);
        if said.contains("Please tell me who you are") || said.contains("empty ident name") {
            return Error::invalid_input(
                "author",
                "git does not know who commits; have user.name and user.email configured",
            );
        }
        let signs = self.config.is_on("commit.gpgsign");
        if signs && said.contains("failed to write commit object") {
            return Error::git(Code::SigningFailed, "commit", &said);
        }
        let error = failure::failed("commit", finished);
        // Git gives up with 128; with 1 it was a hook, or there was nothing to do.
        if finished.exit == Exit::Code(1) && error.code != Code::NothingToCommit {
            return Error::git(Code::HookFailed, "commit", &said);
        }
        error
    }
}

/// What is staged for a commit.
struct Prepared {
    specs: Vec<OsString>,
    files: Vec<String>,
    /// What was said while staging.
    remark: Option<String>,
}

/// Whether a file of this name is likely to hold keys or passwords.
fn is_secret(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_sample = ["example", "sample", "template"].iter().any(|end| name.ends_with(end));
    let is_env = name == ".env" || name.starts_with(".env.");
    let is_key =
        [".pem", ".key", ".p12", ".pfx", ".keystore"].iter().any(|end| name.ends_with(end));
    let is_ssh = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"].contains(&name);
    (is_env || is_key || is_ssh) && !is_sample
}

fn committed(hash: &str, head: &Head, finished: &Finished, files: Vec<String>) -> Committed {
    let branch = head.branch().map(str::to_owned);
    let named = branch.as_deref().filter(|name| protected(name));
    let warned =
        named.map(|name| format!("ProtectedBranch: Committing to protected branch: {name}"));
    let likely = |what: &dyn Fn(&str) -> bool, told: &str| {
        let names: Vec<&str> = files.iter().map(String::as_str).filter(|f| what(f)).collect();
        (!names.is_empty()).then(|| format!("{told}: {}", names.join(", ")))
    };
    let secrets = likely(&is_secret, "committed, and may hold keys or passwords");
    let backups = likely(&|file| backup_of(file).is_some(), "committed, and are backups");
    let warnings = warned.into_iter().chain(secrets).chain(backups).collect();
    let output = finished.stdout.tail(200, 20_000).text + &finished.stderr.tail(200, 20_000).text;
    Committed { hash: hash.to_owned(), branch, files, warnings, output: output.trim().to_owned() }
}
