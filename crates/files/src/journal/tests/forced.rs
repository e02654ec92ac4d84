//! Undo finds a way on, whatever was done by hand since, and keeps that too.

use super::*;

#[test]
fn a_file_removed_by_hand_is_told_and_force_brings_it_back() {
    let place = place(&[("b", "one")]);
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    step.write("b", b"two", Parents::Create).unwrap();
    let id = step.keep().unwrap().unwrap();
    fs::remove_file(place.root.join("b")).unwrap();
    let error = journal.turn(&ws, Direction::Undo, None).unwrap_err();
    assert_eq!(error.code, Code::UndoConflict);
    assert!(error.message.contains("changed since: b (removed)"), "{error}");
    assert!(error.message.contains(&format!("kitbag undo {id} --force")), "{error}");
    assert!(!error.message.contains("first, or"), "there are no later calls: {error}");
    journal.turn_by_force(&ws, Direction::Undo, None).unwrap();
    assert_eq!(place.read("b"), "one");
    // That it was gone is a call of its own.
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert!(!place.root.join("b").exists());
}

#[test]
fn a_new_file_removed_by_hand_is_undone_without_a_word() {
    let place = place(&[]);
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    step.write("b.txt", b"new", Parents::Create).unwrap();
    step.keep().unwrap();
    fs::remove_file(place.root.join("b.txt")).unwrap();
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(journal.log(&ws, 9).unwrap()[0].status, Status::Undone);
}

#[test]
fn force_keeps_what_it_puts_aside_whatever_it_is() {
    let place = place(&[("a", "one"), ("b", "one"), ("c", "one"), ("same", "one")]);
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    for path in ["a", "b", "c", "same"] {
        step.write(path, b"two", Parents::Create).unwrap();
    }
    let id = step.keep().unwrap();
    fs::write(place.root.join("a"), "mine").unwrap();
    fs::remove_file(place.root.join("b")).unwrap();
    fs::create_dir_all(place.root.join("b/deep")).unwrap();
    fs::write(place.root.join("b/deep/x"), "mine").unwrap();
    fs::remove_file(place.root.join("c")).unwrap();
    std::os::unix::fs::symlink("a", place.root.join("c")).unwrap();
    journal.turn_by_force(&ws, Direction::Undo, id).unwrap();
    let now = || ["a", "b", "c", "same"].map(|path| place.read(path)).join(" ");
    assert_eq!(now(), "one one one one");
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(place.read("a"), "mine");
    assert_eq!(place.read("b/deep/x"), "mine");
    assert_eq!(fs::read_link(place.root.join("c")).unwrap(), Path::new("a"));
    journal.turn(&ws, Direction::Redo, None).unwrap();
    assert_eq!(now(), "one one one one");
    journal.turn(&ws, Direction::Redo, id).unwrap();
    assert_eq!(now(), "two two two two");
}

#[test]
fn a_conflict_with_a_later_call_names_it() {
    let place = place(&[("a", "1")]);
    let (ws, journal) = place.open();
    let mut ids = Vec::new();
    for text in ["2", "3"] {
        let step = begin(&journal, &ws);
        step.write("a", text.as_bytes(), Parents::Create).unwrap();
        ids.extend(step.keep().unwrap());
    }
    let error = journal.turn(&ws, Direction::Undo, Some(ids[0])).unwrap_err();
    assert!(error.message.contains(&format!("undo call {} first", ids[1])), "{error}");
}

#[test]
fn a_file_put_where_a_removed_one_comes_back_is_kept() {
    let place = place(&[("d/x", "old")]);
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    step.remove_directory("d").unwrap();
    let id = step.keep().unwrap();
    fs::write(place.root.join("d"), "mine").unwrap();
    assert_eq!(journal.turn(&ws, Direction::Undo, None).unwrap_err().code, Code::UndoConflict);
    journal.turn_by_force(&ws, Direction::Undo, id).unwrap();
    assert_eq!(place.read("d/x"), "old");
    let aside = journal.log(&ws, 1).unwrap().remove(0);
    assert_eq!(aside.changes[0].what.as_str(), "changed");
    journal.turn(&ws, Direction::Undo, Some(aside.id)).unwrap();
    assert_eq!(place.read("d"), "mine");
}
