//! What makes a repository of a directory, whatever its name: git obeys it like a `.git`.

#![expect(
    clippy::disallowed_methods,
    reason = "what a directory holds decides what git does in it"
)]

use std::path::Path;

use super::git::{is_harmless, obeys};
use super::ignores::read_text;

/// What a directory has that git takes for a repository.
pub(super) const REPOSITORY: [&str; 3] = ["HEAD", "objects", "refs"];

/// Whether a directory that is no repository holds what would run programs or lead elsewhere in one.
pub(super) fn gives_orders(directory: &Path) -> bool {
    let config = directory.join("config");
    let there = |name: &str| directory.join(name).symlink_metadata().is_ok();
    let hooks = std::fs::read_dir(directory.join("hooks")).into_iter().flatten().flatten();
    let mut hooks = hooks.map(|hook| hook.file_name());
    ["commondir", "config.worktree"].into_iter().any(there)
        || there("config") && !read_text(&config).is_some_and(|text| is_harmless("", &text))
        || hooks.any(|name| !name.as_encoded_bytes().ends_with(b".sample"))
}

/// Whether git would obey what is put at a real path in a root: it is in a repository, or makes one of
/// a directory that gives orders.
pub(in crate::journal) fn is_obeyed(root: &Path, real: &Path) -> bool {
    let above = real.ancestors().skip(1).take_while(|above| above.starts_with(root));
    let mut obeyed = above.map(|above| {
        let Ok(rest) = real.strip_prefix(above) else { return false };
        let is_missing = |name: &&str| above.join(name).symlink_metadata().is_err();
        let mut missing = REPOSITORY.iter().filter(|name| is_missing(name));
        match (missing.next(), rest.iter().next()) {
            (None, _) => obeys(rest),
            // Mostly there is no HEAD, and nothing more is looked at.
            (Some(name), Some(first)) => {
                first == *name && missing.next().is_none() && gives_orders(above)
            }
            (Some(_), None) => false,
        }
    });
    obeyed.any(|obeyed| obeyed)
}
