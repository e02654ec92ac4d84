//! The settings that commands share: flags, and the environment under `KITBAG_*`. Nothing else
//! reads the environment.

#![expect(clippy::disallowed_methods, reason = "the only place that reads the environment")]

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use etcetera::BaseStrategy as _;
use fault::{Error, Result};
use files::{Access, Limits, State};
use programs::process;
use toolkit::{Policy, Settings, Toolset};
use tracing_subscriber::filter::Targets;

use crate::network::Network;

/// Where a command works.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Place {
    /// Directory of the project [default: the current directory]
    #[arg(long, env = "KITBAG_ROOT", value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// Directory for the journal and other files of Kitbag's own
    #[arg(long, env = "KITBAG_STATE", value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,
}

/// What every command that calls tools takes.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Common {
    #[command(flatten)]
    pub(crate) place: Place,
    /// Toolset: floyd, floyd-0.1.0, stack, local or fiz
    #[arg(long, env = "KITBAG_TOOLSET", default_value = "fiz", value_name = "T")]
    pub(crate) toolset: String,
    /// Preset of the toolset
    #[arg(long, env = "KITBAG_PRESET", value_name = "P")]
    pub(crate) preset: Option<String>,
    #[arg(long, env = "KITBAG_POLICY", default_value = "ask", value_name = "POLICY", help = policies())]
    pub(crate) policy: Policy,
    /// Further directory that may be used; with :ro for reading only
    #[arg(long, env = "KITBAG_ALLOW", value_name = "DIR[:ro]", value_delimiter = ',')]
    pub(crate) allow: Vec<PathBuf>,
    /// Protected file, relative to the root, that may be changed without asking
    #[arg(long, env = "KITBAG_ALLOW_PROTECTED", value_name = "PATH", value_delimiter = ',')]
    pub(crate) allow_protected: Vec<PathBuf>,
    /// Directory of the cache that outlives sessions [default: ~/.floyd/cache]
    #[arg(long, env = "KITBAG_CACHE", value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,
    /// Address of this machine or its networks that the web tools may reach; without a port, any
    #[arg(long, env = "KITBAG_WEB_ALLOW", value_name = "HOST[:PORT]", value_delimiter = ',')]
    pub(crate) web_allow: Vec<String>,
    /// Who searches the web: the URL of a SearXNG instance, brave (needs KITBAG_BRAVE_KEY) or
    /// duckduckgo
    #[arg(long, env = "KITBAG_WEB_SEARCH", value_name = "URL|NAME")]
    pub(crate) web_search: Option<String>,
    /// Directory outside of the roots that programs see; to write there too, without :ro
    #[arg(long, env = "KITBAG_EXPOSE", value_name = "DIR[:ro]", value_delimiter = ',')]
    pub(crate) expose: Vec<PathBuf>,
    /// What programs reach of the network: on, off, or hosts, separated by commas; *.HOST names all
    /// below it [default: on with the policy trust, else off]
    #[arg(long, env = "KITBAG_NETWORK", value_name = "on|off|HOST[:PORT],…")]
    pub(crate) network: Option<Network>,
    /// Directory with the git and the browser that Kitbag itself uses, if not the system's
    #[arg(long, env = "KITBAG_PROGRAMS", value_name = "DIR", value_delimiter = ',')]
    pub(crate) programs: Vec<PathBuf>,
    /// Whether what programs change is written to a layer first, where this machine can do it
    #[arg(long, env = "KITBAG_LAYER", default_value = "on", value_name = "WHEN")]
    pub(crate) layer: Switch,
    /// Whether programs run in a sandbox
    #[arg(long, env = "KITBAG_SANDBOX", default_value = "auto", value_name = "WHEN")]
    pub(crate) sandbox: Sandbox,
    /// Whether a change is on the disk before its call is answered
    #[arg(long, env = "KITBAG_FSYNC", default_value = "on", value_name = "WHEN")]
    pub(crate) fsync: Switch,
    /// What is logged to standard error: error, warn, info, debug or trace, for all or by crate as
    /// in toolkit=debug,mcp=trace; warnings go to the file `log` in the state directory in any case
    #[arg(long, env = "KITBAG_LOG", value_name = "FILTER")]
    pub(crate) log: Option<Targets>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sandbox {
    /// The strongest that works here
    Auto,
    /// Landlock alone: weaker, for machines on which namespaces are denied
    Landlock,
    /// None
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

impl Place {
    /// The directory of the project.
    pub(crate) fn root(&self) -> Result<PathBuf> {
        match &self.root {
            Some(root) => Ok(root.clone()),
            None => std::env::current_dir().map_err(|e| {
                Error::invalid_input(
                    "--root",
                    format!("the current directory is gone ({e}); name one"),
                )
            }),
        }
    }

    /// The state directory: `--state`, else below `XDG_STATE_HOME`.
    pub(crate) fn state(&self) -> Result<State> {
        if let Some(dir) = &self.state {
            let dir = std::path::absolute(dir).map_err(|e| Error::invalid_input("--state", e))?;
            return Ok(State::new(dir));
        }
        let base = etcetera::choose_base_strategy().map_err(|e| {
            Error::invalid_input(
                "--state",
                format!("no home directory ({e}); name a directory for the journal"),
            )
        })?;
        let state = base.state_dir().unwrap_or_else(|| base.data_dir());
        Ok(State::new(state.join("kitbag")))
    }
}

impl Common {
    /// The toolset that was asked for.
    pub(crate) fn tools(&self) -> Result<Toolset> {
        toolset(&self.toolset, self.preset.as_deref())
    }

    fn cache(&self) -> Result<PathBuf> {
        if let Some(dir) = &self.cache {
            return std::path::absolute(dir).map_err(|e| Error::io(&dir.display().to_string(), &e));
        }
        let home = etcetera::home_dir().map_err(|e| {
            Error::invalid_input(
                "--cache",
                format!("no home directory ({e}); name a directory for the cache"),
            )
        })?;
        Ok(home.join(".floyd/cache"))
    }

    fn search_backend(&self) -> Result<Option<web::Backend>> {
        let Some(name) = self.web_search.as_deref().filter(|name| !name.is_empty()) else {
            return Ok(None);
        };
        // Not a flag: command lines are seen by everybody on the machine.
        let key = std::env::var("KITBAG_BRAVE_KEY").unwrap_or_default();
        Ok(Some(match name {
            "duckduckgo" => web::Backend::duckduckgo(),
            "brave" if key.is_empty() => {
                return Err(Error::invalid_input(
                    "--web-search",
                    "brave needs a subscription key; set KITBAG_BRAVE_KEY",
                ));
            }
            "brave" => web::Backend::brave(key),
            url if url.starts_with("http://") || url.starts_with("https://") => {
                web::Backend::Searxng(url.to_owned())
            }
            other => {
                return Err(Error::invalid_input(
                    "--web-search",
                    format!("no search engine `{other}`; give a URL, brave or duckduckgo"),
                ));
            }
        }))
    }

    /// What a project is made from.
    pub(crate) fn settings(&self) -> Result<Settings> {
        let sandbox = match self.sandbox {
            Sandbox::Auto => process::Sandbox::Auto,
            Sandbox::Landlock => process::Sandbox::Landlock,
            Sandbox::Off => process::Sandbox::Off,
        };
        Ok(Settings {
            root: self.place.root()?,
            allow: self.allow.iter().map(|a| access(a)).collect(),
            allow_protected: self.allow_protected.clone(),
            state: self.place.state()?,
            cache: self.cache()?,
            programs: process::Settings {
                env: environment(),
                sandbox,
                layer: self.layer == Switch::On,
                network: match &self.network {
                    Some(network) => network.0.clone(),
                    None if self.policy == Policy::Trust => process::Network::On,
                    None => process::Network::Off,
                },
                gateway: None,
                exposed: self.expose.iter().map(|path| exposed(path)).collect(),
                programs: self.programs.clone(),
                writable: Vec::new(),
            },
            web: web::Settings {
                allow: self.web_allow.clone(),
                hosts: Vec::new(),
                search: self.search_backend()?,
                limits: web::Limits::default(),
            },
            limits: Limits::default(),
            durable: self.fsync == Switch::On,
        })
    }
}

/// What the help says of the policies.
fn policies() -> String {
    let one = |policy: &Policy| format!("{}: {}", policy.as_str(), policy.meaning());
    format!(
        "What runs without asking. {}",
        Policy::ALL.iter().map(one).collect::<Vec<_>>().join(". ")
    )
}

/// The toolset of a name, or a preset of it.
pub(crate) fn toolset(name: &str, preset: Option<&str>) -> Result<Toolset> {
    let toolset = toolsets::toolset(name).ok_or_else(|| {
        let known = toolsets::NAMES.join(", ");
        Error::invalid_input("--toolset", format!("no toolset `{name}`; choose one of {known}"))
    })?;
    match preset {
        Some(preset) => toolset.preset(preset),
        None => Ok(toolset),
    }
}

/// The environment of this process, of which programs get an allowed part.
pub(crate) fn environment() -> Vec<(OsString, OsString)> {
    std::env::vars_os().collect()
}

fn exposed(given: &Path) -> process::Exposed {
    let (path, access) = access(given);
    process::Exposed { path, writable: access == Access::Write }
}

fn access(allowed: &Path) -> (PathBuf, Access) {
    match allowed.to_str().and_then(|p| p.strip_suffix(":ro")) {
        Some(path) => (PathBuf::from(path), Access::Read),
        None => (allowed.to_owned(), Access::Write),
    }
}
