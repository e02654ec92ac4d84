//! Edits through the protocol: every byte outside of the span is the byte that was there.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::process::Command;

use serde_json::json;

use crate::place::{Place, is_root, skipped, system};

fn utf16(text: &str, big: bool) -> Vec<u8> {
    let order = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(order).collect()
}

/// Name, bytes before, text to find, text in its place, bytes after.
type Case = (&'static str, Vec<u8>, &'static str, &'static str, Vec<u8>);

#[test]
fn line_endings_marks_and_encodings_stay() {
    let cases: Vec<Case> = vec![
        ("unix", b"one\ntwo\nthree\n".into(), "two", "2", b"one\n2\nthree\n".into()),
        (
            "crlf",
            b"one\r\ntwo\r\nthree\r\n".into(),
            "one\ntwo",
            "1\n2\n2b",
            b"1\r\n2\r\n2b\r\nthree\r\n".into(),
        ),
        ("mixed", b"a\r\nb\nc\rd\r\ntwo\ne\n".into(), "two", "2", b"a\r\nb\nc\rd\r\n2\ne\n".into()),
        ("no final newline", b"one\ntwo".into(), "two", "2", b"one\n2".into()),
        ("blank end", b"one\ntwo\n\n\n".into(), "one", "1", b"1\ntwo\n\n\n".into()),
        ("trailing spaces", b"one  \n\ttwo \n".into(), "two", "2", b"one  \n\t2 \n".into()),
        (
            "bom",
            b"\xef\xbb\xbfone\r\ntwo\r\n".into(),
            "one",
            "1",
            b"\xef\xbb\xbf1\r\ntwo\r\n".into(),
        ),
        (
            "utf-16 little",
            utf16("one\r\ntwo gr\u{fc}n\r\n", false),
            "two",
            "\u{20ac}",
            utf16("one\r\n\u{20ac} gr\u{fc}n\r\n", false),
        ),
        (
            "utf-16 big",
            utf16("one\ntwo \u{1f980}\n", true),
            "two",
            "2",
            utf16("one\n2 \u{1f980}\n", true),
        ),
        (
            "latin-1",
            b"caf\xe9\r\nna\xefve two\n".into(),
            "two",
            "\u{e9}",
            b"caf\xe9\r\nna\xefve \xe9\n".into(),
        ),
        ("nfd", "e\u{301} two\n".into(), "two", "2", "e\u{301} 2\n".into()),
        ("dollars", b"cost two\n".into(), "two", "$&$1\\n$$", b"cost $&$1\\n$$\n".into()),
        ("one line", b"two".into(), "two", "", b"".into()),
    ];
    for (name, before, find, with, after) in cases {
        let place = Place::new();
        place.write("f", &before);
        let mut fiz = place.serve("fiz", "trust");
        let edit = json!({"path": "f", "edits": [{"oldText": find, "newText": with}]});
        fiz.call("edit", &edit).ok();
        assert_eq!(place.bytes("f"), after, "{name}");
        place.ok(&["undo"]);
        assert_eq!(place.bytes("f"), before, "{name}: undo");
        place.ok(&["redo"]);
        assert_eq!(place.bytes("f"), after, "{name}: redo");
        place.ok(&["undo"]);
        fiz.call("patch", &json!({"path": "f", "search": find, "content": with})).ok();
        assert_eq!(place.bytes("f"), after, "{name}: patch");
    }
}

#[test]
fn what_is_not_exactly_there_once_is_refused_and_nothing_changes() {
    let place = Place::new();
    let before = "x = 1\r\n  y = 2;\r\nx = 1\r\ncafe\u{301}\r\n";
    place.write("f", before);
    let mut fiz = place.serve("fiz", "trust");
    for (find, code) in [
        ("x = 1", "MultipleMatches"),
        ("", "InvalidInput"),
        ("X = 1", "StringNotFound"),
        ("  y  = 2;", "StringNotFound"),
        ("\ty = 2;", "StringNotFound"),
        ("caf\u{e9}", "StringNotFound"),
        ("y = 2;\n\n", "StringNotFound"),
    ] {
        let edit = json!({"path": "f", "edits": [{"oldText": "y = 2", "newText": "y = 3"}, {"oldText": find, "newText": "z"}]});
        fiz.call("edit", &edit).fails(code);
        fiz.call("patch", &json!({"path": "f", "search": find, "content": "z"})).fails(code);
        assert_eq!(place.read("f"), before, "{find:?}");
    }
    let overlap = json!({"path": "f", "edits": [{"oldText": "y = 2", "newText": "a"}, {"oldText": "2;", "newText": "b"}]});
    fiz.call("edit", &overlap).fails("OverlappingEdits");
    let same = json!({"path": "f", "edits": [{"oldText": "y = 2", "newText": "y = 2"}]});
    let answer = fiz.call("edit", &same);
    assert!(answer.failed(), "nothing done is no success: {answer:?}");
    assert_eq!(place.read("f"), before);
    assert!(place.log().is_empty());
}

#[test]
fn mode_owner_attributes_and_links_stay() {
    for mode in [0o755, 0o600, 0o640, 0o666] {
        let place = Place::with(&[("f", "one\n"), ("deep/real", "one\n")]);
        let set = |name: &str, mode| {
            std::fs::set_permissions(place.path(name), std::fs::Permissions::from_mode(mode))
                .unwrap();
        };
        set("f", mode);
        symlink("deep/real", place.path("link")).unwrap();
        symlink("link", place.path("chain")).unwrap();
        symlink(place.path("deep"), place.path("absolute")).unwrap();
        if is_root() {
            system(&["chown", "1234:4321", place.path("f").to_str().unwrap()]);
            set("f", mode);
        }
        let (mut fiz, mut local) = (place.serve("fiz", "trust"), place.serve("local", "trust"));
        let stat = |name: &str| {
            let meta = std::fs::metadata(place.path(name)).unwrap();
            (meta.mode() & 0o7777, meta.uid(), meta.gid())
        };
        let before = stat("f");
        for (n, (old, new)) in [("one", "two"), ("two", "three")].into_iter().enumerate() {
            let edit = json!({"path": "f", "edits": [{"oldText": old, "newText": new}]});
            fiz.call("edit", &edit).ok();
            assert_eq!(stat("f"), before, "edit {n}");
        }
        local.call("write_file", &json!({"path": "f", "content": "four\n"})).ok();
        assert_eq!(stat("f"), before, "write");
        place.ok(&["undo"]);
        assert_eq!((place.read("f"), stat("f")), ("three\n".to_owned(), before), "undo");
        for (link, text) in [("link", "1"), ("chain", "2"), ("absolute/real", "3")] {
            local.call("write_file", &json!({"path": link, "content": text})).ok();
            assert_eq!(place.read("deep/real"), text);
        }
        assert_eq!(place.path("link").read_link().unwrap().to_str(), Some("deep/real"));
        assert_eq!(place.path("chain").read_link().unwrap().to_str(), Some("link"));
    }
}

#[test]
fn many_attributes_stay_too() {
    let place = Place::with(&[("f", "one\n")]);
    let python = |script: &str| {
        let ran = Command::new("python3").args(["-c", script]).arg(place.path("f")).output();
        ran.ok().filter(|o| o.status.success()).map(|o| String::from_utf8(o.stdout).unwrap())
    };
    let set = "import os, sys\nfor n in range(20):\n    \
        os.setxattr(sys.argv[1], f'user.{n}.' + 'x' * 220, b'v')\n";
    let list = "import os, sys; print(sorted(os.listxattr(sys.argv[1])))";
    // A disk has room for a few only, a file system in memory for all.
    let _ = python(set);
    let before = python(list);
    let Some(before) = before.filter(|b| b.contains("user.1.")) else {
        skipped("no extended attributes, or nothing to set them with");
        return;
    };
    let mut fiz = place.serve("fiz", "trust");
    fiz.call("write", &json!({"path": "f", "content": "two\n"})).ok();
    assert_eq!(python(list), Some(before));
}

#[test]
fn the_other_name_of_a_hard_link_is_whole() {
    let place = Place::with(&[("a", "one\n")]);
    std::fs::hard_link(place.path("a"), place.path("b")).unwrap();
    let mut fiz = place.serve("fiz", "trust");
    fiz.call("edit", &json!({"path": "a", "old_string": "one", "new_string": "two"})).ok();
    assert_eq!(place.read("a"), "two\n");
    assert!(["one\n", "two\n"].contains(&&*place.read("b")));
}

#[test]
fn line_numbers_are_those_of_the_file_as_it_was_read() {
    let place = Place::with(&[("f", "one\ntwo\n")]);
    let mut floyd = place.serve("floyd", "trust");
    let path = json!({"filePath": "f"});
    floyd.call("read_file", &path).ok();
    std::fs::write(place.path("f"), "theirs\none\ntwo\n").unwrap();
    floyd.call("get_file_info", &path).ok();
    let range = json!({"filePath": "f", "startLine": 0, "endLine": 0, "content": "1"});
    floyd.call("edit_range", &range).fails("FileChanged");
    let one = json!({"filePath": "f", "startLine": 0, "endLine": 0});
    floyd.call("delete_range", &one).fails("FileChanged");
    let insert = json!({"filePath": "f", "lineNumber": 1, "content": "1"});
    floyd.call("insert_at", &insert).fails("FileChanged");
    assert_eq!(place.read("f"), "theirs\none\ntwo\n");
    assert!(!place.path("f.backup").exists());
    floyd.call("read_file", &path).ok();
    floyd.call("edit_range", &range).ok();
    floyd.call("insert_at", &insert).ok();
    assert_eq!(place.read("f"), "1\n1\none\ntwo\n");
}

/// What a whole-file write could not keep is told in every dialect.
#[test]
fn what_a_whole_file_write_does_not_keep_is_told() {
    let tools = [
        ("fiz", "write", "path"),
        ("floyd", "write_file", "filePath"),
        ("floyd-0.1.0", "write", "filePath"),
        ("stack", "write", "path"),
        ("local", "write_file", "path"),
    ];
    let cases: [(&[u8], &str); 4] = [
        (b"a\r\nb\n", "the line endings were mixed; they are LF now"),
        (
            b"caf\xc3\xa9 na\xc3\xafve d\xc3\xa9j\xc3\xa0 \xff\n",
            "UTF-8 with invalid bytes, which were not kept",
        ),
        (b"\xff\xfe\0\0a\0\0\0", "the file was UTF-32; it is UTF-8 now"),
        (b"\x7fELF\0\x01\0", "the file was binary; it is UTF-8 now"),
    ];
    let place = Place::new();
    for (toolset, tool, parameter) in tools {
        for (old, told) in cases {
            let mut server = place.serve(toolset, "trust");
            place.write("f", old);
            let said =
                server.call(tool, &json!({parameter: "f", "content": "new\n"})).ok().to_owned();
            assert!(said.contains(told), "{toolset}: {said}");
        }
        let mut server = place.serve(toolset, "trust");
        let _ = std::fs::remove_file(place.path("other"));
        std::fs::hard_link(place.path("f"), place.path("other")).unwrap();
        let said =
            server.call(tool, &json!({parameter: "f", "content": "newer\n"})).ok().to_owned();
        assert!(said.contains("it had 2 names (hard links)"), "{toolset}: {said}");
    }
}
