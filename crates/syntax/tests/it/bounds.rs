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
    let depth = 3000;
    let source = "function f() {\n".repeat(depth) + &"}\n".repeat(depth);
    let parsed = GRAMMARS.parse(Language::JavaScript, source.as_bytes(), &go_on).unwrap();
    let symbols = parsed.symbols().unwrap();
    assert_eq!(symbols.len(), depth);
    assert_eq!(outline(symbols).len(), 1);
    crate::chunks::check(source.as_bytes(), &parsed.chunks().unwrap());
    let source = "(".repeat(5_000);
    for language in Language::ALL {
        let parsed = GRAMMARS.parse(language, source.as_bytes(), &go_on).unwrap();
        assert_eq!(parsed.symbols().unwrap(), [], "{}", language.name());
    }
}
