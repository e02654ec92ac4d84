//! Where a program is. It is found before it is started, so that a name that does not exist is
//! told apart from a program that fails.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use fault::{Error, Result};
use files::workspace::Workspace;
use rustix::fs::{Access, AtFlags, CWD, FileType};

use super::environment::get;
use super::{Line, Program, Runner};

impl Runner {
    /// The name that messages call the program by, its path and its arguments.
    pub(super) fn command_line(
        &self,
        workspace: &Workspace,
        program: &Program<'_>,
        dir: &OwnedFd,
    ) -> Result<(String, Vec<OsString>)> {
        let added = program.env.iter().rev().find(|(name, _)| name == "PATH");
        let path = added.map(|(_, value)| value.as_ref()).or_else(|| get(&self.env, "PATH"));
        match program.line {
            Line::Shell(script) => {
                let bash = find("bash", path, dir).or_else(|_| find("sh", path, dir))?;
                Ok(("bash".to_owned(), vec![bash, "-c".into(), "--".into(), script.into()]))
            }
            Line::Direct { name, args } => {
                let path = find(name, path, dir)?;
                let args = args.iter().map(OsString::from);
                Ok((name.to_owned(), std::iter::once(path).chain(args).collect()))
            }
            Line::Own { name, args } => {
                let roots: Vec<&Path> = workspace.roots().map(|(root, _)| root).collect();
                let path = own(name, &self.settings.programs, &roots)?;
                Ok((name.to_owned(), std::iter::once(path).chain(args.iter().cloned()).collect()))
            }
        }
    }
}

/// A program by its name, looked for in the directories of `path`, or by its path relative to
/// `dir`.
pub(super) fn find(name: &str, path: Option<&OsStr>, dir: &OwnedFd) -> Result<OsString> {
    if name.is_empty() {
        return Err(Error::invalid_input("command", "empty; name a program"));
    }
    if name.contains('/') {
        return if runs(dir, Path::new(name)) {
            Ok(name.into())
        } else {
            Err(Error::command_not_found(name, "the file system"))
        };
    }
    // A directory of PATH that is not absolute would be one of the workspace.
    let folders: Vec<PathBuf> = path
        .map(|p| std::env::split_paths(p).filter(|f| f.is_absolute()).collect())
        .unwrap_or_default();
    let found = folders.iter().map(|folder| folder.join(name)).find(|path| runs(CWD, path));
    found.map(PathBuf::into_os_string).ok_or_else(|| {
        let folders: Vec<_> = folders.iter().map(|f| f.display().to_string()).collect();
        Error::command_not_found(name, &format!("PATH ({})", folders.join(":")))
    })
}

/// Where systems keep programs that only root can change.
const SYSTEM: &[&str] = &[
    "/usr/local/bin",
    "/usr/bin",
    "/bin",
    "/usr/sbin",
    "/sbin",
    "/snap/bin",
    "/run/current-system/sw/bin",
    "/nix/var/nix/profiles/default/bin",
];

/// A program of Kitbag's own: in one of `given`, which the operator names, or where the system
/// keeps programs; never in a directory that a root holds, or that others than root and this user
/// can write to.
pub(super) fn own(name: &str, given: &[PathBuf], roots: &[&Path]) -> Result<OsString> {
    let mut refused = String::new();
    for directory in given.iter().map(PathBuf::as_path).chain(SYSTEM.iter().map(Path::new)) {
        let path = directory.join(name);
        if !runs(CWD, &path) {
            continue;
        }
        match objection(directory, &path, roots) {
            None => return Ok(path.into_os_string()),
            Some(why) => refused = format!("; {} is not used, since {why}", path.display()),
        }
    }
    let looked = format!("the directories of the system ({}){refused}", SYSTEM.join(":"));
    Err(Error::command_not_found(name, &looked))
}

/// Where programs of Kitbag's own find others by name, as git does with ssh, gpg and git-lfs: the
/// directories of [`own`] first, then those of the person that it would not refuse, where the tools
/// of their hooks are.
pub(super) fn own_path(given: &[PathBuf], person: Option<&OsStr>, roots: &[&Path]) -> OsString {
    let person = person.into_iter().flat_map(std::env::split_paths);
    let all = given.iter().cloned().chain(SYSTEM.iter().map(PathBuf::from)).chain(person);
    let safe = all.filter(|directory| {
        directory.is_absolute()
            && rustix::fs::stat(directory).is_ok()
            && objection(directory, directory, roots).is_none()
    });
    // A directory with a colon in its name cannot be in a list.
    let safe = safe.filter(|directory| !directory.as_os_str().as_encoded_bytes().contains(&b':'));
    std::env::join_paths(safe).unwrap_or_default()
}

#[expect(clippy::disallowed_methods, reason = "it is a program of the system, in no root")]
/// Why a program of this directory is not used for Kitbag itself.
fn objection(directory: &Path, path: &Path, roots: &[&Path]) -> Option<&'static str> {
    let below_root = |path: &Path| roots.iter().any(|root| path.starts_with(root));
    let real = rustix::fs::stat(directory).ok()?;
    let canonical = path.canonicalize().ok();
    if below_root(path) || canonical.is_some_and(|path| below_root(&path)) {
        return Some("a root holds it");
    }
    let own = rustix::process::geteuid().as_raw();
    if real.st_uid != 0 && real.st_uid != own {
        return Some("the directory belongs to somebody else");
    }
    (real.st_mode & 0o022 != 0 && real.st_mode & 0o1000 == 0)
        .then_some("others can write to its directory")
}

/// Whether a file that may be executed is there.
fn runs(dir: impl std::os::fd::AsFd, path: &Path) -> bool {
    rustix::fs::accessat(&dir, path, Access::EXEC_OK, AtFlags::EACCESS).is_ok()
        && rustix::fs::statat(&dir, path, AtFlags::empty())
            .is_ok_and(|s| FileType::from_raw_mode(s.st_mode) == FileType::RegularFile)
}
