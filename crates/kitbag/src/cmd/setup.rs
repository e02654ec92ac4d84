//! `kitbag setup`: how a host is told to start the server, and which tools suit it.

use fault::{Code, Error, Result};
use files::journal::{Approved, Label, Parents};
use toolkit::Policy;
use toolkit::serde_json::{self, Map, Value, json};

use crate::config::Place;
use crate::exit::Exit;
use crate::{compose, terminal};

/// A host, and the file in a project that names its servers.
struct Host {
    name: &'static str,
    /// Below the root.
    file: &'static str,
    /// The field with the servers.
    field: &'static str,
    /// How the file calls the root; else it is written out.
    root: Option<&'static str>,
    /// What else the host wants to know of a server.
    typed: bool,
    /// It has tools of its own for files, edits and commands.
    has_tools: bool,
}

const HOSTS: &[Host] = &[
    host("claude-code", ".mcp.json", "mcpServers", Some(".")),
    host("cursor", ".cursor/mcp.json", "mcpServers", Some("${workspaceFolder}")),
    Host {
        typed: true,
        ..host("vscode", ".vscode/mcp.json", "servers", Some("${workspaceFolder}"))
    },
    host("gemini", ".gemini/settings.json", "mcpServers", None),
    host("zed", ".zed/settings.json", "context_servers", None),
    Host { has_tools: false, ..host("other", ".mcp.json", "mcpServers", None) },
];

const fn host(
    name: &'static str,
    file: &'static str,
    field: &'static str,
    root: Option<&'static str>,
) -> Host {
    Host { name, file, field, root, typed: false, has_tools: true }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Host that is to start the server; `other` is for hosts without tools of their own
    #[arg(value_parser = names())]
    host: String,
    /// Write it into the host's file in the project, where other servers stay; `kitbag undo` takes it
    /// back
    #[arg(long)]
    write: bool,
    /// Preset of kit [default: beside, for hosts that read, edit and run by themselves; else whole]
    #[arg(long, value_name = "PRESET", value_parser = presets())]
    preset: Option<String>,
    /// Tool that the preset leaves out
    #[arg(long, value_name = "TOOL", value_delimiter = ',', value_parser = tools())]
    with: Vec<String>,
    /// Tool to leave out
    #[arg(long, value_name = "TOOL", value_delimiter = ',', value_parser = tools())]
    without: Vec<String>,
    /// What runs without asking
    #[arg(long, default_value = "auto", value_name = "POLICY")]
    policy: Policy,
    #[command(flatten)]
    place: Place,
}

fn names() -> clap::builder::PossibleValuesParser {
    HOSTS.iter().map(|host| host.name).collect::<Vec<_>>().into()
}

fn presets() -> clap::builder::PossibleValuesParser {
    let kit = toolsets::toolset("kit").map(|kit| kit.presets).unwrap_or_default();
    kit.iter().map(|(name, _)| *name).collect::<Vec<_>>().into()
}

fn tools() -> clap::builder::PossibleValuesParser {
    let kit = toolsets::toolset("kit").map(toolkit::Toolset::into_entries).unwrap_or_default();
    kit.iter().map(|entry| entry.spec.name).collect::<Vec<_>>().into()
}

pub(super) fn run(args: &Args) -> Result<Exit> {
    let known = HOSTS.iter().find(|host| host.name == args.host);
    let host = known.ok_or_else(|| Error::invalid_input("host", "no such host"))?;
    let (workspace, journal) = compose::journal(&args.place)?;
    let root = workspace.root().display().to_string();
    let usual = if host.has_tools { "beside" } else { "whole" };
    let mut line = vec![
        "serve",
        "--root",
        host.root.unwrap_or(&root),
        "--policy",
        args.policy.as_str(),
        "--preset",
        args.preset.as_deref().unwrap_or(usual),
    ];
    for (flag, names) in [("--with", &args.with), ("--without", &args.without)] {
        line.extend(names.iter().flat_map(|name| [flag, name]));
    }
    let mut server = json!({"command": "kitbag", "args": line});
    if host.typed {
        server["type"] = "stdio".into();
    }
    if !args.write {
        let alone = json!({host.field: {"kitbag": server}});
        terminal::print(&format!("{alone:#}\n"))?;
        terminal::say(&format!(
            "this belongs into {} of the project; --write puts it there",
            host.file
        ));
        return Ok(Exit::Success);
    }
    let mut all = match workspace.read(host.file) {
        Ok(contents) => parsed(host, &contents.bytes)?,
        Err(e) if e.code == Code::FileNotFound => Map::new(),
        Err(e) => return Err(e),
    };
    let before = Value::Object(all.clone());
    let servers = all.entry(host.field).or_insert_with(|| Value::Object(Map::new()));
    let servers = servers.as_object_mut().ok_or_else(|| unusable(host, "not an object"))?;
    servers.insert("kitbag".to_owned(), server);
    let after = Value::Object(all);
    if before == after {
        terminal::print(&format!("{} has it already; nothing was written\n", host.file))?;
        return Ok(Exit::Success);
    }
    let label = Label {
        session: files::journal::new_id(),
        tool: "setup".to_owned(),
        about: host.name.to_owned(),
    };
    // The person who runs this says yes to a file that the host obeys.
    let approved = Approved { protected: vec![workspace.root().join(host.file)], planned: None };
    let step = journal.begin(&workspace, label, approved);
    let text = format!("{after:#}\n");
    step.write(host.file, text.as_bytes(), Parents::Create)?;
    step.keep()?;
    terminal::print(&format!("wrote {}; restart the host\n", host.file))?;
    Ok(Exit::Success)
}

/// The file of a host. One with comments is not written again, since these would be lost.
fn parsed(host: &Host, bytes: &[u8]) -> Result<Map<String, Value>> {
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(all)) => Ok(all),
        Ok(_) => Err(unusable(host, "not an object")),
        Err(e) => Err(unusable(host, &format!("not plain JSON ({e})"))),
    }
}

fn unusable(host: &Host, why: &str) -> Error {
    let advice = format!("add by hand what `kitbag setup {}` prints", host.name);
    Error::invalid_input(host.file, format!("{why}; {advice}"))
}
