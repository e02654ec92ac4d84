//! `kitbag log`, `undo`, `redo` and `diff`.

use std::fmt::Write as _;

use fault::Result;
use files::journal::{ChangeKind, Direction, Journal, Record, Status};
use toolkit::serde_json::{Value, json};

use super::Exit;
use crate::config::Place;
use crate::{compose, terminal};

#[derive(Debug, clap::Args)]
pub(crate) struct Log {
    #[command(flatten)]
    place: Place,
    /// How many to list
    #[arg(long, default_value_t = 20)]
    most: usize,
    /// JSON, for programs
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Turn {
    #[command(flatten)]
    place: Place,
    /// Number of the call, as `kitbag log` lists it
    call: Option<i64>,
    /// Also if files were changed since: what is there now is kept as a call of its own first, which
    /// can be undone. What the journal kept and is damaged is left out
    #[arg(long)]
    force: bool,
    /// JSON, for programs
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Diff {
    #[command(flatten)]
    place: Place,
    /// Number of the call, as `kitbag log` lists it
    call: Option<i64>,
}

pub(super) fn log(args: &Log) -> Result<Exit> {
    let (workspace, journal) = compose::journal(&args.place)?;
    tell(&journal)?;
    let records = journal.log(&workspace, args.most)?;
    if args.json {
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
        let undone = match record.status {
            Status::Undone => "  \u{1b}[2m(undone)\u{1b}[0m",
            Status::Half => "  \u{1b}[31m(half done)\u{1b}[0m",
            Status::Running => "  \u{1b}[2m(running)\u{1b}[0m",
            Status::Done => "",
        };
        let _ = writeln!(
            text,
            "\u{1b}[1m{:>5}\u{1b}[0m  {}  {:8} {}{undone}",
            record.id,
            when(record.time),
            record.tool,
            toolkit::escape(&record.about)
        );
        for change in record.changes.iter().take(8) {
            let _ = writeln!(text, "         {} {change}", change.what.as_str());
        }
        if record.changes.len() > 8 {
            let _ = writeln!(text, "         and {} more", record.changes.len() - 8);
        }
        for note in [&record.trouble, &record.missed].into_iter().filter(|note| !note.is_empty()) {
            let _ = writeln!(text, "         {}", toolkit::escape(note));
        }
    }
    terminal::print(&text)?;
    Ok(Exit::Success)
}

pub(super) fn turn(args: &Turn, direction: Direction) -> Result<Exit> {
    let (workspace, journal) = compose::journal(&args.place)?;
    tell(&journal)?;
    let record = if args.force {
        journal.turn_by_force(&workspace, direction, args.call)?
    } else {
        journal.turn(&workspace, direction, args.call)?
    };
    if args.json {
        terminal::print(&format!("{:#}\n", value(&record)))?;
        return Ok(Exit::Success);
    }
    let word = if direction == Direction::Undo { "undid" } else { "redid" };
    let mut text =
        format!("{word} call {}: {} {}\n", record.id, record.tool, toolkit::escape(&record.about));
    for change in &record.changes {
        let now = match (direction, change.what) {
            (Direction::Undo, ChangeKind::Created) | (Direction::Redo, ChangeKind::Removed) => {
                "removed"
            }
            (Direction::Undo, ChangeKind::Removed) | (Direction::Redo, ChangeKind::Created) => {
                "brought back"
            }
            (Direction::Undo, ChangeKind::Moved) => "moved back",
            (Direction::Redo, ChangeKind::Moved) => "moved again",
            (Direction::Undo, ChangeKind::Changed) => "as it was before",
            (Direction::Redo, ChangeKind::Changed) => "changed again",
        };
        let _ = writeln!(text, "  {change}: {now}");
    }
    if !record.missed.is_empty() {
        let _ = writeln!(text, "  {}", record.missed);
    }
    terminal::print(&text)?;
    Ok(Exit::Success)
}

pub(super) fn diff(args: &Diff) -> Result<Exit> {
    let (workspace, journal) = compose::journal(&args.place)?;
    terminal::print(&terminal::coloured(&journal.diff(&workspace, args.call)?))?;
    Ok(Exit::Success)
}

/// Says what happened to the journal itself, once.
fn tell(journal: &Journal) -> Result<()> {
    for notice in journal.notices()? {
        terminal::say(&notice);
    }
    Ok(())
}

fn when(micros: i64) -> String {
    let zoned =
        jiff::Timestamp::from_microsecond(micros).map(|t| t.to_zoned(jiff::tz::TimeZone::system()));
    zoned.map_or_else(|_| "?".to_owned(), |z| z.strftime("%Y-%m-%d %H:%M:%S").to_string())
}

fn value(record: &Record) -> Value {
    let change = |c: &files::journal::Change| {
        let mut value = json!({"path": c.path, "what": c.what.as_str()});
        if let Some(to) = &c.to {
            value["to"] = json!(to);
        }
        value
    };
    json!({
        "call": record.id,
        "tool": record.tool,
        "about": record.about,
        "time": jiff::Timestamp::from_microsecond(record.time).map(|t| t.to_string()).ok(),
        "undone": record.status == Status::Undone,
        "half_done": record.status == Status::Half,
        "trouble": record.trouble,
        "missed": record.missed,
        "changes": record.changes.iter().map(change).collect::<Vec<_>>(),
    })
}
