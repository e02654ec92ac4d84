//! What programs changed, noted and turned back.

use super::*;

#[test]
fn what_a_program_did_can_be_undone() {
    let place = place(&[
        ("keep", "k"),
        ("gone/deep/x", "x"),
        ("old", "old"),
        (".env", "SECRET=1\n"),
        (".gitignore", ".env\nbuild/\n"),
        ("build/out", "o"),
    ]);
    let (ws, journal) = place.open();
    let step = looked(&journal, &ws);
    fs::remove_dir_all(place.root.join("gone")).unwrap();
    fs::write(place.root.join("old"), "new").unwrap();
    fs::remove_file(place.root.join(".env")).unwrap();
    fs::create_dir_all(place.root.join("made/here")).unwrap();
    fs::write(place.root.join("made/here/y"), "y").unwrap();
    let noted = step.note_program().unwrap();
    assert_eq!(noted.step, step.keep().unwrap());
    let log = journal.log(&ws, 1).unwrap();
    let changes: Vec<_> =
        log[0].changes.iter().map(|c| format!("{} {}", c.what.as_str(), c.path)).collect();
    assert_eq!(
        changes,
        [
            "removed gone/deep/x",
            "removed gone/deep",
            "removed gone",
            "removed .env",
            "created made",
            "created made/here",
            "created made/here/y",
            "changed old",
        ]
    );
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(place.read("gone/deep/x"), "x");
    assert_eq!(place.read("old"), "old");
    assert_eq!(place.read(".env"), "SECRET=1\n");
    assert!(!place.root.join("made").exists());
    journal.turn(&ws, Direction::Redo, None).unwrap();
    assert_eq!(place.read("old"), "new");
    assert!(!place.root.join("gone").exists());
}

#[test]
fn a_program_that_changed_nothing_leaves_no_entry() {
    let place = place(&[("a", "a")]);
    let (ws, journal) = place.open();
    let step = looked(&journal, &ws);
    assert_eq!(step.keep().unwrap(), None);
    assert!(journal.log(&ws, 9).unwrap().is_empty());
}

#[test]
fn what_programs_obey_is_left_as_it_is_and_offered_to_be_put_back() {
    let place = place(&[(".vscode/tasks.json", "{}")]);
    let (ws, journal) = place.open();
    let step = looked(&journal, &ws);
    fs::write(place.root.join(".envrc"), "mine or its").unwrap();
    fs::write(place.root.join(".vscode/tasks.json"), "mine or its").unwrap();
    fs::write(place.root.join("fine"), "fine").unwrap();
    let noted = step.note_program().unwrap();
    assert!(noted.notes[0].contains(".envrc, .vscode/tasks.json"), "{:?}", noted.notes);
    step.keep().unwrap();
    assert_eq!(place.read(".vscode/tasks.json"), "mine or its", "nobody knows whose it is");
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert!(!place.root.join("fine").exists());
    assert_eq!(place.read(".envrc"), "mine or its");
    let offer = journal.log(&ws, 1).unwrap().remove(0);
    assert_eq!(
        (offer.about.as_str(), offer.status),
        ("put back what changed while a command ran", Status::Undone)
    );
    journal.turn(&ws, Direction::Redo, Some(offer.id)).unwrap();
    assert_eq!(place.read(".vscode/tasks.json"), "{}");
    assert!(!place.root.join(".envrc").exists());
}

#[test]
fn a_program_of_kitbags_own_changes_what_it_must() {
    let place = place(&[(".git/config", "old"), (".git/HEAD", "ref: refs/heads/main\n")]);
    let (ws, journal) = place.open();
    let step = journal.begin(&ws, label(), Approved::default());
    let touched = step.look_before(true).unwrap();
    touched.begin(true);
    touched.write(place.root.join(".git/config"));
    fs::write(place.root.join(".git/config"), "new").unwrap();
    assert!(step.note_program().unwrap().notes.is_empty());
    step.keep().unwrap();
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(place.read(".git/config"), "old");
}

#[test]
fn what_came_in_place_of_a_known_file_can_be_undone() {
    for make in ["mkfifo a", "truncate -s 20M a", "chmod 000 a; echo x > b"] {
        let place = place(&[("a", "kept"), ("b", "b")]);
        let (ws, journal) = place.open();
        let step = looked(&journal, &ws);
        let script =
            if make.starts_with("chmod") { make.to_owned() } else { format!("rm a; {make}") };
        let done = std::process::Command::new("sh")
            .args(["-c", &script])
            .current_dir(&place.root)
            .status();
        assert!(done.unwrap().success());
        step.keep().unwrap();
        journal.turn(&ws, Direction::Undo, None).unwrap();
        assert_eq!(place.read("a"), "kept", "{make}");
    }
}

#[test]
fn a_file_that_was_there_unseen_is_not_taken_for_new() {
    let place =
        place(&[(".gitignore", "secret.txt\nbuild/\n"), ("build/data", "mine"), ("a", "a")]);
    fs::write(place.root.join("large"), vec![b'x'; 20 << 20]).unwrap();
    let (ws, journal) = place.open();
    let step = looked(&journal, &ws);
    // As `sed -i` does, and a command that no longer ignores a directory.
    fs::write(place.root.join("new"), "short").unwrap();
    fs::rename(place.root.join("new"), place.root.join("large")).unwrap();
    fs::write(place.root.join(".gitignore"), "").unwrap();
    fs::write(place.root.join("build/new"), "its").unwrap();
    fs::rename(place.root.join("build/new"), place.root.join("build/data")).unwrap();
    step.keep().unwrap();
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(place.read("large"), "short");
    assert_eq!(place.read("build/data"), "its");
    let said = &journal.log(&ws, 1).unwrap()[0].missed;
    assert!(said.contains("not covered before"), "{said}");
}

#[test]
fn a_mode_that_a_program_changed_can_be_undone() {
    let place = place(&[("run", "x")]);
    let (ws, journal) = place.open();
    let run = place.root.join("run");
    let mode = |bits| fs::set_permissions(&run, fs::Permissions::from_mode(bits)).unwrap();
    mode(0o640);
    let step = looked(&journal, &ws);
    mode(0o750);
    step.keep().unwrap();
    let bits = || fs::metadata(&run).unwrap().permissions().mode() & 0o777;
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(bits(), 0o640);
    journal.turn(&ws, Direction::Redo, None).unwrap();
    assert_eq!(bits(), 0o750);
}

#[test]
fn a_second_program_sees_what_changed_between_them() {
    let place = place(&[("a", "1")]);
    let (ws, journal) = place.open();
    looked(&journal, &ws).keep().unwrap();
    fs::write(place.root.join("a"), "2").unwrap();
    let step = looked(&journal, &ws);
    fs::write(place.root.join("a"), "3").unwrap();
    step.keep().unwrap();
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(place.read("a"), "2");
}
