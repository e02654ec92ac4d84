//! `cargo xtask docs`: reference pages and the tool matrix, rendered from the registry.

use std::fmt::Write as _;
use std::path::PathBuf;

use toolkit::fault::Code;
use toolkit::serde_json::{Map, Value};
use toolkit::{ANY_CALL, Decision, Entry, Example, KINDS, Policy, Toolset};
use toolkit::{decide, decide_protected};

use crate::remedies::remedy;
use crate::{Result, output, root};

/// Writes every generated page.
pub(crate) fn write() -> Result {
    let pages = pages()?.into_iter().chain([command_line()?]);
    for (path, text) in pages {
        let old = std::fs::read_to_string(&path).unwrap_or_default();
        if old != text {
            let folder = path.parent().map(PathBuf::from).unwrap_or_default();
            std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
            std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
            println!("wrote {}", path.display());
        }
    }
    Ok(())
}

/// Every generated page with its content.
pub(crate) fn pages() -> Result<Vec<(PathBuf, String)>> {
    let reference = root().join("docs/reference");
    let toolsets: Vec<Toolset> =
        toolsets::NAMES.iter().filter_map(|n| toolsets::toolset(n)).collect();
    let mut pages: Vec<_> =
        toolsets.iter().map(|t| (reference.join(format!("{}.md", t.name)), toolset(t))).collect();
    pages.push((reference.join("errors.md"), errors()));
    for (page, blocks) in [
        ("README.md", &[("tools", matrix(&toolsets)), ("policies", meanings())][..]),
        ("docs/guide/policies.md", &[("policies", meanings()), ("decisions", decisions())]),
    ] {
        let path = root().join(page);
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{page}: {e}"))?;
        let put =
            |text: String, (name, block): &(&str, String)| with_block(page, &text, name, block);
        pages.push((path, blocks.iter().try_fold(text, put)?));
    }
    Ok(pages)
}

/// The page of the command line, from the program's own help.
pub(crate) fn command_line() -> Result<(PathBuf, String)> {
    let page = output("cargo", &["run", "--quiet", "--locked", "-p", "kitbag", "--", "reference"])?;
    Ok((root().join("docs/reference/cli.md"), page))
}

const MADE: &str = "<!-- Written by `cargo xtask docs` from the source; do not edit. -->\n";

fn toolset(set: &Toolset) -> String {
    let mut page =
        format!("{MADE}# Toolset `{}`\n\n{}.\n\n{}\n", set.name, set.about, set.instructions);
    if !set.presets.is_empty() {
        page.push('\n');
    }
    for (name, tools) in set.presets {
        let _ = writeln!(page, "- preset `{name}`: {}", tools.join(", "));
    }
    for entry in set.entries() {
        tool(&mut page, set, entry);
    }
    page
}

fn tool(page: &mut String, set: &Toolset, entry: &Entry) {
    let (spec, own) = (entry.spec, entry.definition());
    let _ = write!(page, "\n## {}\n\n{}\n\n", spec.name, own.description);
    let _ = writeln!(
        page,
        "Needs: {}. Parallel-safe: {}. Effect: {}.\n",
        spec.permission.as_str(),
        if spec.effect.only_reads() { "yes" } else { "no" },
        spec.effect,
    );
    if !spec.aliases.is_empty() {
        let _ = writeln!(page, "Also accepted as: {}.\n", spec.aliases.join(", "));
    }
    fields(page, "Parameter", &own.input);
    match &own.output {
        Some(output) => fields(page, "Result", output),
        None => page.push_str("The result is text.\n\n"),
    }
    let codes: Vec<_> = spec.codes().map(|c| format!("[`{c}`](errors.md)")).collect();
    if !codes.is_empty() {
        let _ = writeln!(page, "Fails with: {}.\n", codes.join(", "));
    }
    for example in spec.examples {
        show(page, set, entry, example);
    }
}

fn fields(page: &mut String, heading: &str, schema: &Map<String, Value>) {
    let fields = toolkit::fields(schema);
    if fields.is_empty() {
        return;
    }
    let _ = writeln!(page, "| {heading} | type | | |\n|---|---|---|---|");
    for field in fields {
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | {} |",
            field.name,
            field.kind,
            if field.required { "required" } else { "" },
            field.about.replace('|', "\\|"),
        );
    }
    page.push('\n');
}

fn show(page: &mut String, set: &Toolset, entry: &Entry, example: &Example) {
    let _ = writeln!(page, "{}:\n\n```text", example.about);
    for (path, text) in example.given {
        let _ = writeln!(
            page,
            "given  {path}  {}",
            if path.ends_with('/') { "(directory)".into() } else { format!("{text:?}") }
        );
    }
    for (tool, arguments) in example.after {
        let _ = writeln!(page, "after  {tool} {arguments}");
    }
    let _ = writeln!(page, "call   {} {}", entry.spec.name, example.call);
    let gives = set.promised(entry, example).map(|body| body.to_text());
    for (n, line) in gives.unwrap_or_else(|e| e.to_string()).lines().enumerate() {
        let _ = writeln!(page, "{}{line}", if n == 0 { "gives  " } else { "       " });
    }
    for (path, text) in example.leaves {
        let text = if *text == toolkit::GONE { (*text).to_owned() } else { format!("{text:?}") };
        let _ = writeln!(page, "leaves {path}  {text}");
    }
    page.push_str("```\n\n");
}

fn errors() -> String {
    let mut page = format!(
        "{MADE}# Error codes\n\nEvery failure has one code, and a message that says what to do \
         next. The page of a tool lists the codes it can fail with, beside those of any call: {}.\n\n\
         | Code | Meaning | What to do |\n|---|---|---|\n",
        ANY_CALL.iter().map(|code| format!("`{code}`")).collect::<Vec<_>>().join(", ")
    );
    for code in Code::ALL {
        let _ = writeln!(page, "| `{code}` | {} | {} |", code.meaning(), remedy(*code));
    }
    page
}

/// A page with what stands between the markers of this name replaced.
fn with_block(page: &str, text: &str, name: &str, block: &str) -> Result<String> {
    let missing = || format!("{page} has lost the markers of `{name}`");
    let begin = format!("<!-- {name}: begin, written by `cargo xtask docs` -->\n");
    let end = format!("<!-- {name}: end -->\n");
    let (before, rest) = text.split_once(&begin).ok_or_else(missing)?;
    let (_, after) = rest.split_once(&end).ok_or_else(missing)?;
    Ok(format!("{before}{begin}{block}{end}{after}"))
}

fn matrix(toolsets: &[Toolset]) -> String {
    let mut matrix = String::from("| Toolset | | Tools | Results |\n|---|---|---|---|\n");
    for set in toolsets {
        let structured = set.entries().iter().any(|e| e.definition().output.is_some());
        let (name, count) = (set.name, set.entries().len());
        let results = if structured { "fields" } else { "text" };
        let _ = writeln!(
            matrix,
            "| [`{name}`](docs/reference/{name}.md) | {} | {count} | {results} |",
            set.about
        );
    }
    matrix
}

/// What each policy means.
fn meanings() -> String {
    let one = |policy: &Policy| format!("- `{}`: {}.\n", policy.as_str(), policy.meaning());
    Policy::ALL.iter().map(one).collect()
}

/// What each policy does with each kind of call.
fn decisions() -> String {
    let name = |decision| match decision {
        Decision::Allow => "runs",
        Decision::Ask => "asks",
        Decision::Deny => "refused",
    };
    let row = |heading: &str, decide: &dyn Fn(Policy) -> Decision| {
        let cells: Vec<_> = Policy::ALL.iter().map(|policy| name(decide(*policy))).collect();
        format!("| {heading} | {} |\n", cells.join(" | "))
    };
    let names: Vec<_> = Policy::ALL.iter().map(|p| format!("`{}`", p.as_str())).collect();
    let mut table =
        format!("| a call that | {} |\n|---|{}\n", names.join(" | "), "---|".repeat(names.len()));
    for (heading, needs, does, contained) in KINDS {
        table += &row(heading, &|policy| decide(policy, *needs, *does, *contained));
    }
    table + &row("changes a protected file", &decide_protected)
}
