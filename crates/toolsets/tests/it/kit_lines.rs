//! Lines that `edit` of kit changes by their numbers: only those that the session saw there.

use fault::Code;
use toolkit::serde_json::{Value, json};

use crate::kit_run::Kit;

const TEXT: &str = "one\ntwo\nthree\nfour\nfive\n";

fn lines(path: &str, lines: &str, new: &str) -> Value {
    json!({"path": path, "lines": lines, "new": new})
}

#[test]
fn lines_that_were_not_read_are_shown_and_then_changed() {
    let kit = Kit::new(&[("a.txt", TEXT)]);
    let (text, code) = kit.call("edit", lines("a.txt", "2-3", "2"));
    assert_eq!(code, Some(Code::InvalidLineRange));
    assert_eq!(
        text,
        "error: a.txt: lines 2-3: not read yet; now\n2\ttwo\n3\tthree\n\
         repeat it in this session to change these, or give `old` too"
    );
    assert_eq!(kit.at.read("a.txt"), TEXT);
    assert_eq!(kit.ok("edit", lines("a.txt", "2-3", "2")), "lines 2-3 replaced by 1 line");
    // Lines that a search showed, or that the session wrote, were seen.
    kit.ok("search", json!({"query": "five"}));
    assert_eq!(kit.ok("edit", lines("a.txt", "4", "5")), "line 4 changed");
    kit.ok("edit", json!({"path": "n.txt", "new": "a\nb\n"}));
    assert_eq!(kit.ok("edit", lines("n.txt", "2", "B\nC")), "line 2 replaced by 2 lines");
    assert_eq!(kit.at.read("n.txt"), "a\nB\nC\n");
    // Several places of one call are shown together.
    let (text, _) = kit.call(
        "edit",
        json!({"path": "a.txt", "changes": [{"lines": "1", "new": "x"}, {"lines": "3", "new": "y"}]}),
    );
    assert!(
        text.contains(
            "lines 1, 3: these or lines above changed since you read them; now\n1\tone\n3\tfour\n"
        ),
        "{text}"
    );
    // Too much to be shown is to be read.
    kit.at.write("long.txt", &"a line that is long enough to be too much\n".repeat(200));
    let (text, _) = kit.call("edit", lines("long.txt", "1-150", ""));
    assert!(text.ends_with("\nnext: read {\"path\":\"long.txt:1-150\"}"), "{text}");
}

#[test]
fn a_change_below_leaves_the_numbers_above() {
    let kit = Kit::new(&[("a.txt", TEXT)]);
    kit.ok("read", json!({"path": "a.txt"}));
    kit.at.write("a.txt", "one\ntwo\nthree\n3.5\nfour\nfive\n");
    assert_eq!(kit.ok("edit", lines("a.txt", "2", "2")), "line 2 changed");
    let (text, code) = kit.call("edit", lines("a.txt", "4", "x"));
    assert_eq!(code, Some(Code::FileChanged), "{text}");
    assert!(
        text.contains("line 4: these or lines above changed since you read them; now\n4\t3.5\n"),
        "{text}"
    );
    // An equal line at the same number is no proof if something came above it.
    kit.at.write("b.txt", "a\n}\n}\n}\n");
    kit.ok("read", json!({"path": "b.txt"}));
    kit.at.write("b.txt", "0\na\n}\n}\n}\n");
    let (_, code) = kit.call("edit", lines("b.txt", "3", "x"));
    assert_eq!(code, Some(Code::FileChanged));
}

#[test]
fn numbers_go_with_a_file_that_moves() {
    let kit = Kit::new(&[("a.txt", TEXT), ("d/b.txt", TEXT)]);
    kit.ok("read", json!({"paths": ["a.txt", "d/b.txt"]}));
    kit.ok("edit", json!({"path": "a.txt", "move_to": "c.txt"}));
    kit.ok("edit", json!({"path": "d", "move_to": "e"}));
    kit.at.write("c.txt", "zero\none\ntwo\nthree\n");
    let (text, code) = kit.call("edit", lines("c.txt", "2", "x"));
    assert_eq!(code, Some(Code::FileChanged), "{text}");
    kit.ok("edit", lines("e/b.txt", "2", "2"));
    let patch = "*** Begin Patch\n*** Update File: e/b.txt\n*** Move to: f.txt\n@@\n-five\n+5\n*** End Patch";
    kit.ok("edit", json!({"patch": patch}));
    kit.ok("edit", lines("f.txt", "3", "3"));
    assert_eq!(kit.at.read("f.txt"), "one\n2\n3\nfour\n5\n");
    // A new file at the old place is another one.
    kit.at.write("a.txt", TEXT);
    let (text, code) = kit.call("edit", lines("a.txt", "2", "x"));
    assert!(code == Some(Code::InvalidLineRange) && text.contains("not read yet"), "{text}");
}

#[test]
fn line_numbers_pasted_from_read_are_taken_out_of_old() {
    let kit = Kit::new(&[("a.txt", TEXT), ("t.txt", "2\ttwo\nx\n")]);
    let edit = |path: &str, old: &str, new: &str| json!({"path": path, "old": old, "new": new});
    assert_eq!(
        kit.ok("edit", edit("a.txt", "2\ttwo\n3\tthree\n", "2\n")),
        "lines 2-3 replaced by 1 line; without the line numbers in `old`"
    );
    assert_eq!(kit.at.read("a.txt"), "one\n2\nfour\nfive\n");
    kit.ok("edit", edit("a.txt", "3\tfour\n4\tfive", "3\t4\n4\t5\n5\t6"));
    assert_eq!(kit.at.read("a.txt"), "one\n2\n4\n5\n6\n");
    // Other numbers, and what is in the file like this, are taken as they are.
    let (_, code) = kit.call("edit", edit("a.txt", "1\t2\n2\t4", "x"));
    assert_eq!(code, Some(Code::StringNotFound));
    kit.ok("edit", edit("t.txt", "2\ttwo", "3\tthree"));
    assert_eq!(kit.at.read("t.txt"), "3\tthree\nx\n");
}

#[test]
fn a_path_beside_changes_is_that_of_those_that_name_none() {
    let kit = Kit::new(&[("a.txt", TEXT), ("b.txt", "b\n")]);
    let changes = json!([{"old": "one", "new": "1"}, {"path": "b.txt", "old": "b", "new": "B"}]);
    let told = kit.ok("edit", json!({"path": "a.txt", "changes": changes}));
    assert_eq!(told, "a.txt: line 1 changed\nb.txt: line 1 changed");
    let (text, code) = kit.call("edit", json!({"changes": [{"old": "two", "new": "2"}]}));
    assert!(code == Some(Code::InvalidInput) && text.contains("changes[0].path: empty"), "{text}");
    let other = json!([{"path": "b.txt", "old": "B", "new": "b"}]);
    let (_, code) = kit.call("edit", json!({"path": "a.txt", "changes": other}));
    assert_eq!(code, Some(Code::InvalidInput), "which one is meant is not known");
    let (_, code) = kit.call("edit", json!({"path": "a.txt", "new": "x", "changes": other}));
    assert_eq!(code, Some(Code::InvalidInput));
    assert_eq!((kit.at.read("b.txt").as_str(), &kit.at.read("a.txt")[..4]), ("B\n", "1\ntw"));
}

#[test]
fn places_are_counted_and_one_line_is_one() {
    let kit = Kit::new(&[("a.txt", "a\nb\na\na\n"), ("empty.txt", "")]);
    let all = json!({"path": "a.txt", "old": "a\n", "new": "x\ny\n", "all": true});
    assert_eq!(kit.ok("edit", all), "3 places changed in lines 1-4, now 1-7");
    let (text, _) =
        kit.call("edit", json!({"path": "a.txt", "lines": "3", "old": "q", "new": "x"}));
    assert!(text.contains("`old` is not in line 3; it is now:\nb\n"), "{text}");
    let (text, _) = kit.call("edit", json!({"path": "a.txt", "lines": "3x", "new": "x"}));
    assert!(text.contains("lines: not a range of lines such as `10-20`, `10-` or `10`"), "{text}");
    let (text, _) = kit.call("edit", lines("empty.txt", "1", "x"));
    assert_eq!(text, "error: empty.txt: line 1 is past the end, it is empty; give `new` alone");
}

#[test]
fn the_nearest_of_a_numbered_text_is_told_without_its_numbers() {
    let text = "alpha beta gamma delta\nshort\nalpha beta gamma epsilon\n";
    let kit = Kit::new(&[("a.txt", text)]);
    let old = "1\talpha beta gamma dleta\n2\tshort";
    let (text, code) = kit.call("edit", json!({"path": "a.txt", "old": old, "new": "x"}));
    assert_eq!(code, Some(Code::StringNotFound));
    let told = "a.txt: the text to find is not there; the nearest is at line 1, - is what was asked for, \
        + what the file has:\n-alpha beta gamma dleta\n+alpha beta gamma delta\n short\n";
    assert!(text.contains(told), "{text}");
}
