//! What the queue of the kernel names is what a look at every file finds, whatever programs do.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

use super::*;
use crate::tree::tests::{Dice, change};

/// Two trees to which the same is done. The journal of the first rests on the queue, that of the
/// second looks at every file.
struct Twins([(Place, Workspace, Journal); 2]);

impl Twins {
    fn new(packed: bool) -> Self {
        Self([100_000, 0].map(|watched_directories| {
            let place = place(&[(".gitignore", "a/\n"), ("c.rs", "1\n"), ("b/c.rs", "2\n")]);
            // The contents are in git's packs for the first, and are copied for the second.
            if packed {
                fs::create_dir(place.root.join("many")).unwrap();
                for number in 0..120 {
                    let path = place.root.join(format!("many/{number}"));
                    super::packed::write_earlier(&path, &super::packed::text(number));
                }
                super::packed::pack(&place.root);
                if watched_directories == 0 {
                    fs::remove_dir_all(place.root.join(".git/objects/pack")).unwrap();
                }
            }
            let limits =
                Limits { watched_directories, snapshot_file_bytes: 5000, ..Limits::default() };
            let workspace = Workspace::open(&place.root, &[], limits).unwrap();
            let (_, journal) = place.open();
            (place, workspace, journal)
        }))
    }

    /// The same with both; what came of it must be the same.
    fn both<T: PartialEq + std::fmt::Debug>(
        &self,
        what: &str,
        mut act: impl FnMut(&Place, &Workspace, &Journal) -> T,
    ) -> T {
        let [by_queue, by_looking] =
            self.0.each_ref().map(|(place, workspace, journal)| act(place, workspace, journal));
        assert_eq!(by_queue, by_looking, "{what}");
        by_queue
    }

    /// Does so many things to both.
    fn disturb(&self, dice: &mut Dice, count: usize, log: &mut Vec<String>) {
        for _ in 0..count {
            let seed = Dice(dice.0);
            log.push(self.both("what was done", |place, _, _| {
                *dice = Dice(seed.0);
                act(dice, &place.root)
            }));
        }
    }

    /// Whether the first one rests on the queue now.
    fn is_watched(&self) -> bool {
        self.0[0].2.snapshots.lock().unwrap().is_watched()
    }
}

/// One thing that a program or a person does.
fn act(dice: &mut Dice, root: &Path) -> String {
    let name = |dice: &mut Dice| root.join(dice.pick(&["h1", "h2", "b/h3", "a/h4", "c.rs"]));
    let (path, other, outside) = (name(dice), name(dice), root.with_file_name("outside"));
    let rename = |from: &Path, to: &Path| fs::rename(from, to).is_ok();
    let done = match dice.roll(28) {
        0 => format!("exchange: {}", exchange(&path, &other)),
        1 => format!("append: {}", append(&path, "more\n", false)),
        2 => format!("through a mapping: {}", append(&path, "mapped\n", true)),
        3 => format!("out of the root: {}", rename(&path, &outside)),
        4 => format!("into the root: {}", rename(&outside, &path)),
        5 => {
            // Under a name that nobody else uses: one that goes again before a look is not told.
            let second = root.join("second");
            let linked = fs::hard_link(&other, &second).is_ok();
            format!("second name: {linked} {}", append(&second, "by it\n", false))
        }
        6 => format!("large: {}", fs::write(&path, "x".repeat(6000)).is_ok()),
        7 => {
            use rustix::fs::{CWD, FileType, Mode, mknodat};
            let made = mknodat(CWD, &path, FileType::Socket, Mode::RWXU, 0);
            // Whoever writes to a pipe waits, so it has a name that nobody else uses.
            let pipe = root.join("pipe");
            let gone = fs::remove_file(&pipe).is_ok();
            let other = match dice.roll(2) {
                0 => mknodat(CWD, &pipe, FileType::Fifo, Mode::RWXU, 0).is_ok(),
                _ => fs::write(&pipe, "none").is_ok(),
            };
            format!("socket: {}, pipe: {gone} {other}", made.is_ok())
        }
        8 => {
            let git = root.join(".git/hooks");
            let place = dice.pick(&["config", "HEAD", "hooks/post-commit", "hooks/of/x"]);
            let _ = fs::create_dir_all(git.join("of"));
            format!("git's {place}: {}", append(&root.join(".git").join(place), "x", false))
        }
        27 => of_further_repository(dice, root),
        9 => format!("relative link: {}", symlink("b", &path).is_ok()),
        10 => {
            let again = |_| fs::write(&path, "1").and_then(|()| fs::remove_file(&path)).is_ok();
            format!("again and again: {}", (0..40).filter(|n| again(*n)).count())
        }
        11 => {
            let deep = root.join("b/new/and/deep");
            let made = fs::create_dir_all(&deep).and_then(|()| fs::write(deep.join("x"), "x"));
            format!("deep: {}", made.is_ok())
        }
        12..=14 => {
            let file = root.join(format!("many/{}", dice.roll(120)));
            match dice.roll(4) {
                0 => format!("away with it: {}", rename(&file, &path)),
                1 => format!("remove it: {}", fs::remove_file(&file).is_ok()),
                2 => format!("cut it: {}", fs::write(&file, "cut").is_ok()),
                _ => format!("touch it: {}", append(&file, "", false)),
            }
        }
        15 if dice.roll(6) == 0 => {
            let gone = |name| fs::remove_dir_all(root.join(name)).is_ok();
            format!("no repository: {} {}", gone(".git"), gone("many"))
        }
        _ => {
            let done = change(dice, root);
            match done.strip_suffix(": hard link: true") {
                // Perhaps where nobody looks.
                Some(path) => format!("no link: {}", fs::remove_file(root.join(path)).is_ok()),
                None => return done.replace(&root.display().to_string(), ""),
            }
        }
    };
    format!("{}: {done}", path.strip_prefix(root).unwrap().display())
}

/// What becomes of a repository below the root.
fn of_further_repository(dice: &mut Dice, root: &Path) -> String {
    let rename = |from: &Path, to: &Path| fs::rename(from, to).is_ok();
    let git = root.join("b/.git");
    let place = dice.pick(&["config", "hooks/pre-commit", "hooks", "HEAD", ""]);
    let done = match dice.roll(3) {
        0 => fs::remove_dir_all(git.join(place)).is_ok(),
        1 => rename(&git, &root.join("b/away")) || rename(&root.join("b/away"), &git),
        _ => {
            let _ = fs::create_dir_all(git.join("hooks"));
            append(&git.join(place), "x", false)
        }
    };
    format!("a further repository's {place}: {done}")
}

fn exchange(a: &Path, b: &Path) -> bool {
    let here = rustix::fs::CWD;
    rustix::fs::renameat_with(here, a, here, b, rustix::fs::RenameFlags::EXCHANGE).is_ok()
}

/// Adds to a file, or changes its beginning through shared memory.
fn append(path: &Path, text: &str, mapped: bool) -> bool {
    use std::io::Write as _;
    let is_file = fs::symlink_metadata(path).map_or(!mapped, |data| data.is_file());
    let options =
        fs::OpenOptions::new().read(true).append(!mapped).write(true).create(!mapped).to_owned();
    let Some(mut file) = is_file.then(|| options.open(path).ok()).flatten() else { return false };
    if !mapped {
        return file.write_all(text.as_bytes()).is_ok();
    }
    if file.metadata().unwrap().len() < text.len() as u64 {
        return false;
    }
    write_mapped(&file, text);
    true
}

#[expect(unsafe_code, reason = "there is no other way to write through a mapping")]
fn write_mapped(file: &fs::File, text: &str) {
    use std::os::fd::AsRawFd as _;
    let (null, flags) = (std::ptr::null_mut(), libc::PROT_READ | libc::PROT_WRITE);
    // SAFETY: the mapping is of the file, which is as long, and nobody else has its address.
    unsafe {
        let at = libc::mmap(null, text.len(), flags, libc::MAP_SHARED, file.as_raw_fd(), 0);
        assert_ne!(at, libc::MAP_FAILED);
        std::ptr::copy_nonoverlapping(text.as_ptr(), at.cast(), text.len());
        libc::munmap(at, text.len());
    }
}

/// All that is in a tree, Kitbag's own files aside.
fn tree(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut left = vec![root.to_owned()];
    while let Some(path) = left.pop() {
        let git = root.join(".git");
        if path.parent() == Some(&git) && !path.ends_with("config") && !path.ends_with("hooks") {
            continue; // the states of files differ in its index
        }
        let data = fs::symlink_metadata(&path).unwrap();
        let content = if data.is_dir() {
            left.extend(fs::read_dir(&path).into_iter().flatten().map(|e| e.unwrap().path()));
            String::new()
        } else if data.is_file() {
            String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).into_owned()
        } else if data.is_symlink() {
            let target = fs::read_link(&path).unwrap();
            String::from_utf8_lossy(target.as_os_str().as_bytes())
                .replace(root.to_str().unwrap(), "")
        } else {
            String::new()
        };
        let rel = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
        found.insert(rel, format!("{:o} {content}", data.mode()));
    }
    found
}

/// What the last call of a journal did, with what is said of it.
fn last(journal: &Journal, ws: &Workspace) -> Vec<String> {
    let log = journal.log(ws, 2).unwrap();
    let shown = |record: &super::super::Record| {
        let changes = record.changes.iter();
        let changes: Vec<_> = changes.map(|c| format!("{} {}", c.what.as_str(), c.path)).collect();
        format!("{} {} {} {}", record.id, record.about, record.missed, changes.join(", "))
    };
    log.iter().map(shown).collect()
}

/// The seeds of a run by hand, as `KITBAG_SEEDS=100..400`; else a few, with those that once found
/// something.
fn seeds() -> Vec<u64> {
    let asked = std::env::var("KITBAG_SEEDS").ok();
    match asked.as_deref().and_then(|text| text.split_once("..")) {
        Some((from, to)) => (from.parse().unwrap()..to.parse().unwrap()).collect(),
        None => vec![0, 1, 2, 292, 304, 515],
    }
}

#[test]
fn what_programs_do_is_found_by_the_queue_as_by_looking_at_every_file() {
    let (mut watched, mut rounds, mut undone) = (0, 0, 0);
    for seed in seeds() {
        println!("seed {seed}");
        let (twins, mut dice) = (Twins::new(seed % 2 == 1), Dice(seed));
        for round in 0..10 {
            let mut log = vec![format!("seed {seed}, round {round}")];
            if dice.roll(3) == 0 {
                twins.both("removed", |place, _, _| {
                    fs::remove_file(place.root.join("second")).is_ok()
                });
            }
            let count = dice.roll(4);
            twins.disturb(&mut dice, count, &mut log);
            // So that what is older than the program is told from what is not.
            std::thread::sleep(std::time::Duration::from_millis(25));
            log.push("begin".to_owned());
            let steps = twins.0.each_ref().map(|(_, ws, journal)| looked(journal, ws));
            watched += usize::from(twins.is_watched());
            rounds += 1;
            let count = dice.roll(8);
            twins.disturb(&mut dice, count, &mut log);
            let second = dice.roll(4) == 0;
            let others = second.then(|| twins.0.each_ref().map(|(_, ws, j)| looked(j, ws)));
            if second {
                log.push("a second one".to_owned());
                twins.disturb(&mut dice, 2, &mut log);
            }
            let [a, b] = steps.map(|step| (step.note_program().unwrap(), step.keep().unwrap()));
            let what = log.join("; ");
            assert_eq!(a, b, "{what}");
            if let Some([a, b]) = others.map(|steps| steps.map(|step| step.keep().unwrap())) {
                assert_eq!(a, b, "{what}");
            }
            twins.both(&what, |_, ws, journal| last(journal, ws));
            twins.both(&what, |place, _, _| tree(&place.root));
            for direction in [Direction::Undo, Direction::Redo, Direction::Undo] {
                if dice.roll(3) > 0 {
                    let turned = twins.both(&what, |_, ws, journal| {
                        journal.turn(ws, direction, None).map(|r| r.id).map_err(|e| e.code)
                    });
                    undone += usize::from(turned.is_ok());
                    twins.both(&format!("{direction:?} after {what}"), |place, _, _| {
                        tree(&place.root)
                    });
                }
            }
        }
    }
    println!("{rounds} rounds, {watched} of them by the queue; {undone} turns");
    assert!(watched * 2 > rounds, "only {watched} of {rounds} rounds by the queue");
}
