//! `kitbag tools`.

use std::fmt::Write as _;

use fault::Result;
use toolkit::serde_json::{Value, json};
use toolkit::{Provider, Toolset};

use super::Exit;
use crate::config::{self, Format, Tools};
use crate::terminal;

pub(super) fn run(args: &Tools) -> Result<Exit> {
    let toolset = config::toolset(&args.toolset, args.preset.as_deref())?;
    let provider = match args.format {
        Format::Openai => Some(Provider::OpenAi),
        Format::Anthropic => Some(Provider::Anthropic),
        Format::Gemini => Some(Provider::Gemini),
        Format::Table | Format::Json => None,
    };
    if args.check {
        return check(&toolset, provider);
    }
    let text = match (args.format, provider) {
        (_, Some(provider)) => format!("{:#}\n", toolset.export(provider)),
        (Format::Json, _) => format!("{:#}\n", definitions(&toolset)),
        _ => table(&toolset),
    };
    terminal::print(&text)?;
    Ok(Exit::Success)
}

fn check(toolset: &Toolset, provider: Option<Provider>) -> Result<Exit> {
    let providers = provider.map_or(Provider::ALL.to_vec(), |p| vec![p]);
    let (mut text, mut exit) = (String::new(), Exit::Success);
    for provider in providers {
        let problems = toolset.check(provider);
        let count = toolset.entries().len();
        if problems.is_empty() {
            let _ = writeln!(
                text,
                "{}: {count} of {count} definitions of {} are valid",
                provider.as_str(),
                toolset.name
            );
            continue;
        }
        exit = Exit::Failure;
        for problem in problems {
            let _ = writeln!(
                text,
                "{}: {}: breaks `{}` at {}",
                provider.as_str(),
                problem.tool,
                problem.rule,
                problem.at
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
            "category": spec.category,
            "permission": spec.permission.as_str(),
            "parallel_safe": spec.effect.parallel_safe(),
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
