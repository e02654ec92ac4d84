//! Version control, by the `git` program.
//!
//! Without this module a repository that somebody else made could run programs when it is only
//! looked at: its configuration names monitors, filters, pagers and helpers, and git obeys it. Here
//! what looks runs with all of these switched off, without the network and without leave to write;
//! what changes the repository runs hooks and filters as the person configured them, in the sandbox
//! of programs; those of the repository itself only if its user vetted it (`kitbag trust-repo`).
//! Keys are within reach of what must have them (push, fetch, a signature), and only in the
//! repository at the top of a root, whose configuration programs of the session cannot write.
//!
//! Paths are relative to the top of the work tree, in parameters and in answers, and quoted as git
//! quotes them if they are no plain text. A repository that begins above the workspace is not used.
//! One whose `.git` leads out of the workspace is used if it leads back: a linked worktree, or the
//! checkout of a submodule. Changes inside submodules are not looked at, since that runs git by the
//! configuration of each; a submodule at another commit is seen.

mod branch;
mod commit;
mod config;
mod date;
mod diff;
mod discover;
mod failure;
mod log;
mod paths;
mod remote;
mod stage;
mod status;
#[cfg(test)]
mod tests;
mod vetted;
mod watched;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub use branch::{Branch, PROTECTED, protected};
pub use commit::{Commit, Committed, Stage};
pub use diff::{Chunk, Diff, FileDiff, Kind};
pub use log::{Entry, Wanted};
pub use paths::command_line;
pub use remote::{Pulled, Pushed};
pub use status::{Change, Head, Status, Upstream};
pub use vetted::Vetted;
pub use watched::{Seen, Watched};

use config::Config;
use fault::{Cancel, Code, Error, Result};
use files::journal::Step;
use files::workspace::{Access, Workspace, quote};

use crate::process::{Exit, Finished, Line, Program, Reach, Runner};

/// A repository as one call sees it.
pub struct Repository<'a> {
    runner: &'a Runner,
    workspace: &'a Workspace,
    cancel: &'a Cancel,
    /// What changes become part of.
    step: Option<&'a Step<'a>>,
    /// As the caller named it, for messages.
    named: String,
    /// The top of the work tree, or the repository itself if it has none.
    top: PathBuf,
    /// Where the history is, which worktrees share.
    history: PathBuf,
    has_files: bool,
    /// Whether its hooks and filters run.
    is_vetted: bool,
    config: Config,
}

/// What git printed.
struct Said {
    out: Vec<u8>,
    /// How many bytes of it were left out.
    omitted: u64,
}

/// How git is run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    /// Nothing of the repository's configuration runs, nothing is written.
    Look,
    /// As the person would run it, in the sandbox; without what a repository that was not vetted
    /// would have run.
    Change,
    /// The same with keys.
    Speak,
    /// The same with keys, and others are given something.
    Push,
}

impl<'a> Repository<'a> {
    /// The repository that the directory `dir` belongs to.
    ///
    /// # Errors
    /// `NotAGitRepository`, also if one begins above the workspace; `PathOutsideWorkspace` if it
    /// leads out of it; `PermissionDenied` if it belongs to somebody else; `CommandNotFound` if git
    /// is not installed; `DirectoryNotFound`, `NotADirectory`; `GitFailed` if it is broken.
    pub fn open(
        runner: &'a Runner,
        workspace: &'a Workspace,
        cancel: &'a Cancel,
        step: Option<&'a Step<'a>>,
        vetted: &Vetted,
        dir: &str,
    ) -> Result<Self> {
        let found = discover::discover(runner, workspace, cancel, dir)?;
        let mut repository = Self {
            runner,
            workspace,
            cancel,
            step,
            named: dir.to_owned(),
            top: found.top,
            is_vetted: vetted.holds(&found.history),
            history: found.history,
            has_files: found.has_files,
            config: Config::default(),
        };
        let listed = repository.look(&["config", "--list", "-z", "--show-scope"])?;
        repository.config = Config::parse(&listed.out);
        discover::check_place(&repository, &found.git_dir)?;
        Ok(repository)
    }

    /// The top of the work tree, as the workspace shows it.
    pub fn top(&self) -> String {
        self.workspace.show(&self.top)
    }

    /// What of the repository's own configuration was switched off for looking, a sentence; none if
    /// that can have no effect on what is seen.
    pub fn note(&self) -> Option<String> {
        let filters = self.config.filters();
        (!filters.is_empty()).then(|| {
            format!(
                "filters of the repository's own configuration were not run ({}); their files may \
                 be shown as changed",
                filters.join(", ")
            )
        })
    }

    /// Lets the hooks and filters of the repository run from now on.
    ///
    /// # Errors
    /// `Io`, `FileBusy`.
    pub fn vet(&self, vetted: &Vetted) -> Result<PathBuf> {
        vetted.add(&self.history)?;
        Ok(self.history.clone())
    }

    /// The programs of the repository's own that run only in one that was vetted, as a person would
    /// name them: hooks, filters, settings.
    pub fn own_programs(&self) -> Vec<String> {
        let hooks = match self.config.own("core.hookspath") {
            Some(path) => vec![format!("hooks in {path}")],
            None => {
                let names = match self.workspace.names(&self.history.join("hooks")) {
                    Ok(names) => names,
                    Err(e) if e.code == Code::FileNotFound => Vec::new(),
                    Err(_) => vec!["hooks, which cannot be listed".into()],
                };
                let names = names.iter().map(|name| name.to_string_lossy());
                let mut names: Vec<_> = names.filter(|name| !name.ends_with(".sample")).collect();
                names.sort_unstable();
                names.iter().map(|name| format!("hook {name}")).collect()
            }
        };
        let filters = self.config.filters().into_iter().map(|name| format!("filter {name}"));
        let settings = self.config.programs().into_iter().map(str::to_owned);
        hooks.into_iter().chain(filters).chain(settings).collect()
    }

    /// What was not run since the repository was not vetted, a sentence.
    fn left_out(&self) -> Option<String> {
        let own = self.own_programs();
        let shown = own.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
        (!self.is_vetted && !own.is_empty()).then(|| {
            format!(
                "not run, because this repository is not trusted: {shown}; `kitbag trust-repo {}` \
                 allows them",
                self.top.display()
            )
        })
    }

    /// # Errors
    /// `PermissionDenied` if the repository was not vetted and names programs that nothing can take
    /// the place of.
    fn must_be_plain(&self) -> Result<()> {
        let filters = self.config.needed_filters().into_iter().map(|name| format!("filter {name}"));
        let settings = self.config.refused().into_iter().map(str::to_owned);
        let named: Vec<String> = filters.chain(settings).collect();
        if self.is_vetted || named.is_empty() {
            return Ok(());
        }
        Err(Error::not_vetted(&self.named, &self.top, &named))
    }

    fn must_have_files(&self) -> Result<()> {
        if self.has_files { Ok(()) } else { Err(Error::no_work_tree(&self.named)) }
    }

    /// Keeps other calls from changing the same work tree in between: git locks its index for each
    /// command alone, and a commit takes several.
    fn alone(&self) -> Result<std::fs::File> {
        let held = self.workspace.hold(&quote(self.top.as_os_str()))?;
        let busy = || Error::git(Code::RepositoryBusy, "add", "another call is changing it");
        held.ok_or_else(busy)
    }

    /// Whether keys are put within reach of git here.
    fn is_trusted(&self) -> bool {
        let is_root = |path: &Path| self.workspace.roots().any(|(root, _)| root == path);
        is_root(&self.top)
    }

    /// Runs git to look; any failure is an error.
    fn look<S: AsRef<std::ffi::OsStr>>(&self, args: &[S]) -> Result<Said> {
        let finished = self.run(args, Run::Look)?;
        self.succeeded(args, finished)
    }

    /// Runs git to look, for commands that answer by their exit: whether it was 0, and what it
    /// printed.
    fn ask<S: AsRef<std::ffi::OsStr>>(&self, args: &[S]) -> Result<(bool, Vec<u8>)> {
        let finished = self.run(args, Run::Look)?;
        match finished.exit {
            Exit::Code(code @ 0..=1) => {
                Ok((code == 0, finished.stdout.into_bytes(self.workspace.limits().git_bytes).0))
            }
            _ => Err(failure::failed(&what(args), &finished)),
        }
    }

    fn succeeded<S: AsRef<std::ffi::OsStr>>(&self, args: &[S], finished: Finished) -> Result<Said> {
        if finished.exit != Exit::Code(0) {
            return Err(failure::failed(&what(args), &finished));
        }
        let (out, omitted) = finished.stdout.into_bytes(self.workspace.limits().git_bytes);
        Ok(Said { out, omitted })
    }

    /// Runs git to change something; any failure is an error.
    fn change<S: AsRef<std::ffi::OsStr>>(&self, args: &[S]) -> Result<Finished> {
        let finished = self.run(args, Run::Change)?;
        match finished.exit {
            Exit::Code(0) => Ok(finished),
            _ => Err(failure::failed(&what(args), &finished)),
        }
    }

    fn run<S: AsRef<std::ffi::OsStr>>(&self, args: &[S], run: Run) -> Result<Finished> {
        let top = quote(self.top.as_os_str());
        if run != Run::Look && self.workspace.folder(&top)?.access() == Access::Read {
            return Err(Error::read_only_root(&self.named));
        }
        let limits = self.workspace.limits();
        let (reach, timeout) = match run {
            Run::Look => (Reach::Reading, limits.program_time),
            Run::Speak | Run::Push if self.is_trusted() => (Reach::Keys, limits.hook_time),
            Run::Speak | Run::Push => (Reach::Online, limits.hook_time),
            Run::Change => (Reach::Workspace, limits.hook_time),
        };
        let mut env = english();
        env.extend(match run {
            Run::Look => self.config.harmless()?,
            _ if self.is_vetted => config::foreground(),
            run => self.config.careful(run == Run::Push)?,
        });
        let args: Vec<OsString> = args.iter().map(|a| a.as_ref().to_owned()).collect();
        let line = Line::Own { name: "git", args: &args };
        let program = Program { line, dir: &top, env: &env, timeout, reach };
        let finished = self.runner.run(self.workspace, &program, self.step, self.cancel)?;
        match finished.exit {
            Exit::Cancelled => Err(Error::cancelled()),
            Exit::TimedOut(time) => {
                let said = format!("did not end in {} seconds", time.as_secs());
                Err(Error::git(Code::Timeout, &what(&args), &said))
            }
            _ => Ok(finished),
        }
    }

    /// The commit that a name means, or none.
    fn commit_of(&self, name: &str) -> Result<Option<String>> {
        let name = format!("{name}^{{commit}}");
        let (found, out) = self.ask(&["rev-parse", "-q", "--verify", "--end-of-options", &name])?;
        Ok(found.then(|| text(&out).trim().to_owned()))
    }
}

/// The subcommand, for messages.
fn what<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> String {
    args.first().map(|a| a.as_ref().to_string_lossy().into_owned()).unwrap_or_default()
}

/// Messages are read here, so they are those that git was written with.
fn english() -> Vec<(String, String)> {
    vec![("LANGUAGE".to_owned(), "en".to_owned())]
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A name as git prints it with `-z`, quoted if it is no plain text.
fn shown(name: &[u8]) -> String {
    use std::os::unix::ffi::OsStrExt as _;
    quote(std::ffi::OsStr::from_bytes(name))
}

/// What git printed with `-z`, part by part; a last part that was cut off is left out.
fn parts(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|b| *b == 0).filter_map(|part| part.strip_suffix(&[0]))
}
