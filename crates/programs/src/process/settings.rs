//! What the operator decides about programs.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;

use files::journal::PersonsGit;
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;

use super::Runner;
use super::environment::get;
use super::gateway::{Gateway, Network};

/// Which sandbox is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sandbox {
    /// Namespaces if they work, else Landlock if the kernel has it, else none, which is said.
    #[default]
    Auto,
    /// Landlock alone, though namespaces may work.
    Landlock,
    /// None.
    Off,
}

/// A directory outside of the roots that programs see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exposed {
    /// Where it is.
    pub path: PathBuf,
    /// Whether they may write there.
    pub writable: bool,
}

/// What the operator decides about programs.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The environment of the server. Programs get what of it is known to be harmless.
    pub env: Vec<(OsString, OsString)>,
    /// Which sandbox is wanted.
    pub sandbox: Sandbox,
    /// Whether what programs change is written to a layer first, where the host can do it.
    pub layer: bool,
    /// What programs reach of the network. Those whose work is with others
    /// ([`super::Reach::Online`]) are in the network of the host anyway.
    pub network: Network,
    /// Who serves the ways out of programs' own networks. With nobody they have none.
    pub gateway: Option<Arc<dyn Gateway>>,
    /// What programs see beside the roots, the system and what builds need.
    pub exposed: Vec<Exposed>,
    /// Directories with Kitbag's own programs (git, a browser), looked into before the system's.
    pub programs: Vec<PathBuf>,
    /// Further directories that programs may write to.
    pub writable: Vec<PathBuf>,
    /// Whether a session ends with its first call, and the `/tmp` of its programs with it.
    pub brief: bool,
}

/// Files of the person that git reads for every repository, whether they exist or not.
#[derive(Clone, Debug)]
pub(crate) struct PersonsFiles {
    pub(crate) config: Vec<PathBuf>,
    pub(crate) ignore: PathBuf,
    pub(crate) attributes: PathBuf,
}

impl Runner {
    /// `None` if git looks for some where programs may not see them.
    pub(crate) fn persons_files(&self) -> Option<PersonsFiles> {
        let PersonsGit { files: config, home } = self.settings.persons_git();
        let usual = home?.join(".config");
        let set = get(&self.settings.env, "XDG_CONFIG_HOME").filter(|name| !name.is_empty());
        let [ignore, attributes] = ["git/ignore", "git/attributes"].map(|name| usual.join(name));
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let is_linked = |path: &PathBuf| {
            let opened = openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS);
            opened.is_err_and(|errno| errno == Errno::LOOP)
        };
        let is_usual = set.is_none_or(|set| *set == *usual)
            && ![&ignore, &attributes].into_iter().any(is_linked);
        is_usual.then_some(PersonsFiles { config, ignore, attributes })
    }
}

impl Settings {
    /// Where the person configures git for all repositories.
    pub fn persons_git(&self) -> PersonsGit {
        // Git takes an empty one for none.
        let set = |name: &&OsStr| !name.is_empty();
        let path = |name: &str| get(&self.env, name).filter(set).map(PathBuf::from);
        let home = path("HOME").filter(|home| home.is_absolute());
        let below_home = |path: &str| home.as_ref().map(|home| home.join(path));
        let config = path("XDG_CONFIG_HOME").or_else(|| below_home(".config"));
        let usual = config.map(|config| config.join("git/config")).into_iter();
        let global = match path("GIT_CONFIG_GLOBAL") {
            Some(only) => vec![only],
            None => usual.chain(below_home(".gitconfig")).collect(),
        };
        let system = path("GIT_CONFIG_SYSTEM").unwrap_or_else(|| "/etc/gitconfig".into());
        PersonsGit { files: global.into_iter().chain([system]).collect(), home }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            env: Vec::new(),
            sandbox: Sandbox::Auto,
            layer: true,
            network: Network::Off,
            gateway: None,
            exposed: Vec::new(),
            programs: Vec::new(),
            writable: Vec::new(),
            brief: false,
        }
    }
}
