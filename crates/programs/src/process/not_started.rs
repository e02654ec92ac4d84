//! Why a program was not started.

use std::fmt;
use std::io;
use std::path::Path;

use fault::Error;

use super::child;
use super::spawn::Confined;

/// Why a program was not started.
#[derive(Debug)]
pub(super) enum NotStarted {
    /// The program itself cannot be executed, or what every process needs is not to be had.
    Program(io::Error),
    /// What confines it cannot be set up: what was being done.
    Confinement(String, io::Error),
    /// A directory cannot have a layer.
    Layer(io::Error),
    /// Nobody wants it any more.
    Cancelled,
}

impl NotStarted {
    /// What the caller is told about the program of this name, which the host has at `path`.
    #[expect(clippy::disallowed_methods, reason = "programs are no files of the project")]
    pub(super) fn into_error(self, name: &str, path: &Path) -> Error {
        match self {
            Self::Program(error) => {
                // Found there, and missing here: the view does not hold it.
                let hidden = error.kind() == io::ErrorKind::NotFound && path.is_absolute();
                if hidden && path.exists() {
                    return Error::not_in_view(name, &path.display().to_string());
                }
                Error::not_started(name, &error)
            }
            Self::Cancelled => Error::cancelled(),
            other => Error::sandbox_failed(&other.to_string()),
        }
    }
}

impl fmt::Display for NotStarted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(error) => write!(f, "{error}"),
            Self::Confinement(what, error) => write!(f, "{what}: {error}"),
            Self::Layer(error) => write!(f, "no layer above the root: {error}"),
            Self::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl From<io::Error> for NotStarted {
    fn from(error: io::Error) -> Self {
        Self::Program(error)
    }
}

impl From<rustix::io::Errno> for NotStarted {
    fn from(error: rustix::io::Errno) -> Self {
        Self::Program(error.into())
    }
}

/// What init or the program said before the program began.
pub(super) fn said(confined: &Confined, stage: u32, errno: i32) -> NotStarted {
    let error = io::Error::from_raw_os_error(errno);
    let confinement = |what: &str| what.to_owned();
    let what = match stage {
        child::EXECUTE => return NotStarted::Program(error),
        child::BEGIN => confinement("make an empty file system"),
        child::FINISH => confinement("change the root"),
        child::DIRECTORY => confinement("enter the directory"),
        child::LANDLOCK => confinement("Landlock"),
        child::SECCOMP => confinement("seccomp"),
        child::FORK => confinement("fork"),
        child::GROUP => confinement("enter the control group"),
        child::DOOR => confinement("listen on the loopback device"),
        child::NETWORK => confinement("bring up the loopback device"),
        at => {
            let Confined::View(view) = confined else { return NotStarted::Program(error) };
            match view.ops.get(at as usize) {
                Some(op) if op.is_layer() => return NotStarted::Layer(error),
                Some(op) => op.describe(),
                None => confinement("unknown"),
            }
        }
    };
    NotStarted::Confinement(what, error)
}
