//! What keeps programs in bounds here, for `kitbag doctor` and for results.

use std::fmt;
use std::sync::Arc;

/// What keeps a program from files that it must not touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fence {
    /// Namespaces of its own: a file system built up from nothing, with an empty home, a `/tmp` of
    /// the session's own, no process but its own, and no network unless it is allowed.
    Namespaces,
    /// Landlock alone: few directories are writable, and stores of keys outside of them and the
    /// state directory cannot be read. In a writable directory nothing can be excepted, so a
    /// program can change what git obeys there. The network and the sockets of others are open.
    Landlock,
    /// Nothing but the permissions of the user.
    #[default]
    Nothing,
}

/// What is active around programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Containment {
    /// What confines them to their directories.
    pub fence: Fence,
    /// Whether Landlock holds below the namespaces too.
    pub landlock: bool,
    /// Whether what they change is written to a layer first. If not, it is found by looking at the
    /// files before and after.
    pub layer: bool,
    /// Whether the environment of the server, with whatever keys it has, is out of their reach.
    pub environment_hidden: bool,
    /// Whether the memory of a program and all it starts is bounded together.
    pub memory: bool,
    /// Why it is not more than this, one sentence each.
    pub reasons: Arc<[String]>,
}

impl fmt::Display for Containment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.fence {
            Fence::Namespaces => "namespaces",
            Fence::Landlock => "Landlock",
            Fence::Nothing => "no sandbox",
        })?;
        if self.landlock && self.fence == Fence::Namespaces {
            f.write_str(" and Landlock")?;
        }
        if self.layer {
            f.write_str(", changes in a layer first")?;
        }
        if !self.environment_hidden {
            f.write_str(", the environment of the server can be read")?;
        }
        if !self.reasons.is_empty() {
            write!(f, " ({})", self.reasons.join("; "))?;
        }
        Ok(())
    }
}
