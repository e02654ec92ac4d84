//! `kitbag log`, `undo`, `redo` and `diff`.

use std::fmt::Write as _;

use fault::{Code, Error, Result};
use files::Workspace;
use files::journal::told::sorted;
use files::journal::{Direction, Journal, Record, Status, StepId};
use toolkit::Effect;
use toolkit::serde_json::{Value, json};

use crate::config::Place;
use crate::exit::Exit;
use crate::{compose, terminal};

#[derive(Debug, clap::Args)]
pub(crate) struct Log {
    /// How many to list
    #[arg(short = 'n', long = "number", alias = "most", default_value = "20", value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    number: u32,
    /// JSON, for programs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Turn {
    /// Number of the call, as `kitbag log` lists it
    call: Option<i64>,
    /// Even if files were changed since: what is there now is first kept as a call of its own, which
    /// can be undone. Contents that are damaged in the journal are skipped
    #[arg(long)]
    force: bool,
    /// JSON, for programs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Undo {
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
    #[command(flatten)]
    turn: Turn,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Diff {
    /// Number of the call, as `kitbag log` lists it; without it, the one that `undo` would take
    call: Option<i64>,
    #[command(flatten)]
    place: Place,
}

pub(super) fn log(args: &Log) -> Result<Exit> {
    let (workspace, journal) = compose::journal(&args.place)?;
    tell(&journal)?;
    let records = journal.log(&workspace, args.number as usize)?;
    if args.json {
        let all: Vec<Value> = records.iter().map(value).collect();
        terminal::print(&format!("{:#}\n", Value::from(all)))?;
        return Ok(Exit::Success);
    }
    let mut text = String::new();
    if records.is_empty() {
        let root = workspace.root().display();
        let _ = writeln!(text, "nothing was changed through Kitbag in {root}");
        hint_above(&workspace, &journal);
    }
    let wide = records.iter().map(|record| record.tool.len()).max().unwrap_or(0);
    for record in records {
        let undone = match record.status {
            Status::Undone if record.held_back => "  \u{1b}[31m(held back)\u{1b}[0m",
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
            title(&record)
        );
        let (shown, of_git) = sorted(&workspace, &record.changes);
        for change in shown.iter().take(8) {
            let _ = writeln!(text, "         {} {}", change.what.as_str(), change.name);
        }
        if shown.len() > 8 {
            let _ = writeln!(text, "         and {} more", shown.len() - 8);
        }
        if of_git > 0 {
            let _ = writeln!(text, "         and {of_git} of git's own files");
        }
        if record.held_back {
            let _ = writeln!(text, "         `kitbag redo {}` makes these changes", record.id);
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
    let record = turn(&workspace, &journal, Direction::Redo, args.call, args.force)
        .inspect_err(|error| hint_if_nothing(error, &workspace, &journal))?;
    let text = match args.json {
        true => format!("{:#}\n", value(&record)),
        false => told(&workspace, &record, Direction::Redo, "redid"),
    };
    terminal::print(&text)?;
    Ok(Exit::Success)
}

pub(super) fn undo(args: &Undo) -> Result<Exit> {
    let (workspace, journal) = compose::journal(&args.turn.place)?;
    tell(&journal)?;
    let calls = calls(args, &workspace, &journal)
        .inspect_err(|error| hint_if_nothing(error, &workspace, &journal))?;
    if let (false, false, None, [call]) =
        (args.dry_run, args.session.is_some(), args.to, calls.as_slice())
    {
        let record = turn(&workspace, &journal, Direction::Undo, Some(*call), args.turn.force)
            .map_err(|error| match journal.earlier(&workspace, None, *call) {
                Some(before) if error.code == Code::UndoConflict => error.or_advise(&format!(
                    "`kitbag undo {}` for the call before it, {}",
                    before.id, before.tool
                )),
                _ => error,
            })?;
        let text = match args.turn.json {
            true => format!("{:#}\n", value(&record)),
            false => told(&workspace, &record, Direction::Undo, "undid"),
        };
        terminal::print(&text)?;
        return Ok(Exit::Success);
    }
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
        false => {
            let one = |record| told(&workspace, record, Direction::Undo, word);
            records.iter().map(one).collect()
        }
    };
    terminal::print(&text)?;
    Ok(Exit::Success)
}

/// Takes back the last call of a session; gives its record, and what became of each file.
pub(super) fn take_back(
    workspace: &Workspace,
    journal: &Journal,
    session: &str,
) -> Result<(Record, String)> {
    let call = meant(workspace, journal, Some(session))?;
    let record = turn(workspace, journal, Direction::Undo, Some(call), false)?;
    let told = told(workspace, &record, Direction::Undo, "undid");
    Ok((record, told))
}

/// The calls to undo, newest first.
fn calls(args: &Undo, workspace: &Workspace, journal: &Journal) -> Result<Vec<StepId>> {
    if let Some(call) = args.turn.call {
        return Ok(vec![call]);
    }
    if args.to.is_none() && args.session.is_none() {
        return Ok(vec![meant(workspace, journal, None)?]);
    }
    let mut records = journal.log(workspace, usize::MAX >> 1)?;
    records.retain(|record| matches!(record.status, Status::Done | Status::Half));
    if let Some(wanted) = args.session.as_deref() {
        let newest = records.first().map(|record| record.session.clone());
        let session = match wanted {
            "" => newest.unwrap_or_default(),
            wanted => session(&records, wanted)?,
        };
        records.retain(|record| record.session == session);
    } else if let Some(to) = args.to {
        journal.must_have("undo", to)?;
        records.retain(|record| record.id >= to);
    }
    if records.is_empty() {
        return Err(args
            .to
            .map_or_else(|| Error::nothing_to_turn("undo", None), Error::no_such_step));
    }
    Ok(records.iter().map(|record| record.id).collect())
}

/// The one session whose name ends so, as `log` shows it, with calls that can be undone.
fn session(records: &[Record], wanted: &str) -> Result<String> {
    let mut found: Vec<_> = records.iter().map(|record| &record.session).collect();
    found.retain(|session| session.ends_with(wanted));
    found.sort_unstable();
    found.dedup();
    let problem = match found.as_slice() {
        [one] => return Ok((*one).clone()),
        [] => "no session with calls that could be undone here; `kitbag log` lists them".to_owned(),
        many => format!("the end of {} names; give more of it", many.len()),
    };
    Err(Error::invalid_input("--session", format!("`{wanted}`: {problem}")))
}

fn hint_if_nothing(error: &Error, workspace: &Workspace, journal: &Journal) {
    if error.code == Code::NothingToUndo {
        hint_above(workspace, journal);
    }
}

/// Tells whoever looks in a directory of a project that was opened by its root.
fn hint_above(workspace: &Workspace, journal: &Journal) {
    if let Ok(Some(root)) = journal.root_above(workspace) {
        let root = root.display();
        terminal::say(&format!(
            "this directory is inside of the project {root}; `--root {root}` shows its calls"
        ));
    }
}

/// The call that is undone if none is named, of one session or of all; says which were skipped.
fn meant(workspace: &Workspace, journal: &Journal, session: Option<&str>) -> Result<StepId> {
    let toolsets: Vec<_> =
        toolsets::NAMES.iter().filter_map(|name| toolsets::toolset(name)).collect();
    let runs = |tool: &str| {
        let mut found = toolsets.iter().filter_map(|toolset| toolset.find(tool).ok());
        found.any(|entry| entry.spec.effect.has(Effect::RUNS))
    };
    let meant = journal.meant(workspace, Direction::Undo, session, runs)?;
    for record in meant.passed {
        let why = match record.changes.is_empty() {
            true => record.missed.clone(),
            false => format!(
                "it only touched caches and ignored files; `kitbag undo {}` undoes it",
                record.id
            ),
        };
        let about = title(&record);
        terminal::say(&format!("skipped call {}, {} {about}: {why}", record.id, record.tool));
    }
    Ok(meant.record.id)
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

/// What a call was about, in one line: what looks like another row must be none.
fn title(record: &Record) -> String {
    toolkit::escape(&record.about.replace('\n', "\\n"))
}

/// What became of each file.
fn told(workspace: &Workspace, record: &Record, direction: Direction, word: &str) -> String {
    let mut text = format!("{word} call {}: {} {}\n", record.id, record.tool, title(record));
    let (shown, more) = sorted(workspace, &record.changes);
    for change in shown {
        let (now, at) = match word {
            "would undo" => (change.would(direction), ""),
            _ => (change.turned(workspace, direction), change.at.as_str()),
        };
        let _ = writeln!(text, "  {}: {now}{at}", change.name);
    }
    if more > 0 {
        let _ = writeln!(text, "  {more} of git's own files");
    }
    if !record.missed.is_empty() {
        let _ = writeln!(text, "  {}", record.missed);
    }
    text
}

pub(super) fn diff(args: &Diff) -> Result<Exit> {
    let (workspace, journal) = compose::journal(&args.place)?;
    let call = match args.call {
        Some(call) => call,
        None => match meant(&workspace, &journal, None) {
            Err(error) if error.code == Code::NothingToUndo => {
                let newest = journal.log(&workspace, 1)?;
                newest.first().map(|record| record.id).ok_or(error)?
            }
            call => call?,
        },
    };
    let diff = journal.diff(&workspace, call)?;
    if journal.step(&workspace, call)?.is_some_and(|record| record.status == Status::Undone) {
        terminal::say(&format!("call {call} is undone; `kitbag redo {call}` makes it again"));
    }
    terminal::print(&terminal::coloured(&terminal::shown(&diff)))?;
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
    // For programs a name as it is, where that is a text at all.
    let name = |shown: &String| {
        let plain = files::workspace::unquote(shown).and_then(|name| name.into_string().ok());
        plain.unwrap_or_else(|| shown.clone())
    };
    let change = |c: &files::journal::Change| {
        let mut value = json!({"path": name(&c.path), "what": c.what.as_str()});
        if let Some(to) = &c.to {
            value["to"] = json!(name(to));
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
        "held_back": record.held_back,
        "half_done": record.status == Status::Half,
        "trouble": record.trouble,
        "missed": record.missed,
        "changes": record.changes.iter().map(change).collect::<Vec<_>>(),
    })
}
