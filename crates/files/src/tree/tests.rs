//! What is known of a tree is what a fresh look at it sees, whatever is done to it meanwhile.

#![expect(clippy::disallowed_methods, reason = "tests change the files behind the tree's back")]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fault::Cancel;

use crate::search::{Find, Fuzzy, Grep, Kinds, find, fuzzy, grep, list_files};
use crate::{Limits, State, Workspace};

struct Fixture {
    dir: tempfile::TempDir,
    state: tempfile::TempDir,
    watched: Workspace,
    fresh: Workspace,
}

/// Whether there is a view that is right.
fn is_known(workspace: &Workspace) -> bool {
    let folder = workspace.folder(".").unwrap();
    let (tree, place) = folder.tree().unwrap();
    tree.view(place).is_some()
}

fn limits() -> Limits {
    Limits { words_root_files: 1, words_changed_files: 4, ..Limits::default() }
}

impl Fixture {
    fn new() -> Self {
        let (dir, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let open = || Workspace::open(dir.path(), &[], limits()).unwrap();
        let (watched, fresh) = (open(), open());
        watched.watch(&State::new(state.path()), None);
        Self { dir, state, watched, fresh }
    }

    fn path(&self, rel: &str) -> PathBuf {
        self.dir.path().join(rel)
    }

    fn write(&self, rel: &str, text: &str) {
        fs::create_dir_all(self.path(rel).parent().unwrap()).unwrap();
        fs::write(self.path(rel), text).unwrap();
    }

    /// Until there is a view that is right.
    fn settle(&self) {
        self.until("there is a view", || is_known(&self.watched));
    }

    /// Until so many files are covered by the index of words.
    fn covered(&self, files: usize) {
        self.until("the files are read", || {
            self.settle();
            let covered = format!("index of words: {files} files");
            self.watched.watched().unwrap().contains(&covered)
        });
    }

    fn until(&self, what: &str, mut done: impl FnMut() -> bool) {
        let until = Instant::now() + Duration::from_secs(20);
        while !done() {
            assert!(Instant::now() < until, "not in time: {what}: {:?}", self.watched.watched());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn everything(workspace: &Workspace, dir: &str) -> Option<Vec<(String, String)>> {
        let all = Find { kinds: Kinds::All, names: false, ..Find::files("**", dir, 100_000) };
        let places = find(workspace, &all, &Cancel::default()).ok()?;
        assert!(!places.more);
        Some(places.spots.into_iter().map(|s| (s.shown, format!("{:?}", s.kind))).collect())
    }

    fn lines(workspace: &Workspace, pattern: &str, dir: &str) -> String {
        let found = grep(workspace, &Grep::new(pattern, dir, 100_000), &Cancel::default());
        match found {
            Ok(found) => {
                let hits =
                    found.hits.iter().map(|h| format!("{}:{}:{}\n", h.shown, h.line, h.text));
                let binary = if found.hits.is_empty() { found.skipped.binary } else { 0 };
                let hits = hits.collect::<String>();
                format!("{hits}{binary} binary, passed over {:?}", found.skipped.passed_over)
            }
            Err(e) => e.message,
        }
    }

    /// Both workspaces must say the same of everything.
    fn compare(&self, what: &str) {
        self.settle();
        let dirs = fs::read_dir(self.dir.path()).unwrap().flatten();
        let dirs = dirs.filter(|e| e.file_type().unwrap().is_dir());
        let dirs = dirs.filter_map(|e| e.file_name().into_string().ok());
        let all = Self::everything(&self.fresh, ".").unwrap();
        for dir in dirs.chain([".".to_owned()]) {
            let known = Self::everything(&self.watched, &dir).unwrap();
            let of_dir =
                |shown: &str| dir == "." || Path::new(shown).starts_with(&dir) && shown != dir;
            let fresh: Vec<_> = all.iter().filter(|(shown, _)| of_dir(shown)).cloned().collect();
            // A search below a directory that is ignored itself is a walk of its own.
            if !fresh.is_empty() {
                assert_eq!(known, fresh, "{what}: below {dir}");
            }
        }
        for pattern in ["e", "alpha", "a b", "x/y"] {
            let fitting = |workspace| {
                let asked = Fuzzy { pattern, dir: ".", max: 1000 };
                fuzzy(workspace, &asked, &Cancel::default()).unwrap()
            };
            assert_eq!(fitting(&self.watched), fitting(&self.fresh), "{what}: fuzzy {pattern}");
        }
        for pattern in ["*a*", "e*", "*.rs", "*x"] {
            let named = |workspace| {
                let asked = Find { kinds: Kinds::All, ..Find::files(pattern, ".", 1000) };
                find(workspace, &asked, &Cancel::default()).unwrap()
            };
            assert_eq!(named(&self.watched), named(&self.fresh), "{what}: named {pattern}");
        }
        for pattern in
            ["alpha", "(?i)GAMMA_one", "beta|delta", "ta_x", "[ab]lpha", "none_such", "e"]
        {
            let (known, fresh) =
                (Self::lines(&self.watched, pattern, "."), Self::lines(&self.fresh, pattern, "."));
            assert_eq!(known, fresh, "{what}: {pattern}");
        }
        let stamps = |w: &Workspace| list_files(w, ".", 100_000, &Cancel::default()).unwrap().files;
        assert_eq!(stamps(&self.watched), stamps(&self.fresh), "{what}: the states of the files");
    }
}

#[test]
fn a_change_is_seen_by_the_next_search() {
    let tree = Fixture::new();
    tree.write("src/a.rs", "alpha\n");
    tree.compare("at the beginning");
    tree.write("src/a.rs", "none_such\n");
    assert!(Fixture::lines(&tree.watched, "none_such", ".").contains("src/a.rs:1"));
    tree.write("new/deep/er/b.rs", "alpha beta\n");
    tree.compare("new directories");
    fs::rename(tree.path("new/deep"), tree.path("moved")).unwrap();
    tree.write("moved/er/c.rs", "alpha in a directory that moved\n");
    tree.compare("a directory that moved");
    tree.write(".gitignore", "moved/\n*.log\n");
    tree.write("x.log", "alpha\n");
    tree.compare("rules");
    fs::remove_file(tree.path(".gitignore")).unwrap();
    tree.compare("no rules");
    fs::remove_dir_all(tree.path("moved")).unwrap();
    tree.write("moved", "a file now\n");
    tree.compare("a file in the place of a directory");
}

#[test]
fn rules_from_outside_of_the_watched_directories_count() {
    let above = tempfile::tempdir().unwrap();
    fs::create_dir_all(above.path().join(".git/info")).unwrap();
    fs::create_dir_all(above.path().join("root")).unwrap();
    let root = above.path().join("root");
    fs::write(root.join("a.tmp"), "alpha\n").unwrap();
    let state = tempfile::tempdir().unwrap();
    let watched = Workspace::open(&root, &[], limits()).unwrap();
    let fresh = Workspace::open(&root, &[], limits()).unwrap();
    watched.watch(&State::new(state.path()), None);
    let settle = || {
        let until = Instant::now() + Duration::from_secs(20);
        while !is_known(&watched) {
            assert!(Instant::now() < until, "{:?}", watched.watched());
            std::thread::sleep(Duration::from_millis(2));
        }
    };
    let same = |files: usize| {
        settle();
        let known = Fixture::everything(&watched, ".").unwrap();
        assert_eq!(known.len(), files, "{known:?}");
        assert_eq!(Some(known), Fixture::everything(&fresh, "."));
    };
    same(1);
    fs::write(above.path().join(".gitignore"), "*.tmp\n").unwrap();
    same(0);
    fs::remove_file(above.path().join(".gitignore")).unwrap();
    same(1);
    fs::write(above.path().join(".git/info/exclude"), "*.tmp\n").unwrap();
    same(0);
    fs::remove_dir_all(above.path().join(".git")).unwrap();
    same(1);
    // A repository below the root, whose exclude file comes later.
    fs::create_dir_all(root.join("inner/.git/info")).unwrap();
    fs::write(root.join("inner/b.tmp"), "").unwrap();
    fs::create_dir_all(root.join(".git")).unwrap();
    same(3);
    fs::write(root.join("inner/.git/info/exclude"), "*.tmp\n").unwrap();
    same(2);
    // An ignore file that is a link.
    fs::write(above.path().join("rules"), "").unwrap();
    symlink(above.path().join("rules"), root.join(".gitignore")).unwrap();
    same(3);
    fs::write(above.path().join("rules"), "a.tmp\n").unwrap();
    same(2);
    // A linked work tree: what is excluded is in the repository that it belongs to.
    fs::remove_dir_all(root.join(".git")).unwrap();
    let main = above.path().join("main/.git");
    fs::create_dir_all(main.join("info")).unwrap();
    fs::create_dir_all(main.join("worktrees/root")).unwrap();
    fs::write(main.join("worktrees/root/commondir"), "../..\n").unwrap();
    fs::write(root.join(".git"), format!("gitdir: {}\n", main.join("worktrees/root").display()))
        .unwrap();
    same(2);
    fs::write(main.join("info/exclude"), ".gitignore\n").unwrap();
    same(1);
}

#[test]
fn the_index_of_words_follows_the_files_and_outlives_the_server() {
    let tree = Fixture::new();
    for number in 0..40 {
        tree.write(&format!("src/f{number}.rs"), &format!("alpha beta_{number} gamma\n"));
    }
    tree.covered(40);
    tree.compare("covered");
    tree.write("src/f7.rs", "none_such now\n");
    tree.compare("changed since it was read");
    fs::write(tree.path("src/f9.rs"), b"alpha\0binary").unwrap();
    tree.compare("binary since it was read");
    tree.covered(38);
    // The next server finds what this one wrote, and reads nothing again.
    let segments = || fs::read_dir(tree.state.path().join("words")).unwrap().count();
    let before = segments();
    let next = Workspace::open(tree.dir.path(), &[], limits()).unwrap();
    next.watch(&State::new(tree.state.path()), None);
    let until = Instant::now() + Duration::from_secs(20);
    while !next.watched().unwrap().contains("index of words: 38 files") {
        is_known(&next);
        assert!(Instant::now() < until, "{:?}", next.watched());
    }
    assert_eq!(
        Fixture::lines(&next, "none_such", "."),
        "src/f7.rs:1:none_such now\n0 binary, passed over []"
    );
    assert_eq!(segments(), before);
}

#[test]
fn segments_are_merged_and_say_the_same() {
    let tree = Fixture::new();
    let words = tree.state.path().join("words");
    let segments = || {
        let names = fs::read_dir(&words).into_iter().flatten().flatten().map(|e| e.file_name());
        names.filter(|name| name.to_str().unwrap().ends_with(".words")).collect::<BTreeSet<_>>()
    };
    for round in 0..6 {
        let before = segments();
        for number in 0..5 {
            tree.write(
                &format!("src/{number}_{round}.rs"),
                &format!("alpha beta_{round} -> gamma\n"),
            );
        }
        tree.until("files are read", || {
            tree.settle();
            segments() != before
        });
    }
    tree.until("six segments are fewer", || segments().len() < 4);
    tree.compare("merged");
    let lines = Fixture::lines(&tree.watched, "beta_3", ".");
    assert_eq!(lines.matches("src/").count(), 5, "{lines}");
    tree.write("src/2_3.rs", "beta_4 here\n");
    fs::remove_file(tree.path("src/1_3.rs")).unwrap();
    tree.compare("changed after the merge");
}

#[test]
fn a_tree_that_is_moved_away_is_looked_at_as_before() {
    let tree = Fixture::new();
    tree.write("root/a.rs", "alpha\n");
    let root = Workspace::open(&tree.path("root"), &[], limits()).unwrap();
    let fresh = Workspace::open(&tree.path("root"), &[], limits()).unwrap();
    root.watch(&State::new(tree.state.path()), None);
    let until = Instant::now() + Duration::from_secs(20);
    while !is_known(&root) {
        assert!(Instant::now() < until, "{:?}", root.watched());
    }
    fs::rename(tree.path("root"), tree.path("elsewhere")).unwrap();
    fs::write(tree.path("elsewhere/b.rs"), "alpha\n").unwrap();
    assert_eq!(Fixture::lines(&root, "alpha", "."), Fixture::lines(&fresh, "alpha", "."));
    while !root.watched().unwrap().starts_with("off: ") {
        assert!(Instant::now() < until, "{:?}", root.watched());
    }
}

/// Numbers that look random and are the same in every run of a seed.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len())]
    }
}

const NAMES: [&str; 9] =
    ["a", "b", "c.rs", "d.log", "e.rs", "f.tmp", ".hidden", "g.md", "node_modules"];
const RULES: [&str; 8] =
    ["*.log\n", "b/\n", "/a/c.rs\n", "*\n!*.rs\n!*/\n", "\n", "**/e.rs\n", "!d.log\n", "a\n"];
const TEXTS: [&str; 6] = [
    "alpha beta\n",
    "Gamma_One delta\nalphabet\n",
    "beta_x -> theta_x\n",
    "nothing\n",
    "b\0alpha\n",
    "el\u{e9}phant alpha\r\nend",
];

fn some_path(dice: &mut Dice, root: &Path) -> PathBuf {
    let depth = 1 + dice.roll(3);
    (0..depth).fold(root.to_owned(), |path, _| path.join(dice.pick(&NAMES)))
}

/// One change such as programs make; that it fails is part of it.
pub(crate) fn change(dice: &mut Dice, root: &Path) -> String {
    let (path, other) = (some_path(dice, root), some_path(dice, root));
    let text = dice.pick(&TEXTS);
    let shown = path.strip_prefix(root).unwrap().display().to_string();
    let what = match dice.roll(16) {
        0..=3 => {
            let _ = path.parent().map(fs::create_dir_all);
            format!("write: {:?}", fs::write(&path, text).is_ok())
        }
        4 => format!("mkdir: {:?}", fs::create_dir_all(&path).is_ok()),
        5 => format!("remove: {:?}", fs::remove_file(&path).is_ok()),
        6 => format!("remove all: {:?}", fs::remove_dir_all(&path).is_ok()),
        7 | 8 => format!("rename to {}: {:?}", other.display(), fs::rename(&path, &other).is_ok()),
        9 => {
            let _ = path.parent().map(fs::create_dir_all);
            let rules = path.with_file_name(dice.pick(&[".gitignore", ".ignore"]));
            format!("rules beside it: {:?}", fs::write(rules, dice.pick(&RULES)).is_ok())
        }
        10 => format!("no rules: {:?}", fs::remove_file(path.with_file_name(".gitignore")).is_ok()),
        11 => format!("link: {:?}", symlink(&other, &path).is_ok()),
        12 => format!("hard link: {:?}", fs::hard_link(&other, &path).is_ok()),
        13 => {
            let mode = dice.pick(&[0o000, 0o755, 0o644]);
            let done = fs::metadata(&path).is_ok()
                && fs::set_permissions(&path, fs::Permissions::from_mode(mode)).is_ok();
            format!("mode {mode:o}: {done}")
        }
        14 => {
            let inner = path.join(".git/info");
            let done = fs::create_dir_all(&inner).is_ok()
                && fs::write(inner.join("exclude"), dice.pick(&RULES)).is_ok();
            format!("a repository: {done}")
        }
        _ => {
            let (old, new) = (path.with_extension("old"), path.clone());
            let done = fs::rename(&path, &old).is_ok()
                && fs::create_dir(&new).is_ok()
                && fs::rename(&old, new.join("inner")).is_ok();
            format!("moved into itself: {done}")
        }
    };
    format!("{shown}: {what}")
}

#[test]
fn whatever_programs_do_to_a_tree_it_is_known() {
    let (mut known, mut rounds) = (0, 0);
    for seed in 0..12 {
        let tree = Fixture::new();
        if seed % 2 == 1 {
            fs::create_dir_all(tree.path(".git/info")).unwrap();
        }
        let mut dice = Dice(seed);
        let mut log = vec![format!("seed {seed}")];
        for round in 0..25 {
            let burst = 1 + dice.roll(12);
            for _ in 0..burst {
                log.push(change(&mut dice, tree.dir.path()));
            }
            tree.compare(&format!("round {round}: {}", log.join("; ")));
            known += usize::from(is_known(&tree.watched));
            rounds += 1;
            log.truncate(1);
        }
    }
    assert!(known * 2 > rounds, "the view answered only {known} of {rounds} times");
}

/// Texts of words that begin and end alike, so that patterns meet many of them half.
fn some_text(dice: &mut Dice) -> Vec<u8> {
    const WORDS: [&str; 14] = [
        "mutex_lock",
        "mutex_lock_nested",
        "Mutex",
        "LOCK",
        "PM_RESUME",
        "resume",
        "x",
        "->",
        "!=",
        "(a,",
        "0x7f",
        "na\u{ef}ve",
        "\u{212a}elvin",
        "foo.bar",
    ];
    let mut text = Vec::new();
    for _ in 0..dice.roll(60) {
        text.extend(dice.pick(&WORDS).as_bytes());
        text.extend(dice.pick(&[" ", "_", "\n", "\r\n", "", ";", "\t"]).as_bytes());
    }
    match dice.roll(12) {
        0 => text.insert(text.len() / 2, 0),
        1 => text.extend([0xff, 0xfe, b'a']),
        4 => text.extend(b" pr\xe9f\xe9rence fa\xe7on \xe9t\xe9 na\xefve"),
        2 => text.extend("mutex".repeat(300).as_bytes()),
        3 => {
            let wide = String::from_utf8_lossy(&text).into_owned();
            text = [0xff, 0xfe]
                .into_iter()
                .chain(wide.encode_utf16().flat_map(u16::to_le_bytes))
                .collect();
        }
        _ => {}
    }
    text
}

fn some_pattern(dice: &mut Dice) -> String {
    const PARTS: [&str; 23] = [
        "mutex",
        "lock",
        "_lock",
        "Mutex",
        "(?i)resume",
        "PM_",
        "[A-Z]+_",
        "RESUME",
        r"\(a",
        "->",
        "!=",
        r"\b",
        "x?",
        ".",
        "(?:lock|LOCK)",
        "(?i:k)elvin",
        r"\d+",
        "na\u{ef}ve",
        "^",
        "$",
        "ex_lo",
        r"foo\.b",
        "\u{e9}f",
    ];
    (0..=dice.roll(4)).map(|_| dice.pick(&PARTS)).collect()
}

#[test]
fn two_thousand_patterns_find_the_same_lines_with_and_without_an_index() {
    let tree = Fixture::new();
    let mut dice = Dice(7);
    for number in 0..60 {
        fs::create_dir_all(tree.path(&format!("d{}", number % 7))).unwrap();
        fs::write(tree.path(&format!("d{}/f{number}", number % 7)), some_text(&mut dice)).unwrap();
    }
    tree.covered(60);
    let mut narrowed = 0;
    for round in 0..2000 {
        let pattern = some_pattern(&mut dice);
        let folder = tree.watched.folder(".").unwrap();
        let query = postings::Query::new(&pattern, false, false);
        let (resident, place) = folder.tree().unwrap();
        let known = query.and_then(|query| resident.look(place, Some(&query))?.1);
        narrowed += usize::from(known.is_some_and(|candidates| candidates.files.len() < 40));
        let (known, fresh) = (
            Fixture::lines(&tree.watched, &pattern, "."),
            Fixture::lines(&tree.fresh, &pattern, "."),
        );
        assert_eq!(known, fresh, "round {round}: {pattern}");
        if round % 10 == 0 {
            let path = format!("d{}/f{}", dice.roll(7), dice.roll(60));
            let _ = fs::write(tree.path(&path), some_text(&mut dice));
        }
    }
    assert!(narrowed > 300, "the index narrowed only {narrowed} searches");
}
