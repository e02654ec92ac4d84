//! Landlock alone, where namespaces are denied.
//!
//! It can only allow, and so it does with what the view of a program would hold. It cannot put
//! anything in another's place: `/tmp` and the home stay where they are and are closed, and a file
//! in a writable directory cannot be kept from being changed; [`super::Containment`] says so.

use std::os::fd::OwnedFd;
use std::path::PathBuf;

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

/// The rules of a view as rules of the kernel, as many as it knows.
pub(super) fn ruleset(rules: &Rules) -> Result<OwnedFd, String> {
    let all = AccessFs::from_all(ABI::V9);
    let read = AccessFs::from_read(ABI::V9) | AccessFs::ResolveUnix;
    let write = all & !(AccessFs::MakeBlock | AccessFs::MakeChar); // no new ways to a disk
    let (mut readable, mut writable): (Vec<PathBuf>, Vec<PathBuf>) = Default::default();
    for (path, rule) in &rules.0 {
        match rule {
            Rule::Read => readable.push(path.clone()),
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
            .add_rules(path_beneath_rules(LOOKED_UP, read))?
            .add_rules(path_beneath_rules(&readable, read))?
            .add_rules(path_beneath_rules(DEVICES, all))?
            .add_rules(path_beneath_rules(&writable, write))
    };
    let created = create().map_err(|e: RulesetError| e.to_string())?;
    Option::<OwnedFd>::from(created).ok_or_else(|| "the kernel has no Landlock".to_owned())
}
