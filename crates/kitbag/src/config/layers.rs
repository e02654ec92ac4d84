//! `kitbag.toml`: flags by their long names, in a file of the user and one in the root of a project.
//!
//! A file only fills in the defaults of the command line, so flags and the environment come first.
//! The file of a project is written by whoever wrote the project: it can choose tools and make
//! things stricter, never wider.

#![expect(clippy::disallowed_methods, reason = "reads the settings of the user")]

use std::any::TypeId;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgMatches, Args as _, Command, CommandFactory as _};
use etcetera::BaseStrategy as _;
use fault::{Code, Error, Result};
use files::{Limits, Workspace};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};
use toolkit::Policy;
use toolkit::serde_json::Value;

use super::model::Asked;
use super::servers::Servers;
use super::{Common, Place};

const NAME: &str = "kitbag.toml";

/// The table of a file with the settings of `kitbag run`.
const RUN: &str = "run";

/// The table of a file with other MCP servers, and the flag that it fills in.
const SERVERS: &str = "mcpServers";
const SERVERS_FLAG: &str = "mcp-servers";

/// What a file says of one setting.
#[derive(Debug)]
struct Given {
    values: Vec<String>,
    /// The file and its line.
    place: String,
}

/// What the files say.
#[derive(Debug, Default)]
pub(crate) struct Layers {
    /// By the long name of the flag; the project's file over the user's.
    given: BTreeMap<String, Given>,
    /// What of the files cannot be used, with the file and the line. The rest counts all the same,
    /// for commands that show what is wrong or take back what was done.
    pub(crate) problems: Vec<Error>,
}

impl Layers {
    /// Reads both files for a command whose flags are `flags`. A missing file says nothing.
    pub(crate) fn read(flags: &ArgMatches) -> Self {
        let root = flags.try_get_one::<PathBuf>("root").ok().flatten().cloned();
        Self::with(flags, of_project(root))
    }

    /// The same for the project in a directory, or for none.
    pub(crate) fn read_for(flags: &ArgMatches, root: Option<&Path>) -> Self {
        Self::with(flags, root.map_or(Ok(None), |root| of_project(Some(root.to_owned()))))
    }

    fn with(flags: &ArgMatches, project: Result<Option<(PathBuf, String)>>) -> Self {
        let mut all = Self::default();
        if let Some((path, text)) = all.usable(of_user()).flatten() {
            all.given = all.settings(&path, &text);
        }
        if let Some((path, text)) = all.usable(project).flatten() {
            let mut stricter = all.settings(&path, &text);
            let widest = all.given.get("policy").and_then(|given| given.values[0].parse().ok());
            let widest = widest.unwrap_or_default();
            stricter.retain(|key, given| all.usable(permit(key, given, widest)).is_some());
            if stricter.contains_key("toolset") {
                all.forget_choices(); // they are of another toolset
            }
            all.given.extend(stricter);
        }
        if is_given(flags, "toolset") {
            all.forget_choices();
        }
        for (flag, other) in [("with", "without"), ("without", "with")] {
            if is_given(flags, flag) {
                let names: Vec<&String> = flags.get_many(flag).into_iter().flatten().collect();
                all.forget(other, |name| names.contains(&name));
            }
        }
        all
    }

    /// Forgets which tools of a toolset were chosen.
    fn forget_choices(&mut self) {
        ["preset", "with", "without"].iter().for_each(|key| drop(self.given.remove(*key)));
    }

    /// Forgets values of a setting.
    fn forget(&mut self, key: &str, which: impl Fn(&String) -> bool) {
        let Some(given) = self.given.get_mut(key) else { return };
        given.values.retain(|value| !which(value));
        if given.values.is_empty() {
            self.given.remove(key);
        }
    }

    /// What was found, or nothing and one more problem.
    fn usable<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.problems.push(error)).ok()
    }

    /// Whether no file says anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// The command line with what the files say as defaults.
    pub(crate) fn fill(&self, command: Command) -> Command {
        command.mut_subcommands(|inner| {
            inner.mut_args(|arg| match arg.get_long().and_then(|long| self.given.get(long)) {
                Some(given) if arg.get_env().is_some() => arg.default_values(given.values.clone()),
                _ => arg,
            })
        })
    }

    /// Each setting: its name, its value as it was written, and where that comes from.
    pub(crate) fn origins(&self, flags: &ArgMatches) -> Vec<(String, Option<String>, String)> {
        let row = |arg: &clap::Arg| {
            let (id, long) = (arg.get_id().as_str(), arg.get_long().unwrap_or_default());
            let from = match flags.value_source(id) {
                Some(ValueSource::CommandLine) => format!("--{long}"),
                Some(ValueSource::EnvVariable) => {
                    arg.get_env().unwrap_or_default().to_string_lossy().into_owned()
                }
                _ => self.given.get(long).map_or("default".to_owned(), |given| given.place.clone()),
            };
            let values = flags.get_raw(id).map(|raw| {
                let values = raw.map(|value| match Servers::parse(&value.to_string_lossy()) {
                    // Keys may be among what is said of them.
                    Ok(servers) if long == SERVERS_FLAG => {
                        servers.names().collect::<Vec<_>>().join(",")
                    }
                    _ => value.to_string_lossy().into_owned(),
                });
                values.collect::<Vec<_>>().join(",")
            });
            (long.to_owned(), values, from)
        };
        let of_run = |arg: &clap::Arg| {
            let (long, values, from) = row(arg);
            (format!("{RUN}.{long}"), values, from)
        };
        let (all, run) = (of_all(), of_run_alone());
        all.get_arguments().map(row).chain(run.get_arguments().map(of_run)).collect()
    }
}

/// Whether a subcommand has flags that the files can fill in. What has no variable is another flag
/// of the same name.
pub(crate) fn fills(command: &Command) -> bool {
    command.get_arguments().any(|arg| arg.get_env().is_some())
}

#[derive(clap::Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Settings {
    #[command(flatten)]
    _common: Common,
    #[command(flatten)]
    _run: Asked,
}

/// All settings as a command of their own.
pub(crate) fn command() -> Command {
    Settings::command()
}

/// The settings of every command that calls tools.
fn of_all() -> Command {
    Common::augment_args(Command::default())
}

/// The settings of `kitbag run` alone.
fn of_run_alone() -> Command {
    Asked::augment_args(Command::default())
}

/// Whether a flag or the environment gives it.
fn is_given(flags: &ArgMatches, id: &str) -> bool {
    flags.ids().any(|known| known.as_str() == id)
        && flags.value_source(id).is_some_and(|source| source != ValueSource::DefaultValue)
}

fn of_user() -> Result<Option<(PathBuf, String)>> {
    let Ok(base) = etcetera::choose_base_strategy() else { return Ok(None) };
    let path = base.config_dir().join("kitbag").join(NAME);
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Some((path, text))),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Error::io(&path.display().to_string(), &e)),
    }
}

fn of_project(root: Option<PathBuf>) -> Result<Option<(PathBuf, String)>> {
    // That the root is missing is for the command to say.
    let Ok(root) = (Place { root, state: None }).root() else { return Ok(None) };
    let Ok(workspace) = Workspace::open(&root, &[], Limits::default()) else { return Ok(None) };
    let path = workspace.root().join(NAME);
    match workspace.read(NAME) {
        Ok(contents) => {
            let text = String::from_utf8(contents.bytes.to_vec());
            let text = text.map_err(|_| Error::invalid_input(&shown(&path), "not UTF-8 text"))?;
            Ok(Some((path, text)))
        }
        Err(e) if e.code == Code::FileNotFound => Ok(None),
        Err(e) => Err(e),
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

impl Layers {
    /// Reads a file: every key is the long name of a flag, every value one that the flag takes.
    fn settings(&mut self, path: &Path, text: &str) -> BTreeMap<String, Given> {
        let line = |at: usize| text.as_bytes().iter().take(at).filter(|b| **b == b'\n').count();
        let place = |at: usize| format!("{}:{}", shown(path), line(at) + 1);
        let table = DeTable::parse(text).map_err(|e| {
            let at = e.span().map_or(0, |span| span.start);
            let unquoted = text.lines().nth(line(at)).and_then(unquoted);
            let problem = unquoted.unwrap_or_else(|| e.message().to_owned());
            Error::invalid_input(&place(at), problem)
        });
        let Some(table) = self.usable(table) else { return BTreeMap::new() };
        let mut all = BTreeMap::new();
        let mut take = |flags: &Command, key: Spanned<DeString<'_>>, value: DeValue<'_>| {
            let place = place(key.span().start);
            let (key, value) = match (key.into_inner().into_owned(), value) {
                // The one setting with a shape, and a spelling, that others made.
                (key, DeValue::Table(_)) if key == SERVERS => {
                    let json = toml::from_str::<Value>(text).map(|all| all[SERVERS].to_string());
                    (SERVERS_FLAG.to_owned(), DeValue::String(json.unwrap_or_default().into()))
                }
                other => other,
            };
            if let Some(values) = self.usable(values(&place, flags, &key, value)) {
                all.insert(key, Given { values, place });
            }
        };
        for (key, value) in table.into_inner() {
            match value.into_inner() {
                DeValue::Table(run) if key.get_ref() == RUN => {
                    run.into_iter().for_each(|(k, v)| take(&of_run_alone(), k, v.into_inner()));
                }
                value if key.get_ref() == SERVERS => take(&of_run_alone(), key, value),
                value => take(&of_all(), key, value),
            }
        }
        all
    }
}

/// What is wrong with a line whose value has no quotes.
fn unquoted(line: &str) -> Option<String> {
    let (key, value) = line.split('#').next()?.split_once('=')?;
    let (key, value) = (key.trim(), value.trim());
    let is_word = !value.is_empty() && !value.contains(['"', '\'', '[', '{', '=']);
    is_word.then(|| format!("`{value}` needs quotes: {key} = \"{value}\""))
}

/// The values of a setting, as its flag takes them, which is one of `flags`; `place` is the file and
/// the line.
fn values(place: &str, flags: &Command, key: &str, value: DeValue<'_>) -> Result<Vec<String>> {
    let known = || flags.get_arguments().filter(|arg| arg.get_id() != "root");
    let Some(flag) = known().find(|arg| arg.get_long() == Some(key)) else {
        let names = known().filter_map(|arg| arg.get_long().map(str::to_owned));
        let near = files::spelling::nearest(key, names, 1);
        let of_run = of_run_alone().get_arguments().any(|arg| arg.get_long() == Some(key));
        let advice = match (key, near.first()) {
            ("root", _) => "give it with --root or KITBAG_ROOT".to_owned(),
            _ if of_run => format!("it belongs below [{RUN}]"),
            (_, Some(near)) => format!("did you mean `{near}`?"),
            (_, None) => "`kitbag config` lists the settings".to_owned(),
        };
        return Err(Error::invalid_input(place, format!("no setting `{key}`; {advice}")));
    };
    let values = strings(value, flag.get_value_delimiter().is_some(), is_number(flag))
        .map_err(|wanted| Error::invalid_input(place, format!("`{key}` must be {wanted}")))?;
    let fits = match key {
        SERVERS_FLAG => Servers::parse(&values[0]).map(drop), // clap would repeat all of it
        _ => check(key, &values),
    };
    fits.map_err(|problem| Error::invalid_input(place, problem))?;
    Ok(values)
}

/// Whether a flag takes a number, which a file need not quote.
fn is_number(flag: &clap::Arg) -> bool {
    let kind = flag.get_value_parser().type_id();
    [TypeId::of::<u32>(), TypeId::of::<u64>()].into_iter().any(|number| kind == number)
}

/// The text of a value, or the texts of a list where a flag can be given more than once.
fn strings(value: DeValue<'_>, many: bool, number: bool) -> Result<Vec<String>, &'static str> {
    let wanted = match (many, number) {
        (true, _) => "a string or a list of strings",
        (_, true) => "a number",
        _ => "a string",
    };
    match value {
        DeValue::String(text) => Ok(vec![text.into_owned()]),
        DeValue::Integer(given) if number => Ok(vec![given.to_string()]),
        DeValue::Array(list) if many => {
            let texts = list.into_iter().map(|item| match item.into_inner() {
                DeValue::String(text) => Ok(text.into_owned()),
                _ => Err(wanted),
            });
            texts.collect()
        }
        _ => Err(wanted),
    }
}

/// Whether the flag takes these values, in the words of the command line.
fn check(key: &str, values: &[String]) -> Result<(), String> {
    let flags = values.iter().map(|value| format!("--{key}={value}"));
    let Err(error) = command().try_get_matches_from(flags) else { return Ok(()) };
    let text = error.to_string();
    let problem = text.split("\n\n").next().unwrap_or_default();
    let problem = problem.trim_start_matches("error: ").lines().map(str::trim);
    Err(problem.collect::<Vec<_>>().join(" "))
}

/// Refuses what a project may not decide; `widest` is the policy without its file.
fn permit(key: &str, given: &Given, widest: Policy) -> Result<()> {
    let rank = |wanted: Policy| Policy::ALL.iter().position(|policy| *policy == wanted);
    let permitted = match key {
        "toolset" | "preset" | "with" | "without" => true, // the policy holds for every tool
        "policy" => {
            given.values[0].parse().is_ok_and(|policy: Policy| rank(policy) <= rank(widest))
        }
        "network" => given.values == ["off"],
        _ => false,
    };
    if permitted {
        return Ok(());
    }
    let user = match etcetera::choose_base_strategy() {
        Ok(base) => shown(&base.config_dir().join("kitbag").join(NAME)),
        Err(_) => format!("kitbag/{NAME} in your configuration directory"),
    };
    let problem = format!(
        "a project may not set `{key}` to {:?}, only toolset, preset, with, without, network = \"off\" and a \
         policy no wider than `{}`; put it into {user}",
        fault::cut(&given.values.join(","), 100),
        widest.as_str()
    );
    Err(Error::new(Code::InvalidInput, format!("{}: {problem}", given.place)))
}
