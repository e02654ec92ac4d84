//! Real repositories, made and asked by git itself.

#![expect(clippy::disallowed_methods, reason = "tests look at the host from outside")]

mod changing;
mod dates;
mod evil;
mod random;
mod reading;
mod refusing;
mod remotes;
mod vetting;
mod watched;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use files::journal::{Approved, Journal, Label, Step};
use files::{Limits, State};
use tempfile::TempDir;

use super::*;
use crate::process::{Exposed, Sandbox, Settings};

/// A workspace, a home with a name for commits, and what a session needs to use git there.
struct Place {
    runner: Runner,
    workspace: Workspace,
    journal: Journal,
    cancel: Cancel,
    dir: TempDir,
}

/// A repository with one commit of `a` and `sub/b`.
fn place() -> Place {
    let place = Place::new(Sandbox::Auto, Limits::default());
    place.git(&["init", "-q", "-b", "trunk"]);
    place.write("a", "one\ntwo\nthree\n");
    place.write("sub/b", "b\n");
    place.git(&["add", "-A"]);
    place.git(&["commit", "-qm", "First"]);
    place
}

impl Place {
    fn new(sandbox: Sandbox, limits: Limits) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let real = fs::canonicalize(dir.path()).unwrap();
        for name in ["root", "home"] {
            fs::create_dir(real.join(name)).unwrap();
        }
        fs::write(
            real.join("home/.gitconfig"),
            "[user]\nname = Ann Example\nemail = ann@example.org\n[init]\ndefaultBranch = trunk\n\
             [protocol \"file\"]\nallow = always\n",
        )
        .unwrap();
        let env: Vec<(OsString, OsString)> = vec![
            ("PATH".into(), std::env::var_os("PATH").unwrap()),
            ("HOME".into(), real.join("home").into()),
            ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
            ("LC_ALL".into(), "C.UTF-8".into()),
        ];
        // A remote on the same disk, where a test makes one.
        let exposed = vec![Exposed { path: real.join("far.git"), writable: false }];
        let settings = Settings { env, sandbox, exposed, ..Settings::default() };
        let state = State::new(real.join("state"));
        let workspace = Workspace::open(&real.join("root"), &[], limits).unwrap();
        let root = workspace.root().to_owned();
        Self {
            runner: Runner::new(settings, state.clone(), "one"),
            journal: Journal::new(state, root, "one".to_owned(), false, Vec::new()),
            workspace,
            cancel: Cancel::default(),
            dir,
        }
    }

    fn at(&self, name: impl AsRef<Path>) -> PathBuf {
        fs::canonicalize(self.dir.path()).unwrap().join("root").join(name)
    }

    fn write(&self, name: impl AsRef<Path>, text: &str) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn open(&self) -> Repository<'_> {
        self.open_in(".").unwrap()
    }

    fn open_in(&self, dir: &str) -> Result<Repository<'_>> {
        Repository::open(&self.runner, &self.workspace, &self.cancel, None, &self.vetted(), dir)
    }

    fn begin(&self) -> Step<'_> {
        self.journal.begin(&self.workspace, label(), Approved::default())
    }

    /// The repository, with what is changed becoming part of a step.
    fn open_for<'a>(&'a self, step: &'a Step<'a>) -> Repository<'a> {
        let vetted = self.vetted();
        Repository::open(&self.runner, &self.workspace, &self.cancel, Some(step), &vetted, ".")
            .unwrap()
    }

    fn vetted(&self) -> Vetted {
        Vetted::new(State::new(fs::canonicalize(self.dir.path()).unwrap().join("state")))
    }

    /// Its user lets its hooks and filters run.
    fn vet(&self) {
        self.open().vet(&self.vetted()).unwrap();
    }

    /// Git as a person runs it, in the root; what it prints.
    fn git<S: AsRef<OsStr>>(&self, args: &[S]) -> Vec<u8> {
        self.git_in("", args)
    }

    fn git_in<S: AsRef<OsStr>>(&self, dir: impl AsRef<Path>, args: &[S]) -> Vec<u8> {
        let done = self.try_git(dir, args);
        let names: Vec<_> = args.iter().map(|a| a.as_ref().to_string_lossy()).collect();
        assert!(done.status.success(), "{names:?}: {}", String::from_utf8_lossy(&done.stderr));
        done.stdout
    }

    fn try_git<S: AsRef<OsStr>>(&self, dir: impl AsRef<Path>, args: &[S]) -> std::process::Output {
        Command::new("git")
            .args(args)
            .current_dir(self.at(dir))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.dir.path().join("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_EDITOR", "true")
            .output()
            .unwrap()
    }

    /// One line that git prints.
    fn line(&self, args: &[&str]) -> String {
        text(&self.git(args)).trim_end().to_owned()
    }

    fn hook(&self, name: &str, script: &str) {
        self.write(format!(".git/hooks/{name}"), &format!("#!/bin/sh\n{script}\n"));
        make_executable(&self.at(format!(".git/hooks/{name}")));
    }
}

fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn label() -> Label {
    Label { tool: "git".to_owned(), ..Label::default() }
}

fn letters(status: &Status) -> Vec<(String, String)> {
    status.changes.iter().map(|c| (c.letters(), c.path.clone())).collect()
}
