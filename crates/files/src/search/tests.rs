#![expect(clippy::disallowed_methods, reason = "tests make the files that are searched")]

mod hostile;
mod map;
mod multiline;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::time::{Duration, Instant};

use expect_test::{Expect, expect};
use fault::{Cancel, Code, Error};

use super::*;
use crate::{Limits, Workspace};

/// A tree with all that a search can meet.
struct Tree {
    dir: tempfile::TempDir,
    workspace: Workspace,
}

impl Tree {
    fn new(files: &[(&str, &[u8])]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for (path, bytes) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        let workspace = Workspace::open(dir.path(), &[], Limits::default()).unwrap();
        Self { dir, workspace }
    }

    fn grep(&self, grep: Grep<'_>) -> Result<Found, Error> {
        super::grep(&self.workspace, &grep, &Cancel::default())
    }

    fn find(&self, find: Find<'_>) -> Result<Places, Error> {
        super::find(&self.workspace, &find, &Cancel::default())
    }

    fn check(&self, grep: Grep<'_>, expect: Expect) {
        expect.assert_eq(&match self.grep(grep) {
            Ok(found) => lines(&found),
            Err(error) => format!("{}: {}", error.code, error.message),
        });
    }

    fn check_find(&self, find: Find<'_>, expect: Expect) {
        expect.assert_eq(&match self.find(find) {
            Ok(places) => names(&places),
            Err(error) => format!("{}: {}", error.code, error.message),
        });
    }
}

const GREP: Grep<'static> = Grep {
    pattern: "needle",
    literal: false,
    multiline: false,
    ignore_case: false,
    dir: ".",
    glob: None,
    ignore: Ignore::Standard,
    max_hits: 100,
    recursive: true,
    context: 0,
};

const FIND: Find<'static> = Find {
    pattern: "**",
    dir: ".",
    names: false,
    ignore_case: false,
    kinds: Kinds::Files,
    ignore: Ignore::Standard,
    max: 100,
    recursive: true,
    exclude: &[],
};

fn lines(found: &Found) -> String {
    let line = |h: &Hit| format!("{}:{}:{}:{}\n", h.shown, h.line, h.column, h.text);
    let mut out: String = found.hits.iter().map(line).collect();
    let s = &found.skipped;
    out += if found.more { "more\n" } else { "" };
    if *s != Skipped::default() {
        out += &format!(
            "ignored {} binary {} too large {} unreadable {} {:?}\n",
            s.ignored, s.binary, s.too_large, s.unreadable, s.unreadable_names
        );
    }
    out
}

fn names(places: &Places) -> String {
    let mut out: String = places.spots.iter().map(|s| format!("{}\n", s.shown)).collect();
    out += if places.more { "more\n" } else { "" };
    if places.skipped.ignored > 0 {
        out += &format!("ignored {}\n", places.skipped.ignored);
    }
    out
}

/// Text in an encoding other than UTF-8 is searched as it reads, at whatever place of a file its first
/// such byte is.
#[test]
fn a_file_is_searched_as_it_is_read() {
    let french: &[u8] = b"une pr\xe9f\xe9rence, la fa\xe7on de l'\xe9t\xe9\n";
    let large = [&b"abc\n".repeat(100_000), french].concat();
    let split = [&vec![b'a'; (64 << 10) - 1], "\u{e9}\n".as_bytes(), &b"abc\n".repeat(9)].concat();
    let damaged = ["pr\u{e9}f\u{e9}rence ".repeat(9).as_bytes(), b"caf\xe9\n"].concat();
    let tree = Tree::new(&[
        ("small.txt", french),
        ("large.txt", &large),
        ("last.txt", &[&b"abc\n".repeat(100_000), &b"la pr\xe9f\xe9rence \xe9t\xe9"[..]].concat()),
        ("split.txt", &split),
        ("damaged.txt", &damaged),
    ]);
    let look = |pattern| tree.grep(Grep { pattern, ..GREP }).unwrap();
    let places = |found: &Found| -> Vec<_> {
        found.hits.iter().map(|hit| (hit.shown.to_string(), hit.line)).collect()
    };
    let found = look("pr\u{e9}f\u{e9}rence");
    let last =
        [("damaged.txt", 1), ("large.txt", 100_001), ("last.txt", 100_001), ("small.txt", 1)];
    assert_eq!(places(&found), last.map(|(file, line)| (file.to_owned(), line)));
    assert_eq!(found.hits[3].text, "une pr\u{e9}f\u{e9}rence, la fa\u{e7}on de l'\u{e9}t\u{e9}");
    assert_eq!(places(&look("a\u{e9}$")), [("split.txt".to_owned(), 1)]);
    assert_eq!(look("rence").hits.len(), 4, "as before where the pattern is ASCII");
}

#[test]
fn a_directory_that_is_passed_over_for_its_name_alone_is_told() {
    let tree = Tree::new(&[
        ("a.txt", b"needle\n"),
        ("vendor/a.txt", b"needle\n"),
        ("web/node_modules/a.txt", b"needle\n"),
        ("ignored/vendor/a.txt", b"needle\n"),
        ("ignored/.gitignore", b"vendor/\n"),
        (".git/a.txt", b"needle\n"),
    ]);
    let note = |grep| {
        let found = tree.grep(grep).unwrap();
        found.skipped.beside(!found.hits.is_empty())
    };
    assert_eq!(
        note(GREP).unwrap(),
        "skipped 2 directories (vendor, web/node_modules; name one to look into it)"
    );
    assert_eq!(
        note(Grep { dir: "web", ..GREP }).unwrap(),
        "skipped 1 directory (web/node_modules; name one to look into it)"
    );
    let named = ["vendor".to_owned(), "node_modules".to_owned()];
    for silent in [
        Grep { dir: "vendor", ..GREP },
        Grep { dir: "ignored", pattern: ".", ..GREP },
        Grep { recursive: false, ..GREP },
        Grep { ignore: Ignore::Folders(&named), ..GREP },
    ] {
        assert_eq!(note(silent), None, "{silent:?}");
    }
    let found = tree.find(Find { pattern: "a.txt", ..FIND }).unwrap();
    assert_eq!(found.skipped.passed_over, ["vendor", "web/node_modules"]);
}

#[test]
fn a_file_too_large_to_be_converted_is_told() {
    let tree = Tree::new(&[("large.txt", &[&b"abc\n".repeat(30_000), &b"pr\xe9f\n"[..]].concat())]);
    let limits = Limits { file_bytes: 100_000, ..Limits::default() };
    let workspace = Workspace::open(tree.dir.path(), &[], limits).unwrap();
    let look = |pattern| super::grep(&workspace, &Grep { pattern, ..GREP }, &Cancel::default());
    let note = "skipped non-ASCII text in 1 file too large to decode";
    for (pattern, hits) in [("pr\u{e9}f", 0), ("^pr", 1)] {
        let found = look(pattern).unwrap();
        assert_eq!(found.hits.len(), hits);
        assert_eq!(found.skipped.beside(hits > 0).unwrap(), note);
    }
}

#[test]
fn every_kind_of_text_file_is_searched() {
    let wide: Vec<u8> =
        "\u{feff}x\r\na needle\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let tree = Tree::new(&[
        ("crlf.txt", b"one\r\na needle\r\nneedle\r\n"),
        (".hidden/.file", b"needle without an end"),
        ("sub/utf8bom.txt", b"\xef\xbb\xbfneedle\n"),
        ("sub/wide.txt", &wide),
        ("latin.txt", b"caf\xe9 needle caf\xe9\n"),
        ("a\nb.txt", b"needle\n"),
        ("sub-x.txt", "äö needle".as_bytes()),
        ("binary", b"\0\x01 needle"),
    ]);
    tree.check(
        GREP,
        expect![[r#"
            .hidden/.file:1:1:needle without an end
            "a\nb.txt":1:1:needle
            crlf.txt:2:3:a needle
            crlf.txt:3:1:needle
            latin.txt:1:6:café needle café
            sub-x.txt:1:4:äö needle
            sub/utf8bom.txt:1:1:needle
            sub/wide.txt:2:3:a needle
            ignored 0 binary 1 too large 0 unreadable 0 []
        "#]],
    );
    // An anchor is at the end of a line whatever ends it.
    let ends = tree.grep(Grep { pattern: "needle$", glob: Some("crlf.txt"), ..GREP }).unwrap();
    assert_eq!(ends.hits.len(), 2);
    let hit = &ends.hits[0];
    assert_eq!(&hit.text[hit.span.clone()], "needle");
    assert_eq!(*hit.path, *tree.workspace.root().join("crlf.txt"));
}

#[test]
fn ignored_files_are_passed_over_and_counted_when_nothing_is_found() {
    let tree = Tree::new(&[
        (".gitignore", b"*.log\n/build\n"),
        ("a.log", b"needle"),
        ("build/b.txt", b"needle"),
        ("sub/.gitignore", b"!keep.log\nsecret\n"),
        ("sub/keep.log", b"needle"),
        ("sub/secret", b"needle"),
        ("sub/build/c.txt", b"needle"),
        ("node_modules/m.js", b"needle"),
        ("vendor/v.go", b"needle"),
        (".git/objects/x", b"needle"),
        ("mine/skip.txt", b"needle"),
    ]);
    let paths = |ignore| {
        let found = tree.grep(Grep { ignore, ..GREP }).unwrap();
        found.hits.iter().map(|h| h.shown.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(paths(Ignore::Standard), "mine/skip.txt sub/build/c.txt sub/keep.log");
    let mine = ["mine".to_owned(), "vendor/".to_owned()];
    assert_eq!(
        paths(Ignore::Folders(&mine)),
        ".git/objects/x node_modules/m.js sub/build/c.txt sub/keep.log"
    );
    assert_eq!(paths(Ignore::Nothing).split(' ').count(), 9);
    tree.check(
        Grep { glob: Some("*.{log,js,go}"), pattern: "nothing", ..GREP },
        expect!["ignored 1 binary 0 too large 0 unreadable 0 []\n"],
    );
    // A directory named outright is searched.
    assert_eq!(tree.grep(Grep { dir: "vendor", ..GREP }).unwrap().hits.len(), 1);
    // So is a file.
    assert_eq!(tree.grep(Grep { dir: "a.log", ..GREP }).unwrap().hits[0].shown.as_ref(), "a.log");
}

#[test]
fn ignore_files_above_count_from_the_root_or_the_repository_on() {
    let home = tempfile::tempdir().unwrap();
    let put = |path: &str, text: &str| {
        let path = home.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put(".gitignore", "*\n");
    put("project/.gitignore", "*.log\n/sub/top.txt\n");
    put("project/sub/.gitignore", "!keep.log\n/deep/b.txt\n");
    for name in ["a.txt", "a.log", "keep.log", "b.txt", "top.txt"] {
        put(&format!("project/sub/deep/{name}"), "needle");
        put(&format!("project/sub/{name}"), "needle");
    }
    let search = |root: &str, dir| {
        let workspace = Workspace::open(&home.path().join(root), &[], Limits::default()).unwrap();
        let found = super::grep(&workspace, &Grep { dir, ..GREP }, &Cancel::default()).unwrap();
        found.hits.iter().map(|h| h.shown.to_string()).collect::<Vec<_>>().join(" ")
    };
    let deep = "sub/deep/a.txt sub/deep/keep.log sub/deep/top.txt";
    let whole = format!("sub/a.txt sub/b.txt {deep} sub/keep.log");
    assert_eq!(search("project", "."), whole);
    assert_eq!(search("project", "sub/deep"), deep);
    fs::create_dir(home.path().join("project/.git")).unwrap();
    assert_eq!(search("project", "."), whole);
    assert_eq!(search("project", "sub/deep"), deep);
    // The root may be a part of the repository.
    assert_eq!(search("project/sub/deep", "."), "a.txt keep.log top.txt");
}

#[test]
fn links_pipes_and_what_is_outside_are_never_read() {
    let tree = Tree::new(&[("in/a.txt", b"needle\n")]);
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.txt"), "needle").unwrap();
    let root = tree.dir.path();
    symlink(outside.path(), root.join("out")).unwrap();
    symlink(outside.path().join("secret.txt"), root.join("secret.txt")).unwrap();
    symlink("..", root.join("in/loop")).unwrap();
    symlink("a.txt", root.join("in/b.txt")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, root.join("pipe"), rustix::fs::Mode::RWXU).unwrap();
    tree.check(GREP, expect!["in/a.txt:1:1:needle\n"]);
    tree.check_find(FIND, expect!["in/a.txt\nin/b.txt\nin/loop\nout\nsecret.txt\n"]);
    let refused = |dir| tree.grep(Grep { dir, ..GREP }).unwrap_err().code;
    assert_eq!(refused("out"), Code::PathOutsideWorkspace);
    assert_eq!(refused("secret.txt"), Code::PathOutsideWorkspace);
    assert_eq!(refused("../"), Code::PathOutsideWorkspace);
    assert_eq!(refused("pipe"), Code::NotAFile);
    // A link inside the root leads to what it means.
    assert_eq!(tree.grep(Grep { dir: "in/b.txt", ..GREP }).unwrap().hits.len(), 1);
}

#[test]
fn unreadable_files_are_counted_and_named() {
    let tree = Tree::new(&[("a.txt", b"needle"), ("b/c.txt", b"needle")]);
    let lock = |path: &str, mode| {
        fs::set_permissions(tree.dir.path().join(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    lock("a.txt", 0o000);
    lock("b", 0o000);
    let readable = fs::read(tree.dir.path().join("a.txt")).is_ok();
    let found = tree.grep(GREP).unwrap();
    lock("b", 0o700);
    if readable {
        println!("not tested: this user may read everything");
        return;
    }
    assert_eq!(found.skipped.unreadable_names, ["a.txt", "b"]);
}

#[test]
fn long_lines_are_shown_around_the_match() {
    let long = [vec![b'x'; 5000], b"needle".to_vec(), vec!["é".as_bytes(); 5000].concat()].concat();
    let tree = Tree::new(&[("min.js", &long)]);
    let hit = &tree.grep(GREP).unwrap().hits[0];
    assert_eq!((hit.line, hit.column, &hit.text[hit.span.clone()]), (1, 5001, "needle"));
    assert!(hit.text.len() < 600 && hit.text.ends_with("é… [line of 15006 bytes]"), "{}", hit.text);
}

#[test]
fn huge_files_take_bounded_memory_and_no_time() {
    let tree =
        Tree::new(&[("line.json", &[b"needle\n".as_slice(), &vec![b'x'; 50 << 20]].concat())]);
    let sparse = fs::File::create(tree.dir.path().join("sparse")).unwrap();
    sparse.set_len(10 << 30).unwrap();
    let started = Instant::now();
    tree.check(
        GREP,
        expect![[r#"
            line.json:1:1:needle
            ignored 0 binary 1 too large 1 unreadable 0 []
        "#]],
    );
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn the_first_hits_by_path_are_kept_whatever_thread_found_them() {
    let files: Vec<(String, String)> = (0..300)
        .map(|i| {
            (format!("d{}/f{i:03}.txt", i % 7), "a\nneedle 1\nneedle 2\nneedle 3\n".to_owned())
        })
        .collect();
    let files: Vec<(&str, &[u8])> = files.iter().map(|(p, t)| (p.as_str(), t.as_bytes())).collect();
    let tree = Tree::new(&files);
    let all = tree.grep(Grep { max_hits: usize::MAX, ..GREP }).unwrap();
    assert_eq!((all.hits.len(), all.more), (900, false));
    assert!(all.hits.is_sorted_by_key(|h| (h.shown.to_string(), h.line)));
    for max_hits in [0, 1, 3, 100, 899, 900] {
        let some = tree.grep(Grep { max_hits, ..GREP }).unwrap();
        assert_eq!(some.hits, all.hits[..max_hits], "{max_hits}");
        assert_eq!(some.more, max_hits < 900);
    }
    let flat = Grep { dir: "d0", recursive: false, max_hits: 1000, ..GREP };
    let flat = tree.grep(flat).unwrap();
    assert_eq!(flat.hits.len(), 43 * 3);
    assert!(tree.grep(Grep { recursive: false, ..GREP }).unwrap().hits.is_empty());
}

#[test]
fn what_is_found_before_a_nul_byte_does_not_depend_on_the_files_before() {
    let long = "x".repeat(1 << 20);
    let text = "a needle in a line\n".repeat(20_000) + "\0";
    let names: Vec<String> = (0..16).map(|n| format!("a{n}.txt")).collect();
    let mut files: Vec<(&str, &[u8])> =
        names.iter().map(|name| (name.as_str(), long.as_bytes())).collect();
    files.push(("b.txt", text.as_bytes()));
    let tree = Tree::new(&files);
    let all = |dir| tree.grep(Grep { dir, max_hits: usize::MAX, ..GREP }).unwrap().hits.len();
    let alone = all("b.txt");
    assert!((15_000..20_000).contains(&alone), "{alone}");
    assert_eq!(all("."), alone);
}

#[test]
fn an_empty_line_before_a_nul_byte_is_found_as_ripgrep_finds_it() {
    let tree = Tree::new(&[("a.bin", b"\nneedle\n\0\n")]);
    let lines = |pattern| {
        let found = tree.grep(Grep { pattern, ..GREP }).unwrap();
        (found.hits.iter().map(|hit| hit.line).collect::<Vec<_>>(), found.skipped.binary)
    };
    assert_eq!(lines("$^"), (vec![1], 1));
    assert_eq!(lines("needle"), (vec![], 1));
}

#[test]
fn a_carriage_return_at_the_end_of_a_file_is_no_end_of_a_line() {
    let tree = Tree::new(&[("a.txt", b"needle\r\r\nneedle\r")]);
    let hits = tree.grep(GREP).unwrap().hits;
    assert_eq!(hits.iter().map(|hit| hit.text.as_str()).collect::<Vec<_>>(), ["needle\r"; 2]);
}

#[test]
fn a_match_within_a_character_is_shown_with_all_of_it() {
    let tree = Tree::new(&[("a.txt", "x\u{1f600}//\n".as_bytes())]);
    let hit = &tree.grep(Grep { pattern: r"(?-u:\W//)", ..GREP }).unwrap().hits[0];
    assert_eq!((hit.text.as_str(), hit.column), ("x\u{1f600}//", 2));
    assert_eq!(&hit.text[hit.span.clone()], "\u{1f600}//");
}

#[test]
fn patterns_that_cannot_be_used_say_where_and_why() {
    let tree = Tree::new(&[("a.txt", b"call foo(x) {1}\n")]);
    let with = |pattern| Grep { pattern, ..GREP };
    tree.check(with("foo("), expect![[r"InvalidRegex: pattern foo(: invalid regular expression at character 4: unclosed group; as plain text it is foo\(, or search for it literally"]]);
    tree.check(with("é[b"), expect![[r"InvalidRegex: pattern é[b: invalid regular expression at character 2: unclosed character class; as plain text it is é\[b, or search for it literally"]]);
    tree.check(with("a)|(b"), expect![[r"InvalidRegex: pattern a)|(b: invalid regular expression at character 2: unopened group; with that escaped it is a\)|\(b"]]);
    tree.check(with(r"a\nb"), expect!["InvalidRegex: pattern a\\nb: invalid regular expression: it holds a line break, and lines are searched one by one; look for one of its lines"]);
    tree.check(with(""), expect!["InvalidInput: pattern: empty; give the text to look for"]);
    tree.check(with(r"x{99999}{9999}"), expect!["InvalidRegex: pattern x{99999}{9999}: invalid regular expression: its repetitions make 999890001 places, the limit is 5000; use fewer or smaller repetitions"]);
    tree.check(Grep { literal: true, ..with("foo(") }, expect!["a.txt:1:6:call foo(x) {1}\n"]);
    tree.check(
        Grep { literal: true, ignore_case: true, ..with("FOO(X)") },
        expect!["a.txt:1:6:call foo(x) {1}\n"],
    );
    let long = "x".repeat(5000);
    assert_eq!(tree.grep(with(&long)).unwrap_err().code, Code::InvalidInput);
}

#[test]
fn globs_are_bounded_and_say_what_is_wrong() {
    let tree =
        Tree::new(&[("src/a.rs", b"needle"), ("b.rs", b"needle"), ("src/sub/c.ts", b"needle")]);
    let root = tree.dir.path().canonicalize().unwrap().display().to_string();
    let (inside, beside) = (format!("{root}/src/*.rs"), format!("{root}more/src/*.rs"));
    let paths = |glob| {
        let found = tree.grep(Grep { glob: Some(glob), ..GREP }).unwrap();
        found.hits.iter().map(|h| h.shown.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(paths("*.rs"), "b.rs src/a.rs");
    assert_eq!(paths("src/*.rs"), "src/a.rs");
    assert_eq!(paths("./src/**"), "src/a.rs src/sub/c.ts");
    assert_eq!(paths("src/"), "src/a.rs src/sub/c.ts");
    assert_eq!(paths("src/*"), "src/a.rs");
    assert_eq!(paths("/src/*"), "src/a.rs");
    assert_eq!(paths(&inside), "src/a.rs");
    assert_eq!(paths(&beside), "");
    assert_eq!(paths("**/*.{rs,ts}"), "b.rs src/a.rs src/sub/c.ts");
    tree.check(Grep { glob: Some("{a,b"), ..GREP }, expect!["InvalidGlob: glob {a,b: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?); use * ** ? [abc] {a,b}, and \\ before a character that stands for itself"]);
    let started = Instant::now();
    let bomb = "{a,b}".repeat(14);
    assert_eq!(paths(&bomb), "");
    let bomb = "{*,a}".repeat(600);
    assert_eq!(tree.grep(Grep { glob: Some(&bomb), ..GREP }).unwrap_err().code, Code::InvalidGlob);
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_missing_folder_is_an_error_with_near_names() {
    let tree = Tree::new(&[("source/a.rs", b"needle")]);
    tree.check(
        Grep { dir: "sorce", ..GREP },
        expect!["DirectoryNotFound: sorce: no such directory; did you mean source?"],
    );
    tree.check_find(
        Find { dir: "source/a.rs", ..FIND },
        expect![
            "NotADirectory: source/a.rs: not a directory; read it, or name the directory it is in"
        ],
    );
}

#[test]
fn a_cancelled_search_says_so() {
    let tree = Tree::new(&[("a", b"needle")]);
    let cancel = Cancel::default();
    cancel.cancel();
    let stopped = super::grep(&tree.workspace, &GREP, &cancel).unwrap_err();
    assert_eq!(stopped.code, Code::Cancelled);
    assert_eq!(super::find(&tree.workspace, &FIND, &cancel).unwrap_err().code, Code::Cancelled);
}

#[test]
fn names_are_found_by_glob() {
    let tree = Tree::new(&[
        ("README.md", b""),
        ("src/main.rs", b""),
        ("src/deep/Main.RS", b""),
        ("src/deep/lib.ts", b""),
        (".config/x.toml", b""),
        ("target/out.rs", b""),
        (".gitignore", b"target\n"),
    ]);
    let with = |pattern| Find { pattern, ..FIND };
    tree.check_find(with("*.md"), expect!["README.md\n"]);
    tree.check_find(with("*.rs"), expect![""]);
    tree.check_find(Find { names: true, ..with("*.rs") }, expect!["src/main.rs\n"]);
    tree.check_find(with("**/*.rs"), expect!["src/main.rs\n"]);
    tree.check_find(
        Find { ignore_case: true, ..with("src/**/main.rs") },
        expect!["src/deep/Main.RS\nsrc/main.rs\n"],
    );
    tree.check_find(with("src/*/*.{ts,js}"), expect!["src/deep/lib.ts\n"]);
    tree.check_find(Find { kinds: Kinds::All, ..with("**/d*") }, expect!["src/deep\n"]);
    tree.check_find(Find { dir: "src", ..with("*.rs") }, expect!["src/main.rs\n"]);
    tree.check_find(Find { names: true, ..with("out.*") }, expect!["ignored 1\n"]);
    tree.check_find(Find { max: 2, ..FIND }, expect![".config/x.toml\n.gitignore\nmore\n"]);
    tree.check_find(Find { recursive: false, ..FIND }, expect![".gitignore\nREADME.md\n"]);
    tree.check_find(with("[z-a]"), expect!["InvalidGlob: glob [z-a]: invalid range; 'z' > 'a'; use * ** ? [abc] {a,b}, and \\ before a character that stands for itself"]);
    assert_eq!(tree.find(Find { max: 0, ..FIND }).unwrap().spots.len(), 0);
    assert!(tree.find(Find { max: 0, ..FIND }).unwrap().more);
}

#[test]
fn an_ignore_file_without_end_holds_no_search_and_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let (root, sub) = (dir.path(), dir.path().join("sub"));
    std::fs::create_dir(&sub).unwrap();
    std::fs::write(root.join("a"), "needle").unwrap();
    std::fs::write(sub.join("b"), "needle").unwrap();
    let line = "/some/directory/*/with/a/pattern-*.txt\n";
    std::fs::write(sub.join(".gitignore"), line.repeat((50 << 20) / line.len())).unwrap();
    let ws = Workspace::open(root, &[], Limits::default()).unwrap();
    let search = |dir| grep(&ws, &Grep::new("needle", dir, 10), &Cancel::default()).unwrap();
    let found = search(".");
    assert_eq!(found.hits.len(), 1);
    assert!(found.hits[0].path.ends_with("a"));
    let note = found.skipped.beside(true).unwrap();
    assert!(note.contains("sub/.gitignore"), "{note}");
    assert_eq!(search("sub").skipped.long_ignores, ["sub/.gitignore"]);
    let all = Grep { ignore: Ignore::Nothing, ..Grep::new("needle", ".", 10) };
    assert_eq!(grep(&ws, &all, &Cancel::default()).unwrap().hits.len(), 2);
    // Opening a pipe waits for somebody who writes.
    std::fs::remove_file(sub.join(".gitignore")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(sub.join(".gitignore")).status();
    assert!(made.unwrap().success());
    assert_eq!(search(".").hits.len(), 1);
}

#[test]
fn backups_beside_their_originals_are_not_searched() {
    let tree = Tree::new(&[
        ("a.ts", b"word\n"),
        ("a.ts.backup", b"word\n"),
        ("a.ts.backup.1", b"word\n"),
        ("b.backup", b"word\n"),
    ]);
    let found = tree.grep(Grep { pattern: "word", ..GREP }).unwrap();
    let names: Vec<_> = found.hits.iter().map(|hit| hit.shown.to_string()).collect();
    assert_eq!(names, ["a.ts", "b.backup"]);
    let all = tree.grep(Grep { pattern: "word", ignore: Ignore::Nothing, ..GREP }).unwrap();
    assert_eq!(all.hits.len(), 4);
}

fn fitting(tree: &Tree, pattern: &str, dir: &str, max: usize) -> (Vec<String>, usize) {
    let asked = Fuzzy { pattern, dir, max };
    let found = super::fuzzy(&tree.workspace, &asked, &Cancel::default()).unwrap();
    (found.spots.into_iter().map(|spot| spot.shown).collect(), found.total)
}

#[test]
fn letters_of_a_path_find_it() {
    let tree = Tree::new(&[
        (".gitignore", b"out\n"),
        ("src/journal/undo.rs", b""),
        ("src/journal/undoing_some_more.rs", b""),
        ("src/Makefile", b""),
        ("docs/unrelated-dogs.md", b""),
        ("docs/naïve.md", b""),
        ("out/undo.rs", b""),
    ]);
    let all = |pattern| fitting(&tree, pattern, ".", 9).0;
    assert_eq!(all("undo")[0], "src/journal/undo.rs");
    assert_eq!(all("jundo"), ["src/journal/undo.rs", "src/journal/undoing_some_more.rs"]);
    assert_eq!(all("undo jour"), all("jour undo"), "words in any order");
    assert_eq!(all("srcmake"), ["src/Makefile"]);
    assert_eq!(all("Make"), ["src/Makefile"]);
    assert_eq!(all("MAKE"), [""; 0], "capitals match only capitals");
    assert_eq!(all("naive"), ["docs/naïve.md"]);
    assert_eq!(all("xyzzy"), [""; 0]);
    let (first, total) = fitting(&tree, "rs", ".", 1);
    assert_eq!((first.len(), total), (1, 3));
    assert_eq!(fitting(&tree, "make", "docs", 9).0, [""; 0]);
    let error = |pattern: &str, dir: &str| {
        let asked = Fuzzy { pattern, dir, max: 9 };
        super::fuzzy(&tree.workspace, &asked, &Cancel::default()).unwrap_err().code
    };
    assert_eq!(error(" ", "."), Code::InvalidInput);
    assert_eq!(error(&"a".repeat(300), "."), Code::InvalidInput);
    assert_eq!(error("a", "none"), Code::DirectoryNotFound);
}
