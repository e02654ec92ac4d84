//! `kitbag log`, `undo`, `redo` and `diff`.

use std::fmt::Write as _;

use engine::Result;
use engine::journal::{Direction, Record};
use toolkit::serde_json::{Value, json};

use super::Exit;
use crate::config::{Place, Turn};
use crate::{terminal, wire};

pub(super) fn log(place: &Place, most: usize, as_json: bool) -> Result<Exit> {
    let (workspace, journal) = wire::journal(place)?;
    let records = journal.log(&workspace, most)?;
    if as_json {
        let all: Vec<Value> = records.iter().map(value).collect();
        terminal::print(&format!("{:#}\n", Value::from(all)))?;
        return Ok(Exit::Success);
    }
    let mut text = String::new();
    if records.is_empty() {
        let _ =
            writeln!(text, "nothing was changed through Kitbag in {}", workspace.root().display());
    }
    for record in records {
        let undone = if record.undone { "  \u{1b}[2m(undone)\u{1b}[0m" } else { "" };
        let _ = writeln!(
            text,
            "\u{1b}[1m{:>5}\u{1b}[0m  {}  {:8} {}{undone}",
            record.id,
            when(record.time),
            record.tool,
            toolkit::escape(&record.about)
        );
        for change in record.changes.iter().take(8) {
            let _ = writeln!(text, "         {} {}", change.what, change.path);
        }
        if record.changes.len() > 8 {
            let _ = writeln!(text, "         and {} more", record.changes.len() - 8);
        }
        if !record.missed.is_empty() {
            let _ = writeln!(text, "         {}", record.missed);
        }
    }
    terminal::print(&text)?;
    Ok(Exit::Success)
}

pub(super) fn turn(args: &Turn, direction: Direction) -> Result<Exit> {
    let (workspace, journal) = wire::journal(&args.place)?;
    let record = journal.turn(&workspace, direction, args.call)?;
    if args.json {
        terminal::print(&format!("{:#}\n", value(&record)))?;
        return Ok(Exit::Success);
    }
    let word = if direction == Direction::Undo { "undid" } else { "redid" };
    let mut text =
        format!("{word} call {}: {} {}\n", record.id, record.tool, toolkit::escape(&record.about));
    for change in &record.changes {
        let now = match (direction, change.what) {
            (Direction::Undo, "created") | (Direction::Redo, "removed") => "removed",
            (Direction::Undo, "removed") | (Direction::Redo, "created") => "brought back",
            (Direction::Undo, _) => "as it was before",
            (Direction::Redo, _) => "changed again",
        };
        let _ = writeln!(text, "  {}: {now}", change.path);
    }
    if !record.missed.is_empty() {
        let _ = writeln!(text, "  {}", record.missed);
    }
    terminal::print(&text)?;
    Ok(Exit::Success)
}

pub(super) fn diff(place: &Place, call: Option<i64>) -> Result<Exit> {
    let (workspace, journal) = wire::journal(place)?;
    terminal::print(&terminal::coloured(&journal.diff(&workspace, call)?))?;
    Ok(Exit::Success)
}

fn when(micros: i64) -> String {
    let zoned =
        jiff::Timestamp::from_microsecond(micros).map(|t| t.to_zoned(jiff::tz::TimeZone::system()));
    zoned.map_or_else(|_| "?".to_owned(), |z| z.strftime("%Y-%m-%d %H:%M:%S").to_string())
}

fn value(record: &Record) -> Value {
    let change = |c: &engine::journal::Change| json!({"path": c.path, "what": c.what});
    json!({
        "call": record.id,
        "tool": record.tool,
        "about": record.about,
        "time": jiff::Timestamp::from_microsecond(record.time).map(|t| t.to_string()).ok(),
        "undone": record.undone,
        "missed": record.missed,
        "changes": record.changes.iter().map(change).collect::<Vec<_>>(),
    })
}
