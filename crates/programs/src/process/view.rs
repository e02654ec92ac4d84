//! What a program sees, built up from nothing.
//!
//! The system for reading, the roots, a home that is empty but for what builds need, a `/tmp` of
//! the session's own, a `/dev` with nothing behind it, its own processes: a path that no rule here
//! names does not exist for the program. Nothing is hidden, so nothing can be forgotten in a list
//! of what to hide; the exceptions are a root that holds the home, and what of the system only
//! root may read.

#![expect(clippy::disallowed_methods, reason = "what exists on the host decides what is mounted")]

mod ops;

use std::collections::BTreeMap;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use files::journal::Layers;
use files::workspace::{Access, Workspace};

use self::ops::{Ops, c_path};
use super::environment::get;
use super::gateway::Leads;
use super::home::needed;
use super::mount::{NEW, OLD, Op};
use super::spawn::View;
use super::{Reach, Settings};

/// What every user of the system may read.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
    "/run/current-system",
    "/var/lib/dpkg",
    "/var/cache/fontconfig",
    "/sys/devices/system",
    "/sys/fs/cgroup",
];

/// How deep `/etc` is looked through for what only root may read.
const ETC_DEPTH: usize = 4;

/// What holds of a path and of everything below it, up to the next rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// What the host has there, writable.
    Write,
    /// What the host has there, for reading.
    Read,
    /// What the host has there, with a layer above.
    Layer { upper: PathBuf, work: PathBuf },
    /// This directory of the host's, writable.
    Instead(PathBuf),
    /// An empty file or directory in place of what is there.
    Nothing,
    /// An empty directory in which other rules have a place.
    Empty,
}

/// What the view of one call is made from.
pub(super) struct Sight<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) settings: &'a Settings,
    pub(super) reach: Reach,
    /// The state directory, which nobody sees, and what of it may be read.
    pub(super) state: &'a Path,
    pub(super) spills: &'a Path,
    /// The session's own directories: for `/tmp`, for the home, and for single calls.
    pub(super) tmp: &'a Path,
    pub(super) home: &'a Path,
    pub(super) scratch: &'a Path,
    /// What of `/etc` only root may read.
    pub(super) closed: &'a [PathBuf],
    /// What of the system is there, and what builds need of it and of the home.
    pub(super) system: &'a [PathBuf],
    pub(super) builds: &'a [(PathBuf, Rule)],
    pub(super) layers: &'a Layers,
    /// Whether a program of Kitbag's own runs, which may write what git obeys.
    pub(super) own: bool,
    pub(super) network: bool,
    pub(super) doors: Vec<(u16, Leads)>,
    /// Where the program starts, a real path.
    pub(super) dir: &'a Path,
    pub(super) landlock: bool,
    pub(super) renames: bool,
}

/// Rules by real path, so that directories come before what is in them.
#[derive(Debug, Default)]
pub(super) struct Rules(pub(super) BTreeMap<PathBuf, Rule>);

impl Rules {
    fn add(&mut self, path: &Path, rule: Rule) {
        if let Ok(path) = std::fs::canonicalize(path) {
            self.0.insert(path, rule);
        }
    }

    /// Whether a rule says anything beside the one above it.
    fn adds(&self, path: &Path, rule: &Rule) -> bool {
        let above = path.ancestors().skip(1).find_map(|above| self.0.get(above));
        path != Path::new("/") && !(*rule == Rule::Read && above == Some(&Rule::Read))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The rule that holds for a real path.
    fn holding(&self, path: &Path) -> Option<&Rule> {
        path.ancestors().find_map(|above| self.0.get(above))
    }

    /// Whether what the host has at a real path is what a program sees there.
    pub(super) fn shows(&self, path: &Path) -> bool {
        matches!(self.holding(path), Some(Rule::Write | Rule::Read | Rule::Layer { .. }))
    }

    /// Whether a program may write to a real path.
    pub(super) fn lets_write(&self, path: &Path) -> bool {
        matches!(self.holding(path), Some(Rule::Write | Rule::Layer { .. } | Rule::Instead(_)))
    }

    /// A path that is to be hidden in a directory that programs write to, which only a view can do.
    pub(super) fn cannot_be_hidden(&self) -> Option<&Path> {
        let in_place = |path: &Path| self.shows(path) && self.lets_write(path);
        let hidden = |path: &Path| path.parent().is_some_and(in_place);
        let mut all = self.0.iter().filter(|(_, rule)| **rule == Rule::Empty);
        all.find(|(path, _)| hidden(path)).map(|(path, _)| path.as_path())
    }

    /// The paths that may be written to.
    pub(super) fn writable(&self) -> Vec<PathBuf> {
        let writes = |rule: &Rule| !matches!(rule, Rule::Read | Rule::Nothing | Rule::Empty);
        self.0.iter().filter(|(_, rule)| writes(rule)).map(|(path, _)| path.clone()).collect()
    }
}

impl Sight<'_> {
    fn env_home(&self) -> Option<&Path> {
        get(&self.settings.env, "HOME").map(Path::new).filter(|home| home.is_absolute())
    }

    /// The rules for this call.
    pub(super) fn rules(&self) -> Rules {
        let mut rules = Rules::default();
        let home = self.env_home();
        if self.reach == Reach::Keys {
            rules.add(Path::new("/"), Rule::Read);
            rules.add(self.tmp, Rule::Write);
            // It locks its stores, also to read them.
            let usual = home.map(|home| home.join(".gnupg"));
            let gnupg = get(&self.settings.env, "GNUPGHOME").map(PathBuf::from).or(usual);
            gnupg.into_iter().for_each(|path| rules.add(&path, Rule::Write));
        } else {
            self.system.iter().for_each(|path| drop(rules.0.insert(path.clone(), Rule::Read)));
            self.closed.iter().for_each(|path| rules.add(path, Rule::Nothing));
            for tmp in ["/tmp", "/var/tmp"] {
                rules.0.insert(tmp.into(), Rule::Instead(self.tmp.to_owned()));
            }
            self.add_home(&mut rules, home);
        }
        if self.network {
            rules.add(Path::new("/etc/resolv.conf"), Rule::Read);
        }
        if self.own {
            self.settings.programs.iter().for_each(|path| rules.add(path, Rule::Read));
        }
        for path in &self.settings.exposed {
            rules.add(&path.path, if path.writable { Rule::Write } else { Rule::Read });
        }
        let inside = rules.0.keys().any(|path| self.state.starts_with(path))
            || self.workspace.roots().any(|(root, _)| self.state.starts_with(root));
        self.add_roots(&mut rules);
        if inside {
            rules.add(self.state, Rule::Empty);
        }
        rules.add(self.spills, Rule::Read);
        if self.reach == Reach::Scratch {
            rules.add(self.scratch, Rule::Write);
        }
        rules
    }

    /// An empty home with what builds need in it, or, where a root holds the home, the home with
    /// nothing of what begins with a dot but that.
    fn add_home(&self, rules: &mut Rules, home: Option<&Path>) {
        let real = home.and_then(|home| std::fs::canonicalize(home).ok());
        if let Some(real) = real.filter(|real| real != Path::new("/")) {
            if self.workspace.roots().any(|(root, _)| real.starts_with(root)) {
                for entry in std::fs::read_dir(&real).into_iter().flatten().flatten() {
                    if entry.file_name().as_bytes()[0] == b'.' && !self.is_root(&entry.path()) {
                        // What stays visible in it has rules of its own, and needs a place.
                        rules.0.insert(entry.path(), Rule::Empty);
                    }
                }
            } else {
                rules.0.insert(real, Rule::Instead(self.home.to_owned()));
            }
        }
        match self.reach {
            Reach::Workspace | Reach::Online => {
                rules.0.extend(self.builds.iter().cloned());
                self.settings.writable.iter().for_each(|path| rules.add(path, Rule::Write));
            }
            // Git reads the person's configuration, and nobody else is told what is in it.
            _ if self.own => {
                for file in [
                    ".gitconfig",
                    ".config/git/config",
                    ".config/git/ignore",
                    ".config/git/attributes",
                ] {
                    home.into_iter().for_each(|home| rules.add(&home.join(file), Rule::Read));
                }
            }
            _ => {}
        }
    }

    fn is_root(&self, path: &Path) -> bool {
        self.workspace.roots().any(|(root, _)| root.starts_with(path))
    }

    fn add_roots(&self, rules: &mut Rules) {
        for (root, access) in self.workspace.roots() {
            let layer = self.layers.list().iter().find(|layer| layer.root == root);
            match layer {
                _ if access == Access::Read || !self.reach.writes() => rules.add(root, Rule::Read),
                Some(layer) => {
                    let (upper, work) = (layer.upper.clone(), layer.work.clone());
                    rules.add(root, Rule::Layer { upper, work });
                    for passed in &layer.passed {
                        rules.add(&root.join(passed), Rule::Write);
                    }
                }
                None => {
                    rules.add(root, Rule::Write);
                    if !self.own {
                        for own in [".git", ".kitbag", "kitbag.toml"] {
                            rules.add(&root.join(own), Rule::Read);
                        }
                    }
                }
            }
            // A repository that is elsewhere: for reading, and for Kitbag's own git, which looks
            // whether it may be used from here, to write.
            let agreed = worktree_of(&root.join(".git"));
            let writes = access == Access::Write && self.reach.writes();
            for repository in agreed.into_iter().chain(self.own_repository(root)) {
                rules.add(&repository, if writes && self.own { Rule::Write } else { Rule::Read });
            }
        }
    }

    /// Where the `.git` of a root leads, for Kitbag's own git.
    fn own_repository(&self, root: &Path) -> Vec<PathBuf> {
        let git = root.join(".git");
        let named = |path: &Path| -> Option<PathBuf> {
            let text = std::fs::read_to_string(path).ok()?;
            Some(git.parent()?.join(text.strip_prefix("gitdir:")?.trim()))
        };
        let git_dir = named(&git).or_else(|| std::fs::canonicalize(&git).ok());
        let common = git_dir.as_ref().and_then(|git_dir| {
            let text = std::fs::read_to_string(git_dir.join("commondir")).ok()?;
            Some(git_dir.join(text.trim()))
        });
        let named = git_dir.into_iter().chain(common).filter(|_| self.own);
        let real = named.filter_map(|path| std::fs::canonicalize(path).ok());
        real.filter(|path| !path.starts_with(root)).collect()
    }

    /// The rules as mounts.
    pub(super) fn view(&self, rules: &Rules) -> std::io::Result<View> {
        let mut ops = Ops::default();
        let whole = rules.0.contains_key(Path::new("/"));
        if whole {
            ops.push(Op::Bind {
                from: c_path("", Path::new(OLD))?,
                to: c_path("", Path::new(NEW))?,
                writable: false,
                devices: false,
                identity: None,
            });
        } else {
            ops.links_to_system()?;
        }
        for (path, rule) in rules.0.iter().filter(|(path, rule)| rules.adds(path, rule)) {
            ops.apply(path, rule, self.workspace)?;
        }
        ops.devices()?;
        ops.processes()?;
        if !whole {
            let given = self.workspace.given_roots().chain(self.env_home());
            given.map(Path::to_owned).try_for_each(|path| ops.links_on_the_way(&path))?;
        }
        let writable: Vec<PathBuf> = if self.landlock { rules.writable() } else { Vec::new() };
        let mut landlock: Vec<CString> =
            writable.iter().map(|path| c_path("", path)).collect::<Result<_, _>>()?;
        if self.landlock && landlock.is_empty() {
            landlock.push(c_path("", Path::new("/dev"))?);
        }
        let layers = self.layers.list();
        let passed = layers.iter().flat_map(|layer| {
            layer.passed.iter().map(|passed| c_path("", &layer.root.join(passed)))
        });
        let passed = passed.collect::<Result<Vec<_>, _>>()?;
        Ok(View {
            ops: ops.list,
            dir: c_path("", self.dir)?,
            network: self.network,
            doors: self.doors.clone(),
            writable: landlock,
            renames: (self.renames && !layers.is_empty()).then_some(passed),
            begins: self.layers.began(),
        })
    }
}

/// What every user may read of the system that is there, without links.
pub(super) fn system() -> Vec<PathBuf> {
    SYSTEM.iter().filter_map(|path| std::fs::canonicalize(path).ok()).collect()
}

/// What builds need that is there, as rules.
pub(super) fn builds(settings: &Settings) -> Vec<(PathBuf, Rule)> {
    let home = get(&settings.env, "HOME").map(Path::new).filter(|home| home.is_absolute());
    let needed = needed(&settings.env, home);
    let mut rules = Rules::default();
    needed.read.iter().for_each(|path| rules.add(path, Rule::Read));
    needed.write.iter().for_each(|path| rules.add(path, Rule::Write));
    rules.0.into_iter().collect()
}

/// What of `/etc` not everybody may read. For an ordinary user the kernel keeps it closed, but not
/// for root, nor for members of a group.
pub(super) fn closed() -> Vec<PathBuf> {
    let (mut closed, mut waiting) = (Vec::new(), vec![(PathBuf::from("/etc"), 0)]);
    while let Some((directory, depth)) = waiting.pop() {
        for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
            let Ok(data) = entry.metadata() else { continue };
            if data.is_symlink() {
                continue;
            }
            let needed = if data.is_dir() { 0o005 } else { 0o004 };
            if data.permissions().mode() & needed != needed {
                closed.push(entry.path());
            } else if data.is_dir() && depth < ETC_DEPTH {
                waiting.push((entry.path(), depth + 1));
            }
        }
    }
    closed
}

/// The repository that the `.git` file of a worktree leads to, if the repository agrees: the file
/// is content of the workspace, so what it says alone must not make a directory writable.
pub(crate) fn worktree_of(git: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(git).ok()?;
    let named = git.parent()?.join(text.strip_prefix("gitdir:")?.trim());
    let own = std::fs::canonicalize(named).ok()?;
    let back = std::fs::read_to_string(own.join("gitdir")).ok()?;
    if std::fs::canonicalize(back.trim()).ok()? != std::fs::canonicalize(git).ok()? {
        return None;
    }
    let repository = own.parent()?.parent()?;
    (own.parent()?.file_name()? == "worktrees" && repository.join("HEAD").is_file())
        .then(|| repository.to_owned())
}
