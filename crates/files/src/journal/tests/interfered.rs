//! A person who saves in the very moment, and undo that something stops half way.

use std::time::Duration;

use super::*;

/// Saves as editors do: a new file takes the place of the old one.
fn save(path: &Path, text: &str) {
    let beside = path.with_extension("saving");
    fs::write(&beside, text).unwrap();
    fs::rename(beside, path).unwrap();
}

/// One of this many moments of a short while.
fn moment(round: u64, most_micros: u64) -> Duration {
    Duration::from_micros(round * 37 % most_micros)
}

#[test]
fn a_save_between_the_read_and_the_replacement_of_an_edit_is_not_lost() {
    let place = place(&[("atomic", "one"), ("in-place", "one")]);
    let (ws, journal) = place.open();
    for path in ["atomic", "in-place"] {
        let step = begin(&journal, &ws);
        let real = place.root.join(path);
        let error = step
            .edit(path, |_| {
                if path == "atomic" {
                    save(&real, "mine")
                } else {
                    fs::write(&real, "mine").unwrap()
                }
                Ok((b"two".to_vec(), ()))
            })
            .unwrap_err();
        assert_eq!(error.code, Code::FileChanged);
        step.roll_back().unwrap();
        assert_eq!(place.read(path), "mine");
    }
    let step = begin(&journal, &ws);
    let error = step
        .edit_or_create("new", |_| {
            save(&place.root.join("new"), "mine");
            Ok((b"two".to_vec(), ()))
        })
        .unwrap_err();
    assert_eq!(error.code, Code::FileChanged);
    step.roll_back().unwrap();
    assert_eq!(place.read("new"), "mine");
    let names: Vec<_> =
        fs::read_dir(&place.root).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

#[test]
fn a_save_during_an_undo_is_not_lost() {
    let place = place(&[("a", "")]);
    let real = place.root.join("a");
    let (ws, journal) = place.open();
    let mut conflicts = 0;
    for round in 0..300 {
        fs::write(&real, "one").unwrap();
        let step = begin(&journal, &ws);
        step.edit("a", |_| Ok((b"two".to_vec(), ()))).unwrap();
        let id = step.keep().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(moment(round, 900));
                save(&real, "mine");
            });
            conflicts += usize::from(journal.turn(&ws, Direction::Undo, id).is_err());
        });
        assert_eq!(place.read("a"), "mine", "round {round}");
    }
    println!("{conflicts} of 300 saves came before the file was turned");
}

/// Makes a file one that cannot be replaced, by root neither; false where that cannot be had.
fn freeze(path: &Path, frozen: bool) -> bool {
    let file = fs::File::open(path).unwrap();
    let Ok(flags) = rustix::fs::ioctl_getflags(&file) else { return false };
    let flags = match frozen {
        true => flags | rustix::fs::IFlags::IMMUTABLE,
        false => flags - rustix::fs::IFlags::IMMUTABLE,
    };
    rustix::fs::ioctl_setflags(&file, flags).is_ok()
}

/// Four files changed in one step of which undo turns two.
fn half_undone() -> Option<(Place, i64)> {
    let place = place(&[("a", "1"), ("b", "1"), ("c", "1"), ("d", "1")]);
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    for path in ["a", "b", "c", "d"] {
        step.write(path, b"2", Parents::Create).unwrap();
    }
    let id = step.keep().unwrap().unwrap();
    if !freeze(&place.root.join("b"), true) {
        println!("skipped: files cannot be made immutable here");
        return None;
    }
    let error = journal.turn(&ws, Direction::Undo, None).unwrap_err();
    assert!(freeze(&place.root.join("b"), false));
    assert!(error.message.contains("2 of 4 changes were undone"), "{error}");
    assert!(error.message.contains(&format!("kitbag undo {id}")), "{error}");
    assert!(error.message.contains(&format!("kitbag redo {id}")), "{error}");
    let log = journal.log(&ws, 9).unwrap();
    assert_eq!(log[0].status, Status::Half);
    assert!(log[0].trouble.contains("kitbag redo"), "{}", log[0].trouble);
    assert_eq!(journal.half().unwrap().len(), 1);
    Some((place, id))
}

fn all(place: &Place) -> String {
    ["a", "b", "c", "d"].map(|path| place.read(path)).concat()
}

#[test]
fn an_undo_that_was_stopped_half_way_is_finished_or_taken_back() {
    for (direction, id, after) in [
        (Direction::Undo, true, "1111"),
        (Direction::Undo, false, "1111"),
        (Direction::Redo, true, "2222"),
    ] {
        let Some((place, number)) = half_undone() else { return };
        assert_eq!(all(&place), "2211");
        // The next who opens the journal leaves it to a person to say which way it goes.
        let (ws, journal) = place.open();
        assert_eq!(journal.log(&ws, 9).unwrap()[0].status, Status::Half);
        assert_eq!(all(&place), "2211");
        journal.turn(&ws, direction, id.then_some(number)).unwrap();
        assert_eq!(all(&place), after);
        let undone = journal.log(&ws, 9).unwrap()[0].status == Status::Undone;
        assert_eq!(undone, direction == Direction::Undo);
        assert!(journal.half().unwrap().is_empty());
    }
}

#[test]
fn newer_work_is_not_overwritten_when_a_stopped_undo_goes_on() {
    let Some((place, number)) = half_undone() else { return };
    for path in ["a", "b", "c", "d"] {
        save(&place.root.join(path), "mine");
    }
    let (ws, journal) = place.open();
    for direction in [Direction::Undo, Direction::Redo] {
        let error = journal.turn(&ws, direction, Some(number)).unwrap_err();
        assert_eq!(error.code, Code::UndoConflict, "{error}");
        assert_eq!(all(&place), "mineminemine".to_owned() + "mine");
    }
    assert_eq!(journal.log(&ws, 9).unwrap()[0].status, Status::Half);
    // Force keeps the two that were still to be turned.
    journal.turn_by_force(&ws, Direction::Undo, Some(number)).unwrap();
    assert_eq!(all(&place), "11minemine");
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(all(&place), "mineminemine".to_owned() + "mine");
}

#[test]
fn a_turn_that_came_further_than_was_noted_is_taken_back_whole() {
    // Killed at its end, before that was noted; what finishes it meets with something else.
    for (direction, phase, applied, after) in
        [(Direction::Undo, "redoing", 0, "1111"), (Direction::Redo, "undoing", 4, "2222")]
    {
        let place = place(&[("a", "1"), ("b", "1"), ("c", "1"), ("d", "1")]);
        {
            let (ws, journal) = place.open();
            let step = begin(&journal, &ws);
            for path in ["a", "b", "c", "d"] {
                step.write(path, b"2", Parents::Create).unwrap();
            }
            step.keep().unwrap().unwrap();
            if direction == Direction::Redo {
                journal.turn(&ws, Direction::Undo, None).unwrap();
            }
        }
        let db = rusqlite::Connection::open(place.state.dir().join("journal/journal.db")).unwrap();
        let sql = "UPDATE steps SET phase = ?1, applied = ?2, trouble = 'x', owner = ''";
        db.execute(sql, rusqlite::params![phase, applied]).unwrap();
        drop(db);
        let (ws, journal) = place.open();
        journal.turn(&ws, direction, None).unwrap();
        assert_eq!(all(&place), after);
    }
}

#[test]
fn a_recovery_that_fails_is_told_and_not_counted_as_undone() {
    let place = place(&[("a", &"1".repeat(100_000))]);
    let id = {
        let (ws, journal) = place.open();
        let step = begin(&journal, &ws);
        step.write("a", b"2", Parents::Create).unwrap();
        step.keep().unwrap().unwrap()
    };
    let db = rusqlite::Connection::open(place.state.dir().join("journal/journal.db")).unwrap();
    db.execute("UPDATE steps SET phase = 'undoing', owner = 'dead'", []).unwrap();
    drop(db);
    fs::remove_dir_all(place.state.dir().join("journal/blobs")).unwrap();
    fs::create_dir(place.state.dir().join("journal/blobs")).unwrap();
    let (ws, journal) = place.open();
    let log = journal.log(&ws, 9).unwrap();
    assert_eq!((log[0].id, log[0].status), (id, Status::Half));
    assert!(log[0].trouble.contains("damaged or gone"), "{}", log[0].trouble);
    assert_eq!(journal.turn(&ws, Direction::Undo, None).unwrap_err().code, Code::ContentDamaged);
    assert_eq!(place.read("a"), "2");
    journal.turn(&ws, Direction::Redo, None).unwrap();
    assert_eq!(journal.log(&ws, 9).unwrap()[0].status, Status::Done);
}

#[test]
fn what_was_saved_when_a_process_was_killed_in_the_middle_of_an_exchange_is_given_back() {
    let place = place(&[("a", "one"), ("b", "one")]);
    let tag = |name: &str| blake3::hash(name.as_bytes()).to_hex()[..16].to_owned();
    let staged = |name: &str| place.root.join(format!(".kitbag-{}-0-{}", u32::MAX, tag(name)));
    {
        let (ws, journal) = place.open();
        let step = begin(&journal, &ws);
        step.write("a", b"two", Parents::Create).unwrap();
        step.write("b", b"two", Parents::Create).unwrap();
        std::mem::forget(step); // as if it were killed
    }
    fs::write(staged("a"), "mine").unwrap(); // came out of the exchange
    fs::write(staged("b"), "one").unwrap(); // what was expected to come out
    let (ws, journal) = place.open();
    let log = journal.log(&ws, 9).unwrap();
    assert_eq!((place.read("a"), place.read("b")), ("mine".into(), "one".into()));
    assert!(!staged("a").exists() && !staged("b").exists());
    assert!(log[0].trouble.contains("a"), "what was not taken back is told: {log:?}");
}

#[test]
fn a_failed_call_takes_back_its_own_changes_and_keeps_what_it_replaced_where_it_cannot() {
    let place = place(&[("a", "one"), ("b", "one")]);
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    step.write("a", b"two", Parents::Create).unwrap();
    step.write("b", b"two", Parents::Create).unwrap();
    save(&place.root.join("b"), "mine");
    step.roll_back().unwrap();
    assert_eq!((place.read("a"), place.read("b")), ("one".into(), "mine".into()));
    let log = journal.log(&ws, 9).unwrap();
    assert_eq!(log[0].changes.len(), 1, "{log:?}");
    assert!(log[0].trouble.contains("somebody else"), "{log:?}");
    journal.turn_by_force(&ws, Direction::Undo, None).unwrap();
    assert_eq!(place.read("b"), "one");
}

#[test]
fn a_killed_undo_gives_back_the_locks_of_git() {
    let place = place(&[(".git/HEAD", "ref: refs/heads/main\n"), ("a", "1")]);
    {
        let (ws, journal) = place.open();
        let all = [".git/index", ".git/refs/heads/x"].map(|path| place.root.join(path)).to_vec();
        let allowed = Approved { protected: all, ..Approved::default() };
        let step = journal.begin(&ws, Label::default(), allowed);
        for path in [".git/index", ".git/refs/heads/x"] {
            step.write(path, b"2", Parents::Create).unwrap();
        }
        step.keep().unwrap().unwrap();
    }
    let locks = [".git/index.lock", ".git/packed-refs.lock"].map(|name| place.root.join(name));
    // Half turned for a reason that is known, it waits for a person, and its locks do not.
    for trouble in ["", "the disk is full"] {
        let db = rusqlite::Connection::open(place.state.dir().join("journal/journal.db")).unwrap();
        let sql = "UPDATE steps SET phase = 'undoing', applied = 2, owner = 'dead', trouble = ?1";
        db.execute(sql, [trouble]).unwrap();
        drop(db);
        locks.iter().for_each(|lock| fs::write(lock, "kitbag undo\n").unwrap());
        place.open().1.half().unwrap();
        assert!(!locks.iter().any(|lock| lock.exists()), "{trouble}");
    }
    // Those of git itself stay.
    let db = rusqlite::Connection::open(place.state.dir().join("journal/journal.db")).unwrap();
    db.execute("UPDATE steps SET phase = 'undoing', owner = 'dead', trouble = ''", []).unwrap();
    locks.iter().for_each(|lock| fs::write(lock, "").unwrap());
    place.open().1.half().unwrap();
    assert!(locks.iter().all(|lock| lock.exists()));
}
