//! What a caller says about a program that is to run: its name, its place, its time and its reach.

use std::ffi::OsString;
use std::time::Duration;

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// The program and its arguments.
    pub line: Line<'a>,
    /// The folder to start in, a path of the workspace.
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
    /// It reads what others may read, and writes nothing at all.
    Reading,
    /// The same, but it writes to the session's [`super::Scratch`] folders.
    Scratch,
    /// It writes to the workspace, to temporary folders and to caches; keys are hidden from it.
    #[default]
    Workspace,
    /// Also keys, the agents that hold them, and the configuration of the repository at the top of
    /// a root: for programs that speak for the person, such as `git push`. Hooks stay as they are.
    Keys,
}

/// How a program is named.
#[derive(Clone, Copy, Debug)]
pub enum Line<'a> {
    /// A script for bash, or for sh where there is no bash.
    Shell(&'a str),
    /// A program by its name or path, and its arguments, which no shell sees.
    Direct {
        /// Looked for in `PATH`, or relative to the folder of the call if it has a slash.
        name: &'a str,
        /// Passed as they are.
        args: &'a [String],
    },
    /// The same with arguments that need not be UTF-8, such as names of files.
    Exact {
        /// Looked for as in [`Line::Direct`].
        name: &'a str,
        /// Passed as they are.
        args: &'a [OsString],
    },
}
