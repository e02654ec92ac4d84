//! `kitbag demo`: a scripted session of an agent, through the MCP server that a host would start.
//!
//! Nothing is staged: each line is a call over the protocol to a second process of this program,
//! shown with the time it took, and each step is held to what it must show.

#![expect(
    clippy::disallowed_methods,
    reason = "starts this program as a host would, and lays out the sample project"
)]

mod host;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use fault::{Error, Result};
use files::journal::Direction;
use toolkit::Policy;
use toolkit::serde_json::{Value, json};

use crate::config::Place;
use crate::exit::Exit;
use crate::{compose, terminal};
use host::Host;

/// The sample project: path, content, whether it can be executed.
const SAMPLE: &[(&str, &str, bool)] = &[
    ("README.md", include_str!("../../sample/README.md"), false),
    ("bin/semver", include_str!("../../sample/bin/semver"), true),
    ("lib/compare.sh", include_str!("../../sample/lib/compare.sh"), false),
    ("tests/run.sh", include_str!("../../sample/tests/run.sh"), true),
];

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What runs without asking; with `ask`, you are asked as a host would ask you
    #[arg(long, default_value = "trust", value_name = "POLICY")]
    policy: Policy,
    /// Keep the project and its journal in this directory instead of a temporary one
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> Result<Exit> {
    let folder = Folder::new(args.keep.clone())?;
    let root = folder.path.join("semver");
    lay_out(&root)?;
    let state = folder.path.join("state");
    terminal::print(&format!(
        "\u{1b}[1mA sample project\u{1b}[0m is in {}: version numbers in plain shell, with a failing test.\n",
        root.display()
    ))?;
    let mut host = Host::start(&root, &state, args.policy)?;
    play(&mut host, &root, &state)?;
    host.end()?;
    terminal::print("\n\u{1b}[1mDone:\u{1b}[0m every step did what it shows.\n")?;
    Ok(Exit::Success)
}

/// The script. What a step must show is beside it.
fn play(host: &mut Host, root: &Path, state: &Path) -> Result<()> {
    let place = Place { root: Some(root.to_owned()), state: Some(state.to_owned()) };
    say("The agent looks around")?;
    host.call("search", &json!({"query": "compare", "mode": "files"}))?.shows("lib/compare.sh")?;
    host.call("run", &json!({"command": "tests/run.sh"}))?
        .shows("exit 1")?
        .shows("FAIL: expected 1.2.0 < 1.10.0")?;
    say("Two cases are red: 10 sorts before 2. Where does it sort?")?;
    host.call("search", &json!({"query": "sort", "glob": "*.sh"}))?.shows("lib/compare.sh")?;
    host.call("read", &json!({"path": "lib/compare.sh#compare_versions"}))?
        .shows("| sort | head")?;
    say("It sorts text, not numbers. The agent fixes that line and runs the tests again")?;
    let edit = json!({"path": "lib/compare.sh", "old": "| sort | head", "new": "| sort -n | head"});
    host.call("edit", &edit)?.shows("line 17 changed")?;
    host.call("run", &json!({"command": "tests/run.sh"}))?.shows("5 passed, 0 failed")?;

    let (workspace, journal) = compose::journal(&place)?;
    command("kitbag diff")?;
    let meant = journal.meant(&workspace, Direction::Undo, None, |_| false)?;
    let diff = journal.diff(&workspace, meant.record.id)?;
    holds(
        &diff,
        "+        first=$(printf '%s\\n%s\\n' \"$left\" \"$right\" | sort -n | head -n 1)",
    )?;
    terminal::print(&indented(&terminal::coloured(&diff)))?;
    command("kitbag undo")?;
    let undone = journal.turn(&workspace, Direction::Undo, None)?;
    terminal::print(&indented(&format!(
        "undid call {}: {} {}\n",
        undone.id, undone.tool, undone.about
    )))?;
    host.call("run", &json!({"command": "tests/run.sh"}))?.shows("exit 1")?;
    command("kitbag redo")?;
    let redone = journal.turn(&workspace, Direction::Redo, None)?;
    terminal::print(&indented(&format!(
        "redid call {}: {} {}\n",
        redone.id, redone.tool, redone.about
    )))?;
    host.call("run", &json!({"command": "tests/run.sh"}))?.shows("5 passed, 0 failed")?;
    Ok(())
}

fn say(text: &str) -> Result<()> {
    terminal::print(&format!("\n\u{1b}[1m{text}\u{1b}[0m\n"))
}

fn command(line: &str) -> Result<()> {
    terminal::print(&format!("\n\u{1b}[35m$ {line}\u{1b}[0m\n"))
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

/// A step that does not show what it must fails the demo.
fn holds(text: &str, wanted: &str) -> Result<()> {
    if text.contains(wanted) {
        return Ok(());
    }
    Err(Error::internal(format!("the demo expected `{wanted}` and got:\n{text}")))
}

/// Shows a call and what came back, and lets a step be held to it.
struct Shown {
    text: String,
}

impl Shown {
    fn shows(self, wanted: &str) -> Result<Self> {
        holds(&self.text, wanted).map(|()| self)
    }
}

impl Host {
    fn call(&mut self, tool: &str, input: &Value) -> Result<Shown> {
        let (result, time) = self.tool(tool, input)?;
        let parts = result["content"].as_array().into_iter().flatten();
        let text: String = parts.filter_map(|part| part["text"].as_str()).collect();
        let ms = time.as_secs_f64() * 1000.0;
        terminal::print(&format!(
            "\u{1b}[36m→ {tool}\u{1b}[0m {input}  \u{1b}[2m{ms:.1} ms\u{1b}[0m\n{}",
            indented(text.trim_end())
        ))?;
        if result["isError"] == true && self.declined {
            return Err(Error::person_refused(tool));
        }
        if result["isError"] == true {
            return Err(Error::internal(format!("the demo's call of {tool} failed: {text}")));
        }
        Ok(Shown { text })
    }
}

fn lay_out(root: &Path) -> Result<()> {
    let fail = |e: std::io::Error| Error::io(&root.display().to_string(), &e);
    for (path, text, executable) in SAMPLE {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(root)).map_err(fail)?;
        std::fs::write(&path, text).map_err(fail)?;
        let mode = if *executable { 0o755 } else { 0o644 };
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).map_err(fail)?;
    }
    Ok(())
}

/// The directory of the demo, taken away at its end unless it is to be kept.
struct Folder {
    path: PathBuf,
    temporary: bool,
}

impl Folder {
    fn new(keep: Option<PathBuf>) -> Result<Self> {
        let temporary = keep.is_none();
        let path = keep.unwrap_or_else(|| {
            std::env::temp_dir().join(format!("kitbag-demo-{}", files::journal::new_id()))
        });
        std::fs::create_dir_all(&path).map_err(|e| Error::io(&path.display().to_string(), &e))?;
        let path =
            std::fs::canonicalize(&path).map_err(|e| Error::io(&path.display().to_string(), &e))?;
        Ok(Self { path, temporary })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.temporary {
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}
