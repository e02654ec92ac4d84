//! What holds for every language and every source.

use std::collections::BTreeSet;

use proptest::prelude::*;
use syntax::{Kind, Language, Role};

use crate::{GRAMMARS, fixtures, go_on, references, symbols};

#[test]
fn the_queries_of_every_language_compile() {
    for language in Language::ALL {
        let parsed = GRAMMARS.parse(language, b"", &go_on).unwrap();
        assert_eq!(parsed.language(), language);
        assert_eq!(parsed.symbols().unwrap(), []);
        assert_eq!(parsed.references(None).unwrap(), []);
        assert_eq!(parsed.chunks().unwrap(), []);
    }
}

#[test]
fn every_language_has_a_sample_and_every_kind_and_role_a_use() {
    let mut languages: BTreeSet<Language> = Language::ALL.into();
    let mut kinds: BTreeSet<Kind> = Kind::ALL.iter().copied().collect();
    for (name, language, source) in fixtures() {
        languages.remove(&language);
        for symbol in symbols(language, &source) {
            kinds.remove(&symbol.kind);
        }
        let roles: BTreeSet<Role> =
            references(language, &source, None).iter().map(|r| r.role).collect();
        // C and Bash bring in files, not names.
        let expected = if matches!(language, Language::C | Language::Bash) { 3 } else { 4 };
        assert_eq!(roles.len(), expected, "{name}: {roles:?}");
    }
    assert!(languages.is_empty(), "without a sample: {languages:?}");
    assert!(kinds.is_empty(), "no language gives: {kinds:?}");
}

#[test]
fn what_is_said_of_a_symbol_agrees_with_the_source() {
    for (file, language, source) in fixtures() {
        let text = String::from_utf8(source.clone()).unwrap();
        let lines: Vec<Vec<char>> = text.lines().map(|l| l.chars().collect()).collect();
        let at = |line: usize, column: usize, name: &str| -> bool {
            let rest: String = lines[line - 1][column - 1..].iter().collect();
            rest.trim_start_matches([':', '\'', '"']).starts_with(name)
        };
        let mut last = (0, 0);
        for s in symbols(language, &source) {
            assert!(at(s.line, s.column, &s.name), "{file}: {s:?}");
            assert!(s.start_line <= s.line && s.line <= s.end_line, "{file}: {s:?}");
            assert!(last <= (s.line, s.column), "{file}: {s:?} is not in order");
            assert!(!s.signature.is_empty() && !s.signature.contains('\n'), "{file}: {s:?}");
            last = (s.line, s.column);
        }
        let all = references(language, &source, None);
        for r in &all {
            assert!(at(r.line, r.column, &r.name), "{file}: {r:?}");
        }
        let name = &all[all.len() / 2].name;
        let named: Vec<_> = all.iter().filter(|r| r.name == *name).cloned().collect();
        assert_eq!(references(language, &source, Some(name)), named, "{file}");
    }
}

#[test]
fn line_ends_and_byte_order_marks_change_nothing() {
    for (file, language, source) in fixtures() {
        let windows = String::from_utf8(source.clone()).unwrap().replace('\n', "\r\n");
        let windows = format!("\u{feff}{windows}").into_bytes();
        let (plain, odd) = (
            GRAMMARS.parse(language, &source, &go_on).unwrap(),
            GRAMMARS.parse(language, &windows, &go_on).unwrap(),
        );
        assert_eq!(plain.symbols().unwrap(), odd.symbols().unwrap(), "{file}");
        assert_eq!(plain.references(None).unwrap(), odd.references(None).unwrap(), "{file}");
        assert_eq!(plain.chunks().unwrap(), odd.chunks().unwrap(), "{file}");
    }
}

#[test]
fn invalid_bytes_in_comments_and_strings_hide_nothing() {
    let source = b"# caf\xe9\ndef before(): return '\xff\xfe'\n\ndef after():\n    pass\n";
    let names: Vec<String> =
        symbols(Language::Python, source).into_iter().map(|s| s.name).collect();
    assert_eq!(names, ["before", "after"]);
}

#[test]
fn broken_code_gives_what_can_be_had() {
    let source = b"fn whole() {}\n\nfn broken(a: u8) {\n    let b = ;\n    b.\n}\n\nstruct Later { x: u8 }\n";
    let parsed = GRAMMARS.parse(Language::Rust, source, &go_on).unwrap();
    assert!(parsed.is_broken());
    let names: Vec<String> = parsed.symbols().unwrap().into_iter().map(|s| s.name).collect();
    assert_eq!(names, ["whole", "broken", "Later", "x"]);
}

/// Everything there is to ask, of any bytes.
fn ask_all(language: Language, source: &[u8]) {
    let parsed = GRAMMARS.parse(language, source, &go_on).unwrap();
    let symbols = parsed.symbols().unwrap();
    let lines = source.split(|b| *b == b'\n').count();
    for symbol in &symbols {
        assert!(symbol.start_line <= symbol.line && symbol.end_line <= lines, "{symbol:?}");
        assert!(symbol.signature.chars().count() <= 200);
    }
    syntax::outline(symbols);
    parsed.references(None).unwrap();
    crate::chunks::check(source, &parsed.chunks().unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_bytes_are_read_in_any_language(
        source in proptest::collection::vec(any::<u8>(), 0..400),
        language in proptest::sample::select(&Language::ALL[..]),
    ) {
        ask_all(language, &source);
    }

    #[test]
    fn samples_with_holes_and_foreign_pieces_are_read(
        sample in 0..13usize, other in 0..13usize,
        cuts in proptest::collection::vec((0..2000usize, 0..60usize, 0..2000usize), 1..6),
    ) {
        let samples = fixtures();
        let (_, language, source) = &samples[sample];
        let mut source = source.clone();
        let foreign = &samples[other].2;
        for (at, length, from) in cuts {
            let start = at.min(source.len());
            let end = (start + length).min(source.len());
            let from = from.min(foreign.len());
            let piece = foreign[from..(from + length).min(foreign.len())].to_vec();
            source.splice(start..end, piece);
        }
        ask_all(*language, &source);
    }
}

#[test]
fn symbols_come_back_from_their_bytes() {
    for (file, language, source) in fixtures() {
        let symbols = symbols(language, &source);
        let mut bytes = Vec::new();
        syntax::Symbol::pack(&symbols, &mut bytes);
        assert_eq!(syntax::Symbol::unpack(&bytes).as_ref(), Some(&symbols), "{file}");
        for cut in (0..bytes.len()).step_by(7) {
            let some = syntax::Symbol::unpack(&bytes[..cut]);
            assert!(some.is_none_or(|some| symbols.starts_with(&some)), "{file} at {cut}");
        }
    }
}
