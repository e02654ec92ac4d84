//! `kitbag completions` and `kitbag man`, both made from the definitions of the command line.

#![expect(
    clippy::disallowed_methods,
    reason = "writes manual pages into a directory that a person named"
)]

use std::path::PathBuf;

use clap::CommandFactory as _;
use clap::builder::PossibleValuesParser;
use clap_complete::Shell;
use fault::{Error, Result};

use super::CommandLine;
use crate::config::{TOOLSET, layers};
use crate::exit::Exit;
use crate::terminal;

#[derive(Debug, clap::Args)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Man {
    /// The directory
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Stands in a script for the names of the tools, until the function that gives them takes its place.
const TOOLS: &str = "TOOLS_OF_THE_TOOLSET";

pub(super) fn completions(args: &Completions) -> Result<Exit> {
    let mut script = Vec::new();
    let chooses = matches!(args.shell, Shell::Bash | Shell::Zsh | Shell::Fish);
    let names = match chooses {
        true => vec![TOOLS],
        false => tools(TOOLSET), // the others cannot look for --toolset
    };
    let names = PossibleValuesParser::new(names);
    let named = |inner: clap::Command| {
        inner.mut_args(|arg| match arg.get_id() == "tool" {
            true => arg.value_parser(names.clone()),
            false => arg,
        })
    };
    let mut program =
        CommandLine::command().mut_subcommand("call", named).mut_subcommand("tools", named);
    clap_complete::generate(args.shell, &mut program, "kitbag", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    let script = match args.shell {
        Shell::Bash => bash() + &script.replace(TOOLS, "$(_kitbag_tools)"),
        Shell::Zsh => {
            let script = script.replace(&format!("({TOOLS})"), "_kitbag_tools");
            // The first line says what the file is for, the last one calls its function.
            let (first, rest) = script.split_once('\n').unwrap_or(("", &script));
            format!("{first}\n{}{rest}", zsh())
        }
        Shell::Fish => script + &fish(),
        _ => script,
    };
    terminal::print(&script)?;
    Ok(Exit::Success)
}

/// The tools of a toolset, each by its first name.
fn tools(toolset: &str) -> Vec<&'static str> {
    let entries = toolsets::toolset(toolset).into_iter().flat_map(toolkit::Toolset::into_entries);
    entries.map(|entry| entry.spec.name).collect()
}

/// A line of script for each toolset.
fn each_toolset(line: impl Fn(&str, &str) -> String) -> String {
    toolsets::NAMES.iter().map(|name| line(name, &tools(name).join(" "))).collect()
}

fn bash() -> String {
    let cases = each_toolset(|name, tools| format!("        {name}) echo {tools} ;;\n"));
    format!(
        "_kitbag_tools() {{
    local toolset=${{KITBAG_TOOLSET:-{TOOLSET}}} at
    for ((at = 1; at < ${{#COMP_WORDS[@]}}; at++)); do
        [[ ${{COMP_WORDS[at]}} == --toolset ]] || continue
        toolset=${{COMP_WORDS[at + 1]}}
        [[ $toolset == = ]] && toolset=${{COMP_WORDS[at + 2]}}
    done
    case $toolset in
{cases}    esac
}}

"
    )
}

fn zsh() -> String {
    let cases = each_toolset(|name, tools| format!("        ({name}) compadd -- {tools} ;;\n"));
    format!(
        "
_kitbag_tools() {{
    local toolset=${{KITBAG_TOOLSET:-{TOOLSET}}} at
    for ((at = 1; at <= $#words; at++)); do
        case $words[at] in
            (--toolset) toolset=$words[at+1] ;;
            (--toolset=*) toolset=${{words[at]#--toolset=}} ;;
        esac
    done
    case $toolset in
{cases}    esac
}}
"
    )
}

fn fish() -> String {
    let cases = each_toolset(|name, tools| {
        format!("        case {name}\n            string split ' ' -- '{tools}'\n")
    });
    format!(
        "
function __kitbag_tools
    set -l toolset $KITBAG_TOOLSET
    test -n \"$toolset\"; or set toolset {TOOLSET}
    set -l words (commandline -opc)
    for at in (seq (count $words))
        switch $words[$at]
            case --toolset
                set toolset $words[(math $at + 1)]
            case '--toolset=*'
                set toolset (string replace -- --toolset= '' $words[$at])
        end
    end
    switch \"$toolset\"
{cases}    end
end
complete -c kitbag -n '__fish_seen_subcommand_from call tools' -f -a '(__kitbag_tools)'
"
    )
}

/// Every command with its help, as the reference shows it; the shared flags once, at the end.
pub(super) fn reference() -> Result<Exit> {
    let mut page = String::from(
        "<!-- Written by `cargo xtask docs` from the source; do not edit. -->\n# The command line\n\n\
         [Exit codes, configuration files](../guide/cli.md). Most commands also take some of the \
         [shared flags](#shared-flags).\n",
    );
    let mut program = CommandLine::command();
    program.build();
    describe(&mut page, program);
    let help = help(layers::command().help_template("{all-args}"));
    page.push_str(&format!("\n## Shared flags\n\n```text\n{help}\n```\n"));
    terminal::print(&page)?;
    Ok(Exit::Success)
}

fn help(command: clap::Command) -> String {
    // What the environment of the writer sets does not belong into the page.
    let command = command.mut_args(|argument| argument.hide_env_values(true));
    let help = command.term_width(100).render_long_help().to_string();
    help.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

fn describe(page: &mut String, command: clap::Command) {
    let name = command.get_bin_name().unwrap_or(command.get_name()).to_owned();
    let own = command.clone().mut_args(|flag| match flag.get_env() {
        Some(_) => flag.hide(true),
        None => flag,
    });
    page.push_str(&format!("\n## {name}\n\n```text\n{}\n```\n", help(own)));
    for inner in command.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help") {
        describe(page, inner.clone());
    }
}

pub(super) fn man(Man { folder }: &Man) -> Result<Exit> {
    let fail = |e: std::io::Error| Error::io(&folder.display().to_string(), &e);
    std::fs::create_dir_all(folder).map_err(fail)?;
    clap_mangen::generate_to(CommandLine::command(), folder).map_err(fail)?;
    terminal::print(&format!("wrote the manual pages to {}\n", folder.display()))?;
    Ok(Exit::Success)
}
