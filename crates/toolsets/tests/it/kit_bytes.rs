//! What `edit` of kit keeps of a file beside its text, and what it says of what it cannot keep.

use std::fs;

use toolkit::serde_json::{Value, json};

use crate::kit_run::Kit;

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({"path": path, "old": old, "new": new})
}

fn whole(path: &str, new: &str) -> Value {
    json!({"path": path, "new": new})
}

fn windows_1251(text: &str) -> Vec<u8> {
    let byte = |c: char| match u32::from(c) {
        c @ 0x410..0x450 => (c - 0x410 + 0xc0) as u8,
        c => c as u8,
    };
    text.chars().map(byte).collect()
}

#[test]
fn line_endings_that_change_are_told() {
    let kit = Kit::new(&[("lf", "a\nb\n"), ("mixed", "a\r\nb\n"), ("crlf", "a\r\nb\r\n")]);
    assert_eq!(
        kit.ok("edit", whole("lf", "a\r\nb\r\n")),
        "lines 1-2 changed; line endings were LF, now CRLF"
    );
    assert_eq!(
        kit.ok("edit", whole("mixed", "a\nb\n")),
        "line 1 changed; line endings were mixed, now LF"
    );
    assert_eq!(kit.ok("edit", whole("crlf", "a\nc\n")), "line 2 changed");
    assert_eq!(kit.at.read("crlf"), "a\r\nc\r\n");
    assert_eq!(kit.ok("edit", whole("crlf", "a\r\nc")), "line break at the end removed");
}

#[test]
fn lines_that_end_with_cr_alone_are_told_and_kept() {
    let kit = Kit::new(&[("mac", "one\rtwo\rthree\r")]);
    let read = kit.ok("read", json!({"path": "mac"}));
    assert!(read.ends_with("(its lines end with CR alone, so they are one line here; edit by old, with \\n between them)\n"), "{read}");
    kit.ok("edit", edit("mac", "one\ntwo", "1\n1.5\n2"));
    assert_eq!(kit.at.read("mac"), "1\r1.5\r2\rthree\r");
    // A lone CR in a text with other line ends is a character.
    kit.at.write("odd", "a\rb\nc\n");
    kit.ok("edit", edit("odd", "a\rb", "a\rB"));
    assert_eq!(kit.at.read("odd"), "a\rB\nc\n");
}

#[test]
fn an_encoding_that_cannot_be_kept_is_told() {
    let kit = Kit::new(&[]);
    fs::write(kit.at.path("old.txt"), b"Gr\xfc\xdfe aus K\xf6ln\n").unwrap();
    assert_eq!(
        kit.ok("edit", whole("old.txt", "Grüße 🦀\n")),
        "line 1 changed; encoding was windows-1252, now UTF-8"
    );
    fs::write(kit.at.path("image"), b"\x89PNG\0\x01").unwrap();
    assert_eq!(kit.ok("edit", whole("image", "text\n")), "replaced; it was no text");
}

#[test]
fn an_encoding_that_was_guessed_stays_what_it_was_after_an_edit() {
    let kit = Kit::new(&[]);
    let path = kit.at.path("a.txt");
    let before = windows_1251("Это русский текст, по которому узнают кодировку.\nок\n");
    fs::write(&path, &before).unwrap();
    kit.ok("read", json!({"path": "a.txt"}));
    // What is left looks like another encoding.
    let long = "Это русский текст, по которому узнают кодировку.\n";
    let told = kit.ok("edit", edit("a.txt", long, ""));
    let left = &before[before.len() - 3..];
    assert_eq!(fs::read(&path).unwrap(), left);
    let guess = files::text::decode("", left).unwrap();
    assert_ne!(guess.as_str(), "ок\n", "else this tests nothing");
    assert!(told.contains("; still windows-1251, though it looks like "), "{told}");
    assert_eq!(kit.ok("read", json!({"path": "a.txt", "again": true})), "1\tок\n");
    kit.ok("edit", edit("a.txt", "ок", "да"));
    assert_eq!(fs::read(&path).unwrap(), windows_1251("да\n"));
    assert_eq!(kit.ok("read", json!({"path": "a.txt", "again": true})), "1\tда\n");
}

#[test]
fn the_other_names_of_a_file_are_told() {
    let kit = Kit::new(&[("a.txt", "a\n")]);
    fs::hard_link(kit.at.path("a.txt"), kit.at.path("b.txt")).unwrap();
    assert_eq!(
        kit.ok("edit", edit("a.txt", "a", "b")),
        "line 1 changed; it had 2 names (hard links); the others keep the old text"
    );
    assert_eq!((kit.at.read("a.txt").as_str(), kit.at.read("b.txt").as_str()), ("b\n", "a\n"));
    assert_eq!(kit.ok("edit", edit("a.txt", "b", "c")), "line 1 changed");
    fs::hard_link(kit.at.path("a.txt"), kit.at.path("c.txt")).unwrap();
    let patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-c\n+d\n";
    let told = kit.ok("edit", json!({"patch": patch}));
    assert!(told.starts_with("a.txt: line 1 changed; it had 2 names"), "{told}");
}

#[test]
fn lines_are_taken_away_and_no_byte_beside_them() {
    let kit = Kit::new(&[("open", "one\ntwo"), ("closed", "one\ntwo\n"), ("mixed", "one\r\ntwo")]);
    for (path, left) in [("open", "one\n"), ("closed", "one\n"), ("mixed", "one\r\n")] {
        kit.ok("read", json!({"path": path}));
        kit.ok("edit", json!({"path": path, "lines": "2", "new": ""}));
        assert_eq!(kit.at.read(path), left, "{path}");
    }
}

#[test]
fn a_text_in_lines_that_end_with_cr_alone_is_looked_for_in_the_one_line_that_they_are() {
    let kit = Kit::new(&[("mac", "one\rtwo\rthree\r")]);
    let (text, _) =
        kit.call("edit", json!({"path": "mac", "lines": "2", "old": "two", "new": "2"}));
    assert!(text.starts_with("error: mac: line 2 is past the end, it has 1 line;"), "{text}");
    kit.ok("edit", json!({"path": "mac", "lines": "1", "old": "two", "new": "2"}));
    assert_eq!(kit.at.read("mac"), "one\r2\rthree\r");
}

#[test]
fn a_short_text_with_a_bad_byte_is_utf_8_and_keeps_it() {
    let kit = Kit::new(&[]);
    let path = kit.at.path("a.txt");
    fs::write(&path, "café naïve\nbad ".bytes().chain(*b"\xe9 byte\n").collect::<Vec<u8>>())
        .unwrap();
    let read = kit.ok("read", json!({"path": "a.txt"}));
    assert_eq!(read, "1\tcafé naïve\n2\tbad \u{fffd} byte\n");
    kit.ok("edit", edit("a.txt", "bad", "bäd"));
    let now = fs::read(&path).unwrap();
    assert_eq!(now, "café naïve\nbäd ".bytes().chain(*b"\xe9 byte\n").collect::<Vec<u8>>());
    // What is no UTF-8 at all is read as before.
    fs::write(&path, b"Gr\xfc\xdfe aus K\xf6ln\n").unwrap();
    assert_eq!(kit.ok("read", json!({"path": "a.txt", "again": true})), "1\tGrüße aus Köln\n");
}
