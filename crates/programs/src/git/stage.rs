//! What the next commit holds.

use std::ffi::OsString;
use std::io::Read as _;
use std::os::unix::ffi::OsStringExt as _;

use fault::{Error, Result};
use files::journal::backup_of;
use files::workspace::{Kind, quote};

use super::paths::args;
use super::{Repository, Run, failure, parts, shown, text};
use crate::process::Exit;

impl Repository<'_> {
    /// Puts files, or all that changed, into the next commit, also that they are gone. Gives the
    /// paths among them that the next commit changes, and what git remarked.
    ///
    /// # Errors
    /// `FileNotFound` for a file that does not exist and git does not know; `InvalidInput` for one
    /// that is ignored; `MergeConflict` if all is staged and a file still has both sides of a
    /// conflict in it; `RepositoryBusy`, `PermissionDenied`, `GitFailed`. Then nothing was staged.
    pub fn stage(&self, files: &[String]) -> Result<(Vec<String>, Option<String>)> {
        self.must_have_files()?;
        let _alone = self.alone()?;
        let (staged, remark) = self.add(files)?;
        let remark = remark.into_iter().chain(self.left_out());
        Ok((staged, remark.reduce(|first, next| format!("{first}\n{next}"))))
    }

    /// What of the repository's own was not run, the caller says. Among all that changed, backups
    /// that git does not know are left where they are.
    pub(super) fn add(&self, files: &[String]) -> Result<(Vec<String>, Option<String>)> {
        let mut specs = self.specs(files)?;
        let mut backups = Vec::new();
        if files.is_empty() {
            self.must_be_resolved()?;
            backups = self.new_backups()?;
            specs.extend(backups.iter().map(|path| format!(":(top,exclude,literal){path}").into()));
        } else {
            self.must_know(files)?;
            self.must_be_files(files)?;
            self.must_not_be_ignored(files)?;
        }
        self.must_need_no_filter(&specs)?;
        let finished = self.change(&args(&["add", "--all"], &specs))?;
        let backups = (!backups.is_empty()).then(|| {
            format!("left out, being backups: {}; name them to have them in", backups.join(", "))
        });
        let remark = failure::remark(&finished).into_iter().chain(backups);
        let remark = remark.reduce(|first, next| format!("{first}\n{next}"));
        Ok((self.staged(&specs)?, remark))
    }

    /// Copies beside their originals that git does not know; their names are UTF-8.
    fn new_backups(&self) -> Result<Vec<String>> {
        let form = ["ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--"];
        let said = self.look(&args(&form, &self.specs(&[])?))?;
        let names = parts(&said.out).filter_map(|name| String::from_utf8(name.to_vec()).ok());
        let has_original = |name: &String| {
            let original = backup_of(name).map(|of| quote(self.top.join(of).as_os_str()));
            original.is_some_and(|original| self.workspace.glance(&original).is_some())
        };
        Ok(names.filter(has_original).collect())
    }

    /// # Errors
    /// `PermissionDenied` if a file that is to be staged has a filter of the repository's own,
    /// which nobody vetted: without it other bytes would be stored.
    fn must_need_no_filter(&self, specs: &[OsString]) -> Result<()> {
        let needed = self.config.needed_filters();
        if self.is_vetted || needed.is_empty() {
            return Ok(());
        }
        let form = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"];
        let said =
            self.look(&args(&[&form[..], &["--ignore-submodules=dirty"]].concat(), specs))?;
        let paths = parts(&said.out).filter_map(|line| line.get(3..));
        let paths: Vec<OsString> = paths.map(|path| OsString::from_vec(path.to_vec())).collect();
        let mut used = std::collections::BTreeSet::new();
        for some in paths.chunks(500) {
            let said = self.look(&args(&["check-attr", "-z", "filter", "--"], some))?;
            let fields: Vec<&[u8]> = parts(&said.out).collect();
            used.extend(fields.chunks_exact(3).map(|found| text(found[2])));
        }
        let is_used = |name: &String| said.omitted > 0 || used.contains(name);
        let used = needed.into_iter().filter(is_used).map(|name| format!("filter {name}"));
        let used: Vec<String> = used.collect();
        if used.is_empty() {
            return Ok(());
        }
        Err(Error::not_vetted(&self.named, &self.top, &used))
    }

    /// Takes files, or all, out of the next commit; the files themselves stay. Gives the paths.
    ///
    /// # Errors
    /// `FileNotFound` for a file that does not exist and git does not know; `RepositoryBusy`,
    /// `PermissionDenied`, `GitFailed`.
    pub fn unstage(&self, files: &[String]) -> Result<Vec<String>> {
        self.must_have_files()?;
        let _alone = self.alone()?;
        let specs = self.specs(files)?;
        self.must_know(files)?;
        let before = self.staged(&specs)?;
        // Not `restore`, which needs a commit; with paths, since without any it ends a merge.
        self.change(&args(&["reset", "--quiet"], &specs))?;
        let left = self.staged(&specs)?;
        Ok(before.into_iter().filter(|path| !left.contains(path)).collect())
    }

    /// The paths that the next commit changes.
    pub(super) fn staged(&self, specs: &[OsString]) -> Result<Vec<String>> {
        let form = [
            "diff",
            "--cached",
            "--name-only",
            "-z",
            "--no-renames",
            "--no-ext-diff",
            "--no-relative",
            "--ignore-submodules=dirty",
        ];
        let said = self.look(&args(&form, specs))?;
        Ok(parts(&said.out).map(shown).collect())
    }

    /// # Errors
    /// `MergeConflict` if a file of a merge still has both sides in it.
    pub(super) fn must_be_resolved(&self) -> Result<()> {
        let listed =
            self.look(&["diff", "--name-only", "-z", "--diff-filter=U", "--no-relative"])?;
        let marked = |path: &String| {
            let full = self.path(path).map(|path| quote(self.top.join(path).as_os_str()));
            let opened = full.and_then(|full| self.workspace.open_file(&full));
            let mut bytes = Vec::new();
            let most = self.workspace.limits().file_bytes;
            let read = opened.is_ok_and(|o| o.file.take(most).read_to_end(&mut bytes).is_ok());
            read && has_marks(&bytes)
        };
        let left: Vec<String> = parts(&listed.out).map(shown).filter(marked).collect();
        if left.is_empty() { Ok(()) } else { Err(Error::unresolved(&left)) }
    }

    /// Git passes over pipes, sockets and devices without a word.
    fn must_be_files(&self, files: &[String]) -> Result<()> {
        for file in files {
            let full = quote(self.top.join(self.path(file)?).as_os_str());
            let is_link = self.workspace.link(&full).is_some();
            if !is_link && self.workspace.kind(&full).is_ok_and(|kind| kind == Some(Kind::Special))
            {
                return Err(Error::invalid_input(
                    "files",
                    format!("{file}: not a file, link or directory; git cannot store it"),
                ));
            }
        }
        Ok(())
    }

    fn must_not_be_ignored(&self, files: &[String]) -> Result<()> {
        for file in files {
            let path = self.path(file)?;
            if path.as_os_str().is_empty() {
                continue;
            }
            let path = std::path::Path::new(".").join(path); // it cannot begin with a dash or colon
            let asked = [path.into_os_string()];
            let finished =
                self.run(&args(&["check-ignore", "--quiet", "--"], &asked), Run::Look)?;
            if finished.exit == Exit::Code(0) {
                return Err(Error::invalid_input(
                    "files",
                    format!(
                        "{file}: .gitignore leaves it out; change that first if it must be staged"
                    ),
                ));
            }
        }
        Ok(())
    }
}

/// Whether a text has the line that begins a conflict.
fn has_marks(text: &[u8]) -> bool {
    let mark = b"<<<<<<< ";
    text.starts_with(mark) || memchr::memmem::find(text, b"\n<<<<<<< ").is_some()
}
