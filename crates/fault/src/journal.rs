//! Failures of the journal: nothing to undo, not to be undone, undone in part, damaged.

use std::path::Path;

use super::{Code, Error, Way};

impl Error {
    /// The journal has no step to undo or redo, or the step `id` is not in the state for it.
    pub fn nothing_to_turn(word: &str, id: Option<i64>) -> Self {
        let message = match (id, word) {
            (Some(id), "undo") => {
                format!("call {id}: undone already; redo makes its changes again")
            }
            (Some(id), _) => format!("call {id}: not undone, so there is nothing to {word}"),
            (None, _) => {
                format!("nothing to {word} in this directory; `kitbag log` lists its calls")
            }
        };
        Self::new(Code::NothingToUndo, message)
    }

    /// The session that asks has no step to undo or redo.
    pub fn nothing_of_session(word: &str) -> Self {
        let message = format!(
            "nothing to {word} in this session; the user can {word} the calls of all with `kitbag \
             {word}`, and `kitbag log` lists them"
        );
        Self::new(Code::NothingToUndo, message)
    }

    /// Somebody works on the step.
    pub fn step_running(word: &str, id: i64) -> Self {
        let message = format!("call {id}: still running; {word} it when it has ended");
        Self::new(Code::NothingToUndo, message)
    }

    /// The journal has no step of this number.
    pub fn no_such_step(id: i64) -> Self {
        let message =
            format!("call {id}: no such call in this directory; `kitbag log` lists its calls");
        Self::new(Code::NothingToUndo, message)
    }

    /// A step that the session did not make; `held_back` if it was never made.
    pub fn for_a_person(id: i64, held_back: bool) -> Self {
        let problem = match held_back {
            true => "held back since it needs a person",
            false => "made by another session",
        };
        let advice = "a person can turn it with `kitbag undo` and `kitbag redo`";
        Self::new(Code::NothingToUndo, format!("call {id}: {problem}; {advice}"))
    }

    /// A step that changed a path which needs a person, to be turned by `word`.
    pub fn turned_by_a_person(word: &str, id: i64, path: &str, why: &str) -> Self {
        let advice = format!("only the user can: `kitbag {word} {id}`");
        Self::new(Code::ProtectedPath, format!("call {id}: {path}: {why}; {advice}"))
            .with("path", path)
    }

    /// A step in which changes of somebody else may be, to be turned by `word`.
    pub fn may_be_of_others(word: &str, id: i64, paths: &[String]) -> Self {
        let advice = format!("only the user can: `kitbag {word} {id}`");
        Self::new(
            Code::UndoConflict,
            format!(
                "call {id}: somebody else may have made some of its changes while its command ran: \
                 {}; {advice}",
                some(paths)
            ),
        )
        .with("paths", paths.join("\n"))
    }

    /// The step is in the journal of another root.
    pub fn of_other_root(word: &str, id: i64, root: &Path) -> Self {
        let root = root.display().to_string();
        Self::new(
            Code::NothingToUndo,
            format!(
                "call {id}: made in another project, {root}; `kitbag {word} {id} --root {}` \
                 reaches it",
                crate::quoted(&root)
            ),
        )
    }

    /// Files were changed after the step that is to be undone or redone; `later` are the calls that did,
    /// the newest first. `commit` is where HEAD of a repository has to be for it, empty if at none.
    pub fn undo_conflict(
        word: &str,
        id: i64,
        paths: &[String],
        later: &[i64],
        commit: Option<&String>,
    ) -> Self {
        const NAMED: usize = 10;
        let force = format!(
            "`kitbag {word} {id} --force`, which keeps what is there now as a call of its own that \
             can be undone"
        );
        let ids: Vec<_> = later.iter().take(NAMED).map(i64::to_string).collect();
        let more = match later.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let first = match later {
            [] => None,
            [one] => Some(format!("undo call {one} first")),
            _ => Some(format!("first undo calls {}{more}, in this order", ids.join(", "))),
        };
        let back = commit.and_then(|commit| commit.get(..10)).map(|commit| {
            // A commit may be a person's, who alone says that it goes.
            Way::Command(format!(
                "`git reset --soft {commit}` first, which takes the commits since off the branch"
            ))
        });
        let ways = first.map(Way::Caller).into_iter().chain(back).chain([Way::Command(force)]);
        let what =
            format!("cannot {word} call {id}, nothing was touched: changed since: {}", some(paths));
        let error = Self::with_ways(Code::UndoConflict, what, ways.collect())
            .with("paths", paths.join("\n"));
        match later.first() {
            Some(later) => error.with("later", later),
            None => error,
        }
    }

    /// Git works on an index that is to be turned: its lock is there.
    pub fn git_at_work(word: &str, lock: &str) -> Self {
        let advice = "try again when it has ended; if no git runs, remove that file";
        let message =
            format!("{lock}: git works in this repository, so nothing was touched by {word}");
        Self::new(Code::UndoConflict, format!("{message}; {advice}"))
    }

    /// A program ran, and what it changed could not be noted; `cause` says why.
    pub fn not_noted(cause: &Self) -> Self {
        // What it advises is for a call that can be repeated.
        let why = cause.what();
        Self::new(
            cause.code,
            format!(
                "the program ran; do not run it again. What it changed stays, but could not be \
                 recorded for undo: {why}; once that is fixed, `kitbag log` shows how to put back \
                 what was there before"
            ),
        )
    }

    /// Contents that are needed to undo or redo a step are damaged.
    pub fn kept_damaged(word: &str, id: i64, paths: &[String]) -> Self {
        let what = format!(
            "cannot {word} call {id}, nothing was touched: what the journal kept is damaged or gone \
             for: {}",
            some(paths)
        );
        let force = format!(
            "`kitbag {word} {id} --force`, which leaves these as they are and turns the rest"
        );
        Self::with_ways(Code::ContentDamaged, what, vec![Way::Command(force)])
            .with("paths", paths.join("\n"))
    }

    /// A step was turned in part; `cause` says why no further.
    pub fn half_turned(word: &str, id: i64, cause: &Self, trouble: &str) -> Self {
        let back = if word == "undo" { "redo" } else { "undo" };
        Self::new(
            cause.code,
            format!(
                "{word} of call {id} stopped: {trouble}; `kitbag {word} {id}` goes on with it, \
                 `kitbag {back} {id}` takes it back"
            ),
        )
    }

    /// A content that the journal kept is not what it was.
    pub fn content_damaged(path: &Path) -> Self {
        Self::new(
            Code::ContentDamaged,
            format!(
                "{}: a content kept for undo is damaged or gone, so it is not restored; `kitbag \
                 log` shows which call it belongs to",
                path.display()
            ),
        )
    }

    /// The database of the journal in `dir` is damaged.
    pub fn journal_damaged(dir: &Path) -> Self {
        Self::new(
            Code::Io,
            format!(
                "{}: the journal's database is damaged; repeat the call, a new journal is begun \
                 and the old one kept",
                dir.display()
            ),
        )
    }

    /// What a failed call changed could not be taken back whole.
    pub fn not_taken_back(id: i64, trouble: &str) -> Self {
        Self::new(
            Code::Io,
            format!(
                "the call failed and what it changed could not be taken back: {trouble}; the next \
                 command that opens the journal tries again, `kitbag undo {id}` does so now"
            ),
        )
    }
}

/// The first of these paths.
fn some(paths: &[String]) -> String {
    let shown = paths.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
    match paths.len().saturating_sub(5) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
