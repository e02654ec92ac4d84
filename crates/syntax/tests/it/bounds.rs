//! What is refused, and what must not take for ever.

use std::cell::Cell;

use syntax::{FILE_BYTES, LINE_BYTES, Language, Place, Refusal, outline};

use crate::{GRAMMARS, go_on};

#[test]
fn large_files_and_long_lines_are_refused_with_the_reason() {
    let refused = |source: &[u8]| GRAMMARS.parse(Language::C, source, &go_on).err().unwrap();
    let large = refused(&b"int a;\n".repeat(FILE_BYTES / 7 + 1));
    assert!(matches!(large, Refusal::TooLarge(_)));
    let minified = [b"int a;\n".as_slice(), &b"x".repeat(LINE_BYTES + 1)].concat();
    assert_eq!(refused(&minified), Refusal::LongLine(2, LINE_BYTES + 1));
    assert_eq!(
        refused(&minified).to_string(),
        "line 2 has 102401 bytes; symbols are read from lines of at most 102400"
    );
}

#[test]
fn a_stop_ends_parsing_and_asking() {
    let source = b"int f(int a) { return g(a) + 1; }\n".repeat(3000);
    let stopped = GRAMMARS.parse(Language::C, &source, &|| true).err();
    assert_eq!(stopped, Some(Refusal::Stopped));

    let enough = Cell::new(false);
    let stop = || enough.get();
    let parsed = GRAMMARS.parse(Language::C, &source, &stop).unwrap();
    assert_eq!(parsed.symbols().unwrap().len(), 3000);
    enough.set(true);
    assert_eq!(parsed.symbols(), Err(Refusal::Stopped));
    assert_eq!(parsed.references(None), Err(Refusal::Stopped));
}

#[test]
fn deep_nesting_overflows_nothing() {
    let depth = 1000;
    let source = "function f() {\n".repeat(depth) + &"}\n".repeat(depth);
    let parsed = GRAMMARS.parse(Language::JavaScript, source.as_bytes(), &go_on).unwrap();
    let symbols = parsed.symbols().unwrap();
    assert_eq!(symbols.len(), depth);
    assert_eq!(outline(symbols).len(), 1);
    crate::chunks::check(source.as_bytes(), &parsed.chunks().unwrap());
    let source = "(".repeat(2_000);
    for language in Language::ALL {
        let parsed = GRAMMARS.parse(language, source.as_bytes(), &go_on).unwrap();
        assert_eq!(parsed.symbols().unwrap(), [], "{}", language.name());
    }
}

/// What opens and closes a level, and what is inmost, of what brings in or binds names.
const LEVELS: [(Language, &str, &str, &str, &str, &str); 22] = [
    (Language::Rust, "use ", "a::{\n", "name", "}", ";"),
    (Language::Rust, "use ", "{\n", "name", "}", ";"),
    (Language::Rust, "fn f() { let ", "(\n", "name", ")", " = x; }"),
    (Language::Rust, "fn f() { match x { ", "[\n", "name", "]", " => {} } }"),
    (Language::Rust, "fn f() { if let ", "Some(\n", "name", ")", " = x {} }"),
    (Language::Rust, "fn f() { for ", "&\n", "name", "", " in x {} }"),
    (Language::Rust, "fn f(", "(\n", "name", ",)", ": X) {}"),
    (Language::Rust, "fn f() { let x = |", "(\n", "name", ",)", "| 1; }"),
    (Language::Rust, "fn f() { ", "{\n", "let name = 1;", "}", " }"),
    (Language::Python, "for ", "(\n", "name", ",)", " in x: pass\n"),
    (Language::Python, "match x:\n    case ", "[\n", "name", "]", ": pass\n"),
    (Language::Python, "x = ", "lambda a=\\\n", "lambda name: name", ": 1", "\n"),
    (Language::JavaScript, "const ", "[\n", "name", "]", " = x;"),
    (Language::JavaScript, "const ", "{a:\n", "name", "}", " = x;"),
    (Language::JavaScript, "function f(", "[\n", "name", "]", ") {}"),
    (Language::TypeScript, "for (const ", "{a:\n", "name", "}", " of x) {}"),
    (Language::Tsx, "try {} catch (", "[\n", "name", "]", ") {}"),
    (Language::Go, "package a\nfunc f(x ", "func(\n", "name int", ")", ") {}\n"),
    (Language::Java, "class A { void f() { if (x instanceof ", "A(\n", "int name", ")", ") {} } }"),
    (Language::Ruby, "def f(", "(\n", "name", ",)", ")\nend\n"),
    (Language::C, "void f(", "int a(\n", "int name", ")", ");"),
    (Language::Cpp, "template <", "template <\n", "class name", "> class A", "> class A;"),
];

#[test]
fn deep_imports_and_patterns_overflow_nothing() {
    let depth = 30_000;
    let read = move || {
        for (language, head, open, inmost, close, tail) in LEVELS {
            let (open, close) = (open.repeat(depth), format!("{close}\n").repeat(depth));
            let source = format!("{head}{open}{inmost}\n{close}{tail}");
            let what = format!("{} of {head}", language.name());
            let parsed = GRAMMARS.parse(language, source.as_bytes(), &go_on).expect(&what);
            let (uses, _) = parsed.uses(&["name"].into()).unwrap();
            let place = if head == "use " { Place::Free } else { Place::Local };
            assert!(uses["name"].iter().all(|used| used.place == place), "{what}: {uses:?}");
            // A path this long is not told.
            assert_eq!(
                parsed.imports().len(),
                usize::from(head == "use " && open.starts_with('{')),
                "{what}"
            );
            parsed.broken();
            parsed.symbols().unwrap();
            parsed.references(None).unwrap();
        }
    };
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(read);
    thread.unwrap().join().unwrap();
}

#[test]
fn the_parts_of_an_import_are_told_in_their_order() {
    let told = |language, source: &str| -> Vec<String> {
        let parsed = GRAMMARS.parse(language, source.as_bytes(), &go_on).unwrap();
        let text = |name: Option<String>| name.unwrap_or_else(|| "-".to_owned());
        let imports = parsed.imports().into_iter();
        let told = imports.map(|i| format!("{} {} {}", i.from, text(i.name), text(i.local)));
        told.collect()
    };
    let rust = told(Language::Rust, "use a::{self, b::{c, d::e as f, g::*}, h};\nuse {i, j::k};\n");
    assert_eq!(rust, [" a a", "a::b c c", "a::b::d e f", "a::b::g * -", "a h h", " i i", "j k k"]);
    let script = told(Language::TypeScript, "import a, { b, c as d } from './x';\n");
    assert_eq!(script, ["./x default a", "./x b b", "./x c d", "./x - -"]);
}

/// Says to the test below that it is the child of itself.
const CHILD: &str = "READ_HOSTILE_SOURCES";

#[test]
fn code_made_to_take_gigabytes_is_refused_in_bounded_memory() {
    if std::env::var_os(CHILD).is_some() {
        read_hostile_sources();
        return;
    }
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "bounds::code_made_to_take_gigabytes_is_refused_in_bounded_memory"])
        .arg("--nocapture")
        .env(CHILD, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success(), "{:?}: {said}", child.status);
    let peak = said.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kib: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kib < 160 << 10, "{kib} KiB");
}

fn read_hostile_sources() {
    let source = "x=>".repeat(4000);
    for language in [Language::C, Language::Java] {
        for _ in 0..5 {
            let refused = GRAMMARS.parse(language, source.as_bytes(), &go_on).err();
            assert_eq!(refused, Some(Refusal::TooHard), "{}", language.name());
        }
    }
    // The next file of this thread and of another is read as ever.
    let sound = || assert_eq!(crate::symbols(Language::C, b"int f(void) { return 1; }").len(), 1);
    sound();
    std::thread::spawn(sound).join().unwrap();
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    println!("\n{}", status.lines().find(|line| line.starts_with("VmHWM")).unwrap());
}
