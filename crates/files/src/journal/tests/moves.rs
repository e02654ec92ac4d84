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
    let place = place(&[("old", "one\n"), ("directory/x", "")]);
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
    let place = place(&[("directory/x", "")]);
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    for (path, code) in [
        ("directory", Code::IsDirectory),
        ("new/", Code::IsDirectory),
        ("../x", Code::PathOutsideWorkspace),
        (".envrc", Code::ProtectedPath),
        ("directory/x/y", Code::NotADirectory),
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

#[test]
fn a_move_is_not_undone_below_later_changes_of_what_was_moved() {
    let place = place(&[("a/x", "one")]);
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    step.relocate("a", "b").unwrap();
    let moved = step.keep().unwrap().unwrap();
    let step = begin(&journal, &ws);
    step.write("b/x", b"two", Parents::Require).unwrap();
    let edited = step.keep().unwrap().unwrap();
    let error = journal.turn(&ws, Direction::Undo, Some(moved)).unwrap_err();
    assert_eq!(error.code, Code::UndoConflict);
    assert!(error.message.contains(&format!("b; undo call {edited} first")), "{error}");
    journal.would_turn(&ws, Direction::Undo, &[edited, moved]).unwrap();
    journal.turn(&ws, Direction::Undo, Some(edited)).unwrap();
    journal.turn(&ws, Direction::Undo, Some(moved)).unwrap();
    assert_eq!(place.read("a/x"), "one");
}

#[test]
fn a_move_is_a_rename_at_any_size_and_its_undo_too() {
    let place = place(&[("d/small", "s")]);
    let huge = fs::File::create(place.root.join("d/huge")).unwrap();
    huge.set_len(10 << 30).unwrap();
    for n in 0..11_000 {
        fs::write(place.root.join(format!("d/{n}")), "").unwrap();
    }
    let inode = |path: &str| fs::metadata(place.root.join(path)).unwrap().ino();
    let (directory, file) = (inode("d"), inode("d/huge"));
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    assert_eq!(step.relocate("d", "deep/e").unwrap().files, 11_002);
    step.keep().unwrap();
    assert_eq!((inode("deep/e"), inode("deep/e/huge")), (directory, file));
    let moved = &journal.log(&ws, 1).unwrap()[0].changes[1];
    assert_eq!((moved.what.as_str(), moved.to_string()), ("moved", "d to deep/e".to_owned()));
    let newest = journal.log(&ws, 1).unwrap()[0].id;
    assert!(journal.diff(&ws, newest).unwrap().contains("moved d to deep/e"));
    // What somebody saved into it since is in it.
    fs::write(place.root.join("deep/e/small"), "mine").unwrap();
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(
        (inode("d"), inode("d/huge"), place.read("d/small")),
        (directory, file, "mine".into())
    );
    assert!(!place.root.join("deep").exists());
    // Nor is anything overwritten by it.
    journal.turn(&ws, Direction::Redo, None).unwrap();
    fs::write(place.root.join("d"), "mine").unwrap();
    assert_eq!(journal.turn(&ws, Direction::Undo, None).unwrap_err().code, Code::UndoConflict);
    journal.turn_by_force(&ws, Direction::Undo, None).unwrap();
    assert_eq!(inode("d"), directory);
}

#[test]
fn saves_into_a_directory_while_it_moves_are_in_one_of_the_two_places() {
    let place = place(&[("d/x", "0")]);
    for n in 0..200 {
        fs::write(place.root.join(format!("d/{n}")), "x").unwrap();
    }
    let (ws, journal) = place.open();
    let (mut here, mut there) = ("d", "e");
    for round in 0..100_u64 {
        let save = |text: &str| {
            for directory in ["d", "e"] {
                let path = place.root.join(directory).join("x");
                let open = fs::OpenOptions::new().write(true).truncate(true).open(&path);
                if let Ok(mut file) = open {
                    use std::io::Write as _;
                    file.write_all(text.as_bytes()).unwrap();
                    return true;
                }
            }
            false
        };
        let text = format!("{round}");
        let saved = std::thread::scope(|scope| {
            let saver = scope.spawn(|| {
                std::thread::sleep(std::time::Duration::from_micros(round * 53 % 3000));
                save(&text)
            });
            let step = begin(&journal, &ws);
            step.relocate(here, there).unwrap();
            step.keep().unwrap();
            saver.join().unwrap()
        });
        std::mem::swap(&mut here, &mut there);
        if saved {
            assert_eq!(place.read(&format!("{here}/x")), text, "round {round}");
        }
    }
}

#[test]
fn a_move_to_another_file_system_is_a_copy_that_can_be_undone() {
    let Ok(memory) = tempfile::tempdir_in("/dev/shm") else {
        println!("skipped: no file system in memory here");
        return;
    };
    let place = place(&[("d/x", "x"), ("d/deep/y", "y")]);
    let other = fs::canonicalize(memory.path()).unwrap();
    let allowed = [(other.clone(), Access::Write)];
    let ws = Workspace::open(&place.root, &allowed, Limits::default()).unwrap();
    let (_, journal) = place.open();
    let step = begin(&journal, &ws);
    step.relocate("d", &other.join("e").display().to_string()).unwrap();
    step.keep().unwrap();
    assert_eq!(fs::read_to_string(other.join("e/deep/y")).unwrap(), "y");
    assert!(!place.root.join("d").exists());
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!((place.read("d/x"), other.join("e").exists()), ("x".into(), false));
}

#[test]
fn protected_files_are_not_moved_to_where_they_are_obeyed() {
    let place = place(&[("d/.vscode/tasks.json", "{}"), ("settings", "{}")]);
    let (ws, journal) = place.open();
    for (from, to) in [("d", "e"), ("settings", ".vscode"), ("settings", ".envrc")] {
        let step = begin(&journal, &ws);
        assert_eq!(step.relocate(from, to).unwrap_err().code, Code::ProtectedPath, "{from} {to}");
        step.roll_back().unwrap();
        assert!(place.root.join(from).exists());
    }
}

#[test]
fn a_write_and_the_removal_of_its_directory_are_logged_in_the_order_of_the_disk() {
    let place = place(&[]);
    for round in 0..150_u64 {
        fs::create_dir_all(place.root.join("d")).unwrap();
        fs::write(place.root.join("d/old"), "old").unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let (ws, journal) = place.open();
                std::thread::sleep(std::time::Duration::from_micros(round * 29 % 700));
                let step = begin(&journal, &ws);
                step.write("d/new", b"new", Parents::Create).unwrap();
                step.keep().unwrap();
            });
            let (ws, journal) = place.open();
            let step = begin(&journal, &ws);
            step.remove_directory("d").unwrap();
            step.keep().unwrap();
        });
        let (ws, journal) = place.open();
        let newest = journal.log(&ws, 1).unwrap().remove(0);
        let written_last = newest.changes.iter().any(|change| change.what.as_str() == "created");
        assert_eq!(place.root.join("d/new").exists(), written_last, "round {round}");
        journal.turn(&ws, Direction::Undo, None).unwrap();
        journal.turn(&ws, Direction::Undo, None).unwrap();
        assert_eq!((place.read("d/old"), place.root.join("d/new").exists()), ("old".into(), false));
    }
}
