//! The settings that commands share: flags, the environment under `KITBAG_*`, and the files in
//! [`layers`]. Nothing else reads the environment.

#![expect(
    clippy::disallowed_methods,
    reason = "the only place that reads the environment, and the files that flags name"
)]

mod choice;
pub(crate) mod layers;
pub(crate) mod model;
pub(crate) mod servers;

use std::ffi::OsString;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ValueEnum, ValueHint};
use etcetera::BaseStrategy as _;
use fault::{Error, Result};
use files::{Access, Limits, State};
use programs::process;
use toolkit::{Policy, Settings, Toolset, browser};
use tracing_subscriber::filter::Targets;

use crate::network::Network;

pub(crate) use choice::{Choice, TOOLSET};

/// Where a command works.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Project")]
pub(crate) struct Place {
    /// Directory of the project [default: the current directory]
    #[arg(long, env = "KITBAG_ROOT", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) root: Option<PathBuf>,
    /// Directory for the journal and other files of Kitbag's own [default:
    /// $XDG_STATE_HOME/kitbag]
    #[arg(long, env = "KITBAG_STATE", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) state: Option<PathBuf>,
}

/// What every command that calls tools takes.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Common {
    #[command(flatten)]
    pub(crate) place: Place,
    #[command(flatten)]
    choice: Choice,
    #[command(flatten)]
    own: Own,
    #[command(flatten)]
    permits: Permits,
    #[command(flatten)]
    programs: Programs,
    #[command(flatten)]
    web: Web,
    #[command(flatten)]
    browser: Browser,
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Project")]
struct Own {
    /// Directory of the cache that outlives sessions [default: ~/.floyd/cache]
    #[arg(long, env = "KITBAG_CACHE", value_name = "DIR", value_hint = ValueHint::DirPath)]
    cache: Option<PathBuf>,
    /// Whether a change is on the disk before its call is answered
    #[arg(long, env = "KITBAG_FSYNC", default_value = "on", value_name = "WHEN")]
    fsync: Switch,
    /// What is logged to standard error: error, warn, info, debug or trace, for all or by crate as
    /// in toolkit=debug,mcp=trace; warnings go to the file `log` in the state directory in any case
    #[arg(long, env = "KITBAG_LOG", value_name = "FILTER")]
    log: Option<Targets>,
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Policy")]
struct Permits {
    /// What runs without asking
    #[arg(long, env = "KITBAG_POLICY", default_value = "ask", value_name = "POLICY")]
    #[arg(value_parser = policies())]
    policy: Policy,
    /// Additional directory that tools may use; with :ro, for reading only
    #[arg(long, env = "KITBAG_ALLOW", value_name = "DIR[:ro]", value_delimiter = ',')]
    allow: Vec<PathBuf>,
    /// Protected file, relative to the root, that may be changed without asking
    #[arg(long, env = "KITBAG_ALLOW_PROTECTED", value_name = "PATH", value_delimiter = ',')]
    allow_protected: Vec<PathBuf>,
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Programs")]
struct Programs {
    /// Whether programs run in a sandbox
    #[arg(long, env = "KITBAG_SANDBOX", default_value = "auto", value_name = "WHEN")]
    sandbox: Sandbox,
    /// Whether changes by programs go to an overlay first, where this machine supports it
    #[arg(long, env = "KITBAG_LAYER", default_value = "on", value_name = "WHEN")]
    layer: Switch,
    /// Network access of programs: on, off, or hosts separated by commas; *.HOST matches all
    /// subdomains [default: on with the policy trust, else off]
    #[arg(long, env = "KITBAG_NETWORK", value_name = "on|off|HOST[:PORT],…")]
    network: Option<Network>,
    /// Directory outside of the roots that programs may read and write; with :ro, only read
    #[arg(long, env = "KITBAG_EXPOSE", value_name = "DIR[:ro]", value_delimiter = ',')]
    expose: Vec<PathBuf>,
    /// Directory with the git and the browser for Kitbag's own use, in place of the system's
    #[arg(long, env = "KITBAG_PROGRAMS", value_name = "DIR", value_delimiter = ',')]
    programs: Vec<PathBuf>,
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Web")]
struct Web {
    /// Private or local address that the web tools may reach; without a port, any port
    #[arg(long, env = "KITBAG_WEB_ALLOW", value_name = "HOST[:PORT]", value_delimiter = ',')]
    web_allow: Vec<String>,
    /// Search engine of the web tools: the URL of a SearXNG instance, brave (needs
    /// KITBAG_BRAVE_KEY) or duckduckgo
    #[arg(long, env = "KITBAG_WEB_SEARCH", value_name = "URL|NAME")]
    web_search: Option<String>,
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Browser")]
struct Browser {
    /// Whether extensions are waited for that drive the user's own browser
    #[arg(long, env = "KITBAG_EXTENSION", default_value = "on", value_name = "WHEN")]
    extension: Switch,
    /// Where they connect to
    #[arg(long, env = "FLOYD_EXTENSION_URL", default_value = "ws://localhost:3005")]
    #[arg(value_name = "URL")]
    extension_url: String,
    /// Id of a further extension that speaks as FloydChrome does
    #[arg(long, env = "KITBAG_EXTENSION_ID", value_name = "ID", value_delimiter = ',')]
    extension_id: Vec<String>,
    /// After how many failures to listen or connect there the next call tries again
    #[arg(long, env = "MAX_RECONNECT", default_value_t = 3, value_name = "N")]
    max_reconnect: u64,
    /// Milliseconds between these attempts
    #[arg(long, env = "RECONNECT_INTERVAL", default_value_t = 5000, value_name = "MS")]
    reconnect_interval: u64,
}

/// The policies by name, for completions too.
pub(crate) fn policies() -> impl TypedValueParser<Value = Policy> {
    let name = |policy: &Policy| match policy {
        Policy::ReadOnly => PossibleValue::new("read-only").alias("read_only"),
        policy => PossibleValue::new(policy.as_str()),
    };
    let name = |policy: &Policy| name(policy).help(policy.meaning());
    PossibleValuesParser::new(Policy::ALL.iter().map(name)).try_map(|name| name.parse::<Policy>())
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
            Some(root) => directory("--root", root),
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
    /// What is logged to standard error.
    pub(crate) fn log(&self) -> Option<Targets> {
        self.own.log.clone()
    }

    pub(crate) fn policy(&self) -> Policy {
        self.permits.policy
    }

    /// The toolset that was asked for.
    pub(crate) fn tools(&self) -> Result<Toolset> {
        self.choice.tools()
    }

    /// The toolset for a model of our own, and the name of the preset, which also decides how the
    /// model is told to work: there it may be one that the toolset does not have.
    pub(crate) fn tools_and_preset(&self) -> Result<(Toolset, &str)> {
        self.choice.tools_and_preset()
    }

    fn cache(&self) -> Result<PathBuf> {
        if let Some(dir) = &self.own.cache {
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
        let Some(name) = self.web.web_search.as_deref().filter(|name| !name.is_empty()) else {
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

    /// How extensions are reached, if they are wanted.
    pub(crate) fn extensions(&self) -> Result<Option<browser::Extensions>> {
        let given = &self.browser;
        Ok((given.extension == Switch::On).then_some(browser::Extensions {
            url: given.extension_url.clone(),
            most_attempts: given.max_reconnect,
            interval: Duration::from_millis(given.reconnect_interval),
            ids: given.extension_id.clone(),
            state: self.place.state()?,
        }))
    }

    /// What a project is made from.
    pub(crate) fn settings(&self) -> Result<Settings> {
        let sandbox = match self.programs.sandbox {
            Sandbox::Auto => process::Sandbox::Auto,
            Sandbox::Landlock => process::Sandbox::Landlock,
            Sandbox::Off => process::Sandbox::Off,
        };
        let allowed: Vec<_> = self.permits.allow.iter().map(|path| access(path)).collect();
        for (path, _) in &allowed {
            directory("--allow", path)?;
        }
        Ok(Settings {
            root: self.place.root()?,
            allow: allowed,
            allow_protected: self.permits.allow_protected.clone(),
            state: self.place.state()?,
            cache: self.cache()?,
            programs: process::Settings {
                env: environment(),
                sandbox,
                layer: self.programs.layer == Switch::On,
                network: match &self.programs.network {
                    Some(network) => network.0.clone(),
                    None if self.permits.policy == Policy::Trust => process::Network::On,
                    None => process::Network::Off,
                },
                gateway: None,
                exposed: self.programs.expose.iter().map(|path| exposed(path)).collect(),
                programs: self.programs.programs.clone(),
                writable: Vec::new(),
                brief: false,
            },
            web: web::Settings {
                allow: self.web.web_allow.clone(),
                hosts: Vec::new(),
                search: self.search_backend()?,
                limits: web::Limits::default(),
            },
            browser: browser::Settings { extension: self.extensions()? },
            limits: Limits::default(),
            durable: self.own.fsync == Switch::On,
        })
    }
}

/// A directory that a setting names.
fn directory(flag: &str, path: &Path) -> Result<PathBuf> {
    let problem = match std::fs::metadata(path) {
        Ok(data) if data.is_dir() => return Ok(path.to_owned()),
        Ok(_) => "not a directory".to_owned(),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => "no such directory".to_owned(),
        Err(e) => e.to_string(),
    };
    Err(Error::invalid_input(flag, format!("{}: {problem}", path.display())))
}

/// The home directory of the user, without links.
pub(crate) fn home() -> Option<PathBuf> {
    etcetera::home_dir().ok().and_then(|home| std::fs::canonicalize(home).ok())
}

/// The environment of this process, of which programs get an allowed part.
pub(crate) fn environment() -> Vec<(OsString, OsString)> {
    std::env::vars_os().collect()
}

/// A variable of the environment, if it is set and not empty.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A file that was named on the command line, as text.
pub(crate) fn contents(path: &str) -> Result<String> {
    let bytes = std::fs::read(path).map_err(|e| Error::invalid_input(path, e.to_string()))?;
    String::from_utf8(bytes).map_err(|_| Error::invalid_input(path, "not UTF-8 text"))
}

/// The same, to be read line by line.
pub(crate) fn opened(path: &str) -> Result<BufReader<File>> {
    match File::open(path) {
        Ok(file) => Ok(BufReader::new(file)),
        Err(e) => Err(Error::invalid_input(path, e)),
    }
}

fn exposed(given: &Path) -> process::Exposed {
    let (path, access) = access(given);
    process::Exposed { path, writable: access == Access::Write }
}

/// What a directory may be used for that a setting names; a leading `~` is the home directory, since
/// no shell expands it in a file.
fn access(allowed: &Path) -> (PathBuf, Access) {
    let (path, access) = match allowed.to_str().and_then(|p| p.strip_suffix(":ro")) {
        Some(path) => (Path::new(path), Access::Read),
        None => (allowed, Access::Write),
    };
    let at_home = path.strip_prefix("~").ok().and_then(|rest| Some(home()?.join(rest)));
    (at_home.unwrap_or_else(|| path.to_owned()), access)
}
