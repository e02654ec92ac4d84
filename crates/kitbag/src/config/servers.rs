//! Other MCP servers, in the shape that most hosts use: below `mcpServers` in `kitbag.toml` and in files
//! that the user names, and as editors give them.

use fault::{Error, Result};
use mcp::client::{Config, Way};
use toolkit::serde_json::{self, Map, Value};

use super::{contents, variable};

/// The file of a project in which most hosts look for servers.
pub(crate) const OF_PROJECT: &str = ".mcp.json";

/// Servers by their names, as they were written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Servers(Map<String, Value>);

impl Servers {
    /// The object of the servers; its shape is checked, and no variable is looked up.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let own = Self(serde_json::from_str(text).map_err(|e| e.to_string())?);
        own.with(|text| Ok(text.to_owned())).map(|_| own)
    }

    /// Those below `mcpServers` in the text of a file.
    pub(crate) fn of_file(text: &str) -> Result<Self, String> {
        let json: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
        json["mcpServers"].as_object().cloned().map(Self).ok_or("no object `mcpServers`".into())
    }

    /// Those that an editor names: a list, in which each has its name.
    pub(crate) fn of_editor(list: &Value) -> Result<Vec<Config>> {
        let named = |server: &Value| Some((server["name"].as_str()?.to_owned(), server.clone()));
        let list = list.as_array().into_iter().flatten();
        let all: Option<_> = list.map(named).collect();
        let wrong = |problem: &str| Error::invalid_input("mcpServers", problem);
        let own = all.map(Self).ok_or_else(|| wrong("each server needs a `name`"))?;
        own.with(|text| Ok(text.to_owned())).map_err(|problem| wrong(&problem))
    }

    /// Their names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.enabled().map(|(name, _)| name.as_str())
    }

    fn enabled(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0.iter().filter(|(_, server)| server["disabled"] != true)
    }

    /// The servers. `${NAME}` in a value stands for a variable of the environment.
    fn filled(&self) -> Result<Vec<Config>, String> {
        self.with(filled)
    }

    /// The servers, with their values as `fill` makes them.
    fn with(&self, fill: impl Fn(&str) -> Result<String, String>) -> Result<Vec<Config>, String> {
        let server = |(name, server): (&String, &Value)| {
            let way = way(server, &fill).map_err(|problem| format!("{name}: {problem}"))?;
            Ok(Config { name: name.clone(), way })
        };
        self.enabled().map(server).collect()
    }
}

/// The servers of the settings and of the files that are named; of two with one name the later counts.
pub(super) fn configured(settings: Option<&Servers>, files: &[String]) -> Result<Vec<Config>> {
    let mut all = Vec::new();
    if let Some(servers) = settings {
        all = servers.filled().map_err(|e| Error::invalid_input("mcpServers", e))?;
    }
    for file in files {
        let of_file = Servers::of_file(&contents(file)?).and_then(|servers| servers.filled());
        let wrong = |e| Error::invalid_input("--mcp-config", format!("{file}: {e}"));
        add(&mut all, of_file.map_err(wrong)?);
    }
    Ok(all)
}

/// Adds servers, in the place of those of the same names.
pub(super) fn add(all: &mut Vec<Config>, more: Vec<Config>) {
    all.retain(|one| !more.iter().any(|other| other.name == one.name));
    all.extend(more);
}

/// How a server is reached.
fn way(server: &Value, fill: impl Fn(&str) -> Result<String, String>) -> Result<Way, String> {
    // An object of values, or a list of objects with a name and a value.
    let pairs = |field: &str| -> Result<Vec<(String, String)>, String> {
        let pair = |(key, value): (&str, &Value)| {
            let text = value.as_str().ok_or("must be a string".to_owned()).and_then(&fill);
            let text = text.map_err(|problem| format!("`{field}.{key}`: {problem}"));
            text.map(|text| (key.to_owned(), text))
        };
        match &server[field] {
            Value::Null => Ok(Vec::new()),
            Value::Object(all) => all.iter().map(|(key, value)| pair((key, value))).collect(),
            Value::Array(all) => {
                let named =
                    |one: &Value| pair((one["name"].as_str().unwrap_or("?"), &one["value"]));
                all.iter().map(named).collect()
            }
            _ => Err(format!("`{field}` must be an object")),
        }
    };
    let text = |field: &str| server[field].as_str().map(str::to_owned);
    match (text("command"), text("url")) {
        (_, Some(_)) if server["type"] == "sse" => {
            Err("the transport `sse` is not spoken any more; use that of the type `http`".into())
        }
        (Some(command), None) => {
            let args = server["args"].as_array().into_iter().flatten();
            let arg = |arg: &Value| arg.as_str().map(str::to_owned);
            let args: Option<_> = args.map(arg).collect();
            let args = args.ok_or("`args` must be a list of strings")?;
            Ok(Way::Program { command, args, env: pairs("env")? })
        }
        (None, Some(url)) => Ok(Way::Http { url, headers: pairs("headers")? }),
        _ => Err("needs either `command` or `url`".to_owned()),
    }
}

/// A value with its variables, or why it has none.
fn filled(value: &str) -> Result<String, String> {
    let mut parts = value.split("${");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once('}').ok_or("`${` without `}`")?;
        text += &variable(name).ok_or_else(|| format!("the variable {name} is not set"))?;
        text += rest;
    }
    Ok(text)
}
