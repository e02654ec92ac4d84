//! The sandbox where bubblewrap does not work: Landlock, which can only allow.
//!
//! So what is hidden is left out of what is allowed, folder by folder. It cannot keep a file in a
//! writable folder from being changed or read; [`super::Containment`] says so.

#![expect(
    clippy::disallowed_methods,
    reason = "what stands beside a hidden path is allowed by name"
)]

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetCreated, RulesetCreatedAttr as _, RulesetError, Scope, path_beneath_rules,
};

use super::sandbox::{Plan, Rule};

/// Devices that hold nothing; the others are closed, so that a disk is not read past its files.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/shm",
];

/// Whether the kernel has Landlock and lets us use it.
pub(super) fn probe() -> Result<(), RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))?
        .create()
        .map(drop)
}

/// The plan as rules of the kernel, as many as it knows.
pub(super) fn ruleset(plan: &Plan) -> Result<RulesetCreated, RulesetError> {
    let abi = ABI::V6;
    let (all, read) = (AccessFs::from_all(abi), AccessFs::from_read(abi));
    let mut allowed = Allowed::default();
    allowed.collect(plan, Path::new("/"));
    let writable = plan.writable();
    let list: BitFlags<AccessFs> = AccessFs::ReadDir.into();
    Ruleset::default()
        .handle_access(all)?
        .scope(Scope::Signal)?
        .create()?
        .add_rules(path_beneath_rules(&allowed.listed, list))?
        .add_rules(path_beneath_rules(&allowed.read, read))?
        .add_rules(path_beneath_rules(DEVICES, all))?
        .add_rules(path_beneath_rules(&writable, all))
}

#[derive(Default)]
struct Allowed {
    read: Vec<PathBuf>,
    /// Folders with something hidden below: their names may be seen.
    listed: Vec<PathBuf>,
}

impl Allowed {
    fn collect(&mut self, plan: &Plan, path: &Path) {
        if path == Path::new("/dev") || plan.0.get(path) == Some(&Rule::Hide) {
            let shown =
                plan.0.iter().filter(|(p, rule)| **rule == Rule::Read && p.starts_with(path));
            self.read.extend(shown.map(|(p, _)| p.clone()));
        } else if path == Path::new("/")
            || plan.0.iter().any(|(p, rule)| *rule == Rule::Hide && p.starts_with(path))
        {
            self.listed.push(path.to_owned());
            for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
                // A link leads to what has a rule of its own; following it here could allow more.
                if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                    continue;
                }
                self.collect(plan, &entry.path());
            }
        } else {
            self.read.push(path.to_owned());
        }
    }
}
