//! What was made elsewhere, brought in by renaming.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::time::Instant;

use super::super::image::Image;
use super::super::incoming::Incoming;
use super::super::store::Altered;
use super::*;

struct Elsewhere {
    dir: OwnedFd,
}

impl Elsewhere {
    fn new(place: &Place, files: &[(&str, &str)]) -> Self {
        let path = place.root.parent().unwrap().join("elsewhere");
        fs::create_dir_all(&path).unwrap();
        for (name, text) in files {
            fs::write(path.join(name), text).unwrap();
        }
        Self { dir: fs::File::open(&path).unwrap().into() }
    }

    fn bring<'a>(
        &'a self,
        path: std::path::PathBuf,
        before: Image,
        after: Image,
        name: Option<&'a str>,
    ) -> Incoming<'a> {
        let from = name.map(|name| (&self.dir, OsStr::new(name)));
        Incoming { change: Altered { path, before, after }, from }
    }
}

fn slot() -> Image {
    Image::Trash { name: super::super::new_id() }
}

fn file(text: &str) -> Image {
    Image::File { hash: super::super::blobs::hash(text.as_bytes()), mode: Some(0o644) }
}

#[test]
fn what_is_brought_in_is_undone_and_redone_by_exchange() {
    let place = place(&[("changed", "old"), ("gone/x", "x"), ("kind", "file")]);
    let outside = Elsewhere::new(&place, &[("1", "new"), ("2", "created")]);
    std::os::unix::fs::symlink("changed", place.root.parent().unwrap().join("elsewhere/3"))
        .unwrap();
    let (ws, journal) = place.open();
    let inode = |path: &str| fs::symlink_metadata(place.root.join(path)).unwrap().ino();
    let old = inode("changed");
    let at = |path: &str| place.root.join(path);
    let link = Image::Link { target: "changed".into() };
    let incoming = [
        outside.bring(at("changed"), slot(), file("new"), Some("1")),
        outside.bring(at("gone"), slot(), Image::Absent, None),
        outside.bring(at("made"), Image::Absent, Image::Directory { mode: Some(0o755) }, None),
        outside.bring(at("made/created"), Image::Absent, slot(), Some("2")),
        outside.bring(at("kind"), slot(), link, Some("3")),
    ];
    journal.bring_in(&ws, &label(), &incoming).unwrap();
    let after = |place: &Place| {
        assert_eq!(
            (place.read("changed"), place.read("made/created")),
            ("new".into(), "created".into())
        );
        assert_eq!(fs::read_link(place.root.join("kind")).unwrap(), Path::new("changed"));
        assert!(!place.root.join("gone").exists());
    };
    after(&place);
    let new = inode("changed");
    assert!(journal.diff(&ws, None).unwrap().contains("-old"), "{:?}", journal.diff(&ws, None));
    for _ in 0..2 {
        journal.turn(&ws, Direction::Undo, None).unwrap();
        assert_eq!((place.read("changed"), place.read("gone/x")), ("old".into(), "x".into()));
        assert_eq!((place.read("kind"), place.root.join("made").exists()), ("file".into(), false));
        assert_eq!(inode("changed"), old, "the file itself");
        journal.turn(&ws, Direction::Redo, None).unwrap();
        after(&place);
        assert_eq!(inode("changed"), new, "the file itself");
    }
    // What a person changed since is not exchanged away.
    fs::write(place.root.join("changed"), "mine").unwrap();
    assert_eq!(journal.turn(&ws, Direction::Undo, None).unwrap_err().code, Code::UndoConflict);
    after_conflict(&place);
    let id = journal.log(&ws, 1).unwrap()[0].id;
    journal.turn_by_force(&ws, Direction::Undo, Some(id)).unwrap();
    assert_eq!(place.read("changed"), "old");
}

fn after_conflict(place: &Place) {
    assert_eq!(
        (place.read("changed"), place.read("made/created")),
        ("mine".into(), "created".into())
    );
}

#[test]
fn what_cannot_be_brought_in_whole_is_taken_back() {
    let place = place(&[("a", "old"), ("b", "old")]);
    let outside = Elsewhere::new(&place, &[("1", "new"), ("2", "new")]);
    let (ws, journal) = place.open();
    let incoming = [
        outside.bring(place.root.join("a"), slot(), file("new"), Some("1")),
        // Something is there.
        outside.bring(place.root.join("b"), Image::Absent, slot(), Some("2")),
    ];
    let error = journal.bring_in(&ws, &label(), &incoming).unwrap_err();
    assert_eq!(error.code, Code::FileChanged);
    assert_eq!((place.read("a"), place.read("b")), ("old".into(), "old".into()));
    let left = place.root.parent().unwrap().join("elsewhere");
    assert_eq!(fs::read_dir(left).unwrap().count(), 2, "where it came from");
    assert!(journal.log(&ws, 9).unwrap().is_empty());
}

#[test]
fn a_turn_of_exchanges_that_was_killed_is_finished_from_any_place() {
    let names = ["a", "b", "c", "d"];
    for turned in 0..=names.len() {
        let place = place(&names.map(|name| (name, "same")));
        // The same content on both sides: only the inode tells which is which.
        let outside = Elsewhere::new(&place, &names.map(|name| (name, "same")));
        let old = names.map(|name| fs::metadata(place.root.join(name)).unwrap().ino());
        let slots = names.map(|_| super::super::new_id());
        {
            let (ws, journal) = place.open();
            let incoming: Vec<_> = (0..names.len())
                .map(|n| {
                    let before = Image::Trash { name: slots[n].clone() };
                    outside.bring(place.root.join(names[n]), before, file("same"), Some(names[n]))
                })
                .collect();
            journal.bring_in(&ws, &label(), &incoming).unwrap();
        }
        // As a killed undo leaves it: recorded, and some exchanged.
        let trash = place.state.dir().join("journal/trash");
        for n in (0..names.len()).rev().take(turned) {
            let flags = rustix::fs::RenameFlags::EXCHANGE;
            let (a, b) = (place.root.join(names[n]), trash.join(&slots[n]));
            rustix::fs::renameat_with(rustix::fs::CWD, a, rustix::fs::CWD, b, flags).unwrap();
        }
        let db = place.state.dir().join("journal/journal.db");
        rusqlite::Connection::open(db)
            .unwrap()
            .execute("UPDATE steps SET phase = 'undoing', owner = 'dead', applied = 4", [])
            .unwrap();
        let (ws, journal) = place.open();
        assert_eq!(journal.log(&ws, 9).unwrap()[0].status, Status::Undone);
        let now = names.map(|name| fs::metadata(place.root.join(name)).unwrap().ino());
        assert_eq!(now, old, "{turned} were turned");
    }
}

#[test]
fn thousands_of_files_are_brought_in_by_renaming() {
    const FILES: usize = 5000;
    let place = place(&[]);
    let elsewhere = place.root.parent().unwrap().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let names: Vec<String> = (0..FILES).map(|n| n.to_string()).collect();
    for name in &names {
        fs::write(place.root.join(name), "old").unwrap();
        fs::write(elsewhere.join(name), "new").unwrap();
    }
    let outside = Elsewhere { dir: fs::File::open(&elsewhere).unwrap().into() };
    let (ws, journal) = place.open();
    let incoming: Vec<_> = names
        .iter()
        .map(|name| outside.bring(place.root.join(name), slot(), file("new"), Some(name)))
        .collect();
    let start = Instant::now();
    journal.bring_in(&ws, &label(), &incoming).unwrap();
    let brought = start.elapsed();
    assert!(names.iter().all(|name| place.read(name) == "new"));
    let start = Instant::now();
    journal.turn(&ws, Direction::Undo, None).unwrap();
    println!("{FILES} files: in {brought:?}, undone {:?}", start.elapsed());
    assert!(names.iter().all(|name| place.read(name) == "old"));
    let db = rusqlite::Connection::open(place.state.dir().join("journal/journal.db")).unwrap();
    let blobs: i64 = db.query_row("SELECT count(*) FROM blobs", [], |r| r.get(0)).unwrap();
    assert_eq!(blobs, 0, "no content is copied");
}
