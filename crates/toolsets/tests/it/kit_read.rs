//! kit `read`: what comes of a place, and what is not sent twice.

use std::fs;

use fault::Code;
use toolkit::serde_json::{self, Value, json};
use toolkit::testing::{Place, fits, run};
use toolkit::{Done, Policy, Session};

use crate::kit_run::Kit;
use crate::{open, place};

fn read(session: &std::sync::Arc<Session>, input: Value) -> String {
    let done = run(session, "read", input);
    assert!(done.error.is_none(), "{:?}", done.body);
    done.body.to_text()
}

fn lines(count: usize) -> String {
    (1..=count).map(|n| format!("line number {n} of this file\n")).collect()
}

/// What the last line says is to be changed in the call to go on.
fn next(text: &str) -> Option<Value> {
    let line = text.lines().last()?.strip_suffix("}]")?;
    serde_json::from_str(&(line.split_once("; next: ")?.1.to_owned() + "}")).ok()
}

#[test]
fn what_did_not_change_is_not_sent_again() {
    let place = place(&[("a.txt", &lines(80))], |_| {});
    let session = open(&place, "kit", Policy::Trust);
    let first = read(&session, json!({"path": "a.txt"}));
    assert!(first.starts_with("1\tline number 1 of"), "{first}");
    let again = read(&session, json!({"path": "a.txt"}));
    assert_eq!(again, "unchanged since you saw it (lines 1-80 of 80); again: true sends it\n");
    let part = read(&session, json!({"path": "./a.txt:10-40"}));
    assert_eq!(part, "unchanged since you saw it (lines 10-40 of 80); again: true sends it\n");
    assert_eq!(read(&session, json!({"path": "a.txt", "again": true})), first);
    place.write("a.txt", &(lines(79) + "another\n"));
    let changed = read(&session, json!({"path": "a.txt"}));
    assert!(changed.ends_with("80\tanother\n"), "{changed}");
    let other = open(&place, "kit", Policy::Trust);
    assert_eq!(read(&other, json!({"path": "a.txt"})), changed, "each session was sent its own");
}

#[test]
fn a_part_that_was_not_sent_is_sent() {
    let place = place(&[("a.txt", &lines(80))], |_| {});
    let session = open(&place, "kit", Policy::Trust);
    read(&session, json!({"path": "a.txt:1-30"}));
    assert!(read(&session, json!({"path": "a.txt:20-40"})).starts_with("20\t"));
    assert!(read(&session, json!({"path": "a.txt:1-40"})).starts_with("unchanged"), "joined");
    assert!(read(&session, json!({"path": "a.txt"})).starts_with("1\t"));
    // After an edit, only what is above it is known.
    run(&session, "edit", json!({"path": "a.txt", "lines": "50", "new": "x\ny"}));
    assert!(read(&session, json!({"path": "a.txt:1-49"})).starts_with("unchanged"));
    assert!(read(&session, json!({"path": "a.txt:40-60"})).contains("51\ty\n"));
}

#[test]
fn every_cut_says_how_to_go_on_until_all_was_read() {
    let text = lines(900);
    let files = [("a.txt", text.as_str()), ("b.txt", &text), ("c.txt", "end\n")];
    let place = place(&files, |settings| settings.limits.result_bytes = 4000);
    let session = open(&place, "kit", Policy::Trust);
    let mut input = json!({"paths": ["a.txt", "b.txt", "c.txt"]});
    let (mut seen, mut calls) = (Vec::new(), 0);
    loop {
        calls += 1;
        let text = read(&session, input.clone());
        assert!(text.len() < 4400, "{} bytes", text.len());
        let numbered = text.lines().filter_map(|line| Some(line.split_once('\t')?.1.to_owned()));
        seen.extend(numbered);
        match next(&text) {
            Some(next) => input = next,
            None => break,
        }
        assert!(calls < 200, "{input}");
    }
    let whole = text.clone() + &text + "end\n";
    assert_eq!(seen.join("\n") + "\n", whole, "each line once, in order, after {calls} calls");
}

#[test]
fn a_long_source_comes_as_an_outline_with_its_first_lines() {
    let body = "    print('a line of a function that does little')\n".repeat(40);
    let one =
        |n: usize| format!("class Class{n}:\n  def method{n}(self):\n{body}    return {n}\n\n");
    let source: String = (1..40).map(one).collect();
    let place = place(&[("long.py", &source)], |_| {});
    let session = open(&place, "kit", Policy::Trust);
    let text = read(&session, json!({"path": "long.py"}));
    assert!(text.starts_with("1716 lines, which define\n1-43 class Class1\n 2-43 def method1(self)\n45-87 class Class2\n"), "{text}");
    assert!(!text.contains("print("), "{text}");
    assert!(text.len() < 51_200 / 2, "{}", text.len());
    let next = next(&text).unwrap();
    let more = read(&session, next.clone());
    let first: usize = more.split('\t').next().unwrap().parse().unwrap();
    assert_eq!(next["path"], format!("long.py:{first}-"));
    let one = read(&session, json!({"path": "long.py#Class30.method30"}));
    assert!(fits(&one, "== long.py\n1278\t  def method30(self):\n[..]    return 30\n"), "{one}");
}

#[test]
fn a_name_is_looked_for_as_it_is_written() {
    let files = [
        ("src/stock.rs", "pub struct Stock;\n\nimpl Stock {\n    pub fn take(&self) {}\n}\n"),
        ("src/box.rs", "pub struct Box1;\n\nimpl Box1 {\n    pub fn take(&self) {}\n}\n"),
        ("notes.txt", "take\n"),
        ("odd:1-2", "a file whose name looks like a place\n"),
        ("c#sharp", "another\n"),
    ];
    let place = place(&files, |_| {});
    let session = open(&place, "kit", Policy::Trust);
    let both = read(&session, json!({"path": "#take"}));
    assert!(both.contains("== src/box.rs\n4\t") && both.contains("== src/stock.rs\n4\t"), "{both}");
    let one = read(&session, json!({"path": "src#Stock.take"}));
    assert_eq!(one, "== src/stock.rs\n4\t    pub fn take(&self) {}\n");
    assert_eq!(
        read(&session, json!({"path": "odd:1-2"})),
        "1\ta file whose name looks like a place\n"
    );
    assert_eq!(read(&session, json!({"file_path": "c#sharp"})), "1\tanother\n");
    for (path, code, says) in [
        ("notes.txt#take", Code::InvalidInput, "in no language whose symbols are known"),
        ("src/stock.rs#tkae", Code::StringNotFound, "did you mean `take`?"),
        ("src/stok.rs#take", Code::FileNotFound, "did you mean src/stock.rs?"),
        ("src/stock.rs:90-99", Code::InvalidLineRange, r#"next: read {"path":"src/stock.rs:1-"}"#),
        ("src:1-2", Code::IsDirectory, "src"),
        ("src/stock.rs:3-1", Code::InvalidInput, r#"next: read {"path":"src/stock.rs"}"#),
    ] {
        let done = run(&session, "read", json!({"path": path}));
        assert_eq!(done.error.as_ref().map(|e| e.code), Some(code), "{path}: {:?}", done.body);
        assert!(done.body.to_text().contains(says), "{path}: {:?}", done.body);
    }
    let none = run(&session, "read", json!({"paths": ["x", "y"]}));
    assert_eq!(none.error.map(|e| e.code), Some(Code::FileNotFound));
    assert!(run(&session, "read", json!({})).error.is_some());
}

fn put(place: &Place, path: &str, bytes: &[u8]) {
    fs::write(place.path(path), bytes).unwrap();
}

#[test]
fn pictures_come_beside_the_result() {
    let place = place(&[], |_| {});
    let session = open(&place, "kit", Policy::Trust);
    let kinds: [(&str, &str, &[u8]); 4] = [
        ("a.png", "image/png", b"\x89PNG\r\n\x1a\n...."),
        ("b.jpg", "image/jpeg", b"\xff\xd8\xff\xe0...."),
        ("c.gif", "image/gif", b"GIF89a...."),
        ("d.webp", "image/webp", b"RIFF....WEBPVP8 "),
    ];
    for (path, mime, bytes) in kinds {
        put(&place, path, bytes);
        let done: Done = run(&session, "read", json!({"path": path}));
        assert_eq!(done.body.to_text(), format!("{mime}\n"));
        assert_eq!(done.pictures.iter().map(|p| p.mime).collect::<Vec<_>>(), [mime]);
        let again = run(&session, "read", json!({"path": path}));
        assert!(again.pictures.is_empty() && again.body.to_text().starts_with("unchanged since"));
        assert_eq!(run(&session, "read", json!({"path": path, "again": true})).pictures.len(), 1);
    }
    put(&place, "large.png", &[b"\x89PNG\r\n\x1a\n".as_slice(), &vec![0; 4 << 20]].concat());
    let done = run(&session, "read", json!({"path": "large.png"}));
    assert_eq!(done.error.map(|e| e.code), Some(Code::FileTooLarge));
    put(&place, "data.bin", b"\0\x01\x02\xff\xfe\0\0");
    let done = run(&session, "read", json!({"path": "data.bin"}));
    assert_eq!(done.error.map(|e| e.code), Some(Code::BinaryFile));
}

/// A PDF of one page with this content.
fn pdf(content: &str) -> Vec<u8> {
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    let (mut out, mut at) = (b"%PDF-1.4\n".to_vec(), Vec::new());
    for (n, object) in objects.iter().enumerate() {
        at.push(out.len());
        out.extend(format!("{} 0 obj\n{object}\nendobj\n", n + 1).bytes());
    }
    let start = out.len();
    out.extend(b"xref\n0 6\n0000000000 65535 f \n");
    at.iter().for_each(|at| out.extend(format!("{at:010} 00000 n \n").bytes()));
    out.extend(format!("trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n").bytes());
    out
}

#[test]
fn a_pdf_comes_as_text_and_a_bad_one_takes_nothing_down() {
    let place = place(&[], |_| {});
    let session = open(&place, "kit", Policy::Trust);
    put(
        &place,
        "a.pdf",
        &pdf("BT /F1 12 Tf 20 200 Td (Hello stock) Tj 0 -20 Td (Second line) Tj ET"),
    );
    let text = read(&session, json!({"path": "a.pdf"}));
    assert!(text.starts_with("1\t[page 1]\n2\tHello stock\n"), "{text}");
    assert!(text.contains("Second line"), "{text}");
    put(&place, "empty.pdf", &pdf("0 0 m 10 10 l S"));
    let whole = pdf("BT /F1 12 Tf (x) Tj ET");
    put(&place, "cut.pdf", &whole[..whole.len() / 2]);
    // Pages that are their own children.
    let loops = String::from_utf8(whole).unwrap().replace("/Kids [3 0 R]", "/Kids [2 0 R]");
    put(&place, "loops.pdf", loops.as_bytes());
    put(&place, "deep.pdf", &[b"%PDF-1.4\n1 0 obj\n".as_slice(), &b"[".repeat(2 << 20)].concat());
    for path in ["empty.pdf", "cut.pdf", "loops.pdf", "deep.pdf"] {
        let done = run(&session, "read", json!({"path": path}));
        assert_eq!(done.error.map(|e| e.code), Some(Code::BinaryFile), "{path}");
        assert!(done.body.to_text().contains("pdftotext"), "{path}: {:?}", done.body);
    }
    assert!(read(&session, json!({"path": "a.pdf", "again": true})).contains("Hello stock"));
}

#[test]
fn directories_and_empty_files() {
    let many: Vec<(String, &str)> =
        (0..900).map(|n| (format!("many/file{n:04}.txt"), "")).collect();
    let files: Vec<(&str, &str)> = many.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let place = place(&files, |settings| settings.limits.result_bytes = 2000);
    place.write("none/", "");
    let session = open(&place, "kit", Policy::Trust);
    assert_eq!(read(&session, json!({"path": "."})), "many/\nnone/\n");
    assert_eq!(read(&session, json!({"path": "none"})), "(empty directory)\n");
    assert_eq!(read(&session, json!({"path": "many/file0001.txt"})), "(empty file)\n");
    let listed = read(&session, json!({"path": "many"}));
    assert!(
        fits(&listed, "file0000.txt\n[..]\n[153 of 900; search finds files by name]\n"),
        "{listed}"
    );
}

#[test]
fn a_line_that_was_cut_was_not_sent() {
    let long = format!("{}\n", "x".repeat(60_000));
    let place = place(&[("long.txt", &long)], |_| {});
    let session = open(&place, "kit", Policy::Trust);
    for _ in 0..2 {
        assert!(read(&session, json!({"path": "long.txt"})).contains("more bytes of this line"));
    }
}

#[test]
fn pictures_are_as_many_as_an_answer_holds() {
    let place = place(&[], |_| {});
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0".to_vec();
    png.resize(2 << 20, 0);
    std::fs::write(place.path("a.png"), png).unwrap();
    let session = open(&place, "kit", Policy::Trust);
    let text = read(&session, json!({"paths": vec!["a.png"; 20], "again": true}));
    assert_eq!(text.matches("image/png").count(), 3, "{text}");
    assert!(text.contains("[3 of 20; next: {\"paths\":[\"a.png\","), "{text}");
}

#[test]
fn of_more_definitions_than_fit_the_first_are_shown() {
    let source: String =
        (0..3000).map(|n| format!("def function_{n}(value):\n    return {n}\n\n")).collect();
    let place = place(&[("many.py", &source)], |_| {});
    let session = open(&place, "kit", Policy::Trust);
    let text = read(&session, json!({"path": "many.py"}));
    assert!(
        text.starts_with("9000 lines, which define\n1-2 def function_0(value)\n"),
        "{text:.200}"
    );
    assert!(
        text.contains(" of 3000; search finds the others by name]\n[0 of 9000; next: "),
        "{text:.200}"
    );
    assert!(text.len() < 51_200, "{}", text.len());
}

#[test]
fn a_page_that_did_not_change_is_sent_once_unless_it_is_asked_for_from_its_beginning() {
    let kit = Kit::with(&[], |settings| settings.web = crate::site::settings());
    let url = "http://site.example/news";
    let page = |input| kit.ok("web", input);
    let first = page(json!({"url": url}));
    assert!(first.contains("Something that is long enough"), "{first}");
    let again = page(json!({"url": url}));
    assert_eq!(again, r#"unchanged since you saw it; {"offset": 1} sends it"#);
    assert_eq!(page(json!({"url": url, "offset": 1})), first);
    let changed = page(json!({"url": url}));
    assert!(changed.contains("and then ends her"), "{changed}");
}

#[test]
fn a_misspelt_member_is_answered_with_the_near_one() {
    let code = "class Config:\n    debug = 1\n\n    def load(self):\n        return 1\n\n\ndef loads():\n    pass\n";
    let kit = Kit::new(&[("a.py", code)]);
    for (wrong, right) in [
        ("a.py#Config.debgu", "a.py#Config.debug"),
        ("a.py#Config.laods", "a.py#Config.load"),
        ("#Config.debgu", "#Config.debug"),
        ("#lods", "#loads"),
    ] {
        let (text, _) = kit.call("read", json!({"path": wrong}));
        assert!(
            text.ends_with(&format!("\nnext: read {{\"path\":\"{right}\"}}")),
            "{wrong}: {text}"
        );
        kit.ok("read", json!({"path": right}));
    }
}

#[test]
fn the_outline_of_a_long_file_comes_with_what_is_above_it_alone() {
    let defs: String = (0..3000).map(|n| format!("def f{n}():\n    return {n}\n\n")).collect();
    let kit = Kit::new(&[("a.py", &format!("import os\n\n{defs}")), ("b.py", &defs)]);
    let text = kit.ok("read", json!({"path": "a.py"}));
    assert!(text.starts_with("9002 lines, which define\n3-4 def f0()\n"), "{text}");
    let end = "the first lines:\n1\timport os\n2\t\n[2 of 9002; next: {\"path\":\"a.py:3-\"}]";
    assert!(text.ends_with(end), "{text}");
    let text = kit.ok("read", json!({"path": "b.py"}));
    assert!(!text.contains("return 0"), "{text}");
    assert!(text.ends_with("\n[0 of 9000; next: {\"path\":\"b.py:1-\"}]"), "{text}");
}

#[test]
fn definitions_of_one_name_in_one_file_are_below_its_path_once() {
    let kit = Kit::new(&[("a.py", "def f():\n    return 1\n\n\ndef f():\n    return 2\n")]);
    let text = kit.ok("read", json!({"path": "a.py#f"}));
    assert_eq!(text, "== a.py\n1\tdef f():\n2\t    return 1\n5\tdef f():\n6\t    return 2\n");
}
