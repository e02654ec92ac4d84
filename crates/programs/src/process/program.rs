//! What a caller says about a program that is to run: its name, its place, its time and its reach.

use std::ffi::OsString;
use std::time::Duration;

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// The program and its arguments.
    pub line: Line<'a>,
    /// The directory to start in, a path of the workspace.
    pub dir: &'a str,
    /// Variables of this call, which win over all others.
    pub env: &'a [(String, String)],
    /// When it is ended.
    pub timeout: Duration,
    /// What it may touch.
    pub reach: Reach,
}

/// What a program may touch, as far as the sandbox of the host can hold it to that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// It reads the system and the roots, and writes nothing of them.
    Reading,
    /// The same with the network, and it writes to the session's [`super::Scratch`] directories.
    Scratch,
    /// It writes to the roots and to caches, and sees what builds need.
    #[default]
    Workspace,
    /// The same with the network, for programs whose work is with others, such as installers.
    Online,
    /// All that the person has, for reading, with the network and the agents that hold keys: for
    /// programs that speak for the person, such as `git push`.
    Keys,
}

impl Reach {
    /// Whether it may change what is in the roots.
    pub(crate) fn writes(self) -> bool {
        matches!(self, Self::Workspace | Self::Online | Self::Keys)
    }

    /// Whether it reaches the network whatever the operator decided for other programs.
    pub(super) fn is_online(self) -> bool {
        matches!(self, Self::Scratch | Self::Online | Self::Keys)
    }
}

/// How a program is named.
#[derive(Clone, Copy, Debug)]
pub enum Line<'a> {
    /// A script for bash, or for sh where there is no bash.
    Shell(&'a str),
    /// A program by its name or path, and its arguments, which no shell sees.
    Direct {
        /// Looked for in `PATH`, or relative to the directory of the call if it has a slash.
        name: &'a str,
        /// Passed as they are.
        args: &'a [String],
    },
    /// A program that Kitbag itself uses, such as git: never one from a directory that a root holds
    /// or that others can write to.
    Own {
        /// Looked for where the system keeps its programs, or where the operator says.
        name: &'a str,
        /// Passed as they are; they need not be UTF-8.
        args: &'a [OsString],
    },
}

impl Line<'_> {
    /// What messages call it.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Shell(_) => "bash",
            Self::Direct { name, .. } | Self::Own { name, .. } => name,
        }
    }

    /// Whether it is one of Kitbag's own programs.
    pub(crate) fn is_own(&self) -> bool {
        matches!(self, Self::Own { .. })
    }
}
