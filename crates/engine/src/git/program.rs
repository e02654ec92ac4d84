//! Where git is taken from. `PATH` may name a folder of the workspace, which would then decide what
//! runs when somebody only looks.

#![expect(clippy::disallowed_methods, reason = "it looks for a program of the system")]

use std::path::Path;

/// The places, the first of which counts.
const PLACES: &[&str] = &[
    "/usr/local/bin/git",
    "/usr/bin/git",
    "/bin/git",
    "/opt/homebrew/bin/git",
    "/opt/local/bin/git",
    "/run/current-system/sw/bin/git",
];

/// The path of the git program; the usual one if it is nowhere.
pub(super) fn program() -> &'static str {
    PLACES.iter().find(|path| Path::new(path).is_file()).unwrap_or(&"/usr/bin/git")
}
