//! `kitbag log`, `undo`, `redo` and `diff`.

use std::fmt::Write as _;

use fault::{Error, Result};
use files::Workspace;
use files::journal::{ChangeKind, Direction, Journal, Record, Status, StepId};
use toolkit::serde_json::{Value, json};

use crate::config::Place;
use crate::exit::Exit;
use crate::{compose, terminal};

#[derive(Debug, clap::Args)]
pub(crate) struct Log {
    #[command(flatten)]
    place: Place,
    /// How many to list
    #[arg(short = 'n', long = "number", alias = "most", default_value_t = 20, value_name = "N")]
    number: usize,
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
pub(crate) struct Undo {
    #[command(flatten)]
    turn: Turn,
    /// All calls of a session, as `kitbag log` shows it; of the newest call's if none is named
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "")]
    #[arg(conflicts_with_all = ["call", "to"])]
    session: Option<String>,
    /// Call N and all after it, so that the files are as they were before call N
    #[arg(long, value_name = "N", conflicts_with = "call")]
    to: Option<StepId>,
    /// Show what would be undone, and touch nothing
    #[arg(long)]
    dry_run: bool,
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
    let records = journal.log(&workspace, args.number)?;
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
    let wide = records.iter().map(|record| record.tool.len()).max().unwrap_or(0);
    for record in records {
        let undone = match record.status {
            Status::Undone => "  \u{1b}[2m(undone)\u{1b}[0m",
            Status::Half => "  \u{1b}[31m(half done)\u{1b}[0m",
            Status::Running => "  \u{1b}[2m(running)\u{1b}[0m",
            Status::Done => "",
        };
        let _ = writeln!(
            text,
            "\u{1b}[1m{:>5}\u{1b}[0m  {}  \u{1b}[2m{}\u{1b}[0m  {:wide$}  {}{undone}",
            record.id,
            when(record.time),
            short(&record.session),
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

pub(super) fn redo(args: &Turn) -> Result<Exit> {
    let (workspace, journal) = compose::journal(&args.place)?;
    tell(&journal)?;
    let record = turn(&workspace, &journal, Direction::Redo, args.call, args.force)?;
    let text = match args.json {
        true => format!("{:#}\n", value(&record)),
        false => told(&record, Direction::Redo, "redid"),
    };
    terminal::print(&text)?;
    Ok(Exit::Success)
}

pub(super) fn undo(args: &Undo) -> Result<Exit> {
    let (workspace, journal) = compose::journal(&args.turn.place)?;
    tell(&journal)?;
    let Some(calls) = calls(args, &workspace, &journal)? else {
        let record = turn(&workspace, &journal, Direction::Undo, args.turn.call, args.turn.force)?;
        let text = match args.turn.json {
            true => format!("{:#}\n", value(&record)),
            false => told(&record, Direction::Undo, "undid"),
        };
        terminal::print(&text)?;
        return Ok(Exit::Success);
    };
    // All of them or none, as far as that can be known before the first is touched.
    let would = match args.turn.force {
        true => calls.iter().filter_map(|id| journal.step(&workspace, *id).transpose()).collect(),
        false => journal.would_turn(&workspace, Direction::Undo, &calls),
    };
    let (mut records, mut word) = (would?, "would undo");
    if !args.dry_run {
        word = "undid";
        let one = |id| turn(&workspace, &journal, Direction::Undo, Some(id), args.turn.force);
        records = calls.into_iter().map(one).collect::<Result<_>>()?;
    }
    let text = match args.turn.json {
        true => format!("{:#}\n", records.iter().map(value).collect::<Value>()),
        false => records.iter().map(|record| told(record, Direction::Undo, word)).collect(),
    };
    terminal::print(&text)?;
    Ok(Exit::Success)
}

/// The calls to undo, newest first, if they must be known before; `None` for one call that the
/// journal finds itself.
fn calls(args: &Undo, workspace: &Workspace, journal: &Journal) -> Result<Option<Vec<StepId>>> {
    if args.to.is_none() && args.session.is_none() && !args.dry_run {
        return Ok(None);
    }
    let mut records = journal.log(workspace, usize::MAX >> 1)?;
    records.retain(|record| matches!(record.status, Status::Done | Status::Half));
    let newest = records.first().map(|record| record.session.clone());
    let session = match args.session.as_deref() {
        Some("") => newest,
        given => given.map(str::to_owned),
    };
    if let Some(session) = &session {
        // Sessions are shown by their ends.
        records.retain(|record| record.session.ends_with(session.as_str()));
    } else if let Some(to) = args.to {
        records.retain(|record| record.id >= to);
    } else if let Some(call) = args.turn.call {
        return Ok(Some(vec![call]));
    } else {
        records.truncate(1);
    }
    if records.is_empty() {
        return Err(Error::nothing_to_turn("undo", args.to));
    }
    Ok(Some(records.iter().map(|record| record.id).collect()))
}

fn turn(
    workspace: &Workspace,
    journal: &Journal,
    direction: Direction,
    call: Option<StepId>,
    force: bool,
) -> Result<Record> {
    match force {
        true => journal.turn_by_force(workspace, direction, call),
        false => journal.turn(workspace, direction, call),
    }
}

/// What became of each file.
fn told(record: &Record, direction: Direction, word: &str) -> String {
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
    text
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

/// The end of a session's name, which differs also between sessions of one moment.
fn short(session: &str) -> &str {
    session.get(session.len().saturating_sub(6)..).unwrap_or(session)
}

fn when(micros: i64) -> String {
    jiff::Timestamp::from_microsecond(micros).map_or_else(|_| "?".to_owned(), local)
}

/// A time as a clock on the wall shows it.
pub(super) fn local(time: jiff::Timestamp) -> String {
    time.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string()
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
        "session": record.session,
        "time": jiff::Timestamp::from_microsecond(record.time).map(|t| t.to_string()).ok(),
        "undone": record.status == Status::Undone,
        "half_done": record.status == Status::Half,
        "trouble": record.trouble,
        "missed": record.missed,
        "changes": record.changes.iter().map(change).collect::<Vec<_>>(),
    })
}
