//! Matches that go over several lines.

use super::{GREP, Grep, Tree};

const ACROSS: Grep<'static> = Grep { multiline: true, ..GREP };

/// Each hit as its lines, its column and what is shown of it.
fn hits(tree: &Tree, grep: Grep<'_>) -> Vec<(u64, u64, usize, String)> {
    let found = tree.grep(grep).unwrap();
    found.hits.into_iter().map(|hit| (hit.line, hit.last, hit.column, hit.text)).collect()
}

#[test]
fn a_match_is_the_lines_that_it_touches() {
    let text = b"fn a(\n  x,\n) {}\nfn b() {}\nfn c(\n) {}\n";
    let tree = Tree::new(&[("a.rs", text)]);
    let found = |pattern| hits(&tree, Grep { pattern, ..ACROSS });
    let first = (1, 3, 1, "fn a(\n  x,\n) {}".to_owned());
    let last = (5, 6, 1, "fn c(\n) {}".to_owned());
    // Two that follow each other are two, and what is in one line is found as ever.
    let all = [first.clone(), (4, 4, 1, "fn b() {}".to_owned()), last.clone()];
    assert_eq!(found(r"fn \w\([^)]*\) \{"), all);
    assert_eq!(found(r"\(\n[^)]*\)"), [(1, 3, 5, first.3), (5, 6, 5, last.3)]);
    // Two in one line are one, and a dot is no line break unless that is said.
    assert_eq!(found(r"[ac]\("), [(1, 1, 4, "fn a(".into()), (5, 5, 4, "fn c(".into())]);
    assert_eq!(found(r"[bc]|\{").len(), 4);
    assert_eq!(found(r"x.*b"), []);
    assert_eq!(found(r"(?s)x.*b"), [(2, 4, 3, "  x,\n) {}\nfn b() {}".into())]);
    assert_eq!(found(r"^\) \{\}$").len(), 2);
    let two = Grep { pattern: r"fn \w\([^)]*\)", max_hits: 2, ..ACROSS };
    assert!(tree.grep(two).unwrap().more);
}

#[test]
fn plain_text_has_line_breaks_of_either_kind_and_regular_expressions_their_own() {
    let tree = Tree::new(&[("dos.txt", b"one.\r\ntwo\r\n"), ("unix.txt", b"one.\ntwo\n")]);
    let literal = Grep { pattern: "one.\ntwo", literal: true, ..ACROSS };
    let both = [(1, 2, 1, "one.\ntwo".to_owned()), (1, 2, 1, "one.\ntwo".to_owned())];
    assert_eq!(hits(&tree, literal), both);
    assert_eq!(hits(&tree, Grep { pattern: r"\.\ntwo", ..ACROSS }).len(), 1);
    assert_eq!(hits(&tree, Grep { pattern: r"E\.\s+two", ignore_case: true, ..ACROSS }).len(), 2);
}

#[test]
fn lines_around_stay_apart_from_those_of_the_match() {
    let tree = Tree::new(&[("a.txt", b"1\n2\na\nb\n5\n6\na\nb\n9\n")]);
    let found = tree.grep(Grep { pattern: "a\\nb", context: 2, ..ACROSS }).unwrap();
    let around: Vec<_> = found.hits.into_iter().map(|hit| (hit.before, hit.after)).collect();
    let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(around, [(lines("1 2"), lines("5 6")), (lines("5 6"), lines("9"))]);
}

#[test]
fn of_a_long_match_the_first_lines_are_shown_and_its_end_is_known() {
    let long: String = (0..50_000).map(|n| format!("line {n}\n")).collect();
    let tree = Tree::new(&[("a.txt", long.as_bytes()), ("large", &vec![b'x'; 20 << 20])]);
    let found = tree.grep(Grep { pattern: "(?s)line 3.*line 49999$", ..ACROSS }).unwrap();
    let hit = &found.hits[0];
    assert_eq!((found.hits.len(), hit.line, hit.last), (1, 4, 50_000));
    assert_eq!((hit.text.lines().count(), hit.text.lines().last()), (20, Some("line 22")));
    assert_eq!(found.skipped.too_large, 1, "a file is searched as a whole");
}

#[test]
fn a_match_may_begin_with_the_end_of_a_line() {
    let tree = Tree::new(&[("a.txt", b"one\r\ntwo\nthree\n")]);
    let two = (1, 2, 5, "one\ntwo".to_owned());
    assert_eq!(hits(&tree, Grep { pattern: r"\ntwo", ..ACROSS }), [(1, 2, 4, two.3.clone())]);
    assert_eq!(hits(&tree, Grep { pattern: r"\r\ntwo", ..ACROSS }), [(1, 2, 4, two.3)]);
    assert_eq!(hits(&tree, Grep { pattern: r"(?-R)$\n", ..ACROSS }).len(), 3);
}

#[test]
fn every_line_that_the_searcher_tells_is_shown() {
    // As in ripgrep, where a search begins anew after each match: `\A` matches there too.
    let tree = Tree::new(&[("a.txt", b"one\ntwo\nthree\n")]);
    let lines: Vec<u64> =
        hits(&tree, Grep { pattern: r"\A", ..ACROSS }).iter().map(|hit| hit.0).collect();
    assert_eq!(lines, [1, 2, 3]);
}
