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
    let step = journal.begin_program(&ws, label()).unwrap();
    fs::remove_dir_all(place.root.join("gone")).unwrap();
    fs::write(place.root.join("old"), "new").unwrap();
    fs::remove_file(place.root.join(".env")).unwrap();
    fs::create_dir_all(place.root.join("made/here")).unwrap();
    fs::write(place.root.join("made/here/y"), "y").unwrap();
    let noted = step.note_program().unwrap();
    assert_eq!(noted.step, step.keep().unwrap());
    let log = journal.log(&ws, 1).unwrap();
    let changes: Vec<_> = log[0].changes.iter().map(|c| format!("{} {}", c.what, c.path)).collect();
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
    let step = journal.begin_program(&ws, label()).unwrap();
    assert_eq!(step.keep().unwrap(), None);
    assert!(journal.log(&ws, 9).unwrap().is_empty());
}

#[test]
fn a_program_cannot_leave_a_file_that_editors_obey() {
    let place = place(&[(".vscode/tasks.json", "{}")]);
    let (ws, journal) = place.open();
    let step = journal.begin_program(&ws, label()).unwrap();
    fs::write(place.root.join(".envrc"), "evil").unwrap();
    fs::write(place.root.join(".vscode/tasks.json"), "evil").unwrap();
    fs::write(place.root.join("fine"), "fine").unwrap();
    let noted = step.note_program().unwrap();
    assert_eq!(noted.put_back, [".envrc", ".vscode/tasks.json"]);
    assert_eq!(place.read(".vscode/tasks.json"), "{}");
    assert!(!place.root.join(".envrc").exists());
    assert_eq!(place.read("fine"), "fine");
}

#[test]
fn the_configuration_of_a_repository_stays_as_a_program_left_it_if_that_was_its_task() {
    let place = place(&[(".git/config", "old"), (".git/HEAD", "ref: refs/heads/main\n")]);
    let (ws, journal) = place.open();
    let step = journal.begin_program(&ws, label()).unwrap();
    fs::write(place.root.join(".git/config"), "new").unwrap();
    assert_eq!(step.note_program().unwrap().put_back, [".git/config"]);
    step.keep().unwrap();
    assert_eq!(place.read(".git/config"), "old");
    let step = journal.begin_program(&ws, label()).unwrap();
    step.let_configure_git();
    fs::write(place.root.join(".git/config"), "new").unwrap();
    assert!(step.note_program().unwrap().put_back.is_empty());
    step.keep().unwrap();
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(place.read(".git/config"), "old");
}

#[test]
fn a_mode_that_a_program_changed_can_be_undone() {
    let place = place(&[("run", "x")]);
    let (ws, journal) = place.open();
    let run = place.root.join("run");
    let mode = |bits| fs::set_permissions(&run, fs::Permissions::from_mode(bits)).unwrap();
    mode(0o640);
    let step = journal.begin_program(&ws, label()).unwrap();
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
    journal.begin_program(&ws, label()).unwrap().keep().unwrap();
    fs::write(place.root.join("a"), "2").unwrap();
    let step = journal.begin_program(&ws, label()).unwrap();
    fs::write(place.root.join("a"), "3").unwrap();
    step.keep().unwrap();
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(place.read("a"), "2");
}
