//! A journal that is damaged: contents, database, clock.

use super::*;

fn journal_file(place: &Place, name: &str) -> std::path::PathBuf {
    place.state.dir().join("journal").join(name)
}

fn only_large_content(place: &Place) -> std::path::PathBuf {
    let folders = fs::read_dir(journal_file(place, "blobs")).unwrap();
    let mut files = folders.flat_map(|d| fs::read_dir(d.unwrap().path()).unwrap());
    files.next().unwrap().unwrap().path()
}

/// Changes `path` and gives its number.
fn change(place: &Place, path: &str, text: &str) -> i64 {
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    step.write(path, text.as_bytes(), Parents::Create).unwrap();
    step.keep().unwrap().unwrap()
}

#[test]
fn a_damaged_content_is_never_restored_and_the_rest_can_be() {
    let large = "l".repeat(100_000);
    let place = place(&[("large", &large), ("small", "s"), ("sound", "x")]);
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    for path in ["large", "small", "sound"] {
        step.write(path, b"new", Parents::Create).unwrap();
    }
    step.keep().unwrap();
    fs::write(only_large_content(&place), "").unwrap();
    let db = rusqlite::Connection::open(journal_file(&place, "journal.db")).unwrap();
    db.execute("UPDATE blobs SET data = x'ff' WHERE data = CAST('s' AS BLOB)", []).unwrap();
    let error = journal.turn(&ws, Direction::Undo, None).unwrap_err();
    assert_eq!(error.code, Code::ContentDamaged);
    assert!(error.message.contains("large, small"), "{error}");
    let all = || ["large", "small", "sound"].map(|path| place.read(path)).join(" ");
    assert_eq!(all(), "new new new");
    let record = journal.turn_by_force(&ws, Direction::Undo, None).unwrap();
    assert_eq!(all(), "new new x");
    assert!(record.missed.contains("damaged"), "{record:?}");
    // The same contents, kept again, are whole again.
    for (path, text) in [("large", large.as_str()), ("small", "s")] {
        fs::write(place.root.join(path), text).unwrap();
        let step = begin(&journal, &ws);
        ws.read(path).unwrap();
        step.write(path, b"newer", Parents::Create).unwrap();
        step.keep().unwrap();
        journal.turn(&ws, Direction::Undo, None).unwrap();
        assert_eq!(place.read(path), text);
    }
}

#[test]
fn a_database_that_cannot_be_used_is_kept_aside_and_told_once() {
    type Damage = fn(&Path);
    let newer: Damage = |db| {
        rusqlite::Connection::open(db).unwrap().execute_batch("PRAGMA user_version = 99").unwrap();
    };
    let with_less: Damage = |db| {
        let sql = "ALTER TABLE changes DROP COLUMN size";
        rusqlite::Connection::open(db).unwrap().execute_batch(sql).unwrap();
    };
    let halfway: Damage = |db| {
        rusqlite::Connection::open(db).unwrap().execute_batch("PRAGMA user_version = 1").unwrap();
    };
    let cases: [(&str, &str, Damage); 6] = [
        ("removed", "removed or emptied", |db| fs::remove_file(db).unwrap()),
        ("emptied", "removed or emptied", |db| fs::write(db, "").unwrap()),
        ("zeroed", "damaged", |db| {
            fs::write(db, vec![0; fs::metadata(db).unwrap().len() as usize]).unwrap();
        }),
        ("newer", "newer Kitbag", newer),
        ("with less columns", "a development version of Kitbag", with_less),
        ("between two versions", "a development version of Kitbag", halfway),
    ];
    for (name, says, damage) in cases {
        let place = place(&[("a", "one"), ("big", &"b".repeat(100_000))]);
        change(&place, "big", "two");
        damage(&journal_file(&place, "journal.db"));
        let (ws, journal) = place.open();
        assert!(journal.log(&ws, 9).unwrap().is_empty(), "{name}");
        let notices = journal.notices().unwrap();
        assert!(notices.len() == 1 && notices[0].contains(says), "{name}: {notices:?}");
        assert!(journal.notices().unwrap().is_empty(), "{name}: told once");
        let names: Vec<_> = fs::read_dir(journal_file(&place, ""))
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        let aside = names.iter().filter(|n| n.starts_with("journal.db.damaged-")).count();
        assert_eq!(aside, usize::from(name != "removed"), "{name}: {names:?}");
        let contents = names.iter().find(|n| n.starts_with("contents.damaged-")).unwrap();
        assert!(journal_file(&place, contents).join("blobs").is_dir(), "{name}");
        drop(journal);
        change(&place, "a", "two");
        let (ws, journal) = place.open();
        journal.turn(&ws, Direction::Undo, None).unwrap();
        assert_eq!(place.read("a"), "one", "{name}: work goes on");
    }
}

#[test]
fn a_database_that_is_found_damaged_while_it_is_used_is_replaced_for_the_next_call() {
    let place = place(&[("a", "one")]);
    for n in 0..200 {
        change(&place, "a", &format!("{n}"));
    }
    let db = journal_file(&place, "journal.db");
    rusqlite::Connection::open(&db)
        .unwrap()
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    let mut bytes = fs::read(&db).unwrap();
    let kept = 4096; // the first page, with the schema
    bytes[kept..].fill(0x5a);
    fs::write(&db, bytes).unwrap();
    let (ws, journal) = place.open();
    let mut errors = Vec::new();
    for _ in 0..3 {
        let step = begin(&journal, &ws);
        ws.read("a").unwrap();
        match step.write("a", b"after", Parents::Create).and_then(|_| step.keep()) {
            Ok(_) => break,
            Err(error) => errors.push(error.message),
        }
    }
    assert_eq!(place.read("a"), "after", "{errors:?}");
    let (_, journal) = place.open();
    assert_eq!(journal.notices().unwrap().len(), 1, "{errors:?}");
}

#[test]
fn a_clock_that_jumps_ahead_prunes_nothing_and_one_of_1970_neither() {
    let place = place(&[("a", "one")]);
    change(&place, "a", "two");
    let db = rusqlite::Connection::open(journal_file(&place, "journal.db")).unwrap();
    let days = |n: i64| n * 86_400_000_000;
    // As if the clock had been 40 days behind until now, or of 1970.
    for looked in ["value - ?1", "0 * ?1"] {
        let sql = format!("UPDATE facts SET value = {looked} WHERE name = 'looked'");
        db.execute(&sql, [days(40)]).unwrap();
        db.execute("UPDATE steps SET time = time - ?1", [days(40)]).unwrap();
        let (ws, journal) = place.open();
        journal.prune(&Limits::default()).unwrap();
        assert_eq!(journal.log(&ws, 9).unwrap().len(), 1);
    }
    // Thirty days on each of which it was looked at.
    for _ in 0..31 {
        db.execute("UPDATE facts SET value = value - ?1 WHERE name = 'looked'", [days(1)]).unwrap();
        place.open().1.prune(&Limits::default()).unwrap();
    }
    let (ws, journal) = place.open();
    assert!(journal.log(&ws, 9).unwrap().is_empty());
}

#[test]
fn the_journal_is_bounded_by_number_and_by_size() {
    let place = place(&[("a", "one")]);
    for n in 0..10 {
        change(&place, "a", &format!("{n}{}", "x".repeat(50_000)));
    }
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    step.remove_file("a").unwrap();
    step.keep().unwrap();
    let count = || journal.log(&ws, 99).unwrap().len();
    journal.prune(&Limits { journal_steps: 8, ..Limits::default() }).unwrap();
    assert_eq!(count(), 8);
    journal.prune(&Limits { journal_bytes: 400_000, ..Limits::default() }).unwrap();
    assert_eq!(count(), 4);
    journal.prune(&Limits { journal_bytes: 1, ..Limits::default() }).unwrap();
    assert_eq!(count(), 1, "the newest stays");
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert!(place.read("a").starts_with('9'));
}

#[test]
fn changes_that_the_journal_cannot_record_are_taken_back() {
    let place = place(&[("a", "one")]);
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    step.write("a", b"two", Parents::Create).unwrap();
    let db = rusqlite::Connection::open(journal_file(&place, "journal.db")).unwrap();
    // As on a full disk: nothing more can be written.
    db.execute_batch(
        "CREATE TRIGGER full BEFORE UPDATE ON steps BEGIN SELECT RAISE(ABORT, 'full'); END;
         CREATE TRIGGER full_too BEFORE DELETE ON steps BEGIN SELECT RAISE(ABORT, 'full'); END;",
    )
    .unwrap();
    step.keep().unwrap_err();
    assert_eq!(place.read("a"), "one");
    db.execute_batch("DROP TRIGGER full; DROP TRIGGER full_too").unwrap();
    drop(journal);
    let (ws, journal) = place.open();
    assert!(journal.log(&ws, 9).unwrap().is_empty());
    assert_eq!(place.read("a"), "one");
}
