//! What is said without git is what git says after changes of every kind at random.
//!
//! `ROUNDS` changes are made, 250 if it is not set, beginning with `SEED`.

use std::os::unix::fs::symlink;

use super::watched::Asked;
use super::*;

const FILES: [&str; 16] = [
    "a",
    "sub/b",
    "src/x.c",
    "src/y.c",
    "src/x.o",
    "src/deep/z.c",
    "src/deep/q.o",
    "doc/w",
    "doc",
    "src/deep",
    "out/1",
    "out/keep",
    "new/1",
    "new/in/2",
    "sub",
    "t",
];
const TEXTS: [&str; 6] =
    ["content\n", "CONTENT\n", "one\ntwo\nthree\n", "b\n", "", "longer content\n"];
const RULES: [&str; 5] = ["*.o\n", "/out/\n", "doc\n!doc/w\n", "*\n!src\n", "new/\n"];
/// Rules that searches obey and git does not.
const OTHERS: [&str; 3] = ["", "src\n", "!out\n*.c\n"];

/// Numbers that follow from a first one.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most as u64) as usize
    }

    fn of(&mut self, all: &[&'static str]) -> &'static str {
        all[self.below(all.len())]
    }
}

/// One change; it may fail. What it was.
fn change(place: &Place, random: &mut Random) -> String {
    let (file, other) = (random.of(&FILES), random.of(&FILES));
    let (path, done) = (place.at(file), random.below(26));
    let git = |args: &[&str]| drop(place.try_git("", args));
    match done {
        0..=7 => {
            let _ = fs::create_dir_all(path.parent().unwrap());
            let _ = fs::write(&path, random.of(&TEXTS));
        }
        8 => drop(fs::remove_file(&path)),
        9 => drop(fs::remove_dir_all(&path)),
        10 => drop(fs::rename(&path, place.at(other))),
        11 => {
            let _ = fs::remove_file(&path);
            let _ = symlink(other, &path);
        }
        12 if path.is_file() => make_executable(&path),
        13 => drop(fs::create_dir_all(&path)),
        14 => fs::write(place.at(".gitignore"), random.of(&RULES)).unwrap(),
        15 => fs::write(place.at(".ignore"), random.of(&OTHERS)).unwrap(),
        12..=17 => git(&["add", "-A", file]),
        18 => git(&["commit", "-qm", "x"]),
        19 => git(&["stash", "-q"]),
        20 => git(&["checkout", "-q", "HEAD", file]),
        21 => git(&["reset", "-q"]),
        22 => git(&["rm", "-q", "--cached", file]),
        23 => git(&["reset", "-q", "--soft", "HEAD~1"]),
        24 => git(&["commit", "-qm", "part", "--", file]),
        _ => git(&["mv", file, other]),
    }
    format!("{done} with {file}, {other}")
}

#[test]
fn whatever_is_done_to_a_repository() {
    let asked = Asked::first();
    let place = &asked.place;
    place.write(".gitignore", "*.o\n/out/\n!out/keep\n");
    place.write(".gitattributes", "*.c diff=cpp\n");
    for file in ["src/x.c", "src/y.c", "src/deep/z.c", "doc/w"] {
        place.write(file, "content\n");
    }
    asked.git(&["add", "-A"]);
    asked.git(&["commit", "-qm", "More"]);
    asked.known("at the beginning");
    let set = |name: &str| std::env::var(name).ok()?.parse().ok();
    let rounds = set("ROUNDS").unwrap_or(250);
    let mut random = Random(set("SEED").unwrap_or(0x5eed_1234_abcd_0001));
    let mut known = 0;
    for round in 0..rounds {
        let done = change(place, &mut random);
        known += u64::from(asked.agrees(&format!("round {round}: {done}")));
    }
    assert!(known * 5 > rounds, "only {known} of {rounds} without git");
    let _ = fs::remove_file(place.at(".ignore"));
    asked.git(&["reset", "-q", "--hard"]);
    asked.git(&["clean", "-qfdx"]);
    asked.known("at the end");
}
