//! Which repository a directory belongs to, found by git and held to the workspace by us.
//!
//! `.git` may be a file that names any directory, and `core.worktree` may name any other: what they
//! name must lie in the workspace, or lead back to it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use fault::{Cancel, Code, Error, Result};
use files::workspace::{Workspace, quote};

use super::{Repository, english, failure};
use crate::process::{Exit, Line, Program, Reach, Runner, worktree_of};

/// What git says about a directory.
pub(super) struct Found {
    pub(super) top: PathBuf,
    pub(super) git_dir: PathBuf,
    pub(super) history: PathBuf,
    pub(super) has_files: bool,
}

/// The questions; the last fails where there is no work tree, after the others were answered.
const QUESTIONS: &[&str] = &[
    "rev-parse",
    "--path-format=absolute",
    "--is-inside-work-tree",
    "--git-dir",
    "--git-common-dir",
    "--show-toplevel",
];

pub(super) fn discover(
    runner: &Runner,
    workspace: &Workspace,
    cancel: &Cancel,
    dir: &str,
) -> Result<Found> {
    let folder = workspace.folder(dir)?;
    let outermost = workspace
        .roots()
        .map(|(root, _)| root)
        .filter(|root| folder.path().starts_with(root))
        .min_by_key(|root| root.components().count());
    let mut env = english();
    if let Some(ceiling) = outermost.and_then(Path::parent).and_then(Path::to_str) {
        env.push(("GIT_CEILING_DIRECTORIES".to_owned(), ceiling.to_owned()));
    }
    let args: Vec<std::ffi::OsString> = QUESTIONS.iter().map(std::ffi::OsString::from).collect();
    let line = Line::Own { name: "git", args: &args };
    let timeout = workspace.limits().program_time;
    let program = Program { line, dir, env: &env, timeout, reach: Reach::Reading };
    let finished = runner.run(workspace, &program, None, cancel)?;
    if finished.exit == Exit::Cancelled {
        return Err(Error::cancelled());
    }
    let (out, _) = finished.stdout.clone().into_bytes(workspace.limits().git_bytes);
    let answers: Vec<&[u8]> = out.split(|b| *b == b'\n').collect();
    let path = |line: &[u8]| PathBuf::from(OsStr::from_bytes(line));
    match answers.as_slice() {
        [_, git_dir, history, top, b""] if finished.exit == Exit::Code(0) => Ok(Found {
            top: path(top),
            git_dir: path(git_dir),
            history: path(history),
            has_files: true,
        }),
        [b"false", git_dir, history, b""] => Ok(Found {
            top: path(git_dir),
            git_dir: path(git_dir),
            history: path(history),
            has_files: false,
        }),
        [b""] => {
            let error = failure::failed("rev-parse", &finished);
            if error.code == Code::NotAGitRepository {
                // Git says the same of one that it may not read.
                let own = format!("{dir}/.git");
                if let Ok(closed) = workspace.folder(&own) {
                    closed.check_readable(&own)?;
                }
                return Err(Error::not_a_repository(dir, folder.is_in_repository()));
            }
            Err(error)
        }
        _ => Err(failure::failed("rev-parse", &finished)),
    }
}

/// Directories of a repository whose files git reads line by line.
const READ: &[&str] = &["", "info", "objects", "objects/info", "refs"];

/// Fails if a link in the repository leads out of the workspace: of a file that git cannot read it
/// prints a line.
fn check_links(workspace: &Workspace, history: &Path) -> Result<()> {
    for folder in READ {
        let folder = history.join(folder);
        let names = match workspace.names(&folder) {
            Err(e) if [Code::FileNotFound, Code::NotADirectory].contains(&e.code) => continue,
            listed => listed?,
        };
        for name in names {
            let path = quote(folder.join(name).as_os_str());
            workspace.real(&path)?;
        }
    }
    Ok(())
}

/// Whether the repository may be used from this workspace.
pub(super) fn check_place(repository: &Repository<'_>, git_dir: &Path) -> Result<()> {
    let workspace = repository.workspace;
    let inside = |path: &Path| workspace.roots().any(|(root, _)| path.starts_with(root));
    let outside = |path: &Path| {
        let roots: Vec<_> = workspace.roots().map(|(r, _)| r.display().to_string()).collect();
        Err(Error::path_outside(&path.display().to_string(), &roots))
    };
    if !inside(&repository.top) {
        return outside(&repository.top);
    }
    if inside(git_dir) && inside(&repository.history) {
        return check_links(workspace, &repository.history);
    }
    let linked = worktree_of(&repository.top.join(".git"));
    if linked.is_some_and(|main| main == repository.history)
        || git_dir == repository.history && repository.config.own("core.worktree").is_some()
    {
        return Ok(());
    }
    outside(git_dir)
}
