//! `kitbag tools`.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use fault::{Code, Error, Result};
use toolkit::serde_json::{Value, json};
use toolkit::{Provider, Toolset};

use crate::config::Choice;
use crate::exit::Exit;
use crate::terminal;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// One tool, with its parameters and examples
    tool: Option<String>,
    /// How they are shown
    #[arg(long, default_value = "table", value_name = "FORMAT", value_parser = formats())]
    format: String,
    /// Check each definition against the rules of the provider (of all, for table and json)
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    choice: Choice,
    /// Directory whose `kitbag.toml` may choose the toolset [default: the current directory]
    #[arg(id = "root", long = "root", env = "KITBAG_ROOT", value_name = "DIR")]
    #[arg(help_heading = "Project")]
    _root: Option<PathBuf>,
}

/// `table`, `json`, or the name of a provider.
fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new(
        ["table", "json"].into_iter().chain(Provider::ALL.iter().map(|p| p.name)),
    )
}

pub(super) fn run(args: &Args) -> Result<Exit> {
    let mut toolset = args.choice.tools()?;
    if let Some(name) = &args.tool {
        toolset = toolset.only(name).map_err(|error| elsewhere(error, name))?;
    }
    let provider = Provider::named(&args.format);
    if args.check {
        return check(&toolset, provider);
    }
    let text = match provider {
        Some(provider) => format!("{:#}\n", toolset.export(provider)),
        None if args.format == "json" => format!("{:#}\n", definitions(&toolset)),
        None => match &args.tool {
            Some(name) => page(&toolset, name)?,
            None => table(&toolset),
        },
    };
    terminal::print(&text)?;
    Ok(Exit::Success)
}

fn check(toolset: &Toolset, provider: Option<&'static Provider>) -> Result<Exit> {
    let providers = provider.map_or(Provider::ALL.to_vec(), |p| vec![p]);
    let (mut text, mut exit) = (String::new(), Exit::Success);
    for provider in providers {
        let problems = toolset.check(provider);
        let count = toolset.entries().len();
        if problems.is_empty() {
            let _ = writeln!(
                text,
                "{}: {count} of {count} definitions of {} are valid",
                provider.name, toolset.name
            );
            continue;
        }
        exit = Exit::Failure;
        for problem in problems {
            let _ = writeln!(
                text,
                "{}: {}: breaks `{}` at {}",
                provider.name, problem.tool, problem.rule, problem.at
            );
        }
    }
    terminal::print(&text)?;
    Ok(exit)
}

fn definitions(toolset: &Toolset) -> Value {
    let one = |entry: &toolkit::Entry| {
        let (spec, own) = (entry.spec, entry.definition());
        json!({
            "name": spec.name,
            "title": spec.title,
            "category": spec.category.as_str(),
            "permission": spec.permission.as_str(),
            "parallel_safe": spec.effect.only_reads(),
            "description": own.description,
            "input_schema": own.input,
            "output_schema": toolset.output_schema(entry),
            "errors": spec.codes().map(|c| c.as_str()).collect::<Vec<_>>(),
        })
    };
    toolset.entries().iter().map(one).collect()
}

/// The failure of a call whose tool only another toolset or preset has says so.
pub(super) fn elsewhere(error: Error, tool: &str) -> Error {
    let has = |name: &&&str| toolsets::toolset(name).is_some_and(|set| set.find(tool).is_ok());
    let others: Vec<&str> = toolsets::NAMES.iter().filter(has).copied().collect();
    match error.detail("toolset") {
        Some(own) if error.code == Code::UnknownTool && !others.is_empty() => {
            Error::tool_of_other_toolset(tool, own, &others)
        }
        _ => error,
    }
}

/// What a person needs to call a tool.
pub(super) fn page(toolset: &Toolset, name: &str) -> Result<String> {
    let entry = toolset.find(name)?;
    let (spec, own) = (entry.spec, entry.definition());
    let mut text = format!("\u{1b}[1m{}\u{1b}[0m: {}\n", spec.name, own.description);
    if !spec.aliases.is_empty() {
        let _ = writeln!(text, "\nAlso called: {}", spec.aliases.join(", "));
    }
    let _ = writeln!(text, "\nNeeds permission: {}", spec.permission.as_str());
    let fields = toolkit::fields(&own.input);
    if !fields.is_empty() {
        text += "\nParameters:\n";
    }
    for field in fields {
        let must = if field.required { ", required" } else { "" };
        let kind = field.kind.replace('`', "");
        let _ = writeln!(text, "  \u{1b}[1m{}\u{1b}[0m  {kind}{must}", field.name);
        for line in field.about.lines() {
            let _ = writeln!(text, "      {line}");
        }
    }
    text += "\nExamples:\n";
    // What came before in its session is not there for a command of its own.
    for example in spec.examples.iter().filter(|example| example.after.is_empty()) {
        let call = example.call.replace('\'', r"'\''");
        // Where the example stands for any text, a person reads that some is left out.
        let gives = toolset.promised(entry, example)?.to_text().replace("[..]", "…");
        let _ = writeln!(text, "  # {}\n  $ kitbag call {} '{call}'", example.about, spec.name);
        for line in gives.lines() {
            let _ = writeln!(text, "  {line}");
        }
    }
    Ok(text)
}

fn table(toolset: &Toolset) -> String {
    let mut text = format!("{}\n\n", toolset.about);
    for (at, (name, tools)) in toolset.presets.iter().enumerate() {
        let same = |(_, others): &&(&str, &[&str])| others == tools;
        if toolset.presets.iter().take(at).any(|preset| same(&preset)) {
            continue; // it was named with the first of them
        }
        let more = toolset.presets.iter().skip(at + 1).filter(same);
        let names: Vec<_> = std::iter::once(*name).chain(more.map(|(name, _)| *name)).collect();
        let _ = writeln!(text, "preset {}: {}", names.join(" = "), tools.join(", "));
    }
    if !toolset.presets.is_empty() {
        text.push('\n');
    }
    let wide = toolset.entries().iter().map(|e| e.spec.name.len()).max().unwrap_or(0);
    for entry in toolset.entries() {
        let first =
            entry.definition().description.split(". ").next().unwrap_or_default().to_owned();
        let needs = entry.spec.permission.as_str();
        let _ =
            writeln!(text, "{:wide$}  {needs:9}  {}", entry.spec.name, first.trim_end_matches('.'));
    }
    text
}
