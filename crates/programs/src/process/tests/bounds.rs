//! What programs change without end: large files, deep directories.

use std::fs;

use files::journal::{Approved, Direction, Step};

use super::layered::{Layered, label, layered, tree};
use super::*;

impl Layered {
    /// Runs a script that has this time, of which little more may be taken to look at its changes.
    fn run_for(&self, step: &Step<'_>, script: &str, ms: u64, cancel: &Cancel) -> Finished {
        let limits = Limits { bring_in_grace: Duration::from_millis(ms / 2), ..Limits::default() };
        let ws = Workspace::open(&self.place.root, &[], limits).unwrap();
        let timeout = Duration::from_millis(ms);
        let line = Line::Shell(script);
        let program = Program { line, dir: ".", env: &[], timeout, reach: Reach::Workspace };
        self.runner.run(&ws, &program, Some(step), cancel).unwrap()
    }
}

/// Many times what can be read in the time that these tests give.
const LARGE: &str = "echo new > a; truncate -s 60G large";

#[test]
fn what_cannot_be_looked_through_in_time_is_not_brought_in() {
    let Some(it) = layered(&[("a", "old")]) else { return };
    let before = tree(&it.place.root);
    let step = it.journal.begin(&it.ws, label(), Approved::default());
    let done = it.run_for(&step, LARGE, 1000, &Cancel::default());
    assert_eq!(done.exit, Exit::TimedOut(Duration::from_secs(1)));
    let notes = step.note_program().unwrap().notes.join("\n");
    assert!(notes.contains("nothing that it changed was kept"), "{notes}");
    assert_eq!(step.keep().unwrap(), None);
    assert_eq!(tree(&it.place.root), before);
}

#[test]
fn a_call_is_cancelled_also_while_its_changes_are_looked_at() {
    let Some(it) = layered(&[("a", "old")]) else { return };
    let before = tree(&it.place.root);
    let (cancel, started) = (Cancel::default(), Instant::now());
    let other = cancel.clone();
    let stop = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(1));
        other.cancel();
    });
    let step = it.journal.begin(&it.ws, label(), Approved::default());
    let done = it.run_for(&step, LARGE, 600_000, &cancel);
    stop.join().unwrap();
    assert_eq!(done.exit, Exit::Cancelled);
    println!("cancelled after 1 s, ended after {:?}", started.elapsed());
    assert_eq!(step.keep().unwrap(), None);
    assert_eq!(tree(&it.place.root), before);
}

#[test]
fn a_conflict_of_a_large_file_is_given_up_in_time_too() {
    let Some(it) = layered(&[("large", "old"), ("a", "old")]) else { return };
    let large = it.place.root.join("large");
    let person = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        fs::write(large, "person").unwrap();
    });
    let step = it.journal.begin(&it.ws, label(), Approved::default());
    let done = it.run_for(&step, &format!("{LARGE}; sleep 0.6"), 1000, &Cancel::default());
    person.join().unwrap();
    assert_eq!(done.exit, Exit::TimedOut(Duration::from_secs(1)));
    assert_eq!(step.keep().unwrap(), None);
    assert_eq!((it.place.read("large"), it.place.read("a")), ("person".into(), "old".into()));
}

#[test]
fn deep_directories_come_in_are_moved_and_go_back() {
    let Some(it) = layered(&[("a", "a")]) else { return };
    let before = tree(&it.place.root);
    let deep = "d/".repeat(1500);
    let start = Instant::now();
    it.run(&format!("mkdir -p {deep} && echo x > {deep}f"));
    println!("1500 directories brought in: {:?}", start.elapsed());
    let made = it.place.root.join(&deep).join("f");
    assert_eq!(fs::read_to_string(&made).unwrap(), "x\n");
    let start = Instant::now();
    it.run("mv d e");
    println!("moved: {:?}", start.elapsed());
    assert!(it.place.root.join(deep.replacen('d', "e", 1)).join("f").exists() && !made.exists());
    let start = Instant::now();
    it.turn(Direction::Undo);
    println!("undone: {:?}", start.elapsed());
    assert!(made.exists());
    let start = Instant::now();
    it.turn(Direction::Undo);
    println!("undone: {:?}", start.elapsed());
    assert_eq!(tree(&it.place.root), before);
}

#[test]
fn paths_that_are_too_long_are_left_out_and_removed_with_their_layer() {
    let Some(it) = layered(&[]) else { return };
    let notes = it.run(
        "echo a > a; python3 -c '
import os
for _ in range(6000):
    os.mkdir(\"d\")
    os.chdir(\"d\")
'",
    );
    assert!(notes[0].starts_with("not kept, since the path is too long: d/d/"), "{notes:?}");
    assert_eq!(it.place.read("a"), "a\n");
    it.journal.close_replaced();
    let layers = it.place.state.dir().join("layers");
    assert_eq!(fs::read_dir(layers).unwrap().count(), 0);
    it.turn(Direction::Undo);
    assert_eq!(tree(&it.place.root), [""; 0]);
}
