//! Landlock alone, where namespaces are denied.
//!
//! It can only allow, and so it does with what the view of a program would hold. It cannot put
//! anything in another's place: `/tmp` and the home stay where they are and are closed, and a file
//! in a writable directory cannot be kept from being changed; [`super::Containment`] says so.

#![expect(clippy::disallowed_methods, reason = "what is beside a closed path is allowed by name")]

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetError, Scope, path_beneath_rules,
};

use super::view::{Rule, Rules};

/// Devices that hold nothing; the others are closed, so that a disk is not read past its files and
/// no terminal of the person is.
const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/shm"];

/// What programs look up of the system and of themselves.
const LOOKED_UP: &[&str] = &["/proc", "/sys"];

/// Whether the kernel has Landlock and lets us use it.
pub(super) fn probe() -> Result<(), RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))?
        .create()
        .map(drop)
}

/// What of a readable directory is allowed: all of it, or, where something in it is closed, what
/// is beside that, by name.
fn allow_around(
    path: &Path,
    rules: &Rules,
    readable: &mut Vec<PathBuf>,
    listed: &mut Vec<PathBuf>,
) {
    let closed = |rule: &Rule| matches!(rule, Rule::Nothing | Rule::Empty);
    let below = |path: &Path| {
        rules.0.iter().any(|(other, rule)| closed(rule) && other != path && other.starts_with(path))
    };
    if rules.0.get(path).is_some_and(closed) {
        return;
    }
    if !below(path) {
        readable.push(path.to_owned());
        return;
    }
    listed.push(path.to_owned());
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        // A link leads to what has a rule of its own; following it here could allow more.
        if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
            allow_around(&entry.path(), rules, readable, listed);
        }
    }
}

/// The rules of a view as rules of the kernel, as many as it knows.
pub(super) fn ruleset(rules: &Rules) -> Result<OwnedFd, String> {
    let all = AccessFs::from_all(ABI::V9);
    let read = AccessFs::from_read(ABI::V9) | AccessFs::ResolveUnix;
    let write = all & !(AccessFs::MakeBlock | AccessFs::MakeChar); // no new ways to a disk
    let (mut readable, mut writable, mut listed): (Vec<PathBuf>, Vec<PathBuf>, Vec<PathBuf>) =
        Default::default();
    for (path, rule) in &rules.0 {
        match rule {
            Rule::Read => allow_around(path, rules, &mut readable, &mut listed),
            Rule::Write | Rule::Layer { .. } => writable.push(path.clone()),
            Rule::Instead(directory) => writable.push(directory.clone()),
            Rule::Nothing | Rule::Empty => {}
        }
    }
    let create = || {
        Ruleset::default()
            .handle_access(all)?
            .scope(Scope::Signal | Scope::AbstractUnixSocket)?
            .create()?
            .add_rules(path_beneath_rules(&listed, AccessFs::ReadDir))?
            .add_rules(path_beneath_rules(LOOKED_UP, read))?
            .add_rules(path_beneath_rules(&readable, read))?
            .add_rules(path_beneath_rules(DEVICES, all))?
            .add_rules(path_beneath_rules(&writable, write))
    };
    let created = create().map_err(|e: RulesetError| e.to_string())?;
    Option::<OwnedFd>::from(created).ok_or_else(|| "the kernel has no Landlock".to_owned())
}
