mod properties;
mod range;

use std::time::{Duration, Instant};

use expect_test::{Expect, expect};
use fault::Code;

use super::*;

fn edit<'a>(find: &'a str, with: &'a str, take: Take) -> Replacement<'a> {
    Replacement { find, with, take, lines: None }
}

fn only<'a>(find: &'a str, with: &'a str) -> Replacement<'a> {
    edit(find, with, Take::Only)
}

fn outcome(result: Result<Edited>) -> String {
    match result {
        Ok(edited) => edited.bytes.escape_ascii().to_string(),
        Err(error) => format!("{}: {} {:?}", error.code, error.message, error.details),
    }
}

fn check(before: &[u8], edits: &[Replacement<'_>], expect: Expect) {
    expect.assert_eq(&outcome(replace("f", before, edits)));
}

#[test]
fn a_replacement_is_literal() {
    check(b"let a = 1;\n", &[only("a = 1", "$& $1 \\n b")], expect![[r"let $& $1 \\n b;\n"]]);
}

#[test]
fn nothing_is_trimmed_folded_or_normalised() {
    let miss = |text: &[u8], find| replace("f", text, &[only(find, "x")]).unwrap_err().code;
    assert_eq!(miss(b"Foo\n", "foo"), Code::StringNotFound);
    assert_eq!(miss(b"a b\n", "a  b"), Code::StringNotFound);
    assert_eq!(miss(b"a b\n", "a b "), Code::StringNotFound);
    assert_eq!(miss("\u{e9}".as_bytes(), "e\u{301}"), Code::StringNotFound);
}

#[test]
fn line_breaks_match_either_ending_and_take_that_of_the_place() {
    check(b"a\r\nb\r\nc", &[only("a\nb", "x\ny\nz")], expect![[r"x\r\ny\r\nz\r\nc"]]);
    check(b"a\nb\nc", &[only("a\r\nb", "x\r\ny")], expect![[r"x\ny\nc"]]);
    check(b"one", &[only("one", "x\r\ny")], expect![[r"x\r\ny"]]);
    check(b"a\r\nlast", &[only("last", "x\ny")], expect![[r"a\r\nx\r\ny"]]);
}

#[test]
fn mixed_endings_stay_mixed() {
    check(b"a\r\nb\nc\r\nd\n", &[only("a\nb\nc", "A\nB\nC")], expect![[r"A\r\nB\nC\r\nd\n"]]);
    // Only the middle line is new text; its neighbours keep their bytes.
    check(
        b"a\r\nb\nc\r\nd\n",
        &[only("a\nb\nc\n", "a\nb\nnew\nc\n")],
        expect![[r"a\r\nb\nnew\r\nc\r\nd\n"]],
    );
    check(b"a\r\r\nb", &[only("\r\nb", "\nc")], expect![[r"a\r\r\nc"]]);
}

#[test]
fn a_mark_and_a_missing_last_line_break_stay() {
    check(b"\xef\xbb\xbfa\nb", &[only("a", "c")], expect![[r"\xef\xbb\xbfc\nb"]]);
    check(
        b"\xff\xfea\0\r\0\n\0b\0",
        &[only("b", "\u{20ac}\nc")],
        expect![[r"\xff\xfea\x00\r\x00\n\x00\xac \r\x00\n\x00c\x00"]],
    );
}

#[test]
fn other_encodings_keep_their_bytes() {
    check(b"caf\xe9 cr\xe8me\n", &[only("crème", "brûlée")], expect![[r"caf\xe9 br\xfbl\xe9e\n"]]);
    check(
        "€€€ \u{e9}".as_bytes(),
        &[only("é", "è")],
        expect![[r"\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac \xc3\xa8"]],
    );
    let damaged = b"\xff\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac \xc3\xa9";
    check(
        damaged,
        &[only("€ é", "è")],
        expect![[r"\xff\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xc3\xa8"]],
    );
    check(
        b"caf\xe9 cr\xe8me\n",
        &[only("crème", "日")],
        expect![
            "InvalidEncoding: f: the file is windows-1252, which cannot hold 日 (U+65E5); write it another way, or have the file converted to UTF-8 first [(\"path\", \"f\"), (\"character\", \"日\"), (\"encoding\", \"windows-1252\")]"
        ],
    );
    assert_eq!(replace("f", b"a\0b", &[only("a", "b")]).unwrap_err().code, Code::BinaryFile);
}

#[test]
fn edits_are_matched_against_the_original() {
    check(b"a b", &[only("a", "b"), only("b", "a")], expect!["b a"]);
    check(
        b"x\nabc",
        &[only("c", "1"), only("ab", "2"), only("bc", "3")],
        expect![[
            r#"OverlappingEdits: f: edits 2 and 3 touch the same text at line 2; make them one edit [("path", "f"), ("line", "2"), ("edit", "1"), ("other", "2")]"#
        ]],
    );
    check(
        b"abab",
        &[only("aba", "x"), edit("b", "y", Take::All)],
        expect![[
            r#"OverlappingEdits: f: edits 1 and 2 touch the same text at line 1; make them one edit [("path", "f"), ("line", "1"), ("edit", "0"), ("other", "1")]"#
        ]],
    );
}

#[test]
fn an_ambiguous_text_is_refused_with_its_lines() {
    check(
        b"a\nb\na\n",
        &[only("a", "c")],
        expect![[
            r#"MultipleMatches: f: the text to find occurs 2 times, at lines 1, 3; add lines around it until it is unique [("path", "f"), ("count", "2"), ("lines", "1,3")]"#
        ]],
    );
    let overlapping = replace("f", b"aaa", &[only("aa", "b")]).unwrap_err();
    assert_eq!((overlapping.code, overlapping.detail("count")), (Code::MultipleMatches, Some("2")));
    let many = replace("f", "a\n".repeat(50).as_bytes(), &[only("a", "b")]).unwrap_err();
    assert_eq!(many.detail("count"), Some("50"));
    assert_eq!(many.detail("lines"), Some("1,2,3,4,5,6,7,8,9,10"));
}

#[test]
fn the_first_is_taken_and_the_others_counted() {
    let edited = replace("f", b"a\na\na\n", &[edit("a", "b", Take::First)]).unwrap();
    assert_eq!((edited.replaced, edited.edits[0].more), (1, 2));
    let edited = replace("f", b"aaaa\na", &[edit("aa", "x\ny", Take::All)]).unwrap();
    assert_eq!(edited.bytes, b"x\nyx\ny\na");
    assert_eq!(edited.replaced, 2);
    let span = |before, after, line, line_after| Span { before, after, line, line_after };
    assert_eq!(edited.edits[0].spans, [span(0..2, 0..3, 1, 1), span(2..4, 3..6, 1, 2)]);
}

#[test]
fn an_edit_that_cannot_change_anything_is_an_error() {
    let refused = |edits: &[_]| replace("f", b"a\r\nb", edits).unwrap_err();
    assert_eq!(refused(&[]).code, Code::InvalidInput);
    assert_eq!(refused(&[only("", "x")]).code, Code::InvalidInput);
    assert_eq!(refused(&[only("a\nb", "a\r\nb")]).code, Code::InvalidInput);
    let second = refused(&[only("a", "c"), only("b", "b")]);
    assert_eq!((second.code, second.detail("edit")), (Code::InvalidInput, Some("1")));
    assert_eq!(refused(&[only("a", "\0")]).code, Code::InvalidInput);
}

#[test]
fn a_miss_shows_the_nearest_text() {
    check(
        b"fn main() {\n    let total = add(1, 2);\n    print(total);\n}\n",
        &[only("    let total = add(1, 3);\n    print(total);", "x")],
        expect![[r#"
            StringNotFound: f: the text to find is not there; the nearest is at line 2, - is what was asked for, + what the file has:
            -    let total = add(1, 3);
            +    let total = add(1, 2);
                 print(total);
            copy the text exactly as the file has it [("path", "f"), ("line", "2")]"#]],
    );
    check(
        b"if x {\n\treturn 1\n}\n",
        &[only("if x {\n    return 1\n}", "x")],
        expect![[r#"
            StringNotFound: f: the text to find is not there; the nearest is at line 1, - is what was asked for, + what the file has:
             if x {
            -····return·1
            +→return·1
             }
            only white space differs (· is a space, → a tab) [("path", "f"), ("line", "1"), ("exact", "if x {\n\treturn 1\n}")]"#]],
    );
    check(
        b"alpha\nend",
        &[only("a", "b"), only("end\n", "x")],
        expect![[
            r#"MultipleMatches: f: the text to find (edit 1) occurs 2 times, at lines 1, 1; add lines around it until it is unique [("path", "f"), ("count", "2"), ("lines", "1,1"), ("edit", "0")]"#
        ]],
    );
    check(
        b"alpha\nend",
        &[only("ph", "b"), only("end\n", "x")],
        expect![[r#"
            StringNotFound: f: the text to find (edit 2) is not there; the nearest is at line 2, - is what was asked for, + what the file has:
            the lines are the same; they differ at a line break at the start or the end [("path", "f"), ("line", "2"), ("edit", "1")]"#]],
    );
    check(
        b"alpha\n",
        &[only("zzzzzz", "b")],
        expect![[
            r#"StringNotFound: f: the text to find is not there, and nothing similar is; read the file and copy the text exactly [("path", "f")]"#
        ]],
    );
}

#[test]
fn the_nearest_text_in_a_large_file_is_found_at_once() {
    let line = |i: usize| format!("    let value_{i} = compute({i}, other_{i});\n");
    let big: String = (0..20_000).map(line).collect();
    let long = big.replace('\n', " ");
    let started = Instant::now();
    for (text, expected) in [(&big, "12346"), (&long, "1")] {
        let find = "let valeu_12345 = compute(12345, other_12345);";
        let miss = replace("f", text.as_bytes(), &[only(find, "x")]).unwrap_err();
        assert_eq!(miss.detail("line"), Some(expected));
        assert!(miss.message.contains("value_12345") && miss.message.len() < 2000, "{miss}");
    }
    assert!(started.elapsed() < Duration::from_secs(5));
}

fn check_insert(before: &[u8], place: Place<'_>, content: &str, expect: Expect) {
    expect.assert_eq(&outcome(insert("f", before, place, content)));
}

#[test]
fn text_goes_exactly_to_the_ends() {
    check_insert(b"", Place::Start, "a", expect!["a"]);
    check_insert(b"", Place::End, "a", expect!["a"]);
    check_insert(b"a\n", Place::End, "b", expect![[r"a\nb"]]);
    check_insert(b"a", Place::End, "b\n", expect![[r"a\nb\n"]]);
    check_insert(b"a\r\nb", Place::End, "c\nd", expect![[r"a\r\nb\r\nc\r\nd"]]);
    check_insert(b"a", Place::End, "\nb", expect![[r"a\nb"]]);
    check_insert(b"\xef\xbb\xbfb\r\n", Place::Start, "a", expect![[r"\xef\xbb\xbfa\r\nb\r\n"]]);
    check_insert(b"b\n", Place::Start, "a\n", expect![[r"a\nb\n"]]);
    check_insert(b"a\nb\r\n", Place::Start, "x", expect![[r"x\na\nb\r\n"]]);
    check_insert(b"\xff\xfea\0", Place::End, "b", expect![[r"\xff\xfea\x00\n\x00b\x00"]]);
    check_insert(
        b"a",
        Place::End,
        "",
        expect![[
            r#"InvalidInput: f: the new text is empty, so nothing would change; give the text to insert [("path", "f")]"#
        ]],
    );
}

#[test]
fn text_goes_beside_the_first_place_of_another() {
    check_insert(b"a\nb\nb\n", Place::Before("b"), "x", expect![[r"a\nx\nb\nb\n"]]);
    check_insert(b"a\nb\nb\n", Place::After("b"), "x", expect![[r"a\nb\nx\nb\n"]]);
    check_insert(b"a\r\nb\r\n", Place::After("a\n"), "x", expect![[r"a\r\nx\r\nb\r\n"]]);
    check_insert(b"a\r\nb\r\n", Place::Before("\nb"), "x", expect![[r"a\r\nx\r\nb\r\n"]]);
    check_insert(b"a\nb\n", Place::After("a"), "\nx", expect![[r"a\nx\nb\n"]]);
    check_insert(b"a\n", Place::After("a\n"), "x", expect![[r"a\nx"]]);
    let edited = insert("f", b"b b b", Place::Before("b"), "x").unwrap();
    assert_eq!((edited.replaced, edited.edits[0].more), (1, 2));
    assert_eq!(insert("f", b"b", Place::After("c"), "x").unwrap_err().code, Code::StringNotFound);
    assert_eq!(insert("f", b"b", Place::After(""), "x").unwrap_err().code, Code::InvalidInput);
}

#[test]
fn a_diff_shows_what_would_be_hidden() {
    expect![[r"
        --- a
        +++ b
        @@ -1,2 +1,2 @@
         one
        -two
        +\u{202e}\x1b[2Jtwo
        \ No newline at end of file
    "]]
    .assert_eq(&diff(("a", b"one\ntwo\n"), ("b", "one\n\u{202e}\u{1b}[2Jtwo".as_bytes()), 1000));
    expect![[r"
        --- a
        +++ a
        @@ -1,2 +1,2 @@
        -x\r
        +x
         y
    "]]
    .assert_eq(&diff(("a", b"x\r\ny\n"), ("a", b"x\ny\n"), 1000));
    expect![[r"
        --- a
        +++ a
        @@ -1 +1 @@
        -x
        +y
    "]]
    .assert_eq(&diff(("a", b"x\r\n"), ("a", b"y\r\n"), 1000));
    expect![[r"
        --- a
        +++ a
        encoding: UTF-8, then UTF-16LE with a byte order mark
    "]]
    .assert_eq(&diff(("a", b"x\n"), ("a", b"\xff\xfex\0\n\0"), 1000));
    expect![[r"
        --- /dev/null
        +++ a
        binary: 0 bytes, then 2 bytes
    "]]
    .assert_eq(&diff(("/dev/null", b""), ("a", b"\0x"), 1000));
}

#[test]
fn a_diff_is_bounded_and_says_what_is_missing() {
    let old: String = (0..5000).map(|i| format!("{i}\n")).collect();
    let new = format!("{}\n", "x".repeat(10_000));
    let text = diff(("a", old.as_bytes()), ("a", new.as_bytes()), 1000);
    assert!(text.ends_with("… 4001 more lines of the diff are not shown\n"), "{text}");
    let text = diff(("a", b""), ("a", new.as_bytes()), 1000);
    assert!(text.len() < 700 && text.contains("… [10000 bytes]"), "{text}");
}

#[test]
fn so_many_places_are_refused_rather_than_held() {
    let big = "a\n".repeat(200_001);
    let refused = replace("f", big.as_bytes(), &[edit("a", "b", Take::All)]).unwrap_err();
    assert_eq!(refused.code, Code::InvalidInput);
    assert!(refused.message.contains("200001 times"), "{refused}");
    let first = replace("f", big.as_bytes(), &[edit("a", "b", Take::First)]).unwrap();
    assert_eq!(first.edits[0].more, 200_000);
}
