//! What keeps programs in bounds here, for `kitbag doctor` and for results.

use std::fmt;
use std::sync::Arc;

/// What keeps a program from files that it must not touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fence {
    /// A file system of its own, made by bubblewrap: writable folders are few, stores of keys and
    /// Kitbag's state folder are hidden, what git obeys is read-only.
    Bubblewrap,
    /// Rules of the kernel: writable folders are few, stores of keys outside of them and the state
    /// folder are hidden. Within a writable folder nothing can be excepted, so a program can
    /// change `.git/config` and the hooks of the workspace.
    Landlock,
    /// Nothing but the permissions of the user.
    #[default]
    Nothing,
}

/// What is active around programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Containment {
    /// What confines them to their folders.
    pub fence: Fence,
    /// Whether they see their own processes only. If not, they still all end with their call.
    pub namespace: bool,
    /// Whether the environment of the server, with whatever keys it has, is out of their reach.
    pub environment_hidden: bool,
    /// Why it is not more than this, one sentence each.
    pub reasons: Arc<[String]>,
}

impl fmt::Display for Containment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.fence {
            Fence::Bubblewrap => "bubblewrap",
            Fence::Landlock => "Landlock",
            Fence::Nothing => "no sandbox",
        })?;
        if self.namespace {
            f.write_str(", own process namespace")?;
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
