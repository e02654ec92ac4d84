//! What git keeps of a file is what was in it, whatever a program does to the repository.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime};

use super::*;
use crate::journal::packs::{Name, Packs};

pub(super) fn git(root: &Path, words: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=m"]);
    git.args(["-c", "core.autocrlf=false", "-c", "gc.auto=0"]).args(words).current_dir(root);
    let done = git.env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", root).output().unwrap();
    assert!(done.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// A repository of all that is there, in one pack.
pub(super) fn pack(root: &Path) {
    let _ = fs::remove_dir_all(root.join(".git"));
    git(root, &["init", "-q"]);
    git(root, &["add", "-A"]);
    git(root, &["commit", "-qm", "all"]);
    git(root, &["repack", "-adq", "--depth=50"]);
    git(root, &["prune-packed"]);
}

pub(super) fn text(number: usize) -> String {
    (0..200)
        .map(|line| format!("{line} of {}\n", if line == number { number } else { 0 }))
        .collect()
}

/// A tree with many files that git packed, and the path of one.
fn packed(files: &[(&str, &str)]) -> Place {
    let place = place(files);
    fs::create_dir(place.root.join("many")).unwrap();
    for number in 0..150 {
        write_earlier(&place.root.join(format!("many/{number}")), &text(number));
    }
    pack(&place.root);
    place
}

/// Writes a file as if an hour ago: git does not trust the time of one that is as young as its
/// index.
pub(super) fn write_earlier(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    let earlier = SystemTime::now() - Duration::from_secs(3600);
    fs::File::options().write(true).open(path).unwrap().set_modified(earlier).unwrap();
}

/// How many contents a journal has copied.
fn copied(place: &Place) -> i64 {
    count(place, "blobs")
}

fn count(place: &Place, rows: &str) -> i64 {
    let db = rusqlite::Connection::open(place.state.dir().join("journal/journal.db")).unwrap();
    db.query_row(&format!("SELECT count(*) FROM {rows}"), [], |row| row.get(0)).unwrap()
}

fn many(place: &Place) -> Vec<PathBuf> {
    (0..150).map(|number| place.root.join(format!("many/{number}"))).collect()
}

fn is_whole(place: &Place) -> bool {
    let is_whole =
        |(number, path): (usize, PathBuf)| fs::read_to_string(path).ok() == Some(text(number));
    many(place).into_iter().enumerate().all(is_whole)
}

#[test]
fn every_blob_of_a_pack_is_read_as_git_reads_it() {
    let place = packed(&[("a", "a"), ("empty", "")]);
    fs::write(
        place.root.join("random"),
        (0..100_000).map(|n: u32| (n.wrapping_mul(n) >> 7) as u8).collect::<Vec<_>>(),
    )
    .unwrap();
    git(&place.root, &["add", "-A"]);
    git(&place.root, &["commit", "-qm", "more"]);
    git(&place.root, &["repack", "-dq"]);
    let ws = Workspace::open(&place.root, &[], Limits::default()).unwrap();
    let packs = Packs::open(&ws.folder(".").unwrap()).unwrap();
    let listed = git(&place.root, &["ls-files", "-s", "-z"]);
    let (mut count, mut deltas) = (0, 0);
    for line in listed.split_terminator('\0') {
        let (id, path) = (&line[7..47], line.split_once('\t').unwrap().1);
        let bytes = (0..20).map(|n| u8::from_str_radix(&id[2 * n..][..2], 16).unwrap());
        let name = Name::try_from(bytes.collect::<Vec<_>>()).unwrap();
        let content = fs::read(place.root.join(path)).unwrap();
        assert_eq!(packs.size(&name), Some(content.len() as u64), "{path}");
        assert_eq!(packs.read(&name), Some(content), "{path}");
        count += 1;
    }
    let verified = git(&place.root, &["verify-pack", "-v", &index_of_pack(&place)]);
    deltas += verified
        .lines()
        .filter(|line| line.contains(" blob ") && line.split_whitespace().count() > 5)
        .count();
    assert!(count == 153 && deltas > 50, "{count} files, {deltas} of them as differences");
    assert_eq!((packs.size(&[7; 20]), packs.read(&[7; 20])), (None, None));
}

fn index_of_pack(place: &Place) -> String {
    let packs = fs::read_dir(place.root.join(".git/objects/pack")).unwrap().flatten();
    let largest = packs.filter(|e| e.path().extension().is_some_and(|end| end == "idx"));
    let largest = largest.max_by_key(|e| e.metadata().unwrap().len()).unwrap();
    largest.path().to_str().unwrap().to_owned()
}

#[test]
fn what_git_has_packed_is_not_copied_and_comes_back_also_when_the_repository_is_removed() {
    let place = packed(&[("a", "a")]);
    let (ws, journal) = place.open();
    looked(&journal, &ws).keep().unwrap();
    assert!(copied(&place) < 20, "{}", copied(&place));
    for remove in ["many", "many .git", "many .git/objects"] {
        let step = looked(&journal, &ws);
        fs::write(place.root.join("a"), "b").unwrap();
        for path in remove.split(' ') {
            fs::remove_dir_all(place.root.join(path)).unwrap();
        }
        step.keep().unwrap();
        journal.turn(&ws, Direction::Undo, None).unwrap();
        assert!(is_whole(&place) && place.read("a") == "a", "after {remove}");
        if remove != "many" {
            pack(&place.root);
        }
    }
}

#[test]
fn what_git_drops_between_commands_is_still_known() {
    for other_session in [false, true] {
        let place = packed(&[("a", "a")]);
        let (ws, journal) = place.open();
        looked(&journal, &ws).keep().unwrap();
        let (_, second) = place.open();
        let journal = if other_session { &second } else { &journal };
        // Nothing names the contents any more, and no pack has them.
        fs::remove_dir_all(place.root.join(".git")).unwrap();
        git(&place.root, &["init", "-q"]);
        let step = looked(journal, &ws);
        assert_eq!(count(&place, "known WHERE length(hash) = 20"), 0);
        fs::remove_dir_all(place.root.join("many")).unwrap();
        step.keep().unwrap();
        journal.turn(&ws, Direction::Undo, None).unwrap();
        assert!(is_whole(&place), "in another session: {other_session}");
    }
}

#[test]
fn what_changed_while_a_server_was_killed_is_offered_from_gits_packs_or_said_to_be_lost() {
    for lost in [false, true] {
        let place = packed(&[("a", "a")]);
        let (ws, journal) = place.open();
        std::mem::forget(looked(&journal, &ws)); // as if it were killed
        drop(journal);
        fs::write(place.root.join("many/7"), "short").unwrap();
        fs::remove_file(place.root.join("many/8")).unwrap();
        if lost {
            fs::remove_dir_all(place.root.join(".git/objects/pack")).unwrap();
        }
        let (_, journal) = place.open();
        let log = journal.log(&ws, 9).unwrap();
        if lost {
            assert!(log.iter().all(|record| record.changes.is_empty()), "{log:?}");
            continue;
        }
        assert_eq!((log.len(), log[0].changes.len()), (1, 2), "{log:?}");
        journal.turn(&ws, Direction::Redo, Some(log[0].id)).unwrap();
        assert!(is_whole(&place));
    }
}

#[test]
fn what_git_may_have_converted_or_not_noted_is_copied() {
    let place = packed(&[(".gitattributes", "many/* filter=turned\n")]);
    let (ws, journal) = place.open();
    looked(&journal, &ws).keep().unwrap();
    assert!(copied(&place) >= 150, "{}", copied(&place));

    let place = packed(&[]);
    for path in many(&place).iter().take(60) {
        let turned: String = fs::read_to_string(path).unwrap().replace("of", "fo");
        write_earlier(path, &turned);
    }
    let (ws, journal) = place.open();
    let step = looked(&journal, &ws);
    let count = copied(&place);
    assert!((60..80).contains(&count), "{count}");
    fs::remove_dir_all(place.root.join("many")).unwrap();
    step.keep().unwrap();
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert!(place.read("many/3").contains("fo") && place.read("many/70") == text(70));
}
