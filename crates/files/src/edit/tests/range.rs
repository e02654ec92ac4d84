//! Edits by line number, held against a model: a list of lines and whether the last one is ended.

use expect_test::{Expect, expect};
use fault::Result;
use proptest::prelude::*;

use crate::edit::{Ranged, delete_lines, insert_lines, replace_lines};

fn check(result: Result<Ranged>, expect: Expect) {
    expect.assert_eq(&match result {
        Ok(r) => format!("{} -{:?} +{:?}", r.bytes.escape_ascii(), r.old, r.new),
        Err(error) => format!("{}: {}", error.code, error.message),
    });
}

#[test]
fn lines_are_counted_from_zero_and_the_end_is_included() {
    check(
        replace_lines("f", b"a\nb\nc\nd\n", 1, 2, "x"),
        expect![[r#"a\nx\nd\n -["b", "c"] +["x"]"#]],
    );
    check(insert_lines("f", b"a\nb\n", 1, "x\ny"), expect![[r#"a\nx\ny\nb\n -[] +["x", "y"]"#]]);
    check(delete_lines("f", b"a\nb\nc\n", 0, 1), expect![[r#"c\n -["a", "b"] +[]"#]]);
}

#[test]
fn a_line_break_at_the_end_of_the_content_belongs_to_its_last_line() {
    check(replace_lines("f", b"a\nb\n", 0, 0, "x\n"), expect![[r#"x\nb\n -["a"] +["x"]"#]]);
    check(replace_lines("f", b"a\nb", 1, 1, "x\r\n"), expect![[r#"a\nx -["b"] +["x"]"#]]);
    check(replace_lines("f", b"a\nb\n", 0, 0, "x\n\n"), expect![[r#"x\n\nb\n -["a"] +["x", ""]"#]]);
    check(insert_lines("f", b"a\nb\n", 1, "x\n"), expect![[r#"a\nx\nb\n -[] +["x"]"#]]);
    check(insert_lines("f", b"a\nb\n", 2, "x\n"), expect![[r#"a\nb\nx\n -[] +["x"]"#]]);
    check(insert_lines("f", b"", 0, "x\r\n"), expect![[r#"x\r\n -[] +["x"]"#]]);
    check(insert_lines("f", b"a\n", 0, "\n"), expect![[r#"\na\n -[] +[""]"#]]);
    check(replace_lines("f", b"a\nb\n", 0, 0, ""), expect![[r#"\nb\n -["a"] +[""]"#]]);
}

#[test]
fn the_last_line_keeps_having_a_break_or_none() {
    check(replace_lines("f", b"a\nb", 1, 1, "x\ny"), expect![[r#"a\nx\ny -["b"] +["x", "y"]"#]]);
    check(insert_lines("f", b"a\nb", 2, "x"), expect![[r#"a\nb\nx -[] +["x"]"#]]);
    check(insert_lines("f", b"a\nb\n", 2, "x"), expect![[r#"a\nb\nx\n -[] +["x"]"#]]);
    check(insert_lines("f", b"", 0, "x"), expect![[r#"x\n -[] +["x"]"#]]);
    check(delete_lines("f", b"a\nb", 1, 1), expect![[r#"a -["b"] +[]"#]]);
    check(delete_lines("f", b"a\nb", 0, 1), expect![[r#" -["a", "b"] +[]"#]]);
}

#[test]
fn endings_marks_and_encodings_are_those_of_the_place() {
    check(
        replace_lines("f", b"a\r\nb\r\nc\n", 0, 0, "x\ny"),
        expect![[r#"x\r\ny\r\nb\r\nc\n -["a"] +["x", "y"]"#]],
    );
    check(insert_lines("f", b"a\r\nb", 2, "x"), expect![[r#"a\r\nb\r\nx -[] +["x"]"#]]);
    check(
        insert_lines("f", b"\xff\xfea\0\r\0\n\0", 0, "b"),
        expect![[r#"\xff\xfeb\x00\r\x00\n\x00a\x00\r\x00\n\x00 -[] +["b"]"#]],
    );
    check(
        replace_lines("f", b"caf\xe9\nx\n", 1, 1, "\u{e9}"),
        expect![[r#"caf\xe9\n\xe9\n -["x"] +["é"]"#]],
    );
}

#[test]
fn lines_that_are_not_there_are_refused_with_their_number() {
    check(
        replace_lines("f", b"a\nb\n", 1, 2, "x"),
        expect![[
            "InvalidLineRange: f: the lines 1 to 2 are not all in the file, it has 2 lines; use 0 to 1, counted from 0"
        ]],
    );
    check(
        delete_lines("f", b"a\nb\n", 1, 0),
        expect![[
            "InvalidLineRange: f: the lines 1 to 0 end before they start, it has 2 lines; use 0 to 1, counted from 0"
        ]],
    );
    check(
        delete_lines("f", b"", 0, 0),
        expect![[
            "InvalidLineRange: f: the lines 0 to 0 are not all in the file, it is empty; insert at line 0"
        ]],
    );
    check(
        insert_lines("f", b"a\n", 2, "x"),
        expect![[
            "InvalidLineNumber: f: no line 2, the file has 1 line; use 0 to 1, counted from 0"
        ]],
    );
    check(
        insert_lines("f", b"a\n", 0, "\0"),
        expect![[
            "InvalidInput: f: the new text contains a NUL character, which would make the file binary"
        ]],
    );
    check(
        insert_lines("f", b"\0\x01", 0, "x"),
        expect![[
            "BinaryFile: f: a binary file of 2 bytes; use a program such as `file` or `xxd` to look into it"
        ]],
    );
}

#[derive(Clone, Debug)]
struct Model {
    lines: Vec<String>,
    ending: &'static str,
    ended: bool,
}

impl Model {
    fn text(&self) -> String {
        let text = self.lines.join(self.ending);
        if self.ended && !self.lines.is_empty() { text + self.ending } else { text }
    }
}

fn models() -> impl Strategy<Value = Model> {
    let line = prop::sample::select(vec!["", "a", "let x", "日本", " \t}", "é", "\r"]);
    let ending = prop::sample::select(vec!["\n", "\r\n"]);
    (prop::collection::vec(line, 0..12), ending, any::<bool>()).prop_map(
        |(lines, ending, ended)| {
            // A last line that is empty and has no break is no line, and `\r` before a break is its.
            let fits = |l: &&str| !(ending == "\n" && *l == "\r");
            let lines: Vec<String> = lines.into_iter().filter(fits).map(str::to_owned).collect();
            let ended = ended || lines.len() == 1 || lines.last().is_some_and(String::is_empty);
            Model { lines, ending, ended }
        },
    )
}

proptest! {
    #[test]
    fn edits_by_line_do_what_the_model_does(
        model in models(),
        at in 0_usize..14,
        more in 0_usize..4,
        content in prop::collection::vec(prop::sample::select(vec!["", "n", "m é"]), 1..4),
        closed in any::<bool>(),
        what in 0..3,
    ) {
        let bytes = model.text().into_bytes();
        let count = model.lines.len();
        // An empty last line is one only if it is closed, or all there is.
        let closed = closed || content.len() > 1 && content.last().is_some_and(|l| l.is_empty());
        let (end, given) = (at + more, content.join("\n") + if closed { "\n" } else { "" });
        let content: Vec<String> = content.into_iter().map(str::to_owned).collect();
        let mut wanted = model.clone();
        let result = match what {
            0 => insert_lines("f", &bytes, at, &given),
            1 => delete_lines("f", &bytes, at, end),
            _ => replace_lines("f", &bytes, at, end, &given),
        };
        if at > count || (what > 0 && end >= count) {
            let error = result.unwrap_err();
            prop_assert_eq!(error.detail("lines").unwrap(), count.to_string());
            return Ok(());
        }
        let new = if what == 1 { Vec::new() } else { content };
        let old: Vec<String> = if what == 0 {
            wanted.ended |= count == 0;
            wanted.lines.splice(at..at, new.clone()).collect()
        } else {
            wanted.lines.splice(at..=end, new.clone()).collect()
        };
        // Without any break in the file there is none whose kind could be kept.
        if !model.text().contains('\n') {
            wanted.ending = "\n";
        }
        let result = result.unwrap();
        prop_assert_eq!((&result.old, &result.new), (&old, &new));
        prop_assert_eq!(String::from_utf8(result.bytes).unwrap(), wanted.text());
    }
}

/// Lines that end with `\r` alone, as on an old Mac, are lines for edits by number.
#[test]
fn lines_that_end_with_cr_are_counted() {
    let mac = b"one\rtwo\rthree\r";
    let bytes = |edited: fault::Result<Ranged>| String::from_utf8(edited.unwrap().bytes).unwrap();
    assert_eq!(bytes(insert_lines("f", mac, 1, "new\n")), "one\rnew\rtwo\rthree\r");
    assert_eq!(bytes(insert_lines("f", mac, 3, "new")), "one\rtwo\rthree\rnew\r");
    assert_eq!(bytes(replace_lines("f", mac, 1, 2, "a\nb")), "one\ra\rb\r");
    assert_eq!(bytes(delete_lines("f", mac, 0, 1)), "three\r");
    assert!(replace_lines("f", mac, 3, 3, "a").unwrap_err().message.contains("3 lines"));
    let shown = crate::text::part("one\rtwo\rthree\r", 1, Some(1), 10, 100);
    assert_eq!((shown.head.text.as_str(), shown.total), ("two", 3));
}
