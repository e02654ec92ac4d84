//! Files that come whole: copied, moved, kept beside another, from outside.

use super::*;

#[test]
fn a_move_can_be_undone_and_a_copy_overwrites_nothing() {
    let place =
        place(&[("src/a.txt", "a\n"), ("src/deep/run.sh", "run\n"), ("there/src/x", "x\n")]);
    fs::set_permissions(place.root.join("src/deep/run.sh"), fs::Permissions::from_mode(0o750))
        .unwrap();
    let closed = fs::Permissions::from_mode(0o711);
    fs::set_permissions(place.root.join("src/deep"), closed).unwrap();
    std::os::unix::fs::symlink("deep/run.sh", place.root.join("src/link")).unwrap();
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    let moved = step.relocate("src", "new/place").unwrap();
    assert_eq!((moved.to.as_str(), moved.files), ("new/place", 3));
    step.keep().unwrap();
    assert!(!place.root.join("src").exists());
    assert_eq!(place.read("new/place/link"), "run\n");
    let mode = |path: &str| fs::metadata(place.root.join(path)).unwrap().mode() & 0o777;
    assert_eq!((mode("new/place/deep/run.sh"), mode("new/place/deep")), (0o750, 0o711));
    journal.turn(&ws, Direction::Undo, None).unwrap();
    journal.turn(&ws, Direction::Redo, None).unwrap();
    assert_eq!((mode("new/place/deep/run.sh"), mode("new/place/deep")), (0o750, 0o711));
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!((place.read("src/a.txt"), place.read("src/link")), ("a\n".into(), "run\n".into()));
    assert!(!place.root.join("new").exists());

    let refused = |from: &str, to: &str| {
        let step = begin(&journal, &ws);
        let code = step.copy(from, to).unwrap_err().code;
        step.roll_back().unwrap();
        code
    };
    assert_eq!(refused("src", "there"), Code::FileExists);
    assert_eq!(refused("src/a.txt", "there/src/x"), Code::FileExists);
    assert_eq!(refused("src", "src/deep/in"), Code::InvalidInput);
    assert_eq!(refused(".", "there/all"), Code::InvalidInput);
    assert_eq!(refused("nothing", "there/it"), Code::FileNotFound);
    assert_eq!(refused("src/a.txt", "../out"), Code::PathOutsideWorkspace);
    std::os::unix::fs::symlink("../../etc", place.root.join("src/out")).unwrap();
    assert_eq!(refused("src", "there/copy"), Code::InvalidInput);
    assert!(!place.root.join("there/copy").exists());
    assert_eq!(place.read("there/src/x"), "x\n");
}

#[test]
fn a_backup_has_the_mode_of_its_file_and_undo_takes_it_away() {
    let place = place(&[("secret", "one\n"), ("secret.backup", "zero\n")]);
    fs::set_permissions(place.root.join("secret"), fs::Permissions::from_mode(0o600)).unwrap();
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    assert_eq!(step.back_up("secret").unwrap().as_deref(), Some("secret.backup.1"));
    assert_eq!(step.back_up("none").unwrap(), None);
    step.write("secret", b"two\n", Parents::Create).unwrap();
    step.keep().unwrap();
    let mode = fs::metadata(place.root.join("secret.backup.1")).unwrap().permissions().mode();
    assert_eq!((mode & 0o777, place.read("secret.backup.1")), (0o600, "one\n".to_owned()));
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(
        (place.read("secret"), place.read("secret.backup")),
        ("one\n".into(), "zero\n".into())
    );
    assert!(!place.root.join("secret.backup.1").exists());
}

#[test]
fn a_file_from_outside_appears_whole_and_can_be_undone() {
    let place = place(&[("old", "one\n"), ("folder/x", "")]);
    let (ws, journal) = place.open();
    let outside = place.root.parent().unwrap().join("outside");
    fs::write(&outside, "two\n".repeat(100_000)).unwrap();
    let source = fs::File::open(&outside).unwrap();
    fs::set_permissions(place.root.join("old"), fs::Permissions::from_mode(0o640)).unwrap();
    let step = begin(&journal, &ws);
    step.expect("old").unwrap();
    assert!(!step.adopt("old", &source, Parents::Create).unwrap().new);
    assert!(step.adopt("deep/new", &source, Parents::Create).unwrap().new);
    step.keep().unwrap();
    assert_eq!(fs::read(place.root.join("deep/new")).unwrap(), fs::read(&outside).unwrap());
    let mode = fs::metadata(place.root.join("old")).unwrap().permissions().mode();
    assert_eq!((place.read("old").len(), mode & 0o777), (400_000, 0o640));
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(place.read("old"), "one\n");
    assert!(!place.root.join("deep").exists());
    journal.turn(&ws, Direction::Redo, None).unwrap();
    assert_eq!(place.read("deep/new").len(), 400_000);
}

#[test]
fn where_no_file_from_outside_may_go_is_known_before_it_is_there() {
    let place = place(&[("folder/x", "")]);
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    for (path, code) in [
        ("folder", Code::IsDirectory),
        ("new/", Code::IsDirectory),
        ("../x", Code::PathOutsideWorkspace),
        (".envrc", Code::ProtectedPath),
        ("folder/x/y", Code::NotADirectory),
    ] {
        assert_eq!(step.expect(path).unwrap_err().code, code, "{path}");
    }
    step.expect("new/deep/file").unwrap();
    assert!(!place.root.join("new").exists());
    let read_only = Workspace::open(
        &place.root.parent().unwrap().join("state"),
        &[(place.root.clone(), Access::Read)],
        Limits::default(),
    );
    if let Ok(ws) = read_only {
        let step = begin(&journal, &ws);
        let path = place.root.join("a").display().to_string();
        assert_eq!(step.expect(&path).unwrap_err().code, Code::PermissionDenied);
    }
}

#[test]
fn a_failed_call_takes_back_a_file_from_outside() {
    let place = place(&[("old", "one\n")]);
    let (ws, journal) = place.open();
    let outside = place.root.parent().unwrap().join("outside");
    fs::write(&outside, "two\n").unwrap();
    let source = fs::File::open(&outside).unwrap();
    let step = begin(&journal, &ws);
    step.adopt("old", &source, Parents::Create).unwrap();
    step.adopt("new", &source, Parents::Create).unwrap();
    step.roll_back().unwrap();
    assert_eq!(place.read("old"), "one\n");
    assert!(!place.root.join("new").exists());
}
