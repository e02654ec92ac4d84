//! `kitbag call`.

use std::io::Read as _;
use std::time::Duration;

use fault::{Cancel, Error, Reader, Result};
use programs::process;
use tokio_util::sync::CancellationToken;
use toolkit::serde_json::{self, Map, Value, json};
use toolkit::{Body, Call, Category, Done, Live, Toolset};

use super::tools;
use crate::config::Common;
use crate::exit::Exit;
use crate::{compose, printer, terminal};

/// How long what is left to say may take after the interrupt key.
const LAST_WORDS: Duration = Duration::from_millis(300);

#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
#[command(override_usage = "kitbag call [OPTIONS] <TOOL> [JSON | NAME=VALUE]...")]
pub(crate) struct Args {
    /// Name of the tool
    #[arg(required_unless_present = "help")]
    tool: Option<String>,
    /// Its parameters: one JSON object, `-` to read it from standard input, or name=value …
    #[arg(value_name = "JSON | NAME=VALUE")]
    arguments: Vec<String>,
    /// The result, the error and the number of the change as JSON
    #[arg(long)]
    json: bool,
    /// Show what the call would change, and change nothing; a command runs in its layer
    #[arg(long)]
    rehearse: bool,
    /// Print help; after the name of a tool, what it does and takes
    #[arg(short, long)]
    help: bool,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(args: Args) -> Result<Exit> {
    let tool = match args.tool {
        Some(tool) if !args.help => tool,
        Some(tool) => {
            let page = tools::page(&args.common.tools()?, &tool);
            terminal::print(&page.map_err(|error| tools::elsewhere(error, &tool))?)?;
            return Ok(Exit::Success);
        }
        None => {
            terminal::print(&super::help("call"))?;
            return Ok(Exit::Success);
        }
    };
    let input = arguments(&args.arguments, &args.common.tools()?, &tool)?;
    let session = compose::brief_session(&args.common)?;
    let (cancel, interrupted) = (Cancel::default(), CancellationToken::new());
    let (printer, printing) = printer::start(cancel.clone());
    let call = Call {
        rehearse: args.rehearse,
        cancel: cancel.clone(),
        live: (!args.json).then(|| Live::new(printer)),
        result_bytes: Some(usize::MAX), // a terminal and a pipe take it all
        ..Call::new(&tool, input)
    };
    let runtime = compose::runtime()?;
    let outcome = runtime.block_on(async {
        if terminal::is_attended() {
            // The session is this one call.
            tokio::spawn(terminal::answer(session.sit(), false, <_>::default()));
        }
        let interrupted = interrupted.clone();
        terminal::on_ctrl_c(move || {
            cancel.cancel();
            interrupted.cancel();
        });
        toolkit::call(&session, call).await
    });
    let going = session.project().runner().background_programs(session.workspace());
    let ends = going.iter().any(|program| program.exit.is_none());
    session.project().end();
    let mut done = outcome.done()?.with_pictures();
    done.error = done.error.map(|error| tools::elsewhere(error, &tool));
    let printed = runtime.block_on(async {
        let shown = tokio::task::spawn_blocking(move || {
            if printing.end() && terminal::is_shown() {
                terminal::print("\n")?; // what follows begins a line
            }
            show(&done, args.json)
        });
        tokio::select! {
            shown = shown => shown.map_err(|e| Error::internal(format!("printing failed: {e}")))?,
            // Whoever should read it does not.
            () = async { interrupted.cancelled().await; tokio::time::sleep(LAST_WORDS).await } => {
                Ok(Exit::Interrupted)
            }
        }
    });
    runtime.shutdown_background();
    // Others keep what only they themselves ask about.
    let is_list =
        |entry: &toolkit::Entry| matches!(entry.spec.category, Category::Memory | Category::Tasks);
    if session.keeps() && !args.json && session.toolset().find(&tool).is_ok_and(is_list) {
        terminal::say(
            "this list lasts as long as its session, and `kitbag call` is a session of one call; \
             `kitbag serve` and `kitbag run` keep it for all of theirs",
        );
    }
    if ends {
        terminal::say(
            "the program in the background has ended with this command; `kitbag serve` and \
             `kitbag run` keep it for all of their session",
        );
    }
    printed
}

/// How the command ends: as the tool did, and else as the program that it ran.
fn exit(done: &Done) -> Exit {
    match (&done.error, done.program) {
        (Some(_), _) if done.refused => Exit::Refused,
        (Some(error), _) => Exit::of(error),
        (None, None | Some(process::Exit::Code(0))) => Exit::Success,
        (None, Some(_)) => Exit::Failure,
    }
}

fn show(done: &Done, as_json: bool) -> Result<Exit> {
    let exit = exit(done);
    // A wrong parameter of a tool is the tool's failure only after the command line was read.
    if as_json {
        let result = match &done.body {
            Body::Text(text) => Value::from(text.as_str()),
            Body::Json(value) => value.clone(),
        };
        let details = |e: &Error| {
            e.details.iter().map(|(k, v)| ((*k).to_owned(), json!(v))).collect::<Map<_, _>>()
        };
        let error = done
            .error
            .as_ref()
            .map(|e| json!({"code": e.code.as_str(), "message": e.told(Reader::CommandLine), "details": details(e)}));
        let whole = json!({"result": result, "error": error, "call": done.step, "rehearsed": done.rehearsed, "ms": done.wall.as_secs_f64() * 1000.0});
        terminal::print(&format!("{whole}\n"))?;
        return Ok(exit);
    }
    if let Some(changes) = &done.rehearsed {
        let head = match changes.is_empty() {
            true => "Dry run: the call changes nothing",
            false => "Dry run: the call would change",
        };
        let text = format!("{head}\n{changes}\nIt would answer:\n");
        terminal::print(&terminal::shown(&text))?;
    }
    match (&done.error, &done.body) {
        (Some(error), _) => {
            if let Some(output) = &error.output {
                terminal::print(&terminal::shown(&terminal::fields(output)))?;
            }
            terminal::complain(error);
        }
        // Standard output is the program's.
        (None, Body::Text(text)) if done.was_live => {
            let end = if text.ends_with('\n') { "" } else { "\n" };
            terminal::print_beside(&format!("{}{end}", terminal::shown(text)))?;
        }
        (None, Body::Json(value)) if done.was_live => {
            terminal::print_beside(&terminal::shown(&terminal::fields(value)))?;
        }
        (None, Body::Text(text)) => terminal::print_text(text)?,
        (None, Body::Json(value)) => {
            let text = serde_json::to_string_pretty(value).map_err(Error::internal)?;
            terminal::print(&terminal::shown(&format!("{text}\n")))?;
        }
    }
    Ok(exit)
}

/// One JSON object, `-` for standard input, or `name=value` pairs, whose values are read as what
/// the tool's schema says.
fn arguments(given: &[String], toolset: &Toolset, tool: &str) -> Result<Value> {
    let parse = |text: &str| {
        serde_json::from_str(text).map_err(|e| {
            Error::invalid_input(
                "arguments",
                format!("not JSON ({e}); give one object, or name=value pairs"),
            )
        })
    };
    match given {
        [one] if one == "-" => {
            let mut text = String::new();
            std::io::stdin()
                .read_to_string(&mut text)
                .map_err(|e| Error::io("standard input", &e))?;
            parse(&text)
        }
        [one] if one.trim_start().starts_with('{') => parse(one),
        pairs => {
            let mut fields = Map::new();
            for pair in pairs {
                let named = pair.split_once('=').filter(|(name, _)| !name.is_empty());
                let (name, value) = named.ok_or_else(|| unnamed(pair, &fields, toolset, tool))?;
                if fields.insert(name.to_owned(), value.into()).is_some() {
                    let problem = format!("`{name}` is given twice; a list is one JSON value");
                    return Err(Error::invalid_input("arguments", problem));
                }
            }
            Ok(Value::Object(fields))
        }
    }
}

/// The failure of an argument without a name: it says which parameter is probably meant.
fn unnamed(value: &str, given: &Map<String, Value>, toolset: &Toolset, tool: &str) -> Error {
    let entry = toolset.find(tool).ok();
    let fields = entry.map(|entry| toolkit::fields(&entry.definition().input)).unwrap_or_default();
    let mut free = fields.iter().filter(|field| !given.contains_key(&field.name));
    let meant = free.clone().find(|field| field.required).or_else(|| free.next());
    let advice = match meant {
        Some(field) => format!("did you mean `{}={value}`?", field.name),
        None => "give one JSON object, or name=value pairs".to_owned(),
    };
    Error::invalid_input("arguments", format!("`{value}` has no parameter name; {advice}"))
}
