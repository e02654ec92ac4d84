#![expect(clippy::disallowed_methods, reason = "tests look at the real files")]

mod damage;
mod forced;
mod interfered;
mod moves;
mod packed;
mod programs;
mod random;
mod reach;

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use fault::Code;

use super::{Approved, Direction, Journal, Label, Parents, Status, Step};
use crate::{Access, Limits, State, Workspace};

struct Place {
    _dir: tempfile::TempDir,
    root: std::path::PathBuf,
    state: State,
}

fn place(files: &[(&str, &str)]) -> Place {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap().join("root");
    fs::create_dir(&root).unwrap();
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let state = State::new(root.parent().unwrap().join("state"));
    Place { _dir: dir, root, state }
}

impl Place {
    fn open(&self) -> (Workspace, Journal) {
        let workspace = Workspace::open(&self.root, &[], Limits::default()).unwrap();
        let journal =
            Journal::new(self.state.clone(), self.root.clone(), super::new_id(), false, Vec::new());
        (workspace, journal)
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap_or_else(|e| format!("({e})"))
    }
}

fn days(journal_days: u64) -> Limits {
    Limits { journal_days, ..Limits::default() }
}

fn label() -> Label {
    Label { tool: "test".into(), ..Label::default() }
}

fn begin<'a>(journal: &'a Journal, workspace: &'a Workspace) -> Step<'a> {
    journal.begin(workspace, label(), Approved::default())
}

/// The step of a program that changes files directly, begun.
fn looked<'a>(journal: &'a Journal, ws: &'a Workspace) -> Step<'a> {
    let step = journal.begin(ws, label(), Approved::default());
    step.look_before(false).unwrap();
    step
}

#[test]
fn a_kept_change_can_be_undone_and_redone() {
    let place = place(&[("a.txt", "one\n")]);
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    assert!(!step.write("a.txt", b"two\n", Parents::Create).unwrap().new);
    assert!(step.write("deep/er/b.txt", b"new\n", Parents::Create).unwrap().new);
    let id = step.keep().unwrap().unwrap();

    let record = journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(record.id, id);
    assert_eq!(place.read("a.txt"), "one\n");
    assert!(!place.root.join("deep").exists());

    journal.turn(&ws, Direction::Redo, None).unwrap();
    assert_eq!(place.read("a.txt"), "two\n");
    assert_eq!(place.read("deep/er/b.txt"), "new\n");
    assert_eq!(journal.turn(&ws, Direction::Redo, None).unwrap_err().code, Code::NothingToUndo);
}

#[test]
fn several_steps_are_undone_backwards_and_redone_forwards() {
    let place = place(&[("a", "0")]);
    let (ws, journal) = place.open();
    for text in ["1", "2", "3"] {
        let step = begin(&journal, &ws);
        step.write("a", text.as_bytes(), Parents::Create).unwrap();
        step.keep().unwrap();
    }
    let mut seen = Vec::new();
    for direction in
        [Direction::Undo, Direction::Undo, Direction::Undo, Direction::Redo, Direction::Redo]
    {
        journal.turn(&ws, direction, None).unwrap();
        seen.push(place.read("a"));
    }
    assert_eq!(seen, ["2", "1", "0", "1", "2"]);
}

#[test]
fn a_failed_step_leaves_everything_as_it_was() {
    let place = place(&[("a.txt", "one"), ("d/x", "x"), ("d/sub/y", "y")]);
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    step.write("a.txt", b"two", Parents::Create).unwrap();
    step.write("new/file", b"n", Parents::Create).unwrap();
    step.remove_directory("d").unwrap();
    assert!(!place.root.join("d").exists());
    step.roll_back().unwrap();
    assert_eq!(place.read("a.txt"), "one");
    assert_eq!(place.read("d/sub/y"), "y");
    assert!(!place.root.join("new").exists());
    assert!(journal.log(&ws, 9).unwrap().is_empty());
}

#[test]
fn a_step_dropped_by_a_panic_is_rolled_back() {
    let place = place(&[("a", "one")]);
    let (ws, journal) = place.open();
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let step = begin(&journal, &ws);
        step.write("a", b"two", Parents::Create).unwrap();
        panic!("on purpose");
    }));
    assert!(result.is_err());
    assert_eq!(place.read("a"), "one");
}

#[test]
fn undo_refuses_to_destroy_what_somebody_wrote_since() {
    let place = place(&[("a", "one"), ("b", "one")]);
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    step.write("a", b"two", Parents::Create).unwrap();
    step.write("b", b"two", Parents::Create).unwrap();
    step.keep().unwrap();
    fs::write(place.root.join("b"), "mine").unwrap();
    let error = journal.turn(&ws, Direction::Undo, None).unwrap_err();
    assert_eq!(error.code, Code::UndoConflict);
    assert!(error.message.contains("b;"), "{error}");
    assert_eq!((place.read("a").as_str(), place.read("b").as_str()), ("two", "mine"));
}

#[test]
fn removed_things_come_back_with_mode_links_and_all() {
    let place = place(&[("d/run.sh", "#!/bin/sh\n"), ("f", "f")]);
    fs::set_permissions(place.root.join("d/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink("run.sh", place.root.join("d/link")).unwrap();
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    step.remove_directory("d").unwrap();
    step.remove_file("f").unwrap();
    step.keep().unwrap();
    assert!(!place.root.join("d").exists() && !place.root.join("f").exists());
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(
        fs::metadata(place.root.join("d/run.sh")).unwrap().permissions().mode() & 0o777,
        0o755
    );
    assert_eq!(fs::read_link(place.root.join("d/link")).unwrap(), Path::new("run.sh"));
    journal.turn(&ws, Direction::Redo, None).unwrap();
    assert!(!place.root.join("d").exists() && !place.root.join("f").exists());
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(place.read("f"), "f");
}

#[test]
fn a_dry_step_changes_nothing_and_binds_the_real_one() {
    let place = place(&[("a", "one\n")]);
    let (ws, journal) = place.open();
    let dry = Step::dry(&journal, &ws, Approved::default());
    dry.write("a", b"two\n", Parents::Create).unwrap();
    dry.write("x/y", b"new\n", Parents::Create).unwrap();
    let planned = dry.planned();
    assert_eq!(place.read("a"), "one\n");
    assert!(!place.root.join("x").exists());

    let approved = Approved { planned: Some(planned), ..Approved::default() };
    let step = journal.begin(&ws, label(), approved.clone());
    step.write("x/y", b"new\n", Parents::Create).unwrap();
    assert_eq!(step.write("a", b"three\n", Parents::Create).unwrap_err().code, Code::FileChanged);
    drop(step);
    assert!(!place.root.join("x").exists());
}

#[test]
fn a_write_over_somebody_elses_change_is_refused() {
    let place = place(&[("a", "one")]);
    let (ws, journal) = place.open();
    ws.read("a").unwrap();
    fs::write(place.root.join("a"), "theirs").unwrap();
    let step = begin(&journal, &ws);
    assert_eq!(step.write("a", b"mine", Parents::Create).unwrap_err().code, Code::FileChanged);
    drop(step);
    ws.read("a").unwrap();
    let step = begin(&journal, &ws);
    step.write("a", b"mine", Parents::Create).unwrap();
    step.keep().unwrap();
    assert_eq!(place.read("a"), "mine");
}

#[test]
fn an_edit_of_a_file_that_somebody_else_changed_does_not_make_it_read() {
    let place = place(&[("a", "one")]);
    let (ws, journal) = place.open();
    ws.read("a").unwrap();
    fs::write(place.root.join("a"), "theirs, one").unwrap();
    let step = begin(&journal, &ws);
    step.edit("a", |old| Ok((String::from_utf8_lossy(old).replace("one", "1").into_bytes(), ())))
        .unwrap();
    assert_eq!(step.write("a", b"mine", Parents::Create).unwrap_err().code, Code::FileChanged);
    assert_eq!(ws.read_as_seen("a").unwrap_err().code, Code::FileChanged);
    ws.look("a").unwrap();
    assert_eq!(step.write("a", b"mine", Parents::Create).unwrap_err().code, Code::FileChanged);
    ws.read("a").unwrap();
    step.write("a", b"mine", Parents::Create).unwrap();
    ws.read_as_seen("a").unwrap();
    step.keep().unwrap();
}

#[test]
fn two_processes_worth_of_edits_lose_nothing() {
    let place = place(&[("n", "")]);
    std::thread::scope(|scope| {
        for name in ["a", "b", "c", "d"] {
            let place = &place;
            scope.spawn(move || {
                let (ws, journal) = place.open();
                for _ in 0..20 {
                    let step = begin(&journal, &ws);
                    step.edit("n", |old| Ok(([old, name.as_bytes()].concat(), ()))).unwrap();
                    step.keep().unwrap();
                }
            });
        }
    });
    let text = place.read("n");
    for name in ["a", "b", "c", "d"] {
        assert_eq!(text.matches(name).count(), 20, "{text}");
    }
}

#[test]
fn pruning_forgets_old_steps_and_nothing_that_is_still_needed() {
    let place = place(&[("a", "1"), ("gone", "g"), ("big", &"b".repeat(100_000))]);
    let (ws, journal) = place.open();
    let step = looked(&journal, &ws);
    fs::write(place.root.join("a"), "2").unwrap();
    step.keep().unwrap();
    let step = begin(&journal, &ws);
    step.remove_file("gone").unwrap();
    step.keep().unwrap();
    journal.prune(&days(1)).unwrap();
    assert_eq!(journal.log(&ws, 9).unwrap().len(), 2, "a day has not passed");
    std::thread::sleep(std::time::Duration::from_millis(5));
    journal.prune(&days(0)).unwrap();
    assert!(journal.log(&ws, 9).unwrap().is_empty());
    assert_eq!(fs::read_dir(place.state.dir().join("journal/trash")).unwrap().count(), 0);

    let step = looked(&journal, &ws);
    fs::remove_file(place.root.join("big")).unwrap();
    step.keep().unwrap();
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(place.read("big").len(), 100_000);
}

#[test]
fn what_a_killed_process_left_over_is_swept_up() {
    let place = place(&[("a", "one"), ("d/b", "one")]);
    let left = |process: u32| place.root.join(format!("d/.kitbag-{process}-0123"));
    {
        let (ws, journal) = place.open();
        let step = begin(&journal, &ws);
        step.write("d/b", b"two", Parents::Create).unwrap();
        std::mem::forget(step); // as if it were killed
        std::fs::write(left(u32::MAX), "half").unwrap();
        std::fs::write(left(std::process::id()), "whole").unwrap();
    }
    let (ws, journal) = place.open();
    assert!(journal.log(&ws, 9).unwrap().is_empty());
    assert_eq!(place.read("d/b"), "one");
    assert!(!left(u32::MAX).exists(), "of a dead process");
    assert!(left(std::process::id()).exists(), "of one that lives");
}

#[test]
fn redo_goes_back_in_the_order_of_undo_whatever_the_clock_says() {
    let place = place(&[("a.txt", "0")]);
    let (ws, journal) = place.open();
    for content in ["1", "2"] {
        let step = begin(&journal, &ws);
        step.write("a.txt", content.as_bytes(), Parents::Create).unwrap();
        step.keep().unwrap();
    }
    journal.turn(&ws, Direction::Undo, None).unwrap();
    journal.turn(&ws, Direction::Undo, None).unwrap();
    // As if the clock had been far ahead at the first undo.
    let ahead = "UPDATE steps SET time = time + 4000000000000 WHERE id = 2";
    journal.store().unwrap().write(|tx| tx.run(ahead, [])).unwrap();
    for content in ["1", "2"] {
        journal.turn(&ws, Direction::Redo, None).unwrap();
        assert_eq!(place.read("a.txt"), content);
    }
}
