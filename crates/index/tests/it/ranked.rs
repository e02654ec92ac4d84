//! Ranked search: what is found, and what is said of the rest.

use fault::{Cancel, Code};
use files::Limits;
use index::{Named, Search};

use super::{Project, ask, files};

const DELETE: &str = "fn delete_file(path: &str) {\n    remove(path);\n}\n";
const AREA: &str = "fn area(width: u32, height: u32) -> u32 {\n    width * height\n}\n";

#[test]
fn a_question_finds_code_that_has_none_of_its_words() {
    let project = Project::new(&[("a.rs", DELETE), ("b.rs", AREA)]);
    let (index, workspace) = (project.index(), project.workspace());
    let answer = ask(&index, &workspace, "erase a document from disk").unwrap();
    assert_eq!(files(&answer)[0], "a.rs");
    let best = &answer.hits[0];
    assert_eq!((best.lines, &*best.name), ((1, 3), "delete_file"));
    assert_eq!(best.snippet, DELETE.trim_end());
    assert!(answer.hits.iter().all(|hit| (0.0..=1.0).contains(&hit.score)));
}

#[test]
fn a_name_is_found_by_its_parts_and_its_other_forms() {
    let project = Project::new(&[("a.rs", DELETE), ("b.rs", AREA)]);
    let (index, workspace) = (project.index(), project.workspace());
    for query in ["deleteFile", "DELETE_FILES", "deleting files"] {
        assert_eq!(files(&ask(&index, &workspace, query).unwrap())[0], "a.rs", "{query}");
    }
}

#[test]
fn text_and_broken_code_are_found_too() {
    let project = Project::new(&[
        ("notes.txt", "The deadline of the harvest report is in autumn.\n"),
        ("broken.rs", "fn harvest( {{{ report\n"),
        ("blob.bin", "harvest report \0\0\0"),
    ]);
    let answer = ask(&project.index(), &project.workspace(), "harvest report").unwrap();
    let mut found = files(&answer);
    found.sort_unstable();
    assert_eq!(found, ["broken.rs", "notes.txt"]);
}

#[test]
fn code_made_to_take_gigabytes_is_read_as_text() {
    let hostile = "x=>".repeat(4000);
    let project = Project::new(&[("a.java", &hostile), ("b.c", &hostile), ("c.rs", DELETE)]);
    let (index, workspace) = (project.index(), project.workspace());
    let answer = ask(&index, &workspace, "delete file").unwrap();
    assert_eq!(files(&answer)[0], "c.rs");
    assert!(answer.note.unwrap().contains("2 files read as plain text"));
    let named = Named { name: "x", dir: ".", family: None, max: 9 };
    let note = index.find_symbol(&workspace, &named, &Cancel::default()).unwrap().note.unwrap();
    assert!(note.contains("2 too large or too hard to parse: a.java, b.c"), "{note}");
}

#[test]
fn tests_and_documentation_stay_out_unless_they_are_asked_for() {
    let project = Project::new(&[
        ("src/cart.py", "def total(cart):\n    return sum(cart)\n"),
        ("tests/test_cart.py", "def test_total():\n    assert total([]) == 0\n"),
        ("README.md", "# Cart\n\nThe total of a cart.\n"),
    ]);
    let (index, workspace) = (project.index(), project.workspace());
    let search = Search { query: "cart total", dir: ".", tests: false, docs: false, max: 9 };
    let answer = index.search(&workspace, &search, &Cancel::default()).unwrap();
    assert_eq!(files(&answer), ["src/cart.py"]);
    assert_eq!((answer.tests, answer.docs, answer.note), (1, 1, None));
    assert_eq!(ask(&index, &workspace, "cart total").unwrap().hits.len(), 3);
}

#[test]
fn a_folder_bounds_the_search() {
    let project = Project::new(&[("a/x.rs", DELETE), ("b/x.rs", DELETE)]);
    let (index, workspace) = (project.index(), project.workspace());
    let search = |dir| {
        let search = Search { query: "delete file", dir, tests: true, docs: true, max: 9 };
        index.search(&workspace, &search, &Cancel::default())
    };
    assert_eq!(files(&search("b").unwrap()), ["b/x.rs"]);
    assert_eq!(search("c").unwrap_err().code, Code::DirectoryNotFound);
    assert_eq!(search("a/x.rs").unwrap_err().code, Code::NotADirectory);
}

#[test]
fn ignored_files_are_not_searched() {
    let project = Project::new(&[(".gitignore", "out\n"), ("out/a.rs", DELETE), ("a.rs", DELETE)]);
    let answer = ask(&project.index(), &project.workspace(), "delete file").unwrap();
    assert_eq!(files(&answer), ["a.rs"]);
}

#[test]
fn what_is_beyond_the_bounds_is_said() {
    let long = format!("// {}\n", "zebra ".repeat(100));
    let project = Project::new(&[("a.rs", DELETE), ("b.rs", AREA), ("c.rs", &long)]);
    let some = Limits { index_files: 1, ..Limits::default() };
    let note = ask(&project.index(), &project.bounded(some), "area").unwrap().note.unwrap();
    assert!(note.contains("beyond the bounds"), "{note}");
    let project = Project::new(&[
        ("a/README.md", "delete a file\n"),
        ("b/data.dts", "delete a file\n"),
        ("c/tests/x.rs", DELETE),
        ("d/x.rs", DELETE),
    ]);
    for (most, last) in [(1, "d/x.rs"), (2, "c/tests/x.rs"), (3, "b/data.dts"), (4, "a/README.md")]
    {
        let some = Limits { index_files: most, ..Limits::default() };
        let answer = ask(&project.index(), &project.bounded(some), "delete file").unwrap();
        let mut found = files(&answer);
        found.sort_unstable();
        assert_eq!((found.len(), found[0]), (most, last), "code is the last to be left out");
    }
    let project = Project::new(&[("a.rs", DELETE), ("c.rs", &long)]);
    let small = Limits { index_file_bytes: 300, ..Limits::default() };
    let answer = ask(&project.index(), &project.bounded(small), "zebra").unwrap();
    assert!(!files(&answer).contains(&"c.rs"));
    assert!(answer.note.unwrap().contains("1 oversized file"));
}

#[test]
fn a_question_of_two_letters_and_a_cancelled_one_are_refused() {
    let project = Project::new(&[("a.rs", DELETE)]);
    let (index, workspace) = (project.index(), project.workspace());
    assert_eq!(ask(&index, &workspace, " ab ").unwrap_err().code, Code::QueryTooShort);
    let cancel = Cancel::default();
    cancel.cancel();
    let search = Search { query: "delete", dir: ".", tests: true, docs: true, max: 9 };
    assert_eq!(index.search(&workspace, &search, &cancel).unwrap_err().code, Code::Cancelled);
    assert_eq!(files(&ask(&index, &workspace, "delete").unwrap()), ["a.rs"]);
}

#[test]
fn files_with_odd_names_and_contents_do_no_harm() {
    use std::os::unix::ffi::OsStrExt as _;
    let project = Project::new(&[("empty.rs", ""), ("latin.py", "")]);
    project.put("latin.py", b"# caf\xe9 opening hours\ndef hours():\n    pass\n");
    let odd = project.root().join(std::ffi::OsStr::from_bytes(b"caf\xe9.py"));
    std::fs::write(odd, "def opening_hours():\n    pass\n").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", project.root().join("link.py")).unwrap();
    make_pipe(&project.root().join("pipe.py"));
    let answer = ask(&project.index(), &project.workspace(), "opening hours").unwrap();
    let mut found = files(&answer);
    found.sort_unstable();
    assert_eq!(found, ["\"caf\\351.py\"", "latin.py"]);
}

fn make_pipe(path: &std::path::Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}
