//! Names of files in parameters: made to mean one file and nothing else.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use fault::{Error, Result};
use files::workspace::{quote, unquote};

use super::Repository;

impl Repository<'_> {
    /// The path beneath the top of the work tree that a parameter means; empty for the top itself.
    pub(super) fn path(&self, named: &str) -> Result<PathBuf> {
        if named.is_empty() || named.contains('\0') {
            return Err(Error::invalid_input("files", "an empty name, or one with NUL in it"));
        }
        let name = unquote(named).map_or_else(|| PathBuf::from(named), PathBuf::from);
        let outside = || Error::path_outside(named, &[self.top.display().to_string()]);
        let relative = if name.is_absolute() {
            let tops = std::iter::once(self.top.clone()).chain(self.workspace.spellings(&self.top));
            let beneath =
                tops.into_iter().find_map(|top| Some(name.strip_prefix(top).ok()?.to_owned()));
            beneath.ok_or_else(outside)?
        } else {
            name
        };
        let mut plain = PathBuf::new();
        for part in relative.components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir if plain.pop() => {}
                Component::Normal(part) => plain.push(part),
                _ => return Err(outside()),
            }
        }
        Ok(plain)
    }

    /// The arguments that name these files, and no others that look like them; without files, the
    /// whole work tree.
    pub(super) fn specs(&self, files: &[String]) -> Result<Vec<OsString>> {
        let mut specs = vec![OsString::from("--")];
        if files.is_empty() {
            specs.push(":(top)".into());
        }
        for file in files {
            specs.push(spec(&self.path(file)?));
        }
        Ok(specs)
    }

    /// Whether git or the work tree knows anything at a path.
    pub(super) fn is_known(&self, path: &Path) -> Result<bool> {
        if path.as_os_str().is_empty() {
            return Ok(true);
        }
        if self.has_files {
            let full = quote(self.top.join(path).as_os_str());
            // A link may lead nowhere, or out of the workspace.
            if self.workspace.glance(&full).is_some() || self.workspace.link(&full).is_some() {
                return Ok(true);
            }
            let spec = spec(path);
            let listed = [OsStr::new("ls-files"), "-z".as_ref(), "--".as_ref(), &spec];
            if !self.look(&listed)?.out.is_empty() {
                return Ok(true);
            }
        }
        if self.commit_of("HEAD")?.is_none() {
            return Ok(false);
        }
        let args = ["ls-tree", "-z", "--name-only", "HEAD", "--"].map(OsStr::new);
        let spec = spec(path);
        let args: Vec<&OsStr> = args.into_iter().chain([spec.as_os_str()]).collect();
        Ok(!self.look(&args)?.out.is_empty())
    }

    /// # Errors
    /// `FileNotFound` for the first of these files that nobody knows.
    pub(super) fn must_know(&self, files: &[String]) -> Result<()> {
        for file in files {
            if !self.is_known(&self.path(file)?)? {
                return Err(Error::file_not_found(file, &[]));
            }
        }
        Ok(())
    }
}

fn spec(path: &Path) -> OsString {
    if path.as_os_str().is_empty() {
        return ":(top)".into();
    }
    let mut spec = OsString::from(":(top,literal)");
    spec.push(path);
    spec
}

/// A command and what follows it.
pub(super) fn args<'a>(start: &[&'a str], rest: &'a [OsString]) -> Vec<&'a OsStr> {
    start.iter().map(|a| OsStr::new(*a)).chain(rest.iter().map(OsString::as_os_str)).collect()
}

/// A command as a person would type it.
pub fn command_line<S: AsRef<str>>(words: &[S]) -> String {
    words.iter().map(|word| fault::quoted(word.as_ref())).collect::<Vec<_>>().join(" ")
}
