//! `kitbag tools`.

use std::fmt::Write as _;

use clap::builder::PossibleValuesParser;
use fault::Result;
use toolkit::serde_json::{Value, json};
use toolkit::{Provider, Toolset};

use super::Exit;
use crate::config;
use crate::terminal;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Toolset: floyd, floyd-0.1.0, stack, local or fiz
    #[arg(long, env = "KITBAG_TOOLSET", default_value = "fiz", value_name = "T")]
    toolset: String,
    /// Preset of the toolset
    #[arg(long, env = "KITBAG_PRESET", value_name = "P")]
    preset: Option<String>,
    /// How they are shown
    #[arg(long, default_value = "table", value_name = "FORMAT", value_parser = formats())]
    format: String,
    /// Check each definition against the rules of the provider (of all, for table and json)
    #[arg(long)]
    check: bool,
}

/// `table`, `json`, or the name of a provider.
fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new(
        ["table", "json"].into_iter().chain(Provider::ALL.iter().map(|p| p.name)),
    )
}

pub(super) fn run(args: &Args) -> Result<Exit> {
    let toolset = config::toolset(&args.toolset, args.preset.as_deref())?;
    let provider = Provider::named(&args.format);
    if args.check {
        return check(&toolset, provider);
    }
    let text = match provider {
        Some(provider) => format!("{:#}\n", toolset.export(provider)),
        None if args.format == "json" => format!("{:#}\n", definitions(&toolset)),
        None => table(&toolset),
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

fn table(toolset: &Toolset) -> String {
    let mut text = format!("{}\n\n", toolset.about);
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
