//! The files that name other MCP servers, in the shape that most hosts use.

use fault::{Error, Result};
use mcp::client::{Config, Way};
use toolkit::serde_json::{self, Map, Value};

use super::{contents, variable};

/// The servers of a file. `${NAME}` in a value stands for a variable of the environment.
pub(super) fn read(file: &str) -> Result<Vec<Config>> {
    let wrong = |what: &str, problem: &str| {
        Error::invalid_input("--mcp-config", format!("{file}: {what}{problem}"))
    };
    let json: Value =
        serde_json::from_str(&contents(file)?).map_err(|e| wrong("", &e.to_string()))?;
    let servers = json["mcpServers"].as_object();
    let servers = servers.ok_or_else(|| wrong("", "no object `mcpServers`"))?;
    let mut all = Vec::new();
    for (name, server) in servers.iter().filter(|(_, server)| server["disabled"] != true) {
        let text = |field: &str| server[field].as_str().map(str::to_owned);
        let pairs = |field: &str| -> Result<Vec<(String, String)>> {
            let none = Map::new();
            let fields = server[field].as_object().unwrap_or(&none);
            let pair = |(key, value): (&String, &Value)| {
                let place = format!("{name}: `{field}.{key}`: ");
                let text = value.as_str().ok_or_else(|| wrong(&place, "must be a string"))?;
                filled(text).map(|value| (key.clone(), value)).map_err(|why| wrong(&place, &why))
            };
            fields.iter().map(pair).collect()
        };
        let way = match (text("command"), text("url")) {
            (Some(command), None) => {
                let args = server["args"].as_array().into_iter().flatten();
                let args = args.filter_map(|arg| arg.as_str().map(str::to_owned)).collect();
                Way::Program { command, args, env: pairs("env")? }
            }
            (None, Some(url)) => Way::Http { url, headers: pairs("headers")? },
            _ => return Err(wrong(name, ": needs either `command` or `url`")),
        };
        all.push(Config { name: name.clone(), way });
    }
    Ok(all)
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
