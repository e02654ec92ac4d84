//! kit `undo`.

use files::journal::told::sorted;
use files::journal::{Direction, Record, Status};

use toolkit::serde_json::json;

use crate::prelude::*;

/// Calls that a list shows.
const LISTED: usize = 20;

/// Files of each of them.
const SHOWN: usize = 8;

/// Take back your last change of files; or list changes, undo or redo one by number.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Undo {
    list: Option<bool>,
    call: Option<i64>,
    redo: Option<i64>,
}

impl Tool for Undo {
    type Output = String;

    const SPEC: Spec = Spec::new("undo", "Undo", Category::Files)
        .effect(Effect::WRITES, Permission::Moderate)
        .errors(&[&[
            Code::NothingToUndo,
            Code::UndoConflict,
            Code::ContentDamaged,
            Code::FileChanged,
            Code::DirectoryNotFound,
            Code::NotADirectory,
        ]])
        .examples(&[
            Example::of("A session that changed nothing")
                .given(&[("a.txt", "one\n")])
                .call(r#"{"list": true}"#)
                .gives("you changed nothing yet"),
            Example::of("The last change")
                .given(&[("a.txt", "one\n")])
                .after(&[("edit", r#"{"path": "a.txt", "remove": true}"#)])
                .gives("took back call 1 (edit)\na.txt: brought back")
                .leaves(&[("a.txt", "one\n")]),
            Example::of("What was changed, the last first")
                .given(&[("a.txt", "one\n")])
                .after(&[
                    ("edit", r#"{"path": "a.txt", "old": "one", "new": "1"}"#),
                    ("edit", r#"{"path": "b.txt", "new": "two\n"}"#),
                ])
                .call(r#"{"list": true}"#)
                .gives("2 edit: b.txt\n1 edit: a.txt"),
            Example::of("Those up to a call")
                .given(&[("a.txt", "one\n")])
                .after(&[
                    ("edit", r#"{"path": "a.txt", "old": "one", "new": "1"}"#),
                    ("edit", r#"{"path": "b.txt", "new": "two\n"}"#),
                ])
                .call(r#"{"list": true, "call": 1}"#)
                .gives("1 edit: a.txt"),
            Example::of("A change before the last one, by its number")
                .given(&[("a.txt", "one\n")])
                .after(&[
                    ("edit", r#"{"path": "a.txt", "old": "one", "new": "1"}"#),
                    ("edit", r#"{"path": "b.txt", "new": "two\n"}"#),
                ])
                .call(r#"{"call": 1}"#)
                .gives("took back call 1 (edit)\na.txt: as it was before")
                .leaves(&[("a.txt", "one\n"), ("b.txt", "two\n")]),
            Example::of("The same change made again")
                .given(&[("a.txt", "one\n")])
                .after(&[
                    ("edit", r#"{"path": "a.txt", "old": "one", "new": "1"}"#),
                    ("undo", "{}"),
                ])
                .call(r#"{"redo": 1}"#)
                .gives("made call 1 (edit) again\na.txt: changed again")
                .leaves(&[("a.txt", "1\n")]),
            Example::of("There is nothing to take back")
                .given(&[("a.txt", "one\n")])
                .call("{}")
                .fails(Code::NothingToUndo, "error: [..]")
                .leaves(&[("a.txt", "one\n")]),
            Example::of("A number that no call has")
                .call(r#"{"call": 7}"#)
                .fails(Code::NothingToUndo, "error: [..]"),
        ]);

    fn effect(&self) -> Effect {
        if self.list == Some(true) { Effect::READS } else { Self::SPEC.effect }
    }

    fn permission(&self) -> Permission {
        if self.list == Some(true) { Permission::None } else { Self::SPEC.permission }
    }

    fn run(self, cx: &Cx<'_>) -> Result<String> {
        match self {
            Self { list: Some(true), call, redo: None } => list(cx, call),
            Self { call: None, redo: None, list: _ } => {
                let meant = cx.last_change()?;
                let passed: Vec<String> = meant.passed.iter().map(|r| r.id.to_string()).collect();
                let mut told = turn(cx, Direction::Undo, meant.record.id)?;
                if !passed.is_empty() {
                    told += &format!(
                        "\nskipped, only caches, ignored files or git's own state changed: {}",
                        passed.join(", ")
                    );
                }
                Ok(told)
            }
            Self { call: Some(id), redo: None, .. } => turn(cx, Direction::Undo, id),
            Self { call: None, redo: Some(id), list: None | Some(false) } => {
                turn(cx, Direction::Redo, id)
            }
            _ => {
                Err(Error::invalid_input("redo", "`call` or `list` is given too; give one of them"))
            }
        }
    }
}

/// The changes of the session up to the call `from`, the last first.
fn list(cx: &Cx<'_>, from: Option<i64>) -> Result<String> {
    let line = |record: &Record| {
        let state = match record.status {
            _ if record.held_back => " (held back)",
            Status::Undone => " (undone)",
            Status::Half => " (half done)",
            Status::Running => " (running)",
            Status::Done => "",
        };
        let (told, of_git) = sorted(cx.workspace(), &record.changes);
        let mut files: Vec<String> = told.iter().take(SHOWN).map(|one| one.name.clone()).collect();
        files.extend((told.len() > SHOWN).then(|| format!("{} more", told.len() - SHOWN)));
        files.extend((of_git > 0).then(|| format!("{of_git} of git's own files")));
        format!("{} {}: {}{state}", record.id, record.tool, files.join(", "))
    };
    let mut all = cx.own_changes()?;
    if all.is_empty() {
        return Ok("you changed nothing yet".to_owned());
    }
    all.retain(|record| from.is_none_or(|from| record.id <= from));
    let mut lines: Vec<String> = all.iter().take(LISTED).map(line).collect();
    if let Some(next) = all.get(LISTED) {
        let next = json!({"list": true, "call": next.id});
        lines.push(format!("[{LISTED} of {}; next: {next}]", all.len()));
    } else if all.is_empty() {
        lines.push("no change of yours is that old".to_owned());
    }
    Ok(lines.join("\n"))
}

/// Turns a call and tells what became of each file.
fn turn(cx: &Cx<'_>, direction: Direction, id: i64) -> Result<String> {
    let record = cx.turn(direction, id).map_err(|error| match cx.earlier_change(id) {
        Some(before) if direction == Direction::Undo && is_refused(&error) => {
            let (call, tool) = (json!({"call": before.id}), before.tool);
            error.or_advise(&format!("take back the change before it ({tool}): {call}"))
        }
        _ => error,
    })?;
    let (told, of_git) = sorted(cx.workspace(), &record.changes);
    let mut lines = vec![match direction {
        Direction::Undo => format!("took back call {id} ({})", record.tool),
        Direction::Redo => format!("made call {id} ({}) again", record.tool),
    }];
    lines.extend(
        told.iter().take(LISTED).map(|one| {
            format!("{}: {}{}", one.name, one.turned(cx.workspace(), direction), one.at)
        }),
    );
    lines.extend((told.len() > LISTED).then(|| format!("and {} more", told.len() - LISTED)));
    lines.extend((of_git > 0).then(|| format!("{of_git} of git's own files")));
    lines.extend((!record.missed.is_empty()).then_some(record.missed));
    Ok(lines.join("\n"))
}

/// Whether another call may be taken back where one was not.
fn is_refused(error: &Error) -> bool {
    matches!(error.code, Code::UndoConflict | Code::ContentDamaged | Code::ProtectedPath)
}
