//! `kitbag call`.

use std::io::Read as _;

use fault::{Error, Result};
use tokio::sync::mpsc::UnboundedReceiver;
use toolkit::serde_json::{self, Map, Value, json};
use toolkit::{Call, Outcome, Pending};

use super::Exit;
use crate::{config, terminal, wire};

pub(super) fn run(args: config::Call) -> Result<Exit> {
    let input = arguments(&args.arguments)?;
    let (session, pending) = wire::session(&args.common)?;
    session.set_result_bytes(usize::MAX); // a terminal and a pipe take it all
    let call = Call {
        rehearse: args.rehearse,
        attended: terminal::is_attended(),
        ..Call::new(args.tool, input)
    };
    let cancel = call.cancel.clone();
    let runtime = wire::runtime()?;
    let outcome = runtime.block_on(async {
        tokio::spawn(answer(pending));
        tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                cancel.cancel();
            }
        });
        toolkit::call(&session, call).await
    });
    session.end();
    runtime.shutdown_background();
    show(&outcome, args.json)
}

/// Takes questions from the desk and puts them to the terminal; with nobody there they drop.
async fn answer(mut pending: UnboundedReceiver<Pending>) {
    while let Some(Pending { question, answer }) = pending.recv().await {
        if !terminal::is_attended() {
            continue;
        }
        if let Ok(said) = tokio::task::spawn_blocking(move || terminal::ask(&question)).await {
            let _ = answer.send(said);
        }
    }
}

fn show(outcome: &Outcome, as_json: bool) -> Result<Exit> {
    let exit = outcome.error.as_ref().map_or(Exit::Success, Exit::of);
    // A wrong parameter of a tool is the tool's failure only after the command line was read.
    if as_json {
        let result = match &outcome.body {
            toolkit::Body::Text(text) => Value::from(text.as_str()),
            toolkit::Body::Json(value) => value.clone(),
        };
        let details = |e: &Error| {
            e.details.iter().map(|(k, v)| ((*k).to_owned(), json!(v))).collect::<Map<_, _>>()
        };
        let error = outcome
            .error
            .as_ref()
            .map(|e| json!({"code": e.code.as_str(), "message": e.message, "details": details(e)}));
        let whole = json!({"result": result, "error": error, "call": outcome.step, "rehearsed": outcome.rehearsed, "ms": outcome.wall.as_secs_f64() * 1000.0});
        terminal::print(&format!("{whole}\n"))?;
        return Ok(exit);
    }
    if let Some(changes) = &outcome.rehearsed {
        let none = if changes.is_empty() { "it would change nothing\n" } else { "" };
        terminal::print(&format!("Rehearsed, nothing was changed:\n{none}{changes}\n"))?;
    }
    match (&outcome.error, &outcome.body) {
        (Some(error), _) => terminal::complain(error),
        (None, toolkit::Body::Text(text)) => {
            let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
            terminal::print(&format!("{text}{end}"))?;
        }
        (None, toolkit::Body::Json(value)) => {
            let text = serde_json::to_string_pretty(value).map_err(Error::internal)?;
            terminal::print(&format!("{text}\n"))?;
        }
    }
    Ok(exit)
}

/// One JSON object, `-` for standard input, or `name=value` pairs, whose values are read as what
/// the tool's schema says.
fn arguments(given: &[String]) -> Result<Value> {
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
                let (name, value) =
                    pair.split_once('=').filter(|(n, _)| !n.is_empty()).ok_or_else(|| {
                        Error::invalid_input(
                            "arguments",
                            format!("`{pair}` is neither a JSON object nor name=value"),
                        )
                    })?;
                fields.insert(name.to_owned(), value.into());
            }
            Ok(Value::Object(fields))
        }
    }
}
