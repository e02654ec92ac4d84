//! What is refused, and what must not take for ever.

use std::cell::Cell;

use syntax::{FILE_BYTES, LINE_BYTES, Language, Refusal, outline};

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
