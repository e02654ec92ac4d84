//! What a program may write and what it must not see, and how bubblewrap is told.

#![expect(clippy::disallowed_methods, reason = "what exists on the host decides what is mounted")]

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::environment::get;
use super::{Reach, Settings};
use crate::workspace::{Access, Workspace};

/// Stores of keys and tokens in the home folder, hidden from programs.
const SECRETS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".oci",
    ".netrc",
    ".git-credentials",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".vault-token",
    ".password-store",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".composer/auth.json",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
    ".terraform.d/credentials.tfrc.json",
    ".config/gh",
    ".config/hub",
    ".config/glab-cli",
    ".config/gcloud",
    ".config/git/credentials",
    ".config/op",
    ".config/rclone",
    ".config/doctl",
    ".config/containers/auth.json",
    ".config/sops",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".mozilla",
    ".local/share/keyrings",
    ".local/share/kwalletd",
];

/// Doors to programs outside of the sandbox that would do there what they are told.
const DOORS: &[&str] = &[
    "/run/user",
    "/run/docker.sock",
    "/run/podman",
    "/run/containerd",
    "/run/crio",
    "/run/libvirt",
    "/run/snapd.socket",
    "/run/systemd/private",
    "/run/dbus",
    "/var/lib/incus",
    "/var/snap/lxd/common/lxd",
];

/// Where build tools keep what they download, writable if it exists: the variable that moves it,
/// the folder in the home folder if it is not set, and what is written beneath. Left out is what
/// a person runs later or what a tool obeys: `~/.cargo/bin`, toolchains, `~/.gradle/init.d`.
const CACHES: &[(&str, &str, &[&str])] = &[
    ("XDG_CACHE_HOME", ".cache", &[""]),
    ("CARGO_HOME", ".cargo", &["registry", "git", ".package-cache", ".global-cache"]),
    ("GOPATH", "go", &["pkg"]),
    ("GOCACHE", ".cache/go-build", &[""]),
    ("GOMODCACHE", "go/pkg/mod", &[""]),
    ("", ".npm", &[""]),
    ("", ".yarn/berry/cache", &[""]),
    ("", ".local/share/pnpm", &["store"]),
    ("BUN_INSTALL", ".bun", &["install/cache"]),
    ("", ".m2", &["repository"]),
    (
        "GRADLE_USER_HOME",
        ".gradle",
        &[".tmp", "caches", "daemon", "native", "notifications", "wrapper", "workers"],
    ),
    ("", ".ivy2", &["cache", "local"]),
    ("NUGET_PACKAGES", ".nuget/packages", &[""]),
    ("CCACHE_DIR", ".ccache", &[""]),
    ("UV_CACHE_DIR", ".cache/uv", &[""]),
    ("CARGO_TARGET_DIR", "", &[""]),
    ("TMPDIR", "", &[""]),
];

/// What is left of root's powers in a sandbox, by name and number: enough to install packages and
/// change owners, not to mount, to trace, to make devices or to open files past their folders.
pub(super) const ROOT_CAPABILITIES: &[(&str, u64)] = &[
    ("CAP_CHOWN", 0),
    ("CAP_DAC_OVERRIDE", 1),
    ("CAP_FOWNER", 3),
    ("CAP_FSETID", 4),
    ("CAP_KILL", 5),
    ("CAP_SETGID", 6),
    ("CAP_SETUID", 7),
    ("CAP_NET_BIND_SERVICE", 10),
];

/// What holds of a path and of everything beneath it, up to the next rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    Write,
    Read,
    Hide,
}

/// The rules of one call by real path, so that folders come before what is in them. What no rule
/// speaks of may be read.
#[derive(Debug, Default)]
pub(super) struct Plan(pub(super) BTreeMap<PathBuf, Rule>);

impl Plan {
    /// The rules for a program of a session: `hidden` is the state folder, `shown` what of it may
    /// be read, `scratch` where its folders for single calls are.
    pub(super) fn new(
        workspace: &Workspace,
        settings: &Settings,
        reach: Reach,
        hidden: &Path,
        shown: &Path,
        scratch: Option<&Path>,
    ) -> Self {
        let mut plan = Self::default();
        let builds = matches!(reach, Reach::Workspace | Reach::Keys);
        let home = get(&settings.env, "HOME").map(Path::new).filter(|home| home.is_absolute());
        if builds {
            plan.add_caches(&settings.env, home);
            for path in &settings.writable {
                plan.add(path, Rule::Write);
            }
        }
        if reach == Reach::Keys {
            // It locks its stores, also to read them.
            let usual = home.map(|home| home.join(".gnupg"));
            let gnupg = get(&settings.env, "GNUPGHOME").map(PathBuf::from).or(usual);
            gnupg.into_iter().for_each(|path| plan.add(&path, Rule::Write));
        } else {
            let secrets = home.into_iter().flat_map(|home| SECRETS.iter().map(|s| home.join(s)));
            DOORS.iter().map(PathBuf::from).chain(secrets).for_each(|p| plan.add(&p, Rule::Hide));
        }
        plan.add(hidden, Rule::Hide);
        plan.add(shown, Rule::Read);
        for (root, access) in workspace.roots() {
            if access == Access::Write && builds {
                plan.add_root(root, reach);
            } else {
                plan.add(root, Rule::Read);
            }
        }
        if reach == Reach::Scratch {
            scratch.into_iter().for_each(|folder| plan.add(folder, Rule::Write));
        }
        plan
    }

    /// Temporary folders and caches.
    fn add_caches(&mut self, host: &[(OsString, OsString)], home: Option<&Path>) {
        self.add(Path::new("/tmp"), Rule::Write);
        for (variable, folder, parts) in CACHES {
            let moved = get(host, variable).map(Path::new).filter(|path| path.is_absolute());
            let usual = home.filter(|_| !folder.is_empty()).map(|home| home.join(folder));
            let Some(base) = moved.map(Path::to_owned).or(usual) else { continue };
            for part in *parts {
                self.add(&base.join(part), Rule::Write);
            }
        }
    }

    /// The folders that may be written to.
    pub(super) fn writable(&self) -> Vec<PathBuf> {
        self.0
            .iter()
            .filter(|(_, rule)| **rule == Rule::Write)
            .map(|(path, _)| path.clone())
            .collect()
    }

    fn add(&mut self, path: &Path, rule: Rule) {
        if let Ok(path) = std::fs::canonicalize(path) {
            self.0.insert(path, rule);
        }
    }

    /// A root, in which Kitbag's configuration and what git obeys are kept as they are. `.git` has
    /// a rule of its own, so that it cannot be moved away and another put in its place.
    fn add_root(&mut self, root: &Path, reach: Reach) {
        self.add(root, Rule::Write);
        for own in [".kitbag", "kitbag.toml"] {
            self.add(&root.join(own), Rule::Read);
        }
        let git = root.join(".git");
        if git.is_file() {
            self.add(&git, Rule::Read);
            if let Some(repository) = worktree_of(&git) {
                self.add_git(&repository, reach);
            }
        } else {
            self.add_git(&git, reach);
        }
    }

    fn add_git(&mut self, git: &Path, reach: Reach) {
        if !git.join("HEAD").is_file() {
            return; // no repository, or none yet
        }
        self.add(git, Rule::Write);
        // Without the folder there is nothing to mount over, and a program could make it.
        let _ = std::fs::create_dir(git.join("hooks"));
        self.add(&git.join("hooks"), Rule::Read);
        if reach != Reach::Keys {
            for obeyed in ["config", "config.worktree"] {
                self.add(&git.join(obeyed), Rule::Read);
            }
        }
    }

    /// The arguments of bubblewrap up to the program. `added` are variables of the call, which
    /// must not change how bubblewrap itself is loaded.
    pub(super) fn bubblewrap(
        &self,
        bubblewrap: &Path,
        dir: &Path,
        added: &[(String, String)],
    ) -> Vec<OsString> {
        let mut args: Vec<OsString> = vec![bubblewrap.into()];
        args.push(if self.0.contains_key(Path::new("/")) { "--bind" } else { "--ro-bind" }.into());
        args.extend(
            ["/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid"].map(OsString::from),
        );
        for (path, rule) in self.0.iter().filter(|(path, _)| *path != Path::new("/")) {
            match rule {
                Rule::Write => args.extend(
                    ["--bind".as_ref(), path.as_os_str(), path.as_os_str()].map(OsStr::to_owned),
                ),
                Rule::Read => args.extend(
                    ["--ro-bind".as_ref(), path.as_os_str(), path.as_os_str()].map(OsStr::to_owned),
                ),
                Rule::Hide if path.is_dir() => {
                    args.extend(["--tmpfs".as_ref(), path.as_os_str()].map(OsStr::to_owned))
                }
                Rule::Hide => args.extend(
                    ["--ro-bind".as_ref(), "/dev/null".as_ref(), path.as_os_str()]
                        .map(OsStr::to_owned),
                ),
            }
        }
        if rustix::process::geteuid().is_root() {
            args.extend(["--cap-drop", "ALL"].map(OsString::from));
            let kept = ROOT_CAPABILITIES.iter().flat_map(|(name, _)| ["--cap-add", name]);
            args.extend(kept.map(OsString::from));
        }
        finish(args, dir, added)
    }
}

/// Bubblewrap without a sandbox: for its process namespace and the `/proc` that goes with it.
pub(super) fn namespace_only(
    bubblewrap: &Path,
    dir: &Path,
    added: &[(String, String)],
) -> Vec<OsString> {
    let args = ["--dev-bind", "/", "/", "--proc", "/proc", "--unshare-pid"].map(OsString::from);
    finish(std::iter::once(bubblewrap.into()).chain(args).collect(), dir, added)
}

fn finish(mut args: Vec<OsString>, dir: &Path, added: &[(String, String)]) -> Vec<OsString> {
    args.extend(["--chdir".into(), dir.into()]);
    for (name, value) in added {
        args.extend(["--setenv", name, value].map(OsString::from));
    }
    args.push("--".into());
    args
}

/// The repository that the `.git` file of a worktree leads to, if the repository agrees: the file
/// is content of the workspace, so what it says alone must not make a folder writable.
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
